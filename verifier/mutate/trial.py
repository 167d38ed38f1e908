"""One mutant tried: by transcripts, the likeliest first, then by obligations where they lead, then by a prover, where
there is one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from verifier.check.engine import Prepared
from verifier.core.program import Program
from verifier.errors import LogError, RequestError, RuleTextError
from verifier.mutate.bench import Bench
from verifier.mutate.difference import changed, infected
from verifier.mutate.mutant import Mutant, Verdict
from verifier.mutate.record import Recorded
from verifier.mutate.refuting import Refuting
from verifier.mutate.workshop import Workshop
from verifier.run.judge import Judge
from verifier.transcripts.case import Case

Prove = Callable[[Program], str | None]
"""Which obligation, theorem or finding tells a mutant's program from the original's; None where none does."""

Same = Callable[[Program, Program], str | None]
"""How it is proved that the original (first) and a mutant are judged alike in every reachable state; None where not."""

Witness = Callable[[Mutant, Prepared], str | None]
"""The text of a transcript that the original fulfils and the mutant does not; None where none was found."""


@dataclass(frozen=True, slots=True)
class Prover:
    """What a prover does for mutants that no transcript kills: whether one is proved to change nothing; else which
    proof tells it from the original; else a round that would. `key` tells version and settings: answers are kept
    under it. `prepare` is called once with the transcripts, where anything is to be asked."""

    key: str
    prove: Prove | None = None
    same: Same | None = None
    witness: Witness | None = None
    prepare: Callable[[Sequence[Recorded]], None] = lambda transcripts: None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a mutant. `by` is the transcript, the obligation, the proof or the loader's code; `detail` says in
    words what differed, or where it failed, `witness` is the text of a transcript that would kill it, empty where
    there is none. `tried` counts the transcripts that were run for it."""

    mutant: Mutant
    verdict: Verdict
    by: str = ""
    detail: str = ""
    witness: str = ""
    tried: int = field(default=0, compare=False)
    seconds: float = field(default=0.0, compare=False)


@dataclass(slots=True)
class Order:
    """Transcripts in the order in which a mutant is tried by them: the likeliest to notice it first, and of those the
    shortest."""

    cases: Sequence[Case]
    _known: dict[tuple[str, str | None], tuple[Case, ...]] = field(default_factory=dict)

    def of(self, mutant: Mutant) -> tuple[Case, ...]:
        """The transcripts for one mutant."""
        about = mutant.rule, mutant.clause
        if about not in self._known:
            key = partial(_distance, mutant)
            shortest = sorted(self.cases, key=lambda case: (len(case.rows), case.path, case.digest))
            self._known[about] = tuple(sorted(shortest, key=key))
        return self._known[about]


@dataclass(slots=True)
class Trial:
    """Everything that mutants are tried by."""

    workshop: Workshop
    recorded: Sequence[Recorded]
    prover: Prover | None = None
    _refuting: Refuting = field(init=False)
    _order: Order = field(init=False)
    _of: dict[int, Recorded] = field(init=False)

    def __post_init__(self) -> None:
        self._refuting = Refuting(self.workshop.original, self.recorded)
        self._order = Order([one.case for one in self.recorded])
        self._of = {id(one.case): one for one in self.recorded}

    def of(self, mutant: Mutant) -> Outcome:
        """Try one mutant."""
        try:
            made = self.workshop.made(mutant)
        except RuleTextError as error:
            return Outcome(mutant, "refused", error.problem.code, error.problem.message)
        tried = 0
        bench = Bench(made)
        found = changed(self.workshop.original.program, made.program)
        machine = Judge(made.program, {}).machine if found is not None else None
        for recorded in (self._of[id(case)] for case in self._order.of(mutant)):
            if found is not None and machine is not None and not infected(recorded, machine, found, bench):
                continue
            tried += 1
            words = _unlike(recorded, bench, made)
            if words:
                return Outcome(mutant, "killed", recorded.case.path, words[0], tried=tried)
        refuted = self._refuting.of(made.program)
        if refuted is not None:
            return Outcome(mutant, "refuted", refuted.obligation, f"it fails {refuted.where}", tried=tried)
        return self._proved(mutant, made, tried)

    def _proved(self, mutant: Mutant, made: Prepared, tried: int) -> Outcome:
        prover = self.prover
        if prover is None:
            return Outcome(mutant, "survived", tried=tried)
        if prover.same is not None:
            by = prover.same(self.workshop.original.program, made.program)
            if by is not None:
                return Outcome(mutant, "equivalent", by, tried=tried)
        if prover.prove is not None:
            by = prover.prove(made.program)
            if by is not None:
                return Outcome(mutant, "proved", by, tried=tried)
        witness = None if prover.witness is None else prover.witness(mutant, made)
        return Outcome(mutant, "survived", witness=witness or "", tried=tried)


def _unlike(recorded: Recorded, bench: Bench, made: Prepared) -> list[str]:
    """In words, how a transcript differs under the mutant from what it expects."""
    case = recorded.case
    try:
        same = all(mine == its for mine, its in zip(recorded.seen, bench.seen(case), strict=True))
        if same:
            return []
        bench.lend()
        return case.unlike(made)
    except (LogError, RequestError) as error:
        return [f"the transcript is refused: {error.problem.message}"]


def _distance(mutant: Mutant, case: Case) -> int:
    """How far a transcript is from the rule: it expects a breach of it, keeps it, is about its clause or section."""
    expected = case.expected
    if mutant.rule in expected.broken:
        return 0
    if mutant.rule in expected.cited:
        return 1
    clause = mutant.clause
    if clause is None:
        return 2
    near = {rule.partition(" [")[0].partition("(")[0] for rule in expected.cited}
    return 2 if clause.partition("(")[0] in near or case.about.startswith(clause) else 3
