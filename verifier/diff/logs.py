"""The effect on a log: the same events judged under both rulesets, and what comes out otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path

from verifier.check.engine import Prepared, check, prepare
from verifier.check.result import VERDICT_ORDER, CheckResult, Entry
from verifier.diff.stated import Stated
from verifier.errors import LogError
from verifier.exits import Exit
from verifier.log.sources import demand_again
from verifier.model.ruleset import Ruleset

HELD = 100_000
"""So many entries of either side are held against each other at most; beyond that the page says so."""

MOST = 1_000
"""So many events that come out otherwise are told; the others are counted."""

Place = tuple[tuple[str, str], ...]

_Where = tuple[str, int | None, Place, int | None, bool]
"""A file, a line there, the keys, the number of the row, and whether the event itself is judged (else what was due when
a life passed on before it)."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What one side says of an event: the verdict, the rules, who is short of how much (minor units). `also` are
    verdicts of other findings on it, where they differ from that."""

    verdict: str
    rules: tuple[str, ...]
    short: tuple[tuple[str, str], ...]
    also: tuple[str, ...] = ()

    @property
    def told(self) -> object:
        """What is held against the other side: verdicts and money; which rules say so is not asked."""
        return self.verdict, self.also, self.short


@dataclass(frozen=True, slots=True)
class EventDiff:
    """An event of the log that the two judge differently. Absent: that side has no fault to find."""

    log: str
    place: Place
    seq: int | None
    event: str
    old: Judged | None
    new: Judged | None

    @property
    def named(self) -> str:
        """The event as logged, or what else is judged here."""
        return self.event or (
            "the options" if self.seq is None else "before it, what was left without its end"
        )


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A rule that could not be judged at so many events of the log, and why. `declared`: the log says that it does not
    record what that takes."""

    rule: str
    times: int
    why: tuple[str, ...]
    declared: bool


@dataclass(frozen=True, slots=True)
class LogDiff:
    """The events that come out otherwise, by place. `cut`: there were more entries than are held against each other;
    `untold` counts the events that come out otherwise and are not among `rounds`.

    `unasked` are the options stated in the logs that the old ruleset has not, and those that the new one has not;
    `unchecked` the rules of either that could not be judged everywhere; `disagreements` what the two engines of a check
    say differently: then nothing else here is to be relied on. `notes` say of logs that they were kept under neither.
    """

    events: int
    rounds: tuple[tuple[Place, tuple[EventDiff, ...]], ...]
    cut: bool
    unasked: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    unchecked: tuple[tuple[Unchecked, ...], tuple[Unchecked, ...]] = ((), ())
    untold: int = 0
    disagreements: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def exit(self) -> Exit:
        """`BROKEN` where an event is judged otherwise, `UNDECIDED` where it is open whether any is."""
        if self.disagreements:
            return Exit.OURSELVES
        if self.rounds:
            return Exit.BROKEN
        unknown = any(not one.declared for side in self.unchecked for one in side)
        return Exit.UNDECIDED if self.cut or unknown else Exit.HOLDS


def prepared(old: Ruleset, new: Ruleset, same: Sequence[Stated] = ()) -> tuple[Prepared, Prepared]:
    """Both made ready for the same logs: each reads, and leaves out, what options the other alone has. One that is
    stated to be the `same` as an option of its own it takes for that."""
    one, other = prepare(old), prepare(new)
    options = [names for names in same if names.kind == "option"]
    return (
        _reading(one, other, {names.new: names.old for names in options}),
        _reading(other, one, {names.old: names.new for names in options}),
    )


def _reading(ready: Prepared, other: Prepared, called: Mapping[str, str]) -> Prepared:
    schema = replace(ready.binding.schema, elsewhere=other.binding.schema.options, called=called)
    return replace(ready, binding=replace(ready.binding, schema=schema))


@dataclass(slots=True)
class _Side:
    """What one ruleset finds in the logs, as far as it is held."""

    found: dict[_Where, list[tuple[Judged, str]]] = field(default_factory=dict)
    """By place, each entry there with the event as logged."""
    held: int = 0
    cut: bool = False
    last: dict[Place, tuple[str, int]] = field(default_factory=dict)
    """Of each table, the file and the number of the last row that is held."""
    file: str = ""

    def put(self, entry: Entry) -> None:
        if self.held >= HELD:
            self.cut = True
            return
        self.held += 1
        place, self.file = _place(entry), entry.file
        where = entry.file, entry.line, place, entry.seq, entry.event is not None
        event = "" if entry.event is None else entry.event.line
        self.found.setdefault(where, []).append((_judged(entry), event))
        if entry.seq is not None:
            self.last[place[:1]] = entry.file, entry.seq

    def whole(self, where: _Where, order: Mapping[str, int]) -> bool:
        """Whether all that is to be found at a place is held."""
        file, _, place, seq, _ = where
        if not self.cut:
            return True
        if seq is None:
            return order[file] < order[self.file]
        last = self.last.get(place[:1])
        return last is not None and (order[file], seq) < (order[last[0]], last[1])


