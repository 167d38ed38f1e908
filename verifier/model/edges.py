"""The exception graph: every spelling of an exception to one kind of edge, `apply` to copies, and no cycles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from verifier.errors import LawError, RuleTextError
from verifier.model.expressions import Env, condition
from verifier.model.rules import Book, rule_id
from verifier.model.ruleset import Contribution, Edge, Norm, Rule, Unit, named
from verifier.model.scope import Source, Text, World, nearest
from verifier.syntax import tree as t


def rules_under(text: Text, book: Book, ref: t.ClauseRef, source: Source) -> list[Rule]:
    """The rules of the text that a reference means: on the clause and every clause below it, or one labelled part.

    Those that are disapplied are among them.
    """
    law = text.law
    if ref.label is not None:
        name = named(text.base, rule_id(ref.address, ref.label))
        if name in book.rules:
            return [book.rules[name]]
        known = [rule_id(r.address, r.label) for r in book.rules.values() if r.module == text.module]
        raise source.error(
            ref.at,
            f"there is no rule {name}",
            "unknown-clause",
            nearest(rule_id(ref.address, ref.label), known)
            or "labels stand in brackets after the clause's number",
        )
    try:
        address = law.clause(ref.address).address
    except LawError as error:
        raise source.error(
            ref.at, f"{law.id} has no clause {ref.address}", "unknown-clause", error.problem.help
        ) from None
    wanted = {address, *(clause.address for clause in law.descendants(address))}
    found = [r for r in book.rules.values() if r.module == text.module and law.canonical(r.address) in wanted]
    if not found:
        raise source.error(
            ref.at,
            f"no rule stands on {ref.address} or below it",
            "unknown-clause",
            "transcribe the clause first, or refer to another",
        )
    return found


def below(text: Text, book: Book, rule: str) -> list[Rule]:
    """The rules on the clauses under that of the rule."""
    address = book.rules[rule].address
    return [
        r for r in book.rules.values() if r.module == text.module and text.law.is_under(r.address, address)
    ]


def note_disapplied(book: Book, who: str, ref: t.ClauseRef, rules: Iterable[Rule]) -> bool:
    """Whether some of `rules`, which `who` refers to as `ref`, are disapplied; a note says so."""
    rules = list(rules)
    gone = [r for r in rules if r.disapplied is not None]
    if not gone:
        return False
    what = ("section " if ref.section else "") + rule_id(ref.address, ref.label)
    if len(gone) == len(rules):
        book.notes[f"{who} refers to {what}, which is disapplied"] = None
    else:
        names = ", ".join(rule_id(r.address, r.label) for r in gone)
        book.notes[
            f"{who} refers to {what}, of which {names} {'is' if len(gone) == 1 else 'are'} disapplied"
        ] = None
    return True


def units_of(book: Book, rules: Iterable[Rule]) -> list[Unit]:
    names = {r.id for r in rules}
    return [u for u in book.units.values() if u.rule in names]


def heads(unit: Unit) -> frozenset[str]:
    """What a unit speaks of: its decision, or the events of its acts."""
    match unit:
        case Contribution(decision=decision):
            return frozenset((decision,))
        case Norm(acts=acts):
            return frozenset(a.event for a in acts)


def alike(a: Unit, b: Unit) -> bool:
    """Whether one displaces the other as like: the same decision, or an event in common."""
    return type(a) is type(b) and bool(heads(a) & heads(b))


def resolve(texts: Mapping[str, Text], world: World, book: Book) -> tuple[list[Edge], list[RuleTextError]]:
    """All edges that words of the texts (by module) make; `apply` copies are added with their inner exceptions."""
    edges: list[Edge] = []
    errors: list[RuleTextError] = []
    everything: list[str] = [
        rule for _, rule, edge in book.edges if edge.kind == "notwithstanding everything"
    ]
    copies: dict[str, list[tuple[str, str]]] = {}
    for source, rule, apply in book.applies:
        try:
            _apply(texts[source.path], world, book, source, rule, apply, copies)
        except RuleTextError as error:
            errors.append(error)
    for source, rule, edge in book.edges:
        try:
            edges += _edge(texts[source.path], book, source, rule, edge, everything)
        except RuleTextError as error:
            errors.append(error)
    edges += _inner(edges, copies)
    unique = list(dict.fromkeys(edges))
    cycle = find_cycle(unique)
    if cycle:
        place = next(e.place for e in unique if e.loser == cycle[0] and e.winner == cycle[1])
        source = next(s for s, _, _ in book.edges if s.path == place.file)
        names = " → ".join(u.rsplit(" #", 1)[0] for u in cycle)
        errors.append(
            source.error(
                t.At(place.line, place.column, place.end_line, place.end_column),
                f"these exceptions go in a circle: {names}",
                "exception-cycle",
                "an exception to an exception is a rule of its own; drop one of the edges",
            )
        )
    return unique, errors


def _edge(
    text: Text, book: Book, source: Source, rule: str, edge: t.Edge, everything: list[str]
) -> list[Edge]:
    mine = [u for u in book.units.values() if u.rule == rule]
    idle = False
    if not mine and book.rules[rule].has_given:
        mine = units_of(book, below(text, book, rule))
        idle = lost_below(text, book, rule)
    for ref in edge.refs:
        idle |= note_disapplied(book, rule, ref, rules_under(text, book, ref, source))
    if edge.only_for:
        mine = [u for u in mine if heads(u) & set(edge.only_for)]
    place = source.place(edge.at)
    found: list[Edge] = []
    match edge.kind:
        case "except" | "subject to" | "unless":
            for ref in edge.refs:
                others = units_of(book, rules_under(text, book, ref, source))
                new = _displace(mine, others, place, winner_first=False)
                found += new if new or idle else _meets_nothing(source, edge, ref)
        case "notwithstanding" | "overrides":
            for ref in edge.refs:
                others = units_of(book, rules_under(text, book, ref, source))
                new = _displace(others, mine, place, winner_first=True)
                found += new if new or idle else _meets_nothing(source, edge, ref)
        case "unless expressly permitted":
            permits = [u for u in _units_in(text, book) if isinstance(u, Norm) and u.force == "may"]
            found += [
                Edge(u.id, p.id, True, place) for u in mine for p in permits if alike(u, p) and _same(u, p)
            ]
        case "notwithstanding everything":
            units = _units_in(text, book)
            excused = {u.id for u in units if any(within(text, book, u.rule, r) for r in everything)}
            others = [u for u in units if u.id not in excused]
            prevailing = [u for u in units if within(text, book, u.rule, rule)]
            found += [Edge(o.id, u.id, True, place) for u in prevailing for o in others if alike(o, u)]
    return found


def _meets_nothing(source: Source, edge: t.Edge, ref: t.ClauseRef) -> list[Edge]:
    """An exception without effect is a mistake of the text: one of its sides neither binds nor decides."""
    raise source.error(
        ref.at,
        f"nothing here meets {rule_id(ref.address, ref.label)}",
        "idle-exception",
        f"`{edge.kind}` wants a rule on both sides that decides or binds: say where the words stand with a reading,"
        " or put the exception on the rule that it narrows",
    )


def _same(prohibition: Unit, permit: Norm) -> bool:
    """Whether a permission is somebody's whom the prohibition binds."""
    return isinstance(prohibition, Norm) and bool(set(prohibition.roles) & set(permit.roles))


