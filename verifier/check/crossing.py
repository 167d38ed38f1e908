"""A table's state, from the kernel to the interpreter and back."""

from __future__ import annotations

from typing import Any

from verifier.check.lane import Lane
from verifier.check.lives import Lives
from verifier.model.types import ids_within
from verifier.model.values import Partial
from verifier.run.duties import Duties
from verifier.run.judge import Judge
from verifier.run.state import State
from verifier.run.undefined import Reason, Undefined


def to_interpreter(lane: Lane) -> None:
    """The interpreter's state made that of the kernel's last checkpoint."""
    judge = lane.stream.judge
    bench = judge.bench
    bench.sit()
    bench.state = bench.before = state_of(lane)
    bench.past.clear()
    known_of(lane, judge)
    judge.duties.bits.clear()
    leave(judge.duties, left_by(lane))
    lives_from(lane, lane.stream.lives)


def known_of(lane: Lane, judge: Judge) -> None:
    """Make what the interpreter knows beside the state what the kernel does."""
    from verifier.compile.exchange import known_from

    layout, own, duties = lane.kernel.layout, judge.bench.own, judge.duties
    lost, doubts, unsure = known_from(lane.kernel.cells(), layout)
    duties.unsure.clear()
    for index, reasons in unsure.items():
        compiled = duties.duties[index]
        duties.unsure[duties._key(compiled, ())] = compiled, (), Undefined(reasons)
    for theirs, ours in ((own.lost_latches, lost), (own.doubts, doubts)):
        theirs.clear()
        theirs.update(ours)  # type: ignore[arg-type]
    for event, times in zip(layout.ruleset.events.values(), lane.kernel.judged(), strict=True):
        for index, column in layout.untold.of(event.name).items() if times else ():
            for kind in ids_within(event.params[index].type):
                own.lost_ids.setdefault(kind, Partial(column))


def unsure_in(duties: Duties) -> dict[int, frozenset[Reason]] | None:
    """The duties of which nobody can tell whether they are due right after an event, with the reasons; None where any
    of them has variables."""
    index = {id(compiled): i for i, compiled in enumerate(duties.duties)}
    if any(instance for _, instance, _ in duties.unsure.values()):
        return None
    return {index[id(compiled)]: why.reasons for compiled, _, why in duties.unsure.values()}


def unlike_known(lane: Lane, judge: Judge) -> str | None:
    """In what the kernel and the interpreter differ of what they know beside the state, in a word."""
    from verifier.compile.exchange import known_from

    lost, doubts, unsure = known_from(lane.kernel.cells(), lane.kernel.layout)
    if judge.bench.own.lost_latches != lost:
        return "of what it is lost how often it happened"
    if judge.bench.own.doubts != doubts:
        return "which rules could not be judged"
    return "what may be due" if unsure_in(judge.duties) != unsure else None


Left = list[tuple[int, tuple[Any, ...]]]
"""Duties `immediately after` an event that are due, by their numbers, with the values of their variables."""


def left_by(lane: Lane) -> Left:
    """What the kernel has as due right after the last event."""
    from verifier.compile.encoding import decode
    from verifier.compile.layout import keeps

    kernel, found = lane.kernel, Left()
    for index, duty in enumerate(kernel.layout.program.duties):
        if keeps(duty) and kernel.cell(f"bit {index}"):
            cells = [(v.type, kernel.cell(f"bit {index} {v.name}")) for v in duty.variables]
            found.append((index, tuple(decode(type_, cell, lane.encoder.names) for type_, cell in cells)))
    return found


def leave(duties: Duties, left: Left) -> None:
    """Make that due for the interpreter."""
    for index, instance in left:
        compiled = duties.duties[index]
        duties.bits[duties._key(compiled, instance)] = (compiled, instance)


def state_of(lane: Lane) -> State:
    """The state that the kernel has of the table, as the interpreter writes it."""
    from verifier.compile.exchange import state_from

    return state_from(lane.kernel.cells(), lane.kernel.layout, lane.encoder.names)


def lives_from(lane: Lane, lives: Lives) -> None:
    """Make the lives those that the kernel knows of the table: which go on, and how far."""
    from verifier.compile.exchange import tracks_from

    cells = lane.kernel.tracks()
    known = tracks_from(cells, lane.kernel.layout)
    for track in lives.tracks:
        key, track.used, track.ended, track.after, track.told = known[track.life.name]
        track.key = lane.encoder.key(track.index, key)
    lives.rounds = cells[-1] or None


def to_kernel(lane: Lane) -> bool:
    """The kernel's state made the interpreter's, if nothing is left that only the interpreter can hold."""
    from verifier.compile.encoding import NotCompiledError, encode
    from verifier.compile.exchange import known_to, state_to, track_to
    from verifier.compile.layout import keeps

    judge = lane.stream.judge
    known = judge.bench.own
    unsure = unsure_in(judge.duties)
    if judge.duties.charged or unsure is None or known.lost:
        return False
    if known.before or known.before_latches or known.lost_ids.keys() & lane.kernel.layout.met:
        return False
    left = {compiled.duty.unit: instance for compiled, instance in judge.duties.bits.values()}
    if len(left) < len(judge.duties.bits) or not all(keeps(c.duty) for c, _ in judge.duties.bits.values()):
        return False
    layout = lane.kernel.layout
    cells = lane.kernel.cells()
    try:
        state_to(cells, layout, judge.state, lane.encoder.ids)
        known_to(cells, layout, known.lost_latches, known.doubts, unsure)
        for index, duty in enumerate(judge.bench.program.duties):
            if keeps(duty):
                cells[layout.cells[f"bit {index}"].at // 8] = int(duty.unit in left)
                if duty.unit not in left:
                    continue
                for variable, value in zip(duty.variables, left[duty.unit], strict=True):
                    at = layout.cells[f"bit {index} {variable.name}"].at
                    cells[at // 8] = encode(variable.type, value, lane.encoder.ids)
    except NotCompiledError:
        return False
    for track in lane.stream.lives.tracks:
        key = lane.encoder.key_number(track.index, track.key)
        track_to(cells, layout, track.life.name, key, (track.used, track.ended, track.after, track.told))
    cells[layout.cells["track rounds"].at // 8] = lane.stream.lives.rounds or 0
    lane.kernel.keep()
    return True
