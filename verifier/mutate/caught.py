"""A mutant held against the obligations: which of them come out otherwise than of the original.

A catch is a verdict. What must never be so is so after a play, whose events were played again under the mutant; what
must be so somewhere is nowhere, by every solver, in a state of whatever size. Whatever is settled by neither is not
caught, and so is what is refuted of the original already.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from verifier.core.program import Program
from verifier.errors import RuleTextError
from verifier.mutate.alike import Alike, Answers
from verifier.mutate.asking import (
    ASKED,
    MOST_TRIED,
    Reading,
    barred,
    clashing,
    differing,
    general,
    refuted_before,
    single,
    supposed,
)
from verifier.mutate.difference import changed
from verifier.mutate.mutant import Mutant
from verifier.mutate.played import At, Line, Lines
from verifier.mutate.workshop import Workshop
from verifier.prove.explore.evaluate import Asker
from verifier.prove.explore.settings import Required
from verifier.prove.explore.snapshot import Runner
from verifier.prove.extent import scopes
from verifier.prove.obligations import norms
from verifier.prove.question import Kind, Obligation, Question
from verifier.prove.solve import SOLVERS, Settings
from verifier.prove.typed import Typed

SETTINGS = Settings(SOLVERS, rlimit=1_000_000, cvc5_rlimit=50_000)
"""What solvers may spend on one question: few mutants need more, and there are thousands of them."""

FEW_TRIED = 60
"""So many where solvers tell sooner."""

SINGLE = 6
"""In so many states it is looked whether a rule applies and matters, before solvers are asked."""

SUPPOSED = 8
"""In so many states in which an obligation's suppositions hold it is asked;"""

SUPPOSED_ANYWHERE = 400
"""and in so many where no play is about what is changed."""

NEWLY = 4
"""So many plays that break the changed rule are tried for what they do when it says otherwise."""

Outcome = Literal["caught", "not caught", "refused"]


@dataclass(frozen=True, slots=True)
class Catch:
    """An obligation whose verdict is another for the mutant, and what shows it, in words."""

    obligation: str
    kind: Kind
    shown: str


@dataclass(frozen=True, slots=True)
class Caught:
    """What came of a mutant. `asked` are the ids of the obligations asked, by kind; `open` those that could not be
    settled; `why` says why nothing caught it, or why it was refused."""

    mutant: Mutant
    outcome: Outcome
    catches: tuple[Catch, ...] = ()
    asked: tuple[tuple[Kind, int], ...] = ()
    open: tuple[str, ...] = ()
    why: str = ""


