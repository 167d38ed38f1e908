"""Who is short when all is told: a sum that a later row of the same round makes good is not owed any more.

What an entry says is how things stood at its event. Of one debt only what stood last counts in the sums of a check:
a loss is counted once, and what was paid after all is not short. What a wager brings and what is charged on it are two
debts: one is not made good by settling the other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from verifier.check.result import KIND_ORDER, VERDICT_ORDER, Amount, Basis, Shortfall
from verifier.run.verdict import Judgement, Kind, Subject

BASES: dict[Kind, Basis] = {"skipped": "not paid when due", "late": "not paid when due"}

Sums = dict[tuple[str, Basis], Amount]


@dataclass(slots=True)
class AllOwing:
    """What all tables come to, by party and basis: `short` at the end, `made_good` what was and is not any more.

    `unreckoned` counts the settlements that cannot have happened as logged: what they moved is in no sum. `unmade`
    counts those that were due, would have moved nothing, and were not made: what lay there is in no sum.
    """

    short: Sums = field(default_factory=dict)
    made_good: Sums = field(default_factory=dict)
    unreckoned: int = 0
    unmade: int = 0

    def join(self, other: AllOwing) -> None:
        """Add what other tables come to."""
        for mine, theirs in ((self.short, other.short), (self.made_good, other.made_good)):
            for (who, basis), amount in theirs.items():
                _add(mine, who, basis, amount)
        self.unreckoned += other.unreckoned
        self.unmade += other.unmade


@dataclass(slots=True)
class Owing:
    """What is owed at one table, by what it is about, and what was to be settled there and was not; `sums` belong to
    all tables."""

    sums: AllOwing
    owed: dict[Subject, Shortfall] = field(default_factory=dict)
    unmade: set[Subject] = field(default_factory=set)

    def judged(self, found: Collection[Judgement], settled: Collection[Subject] = ()) -> None:
        """Take in what was found at one event; `settled` is what the event has settled as it should."""
        for key, short in _by_debt(found).items():
            if isinstance(key, Subject) and key not in settled:
                self._stands(key, short)
            elif not isinstance(key, Subject):
                _add(self.sums.short, short.who, short.basis, short.amount)
        for judgement in found:
            for subject in judgement.unmade:
                if subject not in self.owed and subject not in self.unmade:
                    self.unmade.add(subject)
                    self.sums.unmade += 1
        for subject in settled:
            self._made(subject)
            if subject in self.owed:
                self._taken_back(self.owed.pop(subject), None)

    def end(self, lives: Iterable[str]) -> None:
        """Lives have ended: what is owed of them stands."""
        ended = set(lives)
        for subject in [subject for subject in self.owed if subject.life in ended]:
            del self.owed[subject]
        self.unmade -= {subject for subject in self.unmade if subject.life in ended}

    def _made(self, subject: Subject) -> None:
        if subject in self.unmade:
            self.unmade.remove(subject)
            self.sums.unmade -= 1

    def _stands(self, subject: Subject, short: Shortfall) -> None:
        self._made(subject)
        before = self.owed.get(subject)
        if before is not None:
            self._taken_back(before, short)
        self.owed[subject] = short
        _add(self.sums.short, short.who, short.basis, short.amount)

    def _taken_back(self, before: Shortfall, now: Shortfall | None) -> None:
        _add(self.sums.short, before.who, before.basis, -before.amount)
        left = now.amount if now is not None and now.who == before.who else 0
        if before.amount > left:
            _add(self.sums.made_good, before.who, before.basis, before.amount - left)


def listed(sums: Sums) -> tuple[Shortfall, ...]:
    """The sums, those of wrong settlements first, the largest first."""
    found = sorted(sums.items(), key=lambda item: (item[0][1] != "settled wrongly", -item[1], item[0]))
    return tuple(Shortfall(who, amount, basis) for (who, basis), amount in found)


def owed_at(found: Iterable[Judgement]) -> tuple[Shortfall, ...]:
    """The money that counts of what was found at one event, by party and basis."""
    sums: Sums = {}
    for short in _by_debt(found).values():
        _add(sums, short.who, short.basis, short.amount)
    return tuple(Shortfall(who, amount, basis) for (who, basis), amount in sums.items())


def _by_debt(found: Iterable[Judgement]) -> dict[object, Shortfall]:
    """The money of one event: it settles once, what several rules say of one debt is one sum, and one act owed under
    several rules is owed once."""
    shorts: dict[object, Shortfall] = {}
    for judgement in sorted(found, key=_rank):
        basis = BASES.get(judgement.kind, "settled wrongly")
        wrong = basis == "settled wrongly"
        for place, short in enumerate(judgement.shorts):
            key: object = short.of or ((basis if wrong else judgement.required), place)
            if key not in shorts or (wrong and shorts[key].basis != basis):
                shorts[key] = Shortfall(short.who, short.amount, basis)
    return shorts


def _rank(judgement: Judgement) -> tuple[int, int]:
    return VERDICT_ORDER.index(judgement.verdict), KIND_ORDER.index(judgement.kind)


def _add(sums: Sums, who: str, basis: Basis, amount: Amount) -> None:
    total = sums.get((who, basis), 0) + amount
    if total:
        sums[who, basis] = total
    else:
        sums.pop((who, basis), None)
