"""Mutants of what no rule reads, held against obligations in the states that transcripts lead to.

Such a mutant changes no verdict on any log, but theorems may read it: it is killed where one of them, which holds of
the ruleset itself wherever its transcripts lead, fails of the mutant. No solver is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from verifier.check.engine import Prepared
from verifier.check.options import stated_options
from verifier.core.program import Program
from verifier.mutate.asking import MOST_TRIED, Reading, general, refuted_before, supposed
from verifier.mutate.difference import changed
from verifier.mutate.record import Recorded
from verifier.prove.explore.evaluate import Asker
from verifier.prove.explore.settings import Settings
from verifier.prove.extent import scopes
from verifier.prove.question import Obligation, Question
from verifier.run.bench import effective_options
from verifier.run.state import State

MOST_STATES = 4_000
"""So many of the states that transcripts lead to are looked at;"""

MOST_PLACES = 80
"""in so many of these in which what it supposes holds an obligation is asked."""


@dataclass(frozen=True, slots=True)
class Place:
    """A state in which so many rows of a transcript leave a table; `lawful`: the transcript has no fault at all."""

    file: str
    rows: int
    state: State
    options: dict[str, object]
    lawful: bool

    @property
    def words(self) -> str:
        """Where it is, in words."""
        return f"after {self.rows} row{'' if self.rows == 1 else 's'} of {self.file}"


@dataclass(frozen=True, slots=True)
class Refuted:
    """An obligation that fails of a mutant, and where."""

    obligation: str
    where: str


@dataclass(slots=True)
class Refuting:
    """Everything that mutants are so held against."""

    ready: Prepared
    recorded: Sequence[Recorded]
    _asker: Asker = field(init=False)
    _reading: Reading = field(init=False)
    _every: tuple[Place, ...] | None = None
    _refuted: frozenset[str] = field(init=False)
    _places: dict[str, tuple[Place, ...]] = field(default_factory=dict)
    _holds: dict[str, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        program = self.ready.program
        self._asker = Asker(program, None, MOST_TRIED)
        self._reading = Reading(program)
        self._refuted = refuted_before(program.ruleset)

    def of(self, made: Program) -> Refuted | None:
        """What refutes a mutant that no transcript kills; None where nothing does, or where a rule reads what differs:
        that costs most to ask, and shows least."""
        found = changed(self.ready.program, made)
        if found is None or found.frame:
            return None
        names = found.functions | {name for name, _ in found.values}
        if not names or self._reading.rules("", names) != ("",):
            return None
        asked = [(o, q, reads) for o, q in _never(made) if (reads := self._reading.of(q)) & names]
        asker = Asker(made, None, MOST_TRIED)
        # The fewer things it reads the likelier it is about what is changed, and the faster it is asked.
        for obligation, question, _ in sorted(asked, key=lambda one: len(one[2])):
            if obligation.id in self._refuted:
                continue
            for place in self._where(obligation):
                if asker.find(question, place.state, place.options) is None:
                    continue
                if self._asker.find(question, place.state, place.options) is None and self._held(obligation):
                    return Refuted(obligation.id, place.words)
                break
        return None

    def _held(self, obligation: Obligation) -> bool:
        """Whether an obligation of the ruleset itself fails in none of those states, and it has one."""
        if obligation.id not in self._holds:
            question = next((q for o, q in _never(self.ready.program) if o.id == obligation.id), None)
            self._holds[obligation.id] = question is not None and not any(
                self._asker.find(question, place.state, place.options) is not None
                for place in self._where(obligation)
            )
        return self._holds[obligation.id]

    def _where(self, obligation: Obligation) -> tuple[Place, ...]:
        """Some of the states in which what an obligation of the ruleset supposes holds, from the first to the last."""
        if obligation.id not in self._places:
            where = supposed(self.ready.program, obligation)
            in_words = "words" in obligation.modes
            found = [
                place
                for place in self._everywhere()
                if (in_words or place.lawful)
                and (where is None or self._asker.find(where, place.state, place.options) is not None)
            ]
            self._places[obligation.id] = _spread(found, MOST_PLACES)
        return self._places[obligation.id]

    def _everywhere(self) -> tuple[Place, ...]:
        if self._every is None:
            self._every = _spread(tuple(self._states()), MOST_STATES)
        return self._every

    def _states(self) -> Iterator[Place]:
        """The states of transcripts, each once. No event of theirs reads an option that they leave open, or its state
        would not be known: under any value of it they lead there. Whether they are lawful under it is not known."""
        program = self.ready.program
        scope, rng = scopes(program)[0], Random(0)
        for recorded in self.recorded:
            case = recorded.case
            if not recorded.moments:
                continue
            _, stated = stated_options(program.ruleset, case.header, {}, case.path)
            options = effective_options(program, stated)
            lawful = not case.expected.faults and options.keys() == program.ruleset.options.keys()
            drawn = Settings(program, scope, rng, options).draw(1)
            seen: set[int] = set()
            for moment in recorded.moments if drawn else ():
                if id(moment.state) not in seen:
                    seen.add(id(moment.state))
                    yield Place(case.path, moment.rows, moment.state, drawn[0], lawful)


def _spread(found: Sequence[Place], most: int) -> tuple[Place, ...]:
    """At most so many of them, from the first to the last."""
    few = min(len(found), most)
    return tuple(found[i * len(found) // few] for i in range(few))


def _never(program: Program) -> Iterator[tuple[Obligation, Question]]:
    """What must be so nowhere, with the question whether it is."""
    for obligation in general(program):
        if obligation.wanted == "never" and obligation.question is not None:
            yield obligation, obligation.question