def within(text: Text, book: Book, rule: str, chapeau: str) -> bool:
    """Whether `rule` is `chapeau` or stands under it, and the latter hands down what it says."""
    a, b = book.rules[rule], book.rules[chapeau]
    if a.module != b.module:
        return False
    return a.id == b.id or (b.has_given and text.law.is_under(a.address, b.address))


def lost_below(text: Text, book: Book, rule: str) -> bool:
    """Whether a rule under the clause of `rule` is disapplied."""
    return any(r.disapplied is not None for r in below(text, book, rule))


def _units_in(text: Text, book: Book) -> list[Unit]:
    return [u for u in book.units.values() if book.rules[u.rule].module == text.module]


def _displace(losers: list[Unit], winners: list[Unit], place: object, winner_first: bool) -> list[Edge]:
    """Like displaces like; where the winners hold nothing like it, any of them displaces."""
    from verifier.model.ruleset import Place

    assert isinstance(place, Place)
    found: list[Edge] = []
    any_like = any(alike(a, b) for a in losers for b in winners)
    for loser in losers:
        like = [w for w in winners if alike(loser, w) and w.id != loser.id]
        if like:
            found += [Edge(loser.id, w.id, True, place) for w in like]
        elif not winner_first or not any_like:
            found += [Edge(loser.id, w.id, False, place) for w in winners if w.id != loser.id]
    return found


