"""Invariants worth trying, read off a program: nobody says that they hold.

Two tests (`verifier.prove.probes`) of one thing, or of the state and of one thing, make a clause: this or that. What
states were seen sorts out most clauses at once. Which of the rest hold, induction tells (`verifier.prove.induct`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from random import Random
from typing import Any

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.declare import default_of
from verifier.model.show import names_of, show_term
from verifier.model.terms import Term
from verifier.model.types import Type
from verifier.prove.clauses import Clause, closed, countable, exists
from verifier.prove.facts import facts
from verifier.prove.probes import CHEAP, VAR, Probe, probes
from verifier.prove.question import Mode
from verifier.run.machine import Machine
from verifier.run.operators import Closure
from verifier.run.state import State
from verifier.run.undefined import Undefined

MOST = 500
"""So many conjectures are tried at most."""

MOST_ROWS = 3000
"""Tests are tried on so many things, in as many of the states seen as have them."""

FEW = 30
"""Fewer things than this tell nothing of what is likely."""

LEAST_SUPPORT = 3
"""A clause that could not have been seen false so often by chance is no likely one,"""
GOOD_SUPPORT = 20
"""and one that could have been so often is tried first."""


@dataclass(frozen=True, slots=True)
class Named:
    """A condition without variables, and what it is called."""

    name: str
    term: Term


@dataclass(frozen=True, slots=True)
class Guess(Named):
    """A conjecture. `clause` says the same as `term`; `key` finds it again in the same program."""

    clause: Clause
    key: str


def conjectures(
    program: Program, mode: Mode, seen: Sequence[State] = (), most: int | None = None
) -> list[Guess]:
    """Conjectures, those that are likely and cheap first; none is false in a state of the mode that was `seen`."""
    keyed = {f"fact {n}": clause for n, clause in enumerate(facts(program, mode))}
    mixed = Random(0).sample(list(seen), len(seen))
    ranked = [found for group in groups(program).values() for found in _Seen(program, mixed).clauses(group)]
    keyed.update({key: clause for _, _, key, clause in sorted(ranked, key=lambda found: found[:2])})
    return _named(program, keyed, most)


def found_again(program: Program, mode: Mode, keys: Sequence[str]) -> list[Guess] | None:
    """The conjectures with these keys, in this order; None where one is no key of the program's."""
    keyed: dict[str, Clause] = {}
    known = {f"fact {n}": clause for n, clause in enumerate(facts(program, mode))}
    listed = groups(program)
    for key in keys:
        label, _, literals = key.partition(": ")
        group = listed.get(label)
        if key in known:
            keyed[key] = known[key]
        elif group is not None and all(group.has(literal) for literal in literals.split()):
            keyed[key] = group.clause(literals.split())
        else:
            return None
    found = _named(program, keyed, None)
    return found if len(found) == len(keys) else None


def _named(program: Program, keyed: Mapping[str, Clause], most: int | None) -> list[Guess]:
    names = names_of(program.ruleset)
    found: dict[Term, Guess] = {}
    for key, clause in keyed.items():
        if len(found) == most:
            break
        term = closed(clause)
        if term not in found:
            found[term] = Guess(show_term(term, names), term, clause, key)
    return list(found.values())


# --------------------------------------------------------------------------------------------------- clauses
@dataclass(frozen=True, slots=True)
class Group:
    """Tests that are combined: some of one thing of a type, others of the state. `anywhere`: of every reference,
    whether to what exists or not."""

    label: str
    sort: Type | None
    anywhere: bool
    own: list[Probe]
    others: list[Probe]

    def literal(self, index: int, wanted: bool) -> str:
        """A test that is to come out so, as a part of a key."""
        return f"{index}{'+' if wanted else '-'}"

    def has(self, literal: str) -> bool:
        """Whether there is such a test."""
        number = literal[:-1]
        known = number.isascii() and number.isdigit() and int(number) < len(self.own) + len(self.others)
        return known and literal[-1] in "+-"

    def clause(self, literals: Sequence[str]) -> Clause:
        """One of the literals holds."""
        tests_ = [*self.own, *self.others]
        said = tuple((tests_[int(literal[:-1])].term, literal[-1] == "+") for literal in literals)
        return Clause(self.sort, self.anywhere, said)


def groups(program: Program) -> dict[str, Group]:
    """The tests that are combined with one another, by a label."""
    by_type = probes(program)
    of_state = by_type.pop(None, [])
    found = {"state": Group("state", None, False, of_state, [])}
    for sort, own in by_type.items():
        assert sort is not None
        if isinstance(sort, ty.EntityT) or countable(sort):
            found[str(sort)] = Group(str(sort), sort, False, own, of_state)
        if isinstance(sort, ty.EntityT) and countable(sort):
            label = f"any {sort}"
            there = Probe(exists(m.Var(sort, VAR)), CHEAP, True, False)
            plain = [test for test in own if test.plain]
            found[label] = Group(label, sort, True, [there, *plain], [t for t in of_state if t.plain])
    return found


