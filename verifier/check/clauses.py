"""The tallies of rules, summed by the clause of the law that they stand on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from verifier.check.entries import cause
from verifier.check.result import CauseCount, ClauseResult, ClauseStatus, Counts, RuleResult
from verifier.core.program import Program
from verifier.law import Clause
from verifier.model import terms as m
from verifier.model.ruleset import Contribution, Rule
from verifier.model.terms import Term, children
from verifier.run.undefined import Reason
from verifier.run.verdict import Tally


@dataclass(frozen=True, slots=True)
class Standing:
    """A clause with the rules that stand on it, of which law, of a ruleset laid under or (empty) the one's own.

    `names` are the rules' ids; `idle` is its result where nothing has to do with any of them.
    """

    clause: Clause
    law: str
    base: str
    rules: tuple[Rule, ...]
    names: frozenset[str]
    idle: ClauseResult


@dataclass(frozen=True, slots=True)
class Tallies:
    """What a ledger holds: by rule its counts, reasons with how often, how often it was read; whether that is all."""

    counts: Mapping[str, Counts]
    why_not: Mapping[str, Mapping[Reason, int]]
    read: Mapping[str, int]
    counted: bool


@dataclass(slots=True)
class Ledger:
    """Tallies and reasons of all rules, summed over tables. `standing` is what `standing_in` gives, where known."""

    program: Program
    standing: tuple[Standing, ...] | None = None
    counts: dict[str, Counts] = field(default_factory=dict)
    why_not: dict[str, dict[Reason, int]] = field(default_factory=dict)
    read: dict[str, int] = field(default_factory=dict)
    counted: bool = True
    """Whether all that was read is counted; of rounds that the kernel judged it is not."""
    _working: set[str] = field(default_factory=set)
    """The rules that say something which a log can exercise."""

    def __post_init__(self) -> None:
        ruleset = self.program.ruleset
        self._working = {unit.rule for unit in ruleset.units.values()}
        self._working |= {requirement.rule for requirement in ruleset.requirements}

    def add(
        self,
        tallies: Mapping[str, Tally],
        why_not: Mapping[str, Mapping[Reason, int]],
        given: Mapping[str, int],
    ) -> None:
        """Add one judge's tallies; `given` are the units that gave values which something read."""
        claimed = claimed_in(self.program) if given else ()
        for name, count in given.items():
            unit = self.program.ruleset.units[name]
            if isinstance(unit, Contribution) and unit.decision not in claimed:
                self.read[unit.rule] = self.read.get(unit.rule, 0) + count
        for rule, tally in tallies.items():
            self._count(
                rule, Counts(tally.kept, tally.broken, tally.disputed, tally.undecided, tally.not_checkable)
            )
        self._reasons(why_not)

    def tallies(self) -> Tallies:
        """What it holds, for the ledger that `join`s it."""
        why_not = {rule: dict(reasons) for rule, reasons in self.why_not.items()}
        return Tallies(dict(self.counts), why_not, dict(self.read), self.counted)

    def join(self, other: Tallies) -> None:
        """Add what another ledger of the same program holds."""
        for rule, counts in other.counts.items():
            self._count(rule, counts)
        self._reasons(other.why_not)
        for rule, count in other.read.items():
            self.read[rule] = self.read.get(rule, 0) + count
        self.counted = self.counted and other.counted

    def _count(self, rule: str, counts: Counts) -> None:
        self.counts[rule] = self.counts.get(rule, Counts()) + counts

    def _reasons(self, why_not: Mapping[str, Mapping[Reason, int]]) -> None:
        for rule, reasons in why_not.items():
            mine = self.why_not.setdefault(rule, {})
            for reason, count in reasons.items():
                mine[reason] = mine.get(reason, 0) + count

    def claimed_rules(self) -> frozenset[str]:
        """The rules that events' claims, or judgements of their own, exercise: all but those whose decisions only
        other rules read."""
        claimed, ruleset = claimed_in(self.program), self.program.ruleset
        found = {
            unit.rule
            for unit in ruleset.units.values()
            if not isinstance(unit, Contribution) or unit.decision in claimed
        }
        found |= {question.rule for question in ruleset.questions if question.decision in claimed}
        return frozenset(found | {requirement.rule for requirement in ruleset.requirements})

    def not_checkable(self) -> tuple[bool, bool]:
        """Whether some rule could not be checked because the log declares that it lacks something, and
        whether for any other reason."""
        kinds = {reason.kind for reasons in self.why_not.values() for reason in reasons}
        return "unrecorded" in kinds, bool(kinds - {"unrecorded"})

    def unclear(self) -> bool:
        """Whether some rule was disputed or undecided."""
        return any(c.disputed or c.undecided for c in self.counts.values())

    def clauses(self) -> tuple[ClauseResult, ...]:
        """Every clause of the law in the order of the document, then those of the law that it is laid over."""
        if self.standing is None:
            self.standing = standing_in(self.program)
        met = self.counts.keys() | self.why_not.keys() | self.read.keys()
        return tuple(
            one.idle
            if self.counted and one.names.isdisjoint(met)
            else self.clause(one.clause, one.law, one.base, one.rules)
            for one in self.standing
        )

    def clause(self, clause: Clause, law: str, base: str, rules: tuple[Rule, ...]) -> ClauseResult:
        """One clause, the tallies of its rules summed."""
        results = tuple(self._rule(rule) for rule in rules)
        counts = sum((result.counts for result in results), Counts())
        unchecked = tuple((u.kind, u.reason) for rule in rules for u in rule.unchecked)
        return ClauseResult(
            clause.address,
            clause.heading,
            clause.text,
            law,
            self._status(rules, counts),
            counts,
            results,
            _merged(results),
            unchecked,
            base,
        )

    def _rule(self, rule: Rule) -> RuleResult:
        reasons = self.why_not.get(rule.id, {})
        return RuleResult(
            rule.id,
            rule.quote,
            self.counts.get(rule.id, Counts()),
            tuple(
                CauseCount(cause(self.program, reason), count) for reason, count in sorted(reasons.items())
            ),
            self.read.get(rule.id, 0) if self.counted else None,
        )

    def _status(self, rules: tuple[Rule, ...], counts: Counts) -> ClauseStatus:
        if not rules:
            return "no rule"
        if counts.broken:
            return "broken"
        if counts.disputed:
            return "disputed"
        if counts.undecided:
            return "undecided"
        if counts.kept:
            return "kept"
        if counts.not_checkable:
            return "not checkable"
        if any(rule.id in self.read for rule in rules):
            return "auxiliary"
        if any(rule.id in self._working for rule in rules):
            return "never exercised"
        kinds = [u.kind for rule in rules for u in rule.unchecked]
        return kinds[0] if kinds else "auxiliary"


