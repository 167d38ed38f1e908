"""Transcripts in which another does what one has done: what is so of one alone often shows with a second beside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from verifier.model import types as ty
from verifier.mutate.reaching import Reached
from verifier.prove.explore.explorer import Explorer
from verifier.prove.explore.snapshot import Runner, Snapshot
from verifier.prove.question import Play
from verifier.run.bench import Happening


def accompanied(explorer: Explorer, runner: Runner, places: Iterable[Reached]) -> Iterator[Play]:
    """Each whole transcript with one more event, right after one that is the same but for who is meant, and what of
    the rest can still happen."""
    for place in places:
        options, events = place.play.options, (*place.play.happenings, *place.rest)
        ids = _ids(explorer, events)
        snapshot = runner.empty
        for number, happening in enumerate(events):
            stepped = runner.step(snapshot, options, happening)
            if stepped is None:
                break
            snapshot = stepped.snapshot
            for other in _others(explorer, happening, ids):
                beside = runner.step(snapshot, options, other)
                if beside is not None:
                    rest = _possible(runner, options, beside.snapshot, events[number + 1 :])
                    yield Play(options, (*events[: number + 1], other, *rest), (), place.play.state)


def _others(
    explorer: Explorer, happening: Happening, ids: Mapping[str, Sequence[object]]
) -> Iterator[Happening]:
    """The same event of others: with another of the ids, one of them new, in the place of one of its own."""
    for at, param in enumerate(explorer.program.ruleset.events[happening.event].params):
        if isinstance(param.type, ty.IdT):
            for value in ids[param.type.name]:
                if value != happening.values[at]:
                    values = (*happening.values[:at], value, *happening.values[at + 1 :])
                    yield Happening(happening.event, happening.actor, values)


def _ids(explorer: Explorer, events: Sequence[Happening]) -> dict[str, list[object]]:
    """Of each type the ids that events name, and the first of the scope that they do not."""
    found: dict[str, dict[object, None]] = {name: {} for name in explorer.scope.ids}
    for happening in events:
        params = explorer.program.ruleset.events[happening.event].params
        for param, value in zip(params, happening.values, strict=True):
            if isinstance(param.type, ty.IdT):
                found[param.type.name][value] = None
    return {
        name: [*named, *[one for one in explorer.scope.ids[name] if one not in named][:1]]
        for name, named in found.items()
    }


def _possible(
    runner: Runner, options: Mapping[str, object], snapshot: Snapshot, events: Sequence[Happening]
) -> Iterator[Happening]:
    for happening in events:
        stepped = runner.step(snapshot, options, happening)
        if stepped is not None:
            snapshot = stepped.snapshot
            yield happening
