"""A whole comparison: words, meaning, duties and permissions, and the effect on a log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.diff.align import words_of
from verifier.diff.doings import background
from verifier.diff.logs import LogDiff, compare_logs
from verifier.diff.meaning import compare_meaning
from verifier.diff.merge import Merger
from verifier.diff.norm_words import UNASKED, NormChange
from verifier.diff.norms import Norms
from verifier.diff.rests import Rests
from verifier.diff.rules import RulesDiff, StatementChange, compare_rulesets
from verifier.diff.several import several
from verifier.diff.stated import stated
from verifier.diff.told import Aligned, Meaning
from verifier.diff.turn import HALF_OPEN
from verifier.diff.unify import SIDES, Which, unify
from verifier.diff.words import tokens
from verifier.exits import Exit, worst
from verifier.model.ruleset import Ruleset
from verifier.prove.solve import Settings

BINDING = ("must", "must not", "may")


@dataclass(frozen=True, slots=True)
class WholeDiff:
    """Two rulesets compared. Where both are the same files `meaning` is None: nothing is left to ask.

    `norms` are the duties, prohibitions and permissions that answer to each other and are not written alike, or rest on
    what is not, or that only one side has; those beyond a fragment are left out.
    """

    rules: RulesDiff
    meaning: Meaning | None
    norms: tuple[NormChange, ...]
    background: tuple[str, ...]
    log: LogDiff | None

    @property
    def exit(self) -> Exit:
        """0 the same meaning, 1 different, 3 something is open, 4 our own answers contradict each other."""
        found = [Exit.HOLDS]
        if self.meaning is not None:
            if self.meaning.disagree:
                found.append(Exit.OURSELVES)
            if self.meaning.different:
                found.append(Exit.BROKEN)
            if self.meaning.undecided or self.background or self.meaning.apart:
                found.append(Exit.UNDECIDED)
        if any(change.fate != "beyond" for change in self.rules.options):
            found.append(Exit.BROKEN)
        if any(not n.same and n.turn != "open" for n in self.norms):
            found.append(Exit.BROKEN)
        fates = [*(c.fate for c in self.rules.options), *(c.fate for c in self.rules.statements)]
        told = [n.told for n in self.norms if n.told is not None]
        if (
            any(n.turn in ("open", *HALF_OPEN) for n in self.norms)
            or any(t.why for t in told)
            or "beyond" in fates
        ):
            found.append(Exit.UNDECIDED)
        if any(t.disagree for t in told) or any(n.disagree for n in self.norms):
            found.append(Exit.OURSELVES)
        if self.log is not None and not (self.rules.identical and self.log.exit == Exit.UNDECIDED):
            found.append(self.log.exit)
        return worst(found)


def compare(
    old: Ruleset,
    new: Ruleset,
    settings: Settings | None = None,
    progress: Callable[[str], None] = lambda _: None,
    logs: Sequence[Path] = (),
    jobs: int = 1,
    same: Sequence[str] = (),
) -> WholeDiff:
    """Everything that two rulesets can be compared in, by up to `jobs` processes. `same` are statements, each OLD=NEW,
    that two names stand for one thing.

    Raises `RequestError` where one transcribes no law, or what is stated names nothing or does not fit.
    """
    names = stated(old, new, same)
    rules = compare_rulesets(old, new, names)
    log = compare_logs(old, new, logs, progress, names) if logs else None
    if rules.identical:
        return WholeDiff(rules, None, (), (), log)
    settings = settings or Settings()
    meaning = compare_meaning(old, new, aligned(rules), settings, progress, jobs, names)
    progress("duties and permissions")
    programs: dict[Which, Program] = {"old": lower(old), "new": lower(new)}
    merger = Merger(unify(old, new, names), programs)
    merger.same.update(meaning.same)
    known = merger.alike() | {n for n in meaning.untold if ("new", merger.common.new.own(n)) in meaning.same}
    norms = Norms(merger, settings, meaning.stock, meaning.untold - known, meaning.uneven)
    tasks: list[Callable[[], NormChange]] = []
    for change in _binding(rules):
        if change.fate == "changed":
            tasks.append(partial(norms.pair, change))
        elif change.fate in ("old", "new"):
            tasks.append(partial(norms.alone, change, _quoted(rules, change)))
    rests = Rests(norms, rules)
    for change in rules.alike:
        if change.old is None or change.old.force not in BINDING:
            continue
        if not norms.follows(change):
            tasks.append(partial(_by_meaning, norms.pair, rests, change))
        elif not norms.compared(change):
            tasks.append(partial(_by_meaning, norms.beyond, rests, change))
    if tasks:
        norms.turner()
    return WholeDiff(rules, meaning, tuple(several(tasks, jobs)), background(merger), log)


def _by_meaning(
    pair: Callable[[StatementChange], NormChange], rests: Rests, change: StatementChange
) -> NormChange:
    """Statements word for word the same, which rest on what is not."""
    told = replace(pair(change), rests=True)
    if told.same or told.what == UNASKED:
        return told
    named = rests.on(change)
    by = f"by what it rests on: {', '.join(named)}" if named else "by what they mean"
    return replace(told, what=f"{told.what}: not by its own words, but {by}")


def _binding(rules: RulesDiff) -> list[StatementChange]:
    return [
        c
        for c in rules.statements
        if any(s is not None and s.force in BINDING for s in (c.old, c.new)) and c.fate != "beyond"
    ]


def _quoted(rules: RulesDiff, change: StatementChange) -> str | None:
    """The other law's clause that answers to a statement's and has, in their order, all the words that its rule quotes.

    Then both laws may well say the same, and only one ruleset reads it so.
    """
    statement = change.old or change.new
    assert statement is not None
    ruleset, other = (rules.old, rules.text.new) if change.old is not None else (rules.new, rules.text.old)
    quote = ruleset.rules[statement.rule].quote
    for answer in rules.text.changes:
        here, there = (answer.old, answer.new) if change.old is not None else (answer.new, answer.old)
        if statement.clause in here:
            for address in there:
                words = iter([t.key for t in tokens(words_of(other.clauses[address]))])
                if all(t.key in words for t in tokens(quote.replace("…", " "))):
                    return address
    return None


def aligned(rules: RulesDiff) -> Aligned:
    """What the alignment of the clauses says of the rules that stand on them."""
    paired: dict[Which, frozenset[str]] = {}
    beyond: dict[Which, frozenset[str]] = {}
    for which, ruleset, law in (
        ("old", rules.old, rules.text.old),
        ("new", rules.new, rules.text.new),
    ):
        met = {
            address
            for change in rules.text.changes
            if change.kind in ("one", "split", "joined")
            for address in (change.old if which == "old" else change.new)
        }
        lost = {
            address
            for change in rules.text.changes
            if change.kind == "beyond"
            for address in (change.old if which == "old" else change.new)
        }
        by_rule = {
            rule.id: next(
                (a for a in (law.canonical(rule.id), law.canonical(rule.address)) if a in law.clauses),
                rule.address,
            )
            for rule in ruleset.rules.values()
        }
        paired[which] = frozenset(r for r, a in by_rule.items() if a in met)  # type: ignore[index]
        beyond[which] = frozenset(r for r, a in by_rule.items() if a in lost)  # type: ignore[index]
    return Aligned({w: paired[w] for w in SIDES}, {w: beyond[w] for w in SIDES})