@dataclass(slots=True)
class Original:
    """The ruleset as it stands: what it reads, what is refuted of it, and where its obligations may fail."""

    program: Program
    lines: Lines
    settings: Settings = SETTINGS
    reading: Reading = field(init=False)
    reads: dict[str, frozenset[str]] = field(default_factory=dict)
    places: dict[str, tuple[At, ...]] = field(default_factory=dict)
    refuted: set[str] = field(default_factory=set)
    told: set[str] = field(default_factory=set)
    typed: Typed = field(init=False)
    asker: Asker = field(init=False)
    answers: Answers = field(init=False)
    _nowhere: dict[str, bool] = field(default_factory=dict)
    _wide: dict[str, tuple[At, ...]] = field(default_factory=dict)
    _held: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.reading = Reading(self.program)
        self.typed = Typed(self.program, scopes(self.program)[0], self.settings)
        self.asker = Asker(self.program, None, MOST_TRIED)
        self.refuted |= refuted_before(self.program.ruleset)
        self.answers = Answers(
            self.program,
            {o.id: o.question for o in general(self.program) if o.question is not None},
            MOST_TRIED,
        )
        everywhere = tuple(self.lines.everywhere())
        for obligation in general(self.program):
            if obligation.told is not None:
                self.told.add(obligation.id)
            if obligation.question is None:
                continue
            self.reads[obligation.id] = self.reading.of(obligation.question)
            if (where := supposed(self.program, obligation)) is not None:
                self.places[obligation.id] = _spread(
                    [at for at in everywhere if self._is_told(at.line) and so(self.asker, where, at)]
                )
        wanting_never = [o for o in general(self.program) if o.wanted == "never" and o.question is not None]
        for obligation in wanting_never:
            assert obligation.question is not None
            if "words" in obligation.modes and any(
                so(self.asker, obligation.question, at) for at in self.places.get(obligation.id, ())
            ):
                self.refuted.add(obligation.id)

    def every_place(self, obligation: Obligation) -> tuple[At, ...]:
        """States of all plays in which an obligation's suppositions, if it has any, hold; many more than in `places`:
        where no play is about what a mutant changes (no rule reads it) any may have what it takes."""
        if not self._wide:
            self._wide |= self._places_of(o for o in general(self.program) if o.question is not None)
        if obligation.id not in self._wide:
            self._wide |= self._places_of((obligation,))
        return self._wide[obligation.id]

    def _is_told(self, line: Line) -> bool:
        """Whether a play says under which options it is, if there are any."""
        return bool(line.options) or not self.program.ruleset.options

    def _places_of(self, obligations: Iterable[Obligation]) -> dict[str, tuple[At, ...]]:
        """Those of several obligations, asked state by state, for the interpreter keeps what it works out of one."""
        every = [
            At(line, n + 1)
            for line in self.lines.lines
            if self._is_told(line)
            for n in range(len(line.states))
        ]
        wheres = {o.id: supposed(self.program, o) for o in obligations}
        found: dict[str, list[At]] = {name: [] for name in wheres}
        for at in every:
            for name, where in wheres.items():
                if where is None or so(self.asker, where, at):
                    found[name].append(at)
        return {name: _spread(places, SUPPOSED_ANYWHERE) for name, places in found.items()}

    def nowhere(self, obligation: Obligation) -> bool:
        """Whether what must be so somewhere is so nowhere, of the original too."""
        if obligation.id not in self._nowhere:
            assert obligation.question is not None
            self._nowhere[obligation.id] = self.typed.anywhere(obligation.question, likely=True) is not None
        return self._nowhere[obligation.id]

    def fails(self, obligation: Obligation) -> bool:
        """Whether what must never be so in lawful play is so after a lawful play of the original. What is found is
        refuted from then on."""
        if obligation.id in self.refuted:
            return True
        if obligation.id not in self._held:
            question = obligation.question
            assert question is not None
            every = (At(line, n + 1) for line in self.lines.lines for n in range(len(line.states)))
            if any(at.lawful and so(self.asker, question, at) for at in every):
                self.refuted.add(obligation.id)
                return True
            self._held.add(obligation.id)
        return False


