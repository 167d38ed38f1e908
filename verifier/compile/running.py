"""Folds over lists that grow: of each row how far one has come is kept, and what it has come to, so that only the
elements that are new are looked at. This is so where nothing but the element decides what it adds.

Two cells each, in the row of the list or behind it, and 0 elements looked at is right at any time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from verifier.compile.depends import Atom
from verifier.compile.encoding import ABSENT
from verifier.compile.facts import is_length
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.terms import Term, children, free_variables

Loop = m.Fold | m.Quant | m.Pick


@dataclass(frozen=True, slots=True)
class Running:
    """What is kept of one fold over a list, a field of the state or, where there is an `entity`, of that: the
    `number`-th at its place; of no elements it is `initial`."""

    entity: str | None
    name: str
    number: int
    initial: int
    first: bool
    """It is settled by the first element that there is for it."""


def found_in(program: Program, terms: Iterator[Term], doubtful: frozenset[Atom]) -> dict[Loop, Running]:
    """The folds of these terms of which it is kept how far they have come, by `of_any`; `doubtful` lists are none that
    only grow, for nobody may be able to tell what they are."""
    found: dict[Loop, Running] = {}
    numbers: Counter[tuple[str | None, str]] = Counter()
    for term in terms:
        if not isinstance(term, m.Fold | m.Quant | m.Pick) or not isinstance(term.domain, m.OverList):
            continue
        key = of_any(term)
        if key is None or key in found or is_length(term) or not _of_elements(term, program):
            continue
        match term.domain.list:
            case m.Field(entity=entity, name=name) if ("field", entity, name) not in doubtful:
                place: tuple[str | None, str] = (entity, "")
            case m.Get(name=name, key=None) if ("state", name) not in doubtful:
                place = (None, name)
            case _:
                continue
        first = isinstance(term, m.Pick) and term.kind == "first"
        found[key] = Running(place[0], name, numbers[place], of_none(term), first)
        numbers[place] += 1
    return found


def of_any(term: Loop) -> Loop | None:
    """The fold whosever list it is over; None where it is over no list that the state has."""
    match term.domain:
        case m.OverList(list=m.Get(key=None)):
            return term
        case m.OverList(list=m.Field(of=of) as field):
            anyone = replace(field, of=m.Var(of.type, ""))
            return replace(term, domain=replace(term.domain, list=anyone))
        case _:
            return None


def of_none(term: Loop) -> int:
    """What it comes to of no elements."""
    match term:
        case m.Quant(kind="every"):
            return 1
        case m.Quant(kind="some") | m.Fold(kind="sum" | "number"):
            return 0
        case m.Fold(kind="least" | "greatest") | m.Pick():
            return ABSENT
        case _:
            raise AssertionError(term)


def _of_elements(term: Loop, program: Program) -> bool:
    """Whether what an element adds rests on the element alone."""
    parts = [term.where] if isinstance(term, m.Pick) else [term.where, term.body]
    return all(
        part is None or (free_variables(part) <= {term.var} and _fixed(part, program)) for part in parts
    )


def _fixed(term: Term, program: Program, within: tuple[str, ...] = ()) -> bool:
    """Whether a term reads nothing that ever changes but its variables; it stands in these functions."""
    match term:
        case m.CallF(function=name):
            if name in within or not _fixed(program.functions[name].body, program, (*within, name)):
                return False
        case m.Lit() | m.Var() | m.ArithT() | m.CompareT() | m.AndT() | m.OrT() | m.NotT() | m.Ite():
            pass
        case m.Part() | m.Make() | m.Present() | m.Force() | m.TableT():
            pass
        case _:
            return False
    return all(_fixed(child, program, within) for child in children(term))


__all__ = ["Loop", "Running", "found_in", "of_any", "of_none"]
