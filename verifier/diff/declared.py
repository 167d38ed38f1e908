"""What is declared otherwise by two rulesets: what values there are, how long what is kept of play lasts and what it is
at first, by what chance values come about, and what is required of options by no words that are compared."""

from __future__ import annotations

from collections.abc import Iterator

from verifier.diff.merge import Merger
from verifier.diff.unify import SIDES, Side, Which
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Chance, Life, Ruleset, StateField
from verifier.model.show import names_of, show_term
from verifier.model.terms import Term, subterms


def declared(merger: Merger) -> Iterator[str]:
    """What both declare, and not alike, a few words for each."""
    old, new = merger.common.old, merger.common.new
    yield from _values(old, new)
    yield from _taken(old, new)
    for name, life in old.ruleset.lives.items():
        other = new.ruleset.lives.get(name)
        if other is not None and _spans(old, life) != _spans(new, other):
            yield f"when the {name} begins and ends"
    yield from _kept(old, new)
    if _chances(merger, "old") != _chances(merger, "new"):
        yield "by what chance values come about"
    if any(_unsaid(merger, which) for which in SIDES):
        yield "what is required of options"


def _values(old: Side, new: Side) -> Iterator[str]:
    """Types of both that are one in common, and do not have the same values."""
    for name, first in old.ruleset.types.items():
        second = new.ruleset.types.get(name)
        if second is not None and old.types.get(name) == new.types.get(name):
            match first, second:
                case ty.IntT(), ty.IntT():
                    alike = (first.low, first.high) == (second.low, second.high)
                case ty.EnumT(), ty.EnumT():
                    values = (ty.finite_values(t) or () for t in (first, second))
                    mine, theirs = (
                        {side.value(t, v) for v in those}
                        for side, t, those in zip((old, new), (first, second), values, strict=True)
                    )
                    alike = mine == theirs
                case _:
                    alike = True
            if not alike:
                yield f"what values a {name} may have"


def _taken(old: Side, new: Side) -> Iterator[str]:
    """Events of both of which one takes values, of a range without a name, that the other does not."""
    theirs = {known: name for name, known in new.events.items()}
    for name, known in old.events.items():
        if known in theirs:
            first, second = old.ruleset.events[name], new.ruleset.events[theirs[known]]
            mine = [old.type(p.type) for p in first.params]
            if mine != [new.type(p.type) for p in second.params]:
                yield f"what values the event {name} takes"
            if first.life != second.life:
                yield f"in whose log the event {name} stands"


def _spans(side: Side, life: Life) -> object:
    """When a life begins and ends, by common names."""
    begins, ends = ({side.events.get(e, e) for e in those} for those in (life.begins, life.ends))
    return begins, ends, life.beside


def _kept(old: Side, new: Side) -> Iterator[str]:
    """What of state and of things of both is not alike at first, does not last as long, or may have other values."""
    theirs = {known: name for name, known in new.state.items()}
    for name, known in old.state.items():
        if known in theirs:
            first, second = old.ruleset.state[name], new.ruleset.state[theirs[known]]
            yield from _field(name, (old, first), (new, second))
    for name, entity in old.ruleset.entities.items():
        other = new.ruleset.entities.get(name)
        if other is None or old.entities[name] != new.entities[name]:
            continue
        if entity.life != other.life:
            yield f"how long a {name} lasts"
        called = {new.fields[name, f.name]: f for f in other.fields}
        for one in entity.fields:
            same = called.get(old.fields[name, one.name])
            if same is not None and entity.life == other.life:
                yield from _field(f"{one.name} of a {name}", (old, one), (new, same))


def _field(name: str, first: tuple[Side, StateField], second: tuple[Side, StateField]) -> Iterator[str]:
    (old, mine), (new, its) = first, second
    if mine.life != its.life:
        yield f"how long {name} lasts"
    if old.value(mine.type, mine.initial) != new.value(its.type, its.initial):
        yield f"what {name} is at first"
    if old.type(mine.type) != new.type(its.type):
        yield f"what values {name} may have"


def _chances(merger: Merger, which: Which) -> set[object]:
    """By what chance the values of events of both come about, under common names."""
    side = merger.common.side(which)
    other = merger.common.side("new" if which == "old" else "old")
    both = set(other.events.values())
    ruleset = side.ruleset
    return {
        (side.events[c.event], c.parameter, _stock(merger, which, c), _since(side, c))
        for c in ruleset.chances
        if side.events[c.event] in both
    }


def _stock(merger: Merger, which: Which, chance: Chance) -> Term | None:
    if chance.stock is None:
        return None
    params = merger.common.side(which).ruleset.events[chance.event].params
    by: dict[str, Term] = {p.name: m.Var(p.type, f"e{i}") for i, p in enumerate(params)}
    return merger.term(which, substitute(chance.stock, by))


def _since(side: Side, chance: Chance) -> object:
    """Since when what is drawn of a stock is counted."""
    if chance.latch is None:
        return None
    latch = side.ruleset.latches[chance.latch]
    return latch.life, None if latch.reset is None else side.events[latch.reset], latch.reset_fixed


def _unsaid(merger: Merger, which: Which) -> bool:
    """Whether a side requires of options what the other does not, and words that are compared do not show it: they name
    no option, or the other side says the same of a define that is not the same."""
    other: Which = "new" if which == "old" else "old"
    own, its = (merger.common.side(w).ruleset for w in (which, other))
    known = {merger.term(other, r.condition) for r in its.requirements}
    words = {_shown(its, r.condition) for r in its.requirements}
    return any(
        merger.term(which, r.condition) not in known
        and (_shown(own, r.condition) in words or not _names_option(r.condition))
        for r in own.requirements
    )


def _shown(ruleset: Ruleset, term: Term) -> str:
    return show_term(term, names_of(ruleset))


def _names_option(term: Term) -> bool:
    return any(isinstance(t, m.OptionGet) for t in subterms(term))
