"""States in which a mutant answers as the original does, so that what is asked there need not be asked again.

A question reads functions and decisions. Where those that differ give what they gave of the original, at all arguments
for which the original was asked, nothing that is asked next can differ, and so the question comes out as before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from verifier.core.program import Program
from verifier.mutate.difference import Changed
from verifier.mutate.played import At
from verifier.prove.explore.evaluate import Asker
from verifier.prove.question import Question
from verifier.run.machine import Machine
from verifier.run.undefined import Undefined

MOST_KEPT = 8_000_000
"""So many answers of the original are kept, of all states together, before they are forgotten: at some 150 bytes each,
a gigabyte and a fifth. Fewer would be asked for anew by every mutant of what much is made of."""

Memo = dict[tuple[object, ...], object]


@dataclass(slots=True)
class Moment:
    """What the original answered in one state, by function and arguments; the questions that asked for it, and which
    of them came out true, or were given up before all bindings of their variables had been tried."""

    memo: Memo = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    true: set[str] = field(default_factory=set)
    spent: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Answers:
    """What functions and decisions of the original answer where its questions, by id, are asked."""

    program: Program
    questions: dict[str, Question]
    most: int
    _asker: Asker = field(init=False)
    _moments: dict[At, Moment] = field(default_factory=dict)
    _kept: int = 0

    def __post_init__(self) -> None:
        self._asker = Asker(self.program, None, self.most)

    def at(self, at: At, ids: Iterable[str]) -> Moment:
        """The answers in a state, once the questions with these ids have been asked there."""
        moment = self._moments.get(at)
        if moment is None:
            if self._kept > MOST_KEPT:
                self._moments.clear()
                self._kept = 0
            moment = self._moments[at] = Moment()
        missing = [name for name in ids if name not in moment.asked]
        if missing:
            before = len(moment.memo)
            self._asker.enter(at.state, at.line.options)
            self._asker.machine.memo = moment.memo
            for name in missing:
                question = self.questions[name]
                if self._asker.find(question, at.state, at.line.options) is not None:
                    moment.true.add(name)
                if self._asker.gave_up:
                    moment.spent.add(name)
                moment.asked.add(name)
            self._kept += len(moment.memo) - before
        return moment


@dataclass(slots=True)
class Alike:
    """One mutant beside the original: `found` is what differs."""

    answers: Answers
    machine: Machine
    found: Changed

    def same(self, name: str, question: Question) -> bool:
        """Whether a question of the mutant is the original's of that id, and of states alone."""
        return question.event is None and self.answers.questions.get(name) == question

    def everywhere(self, at: At, ids: Iterable[str]) -> bool:
        """Whether the mutant answers these questions in a state as the original does."""
        wanted = tuple(ids)
        moment = self.answers.at(at, wanted)
        if not moment.spent.isdisjoint(wanted):
            return False
        memo = moment.memo
        mine = list(self._mine(memo))
        if not mine:
            return True
        machine = self.machine
        machine.options = dict(at.line.options)
        machine.enter(at.state)
        # What else was answered stands, unless a function that differs answers otherwise: then it is told here.
        machine.memo = dict(memo)
        for key in mine:
            del machine.memo[key]
        try:
            return all(_answer(machine, key) == _told(memo[key]) for key in mine)
        finally:
            machine.enter(at.state)

    def _mine(self, memo: Memo) -> Iterator[tuple[Any, ...]]:
        """What the original was asked for of what differs."""
        decisions = {name for name, _ in self.found.values}
        for key in memo:
            if len(key) == 3:
                if key[0] == "decide" and key[1] in decisions:
                    yield key
            elif key[0] in self.found.functions:
                yield key


def _answer(machine: Machine, key: tuple[Any, ...]) -> object:
    try:
        return machine.decide(key[1], key[2]) if len(key) == 3 else machine.function(key[0], key[1])
    except Undefined as undefined:
        return undefined.reasons


def _told(answer: object) -> object:
    return answer.reasons if isinstance(answer, Undefined) else answer
