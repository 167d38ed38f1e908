"""The kernel at work: a module's memory, its columns in, marks out."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import wasmtime

from verifier.compile.encoding import ABSENT, UNDEFINED, encode
from verifier.compile.layout import MASK, Header, Layout
from verifier.compile.marks import Mark
from verifier.compile.module import PAGE, Module, compile_program
from verifier.core.program import Program

BATCH = 1 << 12
"""Events that a seat has room for at first; room is made for more where a round needs it."""

PART = 4096
"""Bytes of a state that are kept or left out together."""

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

    module: Module
    engine: Any
    code: Any

    @classmethod
    def of(cls, program: Program) -> Compiled:
        """A program compiled. Raises `NotCompiledError`."""
        config = wasmtime.Config()
        config.max_wasm_stack = STACK
        engine = wasmtime.Engine(config)
        module = compile_program(program)
        return cls(module, engine, wasmtime.Module(engine, module.wasm()))


@dataclass(slots=True)
class Seat:
    """A module's memory, in which one table's kernel is at work at a time; the others' states lie in their own."""

    compiled: Compiled
    store: Any = field(init=False)
    memory: Any = field(init=False)
    exports: Any = field(init=False)
    room: int = 0
    fresh: bytes = b""
    """The memory as it is at first."""
    kernel: Kernel | None = None

    def __post_init__(self) -> None:
        self.store = wasmtime.Store(self.compiled.engine)
        self.exports = wasmtime.Instance(self.store, self.compiled.code, []).exports(self.store)
        self.memory = self.exports["memory"]
        self.fresh = ctypes.string_at(self.base, self.compiled.module.layout.end)

    @property
    def base(self) -> int:
        found: int = ctypes.addressof(self.memory.data_ptr(self.store).contents)
        return found

    def take(self, kernel: Kernel) -> None:
        """Give the seat to a kernel; the one before takes its state with it."""
        layout = self.compiled.module.layout
        if self.kernel is not None:
            self.kernel.image = _kept(ctypes.string_at(self.base, layout.values[0]))
        # what lies behind it is the seat's own
        ctypes.memmove(self.base, _whole(kernel.image, layout.values[0]), layout.values[0])
        ctypes.memset(self.base + layout.values[0], 0, layout.values[1] - layout.values[0])
        self.kernel, kernel.image = kernel, {}

    def make_room(self, events: int) -> None:
        """Room for so many events."""
        if events <= self.room:
            return
        self.room = events
        end, columns = self.compiled.module.layout.end, len(self.compiled.module.inputs.names)
        need = end + 8 * events * columns
        have = self.memory.data_len(self.store)
        if need > have:
            self.memory.grow(self.store, (need - have) // PAGE + 1)
        pointers = (ctypes.c_int32 * columns).from_address(self.base + self.compiled.module.layout.pointers)
        for i in range(columns):
            pointers[i] = end + 8 * events * i


def _kept(image: bytes) -> dict[int, bytes]:
    """The parts of a memory that are not empty, by their places."""
    parts = {at: image[at : at + PART] for at in range(0, len(image), PART)}
    return {at: part for at, part in parts.items() if part.count(0) < len(part)}


def _whole(parts: Mapping[int, bytes], length: int) -> bytes:
    found = bytearray(length)
    for at, part in parts.items():
        found[at : at + len(part)] = part
    return bytes(found)


class Kernel:
    """One table's kernel. It judges with the options given; those not among them are not stated.

    Kernels that share a `seat` take turns there, and what one has been given to judge is lost when another's turn
    comes; each keeps its state.
    """

    def __init__(self, compiled: Compiled, options: Mapping[str, object], seat: Seat | None = None) -> None:
        self.module = compiled.module
        self.layout: Layout = compiled.module.layout
        self.seat = Seat(compiled) if seat is None else seat
        self.names = self.module.inputs.names
        self.image = _kept(self.seat.fresh[: self.layout.values[0]])
        """The state, while another has the seat."""
        self.make_room(BATCH)
        cells = self.cells()
        for name, option in self.layout.ruleset.options.items():
            at = self.layout.cells[f"option {name}"].at // 8
            value = options.get(name)
            cells[at] = UNDEFINED if value is None else encode(option.type, value, {}, self.layout.unit)
        for name in self.layout.ruleset.lives:
            cells[self.layout.cells[f"track {name} key"].at // 8] = ABSENT
        self.keep()

    def _sit(self) -> Seat:
        if self.seat.kernel is not self:
            self.seat.take(self)
        return self.seat

    def make_room(self, events: int) -> None:
        """Room for so many events."""
        self._sit().make_room(events)

    def cells(self) -> Any:
        """All of memory that is state, as 64-bit numbers. It is to be taken anew after `make_room`, and after another
        kernel's turn."""
        return (ctypes.c_int64 * (self.layout.end // 8)).from_address(self._sit().base)

    def cell(self, name: str) -> int:
        """What a cell of the layout holds."""
        return int(self.cells()[self.layout.cells[name].at // 8])

    def put(self, columns: Mapping[str, Any], first: int = 0) -> int:
        """Set the columns, from row `first` on: `array('q')`, numpy int64 in one piece, or Arrow int64 without nulls.

        Those not given keep what they had. The result is the number of rows."""
        count = 0
        for column in columns.values():
            count = max(count, _raw(column)[1])
        self.make_room(first + count)
        base = self.seat.base + self.layout.end
        for name, column in columns.items():
            address, length = _raw(column)
            at = base + 8 * (self.seat.room * self.names.index(name) + first)
            ctypes.memmove(at, address, 8 * length)
        return count

    def run(self, start: int, end: int) -> Stop:
        """Judge the events from `start` to before `end`."""
        seat = self._sit()
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
        seat = self._sit()
        seat.exports["keep"](seat.store)

    def restore(self) -> None:
        """Go back to the last checkpoint."""
        seat = self._sit()
        seat.exports["restore"](seat.store)

    def tallies(self) -> dict[str, int]:
        """How often each rule was kept, in what this kernel has judged."""
        cells = self.cells()
        first = self.layout.tally // 8
        return {rule: int(cells[first + i]) for rule, i in self.layout.rules.items() if cells[first + i]}

    def read(self) -> tuple[str, ...]:
        """The units that gave the value of a decision which something read, in what this kernel has judged."""
        cells = self.cells()
        return tuple(
            case.unit
            for decision in self.layout.program.decisions.values()
            for i, case in enumerate(decision.cases)
            if cells[self.layout.cells[f"read {decision.name} {i // MASK}"].at // 8] >> i % MASK & 1
        )


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


__all__ = ["BATCH", "Compiled", "Kernel", "Stop"]