def _spread(found: Sequence[At], most: int = SUPPOSED) -> tuple[At, ...]:
    """Some of them, from the first to the last."""
    if len(found) <= most:
        return tuple(found)
    return tuple(found[index * len(found) // most] for index in range(most))


def so(asker: Asker, question: Question, at: At) -> bool:
    """Whether a question is true in a state."""
    return asker.find(question, at.state, at.line.options) is not None


def whole_of(pair: Obligation) -> str:
    """The obligation in whose place that of two rules stands."""
    return " ".join(pair.id.split(" ")[:2])


# --------------------------------------------------------------------------------------------------- one mutant
@dataclass(slots=True)
class Catcher:
    """Everything that mutants are held against."""

    workshop: Workshop
    original: Original

    def of(self, mutant: Mutant) -> Caught:
        """Hold one mutant against the obligations."""
        try:
            made = self.workshop.made(mutant).program
        except RuleTextError as error:
            return Caught(mutant, "refused", why=f"{error.problem.code}: {error.problem.message}")
        return _Held(self.original, mutant, made).caught()


@dataclass(slots=True)
class _Held:
    """One mutant, as it is asked about."""

    original: Original
    mutant: Mutant
    program: Program
    names: frozenset[str] | None = field(init=False)
    about: tuple[str, ...] = field(init=False)
    near: tuple[At, ...] = field(init=False)
    asker: Asker = field(init=False)
    alike: Alike | None = field(init=False)
    catches: dict[str, Catch] = field(default_factory=dict)
    asked: dict[str, Kind] = field(default_factory=dict)
    open: list[str] = field(default_factory=list)
    _runner: Runner | None = None
    _typed: Typed | None = None

    def __post_init__(self) -> None:
        found = changed(self.original.program, self.program)
        self.names = differing(found)
        self.about = self.original.reading.rules(self.mutant.rule, self.names or ())
        near = self.original.lines.states_near(self.about)
        if found is None or found.options or found.head:
            allowed = _Allowed(self.program)
            near = tuple(at for at in near if allowed(at))
        self.near = near
        self.asker = Asker(self.program, None, MOST_TRIED)
        self.alike = None if found is None else Alike(self.original.answers, self.asker.machine, found)

    def caught(self) -> Caught:
        self._general()
        self._newly_lawful()
        if not self.catches:
            self._barred()
            self._single()
        counts: dict[Kind, int] = {}
        for kind in self.asked.values():
            counts[kind] = counts.get(kind, 0) + 1
        asked = tuple(counts.items())
        if self.catches:
            return Caught(self.mutant, "caught", tuple(self.catches.values()), asked, tuple(self.open))
        return Caught(self.mutant, "not caught", (), asked, tuple(self.open), self._why(counts))

    def _why(self, counts: dict[Kind, int]) -> str:
        """Why nothing catches it: what was asked, and what of that nobody could tell."""
        told = ", ".join(f"{counts[kind]} {kind}" for kind in ASKED if kind in counts)
        why = f"nothing that was asked is refuted: {told}" if told else "nothing that is asked reads it"
        return f"{why}; undecided of these: {len(self.open)}" if self.open else why

    # ------------------------------------------------------------------------------------ what must never be so
    def _general(self) -> None:
        never: list[Obligation] = []
        for obligation in general(self.program):
            if obligation.question is None:
                if obligation.told is not None and obligation.id not in self.original.told:
                    self._catch(obligation, obligation.told)
                continue
            seen = obligation.wanted == "never" or self.original.places.get(obligation.id)
            if not seen or not self._reads(obligation):
                continue
            if obligation.wanted == "never":
                never.append(obligation)
            else:
                self._ask(obligation)
                self._somewhere(obligation)
        self._never(never)

    def _reads(self, obligation: Obligation) -> bool:
        """Whether an obligation reads what differs; one that the original lacks does."""
        reads = self.original.reads.get(obligation.id)
        return reads is None or self.names is None or bool(reads & self.names)

    def _never(self, wanted: Sequence[Obligation]) -> None:
        """Look for plays after which what must never be so is so: state by state, for the interpreter keeps what it
        works out of one."""
        pairs: dict[str, list[Obligation]] = {}
        self.original.answers.questions.update(
            {
                pair.id: pair.question
                for pair in clashing(self.original.program, self.about)
                if pair.question is not None
            }
        )
        for pair in clashing(self.program, self.about):
            pairs.setdefault(whole_of(pair), []).append(pair)
        states: dict[At, dict[str, Obligation]] = {}
        for obligation in wanted:
            self._ask(obligation)
            places = self.original.places.get(obligation.id, ())
            if not self.near:
                places = self.original.every_place(obligation)
            for at in (*self.near, *places):
                if at.lawful or "words" in obligation.modes:
                    states.setdefault(at, {})[obligation.id] = obligation
        for several in pairs.values():
            for pair in several:
                self._ask(pair)
        for at, obligations in states.items():
            for obligation in self._otherwise(at, obligations, pairs):
                beside = pairs.get(obligation.id)
                open_ = [o for o in beside or (obligation,) if self._is_open(o)]
                assert obligation.question is not None
                if not open_ or not so(self.asker, obligation.question, at):
                    continue
                for one in open_:
                    if self._counts(one, at):
                        self._catch(one, f"after {at.words}")

    def _otherwise(
        self, at: At, wanted: Mapping[str, Obligation], pairs: Mapping[str, Sequence[Obligation]]
    ) -> Sequence[Obligation]:
        """Of the obligations wanted those that may come out otherwise in a state than of the original. That of all
        pairs of rules may stay true while another pair clashes: then these are asked about."""
        every = tuple(wanted.values())
        if self.alike is None:
            return every
        same = {o.id for o in every if self._is_same(o)}
        true = self.original.answers.at(at, same).true
        for whole in sorted(true & same & pairs.keys()):
            if all(map(self._is_same, pairs[whole])):
                same |= {pair.id for pair in pairs[whole]}
            else:
                same.remove(whole)
        if same and self.alike.everywhere(at, same):
            return tuple(o for o in every if o.id not in same)
        return every

    def _is_same(self, obligation: Obligation) -> bool:
        assert self.alike is not None
        assert obligation.question is not None
        return self.alike.same(obligation.id, obligation.question)

    def _is_open(self, obligation: Obligation) -> bool:
        """Whether it is neither caught already nor refuted of the original."""
        return obligation.id not in self.catches and obligation.id not in self.original.refuted

    def _counts(self, obligation: Obligation, at: At) -> bool:
        """Whether a state where an obligation fails counts: the events lead there under the mutant, lawfully where
        that is asked for, and the original did not fail there."""
        question = obligation.question
        assert question is not None
        lawful = "words" not in obligation.modes
        if not so(self.asker, question, at):
            return False
        if not lawful and so(self.original.asker, question, at):
            return False
        state = self._played(at, lawful)
        if state is None or not so(self.asker, question, state):
            return False
        return not (lawful and self.original.fails(obligation))

    def _played(self, at: At, lawful: bool) -> At | None:
        """The state as the events, played under the mutant, lead to it; None where they do not, or break a rule."""
        runner = self._runner = self._runner or Runner(self.program)
        snapshot = runner.empty
        states = []
        for happening in at.line.happenings[: at.count]:
            stepped = runner.step(snapshot, at.line.options, happening)
            if stepped is None or (lawful and stepped.breaches):
                return None
            snapshot = stepped.snapshot
            states.append(snapshot.state)
        return At(replace(at.line, states=tuple(states)), at.count)

    def _barred(self) -> None:
        """A duty against prohibitions is so where it is barred at one of the moments that count."""
        for obligation in barred(self.program, self.about):
            self._ask(obligation)
            if not self._is_open(obligation) or obligation.question is None:
                continue
            lawful = [at for at in self.near if at.lawful and so(self.asker, obligation.question, at)]
            moments = norms.parts(self.program, obligation) if lawful else ()
            for moment in moments or (obligation,):
                found = next((at for at in lawful if self._counts(moment, at)), None)
                if found is not None:
                    self._catch(obligation, f"after {found.words}")
                    break

    # --------------------------------------------------------------------------------------- what is lawful now
    def _newly_lawful(self) -> None:
        """What must hold of lawful play may fail where the mutant forbids less."""
        lines = [
            line for line in self.original.lines.near(self.mutant.rule) if self.mutant.rule in line.breaks
        ]
        wanted = [
            o
            for o in general(self.program)
            if o.kind == "invariant" and o.id not in self.original.refuted and o.id not in self.catches
        ]
        for line in lines[:NEWLY]:
            first = next((n for n, rules in enumerate(line.broken) if rules), None)
            if first is None:
                continue
            runner = self._runner = self._runner or Runner(self.program)
            snapshot = runner.empty
            for number, happening in enumerate(line.happenings):
                stepped = runner.step(snapshot, line.options, happening)
                if stepped is None or stepped.breaches:
                    break
                snapshot = stepped.snapshot
                if number < first:
                    continue
                for obligation in wanted:
                    assert obligation.question is not None
                    self._ask(obligation)
                    at = snapshot.state, line.options
                    if obligation.id in self.catches or self.asker.find(obligation.question, *at) is None:
                        continue
                    if not self.original.fails(obligation):
                        self._catch(obligation, f"after {At(line, number + 1).words}, lawful now")

    # ------------------------------------------------------------------------------------ what must be somewhere
    def _single(self) -> None:
        for resting in single(self.program, self.mutant, self.about):
            obligation = resting.obligation
            if any(on in self.catches for on in resting.on):
                continue
            self._ask(obligation)
            self._somewhere(obligation)

    def _somewhere(self, obligation: Obligation) -> None:
        assert obligation.question is not None
        if self._seen(self.asker, obligation):
            return
        self._typed = self._typed or Typed(self.program, scopes(self.program)[0], self.original.settings)
        never = self._typed.anywhere(obligation.question, likely=True)
        if never is None:
            self.open.append(obligation.id)
        elif self._was_somewhere(obligation):
            self._catch(obligation, f"nowhere: {', '.join(never.by)}, {never.scope}")

    def _was_somewhere(self, obligation: Obligation) -> bool:
        """Whether the original's obligation of that name, if it has one, is not refuted as well."""
        others = (
            o
            for o in (
                *general(self.original.program),
                *(r.obligation for r in single(self.original.program, self.mutant, self.about)),
            )
            if o.id == obligation.id and o.question is not None
        )
        other = next(others, None)
        return other is None or self._seen(self.original.asker, other) or not self.original.nowhere(other)

    def _seen(self, asker: Asker, obligation: Obligation) -> bool:
        """Whether it is so in one of a few states."""
        states = (*self.original.places.get(obligation.id, ()), *self.near[:SINGLE])
        question = obligation.question
        assert question is not None
        return any(asker.find(question, at.state, at.line.options, FEW_TRIED) is not None for at in states)

    # -------------------------------------------------------------------------------------------------- others
    def _catch(self, obligation: Obligation, shown: str) -> None:
        self._ask(obligation)
        self.catches[obligation.id] = Catch(obligation.id, obligation.kind, shown)

    def _ask(self, obligation: Obligation) -> None:
        self.asked[obligation.id] = obligation.kind


class _Allowed:
    """Which states are of tables under options that a mutant has."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.required = Required(program)

    def __call__(self, at: At) -> bool:
        options = self.program.ruleset.options
        return (
            options.keys() == at.line.options.keys()
            and all(
                option.values is None or at.line.options[name] in option.values
                for name, option in options.items()
            )
            and self.required(at.line.options)
        )