# --------------------------------------------------------------------------------------------------- apply
def _apply(
    text: Text,
    world: World,
    book: Book,
    source: Source,
    rule: str,
    apply: t.Apply,
    copies: dict[str, list[tuple[str, str]]],
) -> None:
    rules, gone = _range(text, book, rule, apply, source)
    own = book.rules[rule]
    added: list[tuple[str, str]] = []
    decides = any(isinstance(unit, Contribution) for unit in units_of(book, rules))
    for unit in units_of(book, rules):
        if not isinstance(unit, Contribution) and not decides:
            continue
        if not isinstance(unit, Contribution):
            raise source.error(
                apply.at,
                f"{unit.rule} binds an act: only clauses that decide something are applied elsewhere",
                "apply",
                "apply the deciding clauses, and write the duty or prohibition out",
            )
        env = Env(source, world, {p.name: p.type for p in unit.variables})
        where = condition(apply.where, env)
        number = sum(1 for u in book.units.values() if u.rule == rule) + 1
        copy = replace(
            unit,
            id=f"{rule} #{number} with {unit.rule.removeprefix(f'{text.base} ')}",
            rule=rule,
            given=(where,),
            place=source.place(apply.at),
            applied=unit.id,
            handed=(),
        )
        book.units[copy.id] = copy
        added.append((unit.id, copy.id))
    if not added and not gone:
        raise source.error(
            apply.at,
            "there is nothing to apply: these clauses decide nothing",
            "apply",
            "apply clauses that contribute to a decision",
        )
    copies.setdefault(own.id, []).extend(added)


def _range(text: Text, book: Book, rule: str, apply: t.Apply, source: Source) -> tuple[list[Rule], bool]:
    """The rules that are applied, and whether some of them are disapplied."""
    first = rules_under(text, book, apply.first, source)
    if apply.last is None:
        return first, note_disapplied(book, rule, apply.first, first)
    rules_under(text, book, apply.last, source)
    stem, low = _letter(apply.first, source)
    other, high = _letter(apply.last, source)
    if stem != other or low > high:
        raise source.error(
            apply.at,
            "the two ends are not in one list, in its order",
            "apply",
            "write for example `apply 5.1(a) to 5.1(g) where …`",
        )
    found = [
        r
        for r in book.rules.values()
        if r.module == text.module
        and (match := re.fullmatch(re.escape(stem) + r"\(([a-z])\)", r.address))
        and low <= match.group(1) <= high
    ]
    lost = [note_disapplied(book, rule, t.ClauseRef(apply.at, r.address, r.label), [r]) for r in found]
    return found, any(lost)


def _letter(ref: t.ClauseRef, source: Source) -> tuple[str, str]:
    match = re.fullmatch(r"(.*)\(([a-z])\)", ref.address)
    if match is None:
        raise source.error(ref.at, f"{ref.address} is no lettered subparagraph", "apply", None)
    return match.group(1), match.group(2)


def _inner(edges: list[Edge], copies: dict[str, list[tuple[str, str]]]) -> list[Edge]:
    """Exceptions among the applied clauses come along to their copies."""
    found: list[Edge] = []
    for pairs in copies.values():
        by = dict(pairs)
        for edge in edges:
            if edge.loser in by and edge.winner in by:
                found.append(replace(edge, loser=by[edge.loser], winner=by[edge.winner]))
    return found


def links(loser: Unit, winner: Unit, like: bool) -> tuple[tuple[str, str], ...]:
    """What stands for each variable of the winner where it displaces the loser: one of the loser's, or `some T`.

    Like units are linked through the arguments of the decision or event that they share, others by name and type.
    """
    match loser, winner:
        case Contribution(), Contribution() if like:
            pairs = zip(winner.variables, loser.variables, strict=True)
            return tuple((w.name, v.name) for w, v in pairs)
        case Norm(), Norm() if like:
            found: dict[str, str] = {}
            for mine in loser.acts:
                for theirs in (a for a in winner.acts if a.event == mine.event):
                    for slot, other in zip(mine.slots, theirs.slots, strict=True):
                        if other.variable is not None:
                            found.setdefault(other.variable, slot.variable or "the act's own")
            return tuple((v.name, found.get(v.name, f"some {v.type}")) for v in winner.variables)
        case _:
            types = {v.name: v.type for v in loser.variables}
            return tuple(
                (v.name, v.name if types.get(v.name) == v.type else f"some {v.type}")
                for v in winner.variables
            )


def find_cycle(edges: list[Edge]) -> list[str] | None:
    """A circle in the graph, from a unit back to itself, or None."""
    graph: dict[str, list[str]] = {}
    for edge in edges:
        graph.setdefault(edge.loser, []).append(edge.winner)
    done: set[str] = set()

    def visit(node: str, path: list[str]) -> list[str] | None:
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return None
        for after in graph.get(node, ()):
            cycle = visit(after, [*path, node])
            if cycle:
                return cycle
        done.add(node)
        return None

    for start in graph:
        cycle = visit(start, [])
        if cycle:
            return cycle
    return None
