"""History in expressions: patterns of events to latches, `has been broken` to breach latches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.model import terms as m
from verifier.model.ruleset import BreachLatch, Event, Latch
from verifier.model.scope import Source, World, call, nearest
from verifier.model.terms import Term
from verifier.syntax import tree as t

if TYPE_CHECKING:
    from verifier.model.expressions import Env

MAX_KEYS = 2
"""A latch is keyed by at most this many parameters of its event."""


def event_latch(pattern: t.Call | t.Name, scope: t.Scope, at: t.At, env: Env) -> tuple[int, tuple[Term, ...]]:
    """The latch that counts what `pattern` describes within `scope`, and the key to read it with."""
    event = _event(pattern, env)
    fixed, keys = _arguments(pattern, event, env)
    if len(keys) > MAX_KEYS:
        raise env.error(
            at,
            f"history is kept by at most {MAX_KEYS} things, this asks for {len(keys)}",
            "history",
            "write `any` where it does not matter",
        )
    life, reset, reset_fixed, links = _scope(scope, keys, env)
    latch = Latch(event.name, fixed, tuple(i for i, _ in keys), life, reset, reset_fixed, links)
    number = env.world.latches.setdefault(latch, len(env.world.latches))
    return number, tuple(term for _, term in keys)


def _event(pattern: t.Call | t.Name, env: Env) -> Event:
    found = env.world.events.get(pattern.name)
    if found is None:
        raise env.error(
            pattern.at,
            f"there is no event `{pattern.name}`",
            "unknown-name",
            nearest(pattern.name, list(env.world.events)),
        )
    return found


def positional(args: tuple[t.Arg, ...], event: Event, at: t.At, source: Source) -> list[t.Arg | None]:
    """The arguments by position; None where any value will do. Named arguments leave the others open."""
    names = [p.name for p in event.params]
    if any(a.name for a in args):
        by_name: dict[str, t.Arg] = {}
        for arg in args:
            if arg.name is None:
                raise source.error(arg.at, "arguments are either all in order or all named", "arity", None)
            if arg.name not in names:
                raise source.error(
                    arg.at,
                    f"`{event.name}` has no `{arg.name}`",
                    "unknown-name",
                    nearest(arg.name, names) or "it has " + (", ".join(names) or "no parameters"),
                )
            if arg.name in by_name:
                raise source.error(arg.at, f"`{arg.name}` is given twice", "arity", None)
            by_name[arg.name] = arg
        return [by_name.get(name) for name in names]
    if args and len(args) != len(names):
        raise source.error(
            at,
            f"`{event.name}` takes {len(names)} argument(s), found {len(args)}",
            "arity",
            f"write {call(event.name, names)}" + (", with `any` where it does not matter" if names else ""),
        )
    return list(args) if args else [None] * len(names)


def _arguments(
    pattern: t.Call | t.Name, event: Event, env: Env
) -> tuple[tuple[tuple[int, object], ...], list[tuple[int, Term]]]:
    from verifier.model.expressions import elaborate

    args = pattern.args if isinstance(pattern, t.Call) else ()
    fixed: list[tuple[int, object]] = []
    keys: list[tuple[int, Term]] = []
    for index, arg in enumerate(positional(args, event, pattern.at, env.source)):
        if arg is None or arg.value is None:
            continue
        if arg.where is not None:
            raise env.error(arg.at, "history takes values and `any`, no conditions", "history", None)
        term = elaborate(arg.value, env, event.params[index].type)
        constant = constant_value(term)
        if constant is None:
            keys.append((index, term))
        else:
            fixed.append((index, constant[0]))
    return tuple(fixed), keys


def constant_value(term: Term) -> tuple[object] | None:
    """The value of a term made of literals only, in a tuple; else None."""
    match term:
        case m.Lit(value=value):
            return (value,)
        case m.Make(parts=parts):
            values = [constant_value(p) for p in parts]
            if any(v is None for v in values):
                return None
            return (tuple(v[0] for v in values if v is not None),)
        case _:
            return None


def _scope(
    scope: t.Scope, keys: list[tuple[int, Term]], env: Env
) -> tuple[str | None, str | None, tuple[tuple[int, object], ...], tuple[tuple[int, int], ...]]:
    if scope.life is not None:
        return life_named(scope.life, scope.at, env.source, env.world), None, (), ()
    assert scope.since is not None
    event = _event(scope.since, env)
    fixed, others = _arguments(scope.since, event, env)
    links: list[tuple[int, int]] = []
    for index, term in others:
        position = next((p for p, (_, key) in enumerate(keys) if key == term), None)
        if position is None:
            raise env.error(
                scope.at,
                "what `since` names must be named in the event before it too",
                "history",
                "use the same variables on both sides, or `any`",
            )
        links.append((position, index))
    return None, event.name, fixed, tuple(links)


def life_named(name: str, at: t.At, source: Source, world: World) -> str:
    """A declared life."""
    if name not in world.lives:
        raise source.error(
            at,
            f"there is no life `{name}`",
            "unknown-name",
            nearest(name, list(world.lives)) or "declare it: `life NAME ends EVENT`",
        )
    return name


def breach_latch(clause: t.ClauseRef, scope: t.Scope, at: t.At, source: Source, world: World) -> int:
    """The latch that keeps whether a rule has been broken."""
    life = life_named(scope.life, scope.at, source, world) if scope.life else None
    reset: str | None = None
    if scope.since is not None:
        if scope.since.name not in world.events:
            raise source.error(
                scope.at,
                f"there is no event `{scope.since.name}`",
                "unknown-name",
                nearest(scope.since.name, list(world.events)),
            )
        if isinstance(scope.since, t.Call) and any(a.value is not None for a in scope.since.args):
            raise source.error(
                scope.at,
                "a breach is kept since an event of any kind, not of some",
                "history",
                f"write `since {scope.since.name}`",
            )
        reset = scope.since.name
    latch = BreachLatch(clause.address, clause.label, life, reset, source.base)
    places, place = world.breach_places.setdefault(latch, []), source.place(clause.at)
    if place not in places:
        places.append(place)
    return world.breaches.setdefault(latch, len(world.breaches))
