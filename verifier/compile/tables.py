"""The rows of entities and of what is kept by key: where they are, and how they are made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from verifier.compile.emit import Body, Bound, constant_of, i32
from verifier.compile.layout import Layout, Table
from verifier.model import types as ty


@dataclass(slots=True)
class Tables:
    """What has been written so far to find rows. `why` lists what may hand a round to the interpreter, by number."""

    layout: Layout
    code: list[str] = field(default_factory=list)
    globals: list[str] = field(default_factory=list)
    finders: dict[str, str] = field(default_factory=dict)
    makers: dict[str, str] = field(default_factory=dict)
    why: list[str] = field(default_factory=lambda: ["", "the kernel's bounds"])
    writing: str = ""

    @property
    def give_up(self) -> str:
        """The statement that hands the round to the interpreter; what is being written says why."""
        if self.writing not in self.why:
            self.why.append(self.writing)
        return f"(global.set $bad (i32.const {self.why.index(self.writing)}))"

    def table(self, type_: ty.EntityT) -> Table:
        return self.layout.tables[f"entity {type_.name}"]

    def with_rows(self, body: Body, bounds: tuple[Bound, ...]) -> tuple[str, tuple[Bound, ...]]:
        """Variables that are entities with their rows, and the code that finds these."""
        code = ""
        found: list[Bound] = []
        for bound in bounds:
            if isinstance(bound.type, ty.EntityT) and bound.row is None:
                row = body.local("i32")
                code += f"(local.set {row} {self.find(self.table(bound.type), f'(local.get {bound.local})')})"
                bound = replace(bound, row=row)
            found.append(bound)
        return code, tuple(found)

    def passed(self, params: tuple[Bound, ...], args: Iterable[Bound]) -> str:
        """Variables as arguments of a function."""
        return " ".join(self.passed_each(params, args))

    def passed_each(self, params: tuple[Bound, ...], args: Iterable[Bound]) -> list[str]:
        """As `passed`, each by itself."""
        found: list[str] = []
        for param, arg in zip(params, args, strict=True):
            found.append(f"(local.get {arg.local})")
            if param.row is not None:
                assert isinstance(param.type, ty.EntityT)
                row = f"(local.get {arg.row})" if arg.row else self.find(self.table(param.type), found[-1])
                found.append(row)
        return found

    def find(self, table: Table, key: str) -> str:
        """Code for the address of a key's row, or of the null row."""
        if table.dense:
            if (constant := constant_of(key)) is not None:
                return i32(table.rows + constant * table.stride)
            return f"(i32.add (i32.mul (i32.wrap_i64 {key}) {i32(table.stride)}) {i32(table.rows)})"
        if table.name not in self.finders:
            symbol = self.finders[table.name] = f"$find_{len(self.finders)}"
            self.code.append(
                f"(func {symbol} (param $k i64) (result i32) (local $i i32)"
                f" (local.set $i (i32.wrap_i64 (i64.load {i32(table.count)})))"
                f" (if (i32.and (i32.lt_u (global.get $hint_{symbol[1:]}) (local.get $i)) (i64.eq (local.get $k)"
                f" (i64.load offset={table.key_at} (i32.shl (global.get $hint_{symbol[1:]}) (i32.const 3))))) (then"
                f" (return (i32.add {i32(table.rows)}"
                f" (i32.mul (global.get $hint_{symbol[1:]}) {i32(table.stride)})))))"
                f" (block $out (loop $on (br_if $out (i32.eqz (local.get $i)))"
                f" (local.set $i (i32.sub (local.get $i) (i32.const 1)))"
                f" (br_if $on (i64.ne (local.get $k)"
                f" (i64.load offset={table.key_at} (i32.shl (local.get $i) (i32.const 3)))))"
                f" (global.set $hint_{symbol[1:]} (local.get $i))"
                f" (return (i32.add {i32(table.rows)} (i32.mul (local.get $i) {i32(table.stride)})))))"
                f" {i32(table.null)})"
            )
            # where the key asked for last was found; a place is its key's for as long as it is in use
            self.globals.append(f"(global $hint_{symbol[1:]} (mut i32) (i32.const 0))")
        return f"(call {self.finders[table.name]} {key})"

    def make(self, table: Table, key: str) -> str:
        """Code for the address of a key's row, which is made where there is none."""
        if table.name not in self.makers:
            symbol = self.makers[table.name] = f"$make_{len(self.makers)}"
            if table.dense:
                row = (
                    f"(i32.add {i32(table.rows)} (i32.mul (i32.wrap_i64 (local.get $k)) {i32(table.stride)}))"
                )
                self.code.append(
                    f"(func {symbol} (param $k i64) (result i32) (i64.store {i32(table.count)}"
                    f" (i64.or (i64.load {i32(table.count)}) (i64.shl (i64.const 1) (local.get $k)))) {row})"
                )
            else:
                self.code.append(
                    f"(func {symbol} (param $k i64) (result i32) (local $r i32) (local $n i32)"
                    f" (local.set $r {self.find(table, '(local.get $k)')})"
                    f" (if (i32.ne (local.get $r) {i32(table.null)}) (then (return (local.get $r))))"
                    f" (local.set $n (i32.wrap_i64 (i64.load {i32(table.count)})))"
                    f" (if (i32.ge_u (local.get $n) {i32(table.capacity)})"
                    f" (then {self.give_up} (return {i32(table.null)})))"
                    f" (i64.store offset={table.key_at} (i32.shl (local.get $n) (i32.const 3)) (local.get $k))"
                    f" (local.set $r (i32.add {i32(table.rows)} (i32.mul (local.get $n) {i32(table.stride)})))"
                    f" (memory.copy (local.get $r) {i32(table.null)} {i32(table.reset)})"
                    f" (i64.store {i32(table.count)} (i64.extend_i32_u (i32.add (local.get $n) (i32.const 1))))"
                    f" (local.get $r))"
                )
        return f"(call {self.makers[table.name]} {key})"
