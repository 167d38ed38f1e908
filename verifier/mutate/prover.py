"""The prover for mutants that no transcript kills: what Z3, cvc5 and play can tell of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import metadata

from verifier.check.engine import Prepared
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.terms import Term, children
from verifier.mutate.difference import changed
from verifier.mutate.record import Recorded
from verifier.mutate.sameness import same
from verifier.mutate.trial import Prover
from verifier.mutate.witness import Witnesses
from verifier.prove.clauses import closed
from verifier.prove.conjectures import conjectures
from verifier.prove.desk import Desk
from verifier.prove.everywhere import typed
from verifier.prove.lasting import lasting
from verifier.prove.obligations import decisions, theorems
from verifier.prove.question import Never, Obligation, Sometimes
from verifier.prove.solve import Settings
from verifier.prove.typed import Typed
from verifier.version import VERSION

STEPS = 3_000
"""So many events are played for rounds to try mutants by."""

MOST_GUESSED = 300
"""So many conditions are guessed, at most, that may hold in every state."""


def prover(ready: Prepared, settings: Settings, witnesses: bool = True) -> Prover:
    """A prover for mutants of a ruleset; without `witnesses` no rounds are looked for, which takes longest."""
    desk = Desk(ready.program, settings, steps=STEPS)
    kept = Obligations(desk)
    looked = Witnesses(ready, desk)
    found = Lasting(desk)

    def prepare(transcripts: Sequence[Recorded]) -> None:
        kept.prepare()
        found.prepare()
        if witnesses:
            looked.prepare(transcripts)

    return Prover(
        key(settings, witnesses),
        kept.told,
        lambda original, mutant: same(desk, mutant, found.terms),
        looked.of if witnesses else None,
        prepare,
    )


def key(settings: Settings, witnesses: bool) -> str:
    """What answers hang on beside the code: which solvers, of which versions, and whether rounds were looked for."""
    packages = {"z3": "z3-solver", "cvc5": "cvc5"}
    used = [f"{name} {metadata.version(packages[name])}" for name in settings.solvers]
    return " and ".join(used) + (" and play" if witnesses else "") + f" ({VERSION})"


@dataclass(slots=True)
class Lasting:
    """What holds of the original in every state that events lead to, of whatever size, as conditions without variables:
    of what is worth trying of any program, and what is guessed of the states that play has seen."""

    desk: Desk
    terms: tuple[Term, ...] = ()

    def prepare(self) -> None:
        """Guess, and prove."""
        program = self.desk.program
        seen = [node.state for node in self.desk.explorer.corpus.of("words")]
        guesses = (guess.clause for guess in conjectures(program, "words", seen, MOST_GUESSED))
        self.terms = tuple(map(closed, lasting(self.desk.typed(0), guesses)))


@dataclass(slots=True)
class Obligations:
    """What is proved of the original in every state that the types allow: that no decision has a gap or a clash, and
    the theorems beside the ruleset. A mutant of which one of them is refuted would turn a proof red."""

    desk: Desk
    _kept: dict[str, frozenset[str]] = field(default_factory=dict)

    def prepare(self) -> None:
        """Prove them of the original; what reads no rule's own function is left out."""
        for obligation in obligations(self.desk.program):
            if isinstance(typed(self.desk, obligation, upto=1), Never):
                assert obligation.question is not None
                self._kept[obligation.id] = read(self.desk.program, obligation.question.condition)

    def told(self, mutant: Program) -> str | None:
        """Which of them is refuted of a mutant; None where none is."""
        found = changed(self.desk.program, mutant)
        if found is None or found.frame:
            return None
        names = found.functions | {name for name, _ in found.values}
        at_issue = {name for name, reads in self._kept.items() if reads & names}
        if not at_issue:
            return None
        typed = Typed(mutant, self.desk.scopes[0], self.desk.settings)
        for obligation in obligations(mutant):
            if obligation.id in at_issue and obligation.question is not None:
                answer = typed.ask(obligation.question, (), obligation.id, obligation.claim, "sometimes")
                if isinstance(answer, Sometimes):
                    return f"{obligation.id}, which is proved of the original, is refuted of it"
        return None


def obligations(program: Program) -> Iterator[Obligation]:
    """Those that ask one question over every state."""
    for module in (decisions, theorems):
        for obligation in module.obligations(program):
            if obligation.wanted == "never" and obligation.question is not None:
                yield obligation


def read(program: Program, term: Term) -> frozenset[str]:
    """The functions and decisions that a term reads, through those that it calls."""
    found: set[str] = set()
    rest = [term]
    while rest:
        inner = rest.pop()
        rest += children(inner)
        match inner:
            case m.CallF(function=name) if name not in found:
                found.add(name)
                rest.append(program.functions[name].body)
            case m.Decide(decision=name) if name not in found:
                found.add(name)
                for case in program.decisions[name].cases:
                    found.add(case.applies)
                    rest += [program.functions[case.applies].body, case.value]
            case _:
                pass
    return frozenset(found)
