"""Rulesets, rounds and the way back from printed text to terms, for the tests of explanations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.expressions import Env, elaborate
from verifier.model.load import load
from verifier.model.rewrite import map_children, substitute
from verifier.model.ruleset import Contribution, Norm, Ruleset
from verifier.model.scope import Signature, Source, World
from verifier.model.show import Names, names_of
from verifier.model.terms import Term
from verifier.model.types import Type
from verifier.model.values import reader
from verifier.run.account import EventTrace, Explanation
from verifier.run.bench import Happening
from verifier.run.explain import Explainer
from verifier.run.judge import Judge
from verifier.run.verdict import Judgement
from verifier.syntax import tree as t
from verifier.syntax.parse import parse_module

MINI = Path(__file__).parent.parent / "rules" / "mini.rules"


@cache
def mini() -> Program:
    return lower(load(MINI))


@cache
def names() -> Names:
    return names_of(mini().ruleset)


def world_of(ruleset: Ruleset, known: Names) -> World:
    """The names of a ruleset as its loader saw them."""
    signatures = {}
    for f in ruleset.functions.values():
        if f.name in known.sets:
            signatures[f.name] = Signature(f.params[:-1], ty.SetT(f.params[-1].type))
        else:
            signatures[f.name] = Signature(f.params, f.type)
    return World(
        list(ruleset.actors),
        dict(ruleset.types),
        dict(ruleset.lives),
        dict(ruleset.state),
        dict(ruleset.entities),
        dict(ruleset.events),
        signatures,
        dict(ruleset.functions),
        dict(ruleset.decisions),
        dict(ruleset.options),
        {latch: i for i, latch in enumerate(ruleset.latches)},
        {latch: i for i, latch in enumerate(ruleset.breaches)},
    )


def parsed(text: str) -> t.Expr:
    block = parse_module(f"define it_reads: bool = {text}\n", "text").blocks[0]
    assert isinstance(block, t.Define)
    return block.body


def env_of(ruleset: Ruleset, known: Names, variables: Mapping[str, Type], guards: Iterable[Term] = ()) -> Env:
    return Env(Source("text", ""), world_of(ruleset, known), dict(variables)).guarded(*guards)


def plain(term: Term) -> Term:
    """A term with nested conjunctions made flat, `until` as what it means, and bound variables numbered."""
    return _flat(_numbered(term, 0))


def _numbered(term: Term, depth: int) -> Term:
    if isinstance(term, m.Quant | m.Fold | m.Pick) and not term.var.startswith("#"):
        var = f"#{depth}"
        by = {term.var: m.Var(term.domain.type, var)}
        changed: dict[str, Any] = {
            "var": var,
            "where": None if term.where is None else substitute(term.where, by),
        }
        if not isinstance(term, m.Pick):
            changed["body"] = None if term.body is None else substitute(term.body, by)
        term = replace(term, **changed)
    return map_children(term, lambda x: _numbered(x, depth + 1))


def _flat(term: Term) -> Term:
    term = map_children(term, _flat)
    match term:
        case m.AndT(items=items):
            found = [x for i in items for x in (i.items if isinstance(i, m.AndT) else (i,))]
            return found[0] if len(found) == 1 else m.AndT(term.type, tuple(found))
        case m.CompareT(op="=", left=m.Count() as count, right=m.Lit(type=ty.INT, value=0)):
            return m.NotT(ty.BOOL, m.CompareT(ty.BOOL, ">=", count, m.Lit(ty.INT, 1)))
        case _:
            return term


def texts_of(ruleset: Ruleset) -> Iterator[tuple[str, Term, dict[str, Type], list[Term], Type | None]]:
    """Every term a ruleset's rules and defines were written with: its variables, guards, and the type wanted."""
    for unit in ruleset.units.values():
        variables = {v.name: v.type for v in unit.variables}
        seen: list[Term] = []
        for given in unit.given:
            yield unit.id, given, variables, list(seen), None
            seen.append(given)
        if unit.when is not None:
            yield unit.id, unit.when, variables, list(seen), None
            seen.append(unit.when)
        match unit:
            case Contribution(value=value, decision=decision):
                yield unit.id, value, variables, seen, ruleset.decisions[decision].type
            case Norm(acts=acts):
                for act in acts:
                    for slot, param in zip(act.slots, ruleset.events[act.event].params, strict=True):
                        if slot.where is not None:
                            yield unit.id, slot.where, variables, seen, None
                        if slot.equals is not None:
                            yield unit.id, slot.equals, variables, seen, param.type
    for function in ruleset.functions.values():
        yield function.name, function.body, {p.name: p.type for p in function.params}, [], function.type
    for event in ruleset.events.values():
        for claim in event.claims:
            yield event.name, claim, {p.name: p.type for p in event.params}, [], None
    for question in ruleset.questions:
        yield question.rule, question.condition, {v.name: v.type for v in question.variables}, [], None


def again(
    text: str,
    ruleset: Ruleset,
    known: Names,
    variables: Mapping[str, Type],
    guards: Iterable[Term] = (),
    wanted: Type | None = None,
) -> Term:
    """The term that `text` says."""
    return elaborate(parsed(text), env_of(ruleset, known, variables, guards), wanted)


def said(text: str, variables: Mapping[str, Type]) -> tuple[Term, Names]:
    """The term that `text` says in the mini ruleset, and names that know the history it speaks of."""
    env = env_of(mini().ruleset, names(), variables)
    term = elaborate(parsed(text), env)
    ruleset = replace(mini().ruleset, latches=tuple(env.world.latches), breaches=tuple(env.world.breaches))
    return term, Names(ruleset, names().sets)


# ------------------------------------------------------------------------------------------------- rounds
class Table:
    """One table of the mini ruleset: events written as words, judged and explained."""

    def __init__(self, program: Program | None = None, **options: object) -> None:
        self.program = program or mini()
        self.judge = Judge(self.program, dict(options))
        self.explainer = Explainer(self.judge, tracking=True)
        self.last: Happening | None = None

    def happening(self, text: str) -> Happening:
        """An event, `deal B1H1 As` (an actor in front: `player: deal …`)."""
        actor, _, rest = text.rpartition(": ")
        name, *words = rest.split()
        event = self.program.ruleset.events[name]
        values = tuple(_value(p.type, w) for p, w in zip(event.params, words, strict=True))
        return Happening(name, actor or event.by[0], values)

    def play(self, text: str) -> list[Judgement]:
        """Judge one event."""
        self.last = self.happening(text)
        return self.explainer.step(self.last)

    def explained(self, *texts: str) -> list[Explanation]:
        """Judge events in turn; the explanations of the judgements on the last."""
        return [self.explainer.explain(judgement, self.last) for judgement in self.play_all(*texts)]

    def trace(self, text: str) -> EventTrace:
        """Judge and trace one event."""
        return self.explainer.trace(self.happening(text))

    def play_all(self, *texts: str) -> list[Judgement]:
        """Judge events in turn; the judgements on the last."""
        found: list[Judgement] = []
        for text in texts:
            found = self.play(text)
        return found


def _value(type_: Type, word: str) -> Any:
    match type_:
        case ty.EnumT(values=values):
            return values.index(word)
        case ty.RecordT() | ty.EntityT():
            if type_.forms:
                return reader(type_)(word)
            parts = type_.fields if isinstance(type_, ty.RecordT) else type_.keys
            return tuple(_value(p, w) for (_, p), w in zip(parts, re.split("/", word), strict=True))
        case ty.IntT() | ty.MoneyT():
            return int(word)
        case _:
            return word
