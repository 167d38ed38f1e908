"""The coverage of a ruleset: its law word by word, its rules level by level, and whether that is enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from verifier.check.engine import Prepared, prepare
from verifier.coverage.evidence import Exercise, Killed, MadeRounds, Proved, exercised, killed, made, proved
from verifier.coverage.phrases import STATUSES, CoveredClause, Phrase, Status, covered, formalises
from verifier.coverage.unshown import SIDES, Side, Unshown, refuse_stale, unshown_of
from verifier.errors import Problem, RequestError
from verifier.model.ruleset import Ruleset
from verifier.transcripts.case import read_cases
from verifier.version import VERSION

Level = Literal["formalised", "proved", "exercised", "killed"]

LEVELS: tuple[Level, ...] = ("formalised", "proved", "exercised", "killed")


@dataclass(frozen=True, slots=True)
class Share:
    """`part` of `whole`, both counted."""

    part: int
    whole: int

    @property
    def percent(self) -> int:
        """The whole per cent, never rounded up: 100 only where nothing is missing. Nothing of nothing is 100."""
        return 100 if not self.whole else 100 * self.part // self.whole

    def reaches(self, percent: int) -> bool:
        """Whether it is at least so much."""
        return 100 * self.part >= percent * self.whole

    def __add__(self, other: Share) -> Share:
        return Share(self.part + other.part, self.whole + other.whole)


@dataclass(frozen=True, slots=True)
class CoveredRule:
    """A rule that says something, and what looks after it; None where nothing was given that could tell.

    `binds`: it binds or decides, so that transcripts can exercise it; `file` and `line` are where it stands;
    `unshowable`: which of kept and broken nothing shows, and no round can that is lawful until then, as is proved;
    `unshown`: why it is not shown kept, or not broken, as somebody says.
    """

    rule: str
    clause: str
    file: str
    line: int
    binds: bool
    claimed: bool
    exercise: Exercise | None
    proof: Proved | None
    mutants: Killed | None
    unshowable: frozenset[str] = frozenset()
    unshown: Unshown | None = None

    @property
    def justified(self) -> Mapping[Side, str]:
        """Which of kept and broken neither evidence nor a proof accounts for but a reason, with the reason."""
        if self.unshown is None:
            return {}
        said = {side: getattr(self.unshown, side) for side in SIDES}
        return {side: reason for side, reason in said.items() if reason is not None and self._open(side)}

    def lacks(self, what: Side) -> bool:
        """Whether it could be shown kept, or broken, and is not."""
        return self._open(what) and what not in self.justified

    def _open(self, what: Side) -> bool:
        """Whether nothing shows it, and no proof says why."""
        done = self.exercise
        return done is not None and not getattr(done, what) and what not in self.unshowable

    def is_(self, level: Level) -> bool | None:
        """Whether it reaches a level; None where it cannot be asked of it, or nothing is known."""
        match level:
            case "formalised":
                return True
            case "proved":
                return None if self.proof is None else 0 < self.proof.total == self.proof.held
            case "exercised":
                if self.exercise is None or not self.binds:
                    return None
                if not self.claimed and self.exercise.read > 0:
                    return True
                if self.lacks("kept") or self.lacks("broken"):
                    return False
                return None if len(self.unshowable) == 2 or self.justified else True
            case "killed":
                if self.mutants is None or not self.mutants.total:
                    return None
                return self.mutants.noticed == self.mutants.total


@dataclass(frozen=True, slots=True)
class Coverage:
    """The coverage of one ruleset. `transcripts` and `rounds` count the transcripts, and the rounds made by
    `gazette generate`, that were run; None where none were given. `beside` are the mutants of what stands beside those
    rules: of definitions and events of the ruleset's own, by their names. `passed_over` counts the transcripts at the
    same places that are of other rulesets, by these."""

    ruleset: Ruleset
    clauses: tuple[CoveredClause, ...]
    rules: tuple[CoveredRule, ...]
    transcripts: int | None
    has_proof: bool
    has_mutants: bool
    rounds: int | None = None
    beside: Mapping[str, Killed] = field(default_factory=dict)
    passed_over: Mapping[str, int] = field(default_factory=dict)
    version: str = VERSION

    @property
    def words(self) -> dict[Status, int]:
        """How many words of the law fare how."""
        return {status: sum(c.counts[status] for c in self.clauses) for status in STATUSES}

    @property
    def missing(self) -> tuple[tuple[CoveredClause, Phrase], ...]:
        """Words that nothing is said of, with their clause."""
        return tuple((c, p) for c in self.clauses for p in c.phrases if p.status == "missing")

    def known(self, level: Level) -> bool:
        """Whether anything was given that tells of the level."""
        match level:
            case "formalised":
                return True
            case "proved":
                return self.has_proof
            case "exercised":
                return self.transcripts is not None or self.rounds is not None
            case "killed":
                return self.has_mutants

    def share(self, level: Level) -> Share:
        """How much reaches a level: of the words of the law those of which something is said, else rules."""
        if level == "formalised":
            words = self.words
            whole = sum(words.values())
            return Share(whole - words["missing"], whole)
        told = [rule.is_(level) for rule in self.rules]
        if level == "killed":
            told += [of.noticed == of.total for of in self.beside.values()]
        return Share(sum(t is True for t in told), sum(t is not None for t in told))

    def lacking(self, level: Level) -> tuple[CoveredRule, ...]:
        """The rules that do not reach a level."""
        return tuple(rule for rule in self.rules if rule.is_(level) is False)

    @property
    def survived_beside(self) -> Mapping[str, Killed]:
        """What stands beside the rules and has a mutant that nothing noticed, by its name."""
        return {name: of for name, of in self.beside.items() if of.noticed < of.total}

    @property
    def justified(self) -> tuple[CoveredRule, ...]:
        """The rules that are not shown both kept and broken, and of which it is said why: they count as neither
        exercised nor lacking."""
        return tuple(rule for rule in self.rules if rule.justified and rule.is_("exercised") is None)


def measure(
    ruleset: str | Path | Prepared,
    transcripts: Sequence[str | Path] = (),
    *,
    proof: Path | None = None,
    mutants: Path | None = None,
    rounds: Path | None = None,
    others: Collection[str] = (),
) -> Coverage:
    """The coverage of a ruleset by its rules, by transcripts, rounds made for it, a proof and mutants, as far as given.
    Transcripts of the `others`, whose coverage is asked for beside it, are passed over.

    Raises `RequestError` for evidence that is not of this ruleset as it stands, or that fails, and for a reason beside
    the rules why something is not shown that is; `RuleTextError`, `LawError`, `LogError`.
    """
    ready = ruleset if isinstance(ruleset, Prepared) else prepare(ruleset)
    passed = Counter[str]()
    cases = list(read_cases(transcripts, ready, others, passed)) if transcripts else None
    more = None if rounds is None else made(rounds, ready)
    every = [*(cases or ()), *(more.cases if more is not None else ())]
    shown = None if cases is None and more is None else exercised(ready, every)
    found = put_together(ready, shown, None if cases is None else len(cases), proof, mutants, more)
    return replace(found, passed_over=passed)


def put_together(
    ready: Prepared,
    shown: Mapping[str, Exercise] | None,
    transcripts: int | None,
    proof: Path | None = None,
    mutants: Path | None = None,
    rounds: MadeRounds | None = None,
) -> Coverage:
    """The coverage where it is known already what so many transcripts and the made rounds have shown. As `measure`."""
    unshown = unshown_of(ready.ruleset, binding_rules(ready.ruleset))
    proofs = None if proof is None else proved(proof, ready.ruleset)
    killings = None if mutants is None else killed(mutants, ready.ruleset)
    rules = _rules(ready, shown, proofs, killings, {} if rounds is None else rounds.unshowable, unshown)
    own = {rule.rule for rule in rules}
    return Coverage(
        ready.ruleset,
        covered(ready.ruleset),
        rules,
        transcripts,
        proofs is not None,
        killings is not None,
        None if rounds is None else len(rounds.cases),
        {name: of for name, of in (killings or {}).items() if name not in own},
    )


def _unshown(unshowable: frozenset[str], done: Exercise | None) -> frozenset[str]:
    """What of it nothing shows: after another fault there may be what no round that is lawful until then has."""
    return unshowable if done is None else frozenset(what for what in unshowable if not getattr(done, what))


def _rules(
    ready: Prepared,
    shown: Mapping[str, Exercise] | None,
    proofs: Mapping[str, Proved] | None,
    killings: Mapping[str, Killed] | None,
    unshowable: Mapping[str, frozenset[str]],
    unshown: Mapping[str, Unshown],
) -> tuple[CoveredRule, ...]:
    from verifier.check.clauses import Ledger

    ruleset = ready.ruleset
    binding = binding_rules(ruleset)
    claimed = Ledger(ready.program).claimed_rules()
    saying = formalises(ruleset)
    exercise = None if shown is None else {name: shown.get(name, Exercise()) for name in ruleset.rules}
    if exercise is not None:
        refuse_stale(unshown, exercise, claimed)
    return tuple(
        CoveredRule(
            rule.id,
            rule.address,
            rule.place.file,
            rule.place.line,
            rule.id in binding,
            rule.id in claimed,
            None if exercise is None else exercise[rule.id],
            None if proofs is None else proofs.get(rule.id, Proved()),
            None if killings is None else killings.get(rule.id, Killed()),
            _unshown(
                unshowable.get(rule.id, frozenset()), exercise[rule.id] if exercise is not None else None
            ),
            unshown.get(rule.id),
        )
        for rule in ruleset.rules.values()
        if rule.module == ruleset.sources[-1].path and rule.id in saying and rule.disapplied is None
    )


def binding_rules(ruleset: Ruleset) -> tuple[str, ...]:
    """The rules of the ruleset's own text that bind, decide or ask, in its order: those that can be exercised."""
    binding = {unit.rule for unit in ruleset.units.values()}
    binding |= {question.rule for question in ruleset.questions}
    binding |= {requirement.rule for requirement in ruleset.requirements}
    own = ruleset.sources[-1].path
    return tuple(
        rule.id
        for rule in ruleset.rules.values()
        if rule.id in binding and rule.module == own and rule.disapplied is None
    )


def require(coverages: Sequence[Coverage], level: Level) -> Share:
    """How much of all rulesets reaches a level. Raises `RequestError` where nothing was given that tells."""
    for coverage in coverages:
        if not coverage.known(level):
            given = {
                "proved": "--proof FILE",
                "exercised": "--transcripts PATH, or --rounds FILE",
                "killed": "--mutants FILE",
            }
            raise RequestError(
                Problem(
                    f"nothing tells what of {coverage.ruleset.name} is {level}",
                    code="no-evidence",
                    help=f"give {given.get(level, 'it')}",
                )
            )
    shares = [coverage.share(level) for coverage in coverages]
    return sum(shares, Share(0, 0))
