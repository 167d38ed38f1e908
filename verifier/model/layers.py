"""A ruleset laid over another: whose law each module speaks of, what is disapplied, and which rules prevail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from verifier.model import terms as m
from verifier.model.edges import alike, lost_below, rules_under, within
from verifier.model.limits import reached
from verifier.model.rules import Book
from verifier.model.ruleset import Act, Contribution, Edge, Norm, Rule, Slot, Unchecked, Unit
from verifier.model.scope import Source, Text, World
from verifier.syntax import tree as t


def ruleset_block(module: t.Module) -> t.Ruleset | None:
    """The line by which a module names itself."""
    return next((b for b in module.blocks if isinstance(b, t.Ruleset)), None)


def find_bases(modules: Sequence[t.Module], under: Mapping[str, str]) -> dict[str, str]:
    """By module, the ruleset whose clauses it speaks of: empty for the one asked for, else the base's name.

    `modules` are those of one ruleset, used ones first and itself last; `under` is the base of each module that
    extends one. A module that only declares speaks of the clauses of the ruleset that it was read for.
    """
    main = modules[-1].path
    layers = {main, *under.values()}
    found: dict[str, str] = {}
    waiting: list[str] = []
    for module in modules:
        waiting.append(module.path)
        if module.path in layers:
            block = ruleset_block(module)
            name = module.path if block is None else block.name
            found.update(dict.fromkeys(waiting, "" if module.path == main else name))
            waiting = []
    return found


def disapply(source: Source, block: t.Ruleset, base: Text, book: Book) -> None:
    """Marks the rules that a ruleset disapplies, of the one that it extends.

    Raises `RuleTextError` for a clause that the base law does not have, or on which no rule stands.
    """
    for ref in block.disapplied:
        for rule in rules_under(base, book, ref, source):
            book.rules[rule.id] = replace(
                rule,
                unchecked=(Unchecked("structural", f"disapplied by {block.name}", None),),
                answers_for=(),
                edges=(),
                disapplied=rule.disapplied or block.name,
            )
    book.edges = [entry for entry in book.edges if book.applied(entry[1])]
    book.applies = [entry for entry in book.applies if book.applied(entry[1])]


def lost_givens(texts: Mapping[str, Text], book: Book, rule: Rule) -> bool:
    """Whether what a rule's `given` would bind may be disapplied."""
    return rule.module in texts and lost_below(texts[rule.module], book, rule.id)


def split(texts: Mapping[str, Text], book: Book) -> None:
    """Parts each prohibition by the roles for which a layer over it says the opposite.

    What prevails over it for one role leaves it standing for the others.
    """
    if len(texts) < 2:
        return
    rank = _ranks(texts)
    for unit in list(book.units.values()):
        if not isinstance(unit, Norm) or unit.force != "must not":
            continue
        over = [
            frozenset(other.roles)
            for other in book.units.values()
            if isinstance(other, Norm) and other.force != "must not" and _over(other, unit, rank, book)
        ]
        parts: dict[tuple[bool, ...], list[str]] = {}
        for role in unit.roles:
            parts.setdefault(tuple(role in roles for roles in over), []).append(role)
        first, *others = (tuple(roles) for roles in parts.values())
        book.units[unit.id] = replace(unit, roles=first)
        for roles in others:
            number = sum(1 for u in book.units.values() if u.rule == unit.rule) + 1
            part = replace(unit, id=f"{unit.rule} #{number}", roles=roles, exempt=())
            book.units[part.id] = part


def prevail(texts: Mapping[str, Text], world: World, book: Book) -> list[Edge]:
    """The edges by which a layer's own rules go before those of the rulesets that it is laid over.

    They run from a base to a layer over it, and no others join the two: they close no circle. None meets a rule
    that stands `notwithstanding everything`: that clash is for the reader.
    """
    if len(texts) < 2:
        return []
    rank = _ranks(texts)
    everything = [rule for _, rule, edge in book.edges if edge.kind == "notwithstanding everything"]
    found: list[Edge] = []
    for loser in book.units.values():
        text = texts[book.rules[loser.rule].module]
        if any(within(text, book, loser.rule, rule) for rule in everything):
            continue
        for winner in book.units.values():
            if _over(winner, loser, rank, book) and _opposed(loser, winner, world):
                found.append(Edge(loser.id, winner.id, True, winner.place, "layer"))
    return found


def _ranks(texts: Mapping[str, Text]) -> dict[str, int]:
    """How far up each module with rules stands, a base below the layers over it."""
    return {module: n for n, module in enumerate(texts)}


def _over(winner: Unit, loser: Unit, rank: Mapping[str, int], book: Book) -> bool:
    """Whether `winner` stands in a layer over `loser`, and both speak of one decision or event."""
    if not alike(winner, loser):
        return False
    return rank[book.rules[winner.rule].module] > rank[book.rules[loser.rule].module]


def _opposed(loser: Unit, winner: Unit, world: World) -> bool:
    """Whether both cannot stand. A `must not` narrows a `may`, and how a duty may be done: neither is a clash."""
    match loser, winner:
        case Contribution(), Contribution():
            return True
        case Norm(force="must not"), Norm(force="may"):
            return set(loser.roles) <= set(winner.roles)
        case Norm(force="must not"), Norm(force="must"):
            return set(loser.roles) <= set(winner.roles) and _forbids_all(winner, loser, world)
        case Norm(force="must"), Norm(force="must not"):
            return set(loser.roles) <= set(winner.roles) and _forbids_all(loser, winner, world)
        case _:
            return False


def _forbids_all(duty: Norm, prohibition: Norm, world: World) -> bool:
    """Whether the prohibition, where it applies, leaves no way to perform the duty.

    It must not look at the act's open arguments, nor at the state that the act leaves.
    """
    conditions = [*prohibition.given, *((prohibition.when,) if prohibition.when is not None else ())]
    if any(isinstance(x, m.AfterT) for term in conditions for x in reached(term, world)):
        return False
    (act, *others) = duty.acts
    return not others and all(_covers(act, other) for other in prohibition.acts if other.event == act.event)


def _covers(act: Act, forbidden: Act) -> bool:
    return all(
        theirs == Slot() or mine.variable is not None or mine.equals is not None
        for mine, theirs in zip(act.slots, forbidden.slots, strict=True)
    )
