"""One induction: what is given and what is guessed, reduced to what is kept, and that confirmed by every solver."""

from __future__ import annotations

import os
from collections import ChainMap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import z3

from verifier.core.program import Program
from verifier.prove.cases import cases
from verifier.prove.conjectures import Guess, Named
from verifier.prove.houdini import DifferError, Failure, Houdini
from verifier.prove.proven import Broken, Proven
from verifier.prove.question import Mode
from verifier.prove.scope import Scope
from verifier.prove.scope_words import scope_text
from verifier.prove.shares import shared
from verifier.prove.smtlib import Assumed, Writer
from verifier.prove.solve import Settings, Solved, solve
from verifier.prove.transitions import Transition, system, transitions
from verifier.prove.unmade import SUPPOSED, unmade
from verifier.prove.values import not_, or_
from verifier.run.apply import CannotApply
from verifier.run.state import first_state

HASTY = 6_000_000
"""What Z3 may spend, in its own units, on a query about guesses before the dearest of them are dropped,"""
PATIENT = 20_000_000
"""and on one about what is asked for."""

QUICK = 20
"""Where all that a transition keeps is asked at once, Z3 may spend so small a part of what it may on one question,"""
QUICK_CVC5 = 2
"""and cvc5 so small a part: it spends many of its own units before it begins, and a large question takes minutes to
spend the rest."""


@dataclass(frozen=True, slots=True)
class _Told:
    """What the solvers say of some candidates, named by their numbers, that one transition is to keep."""

    numbers: tuple[int, ...]
    status: str
    by: tuple[str, ...]
    why: str


def _told(part: Sequence[int], solved: Solved) -> _Told:
    return _Told(tuple(part), solved.status, tuple(solved.by), solved.why)


