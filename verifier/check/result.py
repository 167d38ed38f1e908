"""What a log check yields, typed: printers and the Python API read only this.

Amounts are in minor units of the log's currency: an int, or a Fraction where the law's odds give no whole unit.
Text that a log says stands here as the log has it; whoever prints it escapes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from verifier.errors import escaped
from verifier.exits import Exit
from verifier.run.verdict import Kind, Verdict

Amount = int | Fraction

FindingKind = Kind | Literal["life"]
"""A judgement's kind, or `life`: the keys of a life pass on without its end, or go on after it."""

VERDICT_ORDER: tuple[Verdict, ...] = ("impossible", "broken", "disputed", "undecided")

KIND_ORDER: tuple[FindingKind, ...] = (
    "impossible",
    "life",
    "option",
    "settlement",
    "contested",
    "early",
    "unasked",
    "forbidden",
    "not permitted",
    "skipped",
    "late",
    "otherwise",
    "actor",
)
"""Which finding leads an entry: by verdict first, then by kind.

An event that cannot have happened leads, since what else is said of it rests on a state that did not take it
in. Then money (a wrong settlement, one wrong by each answer of a clash, one too soon, one that no rule asks for),
then what was done and must not be, then what was done without leave, then what was left undone, last who did it.
"""

ClauseStatus = Literal[
    "broken",
    "disputed",
    "undecided",
    "kept",
    "not checkable",
    "never exercised",
    "unobservable",
    "external",
    "structural",
    "auxiliary",
    "no rule",
]
"""The first that holds. `auxiliary`: its rules give or define what other rules read, and that is all they did.
`no rule`: nothing stands on it."""

Basis = Literal["settled wrongly", "not paid when due"]
"""Why somebody is short. What was not paid when due may have been paid later."""


@dataclass(frozen=True, slots=True)
class Named:
    """A value by name. `text` None is "any"; `amount` is set where it is money, and `text` then its digits."""

    name: str
    text: str | None
    amount: Amount | None = None


@dataclass(frozen=True, slots=True)
class Act:
    """An act that was owed: an event and its values."""

    event: str
    values: tuple[Named, ...] = ()


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """What was logged. `corrected_by`: the seq of the correction that its content comes from."""

    actor: str
    event: str
    values: tuple[Named, ...] = ()
    corrected_by: int | None = None

    @property
    def line(self) -> str:
        """The event as a transcript writes it, escaped; money in minor units."""
        values = [f"{value.name}={escaped(value.text or '')}" for value in self.values]
        return " ".join([self.actor, self.event, *values])


@dataclass(frozen=True, slots=True)
class Citation:
    """One rule that a finding stands on: the words it formalises (`quote`), and its clause with all its words.

    `answers` are (role, rule) pairs: who answers for a breach of it, under which rule.
    """

    rule: str
    clause: str
    quote: str
    words: str
    answers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a value is undefined. `declared`: because the log does not record it."""

    kind: str
    text: str
    declared: bool


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Who is short, by how much, and why."""

    who: str
    amount: Amount
    basis: Basis


@dataclass(frozen=True, slots=True)
class Finding:
    """What one or more rules say of an event.

    `required` are acts that were owed; `decided` the decisions (with their values) that a settlement must
    agree with; `rests_on` further values it was judged by; `causes` why nothing could be told; `short` the
    money at stake in this finding alone (the entry says what counts). `explanation` says
    which rule gave way to which.
    """

    verdict: Verdict
    kind: FindingKind
    citations: tuple[Citation, ...] = ()
    required: tuple[Act, ...] = ()
    decided: tuple[Named, ...] = ()
    rests_on: tuple[Named, ...] = ()
    causes: tuple[Cause, ...] = ()
    short: Shortfall | None = None
    note: str = ""
    explanation: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """One event's fault, whatever the number of rules that say so; `findings` with the leading one first.

    `lives` are the row's keys (life, key) without the table's, None where not recorded. `event`, `line`,
    `seq` and `at` are None where a file as a whole is at fault (an option). `short` is the money that
    counts: one debt, or act owed, counts once, whatever rules say so.
    """

    number: int
    file: str
    line: int | None
    table: str | None
    lives: tuple[tuple[str, str | None], ...]
    seq: int | None
    at: str | None
    event: LoggedEvent | None
    findings: tuple[Finding, ...]
    short: tuple[Shortfall, ...] = ()

    @property
    def lead(self) -> Finding:
        """The leading finding."""
        return self.findings[0]


@dataclass(frozen=True, slots=True)
class Counts:
    """How often something was judged, by verdict."""

    kept: int = 0
    broken: int = 0
    disputed: int = 0
    undecided: int = 0
    not_checkable: int = 0

    @property
    def applied(self) -> int:
        """How often it was judged with a verdict."""
        return self.kept + self.broken + self.disputed + self.undecided

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.kept + other.kept,
            self.broken + other.broken,
            self.disputed + other.disputed,
            self.undecided + other.undecided,
            self.not_checkable + other.not_checkable,
        )


@dataclass(frozen=True, slots=True)
class CauseCount:
    """One reason why a rule could not be checked, and how often it was one of the reasons."""

    cause: Cause
    count: int


@dataclass(frozen=True, slots=True)
class RuleResult:
    """One rule's tally; `read` is how often something read what it decides, where no event claims that.

    It is None where it was not counted: the compiled rules do not.
    """

    rule: str
    quote: str
    counts: Counts
    why_not: tuple[CauseCount, ...] = ()
    read: int | None = 0


