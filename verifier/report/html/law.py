"""The law in its own order and words, each phrase with what becomes of it, each clause with what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from verifier.coverage.phrases import CoveredClause, Phrase, covered
from verifier.law import Clause, Law, split_words
from verifier.model.ruleset import Rule, Ruleset
from verifier.model.show import Names, names_of, show_unit

MARKS = {
    "formalised": "said by rules",
    "unobservable": "no log can show it",
    "external": "another instrument",
    "structural": "structure of the text",
    "missing": "nothing says it",
    "joining": "joins the items of a list",
}
"""What becomes of words, as the pages say it."""


@dataclass(frozen=True, slots=True)
class Part:
    """Words that fare alike; `title` says what of them."""

    words: str
    status: str
    title: str


@dataclass(frozen=True, slots=True)
class RuleSaid:
    """A rule on the clause: what it says, in its own language, and its readings and reasons."""

    id: str
    quote: str
    says: tuple[str, ...]
    readings: tuple[str, ...]
    reasons: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A clause with those under it. `name` is how it is cited, `known` what the page adds (verdicts, coverage)."""

    name: str
    address: str
    label: str
    heading: str | None
    depth: int
    intro: tuple[Part, ...]
    tail: tuple[Part, ...]
    rules: tuple[RuleSaid, ...]
    children: tuple[Node, ...]
    known: Any


@dataclass(frozen=True, slots=True)
class Instrument:
    """A law with its outermost clauses; `base` is the ruleset laid under, where it is that one's."""

    id: str
    title: str
    digest: str
    base: str
    nodes: tuple[Node, ...]


Known = Callable[[str], Any]
"""What a page knows of a clause, by the name by which it is cited."""


def instruments(ruleset: Ruleset, known: Known) -> tuple[Instrument, ...]:
    """The laws of a ruleset, its own first."""
    names = names_of(ruleset)
    modules = {source.path: source.module for source in ruleset.sources[:-1]}
    found: list[Instrument] = []
    for module, law in reversed(list(ruleset.laws.items())):
        base = modules.get(module, "")
        rules: dict[str, list[Rule]] = {}
        for rule in ruleset.rules.values():
            if rule.module == module:
                rules.setdefault(law.canonical(rule.address), []).append(rule)
        writer = _Writer(
            ruleset, names, law, base, {c.clause.address: c for c in covered(ruleset, module)}, rules, known
        )
        roots = [clause for clause in law.clauses.values() if clause.parent is None]
        found.append(
            Instrument(law.id, law.title, law.digest, base, tuple(writer.node(clause, 0) for clause in roots))
        )
    return tuple(found)


def clauses_by_rule(ruleset: Ruleset) -> dict[str, str]:
    """The clause that each rule stands on, as it is cited."""
    modules = {source.path: source.module for source in ruleset.sources[:-1]}
    found: dict[str, str] = {}
    for rule in ruleset.rules.values():
        base, law = modules.get(rule.module, ""), ruleset.laws.get(rule.module)
        address = rule.address if law is None else law.canonical(rule.address)
        found[rule.id] = f"{base} {address}" if base else address
    return found


def nodes_of(instrument: Instrument) -> Iterator[Node]:
    """All clauses of an instrument, in the order of the document."""
    rest = list(reversed(instrument.nodes))
    while rest:
        node = rest.pop()
        yield node
        rest.extend(reversed(node.children))


@dataclass(frozen=True, slots=True)
class _Writer:
    ruleset: Ruleset
    names: Names
    law: Law
    base: str
    covered: Mapping[str, CoveredClause]
    rules: Mapping[str, list[Rule]]
    known: Known

    def node(self, clause: Clause, depth: int) -> Node:
        name = f"{self.base} {clause.address}" if self.base else clause.address
        own = self.covered.get(clause.address)
        border = len(split_words(clause.intro))
        intro, tail = _parted(own.phrases if own is not None else (), border)
        return Node(
            name,
            clause.address,
            clause.label,
            clause.heading,
            depth,
            intro,
            tail,
            tuple(self._rule(rule) for rule in self.rules.get(clause.address, ())),
            tuple(self.node(child, depth + 1) for child in clause.children),
            self.known(name),
        )

    def _rule(self, rule: Rule) -> RuleSaid:
        says = [show_unit(u, self.names) for u in self.ruleset.units.values() if u.rule == rule.id]
        says += [f"defines {name}" for name in rule.defines]
        says += [f"opens the option {name}" for name in rule.options]
        if rule.disapplied is not None:
            says.append(f"disapplied by {rule.disapplied}")
        reasons = tuple((u.kind, u.reason) for u in rule.unchecked)
        return RuleSaid(rule.id, rule.quote, tuple(says), rule.readings, reasons)


def _parted(phrases: tuple[Phrase, ...], border: int) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """Phrases before and behind the clause's list; one across the border is parted."""
    intro: list[Part] = []
    tail: list[Part] = []
    for phrase in phrases:
        words = phrase.words.split(" ")
        cut = min(max(border - phrase.start, 0), len(words))
        title = _title(phrase)
        for side, own in ((intro, words[:cut]), (tail, words[cut:])):
            if own:
                side.append(Part(" ".join(own), phrase.status, title))
    return tuple(intro), tuple(tail)


def _title(phrase: Phrase) -> str:
    said = MARKS[phrase.status]
    if phrase.rules:
        said += f": {', '.join(phrase.rules)}"
    if phrase.reason:
        said += f" ({phrase.reason})"
    return said
