"""Where transcripts come to what a mutant changes: the events before it, which need but other values to show it.

A transcript that asks a changed condition and finds it as before has all that a round needs that shows the change, but
for the cards, amounts or persons. So its events up to there are kept, and those that follow apart from them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from verifier.check.engine import Prepared
from verifier.check.options import stated_options
from verifier.log.rows import Row
from verifier.mutate.difference import Changed
from verifier.mutate.record import Moment, Recorded
from verifier.prove.explore.settings import Settings
from verifier.prove.extent import scopes
from verifier.prove.patterns import steered
from verifier.prove.question import Play
from verifier.run.bench import Happening, effective_options
from verifier.transcripts.case import Case

MOST_REACHED = 200
"""So many places at which a change was asked about are looked at, short plays and long ones."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A play to where a changed condition was asked, and the transcript's events from there on: about the first of
    them it was asked."""

    play: Play
    rest: tuple[Happening, ...]


def reached(ready: Prepared, recorded: Sequence[Recorded], found: Changed | None) -> list[Reached]:
    """The places in transcripts of one table, each with other kinds of event before it, from the fewest to
    the most; none where nobody can tell where the change is asked about."""
    if found is None:
        return []
    places: dict[tuple[object, ...], Reached] = {}
    for one in recorded:
        for place in _places(ready, one, found):
            kinds = tuple(steered(ready.program, h) for h in place.play.happenings)
            last = tuple(steered(ready.program, h) for h in place.rest[:1])
            places.setdefault((kinds, last), place)
    ranked = sorted(places.values(), key=lambda place: len(place.play.happenings))
    return ranked[:: -(-len(ranked) // MOST_REACHED) or 1]


def _places(ready: Prepared, recorded: Recorded, found: Changed) -> Iterator[Reached]:
    case, binding = recorded.case, ready.binding
    if recorded.moments is None or not case.rows:
        return
    if binding.schema.table is not None and len({row.lives[0] for row in case.rows}) > 1:
        return
    at: dict[int, Moment] = {}
    for moment in recorded.moments:
        if found.keys & moment.calls.keys() or (
            moment.rows < len(case.rows) and _judged_otherwise(found, case.rows[moment.rows])
        ):
            at.setdefault(moment.rows, moment)
    options = _options(ready, case) if at else None
    if options is not None:
        events = [
            Happening(row.event, row.actor, binding.values(row.event, row.values, case.header))
            for row in case.rows
        ]
        for count, moment in at.items():
            yield Reached(Play(options, tuple(events[:count]), (), moment.state), tuple(events[count:]))


def _options(ready: Prepared, case: Case) -> dict[str, object] | None:
    """All options, those that a transcript leaves open drawn: no event of it reads one, or its states would not be
    known. None where none can be drawn."""
    program = ready.program
    _, stated = stated_options(program.ruleset, case.header, {}, case.path)
    options = effective_options(program, stated)
    drawn = Settings(program, scopes(program)[0], Random(0), options).draw(1)
    return drawn[0] if drawn else None


def _judged_otherwise(found: Changed, row: Row) -> bool:
    return row.event in found.events or row.actor in found.actors or (row.event, row.actor) in found.acts
