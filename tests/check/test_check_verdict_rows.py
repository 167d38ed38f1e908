"""Faults as a table: what a column has no room for is refused, never rounded."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from check_logs import TILL

from verifier.api import load
from verifier.check.result import Amount, Entry, Finding, Shortfall
from verifier.errors import RequestError
from verifier.report.verdicts import made, verdict_rows

ENTRY = Entry(1, "day.jsonl", 7, "T1", (), 6, None, None, (Finding("broken", "settlement"),))


@pytest.mark.parametrize("amount", [10**38 - 1, Fraction(1, 2**63 - 1), Fraction(-(10**38) + 1, 2)])
def test_the_largest_amounts(amount: Amount) -> None:
    entry = with_short(amount)
    schema = load(TILL).prepared.binding.schema
    (row,) = made(list(verdict_rows(entry, schema)), schema).to_pylist()
    assert Fraction(int(row["amount"]), row["parts"]) == amount


@pytest.mark.parametrize("amount", [10**38, -(10**38), Fraction(1, 2**63), Fraction(5, 3**45)])
def test_larger_ones_are_refused_with_their_place(amount: Amount) -> None:
    with pytest.raises(RequestError, match="no room for how much ann is short") as refused:
        list(verdict_rows(with_short(amount), load(TILL).prepared.binding.schema))
    assert (refused.value.problem.file, refused.value.problem.line) == ("day.jsonl", 7)


def with_short(amount: Amount) -> Entry:
    return replace(ENTRY, short=(Shortfall("ann", amount, "settled wrongly"),))
