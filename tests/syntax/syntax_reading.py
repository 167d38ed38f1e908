"""How the tests of the syntax read: small texts to nodes without places, and texts with the fault marked."""

from __future__ import annotations

from typing import cast

import pytest

from verifier.errors import Problem, RuleTextError
from verifier.syntax import tree as t
from verifier.syntax.parse import parse_module
from verifier.syntax.places import NOWHERE, unplaced

N = NOWHERE
FILE = "nz/example.rules"
FAULT = "¦"
"""Stands in a faulty text where the error is to be reported."""


def name(text: str) -> t.Name:
    return t.Name(N, text)


def number(value: int) -> t.Int:
    return t.Int(N, value)


def ref(address: str, label: str | None = None) -> t.ClauseRef:
    return t.ClauseRef(N, address, label)


def arg(value: t.Expr) -> t.Arg:
    return t.Arg(N, value)


A, B, C, X = name("a"), name("b"), name("c"), name("x")
BOOL = t.PlainType(N, "bool")


def blocks(text: str) -> tuple[t.Block, ...]:
    """The blocks of a text, without places."""
    return unplaced(parse_module(text, FILE).blocks)


def block(text: str) -> t.Block:
    """The one block of a text."""
    (only,) = blocks(text)
    return only


def as_statement(text: str) -> str:
    """A rule with this one statement."""
    return f'rule 5.1 "each player"\n  {text}\n'


def as_condition(text: str) -> str:
    """A definition whose body this is."""
    return f"define it: bool = {text}\n"


def statement(text: str) -> t.Statement:
    """The node of a statement."""
    (only,) = cast(t.Rule, block(as_statement(text))).statements
    return only


def expression(text: str) -> t.Expr:
    """The node of an expression."""
    return cast(t.Define, block(as_condition(text))).body


def problem(text: str) -> Problem:
    """The problem that a faulty text is refused with."""
    with pytest.raises(RuleTextError) as caught:
        parse_module(text, FILE)
    assert len(caught.value.problems) == 1
    return caught.value.problem


def refused_where_marked(text: str) -> Problem:
    """The problem of a faulty text, which must be reported where `FAULT` stands in it."""
    before, after = text.split(FAULT)
    found = problem(before + after)
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    assert (found.line, found.column) == (line, column), str(RuleTextError(found))
    assert found.file == FILE
    assert found.excerpt == (before + after).split("\n")[line - 1]
    assert found.help
    return found
