"""One clause of a ruleset's law: its words, the rules on it, and everything that points there or from there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from verifier.errors import Problem, RequestError
from verifier.law import Clause, Reference, find_quote, references, split_words
from verifier.lint.law import joins
from verifier.model import terms as m
from verifier.model.edges import links
from verifier.model.ruleset import Contribution, Edge, Givens, Rule, Ruleset
from verifier.model.show import Names, cite, names_of, show_term, show_unit
from verifier.model.terms import Term
from verifier.run.grounds import edge_words


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the clause, and the rules whose quotes hold it."""

    text: str
    quoted_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A clause above or below: its own words (above: those before its list), and how many rules stand on it."""

    address: str
    heading: str | None
    words: str
    rules: int


@dataclass(frozen=True, slots=True)
class EdgeLine:
    """An exception between the rule and `other`: which gives way, and the words that say so."""

    direction: Literal["gives way to", "goes before"]
    other: str
    words: str
    links: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class GivenLine:
    """A condition that a clause above hands down to a rule by `given`. `by` is the rule that it stands in; `of` names
    the decisions and events of the rule that it binds, and is empty where it binds all that the rule says."""

    condition: str
    by: str
    of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SuppliedLine:
    """A definition that the law lacks, and why it is supplied."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class UncheckedLine:
    """Why a clause, or the words given, have nothing to check."""

    kind: str
    reason: str
    words: str | None


