"""The kernel at work: a module's memory, its columns in, marks out."""

from __future__ import annotations

import ctypes
import json
import multiprocessing
import os
from array import array
from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import wasmtime

from verifier.check.unjudged import Unjudged
from verifier.compile.encoding import ABSENT, UNDEFINED, encode
from verifier.compile.exchange import track_cells
from verifier.compile.inputs import PAGE, Host
from verifier.compile.kept import host_and_module
from verifier.compile.layout import CELL, MASK, Header, Layout
from verifier.compile.marks import Mark
from verifier.compile.unstated import unjudged_of
from verifier.compile.untold import NOTHING_UNTOLD, Untold
from verifier.core.program import Program
from verifier.resources import directory

BATCH = 1 << 12
"""Events that a seat has room for at first; room is made for more where a round needs it."""

STACK = 1 << 20
"""Bytes of stack that a module may use."""


@dataclass(frozen=True, slots=True)
class Stop:
    """How a run ended: `begun` is the first event since the last checkpoint, whose state the kernel is in again where
    `mark` is set; `at` is then the event marked, `rule` a rule at issue where one is known, and `why` what was being
    judged when the kernel gave up."""

    begun: int
    mark: Mark
    at: int
    rule: str | None = None
    why: str = ""


@dataclass(slots=True)
class Compiled:
    """A module made ready to run; the kernels of several tables share it."""

    module: Host
    engine: Any
    code: Any
    others: dict[tuple[tuple[str, ...], Untold], Compiled] = field(default_factory=dict)
    """For other options unstated, and other logs that leave something out."""

    @classmethod
    def of(
        cls, program: Program, unstated: tuple[str, ...] = (), untold: Untold = NOTHING_UNTOLD
    ) -> Compiled:
        """A program compiled; so that it judges itself what it can where these options are `unstated` and the log
        leaves `untold` what it does. Raises `NotCompiledError`.

        The module is kept from run to run where answers are (`verifier.resources`), by what it is made from, and
        machine code by the module's bytes.
        """
        module, wasm = host_and_module(program, unstated, untold)
        engine = wasmtime.Engine(_config(_cache()))
        return cls(module, engine, wasmtime.Module(engine, wasm))

    def lacking(
        self, program: Program, unstated: tuple[str, ...], untold: Untold = NOTHING_UNTOLD
    ) -> Compiled:
        """The same program compiled for logs that leave these options unstated, and `untold` what they do. Raises
        `NotCompiledError`."""
        layout = self.module.layout
        if (unstated, untold) == (layout.unstated, layout.untold):
            return self
        if (unstated, untold) not in self.others:
            self.others[unstated, untold] = Compiled.of(program, unstated, untold)
        return self.others[unstated, untold]


def _config(cache: Path | None) -> Any:
    config = wasmtime.Config()
    config.max_wasm_stack = STACK
    # the threads that did compile in the process that this one was forked from are not here
    config.parallel_compilation = multiprocessing.parent_process() is None
    if cache is not None:
        # a cache that cannot be used is none
        with suppress(wasmtime.WasmtimeError):
            config.cache = str(cache)
    return config


def _cache() -> Path | None:
    """The file that tells wasmtime where to keep machine code; None where nothing is to be kept, or cannot be."""
    place = directory()
    if place is None:
        return None
    folder = place.absolute() / "kernels"
    told = folder / "wasmtime.toml"
    content = f"[cache]\ndirectory = {json.dumps(str(folder))}\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not told.exists() or told.read_text("utf-8") != content:
            half = folder / f"wasmtime.{os.getpid()}.toml"
            half.write_text(content, "utf-8")
            half.replace(told)
    except OSError:
        return None
    return told


