"""The core's functions and decisions, each a function of the module, written when it is first called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import lcm
from typing import TYPE_CHECKING

from verifier.compile.costs import Costs
from verifier.compile.depends import Atom, Depends
from verifier.compile.emit import LIMIT, Body, Bound, Number, Truth, i32, i64, load, store
from verifier.compile.encoding import UNDEFINED, NotCompiledError, bits, encode, range_of
from verifier.compile.layout import CELL, MASK, Layout, Place, Table
from verifier.compile.memos import WORD, Memo
from verifier.compile.names import OWN
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


@dataclass(frozen=True, slots=True)
class Changed:
    """A part of the state that an event writes to; `condition` is code for whether it does (None: surely), and
    `others`, where only one row is written to, a number that has a 0 in that row's place."""

    atom: Atom
    condition: str | None = None
    others: str | None = None


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
    fillers: dict[str, str] = field(default_factory=dict)
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

    def table(self, type_: ty.EntityT) -> Table:
        return self.layout.tables[f"entity {type_.name}"]

    def params(self, params: tuple[Param, ...]) -> tuple[Bound, ...]:
        found: list[Bound] = []
        for i, param in enumerate(params):
            bare = param.type.of if isinstance(param.type, ty.OptT) else param.type
            low, high = range_of(bare)
            den = self.layout.unit if isinstance(bare, ty.OddsT) else 1
            sparse = isinstance(param.type, ty.EntityT) and not self.table(param.type).dense
            found.append(Bound(f"$p{i}", param.type, low, high, den, f"$r{i}" if sparse else None))
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
        expressions.fixed.update(bound.local for bound in inside)
        env = {param.name: bound for param, bound in zip(params, inside, strict=True)}
        term = self.layout.program.functions[name].body
        if isinstance(type_, ty.BoolT):
            truth = expressions.truth(term, env)
            if name.startswith(OWN):
                truth = expressions.all_of([_exists(inside[0]), truth])
            self._add(name, symbol, bounds, "i32", body, rows + truth.code, truth.open)
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
                code += f"(local.set {row} {self.find(self.table(bound.type), f'(local.get {bound.local})')})"
                bound = replace(bound, row=row)
            found.append(bound)
        return code, tuple(found)

    def passed(self, params: tuple[Bound, ...], args: Iterable[Bound]) -> str:
        """Variables as arguments of a function."""
        found: list[str] = []
        for param, arg in zip(params, args, strict=True):
            found.append(f"(local.get {arg.local})")
            if param.row is not None:
                assert isinstance(param.type, ty.EntityT)
                row = f"(local.get {arg.row})" if arg.row else self.find(self.table(param.type), found[-1])
                found.append(row)
        return " ".join(found)

    def _add(
        self,
        name: str,
        symbol: str,
        bounds: tuple[Bound, ...],
        result: str,
        body: Body,
        code: str,
        open_: bool = True,
    ) -> None:
        """One function; where its values are kept, one that looks for the value first, and it below."""
        kept = self.layout.memos.get(name)
        if kept is not None:
            self.code.append(self._kept(symbol, bounds, result, kept, open_))
            symbol += "_anew"
        code = body.resolved(code)
        self.code.append(f"(func {symbol} {_declared(bounds)} (result {result}) {body.declared()} {code})")

    def _kept(self, symbol: str, bounds: tuple[Bound, ...], result: str, place: Place, open_: bool) -> str:
        """A function that gives the value kept if it is still good, and else keeps the one it asks for.

        What was made while the kernel gave up is forgotten with the round. With a decision's value goes which cases
        gave it.
        """
        memo = place.memo
        anew = f"(call {symbol}_anew {_passed(bounds)})"
        before, index = self._index(memo, bounds, anew)
        if memo.keys == 1:
            good, truth, bit = load(place.good), load(place.values), i64(_signed(1 << place.bit))
            keep, keep_truth = store(place.good, "{}"), store(place.values, "{}")
            is_good = f"(i64.ne (i64.and {good} {bit}) (i64.const 0))"
            is_true = f"(i64.ne (i64.and {truth} {bit}) (i64.const 0))"
        else:
            at, by = "(i32.const 0)", "(i64.extend_i32_u (local.get $x))"
            before += f"(local.set $x {index})"
            if memo.keys > WORD:
                at = "(i32.shl (i32.shr_u (local.get $x) (i32.const 6)) (i32.const 3))"
            good, truth = load(at, place.good), load(at, place.values)
            bit = f"(i64.shl (i64.const 1) {by})"
            keep, keep_truth = store(at, "{}", place.good), store(at, "{}", place.values)
            is_good = f"(i32.wrap_i64 (i64.and (i64.shr_u {good} {by}) (i64.const 1)))"
            is_true = f"(i32.wrap_i64 (i64.and (i64.shr_u {truth} {by}) (i64.const 1)))"
        size = 8 * self.layout.memo_cells(memo)
        if memo.truth:
            told, given = "", is_true
            others = f"(i64.and {truth} (i64.xor {bit} (i64.const -1)))"
            own = f"(i64.or {truth} {bit})"
            keeping = keep_truth.format(f"(if (result i64) (local.get $r) (then {own}) (else {others}))")
            sure = "(i32.ne (local.get $r) (i32.const 3))" if open_ else ""
        else:
            row = i32(place.values)
            if memo.keys > 1:
                row = f"(i32.add {row} (i32.mul (local.get $x) {i32(size)}))"
            before += f"(local.set $a {row})"
            given, value = "(i64.load (local.get $a))", "(local.get $r)"
            if result == "i32":
                given, value = f"(i32.wrap_i64 {given})", f"(i64.extend_i32_u {value})"
            keeping = f"(i64.store (local.get $a) {value})"
            told, offset = "", 8
            if memo.name.startswith("decide "):
                for mask in self.masks(memo.name.removeprefix("decide ")):
                    keeping += f"(i64.store offset={offset} (local.get $a) (global.get {mask}))"
                    told += f"(global.set {mask} (i64.load offset={offset} (local.get $a)))"
                    offset += 8
            for i in memo.compared:
                own = f"(local.get {bounds[i].local})"
                keeping += f"(i64.store offset={offset} (local.get $a) {own})"
                same = f"(i64.eq (i64.load offset={offset} (local.get $a)) {own})"
                is_good = f"(if (result i32) {is_good} (then {same}) (else (i32.const 0)))"
                offset += 8
            sure = ""
        kept = keeping + keep.format(f"(i64.or {good} {bit})")
        if sure:
            kept = f"(if {sure} (then {kept}))"
        return (
            f"(func {symbol} {_declared(bounds)} (result {result}) (local $a i32) (local $x i32) (local $r {result})"
            f" {before} (if {is_good} (then {told} (return {given}))) (local.set $r {anew}) {kept} (local.get $r))"
        )

    def _index(self, memo: Memo, bounds: tuple[Bound, ...], anew: str) -> tuple[str, str]:
        """The number of a function's arguments among those of which values are kept; and code before it that asks
        anew where they are none of these."""
        if memo.keys == 1:
            return "", ""
        if memo.entity is not None:
            assert memo.position is not None
            table = self.layout.tables[f"entity {memo.entity}"]
            kept = min(memo.keys, table.capacity) * table.stride
            row = f"(i32.sub (local.get {bounds[memo.position].row}) {i32(table.rows)})"
            before = f"(if (i32.ge_u {row} {i32(kept)}) (then (return {anew})))"
            return before, f"(i32.div_u {row} {i32(table.stride)})"
        index = outside = ""
        for i, param in enumerate(memo.params):
            if i in memo.compared:
                continue
            low, _ = range_of(param.type) if isinstance(param.type, ty.IntT) else (0, 0)
            part = f"(i64.sub (local.get $p{i}) {i64(low)})" if low else f"(local.get $p{i})"
            if isinstance(param.type, ty.IntT):
                here = f"(i64.ge_u {part} {i64(1 << bits(param.type))})"
                outside = f"(i32.or {outside} {here})" if outside else here
            index = f"(i64.or (i64.shl {index} {i64(bits(param.type))}) {part})" if index else part
        return (
            f"(if {outside} (then (return {anew})))" if outside else "",
            f"(i32.wrap_i64 {index})",
        )

    def outdated(self, changes: Iterable[Changed]) -> str:
        """Code after which values that rest on any of these are no longer good."""
        by_atom: dict[Atom, list[Changed]] = {}
        for change in changes:
            by_atom.setdefault(change.atom, []).append(change)
        if not by_atom:
            return ""
        groups: dict[tuple[str, ...] | None, list[Place]] = {}
        by_row: dict[tuple[str, str], list[Place]] = {}
        for place in self.layout.memos.values():
            whole, rows = self._touched(place.memo, by_atom)
            if whole is not None:
                for row in rows:
                    by_row.setdefault(row, []).append(place)
            if whole is None or whole:
                groups.setdefault(whole, []).append(place)
        code = ""
        for conditions, places in groups.items():
            cleared = self._cleared(places)
            if conditions is None:
                code += cleared
                continue
            test = conditions[0]
            for more in conditions[1:]:
                test = f"(i32.or {test} {more})"
            code += f"(if {test} (then {cleared}))"
        for (condition, others), places in by_row.items():
            cleared = ""
            for word, pair in _paired([place.good for place in places]):
                if pair:
                    both = f"(v128.and (v128.load {i32(word)}) (i64x2.splat {others}))"
                    cleared += f"(v128.store {i32(word)} {both})"
                else:
                    cleared += store(word, f"(i64.and {load(word)} {others})")
            code += f"(if {condition} (then {cleared}))"
        return code

    def _touched(
        self, memo: Memo, by_atom: Mapping[Atom, list[Changed]]
    ) -> tuple[tuple[str, ...] | None, list[tuple[str, str]]]:
        """The conditions under which no value of a function is good (None: surely), and those under which that of one
        row is not, with a number that has a 0 in that row's place."""
        whole: list[str] = []
        rows: list[tuple[str, str]] = []
        sure = False
        for atom in sorted(memo.atoms & by_atom.keys()):
            for change in by_atom[atom]:
                sure = sure or change.condition is None
                whole += [change.condition] if change.condition is not None else []
        for atom, changes in by_atom.items():
            if (
                atom[0] == "exists"
                and memo.name.startswith(OWN)
                and memo.params[0].type == self._entity(atom[1])
            ):
                for change in changes:
                    if change.condition is None or change.others is None:
                        sure = True
                    else:
                        rows.append((change.condition, change.others))
            if atom[0] != "field":
                continue
            _, entity, name = atom
            for change in changes:
                if name in memo.own and memo.position is not None:
                    of = memo.params[memo.position].type
                    assert isinstance(of, ty.EntityT)
                    if of.name == entity:
                        if change.condition is None or change.others is None or not memo.by_row:
                            sure = sure or change.condition is None
                            whole += [change.condition] if change.condition is not None else []
                        else:
                            rows.append((change.condition, change.others))
                for kind, key, field_ in sorted(memo.rows, key=repr):
                    if (kind, field_) != (entity, name):
                        continue
                    if change.condition is None or change.others is None:
                        sure = sure or change.condition is None
                        whole += [change.condition] if change.condition is not None else []
                    else:
                        number = encode(self.layout.ruleset.entities[kind].type, key, {})
                        here = f"(i64.eq {change.others} {i64(_signed(~(1 << number)))})"
                        whole.append(f"(i32.and {change.condition} {here})")
        return (None if sure else tuple(dict.fromkeys(whole))), rows

    def _entity(self, name: str) -> Type:
        return self.layout.ruleset.entities[name].type

    def _cleared(self, places: list[Place]) -> str:
        """No values of these functions are good."""
        bits_: dict[int, int] = {}
        words: list[int] = []
        for place in places:
            if place.memo.keys == 1:
                bits_[place.good] = bits_.get(place.good, 0) | 1 << place.bit
            else:
                words += range(place.good, place.good + CELL * -(-place.memo.keys // WORD), CELL)
        code = "".join(
            f"(v128.store {i32(word)} (v128.const i64x2 0 0))" if pair else store(word, i64(0))
            for word, pair in _paired(words)
        )
        for word, mask in bits_.items():
            code += store(word, f"(i64.and {load(word)} {i64(_signed(~mask))})")
        return code

    def forget(self) -> str:
        """No value kept is good."""
        first, end = self.layout.good
        return f"(memory.fill {i32(first)} (i32.const 0) {i32(end - first)})"

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
        params = self.params(decision.params)
        body = Body()
        expressions = self.expressions(body)
        rows, bounds = self.with_rows(body, params)
        expressions.fixed.update(bound.local for bound in bounds)
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
        self._add(f"decide {decision.name}", symbol, params, "i32" if truth_value else "i64", body, code)
        return Written(symbol, params, True, Number("", low, high, den))

    # ----------------------------------------------------------------------------------------------- rows
    def filled(self, name: str) -> str:
        """Code after which it is known of every row, as far as it is kept, whether it meets a condition on it alone."""
        place = self.layout.memos[name]
        (param,) = self.function(name).params
        assert isinstance(param.type, ty.EntityT)
        table = self.table(param.type)
        good, count = load(place.good), load(table.count)
        missing = f"(i64.and {count} (i64.xor {good} (i64.const -1)))"
        lacking = f"(i64.ne {missing} (i64.const 0))"
        if not table.dense:
            lacking = f"(i64.lt_u (i64.popcnt {good}) {count})"
        if name not in self.fillers:
            symbol = self.fillers[name] = f"$fill_{len(self.fillers)}"
            body = Body()
            left, met, key = body.local(), body.local(), body.local()
            row, here = body.local("i32"), body.local("i32")
            function = self.layout.program.functions[name]
            bound = replace(param, local=key, row=row)
            written = self.expressions(body)
            truth = written.truth(function.body, {function.params[0].name: bound})
            truth = written.all_of([_exists(bound), truth])
            found_key = f"(i64.extend_i32_u (local.get {here}))"
            if not table.dense:
                all_ = f"(i64.sub (i64.shl (i64.const 1) {count}) (i64.const 1))"
                all_ = f"(select (i64.const -1) {all_} (i64.ge_u {count} {i64(WORD)}))"
                missing = f"(i64.and {all_} (i64.xor {good} (i64.const -1)))"
                found_key = f"(i64.load offset={table.key_at} (i32.shl (local.get {here}) (i32.const 3)))"
            written_code = body.resolved(truth.code)
            bit = f"(i64.shl (i64.extend_i32_u {written_code}) (i64.extend_i32_u (local.get {here})))"
            self.code.append(
                f"(func {symbol} {body.declared()} (local.set {left} {missing})"
                f" {store(place.good, f'(i64.or {good} (local.get {left}))')}"
                f" (local.set {met} (i64.and {load(place.values)} (i64.xor (local.get {left}) (i64.const -1))))"
                f" (block $out (loop $on (br_if $out (i64.eqz (local.get {left})))"
                f" (local.set {here} (i32.wrap_i64 (i64.ctz (local.get {left})))) (local.set {key} {found_key})"
                f" (local.set {row} (i32.add {i32(table.rows)} (i32.mul (local.get {here}) {i32(table.stride)})))"
                f" (local.set {met} (i64.or (local.get {met}) {bit}))"
                f" (local.set {left} (i64.and (local.get {left}) (i64.sub (local.get {left}) (i64.const 1))))"
                f" (br $on))) {store(place.values, f'(local.get {met})')})"
            )
        return f"(if {lacking} (then (call {self.fillers[name]})))"

    def meeting(self, own: str, pending: str | None) -> str:
        """Code for the rows, a bit each, that meet a condition on them alone; but for those that fail what else is
        asked, as far as that is known."""
        place = self.layout.memos[own]
        found = f"(i64.and {load(place.good)} {load(place.values)})"
        if pending is not None:
            place = self.layout.memos[pending]
            failed = f"(i64.and {load(place.good)} (i64.xor {load(place.values)} (i64.const -1)))"
            found = f"(i64.and {found} (i64.xor {failed} (i64.const -1)))"
        return found

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


def _exists(bound: Bound) -> Truth:
    """That an entity exists whose row is known."""
    return Truth(f"(i32.wrap_i64 (i64.load (local.get {bound.row})))")


def _declared(bounds: tuple[Bound, ...]) -> str:
    """The parameters of a function: of an entity whose row is not told by its key, the row too."""
    return "".join(f"(param {b.local} i64)" + (f"(param {b.row} i32)" if b.row else "") for b in bounds)


def _passed(bounds: tuple[Bound, ...]) -> str:
    """Parameters, as they were given, as arguments."""
    return " ".join(f"(local.get {b.local})" + (f" (local.get {b.row})" if b.row else "") for b in bounds)


def _paired(words: list[int]) -> Iterator[tuple[int, bool]]:
    """Cells in order; two that lie side by side as one."""
    rest = sorted(words)
    while rest:
        first = rest.pop(0)
        pair = rest[:1] == [first + CELL]
        if pair:
            rest.pop(0)
        yield first, pair


def _signed(word: int) -> int:
    """A number of 64 bits as a signed one."""
    word &= (1 << 64) - 1
    return word - (1 << 64) if word >> 63 else word


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
