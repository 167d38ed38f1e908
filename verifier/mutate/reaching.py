"""Where transcripts come to what a mutant changes: the events before it, which need but other values to show it.

A transcript that asks a changed condition and finds it as before has all that a round needs that shows the change, but
for the cards, amounts or persons. So its events up to there are kept, with the one about which it was asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from verifier.check.engine import Prepared
from verifier.log.rows import Row
from verifier.mutate.difference import Changed
from verifier.mutate.record import Moment, Recorded
from verifier.prove.patterns import steered
from verifier.prove.question import Play
from verifier.run.bench import Happening

MOST_REACHED = 60
"""So many places at which a change was asked about are looked at, the shortest plays first."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A play to where a changed condition was asked, and the event about which it was; None at a transcript's end."""

    play: Play
    following: Happening | None


def reached(ready: Prepared, recorded: Sequence[Recorded], found: Changed | None) -> list[Reached]:
    """The places in transcripts of one table, each with other kinds of event before it, the fewest events first."""
    if found is None:
        return []
    places: dict[tuple[object, ...], Reached] = {}
    for one in recorded:
        for place in _places(ready, one, found):
            kinds = tuple(steered(ready.program, h) for h in place.play.happenings)
            last = None if place.following is None else steered(ready.program, place.following)
            places.setdefault((kinds, last), place)
    return sorted(places.values(), key=lambda place: len(place.play.happenings))[:MOST_REACHED]


def _places(ready: Prepared, recorded: Recorded, found: Changed) -> Iterator[Reached]:
    case, binding = recorded.case, ready.binding
    if recorded.moments is None or not case.rows:
        return
    if binding.schema.table is not None and len({row.lives[0] for row in case.rows}) > 1:
        return
    at: dict[int, Moment] = {}
    for moment in recorded.moments:
        if moment.options.keys() != ready.ruleset.options.keys():
            return
        if found.keys & moment.calls.keys() or (
            moment.rows < len(case.rows) and _judged_otherwise(found, case.rows[moment.rows])
        ):
            at.setdefault(moment.rows, moment)
    if at:
        events = [
            Happening(row.event, row.actor, binding.values(row.event, row.values, case.header))
            for row in case.rows
        ]
        for count, moment in at.items():
            following = events[count] if count < len(events) else None
            yield Reached(Play(dict(moment.options), tuple(events[:count]), (), moment.state), following)


def _judged_otherwise(found: Changed, row: Row) -> bool:
    return row.event in found.events or row.actor in found.actors or (row.event, row.actor) in found.acts
