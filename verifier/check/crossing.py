"""A table's state, from the kernel to the interpreter and back."""

from __future__ import annotations

from verifier.check.lane import Lane
from verifier.check.lives import Lives
from verifier.run.state import State


def to_interpreter(lane: Lane) -> None:
    """The interpreter's state made that of the kernel's last checkpoint."""
    judge = lane.stream.judge
    bench = judge.bench
    bench.sit()
    bench.state = bench.before = state_of(lane)
    bench.past.clear()
    judge.duties.bits.clear()
    judge.duties.unsure.clear()
    for index, compiled in enumerate(judge.duties.duties):
        name = f"bit {index}"
        if name in lane.kernel.layout.cells and lane.kernel.cell(name):
            judge.duties.bits[judge.duties._key(compiled, ())] = (compiled, ())
    lives_from(lane, lane.stream.lives)


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
    from verifier.compile.encoding import NotCompiledError
    from verifier.compile.exchange import state_to, track_to

    judge = lane.stream.judge
    known = judge.bench.own
    if judge.duties.charged or judge.duties.unsure or known.lost or known.lost_latches or known.doubts:
        return False
    if known.before or known.before_latches or known.lost_ids.keys() & lane.kernel.layout.met:
        return False
    bits = {compiled.duty.unit for compiled, instance in judge.duties.bits.values() if not instance}
    if len(bits) < len(judge.duties.bits):
        return False
    layout = lane.kernel.layout
    cells = lane.kernel.cells()
    try:
        state_to(cells, layout, judge.state, lane.encoder.ids)
    except NotCompiledError:
        return False
    for index, duty in enumerate(judge.bench.program.duties):
        if f"bit {index}" in layout.cells:
            cells[layout.cells[f"bit {index}"].at // 8] = int(duty.unit in bits)
    for track in lane.stream.lives.tracks:
        key = lane.encoder.key_number(track.index, track.key)
        track_to(cells, layout, track.life.name, key, (track.used, track.ended, track.after, track.told))
    cells[layout.cells["track rounds"].at // 8] = lane.stream.lives.rounds or 0
    lane.kernel.keep()
    return True
