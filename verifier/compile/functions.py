"""The core's functions and decisions, each a function of the module, written when it is first called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import lcm
from typing import TYPE_CHECKING

from verifier.compile.costs import Costs
from verifier.compile.depends import Atom, Depends
from verifier.compile.emit import LIMIT, Body, Bound, Number, Truth, i32, i64, load, store
from verifier.compile.encoding import UNDEFINED, NotCompiledError, bits, encode, range_of
from verifier.compile.layout import MASK, VERSION, Layout, Table
from verifier.compile.memos import Memo
from verifier.core.program import DecisionProgram
from verifier.model import types as ty
from verifier.model.ruleset import Param
from verifier.model.types import Type

if TYPE_CHECKING:
    from verifier.compile.expressions import Expressions


@dataclass(frozen=True, slots=True)
class Written:
    """A function of the module. A truth value's is 32 bits, any other's 64, `UNDEFINED` where `open`."""

    symbol: str
    params: tuple[Bound, ...]
    open: bool
    number: Number


@dataclass(slots=True)
class Functions:
    """All functions written so far. `why` lists what may hand a round to the interpreter, by number."""

    layout: Layout
    code: list[str] = field(default_factory=list)
    globals: list[str] = field(default_factory=list)
    functions: dict[str, Written] = field(default_factory=dict)
    decisions: dict[str, Written] = field(default_factory=dict)
    finders: dict[str, str] = field(default_factory=dict)
    makers: dict[str, str] = field(default_factory=dict)
    why: list[str] = field(default_factory=lambda: ["", "the kernel's bounds"])
    writing: str = ""
    under_way: set[str] = field(default_factory=set)
    asked_ahead: set[str] = field(default_factory=set)
    order: dict[str, int] = field(init=False)
    costs: Costs = field(init=False)
    depends: Depends = field(init=False)

    def __post_init__(self) -> None:
        self.costs = Costs(self.layout.program)
        self.depends = Depends(self.layout.program, frozenset())
        self.order = {name: i for i, name in enumerate(self.layout.program.functions)}

    @property
    def give_up(self) -> str:
        """The statement that hands the round to the interpreter; what is being written says why."""
        if self.writing not in self.why:
            self.why.append(self.writing)
        return f"(global.set $bad (i32.const {self.why.index(self.writing)}))"

    def expressions(self, body: Body) -> Expressions:
        from verifier.compile.expressions import Expressions

        return Expressions(self, body)

    def params(self, params: tuple[Param, ...]) -> tuple[Bound, ...]:
        found: list[Bound] = []
        for i, param in enumerate(params):
            bare = param.type.of if isinstance(param.type, ty.OptT) else param.type
            low, high = range_of(bare)
            den = self.layout.unit if isinstance(bare, ty.OddsT) else 1
            found.append(Bound(f"$p{i}", param.type, low, high, den))
        return tuple(found)

    def function(self, name: str) -> Written:
        """A define or an `applies` function."""
        if name not in self.functions:
            function = self.layout.program.functions[name]
            ahead = self._ahead(f"$f{self.order[name]}", function.params, function.type)
            self.functions[name] = ahead
            self.under_way.add(name)
            outer, self.writing = self.writing, name
            made = self._written(function.params, function.type, name)
            self.writing = outer
            self.under_way.discard(name)
            if name in self.asked_ahead and ahead.number.den != made.number.den:
                raise NotCompiledError(f"{name}, which reads itself, in fractions")
            self.functions[name] = made
        elif name in self.under_way:
            self.asked_ahead.add(name)
        return self.functions[name]

    def _ahead(self, symbol: str, params: tuple[Param, ...], type_: Type) -> Written:
        """What is known of a function before it is written, for those that call it on the way: decisions may read
        one another, and themselves of other things."""
        bare = type_.of if isinstance(type_, ty.OptT) else type_
        den = self.layout.unit if isinstance(bare, ty.OddsT) else 1
        return Written(symbol, self.params(params), True, Number("", -LIMIT, LIMIT, den))

    def _written(self, params: tuple[Param, ...], type_: Type, name: str) -> Written:
        symbol = f"$f{self.order[name]}"
        bounds = self.params(params)
        body = Body()
        expressions = self.expressions(body)
        rows, inside = self.with_rows(body, bounds)
        env = {param.name: bound for param, bound in zip(params, inside, strict=True)}
        term = self.layout.program.functions[name].body
        if isinstance(type_, ty.BoolT):
            truth = expressions.truth(term, env)
            self._add(name, symbol, bounds, "i32", body, rows + truth.code)
            return Written(symbol, bounds, truth.open, Number(""))
        label = body.label()
        try:
            number = expressions.number(term, env, label)
        except NotCompiledError:
            number = Number(f"(block (result i64) {self.give_up} (i64.const 0))", -LIMIT, LIMIT)
        open_ = label in body.used
        code = number.code
        if open_:
            code = f"(block {label} (return {number.code})) {i64(UNDEFINED)}"
        self._add(name, symbol, bounds, "i64", body, rows + code)
        return Written(symbol, bounds, open_, number)

    def with_rows(self, body: Body, bounds: tuple[Bound, ...]) -> tuple[str, tuple[Bound, ...]]:
        """Variables that are entities with their rows, and the code that finds these."""
        code = ""
        found: list[Bound] = []
        for bound in bounds:
            if isinstance(bound.type, ty.EntityT) and bound.row is None:
                row = body.local("i32")
                table = self.layout.tables[f"entity {bound.type.name}"]
                code += f"(local.set {row} {self.find(table, f'(local.get {bound.local})')})"
                bound = replace(bound, row=row)
            found.append(bound)
        return code, tuple(found)

    def _add(
        self, name: str, symbol: str, bounds: tuple[Bound, ...], result: str, body: Body, code: str
    ) -> None:
        """One function; where its values are kept, one that looks for the value first, and it below."""
        params = "".join(f"(param {b.local} i64)" for b in bounds)
        kept = self.layout.memos.get(name)
        if kept is not None:
            self.code.append(self._kept(name, symbol, params, result, *kept))
            symbol += "_anew"
        self.code.append(f"(func {symbol} {params} (result {result}) {body.declared()} {code})")

    def _kept(self, name: str, symbol: str, params: str, result: str, memo: Memo, at: int) -> str:
        """A function that gives the value kept if it is still good, and else keeps the one it asks for.

        A stamp tells the moment in which a value was made; memory at first has none. What is made in a moment below 0,
        of what an event would leave, is good in that moment only. Nothing is kept of what the kernel gives up on. With
        a decision's value goes which cases gave it.
        """
        size = 8 * self.layout.memo_cells(name)
        args = "".join(f" (local.get $p{i})" for i in range(len(memo.params)))
        anew = f"(call {symbol}_anew{args})"
        where, before = i32(at), ""
        if memo.entity is not None:
            table = self.layout.tables[f"entity {memo.entity}"]
            before = (
                f"(local.set $a {self.find(table, '(local.get $p0)')})"
                f" (if (i32.eq (local.get $a) {i32(table.null)}) (then (return {anew})))"
            )
            place = f"(i32.div_u (i32.sub (local.get $a) {i32(table.rows)}) {i32(table.stride)})"
            where = f"(i32.add {i32(at)} (i32.mul {place} {i32(size)}))"
        elif memo.params:
            index, outside = self._index(memo)
            before = f"(if {outside} (then (return {anew})))" if outside else ""
            where = f"(i32.add {i32(at)} (i32.mul {index} {i32(size)}))"
        good = "(i64.eq (local.get $s) (global.get $now))"
        if memo.atoms is not None:
            since = [load(self.layout.classes[memo.atoms])]
            if memo.position is not None:
                since.append(self._version(memo.params[memo.position].type, f"(local.get $p{memo.position})"))
            for kind, key in dict.fromkeys((kind, key) for kind, key, _ in sorted(memo.rows, key=repr)):
                entity = self.layout.ruleset.entities[kind].type
                since.append(self._version(entity, i64(encode(entity, key, {}))))
            still = "(i64.gt_s (global.get $now) (i64.const 0))"
            for one in since:
                still = (
                    f"(if (result i32) (i64.gt_s (local.get $s) {one}) (then {still}) (else (i32.const 0)))"
                )
            good = f"(if (result i32) {good} (then (i32.const 1)) (else {still}))"
        value = "(i64.load offset=8 (local.get $a))"
        given, narrow = "(local.get $r)", value
        if result == "i32":
            given, narrow = "(i64.extend_i32_u (local.get $r))", f"(i32.wrap_i64 {value})"
        keep = told = ""
        if name.startswith("decide "):
            for i, mask in enumerate(self.masks(name.removeprefix("decide "))):
                offset = 16 + 8 * i
                keep += f"(i64.store offset={offset} (local.get $a) (global.get {mask}))"
                told += f"(global.set {mask} (i64.load offset={offset} (local.get $a)))"
        return (
            f"(func {symbol} {params} (result {result}) (local $a i32) (local $s i64) (local $r {result}) {before}"
            f" (local.set $s (i64.load (local.tee $a {where})))"
            f" (if {good} (then {told} (return {narrow})))"
            f" (local.set $r {anew})"
            " (if (i32.eqz (global.get $bad)) (then (i64.store (local.get $a) (global.get $now))"
            f" (i64.store offset=8 (local.get $a) {given}) {keep})) (local.get $r))"
        )

    def _index(self, memo: Memo) -> tuple[str, str]:
        """The number of a function's arguments among all that they may be, and where they may be others."""
        index = outside = ""
        for i, param in enumerate(memo.params):
            low, _ = range_of(param.type) if isinstance(param.type, ty.IntT) else (0, 0)
            part = f"(i64.sub (local.get $p{i}) {i64(low)})" if low else f"(local.get $p{i})"
            if isinstance(param.type, ty.IntT):
                here = f"(i64.ge_u {part} {i64(1 << bits(param.type))})"
                outside = f"(i32.or {outside} {here})" if outside else here
            index = f"(i64.or (i64.shl {index} {i64(bits(param.type))}) {part})" if index else part
        return f"(i32.wrap_i64 {index})", outside

    def _version(self, type_: Type, key: str) -> str:
        """Code for when the fields of an entity that values rest on were last written to."""
        assert isinstance(type_, ty.EntityT)
        table = self.layout.tables[f"entity {type_.name}"]
        return load(self.find(table, key), table.columns[VERSION].offset)

    def outdated(self, atoms: Mapping[Atom, str | None]) -> str:
        """Code that outdates the values that rest on any of these; a condition says where only perhaps (None: surely).

        A moment has passed then: what was made until now is older than what is made from here on.
        """
        groups: dict[tuple[str, ...] | None, list[int]] = {}
        for rests_on, cell in self.layout.classes.items():
            touched = sorted(rests_on & atoms.keys())
            if not touched:
                continue
            conditions = [atoms[atom] for atom in touched]
            sure = None in conditions
            group = None if sure else tuple(dict.fromkeys(c for c in conditions if c is not None))
            groups.setdefault(group, []).append(cell)
        code = ""
        for conditions_, cells in groups.items():
            bumps = "".join(store(cell, "(global.get $now)") for cell in cells)
            if conditions_ is None:
                code += bumps
                continue
            test = conditions_[0]
            for more in conditions_[1:]:
                test = f"(i32.or {test} {more})"
            code += f"(if {test} (then {bumps}))"
        return f"{code} (global.set $now (i64.add (global.get $now) (i64.const 1)))"

    # ----------------------------------------------------------------------------------------------- decisions
    def decision(self, name: str) -> Written:
        """A decision: its value where the cases that apply have one, and which cases they are in its masks."""
        if name not in self.decisions:
            decision = self.layout.program.decisions[name]
            index = list(self.layout.program.decisions).index(name)
            self.decisions[name] = self._ahead(f"$decide_{index}", decision.params, decision.type)
            self.under_way.add(name)
            outer, self.writing = self.writing, name
            self.decisions[name] = self._decision(decision)
            self.writing = outer
            self.under_way.discard(name)
        elif name in self.under_way:
            self.asked_ahead.add(name)
        return self.decisions[name]

    def masks(self, name: str) -> list[str]:
        """The globals that tell, by a bit each, which cases gave the value of the last answer."""
        count = len(self.layout.program.decisions[name].cases)
        index = list(self.layout.program.decisions).index(name)
        return [f"$mask_{index}_{i}" for i in range(count // MASK + 1)]

    def _decision(self, decision: DecisionProgram) -> Written:
        index = list(self.layout.program.decisions).index(decision.name)
        symbol = f"$decide_{index}"
        masks = self.masks(decision.name)
        self.globals += [f"(global {mask} (mut i64) (i64.const 0))" for mask in masks]
        bounds = self.params(decision.params)
        body = Body()
        expressions = self.expressions(body)
        rows, bounds = self.with_rows(body, bounds)
        env = {param.name: bound for param, bound in zip(decision.params, bounds, strict=True)}
        value, other, maybe = body.local(), body.local(), body.local()
        applies = body.local("i32")
        seen, doubt, lost = body.local("i32"), body.local("i32"), body.local("i32")
        sure = [body.local() for _ in masks]
        values: list[tuple[Truth, Number, str]] = []
        quick: list[tuple[str, ...]] = []
        for case in decision.cases:
            applied, guards = expressions.applied_after(case.applies, bounds)
            quick.append(guards)
            label = body.label()
            try:
                number = expressions.number(case.value, env, label)
            except NotCompiledError:
                number = Number(f"(block (result i64) {self.give_up} (i64.const 0))", 0, 0)
            values.append((applied, number, label))
        ahead = self.decisions[decision.name].number.den
        den = lcm(ahead, *(n.den for _, n, _ in values))
        if ahead != den and decision.name in self.asked_ahead:
            raise NotCompiledError(f"{decision.name}, which reads itself, in fractions")
        parts: list[tuple[tuple[str, ...], str]] = []
        conflict = body.label()
        for i, (truth, unscaled, label) in enumerate(values):
            number = expressions.scaled(unscaled, den)
            note = (
                f"(local.set {sure[i // MASK]} (i64.or (local.get {sure[i // MASK]}) {i64(1 << i % MASK)}))"
            )
            take = (
                f"(if (local.get {seen}) (then (br_if {conflict} (i64.ne (local.get {value}) (local.get {other}))))"
                f" (else (local.set {seen} (i32.const 1)) (local.set {value} (local.get {other})))) {note}"
            )
            unsure = (
                f"(if (i32.and (local.get {doubt}) (i64.ne (local.get {maybe}) (local.get {other})))"
                f" (then (local.set {lost} (i32.const 1))))"
                f" (local.set {doubt} (i32.const 1)) (local.set {maybe} (local.get {other}))"
            )
            settle = (
                f"(if (i32.eq (local.get {applies}) (i32.const 1)) (then {take}) (else {unsure}))"
                if truth.open
                else take
            )
            inner = f"(local.set {other} {number.code}) {settle}"
            if label in body.used:
                done = body.label()
                inner = (
                    f"(block {done} (block {label} {inner} (br {done}))"
                    f" (local.set {doubt} (i32.const 1)) (local.set {lost} (i32.const 1)))"
                )
            parts.append((quick[i], f"(if (local.tee {applies} {truth.code}) (then {inner}))"))
        give = "".join(
            f"(global.set {mask} (local.get {local}))" for mask, local in zip(masks, sure, strict=True)
        )
        for i, local in enumerate(sure):
            cell = self.layout.cells[f"read {decision.name} {i}"].at
            give += store(cell, f"(i64.or {load(cell)} (local.get {local}))")
        low = min((n.low * den // n.den for _, n, _ in values), default=0)
        high = max((n.high * den // n.den for _, n, _ in values), default=0)
        truth_value = isinstance(decision.type, ty.BoolT)
        result = f"(i32.wrap_i64 (local.get {value}))" if truth_value else f"(local.get {value})"
        nothing = i32(3) if truth_value else i64(UNDEFINED)
        code = (
            f"{rows} (block {conflict} {_grouped(parts)} (br_if {conflict} (i32.eqz (local.get {seen})))"
            f" (if (local.get {doubt}) (then (br_if {conflict} (i32.or (local.get {lost})"
            f" (i64.ne (local.get {maybe}) (local.get {value}))))))"
            f" {give} (return {result})) {nothing}"
        )
        self._add(f"decide {decision.name}", symbol, bounds, "i32" if truth_value else "i64", body, code)
        return Written(symbol, bounds, True, Number("", low, high, den))

    # ----------------------------------------------------------------------------------------------- rows
    def find(self, table: Table, key: str) -> str:
        """Code for the address of a key's row, or of the null row."""
        if table.dense:
            return f"(i32.add {i32(table.rows)} (i32.mul (i32.wrap_i64 {key}) {i32(table.stride)}))"
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


def _grouped(parts: list[tuple[tuple[str, ...], str]]) -> str:
    """Code whose parts each stand under some conditions; one that several share is asked once."""
    shared = Counter(guard for guards, _ in parts for guard in dict.fromkeys(guards))
    if not shared:
        return "".join(code for _, code in parts)
    most, times = max(shared.items(), key=lambda item: item[1])
    if times == 1:
        return "".join(_under(guards, code) for guards, code in parts)
    inside = [(tuple(g for g in guards if g != most), code) for guards, code in parts if most in guards]
    outside = [(guards, code) for guards, code in parts if most not in guards]
    return f"(if {most} (then {_grouped(inside)})) {_grouped(outside) if outside else ''}"


def _under(guards: tuple[str, ...], code: str) -> str:
    for guard in reversed(guards):
        code = f"(if {guard} (then {code}))"
    return code