def compare_logs(
    old: Ruleset,
    new: Ruleset,
    logs: Sequence[Path],
    progress: Callable[[str], None] = lambda _: None,
    same: Sequence[Stated] = (),
) -> LogDiff:
    """Both rulesets' judgements on the logs, which may name either; `same` are names stated to be of one thing. Raises
    as `check` does."""
    demand_again(logs, "a comparison")
    results: list[CheckResult] = []
    sides = _Side(), _Side()
    for which, ready, side in zip(("old", "new"), prepared(old, new, same), sides, strict=True):
        progress(f"the log under the {which}")
        try:
            results.append(check([str(p) for p in logs], ready, any_ruleset=True, keep=0, on_entry=side.put))
        except LogError as error:
            # what the one declares the other may not
            read = f"so it is read for {ready.ruleset.name}"
            raise LogError(
                *(replace(p, help=f"{p.help}; {read}" if p.help else read) for p in error.problems)
            ) from None
    order = {file.name: i for i, file in enumerate(results[0].files)}
    found: dict[Place, list[EventDiff]] = {}
    told = untold = 0
    for where in sorted({**sides[0].found, **sides[1].found}, key=lambda at: (order[at[0]], at[1] or 0)):
        if not all(side.whole(where, order) for side in sides):
            continue
        file, _, place, seq, _ = where
        for (one, event), (other, too) in _unlike(*(side.found.get(where, []) for side in sides)):
            told += 1
            if told > MOST:
                untold += 1
                continue
            found.setdefault(place, []).append(EventDiff(file, place, seq, event or too, one, other))
    called = {name for names in same if names.kind == "option" for name in (names.old, names.new)}
    stated = [{o.name: None for o in result.options if o.source == "log"} for result in results]
    return LogDiff(
        results[0].events,
        tuple((k, tuple(v)) for k, v in found.items()),
        any(side.cut for side in sides),
        (
            tuple(name for name in stated[1] if name not in old.options and name not in called),
            tuple(name for name in stated[0] if name not in new.options and name not in called),
        ),
        (_unchecked(results[0]), _unchecked(results[1])),
        untold,
        tuple(what for result in results for what in result.disagreements),
        tuple(
            note for note in results[0].notes if note in results[1].notes and note.startswith(tuple(order))
        ),
    )


_Told = tuple[Judged | None, str]


def _unlike(
    old: Sequence[tuple[Judged, str]], new: Sequence[tuple[Judged, str]]
) -> Iterator[tuple[_Told, _Told]]:
    """What two sides say of one place, but for what both say. There are several things to say of the options of a log,
    each of what some rule requires of them."""
    rest = list(new)
    mine: list[_Told] = []
    for one in old:
        alike = [other for other in rest if other[0].told == one[0].told]
        if alike:
            rest.remove(next((other for other in alike if other[0].rules == one[0].rules), alike[0]))
        else:
            mine.append(one)
    yield from zip_longest(mine, rest, fillvalue=(None, ""))


def _unchecked(result: CheckResult) -> tuple[Unchecked, ...]:
    return tuple(
        Unchecked(
            rule.rule,
            rule.counts.not_checkable,
            tuple(item.cause.text for item in rule.why_not),
            all(item.cause.declared for item in rule.why_not),
        )
        for clause in result.clauses
        for rule in clause.rules
        if rule.counts.not_checkable
    )


FEW = 8
"""So many rules that could not be judged everywhere, and reasons for it, are named."""


def log_said(log: LogDiff) -> Iterator[str]:
    """In words, what is to be known of the comparison beside the events."""
    yield from (f"{note}." for note in log.notes)
    for which, names in zip(("old", "new"), log.unasked, strict=True):
        if names:
            yield f"Stated in the log, and no option of the {which} ruleset: {', '.join(names)}."
    for which, rules in zip(("old", "new"), log.unchecked, strict=True):
        if rules:
            reasons = _first(dict.fromkeys(why for one in rules for why in one.why))
            yield (
                f"Not checkable everywhere under the {which}: {_first(f'{r.rule} ({r.times:,}×)' for r in rules)}. "
                f"There no fault may mean that nobody can tell: {reasons}."
            )
    if log.untold:
        yield f"{log.untold:,} more events come out otherwise."
    if log.cut:
        yield "There were more faults than are held against each other here."
    if not log.rounds:
        known = log.exit == Exit.HOLDS
        yield "Every event comes out alike." if known else "What both could judge of it comes out alike."
    for what in log.disagreements:
        yield f"The two engines disagree, so that nothing here is to be relied on: {what}"


def _first(several: Iterable[str]) -> str:
    """The first few, and how many more there are."""
    every = list(several)
    return ", ".join(every[:FEW]) + (f" and {len(every) - FEW} more" if len(every) > FEW else "")


def _place(entry: Entry) -> Place:
    """The keys of the row, as far as they are recorded."""
    told = (("table", entry.table), *entry.lives)
    return tuple((life, key) for life, key in told if key is not None)


def _judged(entry: Entry) -> Judged:
    verdicts = {finding.verdict for finding in entry.findings} - {entry.lead.verdict}
    return Judged(
        entry.lead.verdict,
        tuple(dict.fromkeys(c.rule for f in entry.findings for c in f.citations)),
        tuple((s.who, str(s.amount)) for s in entry.short),
        tuple(sorted(verdicts, key=VERDICT_ORDER.index)),
    )
