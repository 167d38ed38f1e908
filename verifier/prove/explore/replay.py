"""Events from an empty table on, judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from verifier.core.program import Program
from verifier.prove.explore.snapshot import Runner
from verifier.prove.question import Play
from verifier.run.bench import Happening


def replay(program: Program, options: Mapping[str, object], happenings: Iterable[Happening]) -> Play | None:
    """The play that the events make, judged by a judge of its own; None where one of them cannot happen.

    `options` are all stated. Amounts are in minor units, values as the interpreter has them.
    """
    return replayed(Runner(program), options, happenings)


def replayed(runner: Runner, options: Mapping[str, object], happenings: Iterable[Happening]) -> Play | None:
    """As `replay`, by a judge that is there already."""
    snapshot = runner.empty
    events: list[Happening] = []
    breaches: list[tuple[str, ...]] = []
    for happening in happenings:
        stepped = runner.step(snapshot, options, happening)
        if stepped is None:
            return None
        snapshot = stepped.snapshot
        events.append(happening)
        breaches.append(stepped.breaches)
    ids = {kind: dict(names) for kind, names in snapshot.state.ids.items()}
    return Play(dict(options), tuple(events), tuple(breaches), replace(snapshot.state, ids=ids))