@dataclass(frozen=True, slots=True)
class ClauseResult:
    """One clause of the law and the rules that stand on it, their tallies summed.

    `unchecked` are (kind, reason) pairs: what of it no log can show, and why. `base` names the ruleset
    whose clause it is where the one asked for is laid over that, and is empty for a clause of the ruleset's own law.
    """

    address: str
    heading: str | None
    words: str
    law: str
    status: ClauseStatus
    counts: Counts
    rules: tuple[RuleResult, ...] = ()
    why_not: tuple[CauseCount, ...] = ()
    unchecked: tuple[tuple[str, str], ...] = ()
    base: str = ""

    @property
    def name(self) -> str:
        """The clause as it is cited: `5.1`, or `nz/blackjack-1998 5.1` for one of a ruleset laid under."""
        return f"{self.base} {self.address}" if self.base else self.address


@dataclass(frozen=True, slots=True)
class Arranged:
    """How a log was made of a file in which it does not stand as it is read.

    `ordered`: its rows were put in the order of record, as was asked. `columns` are (the log's name, the casino's), and
    `ignored` the casino's columns that were not read, both as the map of columns says.
    """

    ordered: bool = False
    columns: tuple[tuple[str, str], ...] = ()
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileResult:
    """One log. `sha256` is of its uncompressed bytes, None for a relation; `sealed`: its own seal agrees.

    Beside the rows of its `events` it has `corrections`, each a row that corrects another. `extras` are the operator's
    own x_ keys of its header: shown, never judged.
    """

    name: str
    sha256: str | None
    sealed: bool
    events: int
    operator: str
    extras: Mapping[str, object] = field(default_factory=dict)
    corrections: int = 0
    arranged: Arranged = Arranged()


@dataclass(frozen=True, slots=True)
class RulesetResult:
    """What was checked against; the law's fields are None for a ruleset without one."""

    name: str
    digest: str
    law: str | None = None
    law_title: str | None = None
    law_digest: str | None = None
    in_force: str | None = None


@dataclass(frozen=True, slots=True)
class OptionResult:
    """One option and where its value comes from.

    `log`: stated in the header; `set`: given with the request; `default`: assumed, as the clause itself
    says; `unstated`: nobody says, so that every one of its values is tried where they are few (`tried`), and a
    rule on which they disagree is not checkable. `files` are those it holds for, empty for all.
    """

    name: str
    source: Literal["log", "set", "default", "unstated"]
    value: Named | None
    tried: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordingResult:
    """What files declare that they do not record; `files` are those it holds for, empty for all."""

    absent: tuple[str, ...]
    unordered: tuple[str, ...]
    missing_columns: tuple[str, ...]
    begun: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableResult:
    """One table's stream; `name` is None where the log has no tables. `rounds` is None if not recorded.

    `beside`: it is no table, but a log of another life beside those of the tables, and is named with that life.
    """

    name: str | None
    rounds: int | None
    events: int
    entries: int
    first_at: str | None = None
    last_at: str | None = None
    beside: bool = False


@dataclass(frozen=True, slots=True)
class FaultCount:
    """How many entries are led by a finding of this verdict and kind."""

    verdict: Verdict
    kind: FindingKind
    count: int


@dataclass(frozen=True, slots=True)
class CheckResult:
    """All that one check found.

    `entries` are the first ones, at most as many as were asked to be kept; `entries_total` counts all.
    `clauses` are in the order of the law. `faults` are counted by leading finding, in the order of
    `KIND_ORDER`. `short` sums what is owed at the end of each round by party and basis, largest first; `made_good` what
    entries say to be owed, and a later row of the round pays; `unreckoned` counts the settlements that cannot have
    happened as logged, `unmade` those that were due, would have moved nothing, and were not made: both are in neither.
    `exit_code` is `HOLDS` (all that could be checked), `BROKEN` (or impossible) or `UNDECIDED` (also: disputed, or not
    checkable for a reason other than what the log declares that it does not record). Where the two engines say
    different things, as `disagreements` tell, it is `OURSELVES`: then nothing else here is to be relied on.
    """

    version: str
    ruleset: RulesetResult
    files: tuple[FileResult, ...]
    currency: str
    exponent: int
    options: tuple[OptionResult, ...]
    recording: tuple[RecordingResult, ...]
    tables: tuple[TableResult, ...]
    rounds: int | None
    events: int
    entries: tuple[Entry, ...]
    entries_total: int
    faults: tuple[FaultCount, ...]
    clauses: tuple[ClauseResult, ...]
    short: tuple[Shortfall, ...]
    strict: bool
    exit_code: Exit
    notes: tuple[str, ...] = field(default=())
    made_good: tuple[Shortfall, ...] = ()
    unreckoned: int = 0
    unmade: int = 0
    disagreements: tuple[str, ...] = ()

    @property
    def in_order(self) -> bool:
        """Whether nothing that could be checked was found at fault, and no two engines differ about it."""
        return self.entries_total == 0 and not self.disagreements

    def clause(self, address: str) -> ClauseResult:
        """The clause at `address`, one of a base with that ruleset's name in front. Raises KeyError."""
        for clause in self.clauses:
            if clause.name == address:
                return clause
        raise KeyError(address)