class Proving:
    """One system, and what is `known` of it. Up to `jobs` processes confirm what is found.

    What is lawful within the scope is what may be among more as well, unless it is `exact` (`verifier.prove.freed`).
    """

    def __init__(
        self,
        program: Program,
        scope: Scope,
        mode: Mode,
        settings: Settings,
        known: tuple[Named, ...],
        jobs: int = 1,
        exact: bool = False,
    ) -> None:
        self.program = program
        self.scope = scope
        self.mode: Mode = mode
        self.settings = settings
        self.known = known
        self.jobs = jobs
        self.exact = exact
        self.scope_text = scope_text(scope, program)
        made = system(program, scope, mode)
        self.writer = Writer()
        self.made = unmade(made, settings, self.writer)
        self._supposed = f" {SUPPOSED}" if self.made is not made else ""
        self.transitions = tuple(transitions(self.made))
        self.expected: dict[int, tuple[int, ...]] = {}

    def survivors(self, given: Sequence[Named], guesses: Sequence[Guess]) -> list[Guess]:
        """Those guesses that hold together with what is given, less those that follow from the rest."""
        houdini, asked = self._houdini(given, HASTY)
        numbers = {houdini.guess(guess): guess for guess in guesses}
        try:
            houdini.run()
        except (DifferError, CannotApply):
            return []
        self.expected = houdini.parts_used()
        houdini.prune(asked.keys())
        return [numbers[number] for number in sorted(houdini.alive) if number in numbers]

    def _houdini(self, given: Sequence[Named], rlimit: int) -> tuple[Houdini, dict[int, Named]]:
        houdini = Houdini(self.made, self.transitions, rlimit, self.exact)
        for named in self.known:
            houdini.assume(named)
        return houdini, {houdini.add(named, watched=True): named for named in given}

    def prove(self, given: Sequence[Named], guessed: Sequence[Named]) -> Proven:
        """What of all these holds. It is asked afresh, so that the same questions are put however one came to guess."""
        try:
            return self._prove(given, guessed)
        except (DifferError, CannotApply) as error:
            why = f"the interpreter and Z3 differ: {error}"
            return replace(self._nothing(given, why), disagree=True)

    def _prove(self, given: Sequence[Named], guessed: Sequence[Named]) -> Proven:
        assumed = self._assumed()
        if assumed is None:
            return self._nothing(given, "no options meet every requirement")
        houdini, asked = self._houdini(given, PATIENT)
        houdini.needed = self.expected
        for named in guessed:
            houdini.add(named)
        by: dict[str, None] = {}
        while True:
            houdini.run()
            self.expected = houdini.parts_used()
            trouble = self._confirm(houdini, assumed, by)
            if trouble is None:
                break
            if trouble:
                return replace(self._nothing(given, trouble), disagree=True)
        return Proven(
            self.mode,
            self.scope_text,
            (*self.known, *(candidate.named for _, candidate in sorted(houdini.alive.items()))),
            tuple(named for number, named in asked.items() if number in houdini.alive),
            tuple(
                _broken(asked[number], houdini.plainest(number, asked[number]))
                for number in sorted(houdini.failures)
            ),
            tuple(by) or self.settings.solvers,
            queries=houdini.queries,
        )

    def _nothing(self, given: Sequence[Named], why: str) -> Proven:
        first = first_state(self.program.ruleset)
        broken = tuple(Broken(named, None, "", first, {}, {}, why) for named in given)
        return Proven(self.mode, self.scope_text, (), (), broken, (), why)

    def _assumed(self) -> Assumed | None:
        """What holds in every state, with an example: the first state, under some options."""
        first = [
            (variable, value)
            for variable, value in self.made.state.assignment(first_state(self.program.ruleset))
            if z3.is_expr(variable)
        ]
        solver = z3.SolverFor("QF_LIA")
        solver.add(*self.made.always, *(variable == value for variable, value in first))
        if solver.check() != z3.sat:
            return None
        model = solver.model()
        options = self.made.options.assignment(self.made.options.concretize(model))
        base = [*first, *((v, value) for v, value in options if z3.is_expr(v))]
        holding = [self.made.encoder.encode(named.term, {}) for named in self.known]
        conditions = list(self.made.always)
        for found in holding:
            conditions += [c for c in (found.value, found.defined) if c is not True]
        return Assumed(tuple(conditions), tuple(base))

    def _confirm(self, houdini: Houdini, assumed: Assumed, by: dict[str, None]) -> str | None:
        """Ask every solver whether each transition keeps what is left. None if so; empty if something was dropped
        that nobody could confirm; else what they contradict each other about."""
        for number in sorted(houdini.first.keys() & houdini.alive.keys()):
            name = f"induction, in {self.mode}, first state"
            comment = "unsat means that the invariant holds in the first state, under any options."
            lost = not_(houdini.first[number])
            solved = solve([lost], self.settings, name, comment, assumed, self.writer)
            if solved.status == "unknown":
                houdini.give_up(number, None, solved.why)
                return ""
            if solved.status != "unsat":
                return f"the first state: {solved.why or 'a model is found where there was none'}"
        obligations = list(houdini.obligations())

        def told(number: int) -> tuple[list[_Told], int, int, int]:
            before = self._counts()
            parts = list(self._parts(houdini, *obligations[number]))
            after = self._counts()
            return parts, after[0] - before[0], after[1] - before[1], os.getpid()

        dropped = False
        costs = [len(affected) * (1 + len(needed)) for _, needed, affected in obligations]
        everything = shared(told, costs, self.jobs)
        for (index, _, _), (parts, misses, hits, process) in zip(obligations, everything, strict=True):
            transition = houdini.transitions[index]
            if process != os.getpid() and self.settings.cache is not None:
                self.settings.cache.misses += misses
                self.settings.cache.hits += hits
            for part in parts:
                if part.status == "unsat":
                    by.update(dict.fromkeys(part.by))
                elif part.status == "unknown":
                    for number in part.numbers:
                        houdini.give_up(number, transition, part.why)
                    dropped = True
                else:
                    return f"{transition.name}: {part.why or 'a model is found where there was none'}"
        return "" if dropped else None

    def _counts(self) -> tuple[int, int]:
        cache = self.settings.cache
        return (0, 0) if cache is None else (cache.misses, cache.hits)

    def _parts(
        self, houdini: Houdini, index: int, needed: list[Any], affected: dict[int, Any]
    ) -> Iterator[_Told]:
        """What the solvers say of all at once that a transition keeps; or where that is too much of halves of it, each
        by what it needs, and so on. What was seen case by case is asked so."""
        transition = houdini.transitions[index]
        apart = sorted(houdini.apart.get(index, set()) & affected.keys())
        yield from self._case_by_case(houdini, index, apart, affected)
        affected = {number: then for number, then in affected.items() if number not in apart}
        if not affected:
            return
        needed = houdini.by_core(index, affected) if apart else needed
        solved = self._ask(houdini, transition, needed, affected, self.quick)
        if solved.status != "unknown":
            yield _told(list(affected), solved)
            return
        alone: dict[int, dict[int, Any]] = {}
        for number, then in affected.items():
            found = houdini.alone(index, then)
            by = needed if found is None else found
            alone[number] = {-1 - hint if isinstance(hint, bool) else hint.get_id(): hint for hint in by}
        rest = _halves(list(affected))
        while rest:
            part = rest.pop()
            hints = list(ChainMap(*(alone[number] for number in part)).values())
            how = self.quick if len(part) > 1 else self.settings
            solved = self._ask(houdini, transition, hints, {number: affected[number] for number in part}, how)
            if solved.status == "unknown" and len(part) > 1:
                rest += _halves(part)
            elif solved.status == "unknown":
                yield from self._case_by_case(houdini, index, part, affected, solved)
            else:
                yield _told(part, solved)

    def _case_by_case(
        self,
        houdini: Houdini,
        index: int,
        numbers: list[int],
        affected: dict[int, Any],
        unknown: Solved | None = None,
    ) -> Iterator[_Told]:
        """What the solvers say of some things that a transition keeps, taken apart by what it is about; where it is
        about nothing, what they said before."""
        rest = [numbers] if numbers else []
        while rest:
            part = rest.pop()
            found = self._each_case(houdini, index, part, affected) or unknown
            assert found is not None, "what was seen case by case has cases"
            if found.status == "unknown" and len(part) > 1:
                rest += _halves(part)
            else:
                yield _told(part, found)

    def _each_case(
        self, houdini: Houdini, index: int, part: list[int], affected: dict[int, Any]
    ) -> Solved | None:
        """What the solvers say of all of a part in each case, or in the first that is not as it should be; None where
        there are no cases."""
        transition, by = houdini.transitions[index], dict[str, None]()
        needed, found = houdini.by_core(index, part), None
        for number, case in enumerate(cases(self.made, transition)):
            lost = or_(*(not_(case.put(affected[i])) for i in part))
            name = f"induction, in {self.mode}, {transition.name}, case {number + 1}"
            comment = f"unsat means that {transition.name} keeps {len(part)} invariants in one case, in {self.mode}."
            asked = [*self.made.always, *case.conditions, *map(case.put, needed), lost]
            found = solve(asked, self.settings, name, comment + self._supposed, None, self.writer)
            by.update(dict.fromkeys(found.by))
            if found.status != "unsat":
                return found
        return None if found is None else replace(found, by=tuple(by))

    @property
    def quick(self) -> Settings:
        """How all that a transition keeps is asked at once."""
        limit, cvc5_limit = self.settings.rlimit // QUICK, self.settings.cvc5_rlimit // QUICK_CVC5
        return replace(self.settings, rlimit=limit, cvc5_rlimit=cvc5_limit)

    def _ask(
        self,
        houdini: Houdini,
        transition: Transition,
        needed: list[Any],
        after: dict[int, Any],
        settings: Settings,
    ) -> Solved:
        lost = or_(*(not_(then) for then in after.values()))
        name = f"induction, in {self.mode}, {transition.name}"
        comment = f"unsat means that {transition.name} keeps {len(after)} invariants, in {self.mode}."
        comment += self._supposed
        if settings.smt2 is not None:
            names = sorted(houdini.alive[number].named.name for number in after)
            comment += "\n".join(("", *(f"kept: {' '.join(name.split())}" for name in names)))
        # What of the system's own conditions matters would take longer to tell than the answer does.
        return solve([*self.made.always, *needed, lost], settings, name, comment, None, self.writer)


def _halves(part: list[int]) -> list[list[int]]:
    half = len(part) // 2
    return [part[half:], part[:half]] if half else [part]


def _broken(named: Named, failure: Failure) -> Broken:
    return Broken(
        named, failure.event, failure.actor, failure.before, failure.options, failure.values, failure.why
    )
