"""Which debt the money of an event settles: what is due, of which values, from whom to whom.

Two events settle one debt where what is due is written the same in both, reads the same values, and goes between the
same parties. `0 - x` from one party to another is `x` from the other to the one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from verifier.model import terms as m
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Event, Moves, Ruleset
from verifier.model.terms import Term, free_variables, subterms
from verifier.model.types import EntityT, MoneyT


@dataclass(frozen=True, slots=True)
class Debt:
    """What one `moves` of an event settles.

    `name` is the first event that settles the same, `place` which of its `moves`; `reads` are the places, among the
    event's parameters, of the values that say whose debt it is. `back`: what is due is written as less than nothing.
    """

    name: str
    place: int
    reads: tuple[int, ...]
    back: bool


def debts_of(ruleset: Ruleset) -> Mapping[str, tuple[Debt | None, ...]]:
    """For each event that moves money the debt of each of its `moves`.

    None where nothing is due, or what is due reads no entity.
    """
    first: dict[Term, tuple[str, int]] = {}
    return {
        event.name: tuple(_debt(event, i, move, first) for i, move in enumerate(event.moves))
        for event in ruleset.events.values()
        if event.moves
    }


def _debt(event: Event, place: int, move: Moves, first: dict[Term, tuple[str, int]]) -> Debt | None:
    if move.due is None:
        return None
    ways = [(*_nameless(event, due), back) for due, back in _ways(move.due)]
    nameless, read, back = next((way for way in ways if way[0] in first), ways[0])
    # What was paid does not say of which debt.
    reads = tuple(i for i in read if not isinstance(event.params[i].type, MoneyT))
    if not any(isinstance(event.params[i].type, EntityT) for i in reads):
        return None
    return Debt(*first.setdefault(nameless, (event.name, place)), reads, back)


def _ways(due: Term) -> list[tuple[Term, bool]]:
    """What is due without its sign, and whether it had one; `x - y` is `y - x` the other way."""
    back = False
    while isinstance(due, m.ArithT) and due.op == "-" and due.left == m.Lit(due.left.type, 0):
        due, back = due.right, not back
    found = [(due, back)]
    if isinstance(due, m.ArithT) and due.op == "-":
        found.append((replace(due, left=due.right, right=due.left), not back))
    return found


def _nameless(event: Event, due: Term) -> tuple[Term, list[int]]:
    """What is due with its parameters numbered in the order in which it reads them, and their places."""
    places = {param.name: i for i, param in enumerate(event.params)}
    free = free_variables(due)
    read = dict.fromkeys(t.name for t in subterms(due) if isinstance(t, m.Var) and t.name in free)
    by: dict[str, Term] = {
        name: m.Var(event.params[places[name]].type, f"#{i}") for i, name in enumerate(read)
    }
    return substitute(due, by), [places[name] for name in read]
