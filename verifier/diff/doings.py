"""What differs between two rulesets though no rule says it: events of one side only, what events of both are and do,
and what is declared.

Nothing is proved of it. It is held against each other as written, under the common names, with the defines that it
reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from verifier.diff.declared import declared
from verifier.diff.merge import Merger
from verifier.diff.unify import SIDES, Which
from verifier.model import terms as m
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Append, Each, Event, FieldTarget, New, StateTarget, Target, Update, Write
from verifier.model.terms import Term


def background(merger: Merger) -> tuple[str, ...]:
    """What differs and is not compared, a few words for each."""
    common = merger.common
    found: list[str] = []
    for which in SIDES:
        other: Which = "new" if which == "old" else "old"
        names = set(common.side(other).events.values())
        alone = [name for name in common.side(which).events.values() if name not in names]
        found += [f"the event {name.removeprefix(f'{which}.')} of the {which}" for name in alone]
    if merger.programs["old"].answers != merger.programs["new"].answers:
        found.append("who answers for whose breach")
    # Decisions are compared for themselves: here those that both have are one.
    merger = merger.blind()
    found += _of_events(merger)
    found += declared(merger)
    return tuple(found)


def _of_events(merger: Merger) -> Iterator[str]:
    """What the events of both are and do, where that is not the same. What is written alike may name defines that are
    not the same."""
    old, new = merger.common.old, merger.common.new
    theirs = {known: name for name, known in new.events.items()}
    for name, known in old.events.items():
        if known not in theirs:
            continue
        first, second = old.ruleset.events[name], new.ruleset.events[theirs[known]]
        if (old.roles(first.by), first.observed) != (new.roles(second.by), second.observed):
            yield f"whose act the event {name} is"
        if _said(merger, "old", first) != _said(merger, "new", second):
            yield f"what the event {name} needs, claims or moves"
        does = old.ruleset.mechanics.get(name, ()), new.ruleset.mechanics.get(theirs[known], ())
        if _done(merger, "old", first, does[0]) != _done(merger, "new", second, does[1]):
            yield f"what the event {name} does"


def _said(merger: Merger, which: Which, event: Event) -> object:
    """What an event needs, claims and moves, under common names."""
    by = _by_place(event)

    def common(term: Term | None) -> Term | None:
        return None if term is None else merger.term(which, substitute(term, by))

    return (
        tuple(map(common, event.needs)),
        tuple(map(common, event.claims)),
        tuple((common(x.amount), common(x.source), common(x.target), common(x.due)) for x in event.moves),
    )


def _done(merger: Merger, which: Which, event: Event, updates: tuple[Update, ...]) -> tuple[Update, ...]:
    """What an event does, under common names."""
    side, by = merger.common.side(which), _by_place(event)

    def put(term: Term) -> Term:
        return merger.term(which, substitute(term, by))

    def maybe(term: Term | None) -> Term | None:
        return None if term is None else put(term)

    def target(one: Target) -> Target:
        match one:
            case StateTarget(name=name, key=key):
                return StateTarget(side.state[name], maybe(key))
            case FieldTarget(entity=entity, name=name, of=of):
                return FieldTarget(side.entities[entity], side.fields[entity, name], put(of))

    def update(one: Update) -> Update:
        match one:
            case Write(target=where, value=value, when=when):
                return Write(target(where), put(value), maybe(when))
            case Append(target=where, value=value, when=when):
                return Append(target(where), put(value), maybe(when))
            case New(entity=entity, of=of, when=when):
                return New(side.entities[entity], put(of), maybe(when))
            case Each(domain=domain, where=where, update=inner):
                return replace(
                    one, domain=merger.domain(which, domain), where=maybe(where), update=update(inner)
                )

    return tuple(map(update, updates))


def _by_place(event: Event) -> dict[str, Term]:
    """An event's parameters by their places, whatever they are called."""
    return {p.name: m.Var(p.type, f"e{i}") for i, p in enumerate(event.params)}