@dataclass(slots=True)
class Seat:
    """A module's memory, in which one table's kernel is at work at a time; the others' states lie in their own."""

    compiled: Compiled
    store: Any = field(init=False)
    memory: Any = field(init=False)
    exports: Any = field(init=False)
    base: int = field(init=False)
    """The address of its memory; another once that has grown."""
    room: int = 0
    fresh: Any = None
    """The state as it is at first."""
    kernel: Kernel | None = None
    _live: Any = field(init=False)
    _kept: Any = field(init=False)
    """What is kept from one last life to the next, and all before it in memory; and the copy of what is kept."""

    def __post_init__(self) -> None:
        self.store = wasmtime.Store(self.compiled.engine)
        found = wasmtime.Instance(self.store, self.compiled.code, []).exports(self.store)
        self.memory = found["memory"]
        self.exports = {name: found[name] for name in ("run", "keep", "restore")}
        self._look()
        self.fresh = self.state()

    def _look(self) -> None:
        """Find the memory, where it has grown."""
        layout = self.compiled.module.layout
        start, end = layout.kept
        self.base = ctypes.addressof(self.memory.data_ptr(self.store).contents)
        whole: Any = (ctypes.c_int64 * (layout.end // CELL)).from_address(self.base)
        cells = np.frombuffer(whole, dtype=np.int64)
        self._live = cells[: end // CELL]
        self._kept = cells[layout.copy // CELL : (layout.copy + end - start) // CELL]

    def state(self) -> Any:
        """What is kept from one last life to the next, and all before it in memory, as numpy int64."""
        return self._live.copy()

    def changes(self, first: Any) -> tuple[Any, Any]:
        """Where the state of the last checkpoint differs from this one, and what stands there."""
        before = self.compiled.module.layout.kept[0] // CELL
        early = np.flatnonzero(self._live[:before] != first[:before])
        late = np.flatnonzero(self._kept != first[before:])
        places = np.concatenate([early, late + before]).astype(np.int32)
        return places, np.concatenate([self._live[early], self._kept[late]])

    def take(self, kernel: Kernel) -> None:
        """Give the seat to a kernel; the one before takes its state with it, as it was at its last checkpoint.

        What lies behind the part that is kept is the seat's own, or as at first when a checkpoint has been restored.
        """
        if self.kernel is not None:
            self.kernel.leave(self)
        kernel.come(self._live)
        self._kept[:] = self._live[self.compiled.module.layout.kept[0] // CELL :]
        self.kernel = kernel
        self.exports["restore"](self.store)

    def make_room(self, events: int) -> None:
        """Room for so many events; those that are there may be lost."""
        if events <= self.room:
            return
        self.room = events
        end, columns = self.compiled.module.layout.end, len(self.compiled.module.inputs.names)
        need = end + 8 * events * columns
        have = self.memory.data_len(self.store)
        if need > have:
            self.memory.grow(self.store, (need - have) // PAGE + 1)
            self._look()
        pointers = (ctypes.c_int32 * columns).from_address(self.base + self.compiled.module.layout.pointers)
        for i in range(columns):
            pointers[i] = end + 8 * events * i

    def know(self, known: Sequence[int] | None) -> None:
        """Say what is known to be read (`known_of`): at the end of a round that reads anything else, a run stops. None:
        nothing is to stop it for that, as at first."""
        layout = self.compiled.module.layout
        cells = (ctypes.c_int64 * (layout.end // CELL)).from_address(self.base)
        for i in range(len(layout.noted)):
            cells[layout.known // CELL + i] = -1 if known is None else known[i]
            cells[layout.read // CELL + i] = 0

    def put(self, columns: Mapping[str, Any], first: int = 0) -> int:
        """Set the columns, from row `first` on: `array('q')`, numpy int64 in one piece, or Arrow int64 without nulls.

        Those not given keep what they had. The result is the number of rows."""
        raw = {name: _raw(column) for name, column in columns.items()}
        count = max((length for _, length in raw.values()), default=0)
        self.make_room(first + count)
        base = self.base + self.compiled.module.layout.end + 8 * first
        names = self.compiled.module.inputs.names
        for i, name in enumerate(names):
            if name in raw:
                address, length = raw[name]
                ctypes.memmove(base + 8 * self.room * i, address, 8 * length)
        return count


class Kernel:
    """One table's kernel. It judges with the options given; those not among them are not stated.

    Kernels that share a `seat` take turns there. When another's turn comes, each keeps the state of its last
    checkpoint. `like`: a kernel with the same options, whose own is the first state of this one.
    """

    def __init__(
        self,
        compiled: Compiled,
        options: Mapping[str, object],
        seat: Seat | None = None,
        like: Kernel | None = None,
    ) -> None:
        self.module = compiled.module
        self.layout: Layout = compiled.module.layout
        self.seat = Seat(compiled) if seat is None else seat
        self.first: Any = self._first(options) if like is None else like.first
        """The state at first."""
        self._tracks: Any = np.array(track_cells(self.layout)) if like is None else like._tracks
        self._changed: tuple[Any, Any] | None = None
        """The places where the state differs from that, and what stands there, while another has the seat."""

    def _first(self, options: Mapping[str, object]) -> Any:
        cells = self.seat.fresh.copy()
        for name, option in self.layout.ruleset.options.items():
            at = self.layout.cells[f"option {name}"].at // CELL
            value = options.get(name)
            cells[at] = UNDEFINED if value is None else encode(option.type, value, {}, self.layout.unit)
        for name in self.layout.ruleset.lives:
            cells[self.layout.cells[f"track {name} key"].at // CELL] = ABSENT
        return cells

    def leave(self, seat: Seat) -> None:
        """Note the state, for another takes the seat."""
        self._changed = seat.changes(self.first)

    def come(self, state: Any) -> None:
        """Make it the state noted."""
        state[:] = self.first
        if self._changed is not None:
            places, values = self._changed
            state[places] = values
        self._changed = None

    @property
    def state(self) -> Any:
        """What is kept from one last life to the next, and all before it in memory, as numpy int64; read it only."""
        if self.seat.kernel is self:
            return self.seat.state()
        state = self.first.copy()
        if self._changed is not None:
            places, values = self._changed
            state[places] = values
        return state

    def tracks(self) -> list[int]:
        """What stands in the `track_cells`."""
        found: list[int] = self.state[self._tracks].tolist()
        return found

    def sit(self) -> Seat:
        """The seat, taken."""
        if self.seat.kernel is not self:
            self.seat.take(self)
        return self.seat

    def make_room(self, events: int) -> None:
        """Room for so many events."""
        self.sit().make_room(events)

    def cells(self) -> Any:
        """All of memory that is state, as 64-bit numbers. It is to be taken anew after `make_room`, and after another
        kernel's turn."""
        return (ctypes.c_int64 * (self.layout.end // 8)).from_address(self.sit().base)

    def cell(self, name: str) -> int:
        """What a cell of the layout holds."""
        return int(self.cells()[self.layout.cells[name].at // 8])

    def put(self, columns: Mapping[str, Any], first: int = 0) -> int:
        """As `Seat.put`."""
        return self.sit().put(columns, first)

    def run(self, start: int, end: int) -> Stop:
        """Judge the events from `start` to before `end`."""
        seat = self.sit()
        try:
            begun = seat.exports["run"](seat.store, start, end)
        except wasmtime.Trap:
            self.restore()
            return Stop(start, Mark.UNSURE, start, None, "the kernel's stack")
        cells = self.cells()
        mark = Mark(cells[Header.MARK // 8])
        if not mark:
            return Stop(begun, mark, end)
        rule = None
        if mark not in (Mark.UNSURE, Mark.LIFE) and cells[Header.RULE // 8] >= 0:
            rule = list(self.layout.rules)[cells[Header.RULE // 8]]
        why = self.module.why[cells[Header.WHY // 8]] if mark is Mark.UNSURE else ""
        return Stop(begun, mark, int(cells[Header.MARKED // 8]), rule, why)

    def keep(self) -> None:
        """Make the state at hand the checkpoint."""
        seat = self.sit()
        seat.exports["keep"](seat.store)

    def restore(self) -> None:
        """Go back to the last checkpoint."""
        seat = self.sit()
        seat.exports["restore"](seat.store)

    def tallies(self) -> dict[str, int]:
        """How often each rule was kept, in what this kernel has judged."""
        return tallies_of(self.state, self.layout)

    def unjudged(self) -> dict[str, Unjudged]:
        """How often each rule could not be judged, and why, in what this kernel has judged."""
        return unjudged_of(self.state, self.layout)

    def judged(self) -> list[int]:
        """How many events of each kind have been judged, in what this kernel has judged."""
        return judged_of(self.state, self.layout)

    def reads(self) -> bool:
        """Whether the round at hand has read what is not known to be read."""
        cells, count = self.cells(), len(self.layout.noted)
        read, known = self.layout.read // CELL, self.layout.known // CELL
        return any(cells[read + i] & ~cells[known + i] for i in range(count))


def tallies_of(state: Any, layout: Layout) -> dict[str, int]:
    """How often each rule was kept, by a state, or the sum of several."""
    first = layout.tally // CELL
    counts = state[first : first + len(layout.rules)].tolist()
    return {rule: counts[i] for rule, i in layout.rules.items() if counts[i]}


def judged_of(state: Any, layout: Layout) -> list[int]:
    """How many events of each kind have been judged, by a state."""
    first = layout.judged // CELL
    counts: list[int] = state[first : first + len(layout.ruleset.events)].tolist()
    return counts


def known_of(units: Container[str], layout: Layout) -> list[int]:
    """What `Seat.know` takes: these units are known to give values that something reads."""
    found: list[int] = []
    for name, part in layout.noted:
        cases = layout.program.decisions[name].cases[part * MASK : (part + 1) * MASK]
        found.append(sum(1 << i for i, case in enumerate(cases) if case.unit in units))
    return found


def _raw(column: Any) -> tuple[int, int]:
    """The address and the length of a column of 64-bit numbers."""
    if isinstance(column, array):
        return column.buffer_info()
    if hasattr(column, "__array_interface__"):
        if column.dtype != "int64" or not column.flags.c_contiguous:
            raise TypeError(f"a column of int64 in one piece, not {column.dtype}")
        return column.ctypes.data, len(column)
    if column.null_count or str(column.type) != "int64":
        raise TypeError(f"a column of int64 without nulls, not {column.type}")
    return column.buffers()[1].address + 8 * column.offset, len(column)


__all__ = ["BATCH", "Compiled", "Kernel", "Seat", "Stop", "known_of", "tallies_of"]