Ranked = tuple[int, int, str, Clause]
"""A clause after how likely it is (0 most), how dear, and its key."""


@dataclass(frozen=True, slots=True)
class _Seen:
    program: Program
    states: Sequence[State]

    def clauses(self, group: Group) -> Iterator[Ranked]:
        """Clauses of one test, and of two, that no state contradicts."""
        rows = self._rows(group)
        if len(self.states) >= FEW and not rows.count:
            return
        all_ = [*group.own, *group.others]
        same = rows.same()

        def made(*literals: tuple[int, bool]) -> tuple[str, Clause]:
            key = [group.literal(*literal) for literal in literals]
            return f"{group.label}: {' '.join(key)}", group.clause(key)

        for i, j in combinations(range(len(all_)), 2):
            if i >= len(group.own):
                break
            one, other, of_thing = all_[i], all_[j], j < len(group.own)
            if (one.fixed and other.fixed) or not (one.own or (of_thing and other.own)):
                continue
            if same[i] != i or same[j] not in (i, j):
                continue
            for left, right in product((True, False), repeat=2):
                likely = rows.likely(i, left, j, right)
                if likely is None or (likely > 1 and not (one.plain and other.plain)):
                    continue
                rank = likely if likely <= 1 else 2 if of_thing else 3
                yield rank, one.cost + other.cost, *made((i, left), (j, right))
        for i, test in enumerate(group.own):
            for wanted in (True, False):
                if rows.always(i, wanted) and (test.own or test.fixed):
                    yield 1, test.cost, *made((i, wanted))

    def _rows(self, group: Group) -> _Rows:
        """Each test's value for each thing that there is in the states; bit by bit."""
        machine = Machine(self.program, {})
        names = () if group.sort is None else (VAR,)
        of_thing = [machine.closure(test.term, names) for test in group.own]
        of_state = [machine.closure(test.term, ()) for test in group.others]
        bits: list[list[tuple[str, str]]] = []
        for state in self.states:
            machine.enter(state)
            frames = _frames(machine, group.sort, group.anywhere)
            shared = [_told(closure, []) for closure in of_state] if frames else []
            bits += [[*(_told(closure, frame) for closure in of_thing), *shared] for frame in frames]
            if len(bits) >= MOST_ROWS:
                break
        columns = list(zip(*bits, strict=True)) or [()] * (len(of_thing) + len(of_state))
        true, false = (
            [int("".join(b[side] for b in column) or "0", 2) for column in columns] for side in (0, 1)
        )
        return _Rows(len(bits), true, false)


def _frames(machine: Machine, sort: Type | None, anywhere: bool) -> list[list[Any]]:
    """What there is of a sort in the machine's state; with `anywhere` also references to what does not exist."""
    match sort:
        case None:
            return [[]]
        case ty.EntityT(name=name) if anywhere:
            return [[ref] for ref in (*machine.state.entities[name], default_of(sort))]
        case ty.EntityT(name=name):
            return [[ref] for ref in machine.refs(name)]
        case ty.IdT(name=name):
            return [[id_] for id_ in machine.state.ids[name]]
        case _:
            return [[value] for value in ty.finite_values(sort) or []]


def _told(closure: Closure, frame: list[Any]) -> tuple[str, str]:
    """Whether a test may be true, and whether it may be false: neither where it is undefined."""
    try:
        return ("1", "0") if closure(frame.copy()) else ("0", "1")
    except Undefined:
        return "0", "0"


@dataclass(frozen=True, slots=True)
class _Rows:
    """Where each test may be true, and where it may be false, as bits: one for each thing in each state."""

    count: int
    true: list[int]
    false: list[int]

    def same(self) -> list[int]:
        """For each test the first that always comes out as it does, or as its opposite; itself where it never
        changed, or hardly any was seen."""
        first: dict[tuple[int, int], int] = {}
        found: list[int] = []
        for i, (yes, no) in enumerate(zip(self.true, self.false, strict=True)):
            fixed = self.count < FEW or not yes or not no
            found.append(i if fixed else first.setdefault((min(yes, no), max(yes, no)), i))
        return found

    def always(self, test: int, wanted: bool) -> bool:
        """Whether a test always came out so."""
        return (self.true if wanted else self.false)[test] == (1 << self.count) - 1

    def likely(self, i: int, left: bool, j: int, right: bool) -> int | None:
        """How likely a clause of two literals is: None where it was seen false; 0 and 1 where it would have been,
        often or sometimes, if the two had nothing to do with each other; 2 where that says nothing."""
        one = (self.true if left else self.false)[i]
        other = (self.true if right else self.false)[j]
        if one | other != (1 << self.count) - 1:
            return None
        if self.count < FEW:
            return 1
        missing = (self.count - one.bit_count()) * (self.count - other.bit_count()) / self.count
        return 0 if missing >= GOOD_SUPPORT else 1 if missing >= LEAST_SUPPORT else 2
