"""The toll bridge with faults planted in it, plays of it, and a decider that says what a test wants it to say."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.load import load
from verifier.model.ruleset import Param
from verifier.model.types import BOOL
from verifier.prove.obligations import decisions
from verifier.prove.prove import Proof, prove
from verifier.prove.question import Answer, Decided, Never, Obligation, Play, Question, Sometimes, Unknown
from verifier.run.bench import Happening
from verifier.run.judge import Judge

BRIDGE = Path(__file__).parents[1] / "cli" / "bridge"

CLASH = ("toll(k) = 200 when k = cart", "toll(k) = 200 when k in {foot, cart}")
GAP = ("toll(k) = 200 when k = cart", "toll(k) = 200 when k = cart and raised")
LAPSED = ("unobservable", "structural")

NEVER = Never("typed", "2 Traveller", ("z3", "cvc5"))
INDUCED = Never("induction", "2 Traveller", ("z3", "cvc5"), ("never_two",))
UNKNOWN = Unknown("z3: max. resource limit exceeded")
CLASHING = Unknown("z3 says unsat, cvc5 says sat", True)


def written(folder: Path, *changes: tuple[str, str], more: str = "") -> Path:
    """The bridge's ruleset in `folder`, with texts replaced and lines added."""
    shutil.copytree(BRIDGE, folder / "own", dirs_exist_ok=True)
    path = folder / "own" / "bridge.rules"
    text = path.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path.write_text(f"{text}\n{more}\n" if more else text)
    return path


def toll(folder: Path, *changes: tuple[str, str], more: str = "") -> Program:
    """The same, lowered."""
    return lower(load(written(folder, *changes, more=more)))


def played(program: Program, *events: tuple[object, ...]) -> Play:
    """A play of (actor, event, values…), as the interpreter replays it."""
    judge = Judge(program, {})
    happenings = [Happening(str(event), str(actor), tuple(values)) for actor, event, *values in events]
    breaches = [tuple(rule for j in judge.step(h) for rule in j.rules) for h in happenings]
    return Play({}, tuple(happenings), tuple(breaches), judge.state)


def led_to(play: Play, **values: object) -> Sometimes:
    """That the play leads there."""
    return Sometimes(play.state, play.options, values, play, "plays of at most 9 events", ("interpreter",))


CROSSING = (("traveller", "arrive", "ann"), ("keeper", "charge", "ann", 0, 50), ("traveller", "cross", "ann"))
BREACH = (("keeper", "raise"), ("traveller", "arrive", "ann"), ("traveller", "cross", "ann"))


def clash(program: Program) -> Obligation:
    """That the two rules on the toll never clash."""
    (pair,) = decisions.pairs(program, "toll")
    return pair


def theorem(program: Program) -> Obligation:
    """That nobody is charged while the bridge is raised: about an event, and about what it leaves."""
    raised = m.Get(BOOL, "raised")
    charged = m.AfterT(BOOL, m.Get(BOOL, "charged"))
    return Obligation(
        "theorem dry",
        "theorem",
        "nobody is charged | while the bridge is `raised`",
        (),
        question=Question((), m.AndT(BOOL, (raised, charged)), "charge"),
        about=("supposed: raised",),
    )


def dead(rule: str = "1.2") -> Obligation:
    """That a rule can apply."""
    raised = m.Get(BOOL, "raised")
    return Obligation(
        f"dead rule {rule}",
        "dead rule",
        f"{rule} applies somewhere",
        (rule,),
        "sometimes",
        Question((), raised),
    )


def dangling(told: str | None = "bridge has no 9, which 1.2 refers to") -> Obligation:
    return Obligation(
        'reference 1.2 "rule 9"', "reference", 'what 1.2 calls "rule 9" is there', ("1.2",), told=told
    )


def param(program: Program) -> Param:
    return program.decisions["toll"].params[0]


@dataclass(slots=True)
class Fake:
    """Says of each obligation, by its id, what it is told to: at first, or only after it was got ready."""

    answers: Mapping[str, tuple[Answer | None, Answer | None]] = field(default_factory=dict)
    later: Mapping[str, tuple[Answer | None, Answer | None]] = field(default_factory=dict)
    split: Mapping[str, tuple[Obligation, ...]] = field(default_factory=dict)
    regions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    dies: str = ""
    fails: Mapping[str, Exception] = field(default_factory=dict)
    ready: bool = False
    asked: int = 0

    def parts(self, obligation: Obligation) -> tuple[Obligation, ...]:
        return self.split.get(obligation.id, ())

    def begin(self, obligations: Sequence[Obligation], note: Callable[[str], None]) -> None:
        note("looking around")

    def narrow(self, parts: Sequence[Obligation]) -> tuple[tuple[Obligation, ...], Answer]:
        return tuple(parts[1:]), NEVER

    def first(self, obligation: Obligation) -> Decided | None:
        self.asked += 1
        if obligation.id == self.dies:
            os._exit(9)
        if obligation.id in self.fails:
            raise self.fails[obligation.id]
        if obligation.id in self.later:
            return None
        return Decided(obligation, *self.answers.get(obligation.id, (NEVER, NEVER)))

    def prepare(self, note: Callable[[str], None]) -> None:
        note("playing")
        self.ready = True
        self.asked += 3

    def rest(self, obligation: Obligation) -> Decided:
        assert self.ready
        self.asked += 1
        return Decided(obligation, *self.later[obligation.id])

    def again(self, decided: Decided, plays: Sequence[Play]) -> Decided:
        return decided

    def region(self, decided: Decided) -> tuple[str, ...]:
        return self.regions.get(decided.obligation.id, ())

    def close(self) -> None:
        """Nothing runs beside it."""

    def counts(self) -> tuple[int, int]:
        return self.asked, 0


def of_each_kind(program: Program) -> tuple[list[Obligation], Fake]:
    """One obligation for each way in which one can come out, of a bridge with a clash."""
    pair = clash(program)
    obligations = [
        *decisions.gaps(program, program.decisions["toll"]),
        pair,
        dead(),
        dead("1.1"),
        dangling(),
        theorem(program),
    ]
    in_words = led_to(played(program, *BREACH), k=0)
    charge = led_to(
        played(program, ("keeper", "raise"), ("traveller", "arrive", "ann")),
        **{"@traveller": "ann", "@kind": 0, "@amount": 50},
    )
    answers = {"dead rule 1.2": (led_to(played(program, *CROSSING)), None), "dead rule 1.1": (NEVER, None)}
    later = {pair.id: (in_words, INDUCED), "theorem dry": (charge, charge), "gap toll": (UNKNOWN, UNKNOWN)}
    return obligations, Fake(answers, later, regions={pair.id: ("k = foot",)})


def proof_of_each_kind(program: Program, jobs: int = 1) -> Proof:
    """The proof of those."""
    obligations, fake = of_each_kind(program)
    return prove(program, obligations, fake, jobs=jobs)
