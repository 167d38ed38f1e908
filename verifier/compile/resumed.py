"""Code of loops over lists that go on where they stopped (`verifier.compile.running`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from verifier.compile.emit import Body, i32, i64
from verifier.compile.encoding import ABSENT
from verifier.compile.layout import CELL, Layout, unfolded
from verifier.compile.running import Running
from verifier.model.ruleset import FieldTarget, StateTarget


@dataclass(frozen=True, slots=True)
class Resumed:
    """A loop of which it is kept how far it has come; it leaves its answer in the local `found`, and nothing in it is
    undefined. Of what an event would leave nothing is kept."""

    layout: Layout
    run: Running
    found: str

    def around(self, body: Body, at: str, end: str) -> tuple[str, str]:
        """Code before and after the loop, which goes from behind the address in the local `at`, before it that of the
        list, to that in `end`."""
        kind = dict(body.locals)[self.found]
        kept, length, settled = body.local("i32"), body.local(), ""
        apart = _apart(self.layout, self.run.entity, self.run.name) + 2 * CELL * self.run.number
        value = f"(i64.load offset={CELL} (local.get {kept}))"
        answer = f"(local.get {self.found})"
        if kind == "i32":
            value, answer = f"(i32.wrap_i64 {value})", f"(i64.extend_i32_u {answer})"
        seen = f"(i64.load (local.get {kept}))"
        if self.run.first:
            there = f"(i64.ne (local.get {self.found}) {i64(ABSENT)})"
            settled = f"(if {there} (then (local.set {at} (local.get {end}))))"
        before = (
            f"(local.set {kept} (i32.add (local.get {at}) {i32(apart)})) (local.set {self.found} {value})"
            f" (local.set {length} (i64.load (local.get {at})))"
            f" (local.set {at} (i32.add (local.get {at}) (i32.shl (i32.wrap_i64 {seen}) (i32.const 3)))) {settled}"
        )
        keep = f"(i64.store (local.get {kept}) (local.get {length}))"
        keep += f"(i64.store offset={CELL} (local.get {kept}) {answer})"
        unlike = f"(i32.and (i64.ne {seen} (local.get {length})) (i32.eqz (global.get $ahead)))"
        return before, f"(if {unlike} (then {keep}))"


def begun_anew(layout: Layout, target: FieldTarget | StateTarget) -> Iterator[tuple[int, int]]:
    """Where, from a list's address on, what number is to stand when it has been set to another."""
    entity = target.entity if isinstance(target, FieldTarget) else None
    place = layout.cells[target.name] if entity is None else layout.tables[f"entity {entity}"]
    apart = _apart(layout, entity, target.name)
    for offset, number in unfolded(place.running):
        yield apart + offset, number


def _apart(layout: Layout, entity: str | None, name: str) -> int:
    """Where, from a list's address on, what is kept of folds at its place begins."""
    if entity is None:
        return layout.cells[name].running_at
    table = layout.tables[f"entity {entity}"]
    return table.running_at - table.columns[name].offset


__all__ = ["Resumed", "begun_anew"]