def standing_in(program: Program) -> tuple[Standing, ...]:
    """Every clause of the law in the order of the document, then those of the law that it is laid over."""
    ruleset = program.ruleset
    standing: dict[tuple[str, str], list[Rule]] = {}
    for rule in ruleset.rules.values():
        address = ruleset.laws[rule.module].canonical(rule.address)
        standing.setdefault((rule.module, address), []).append(rule)
    bases = {source.path: source.module for source in ruleset.sources[:-1]}
    nothing = Ledger(program, ())
    found: list[Standing] = []
    for module, law in reversed(list(ruleset.laws.items())):
        base = bases.get(module, "")
        for clause in law.clauses.values():
            rules = tuple(standing.get((module, clause.address), ()))
            idle = nothing.clause(clause, law.id, base, rules)
            names = frozenset(rule.id for rule in rules)
            found.append(Standing(clause, law.id, base, rules, names, idle))
    return tuple(found)


def claimed_in(program: Program) -> set[str]:
    """The decisions that events make claims about: only those claims exercise their rules."""
    found: set[str] = set()
    for event in program.ruleset.events.values():
        for claim in event.claims:
            found |= {term.decision for term in parts(claim) if isinstance(term, m.Decide)}
    return found


def parts(term: Term) -> Iterator[Term]:
    """A term and all its subterms, except within the arguments of a decision."""
    yield term
    if not isinstance(term, m.Decide):
        for child in children(term):
            yield from parts(child)


def _merged(results: Iterable[RuleResult]) -> tuple[CauseCount, ...]:
    merged: dict[str, CauseCount] = {}
    for result in results:
        for item in result.why_not:
            before = merged.get(item.cause.text)
            total = item.count + (0 if before is None else before.count)
            merged[item.cause.text] = CauseCount(item.cause, total)
    return tuple(merged.values())
