"""The kernel at work: a module's memory, its columns in, marks out."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import wasmtime

from verifier.compile.encoding import ABSENT, UNDEFINED, encode
from verifier.compile.layout import Header, Layout
from verifier.compile.marks import Mark
from verifier.compile.module import PAGE, Module, compile_program
from verifier.core.program import Program

BATCH = 1 << 15
"""Events that a kernel has room for at first; room is made for more where a round needs it."""

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


class Kernel:
    """One table's kernel. It judges with the options given; those not among them are not stated."""

    def __init__(self, compiled: Compiled, options: Mapping[str, object]) -> None:
        self.module = compiled.module
        self.layout: Layout = compiled.module.layout
        self.store = wasmtime.Store(compiled.engine)
        instance = wasmtime.Instance(self.store, compiled.code, [])
        exports = instance.exports(self.store)
        self.memory: Any = exports["memory"]
        self._run: Any = exports["run"]
        self._keep: Any = exports["keep"]
        self._restore: Any = exports["restore"]
        self.names = self.module.inputs.names
        self.room = 0
        self.make_room(BATCH)
        cells = self.cells()
        for name, option in self.layout.ruleset.options.items():
            at = self.layout.cells[f"option {name}"].at // 8
            value = options.get(name)
            cells[at] = UNDEFINED if value is None else encode(option.type, value, {}, self.layout.unit)
        for name in self.layout.ruleset.lives:
            cells[self.layout.cells[f"track {name} key"].at // 8] = ABSENT
        self.keep()

    def make_room(self, events: int) -> None:
        """Room for so many events."""
        if events <= self.room:
            return
        self.room = events
        need = self.layout.end + 8 * events * len(self.names)
        have = self.memory.data_len(self.store)
        if need > have:
            self.memory.grow(self.store, (need - have) // PAGE + 1)
        pointers = (ctypes.c_int32 * len(self.names)).from_address(self.base + self.layout.pointers)
        for i in range(len(self.names)):
            pointers[i] = self.layout.end + 8 * events * i

    @property
    def base(self) -> int:
        found: int = ctypes.addressof(self.memory.data_ptr(self.store).contents)
        return found

    def cells(self) -> Any:
        """All of memory that is state, as 64-bit numbers. It is to be taken anew after `make_room`."""
        return (ctypes.c_int64 * (self.layout.end // 8)).from_address(self.base)

    def cell(self, name: str) -> int:
        """What a cell of the layout holds."""
        return int(self.cells()[self.layout.cells[name].at // 8])

    def put(self, columns: Mapping[str, Any], first: int = 0) -> int:
        """Set the columns, from row `first` on: `array('q')`, or Arrow int64 without nulls; those not given keep what
        they had. The result is the number of rows."""
        count = 0
        for column in columns.values():
            count = max(count, _raw(column)[1])
        self.make_room(first + count)
        base = self.base + self.layout.end
        for name, column in columns.items():
            address, length = _raw(column)
            at = base + 8 * (self.room * self.names.index(name) + first)
            ctypes.memmove(at, address, 8 * length)
        return count

    def run(self, start: int, end: int) -> Stop:
        """Judge the events from `start` to before `end`."""
        try:
            begun = self._run(self.store, start, end)
        except wasmtime.Trap:
            self._restore(self.store)
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
        self._keep(self.store)

    def restore(self) -> None:
        """Go back to the last checkpoint."""
        self._restore(self.store)

    def tallies(self) -> dict[str, int]:
        """How often each rule was kept, in what this kernel has judged."""
        cells = self.cells()
        first = self.layout.tally // 8
        return {rule: int(cells[first + i]) for rule, i in self.layout.rules.items() if cells[first + i]}


def _raw(column: Any) -> tuple[int, int]:
    """The address and the length of a column of 64-bit numbers."""
    if isinstance(column, array):
        return column.buffer_info()
    if column.null_count or str(column.type) != "int64":
        raise TypeError(f"a column of int64 without nulls, not {column.type}")
    return column.buffers()[1].address + 8 * column.offset, len(column)


__all__ = ["BATCH", "Compiled", "Kernel", "Stop"]
