"""What answering needs, made when it is first wanted and kept: encodings by scope, invariants, plays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, takewhile

from verifier.core.program import Program
from verifier.prove import company
from verifier.prove.conjectures import MOST, found_again
from verifier.prove.counted import Counted, counted
from verifier.prove.effects import Effects
from verifier.prove.explore.corpus import Node
from verifier.prove.explore.evaluate import Asker
from verifier.prove.explore.exhaust import within
from verifier.prove.explore.explorer import Explorer
from verifier.prove.extent import scopes, small
from verifier.prove.found import Hint
from verifier.prove.induct import Named, Proven, invariants
from verifier.prove.known import Known
from verifier.prove.loosened import MOST_RULES, frontier, hindrances, less, opening
from verifier.prove.obligations.norms import Moveless, moveless
from verifier.prove.outlined import Outlines
from verifier.prove.playable import playable
from verifier.prove.question import Answer, Mode, Obligation, Question, Sometimes
from verifier.prove.scope import Scope
from verifier.prove.sightings import MOST_BINDINGS, sightings
from verifier.prove.solve import Settings
from verifier.prove.support import Support
from verifier.prove.telling import telling
from verifier.prove.told import Tellings, replayable
from verifier.prove.transitions import Behind
from verifier.prove.transitions import written as written_by
from verifier.prove.typed import Typed
from verifier.prove.written import written
from verifier.run.bench import Happening
from verifier.run.state import State

STEPS = 4_000
"""So many events are played at least to get to know a ruleset,"""
A_RULE = 40
"""and so many for each of its rules."""

WIDER = 2
"""In so many scopes beyond the first it is played, to see what the induction does not;"""
CROWDS = 2
"""in so many more at most for what no lawful play has in these."""

CONFINED = 3
"""So many times as many at most to see what can happen within the scope of the induction."""

MUCH = 10
"""Where a ruleset has more invariants written than this, few are guessed beside them:"""
FEW_GUESSES = 150
"""so many."""

BESIDE = "the rounds kept beside the rules"

BRIEFLY = 40
"""Of what solvers may spend on a question they may spend one part in so many where many are asked in vain."""

MOST_SOLVERS = 12
"""Of so many scopes what was encoded is kept: of a large ruleset each takes much memory."""


@dataclass(slots=True)
class Desk:
    """A program with what has been made of it. `scopes` are tried in their order; the first is the smallest.

    `asked` says that they were asked for, so that no others are looked at. `steps` bounds how many events the explorer
    plays before it is asked; 0: as many as the ruleset is large. `kept` is what earlier proofs found, `rounds` are
    the rounds kept beside the rules, `hints` what inductions made here guessed and held; `allowed` is what only the
    types were seen to allow, `doubted` whether a play refutes what stands beside the rules, where that was looked
    for. `less` names rules that `program` was made without.
    """

    program: Program
    settings: Settings
    scopes: tuple[Scope, ...] = ()
    steps: int = 0
    seed: int = 0
    jobs: int = 1
    note: Callable[[str], None] = lambda _: None
    kept: Known | None = None
    rounds: Known | None = None
    told: Tellings | None = None
    hints: dict[str, Hint] = field(default_factory=dict)
    sighted: dict[str, Sometimes] = field(default_factory=dict)
    allowed: dict[str, Answer] = field(default_factory=dict)
    doubted: dict[tuple[str, Mode], bool] = field(default_factory=dict)
    supports: dict[str, tuple[Support, Effects]] = field(default_factory=dict)
    _unseen: dict[str, dict[str, Obligation]] = field(default_factory=dict)
    _asker: Asker | None = None
    _explorer: Explorer | None = None
    _inductive: Scope | None = None
    _wider: tuple[Explorer, ...] | None = None
    _proven: dict[Mode, Proven] = field(default_factory=dict)
    _crowded: dict[str, Explorer] = field(default_factory=dict)
    _solvers: dict[str, Typed] = field(default_factory=dict)
    _outlines: Outlines = field(default_factory=dict)
    _proven_within: dict[tuple[str, Mode], Proven] = field(default_factory=dict)
    _inside: dict[int, bool] = field(default_factory=dict)
    _kinds: dict[Mode, tuple[set[str], set[str]]] = field(default_factory=dict)
    _confined: Explorer | None = None
    _behind: Behind | None = None
    _moveless: Moveless | None = None
    _effects: Effects | None = None
    _loosened: Desk | None = None
    _tightest: bool = False
    less: tuple[str, ...] = ()
    _brief: Typed | None = None
    _earlier: Tellings | None = None
    _tellings: tuple[Tellings, ...] | None = None
    asked: bool = False

    def __post_init__(self) -> None:
        self.asked = bool(self.scopes) and not self.less
        self.scopes = self.scopes or scopes(self.program)
        self.steps = self.steps or max(STEPS, A_RULE * len(self.program.ruleset.rules))

    def look_around(self, obligations: Sequence[Obligation]) -> None:
        """Play, and see which obligations that want `sometimes` are so somewhere."""
        wanting = [o for o in obligations if o.wanted == "sometimes" and o.question is not None]
        self.sighted.update(sightings(self.program, self.scopes[0], self.explorer, wanting))
        if self.told is not None:
            unseen = [o for o in wanting if o.id not in self.sighted]
            self.sighted.update(self.told.answers(unseen, self.scopes[0], self.jobs))
        for obligation in wanting:
            if obligation.id not in self.sighted and "words" in obligation.modes:
                for rule in obligation.rules[:1]:
                    self._unseen.setdefault(rule, {})[obligation.id] = obligation

    def see_too(self, obligation: Obligation, at: Sometimes) -> None:
        """See whether the state found for one obligation will do for others of its rule."""
        self._asker = self._asker or Asker(self.program, None, MOST_BINDINGS)
        for rule in obligation.rules[:1]:
            beside = self._unseen.get(rule, {})
            beside.pop(obligation.id, None)
            for other in list(beside.values()):
                assert other.question is not None
                values = self._asker.find(other.question, at.state, at.options)
                if values is not None:
                    self.sighted[other.id] = replace(at, values=values, by=("interpreter",))
                    del beside[other.id]

    def holds(self, obligation: Obligation, at: Sometimes) -> bool:
        """Whether the question of an obligation is true, for those values, where another's was found to be."""
        assert obligation.question is not None
        return self.explorer.asker.holds(obligation.question, at.state, at.options, at.values)

    def prepare(self) -> None:
        """Play, and look for invariants, now: processes forked from this one then need not."""
        self.explorers  # noqa: B018
        self.wider  # noqa: B018
        self.proven("words")
        self.proven("play")
        had, beyond = self._had("play")
        if beyond - had and self.loosened is not None:
            self.loosened.prepare()

    def forget(self) -> None:
        """Drop what was compiled for questions: those that are decided are not asked again, or seldom."""
        for explorer in (self._explorer, self._confined, *(self._wider or ()), *self._crowded.values()):
            if explorer is not None:
                explorer.forget()
        if self._loosened is not None:
            self._loosened.forget()

    @property
    def loosened(self) -> Desk | None:
        """A desk like this, of the program less those rules that keep play within the scope of the induction from
        going on, where lawful play of more goes on; None where no such rules are found, or scopes were asked for.
        """
        if not (self._tightest or self.less or self.asked):
            self._tightest = True
            self._loosened = self._loosen()
        return self._loosened

    def _loosen(self) -> Desk | None:
        had = self._had_confined("play")
        plays = [play for tellings in self.tellings for play in tellings.first_broken(self._stays)]
        hindering = opening(self.program, self._had("play")[1] - had, plays)
        if not hindering:
            attempts = chain(self._attempts(), ((play.event, play.rules) for play in plays))
            hindering = hindrances(self.program, frontier(self._lawful_plays(), had), attempts)
        rules = tuple(dict.fromkeys(rule for rules in hindering.values() for rule in sorted(rules)))
        if not rules or len(rules) > MOST_RULES:
            return None
        program = less(self.program, hindering)
        self.note(f"without {', '.join(rules)}")
        return Desk(
            program,
            self.settings,
            self.scopes,
            self.steps,
            self.seed,
            self.jobs,
            self.note,
            kept=self.kept,
            rounds=None if self.rounds is None else Known(program, self.rounds.found),
            told=None if self.told is None else Tellings(program, self.told.told),
            hints=self.hints,
            _inductive=self.inductive,
            _wider=self.wider,
            _proven={"words": self.proven("words")},
            less=rules,
        )

    def _lawful_plays(self) -> Iterator[list[str]]:
        """The kinds of event of lawful plays, those of the explorers and those that were told."""
        for explorer in (self.explorer, *self.wider):
            for node in explorer.corpus.of("play"):
                yield [step.happening.event for step in node.path() if step.happening is not None]
        for play in (play for tellings in self.tellings for play in tellings.plays()):
            lawful = takewhile(lambda one: not one[1], zip(play.happenings, play.breaches, strict=True))
            yield [happening.event for happening, _ in lawful]

    def _attempts(self) -> Iterator[tuple[str, Sequence[str]]]:
        """The events that broke rules in states that lawful play within the scope of the induction leads to."""
        assert self._confined is not None
        for explorer in (self.explorer, self._confined):
            for node in explorer.corpus.nodes:
                parent, tried = node.parent, node.happening
                if parent is None or tried is None or parent.broken or not node.breaches:
                    continue
                if self._within(node):
                    yield tried.event, node.breaches

    @property
    def moveless(self) -> Moveless:
        """The lives that can be stuck, with what says that nobody has a move in them."""
        if self._moveless is None:
            self._moveless = moveless(self.program)
        return self._moveless

    def kept_play(self, obligation: Obligation, mode: Mode, question: Question) -> Sometimes | None:
        """The play that an earlier proof found for an obligation, where it still answers the question."""
        return None if self.kept is None else self.kept.answer(obligation, mode, question, self._askers())

    def told_play(self, mode: Mode, question: Question) -> Sometimes | None:
        """A play that answers the question, from what was told."""
        return next(self.told_plays(mode, question), None)

    def told_plays(self, mode: Mode, question: Question) -> Iterator[Sometimes]:
        """The plays that do."""
        return iter(()) if self.told is None else self.told.each(question, mode, self._askers())

    def shown(self, question: Question) -> Sometimes | None:
        """A play, lawful or not, on whose way the question is true: of those that this desk played, that were told,
        or that are kept beside the rules, whatever they are kept for."""
        if (seen := self.explorer.look(question, "words")) is not None:
            return seen
        if self._earlier is None and self.kept is not None:
            self._earlier = Tellings(self.program, replayable(self.kept, "an earlier proof"))
        for tellings in self.tellings if self._earlier is None else (*self.tellings, self._earlier):
            if (told := tellings.answer(question, "words", [self.explorer.asker])) is not None:
                return told
        return None

    def answered_by_told(self, question: Question, mode: Mode) -> Sometimes | None:
        """A play that answers the question, from what was told, and from the rounds kept beside the rules."""
        answers = (tellings.answer(question, mode, [self.explorer.asker]) for tellings in self.tellings)
        return next((answer for answer in answers if answer is not None), None)

    @property
    def tellings(self) -> tuple[Tellings, ...]:
        """What was told, and the rounds kept beside the rules."""
        if self._tellings is None:
            beside = () if self.rounds is None else (replayable(self.rounds, BESIDE),)
            self._tellings = (
                *(() if self.told is None else (self.told,)),
                *(Tellings(self.program, told) for told in beside),
            )
        return self._tellings

    def _askers(self) -> list[Asker]:
        return [explorer.asker for explorer in (*self.explorers, *self.wider)]

    def unseen(
        self, mode: Mode, question: Question, of: Scope | None = None
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The kinds of event that may change what bears on a question and that no play of the mode had within the
        scope of the induction, or a wider one, `of`: those that one had beyond it, and those that none had.

        Within a scope in which what can happen does not, to speak of what it leaves is to speak of nothing.
        """
        self._behind = self._behind or Behind(self.program)
        read = self._behind.of([question.condition, *(nothing.condition for nothing in question.none)])
        may = [name for name in self.program.ruleset.events if written_by(self.program.ruleset, name) & read]
        had, beyond = self._had(mode)
        if any(name in beyond - had for name in may):
            had = self._had_confined(mode)
        if of is not None and of != self.inductive and any(name in beyond - had for name in may):
            had = had | self._had_within(of, mode, beyond.intersection(may) - had)
        return (
            tuple(name for name in may if name in beyond - had),
            tuple(name for name in may if name not in beyond | had),
        )

    def _had(self, mode: Mode) -> tuple[set[str], set[str]]:
        """The kinds of event that plays of the mode have within the scope of the induction, and in all: the explorer's,
        which go beyond the scope as well, and those that were told.
        """
        if mode not in self._kinds:
            had: set[str] = set()
            beyond: set[str] = set()
            for node in self.explorer.corpus.of(mode):
                if node.happening is not None and node.happening.event not in had:
                    beyond.add(node.happening.event)
                    if self._within(node):
                        had.add(node.happening.event)
            for (name, broken), parents in self.explorer.corpus.returns.items():
                if mode == "words" or not broken:
                    beyond.add(name)
                    had |= {name for parent in parents if name not in had and self._within(parent)}
            had = had.union(*(tellings.kinds_inside(self._stays, mode) for tellings in self.tellings))
            self._kinds[mode] = had, beyond | self._elsewhere(mode)
        return self._kinds[mode]

    def _elsewhere(self, mode: Mode) -> set[str]:
        """The kinds of event that plays of the mode have where there is more of everything, and in what was told."""
        found = set[str]().union(*(_kinds(explorer, mode) for explorer in self.wider))
        told = (one for tellings in self.tellings for one in tellings.reached())
        return found | {one.last.event for one in told if mode == "words" or one.lawful}

    def _had_within(self, scope: Scope, mode: Mode, wanted: set[str]) -> set[str]:
        """Of the wanted kinds of event those that plays have which stay within a scope made for some question."""
        found: set[str] = set()
        for explorer in (*self.wider, *self._crowded.values()):
            for node in explorer.corpus.of(mode):
                happening = node.happening
                if (
                    happening is not None
                    and happening.event in wanted - found
                    and self._all_stay(node, scope)
                ):
                    found.add(happening.event)
        return found

    def _all_stay(self, node: Node, scope: Scope) -> bool:
        steps = [(step.happening, step.state) for step in node.path() if step.happening is not None]
        return all(self._stays(happening, state, scope) for happening, state in steps)

    def _had_confined(self, mode: Mode) -> set[str]:
        """The kinds of event that plays of the mode have that never leave the scope of the induction."""
        had, beyond = self._had(mode)
        if self._confined is None:
            self.note("playing within the scope")
            self._confined = Explorer(self.program, self.inductive, self.seed, confined=True)
        while True:
            had = had | _kinds(self._confined, mode)
            if not beyond - had or self._confined.runner.taken >= CONFINED * self.steps:
                return had
            self._confined.run(self.steps)

    def _within(self, node: Node) -> bool:
        """Whether a play stays within the scope of the induction: what its events name, the states they lead to."""
        for step in [step for step in node.path() if step.number not in self._inside]:
            assert step.happening is not None
            self._inside[step.number] = self._stays(step.happening, step.state)
        return all(self._inside[step.number] for step in node.path())

    def _stays(self, happening: Happening, state: State, scope: Scope | None = None) -> bool:
        """Whether what an event names and the state that it leads to are in the scope of the induction, or another."""
        params, of = self.program.ruleset.events[happening.event].params, scope or self.inductive
        return within(state, of, self.program) and all(
            of.has(p.type, v) for p, v in zip(params, happening.values, strict=True)
        )

    def take_proven(self, words: Proven, play: Proven, hints: Mapping[str, Hint]) -> None:
        """Take invariants that another process found at a desk like this."""
        self._proven = {"words": words, "play": play}
        self.hints.update(hints)

    def typed(self, index: int) -> Typed:
        """The questions' solver within one of the scopes."""
        return self.typed_within(self.scopes[index])

    @property
    def wider(self) -> tuple[Explorer, ...]:
        """Explorers that have played where there is more of everything; none where the scopes were asked for.

        Where no lawful play had some kind of event there are also as many things as the rules against it count.
        """
        if self._wider is None:
            self.note("playing with more of everything")
            self._wider = tuple(self._played(scope) for scope in self.scopes[1 : 1 + WIDER] if not self.asked)
            if not self.asked:
                told = telling(self.program, self.inductive)
                if told != self.inductive and small(self.program, told):
                    self._wider += (self._played(told),)
                self._wider += tuple(self._crowds())
        return self._wider

    def _played(self, scope: Scope) -> Explorer:
        explorer = Explorer(self.program, scope, self.seed)
        explorer.run(self.steps)
        return explorer

    def _crowds(self) -> Iterator[Explorer]:
        """Explorers where there are as many things as those rules count which prohibit what no lawful play had."""
        barred = self.program.prohibitions.keys() - _kinds(self.explorer, "play") - self._elsewhere("play")
        found: dict[str, Scope] = {}
        for kind in sorted(barred):
            for norm in self.program.prohibitions[kind]:
                condition = self.program.functions[norm.applies].body
                question = Question(self.program.ruleset.events[kind].params, condition)
                more = counted(self.program, self.scopes[: 1 + WIDER], question, 0)
                found |= {repr(scope): scope for scope in more.scopes}
        for scope in list(found.values())[:CROWDS]:
            explorer = self._played(scope)
            while barred - _kinds(explorer, "play") and explorer.runner.taken < CONFINED * self.steps:
                explorer.run(self.steps)
            yield explorer

    @property
    def inductive(self) -> Scope:
        """The scope of the induction: the first one, or a wider one without which play does not go on."""
        self.explorer  # noqa: B018
        assert self._inductive is not None
        return self._inductive

    @property
    def exact(self) -> bool:
        """Whether rules bind in an induction as they do within its scope: where scopes were asked for, and in a large
        ruleset. Next to nothing would be proved there without those that may leave free among more what they forbid."""
        return self.asked or not small(self.program, self.inductive)

    def typed_inductive(self) -> Typed:
        """The questions' solver within the scope of the induction."""
        return self.typed_within(self.inductive)

    def spending(self, settings: Settings) -> Desk:
        """A desk like this, with what has been played, on which solvers may spend something else."""
        made = Desk(self.program, settings, self.scopes, self.steps, self.seed, self.jobs, self.note)
        made.kept, made.rounds, made.told, made.less, made.asked = (
            self.kept,
            self.rounds,
            self.told,
            self.less,
            self.asked,
        )
        made._explorer, made._inductive, made._wider = self.explorer, self.inductive, self._wider
        made._confined, made._crowded, made._kinds = self._confined, self._crowded, self._kinds
        return made

    def briefly(self) -> Typed:
        """The questions' solver within the scope of the induction, for many questions that most are asked in vain."""
        if self._brief is None:
            limits = self.settings.rlimit // BRIEFLY, self.settings.cvc5_rlimit // BRIEFLY
            settings = replace(self.settings, rlimit=limits[0], cvc5_rlimit=limits[1])
            self._brief = Typed(self.program, self.inductive, settings)
        return self._brief

    def typed_within(self, scope: Scope) -> Typed:
        """The questions' solver within some scope."""
        key = repr(scope)
        found = self._solvers.pop(key, None) or Typed(self.program, scope, self.settings, told=self._outlines)
        self._solvers[key] = found  # the last asked stands last
        if len(self._solvers) > MOST_SOLVERS:
            del self._solvers[next(iter(self._solvers))]
        return found

    def counted(self, question: Question, induction: bool = False, spare: int = 0) -> Counted:
        """The scopes that have as many things as a question counts, if no scope has; none where scopes were asked for.
        With `induction`: if that of the induction has not, and with `spare` more."""
        if self.asked:
            return Counted((), True)
        if induction:
            return counted(self.program, (self.inductive,), question, spare)
        return counted(self.program, self.scopes, question)

    def with_as_many(self, question: Question) -> tuple[Explorer, ...]:
        """Explorers that have played where there are as many things as a question counts, if no other has."""
        played = self.scopes[: 1 + WIDER]
        scopes = () if self.asked else counted(self.program, played, question).scopes
        return tuple(self.crowded(scope, "playing with as many as are counted") for scope in scopes)

    def crowded(self, scope: Scope, note: str) -> Explorer:
        """An explorer that has played within a scope with more than others have."""
        if (key := repr(scope)) not in self._crowded:
            self.note(note)
            self._crowded[key] = self._played(scope)
        return self._crowded[key]

    @property
    def explorer(self) -> Explorer:
        """The explorer, once it has looked around."""
        if self._explorer is None:
            self.note("playing")
            self._explorer = Explorer(self.program, self.scopes[0], self.seed)
            self._explorer.run(self.steps)
            self._inductive = self._inductive or self.scopes[0]
            if not (self.asked or self.less):
                self._inductive = playable(self.program, self.scopes[0], self._explorer.corpus, "play")
        return self._explorer

    @property
    def explorers(self) -> tuple[Explorer, ...]:
        """The explorer; where the induction has a wider scope also one that plays within that."""
        if self.inductive == self.scopes[0]:
            return (self.explorer,)
        self._had_confined("play")
        assert self._confined is not None
        return self.explorer, self._confined

    @property
    def effects(self) -> Effects:
        """The steps, within the scope of the induction, from states in which the invariants of play hold."""
        if self._effects is None:
            self._effects = Effects(self.program, self.inductive, self.proven("play").holding, self.settings)
        return self._effects

    @property
    def written(self) -> Sequence[Named]:
        """The invariants that stand beside the ruleset."""
        return written(self.program)

    def doubt(self, name: str, mode: Mode, refuted: bool) -> None:
        """Note whether a play refutes what stands beside the ruleset by this name; what is refuted supports nothing
        any more."""
        self.doubted[name, mode] = refuted
        if refuted:
            self._proven, self._proven_within, self._effects = {}, {}, None

    def _refuted(self, name: str, mode: Mode) -> bool:
        """What is no law of lawful play is none of all play."""
        return any(
            self.doubted.get((name, one), False) for one in {mode, "play" if mode == "words" else mode}
        )

    def proven(self, mode: Mode) -> Proven:
        """The invariants that hold of every state in the mode: those written in the ruleset, and inferred ones."""
        if mode not in self._proven:
            self.note(f"induction, {mode}")
            words = None if mode == "words" else self.proven("words")
            self._proven[mode] = self._invariants(self.inductive, mode, words)
        return self._proven[mode]

    def proven_within(self, scope: Scope, mode: Mode) -> Proven:
        """The invariants that hold of every state in the mode within a scope made for some question."""
        key = repr(scope), mode
        if key not in self._proven_within:
            self.note(f"induction of as many as are counted, {mode}")
            words = None if mode == "words" else self.proven_within(scope, "words")
            self._proven_within[key] = self._invariants(scope, mode, words)
        return self._proven_within[key]

    def proven_beside(
        self, scope: Scope, mode: Mode, named: Named, told: bool = False, most: int = company.MOST
    ) -> Proven:
        """Whether a condition holds of every state in the mode within a scope that is large, with what it takes of the
        invariants that hold in the scope of the induction; or of those that were `told` to hold."""
        key = f"{scope!r} {named.name}{', told' if told else ''}", mode
        if key not in self._proven_within:
            pool = self.told_to_hold(mode) if told else self.proven(mode).holding
            self.note(f"induction beside what it takes, {mode}")
            self._proven_within[key] = company.in_company(
                self.program, scope, named, mode, self.settings, pool, most, self.exact
            )
        return self._proven_within[key]

    def told_to_hold(self, mode: Mode) -> tuple[Named, ...]:
        """The invariants that stand beside the ruleset, and what held of what earlier proofs guessed, of these rules or
        of those before them: each to be proved where it is used."""
        hints = () if self.kept is None else self.kept.found.hints.values()
        guesses = [found_again(self.program, mode, hint.guesses) or [] for hint in hints]
        return tuple({named.term: named for named in chain(self.written, *guesses)}.values())

    def _invariants(self, scope: Scope, mode: Mode, words: Proven | None) -> Proven:
        """Those of a mode within a scope. In play what holds in words, `words`, holds as well; where solvers contradict
        each other about that, nothing is built on it."""
        if words is not None and words.disagree:
            return replace(words, mode=mode)
        given = [named for named in self.written if not self._refuted(named.name, mode)]
        return invariants(
            self.program,
            scope,
            given,
            mode,
            self.settings,
            seen=lambda: [node.state for one in self.explorers for node in one.corpus.of(mode)],
            known=() if words is None else words.holding,
            most=MOST if len(given) <= MUCH else FEW_GUESSES,
            sift=True,
            jobs=self.jobs,
            hints={} if self.kept is None else self.kept.found.hints,
            noted=self.hints,
            less=self.less,
            exact=self.exact,
        )


def _kinds(explorer: Explorer, mode: Mode) -> set[str]:
    """The kinds of event that plays of the mode have."""
    corpus = explorer.corpus
    returned = {name for name, broken in corpus.returns if mode == "words" or not broken}
    return returned | {node.happening.event for node in corpus.of(mode) if node.happening is not None}
