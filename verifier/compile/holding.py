"""Conditions on one entity by itself: which rows meet them, a bit each, so that a loop goes over no others.

One that is quickly told and always defined is held: told anew of a row whenever a field it rests on is written to.
Of any other it is found out when it is asked, of the rows of which it is not known, and kept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from verifier.compile.emit import FALSE, Body, Bound, Truth, i32, i64, lack, lacked, load, store
from verifier.compile.facts import VALUES, at_least, is_among
from verifier.compile.keeping import Keeping, declared, passed
from verifier.compile.layout import CELL, Table
from verifier.compile.memos import WORD
from verifier.model import types as ty

if TYPE_CHECKING:
    from verifier.compile.expressions import Expressions


@dataclass(frozen=True, slots=True)
class Sure:
    """What is known of a row that was written to: whether its entity exists, and a list that was given an element."""

    exists: bool = False
    longer: str | None = None


NOTHING_SURE = Sure()


@dataclass(slots=True)
class Holding(Keeping, ABC):
    """Writes what tells which rows meet a condition. `fillers` and `renewers` are the functions written for it."""

    fillers: dict[str, str] = field(default_factory=dict)
    renewers: dict[tuple[tuple[str, ...], Sure], str] = field(default_factory=dict)

    @abstractmethod
    def expressions(self, body: Body) -> Expressions:
        """What writes terms into a function."""

    @abstractmethod
    def told_of(self, name: str) -> tuple[Bound, bool]:
        """Of a condition on one entity: its parameter, and whether it may be undefined."""

    def _condition(self, name: str, body: Body, key: str, row: str, sure: Sure = NOTHING_SURE) -> Truth:
        """The condition asked of a row; it holds of no entity that does not exist."""
        function = self.layout.program.functions[name]
        (param,) = self.params_of(name)
        bound = replace(param, local=key, row=row)
        written = self.expressions(body)
        assert isinstance(param.type, ty.EntityT)
        with written.facts.given(self._known(sure, param.type.name, bound)):
            truth = written.truth(function.body, {function.params[0].name: bound})
            return written.all_of([written.facts.told(exists(bound)), truth])

    def _known(self, sure: Sure, entity: str, bound: Bound) -> dict[str, int]:
        """The facts that are known of a row."""
        known = {exists(bound).code: 1} if sure.exists else {}
        if sure.longer is not None:
            column = self.layout.tables[f"entity {entity}"].columns[sure.longer]
            assert isinstance(column.type, ty.ListT)
            length = load(f"(local.get {bound.row})", column.offset)
            known[at_least(length)] = 1
            if column.type.maximum < VALUES:
                known[is_among(length)] = (2 << column.type.maximum) - 2
        return known

    @abstractmethod
    def params_of(self, name: str) -> tuple[Bound, ...]:
        """A function's parameters."""

    # ----------------------------------------------------------------------------------------------- held
    def renewed(
        self, entity: str, fields: Iterable[str] | None, number: str, sure: Sure = NOTHING_SURE
    ) -> str:
        """Code after which it is held anew what the row of this number meets, of what rests on these fields (None: on
        anything)."""
        names = tuple(
            name
            for name, held in self.layout.held.items()
            if held.entity == entity and (fields is None or held.own & set(fields))
        )
        return f"(call {self._renewer(entity, names, sure)} {number})" if names else ""

    def _renewer(self, entity: str, names: tuple[str, ...], sure: Sure) -> str:
        if (names, sure) not in self.renewers:
            symbol = self.renewers[names, sure] = f"$renew_{len(self.renewers)}"
            table = self.layout.tables[f"entity {entity}"]
            body = Body()
            key, row = body.local(), body.local("i32")
            others, by = body.local(), body.local()
            code = "" if table.dense else f"(if (i32.ge_u (local.get $x) {i32(WORD)}) (then (return)))"
            code += _row(table, "$x", key, row)
            code += f"(local.set {by} (i64.extend_i32_u (local.get $x)))"
            code += f"(local.set {others} (i64.rotl (i64.const -2) (local.get {by})))"
            for name in names:
                at = self.layout.held[name].at
                truth = self._condition(name, body, key, row, sure)
                assert not truth.open, name
                kept = f"(i64.and {load(at)} (local.get {others}))"
                if truth == FALSE:
                    code += store(at, kept)
                    continue
                bit = f"(i64.shl (i64.extend_i32_u {truth.code}) (local.get {by}))"
                code += store(at, f"(i64.or {kept} {bit})")
            code = body.resolved(code)
            self.code.append(f"(func {symbol} (param $x i32) {body.declared()} {code})")
        return self.renewers[names, sure]

    def all_renewed(self, entities: Iterable[str]) -> str:
        """Code after which all is held anew of the rows of these kinds of entity."""
        return "".join(
            f"(call $renew_all_{list(self.layout.ruleset.entities).index(entity)})"
            for entity in dict.fromkeys(entities)
            if any(held.entity == entity for held in self.layout.held.values())
        )

    def renewing(self) -> str:
        """The functions that hold all anew, of the rows of one kind of entity and of every."""
        found = ""
        for index, entity in enumerate(self.layout.ruleset.entities):
            here = self.renewed(entity, None, "(local.get $x)")
            if not here:
                continue
            table = self.layout.tables[f"entity {entity}"]
            none = "".join(store(h.at, i64(0)) for h in self.layout.held.values() if h.entity == entity)
            rows = f"(local.set $m {load(table.count)})"
            if not table.dense:
                rows = f"(local.set $m {_rows(table)})"
            found += (
                f"(func $renew_all_{index} (local $m i64) (local $x i32) {none} {rows} (block $out (loop $on"
                f" (br_if $out (i64.eqz (local.get $m))) (local.set $x (i32.wrap_i64 (i64.ctz (local.get $m))))"
                f" {here} (local.set $m (i64.and (local.get $m) (i64.sub (local.get $m) (i64.const 1)))) (br $on))))"
            )
        every = self.all_renewed(self.layout.ruleset.entities)
        return f"{found} (func $renew_all {every})"

    def asking(self, name: str, symbol: str, bounds: tuple[Bound, ...]) -> str:
        """A function that looks at what is held; of rows of which nothing is, it asks."""
        held, (bound,) = self.layout.held[name], bounds
        table = self.layout.tables[f"entity {held.entity}"]
        before, number = "", f"(local.get {bound.local})"
        if not table.dense:
            row = f"(i32.sub (local.get {bound.row}) {i32(table.rows)})"
            anew = f"(call {symbol}_anew {passed(bounds)})"
            before = f"(if (i32.ge_u {row} {i32(WORD * table.stride)}) (then (return {anew})))"
            number = f"(i64.extend_i32_u (i32.div_u {row} {i32(table.stride)}))"
        met = f"(i32.wrap_i64 (i64.and (i64.shr_u {load(held.at)} {number}) (i64.const 1)))"
        return f"(func {symbol} {declared(bounds)} (result i32) {before} {met})"

    # ----------------------------------------------------------------------------------------------- found out
    def meeting(self, body: Body, name: str, pending: str | None) -> tuple[str, str]:
        """Code that finds out which rows meet a condition, and code for them, a bit each: they meet it, or it is
        undefined of them. Those that are known to fail `pending` are left out."""
        before = ""
        if name in self.layout.held:
            found = load(self.layout.held[name].at)
        else:
            place = self.layout.memos[name]
            param, open_ = self.told_of(name)
            assert isinstance(param.type, ty.EntityT)
            table = self.table(param.type)
            good, count = load(place.good), load(table.count)
            lacking = f"(i64.lt_u (i64.popcnt {good}) {count})"
            if table.dense:
                lacking = f"(i64.ne (i64.and {count} (i64.xor {good} (i64.const -1))) (i64.const 0))"
            filler = f"(call {self._filler(name, param, table, open_)})"
            found = f"(i64.and {good} {load(place.values)})"
            if open_:
                unsure = body.local()
                before = (
                    f"(local.set {unsure} (if (result i64) {lacking} (then {filler}) (else (i64.const 0))))"
                )
                found = f"(i64.or {found} (local.get {unsure}))"
            else:
                before = f"(if {lacking} (then {filler}))"
        if pending is not None:
            place = self.layout.memos[pending]
            failed = f"(i64.and {load(place.good)} (i64.xor {load(place.values)} (i64.const -1)))"
            found = f"(i64.and {found} (i64.xor {failed} (i64.const -1)))"
        return before, found

    def _filler(self, name: str, param: Bound, table: Table, open_: bool) -> str:
        """A function that finds out of every row, as far as it is kept and not known, whether it meets a condition;
        where that may be undefined its result are the rows of which it is."""
        if name in self.fillers:
            return self.fillers[name]
        symbol = self.fillers[name] = f"$fill_{len(self.fillers)}"
        place, body = self.layout.memos[name], Body(tracking=bool(self.layout.lacks.reached(name)))
        good = load(place.good)
        left, met, key, unsure = (body.local() for _ in range(4))
        row, here, truth = body.local("i32"), body.local("i32"), body.local("i32")
        rows = load(table.count) if table.dense else _rows(table)
        asked = self._condition(name, body, key, row)
        by = f"(i64.extend_i32_u (local.get {here}))"
        noted = (
            f"(local.set {met} (i64.or (local.get {met})"
            f" (i64.shl (i64.extend_i32_u (i32.and (local.get {truth}) (i32.const 1))) {by})))"
            f" (local.set {unsure} (i64.or (local.get {unsure})"
            f" (i64.shl (i64.extend_i32_u (i32.shr_u (local.get {truth}) (i32.const 1))) {by})))"
        )
        code = body.resolved(
            f"(local.set {left} (i64.and {rows} (i64.xor {good} (i64.const -1))))"
            f" {store(place.good, f'(i64.or {good} (local.get {left}))')}"
            f" (local.set {met} (i64.and {load(place.values)} (i64.xor (local.get {left}) (i64.const -1))))"
            f" (block $out (loop $on (br_if $out (i64.eqz (local.get {left})))"
            f" (local.set {here} (i32.wrap_i64 (i64.ctz (local.get {left})))) {_row(table, here, key, row)}"
            f" (local.set {truth} {asked.code}) {noted}"
            f" (local.set {left} (i64.and (local.get {left}) (i64.sub (local.get {left}) (i64.const 1))))"
            f" (br $on))) {store(place.values, f'(local.get {met})')}"
        )
        result = ""
        if open_:
            result = "(result i64)"
            sure = f"(i64.and {good} (i64.xor (local.get {unsure}) (i64.const -1)))"
            code += f"{store(place.good, sure)} (local.get {unsure})"
        if body.tracking:
            # of which rows it matters whoever loops over them finds out
            before = body.local()
            code = f"(local.set {before} {lack()}) {code} {lacked(before)}"
        self.code.append(f"(func {symbol} {result} {body.declared()} {code})")
        return symbol


def exists(bound: Bound) -> Truth:
    """That an entity exists whose row is known."""
    return Truth(f"(i32.wrap_i64 (i64.load (local.get {bound.row})))")


def _rows(table: Table) -> str:
    """The rows in use that have a bit, of a table whose rows are made as they come."""
    count = load(table.count)
    some = f"(i64.sub (i64.shl (i64.const 1) {count}) (i64.const 1))"
    return f"(select (i64.const -1) {some} (i64.ge_u {count} {i64(WORD)}))"


def _row(table: Table, number: str, key: str, row: str) -> str:
    """Code that finds a row and its key by its number."""
    code = f"(i64.extend_i32_u (local.get {number}))"
    if not table.dense:
        code = f"(i64.load offset={table.key_at} (i32.mul (local.get {number}) {i32(CELL)}))"
    return (
        f"(local.set {key} {code})"
        f" (local.set {row} (i32.add {i32(table.rows)} (i32.mul (local.get {number}) {i32(table.stride)})))"
    )
