"""Cross-references in the law's own words: each leads to a clause, to a text named elsewhere, or nowhere.

One obligation for each clause that refers to something and whose references all lead somewhere; one more for each
reference that does not. A reference leads nowhere where the law has no such clause (*dangling*), and where a layer
disapplies every rule on the clause that is meant. What the ruleset itself still asks of a disapplied rule is told of
as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from verifier.core.program import Program
from verifier.law import Law
from verifier.law.references import Reference, references
from verifier.model.ruleset import Rule, Ruleset, named
from verifier.prove.question import Obligation

MOST_WORDS = 12
"""Of the words of a reference so many are part of its id."""


def obligations(program: Program) -> Iterator[Obligation]:
    """The references of the ruleset's own law and, in a layer, of those that it is laid over, clause by clause."""
    ruleset = program.ruleset
    by_law = laws_of(ruleset)
    everything = [law for law, _ in by_law]
    for law, base in by_law:
        others = [other for other in everything if other is not law]
        yield from _of_law(ruleset, law, base, others)
    for note in ruleset.notes:
        yield Obligation(
            f"reference {note}",
            "reference",
            "no rule refers to what is disapplied",
            _speaking(ruleset, note),
            told=note,
        )


def laws_of(ruleset: Ruleset) -> list[tuple[Law, str]]:
    """The laws that rules stand on, each with the name in front of their ids; the ruleset's own comes last."""
    found: dict[str, tuple[Law, str]] = {}
    for rule in ruleset.rules.values():
        law = ruleset.laws.get(rule.module)
        if law is not None:
            found.setdefault(rule.module, (law, rule.base))
    if not found and ruleset.law is not None:
        return [(ruleset.law, "")]
    return list(found.values())


def _of_law(ruleset: Ruleset, law: Law, base: str, others: Sequence[Law]) -> Iterator[Obligation]:
    by_clause: dict[str, list[Reference]] = {}
    for reference in references(law, others):
        by_clause.setdefault(reference.where, []).append(reference)
    for where, found in by_clause.items():
        rules = _rules_on(ruleset, law, base, where)
        if rules and all(rule.disapplied is not None for rule in rules):
            continue
        names = tuple(rule.id for rule in rules)
        place = named(base, where)
        sound: list[Reference] = []
        for number, reference in enumerate(found):
            fault = fault_of(ruleset, law, base, reference)
            if fault is None:
                sound.append(reference)
                continue
            again = sum(other.words == reference.words for other in found[:number])
            yield Obligation(
                f'reference {place} "{_shortened(reference.words)}"{f" ({again + 1})" if again else ""}',
                "reference",
                f'what {place} calls "{reference.words}" is there',
                names,
                told=fault,
            )
        if sound:
            yield Obligation(
                f"references {place}",
                "reference",
                f"what {place} refers to is there, or is named as a text elsewhere",
                names,
                about=tuple(_resolved(reference) for reference in sound),
            )


def fault_of(ruleset: Ruleset, law: Law, base: str, reference: Reference) -> str | None:
    """Why a reference leads nowhere; None where it leads somewhere."""
    match reference.status:
        case "dangling":
            missing = ", ".join(f"section {m}" if m.isdigit() else m for m in reference.missing)
            return f"{reference.law or law.id} has no {missing}, which {reference.where} refers to"
        case "external" | "elsewhere":
            return None
        case "here":
            gone = [a for a in reference.addresses if _is_disapplied(ruleset, law, base, a)]
            if not gone:
                return None
            clauses = ", ".join(gone)
            return f"{reference.where} refers to {clauses}, which {_disapplier(ruleset, law, base, gone[0])} disapplies"


def _is_disapplied(ruleset: Ruleset, law: Law, base: str, address: str) -> bool:
    """Whether every rule that stands on the clause, or below it, is disapplied."""
    rules = _rules_below(ruleset, law, base, address)
    return bool(rules) and all(rule.disapplied is not None for rule in rules)


def _disapplier(ruleset: Ruleset, law: Law, base: str, address: str) -> str:
    rules = _rules_below(ruleset, law, base, address)
    return next((rule.disapplied for rule in rules if rule.disapplied is not None), ruleset.name)


def _rules_on(ruleset: Ruleset, law: Law, base: str, address: str) -> list[Rule]:
    return [r for r in _rules_of(ruleset, base) if law.canonical(r.address) == address]


def _rules_below(ruleset: Ruleset, law: Law, base: str, address: str) -> list[Rule]:
    return [
        r
        for r in _rules_of(ruleset, base)
        if law.canonical(r.address) == address or law.is_under(r.address, address)
    ]


def _rules_of(ruleset: Ruleset, base: str) -> list[Rule]:
    return [r for r in ruleset.rules.values() if r.base == base]


def _resolved(reference: Reference) -> str:
    if reference.status == "here":
        return f'"{reference.words}": {", ".join(reference.addresses)}'
    where = reference.law if reference.status == "elsewhere" else reference.instrument
    clauses = f" {', '.join(reference.addresses)}" if reference.addresses else ""
    held = "" if reference.status == "elsewhere" else ", a text that is not here"
    return f'"{reference.words}": {where}{clauses}{held}'


def _shortened(words: str) -> str:
    split = words.split()
    return words if len(split) <= MOST_WORDS else " ".join(split[:MOST_WORDS]) + " …"


def _speaking(ruleset: Ruleset, note: str) -> tuple[str, ...]:
    """The rule that a note begins with."""
    starts = [rule for rule in ruleset.rules if note.startswith(f"{rule} refers to ")]
    return tuple(sorted(starts, key=len)[-1:])