@dataclass(frozen=True, slots=True)
class RuleOnClause:
    """A rule on the clause. `text` are its lines in the file; `says` what each of its parts says, `given` under what
    conditions of the clauses above; `supplied` what it reads, directly or through other rules' definitions, that the
    law does not say."""

    id: str
    quote: str
    file: str
    line: int
    text: tuple[str, ...]
    says: tuple[str, ...]
    readings: tuple[str, ...]
    unchecked: tuple[UncheckedLine, ...]
    edges: tuple[EdgeLine, ...]
    defines: tuple[str, ...]
    decisions: tuple[str, ...]
    options: tuple[str, ...]
    points_to: tuple[str, ...]
    agrees_with: tuple[str, ...]
    answers_for: tuple[str, ...]
    given: tuple[GivenLine, ...] = ()
    supplied: tuple[SuppliedLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Mention:
    """A reference in the law's words: from the clause `where`, in `words`, to `addresses` (or to no clause here)."""

    where: str
    words: str
    addresses: tuple[str, ...]
    status: str
    elsewhere: str | None


@dataclass(frozen=True, slots=True)
class NamedBy:
    """A rule elsewhere that names this clause, and how (`points to`, `agrees with`, `answers for`)."""

    rule: str
    how: str


@dataclass(frozen=True, slots=True)
class ClausePage:
    """All about one clause. `above` begins with the topmost clause; `intro` and `tail` are the words before and
    after its list; `mentions` are references in its own words, `mentioned_by` those of other clauses to it."""

    ruleset: str
    law: str
    law_title: str
    address: str
    kind: str
    heading: str | None
    above: tuple[Neighbour, ...]
    intro: tuple[Word, ...]
    below: tuple[Neighbour, ...]
    tail: tuple[Word, ...]
    rules: tuple[RuleOnClause, ...]
    mentions: tuple[Mention, ...]
    mentioned_by: tuple[Mention, ...]
    named_by: tuple[NamedBy, ...]

    @property
    def not_quoted(self) -> tuple[str, ...]:
        """The runs of words that no rule quotes, in order; words that only join the items of a list are none."""
        runs: list[list[str]] = []
        for part in (self.intro, self.tail):
            fresh = True
            for word in part:
                if word.quoted_by:
                    fresh = True
                    continue
                if fresh:
                    runs.append([])
                    fresh = False
                runs[-1].append(word.text)
        return tuple(" ".join(run) for run in runs if not joins(run))


def clause_page(ruleset: Ruleset, address: str) -> ClausePage:
    """The page of the clause at `address`; a rule's name with its label (`4.1(c) [one]`) means its clause.

    A clause of a ruleset that this one is laid over has that ruleset's name in front.
    Raises `LawError` for a clause that the law does not have, `RequestError` where the ruleset quotes no law.
    """
    if ruleset.law is None:
        raise RequestError(
            Problem(
                f"{ruleset.name} quotes no law",
                code="no-law",
                help="ask a ruleset that names its law at the top: `law ID`",
            )
        )
    named = ruleset.rules.get(address)
    module, rest = (ruleset.sources[-1].path, address) if named is None else (named.module, named.address)
    if named is None:
        for source in ruleset.sources[:-1]:
            if source.path in ruleset.laws and address.startswith(f"{source.module} "):
                module, rest = source.path, address.removeprefix(f"{source.module} ")
    law = ruleset.laws[module]
    clause = law.clause(rest)
    rules = rules_on(ruleset, module, clause)
    names = names_of(ruleset)
    found = references(law)
    border = len(split_words(clause.intro))
    words = _words(clause, rules)
    return ClausePage(
        ruleset.name,
        law.id,
        law.title,
        clause.address,
        clause.kind,
        clause.heading,
        tuple(_neighbour(ruleset, module, c, c.intro) for c in reversed(law.ancestors(clause.address))),
        words[:border],
        tuple(_neighbour(ruleset, module, c, c.text) for c in clause.children),
        words[border:],
        tuple(_rule(ruleset, names, rule) for rule in rules),
        tuple(_mention(r) for r in found if r.where == clause.address),
        tuple(
            _mention(r)
            for r in found
            if r.status == "here" and clause.address in r.addresses and r.where != clause.address
        ),
        _named_by(ruleset, module, clause),
    )


def rules_on(ruleset: Ruleset, module: str, clause: Clause) -> tuple[Rule, ...]:
    """The rules that stand on the clause itself, of the module that quotes its law."""
    law = ruleset.laws[module]
    return tuple(
        rule
        for rule in ruleset.rules.values()
        if rule.module == module and law.canonical(rule.address) == clause.address
    )


def _words(clause: Clause, rules: tuple[Rule, ...]) -> tuple[Word, ...]:
    quoted: list[dict[str, None]] = [{} for _ in clause.words]
    for rule in rules:
        for quote in (rule.quote, *(u.words for u in rule.unchecked if u.words is not None)):
            span = find_quote(clause, quote)
            for index in span.indices if span is not None else ():
                quoted[index][rule.id] = None
    return tuple(Word(text, tuple(by)) for text, by in zip(clause.words, quoted, strict=True))


def _neighbour(ruleset: Ruleset, module: str, clause: Clause, words: str) -> Neighbour:
    return Neighbour(clause.address, clause.heading, words, len(rules_on(ruleset, module, clause)))


def _mention(reference: Reference) -> Mention:
    return Mention(
        reference.where,
        reference.words,
        reference.addresses or reference.missing,
        reference.status,
        reference.law or reference.instrument,
    )


def _named_by(ruleset: Ruleset, module: str, clause: Clause) -> tuple[NamedBy, ...]:
    law = ruleset.laws[module]
    found: list[NamedBy] = []
    for rule in (r for r in ruleset.rules.values() if r.module == module):
        named = (
            ("points to", rule.points_to),
            ("agrees with", rule.agrees_with),
            ("answers for", tuple(c for _, clauses in rule.answers_for for c in clauses)),
        )
        for how, addresses in named:
            if any(law.canonical(a.split(" [")[0]) == clause.address for a in addresses):
                found.append(NamedBy(rule.id, how))
    return tuple(found)


def _rule(ruleset: Ruleset, names: Names, rule: Rule) -> RuleOnClause:
    source = next((s.text for s in ruleset.sources if s.path == rule.module), "")
    units = [unit for unit in ruleset.units.values() if unit.rule == rule.id]
    mine = {unit.id for unit in units}
    edges: dict[EdgeLine, None] = {}
    for edge in ruleset.edges:
        if edge.loser in mine and edge.winner not in mine:
            edges[
                EdgeLine("gives way to", cite(edge.winner), edge_words(edge, ruleset), _links(edge, ruleset))
            ] = None
        elif edge.winner in mine and edge.loser not in mine:
            edges[
                EdgeLine("goes before", cite(edge.loser), edge_words(edge, ruleset), _links(edge, ruleset))
            ] = None
    return RuleOnClause(
        rule.id,
        rule.quote,
        rule.place.file,
        rule.place.line,
        _lines(source, rule.place.line, rule.place.end_line),
        tuple(show_unit(unit, names) for unit in units),
        rule.readings,
        tuple(UncheckedLine(u.kind, u.reason, u.words) for u in rule.unchecked),
        tuple(edges),
        rule.defines,
        rule.decisions,
        rule.options,
        rule.points_to,
        rule.agrees_with,
        tuple(f"{role} for {', '.join(clauses)}" for role, clauses in rule.answers_for),
        tuple(_givens(ruleset, names, rule)),
        tuple(_supplied(ruleset, rule)),
    )


def _supplied(ruleset: Ruleset, rule: Rule) -> Iterator[SuppliedLine]:
    """What the rule's parts and definitions read that is supplied."""
    rest: list[Term] = [ruleset.functions[name].body for name in rule.defines if name in ruleset.functions]
    for unit in ruleset.units.values():
        if unit.rule != rule.id:
            continue
        rest += [*unit.given, *(() if unit.when is None else (unit.when,))]
        if isinstance(unit, Contribution):
            rest.append(unit.value)
        else:
            acts = (*unit.acts, *(() if unit.deadline is None else unit.deadline.acts))
            rest += [x for act in acts for s in act.slots for x in (s.equals, s.where) if x is not None]
    seen: set[str] = set()
    while rest:
        here = rest.pop()
        if isinstance(here, m.CallF) and here.function not in seen:
            seen.add(here.function)
            function = ruleset.functions.get(here.function)
            if function is not None and function.supplied is not None:
                yield SuppliedLine(function.name, function.supplied)
            elif function is not None:
                rest.append(function.body)
        rest.extend(m.children(here))


def _givens(ruleset: Ruleset, names: Names, rule: Rule) -> Iterator[GivenLine]:
    """What the clauses above hand down to the rule, the topmost first; its own givens stand in its text."""
    said: list[tuple[str, Givens]] = []
    for unit in ruleset.units.values():
        if unit.rule == rule.id:
            about = (
                unit.decision if isinstance(unit, Contribution) else " or ".join(a.event for a in unit.acts)
            )
            said.append((about, unit.handed))
    said += [(q.decision, q.handed) for q in ruleset.questions if q.rule == rule.id]
    bound: dict[tuple[str, Term], list[str]] = {}
    for about, handed in said:
        for by, condition in handed:
            if by != rule.id:
                bound.setdefault((by, condition), []).append(about)
    for (by, condition), those in bound.items():
        of = () if len(those) == len(said) else tuple(dict.fromkeys(those))
        yield GivenLine(show_term(condition, names), by, of)


def _lines(text: str, first: int, last: int) -> tuple[str, ...]:
    """The rule's lines, without blank ones and comments after its last statement."""
    lines = text.splitlines()[first - 1 : last]
    while lines and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()
    return tuple(lines)


def _links(edge: Edge, ruleset: Ruleset) -> tuple[tuple[str, str], ...]:
    return links(ruleset.units[edge.loser], ruleset.units[edge.winner], edge.like)
