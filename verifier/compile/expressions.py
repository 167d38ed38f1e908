"""Core terms to code. What a term means says `verifier.run.evaluate`; here is the same for numbers.

A number's code jumps to a label where the value is undefined; a truth value has a number for that. What has no code
here, or leaves its bounds, hands the round to the interpreter (`$give_up`).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import gcd, lcm

from verifier.compile.emit import (
    FALSE,
    LIMIT,
    TRUE,
    Bound,
    Number,
    Truth,
    cell_offset,
    i32,
    i64,
    is_undefined,
    load,
)
from verifier.compile.encoding import (
    ABSENT,
    LARGEST,
    NotCompiledError,
    base,
    bits,
    encode,
    parts_of,
    range_of,
    shifts,
)
from verifier.compile.layout import LARGEST_UNIT, Array, Cell, Table, bits_or_number, data_at
from verifier.compile.loops import Env, Loops
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.terms import Term
from verifier.model.types import Type


class Expressions(Loops):
    """Writes terms into one function's body."""

    # -------------------------------------------------------------------------------------------- truth values
    def truth(self, term: Term, env: Env) -> Truth:
        """A term of type bool; never raises: what has no code gives up when it is reached."""
        try:
            return self._truth(term, env)
        except NotCompiledError:
            return Truth(f"(block (result i32) {self.functions.give_up} (i32.const 3))", True)

    def _truth(self, term: Term, env: Env) -> Truth:
        match term:
            case m.Lit(value=value):
                return TRUE if value else FALSE
            case m.AndT(items=items):
                return self.all_of([self.truth(i, env) for i in items])
            case m.OrT(items=items):
                return self.any_of([self.truth(i, env) for i in items])
            case m.NotT(of=of):
                return self.negated(self.truth(of, env))
            case m.CompareT():
                return self._closed(lambda label: self._compare(term, env, label))
            case m.Ite(condition=condition, then=then, otherwise=otherwise):
                test, yes, no = (self.truth(t, env) for t in (condition, then, otherwise))
                open_ = yes.open or no.open
                if not test.open:
                    return Truth(f"(if (result i32) {test.code} (then {yes.code}) (else {no.code}))", open_)
                t = self.body.local("i32")
                code = (
                    f"(if (result i32) (i32.eq (local.tee {t} {test.code}) (i32.const 3)) (then (i32.const 3))"
                    f" (else (if (result i32) (local.get {t}) (then {yes.code}) (else {no.code}))))"
                )
                return Truth(code, True)
            case m.Quant():
                return self.quant(term, env)
            case m.Present(of=of):
                return self._closed(
                    lambda label: f"(i64.ne {self.number(of, env, label).code} {i64(ABSENT)})"
                )
            case m.BrokenT(latch=latch):
                return Truth(f"(i32.wrap_i64 {load(self._cell(f'broken {latch}').at)})")
            case m.AfterT(of=of):
                t = self.body.local("i32")
                inner = self.truth(of, self._without_rows(env))
                code = f"(block (result i32) (call $swap) (local.set {t} {inner.code}) (call $swap) (local.get {t}))"
                return Truth(code, inner.open)
            case m.CallF(function=name, args=args):
                if (inside := self._inside(name, args, env)) is not None:
                    return self.truth(self.layout.program.functions[name].body, inside)
                found = self.functions.function(name)
                return self._call_truth(found.symbol, found.open, found.params, args, env)
            case m.Decide(decision=name, args=args):
                decided = self.functions.decision(name)
                return self._call_truth(decided.symbol, decided.open, decided.params, args, env)
            case _:
                return self._closed(lambda label: f"(i32.wrap_i64 {self.number(term, env, label).code})")

    def _inside(self, name: str, args: tuple[Term, ...], env: Env) -> Env | None:
        """The variables of a function that is written out where it is called; None where it is not.

        Its arguments are variables of the very types that it wants, so that none is undefined or out of range.
        """
        if name not in self.layout.written_out:
            return None
        found: dict[str, Bound] = {}
        for param, arg in zip(self.layout.program.functions[name].params, args, strict=True):
            if not isinstance(arg, m.Var) or env[arg.name].type != param.type:
                return None
            found[param.name] = env[arg.name]
        return found

    def _call_truth(
        self, symbol: str, open_: bool, params: tuple[Bound, ...], args: tuple[Term, ...], env: Env
    ) -> Truth:
        made = self._closed(lambda label: f"(call {symbol} {self._args(params, args, env, label)})")
        return Truth(made.code, made.open or open_)

    def _closed(self, make: Callable[[str], str]) -> Truth:
        """Code that may jump where a value is undefined, closed to a truth value."""
        label = self.body.label()
        code = make(label)
        if label not in self.body.used:
            return Truth(code)
        done = self.body.label()
        return Truth(f"(block {done} (result i32) (block {label} (br {done} {code})) (i32.const 3))", True)

    def all_of(self, items: list[Truth]) -> Truth:
        """Kleene's and."""
        items = [i for i in items if i != TRUE]
        if not items:
            return TRUE
        if FALSE in items:
            return FALSE
        found = items[-1]
        for item in reversed(items[:-1]):
            if item.open:
                t, s = self.body.local("i32"), self.body.local("i32")
                code = (
                    f"(if (result i32) (local.tee {t} {item.code}) (then (if (result i32) (local.tee {s} {found.code})"
                    f" (then (i32.or (local.get {t}) (local.get {s}))) (else (i32.const 0)))) (else (i32.const 0)))"
                )
                found = Truth(code, True)
            else:
                code = f"(if (result i32) {item.code} (then {found.code}) (else (i32.const 0)))"
                found = Truth(code, found.open)
        return found

    def any_of(self, items: list[Truth]) -> Truth:
        """Kleene's or."""
        items = [i for i in items if i != FALSE]
        if not items:
            return FALSE
        if TRUE in items:
            return TRUE
        found = items[-1]
        for item in reversed(items[:-1]):
            if item.open:
                t, s = self.body.local("i32"), self.body.local("i32")
                code = (
                    f"(if (result i32) (i32.eq (local.tee {t} {item.code}) (i32.const 1)) (then (i32.const 1))"
                    f" (else (if (result i32) (i32.eq (local.tee {s} {found.code}) (i32.const 1)) (then (i32.const 1))"
                    f" (else (i32.or (local.get {t}) (local.get {s}))))))"
                )
                found = Truth(code, True)
            else:
                code = f"(if (result i32) {item.code} (then (i32.const 1)) (else {found.code}))"
                found = Truth(code, found.open)
        return found

    def negated(self, item: Truth) -> Truth:
        if item == TRUE:
            return FALSE
        if item == FALSE:
            return TRUE
        if not item.open:
            return Truth(f"(i32.eqz {item.code})")
        t = self.body.local("i32")
        code = (
            f"(block (result i32) (local.set {t} {item.code}) (select (i32.const 3) (i32.eqz (local.get {t}))"
            f" (i32.eq (local.get {t}) (i32.const 3))))"
        )
        return Truth(code, True)

    # ----------------------------------------------------------------------------------------------- comparing
    def _compare(self, term: m.CompareT, env: Env, label: str) -> str:
        left, right = self._common(self.number(term.left, env, label), self.number(term.right, env, label))
        match term.op:
            case "=" | "!=":
                optional = isinstance(term.left.type, ty.OptT) and isinstance(term.right.type, ty.OptT)
                if optional and not isinstance(term.right, m.Lit):
                    a = self.body.local()
                    same = (
                        f"(i32.and (i64.eq (local.tee {a} {left.code}) {right.code})"
                        f" (i64.ne (local.get {a}) {i64(ABSENT)}))"
                    )
                    return same if term.op == "=" else f"(i32.eqz {same})"
                return f"(i64.{'eq' if term.op == '=' else 'ne'} {left.code} {right.code})"
            case "<":
                return f"(i64.lt_s {left.code} {right.code})"
            case "<=":
                return f"(i64.le_s {left.code} {right.code})"
            case ">":
                return f"(i64.gt_s {left.code} {right.code})"
            case ">=":
                return f"(i64.ge_s {left.code} {right.code})"

    def _common(self, left: Number, right: Number) -> tuple[Number, Number]:
        """Both numbers over one denominator. Absence survives nowhere but over 1."""
        den = lcm(left.den, right.den)
        return self.scaled(left, den), self.scaled(right, den)

    def scaled(self, number: Number, den: int) -> Number:
        """The number over a multiple of its denominator."""
        if number.den == den:
            return number
        factor = den // number.den
        if den > LARGEST_UNIT or den % number.den:
            raise NotCompiledError("denominators that have no small common multiple")
        return self._times(number, Number(i64(factor), factor, factor), den)

    # ----------------------------------------------------------------------------------------------- numbers
    def number(self, term: Term, env: Env, label: str) -> Number:
        """A term that is no list. Raises `NotCompiledError` for what has no code."""
        if isinstance(term.type, ty.BoolT) and not isinstance(
            term, m.Var | m.Get | m.Field | m.Part | m.OptionGet | m.Force | m.At | m.TableT | m.Lit
        ):
            truth = self.truth(term, env)
            if not truth.open:
                return Number(f"(i64.extend_i32_u {truth.code})", 0, 1)
            t = self.body.local("i32")
            jump = self.body.undefined_if(f"(i32.eq (local.tee {t} {truth.code}) (i32.const 3))", label)
            return Number(f"(block (result i64) {jump} (i64.extend_i32_u (local.get {t})))", 0, 1)
        match term:
            case m.Lit(type=type_, value=value):
                return self.literal(type_, value)
            case m.Var(name=name):
                bound = env[name]
                return Number(f"(local.get {bound.local})", bound.low, bound.high, bound.den)
            case m.Get(name=name, key=None):
                return self._read(term.type, load(self._cell(name).at))
            case m.Get(name=name, key=key):
                assert key is not None
                return self._read(term.type, self._keyed(name, (key,), env, label))
            case m.Field(entity=entity, name=name, of=of):
                column = self.layout.tables[f"entity {entity}"].columns[name]
                return self._read(term.type, load(self.row(entity, of, env, label), column.offset))
            case m.Part(of=of, index=index):
                return self._part(of, index, env, label)
            case m.Make(parts=parts):
                return self._make(term.type, parts, env, label)
            case m.OptionGet(name=name):
                return self._option(name, term.type, label)
            case m.CallF(function=name, args=args):
                if (inside := self._inside(name, args, env)) is not None:
                    return self.number(self.layout.program.functions[name].body, inside, label)
                found = self.functions.function(name)
                code = f"(call {found.symbol} {self._args(found.params, args, env, label)})"
                return self._result(code, found.open, found.number, label)
            case m.Decide(decision=name, args=args):
                decided = self.functions.decision(name)
                code = f"(call {decided.symbol} {self._args(decided.params, args, env, label)})"
                return self._result(code, decided.open, decided.number, label)
            case m.ArithT(op=op, left=left, right=right):
                a, b = self.number(left, env, label), self.number(right, env, label)
                return self._arithmetic(op, a, b, right, label)
            case m.Ite(condition=condition, then=then, otherwise=otherwise):
                return self._ite(condition, then, otherwise, env, label)
            case m.Fold():
                return self.fold(term, env, label)
            case m.Pick():
                return self.pick(term, env, label)
            case m.Length(list=list_):
                most = list_.type.maximum if isinstance(list_.type, ty.ListT) else 0
                return Number(f"(i64.load {self.list_at(list_, env, label)})", 0, most)
            case m.At(list=list_, index=index):
                return self._at(list_, index, env, label)
            case m.Force(of=of):
                inner = self.number(of, env, label)
                t = self.body.local()
                jump = self.body.undefined_if(f"(i64.eq (local.tee {t} {inner.code}) {i64(ABSENT)})", label)
                return Number(
                    f"(block (result i64) {jump} (local.get {t}))", inner.low, inner.high, inner.den
                )
            case m.TableT(of=of, rows=rows):
                return self._table(term.type, self.number(of, env, label), of.type, rows, env, label)
            case m.Count(latch=latch, keys=keys):
                if not keys:
                    return Number(load(self._cell(f"latch {latch}").at), 0, LARGEST)
                return Number(self._keyed(f"latch {latch}", keys, env, label), 0, LARGEST)
            case m.AfterT(of=of):
                return self._after(of, env, label)
            case _:
                raise NotCompiledError(f"{type(term).__name__} of {term.type}")

    def literal(self, type_: Type, value: object) -> Number:
        if value is None:
            return Number(i64(ABSENT))
        if isinstance(value, Fraction) or (
            isinstance(value, int) and not isinstance(value, bool) and self._numeric(type_)
        ):
            fraction = Fraction(value)
            number = fraction.numerator
            if abs(number) > LARGEST or fraction.denominator > LARGEST_UNIT:
                raise NotCompiledError(f"the number {value}")
            return Number(i64(number), number, number, fraction.denominator)
        number = encode(type_, value, {}, self.layout.unit)
        return Number(i64(number), number, number)

    def _numeric(self, type_: Type) -> bool:
        return ty.numeric(type_.of if isinstance(type_, ty.OptT) else type_)

    def _read(self, type_: Type, code: str) -> Number:
        """A value as a cell holds it."""
        if isinstance(type_, ty.ListT | ty.MapT | ty.SetT):
            raise NotCompiledError(f"{type_} as a value")
        low, high = range_of(type_)
        return Number(code, low, high, self.den_of(type_))

    def den_of(self, type_: Type) -> int:
        bare = type_.of if isinstance(type_, ty.OptT) else type_
        return self.layout.unit if isinstance(bare, ty.OddsT) else 1

    def _result(self, code: str, open_: bool, like: Number, label: str) -> Number:
        if not open_:
            return Number(code, like.low, like.high, like.den)
        t = self.body.local()
        jump = self.body.undefined_if(is_undefined(f"(local.tee {t} {code})"), label)
        return Number(f"(block (result i64) {jump} (local.get {t}))", like.low, like.high, like.den)

    def _args(self, params: tuple[Bound, ...], args: tuple[Term, ...], env: Env, label: str) -> str:
        return " ".join(
            self.fitted(self.number(arg, env, label), arg.type, param.type).code
            for param, arg in zip(params, args, strict=True)
        )

    def fitted(self, number: Number, of: Type, type_: Type) -> Number:
        """A number as a variable or a cell of `type_` holds it; what does not fit gives up."""
        bits_or_number(type_)
        bare = type_.of if isinstance(type_, ty.OptT) else type_
        if not ty.numeric(bare):
            return number
        den = self.den_of(type_)
        optional = isinstance(of, ty.OptT)
        if den % number.den == 0 and not (optional and den != number.den):
            number = self.scaled(number, den)
        elif optional:
            raise NotCompiledError("an optional amount that is no whole number")
        else:
            number = self._divided(number, number.den // gcd(den, number.den), den)
        low, high = range_of(bare)
        if number.low >= low and number.high <= high:
            return number
        t = self.body.local()
        outside = f"(i32.or (i64.lt_s (local.get {t}) {i64(low)}) (i64.gt_s (local.get {t}) {i64(high)}))"
        if optional:
            outside = f"(i32.and {outside} (i64.ne (local.get {t}) {i64(ABSENT)}))"
        instead = f"(local.set {t} {i64(ABSENT if optional else low)})"
        code = (
            f"(block (result i64) (local.set {t} {number.code})"
            f" (if {outside} (then {self.functions.give_up} {instead})) (local.get {t}))"
        )
        return Number(code, low, high, den)

    def _divided(self, number: Number, by: int, den: int) -> Number:
        """The number over a smaller denominator; where it is no whole number there, this gives up."""
        scaled = number if number.den == by * den else self.scaled(number, by * den)
        t = self.body.local()
        code = (
            f"(block (result i64) (local.set {t} {scaled.code}) (if (i64.ne (i64.rem_s (local.get {t}) {i64(by)})"
            f" (i64.const 0)) (then {self.functions.give_up})) (i64.div_s (local.get {t}) {i64(by)}))"
        )
        return (
            Number(code, -(-scaled.low // by) if scaled.low < 0 else scaled.low // by, scaled.high // by, den)
            if scaled.low >= 0
            else Number(code, -LIMIT, LIMIT, den)
        )

    # ----------------------------------------------------------------------------------------------- state
    def _cell(self, name: str) -> Cell:
        return self.layout.cells[name]

    def _keyed(self, name: str, keys: tuple[Term, ...], env: Env, label: str) -> str:
        place = self.layout.place(name)
        assert isinstance(place, Array | Table)
        key = self.packed(place.keys, [(self.number(k, env, label), k.type) for k in keys])
        if isinstance(place, Array):
            return f"(i64.load offset={place.at} {cell_offset(key)})"
        return load(self.functions.find(place, key), place.columns["value"].offset)

    def row(self, entity: str, of: Term, env: Env, label: str) -> str:
        """Code for the address of an entity's row: the null row where it has none."""
        if isinstance(of, m.Var) and env[of.name].row is not None:
            return f"(local.get {env[of.name].row})"
        table = self.layout.tables[f"entity {entity}"]
        ref = self.number(of, env, label).code
        if isinstance(of.type, ty.OptT):
            t = self.body.local()
            jump = self.body.undefined_if(f"(i64.eq (local.tee {t} {ref}) {i64(ABSENT)})", label)
            ref = f"(block (result i64) {jump} (local.get {t}))"
        return self.functions.find(table, ref)

    def list_at(self, term: Term, env: Env, label: str) -> str:
        """Code for the address of a list: of its length, which its elements follow."""
        match term:
            case m.Get(name=name, key=None):
                return i32(self._cell(name).at)
            case m.Field(entity=entity, name=name, of=of):
                column = self.layout.tables[f"entity {entity}"].columns[name]
                return f"(i32.add {self.row(entity, of, env, label)} {i32(column.offset)})"
            case m.Ite(condition=condition, then=then, otherwise=otherwise):
                test = self.truth(condition, env)
                t = self.body.local("i32")
                jump = ""
                if test.open:
                    jump = self.body.undefined_if(f"(i32.eq (local.get {t}) (i32.const 3))", label)
                return (
                    f"(block (result i32) (local.set {t} {test.code}) {jump} (if (result i32) (local.get {t})"
                    f" (then {self.list_at(then, env, label)}) (else {self.list_at(otherwise, env, label)})))"
                )
            case _:
                raise NotCompiledError(f"a list that is {type(term).__name__}")

    def _option(self, name: str, type_: Type, label: str) -> Number:
        t = self.body.local()
        jump = self.body.undefined_if(
            is_undefined(f"(local.tee {t} {load(self._cell(f'option {name}').at)})"), label
        )
        return self._read(type_, f"(block (result i64) {jump} (local.get {t}))")

    def _part(self, of: Term, index: int, env: Env, label: str) -> Number:
        whole = self.number(of, env, label).code
        of_type = of.type
        if isinstance(of_type, ty.OptT):
            t = self.body.local()
            jump = self.body.undefined_if(f"(i64.eq (local.tee {t} {whole}) {i64(ABSENT)})", label)
            whole = f"(block (result i64) {jump} (local.get {t}))"
            of_type = of_type.of
        types = parts_of(of_type)
        return self._unpacked(whole, types[index], shifts(types)[index], first=index == 0)

    def _unpacked(self, whole: str, type_: Type, shift: int, first: bool) -> Number:
        width = bits(type_)
        moved = f"(i64.shr_u {whole} {i64(shift)})" if shift else whole
        part = moved if first else f"(i64.and {moved} {i64((1 << width) - 1)})"
        if isinstance(type_, ty.OptT):
            t = self.body.local()
            inner = bits(type_.of)
            low, high = range_of(type_.of)
            value = f"(i64.add (i64.and (local.get {t}) {i64((1 << inner) - 1)}) {i64(base(type_.of))})"
            code = (
                f"(block (result i64) (local.set {t} {part}) (select {value} {i64(ABSENT)}"
                f" (i32.wrap_i64 (i64.shr_u (local.get {t}) {i64(inner)}))))"
            )
            return Number(code, low, high)
        low, high = range_of(type_)
        taken = base(type_)
        return Number(f"(i64.add {part} {i64(taken)})" if taken else part, low, high)

    def _make(self, type_: Type, parts: tuple[Term, ...], env: Env, label: str) -> Number:
        bits_or_number(type_)
        types = parts_of(type_)
        if all(isinstance(p, m.Lit) for p in parts):
            values = tuple(p.value for p in parts if isinstance(p, m.Lit))
            number = encode(type_, values, {})
            return Number(i64(number), number, number)
        code = self.packed(types, [(self.number(p, env, label), p.type) for p in parts])
        return Number(code, 0, LIMIT)

    def packed(self, types: tuple[Type, ...], values: list[tuple[Number, Type]]) -> str:
        """Several values in one number."""
        found = ""
        for type_, (number, of), shift in zip(types, values, shifts(types), strict=True):
            part = self.packed_part(type_, number, of)
            moved = f"(i64.shl {part} {i64(shift)})" if shift else part
            found = f"(i64.or {found} {moved})" if found else moved
        return found

    def packed_part(self, type_: Type, number: Number, of: Type) -> str:
        width = bits(type_)
        if isinstance(type_, ty.OptT):
            if not isinstance(of, ty.OptT):
                return f"(i64.or {i64(1 << (width - 1))} {self.packed_part(type_.of, number, of)})"
            t = self.body.local()
            inner = self.packed_part(type_.of, Number(f"(local.get {t})", number.low, number.high), type_.of)
            return (
                f"(block (result i64) (local.set {t} {number.code}) (if (result i64) (i64.eq (local.get {t})"
                f" {i64(ABSENT)}) (then (i64.const 0)) (else (i64.or {i64(1 << (width - 1))} {inner}))))"
            )
        if isinstance(of, ty.OptT):
            raise NotCompiledError("an optional as part of a key")
        if number.den != 1:
            raise NotCompiledError("a fraction as part of a record")
        code = number.code
        if isinstance(type_, ty.IntT):
            least = base(type_)
            most = least + (1 << width) - 1 if type_.high is None or type_.low is None else type_.high
            if number.low < least or number.high > most:
                t = self.body.local()
                code = (
                    f"(block (result i64) (local.set {t} {code}) (if (i32.or (i64.lt_s (local.get {t}) {i64(least)})"
                    f" (i64.gt_s (local.get {t}) {i64(most)})) (then {self.functions.give_up}"
                    f" (local.set {t} {i64(least)}))) (local.get {t}))"
                )
            if least:
                code = f"(i64.sub {code} {i64(least)})"
        return code

    # ----------------------------------------------------------------------------------------------- arithmetic
    def _arithmetic(self, op: str, a: Number, b: Number, right: Term, label: str) -> Number:
        match op:
            case "+" | "-":
                a, b = self._common(a, b)
                name = "add" if op == "+" else "sub"
                low, high = (
                    (a.low + b.low, a.high + b.high) if op == "+" else (a.low - b.high, a.high - b.low)
                )
                return self.bounded(Number(f"(i64.{name} {a.code} {b.code})", low, high, a.den))
            case "*":
                return self._times(a, b, a.den * b.den)
            case "/":
                return self._quotient(a, right)
            case "div" | "mod":
                return self._whole_division(op, a, b, label)
            case _:
                raise AssertionError(op)

    def _times(self, a: Number, b: Number, den: int) -> Number:
        if den > LARGEST_UNIT:
            raise NotCompiledError("a product of fractions")
        corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        low, high = min(corners), max(corners)
        if low >= -2 * LIMIT and high <= 2 * LIMIT:
            return self.bounded(Number(f"(i64.mul {a.code} {b.code})", low, high, den))
        return Number(f"(call $times {a.code} {b.code})", -LIMIT, LIMIT, den)

    def bounded(self, number: Number) -> Number:
        """A number of at most 62 bits; it gives up where it is larger than `LIMIT`."""
        if number.low >= -LIMIT and number.high <= LIMIT:
            return number
        return Number(
            f"(call $bounded {number.code})", max(number.low, -LIMIT), min(number.high, LIMIT), number.den
        )

    def _quotient(self, a: Number, right: Term) -> Number:
        match right:
            case m.Lit(value=int() as by) if by > 0 and a.den * by <= LARGEST_UNIT:
                return Number(a.code, a.low, a.high, a.den * by)
            case _:
                raise NotCompiledError("a division by what is no constant")

    def _whole_division(self, op: str, a: Number, b: Number, label: str) -> Number:
        """Rounded down, as Python does; undefined for a division by nothing."""
        a, b = self._common(a, b)
        t = self.body.local()
        code = b.code
        if b.low <= 0 <= b.high:
            jump = self.body.undefined_if(f"(i64.eqz (local.tee {t} {b.code}))", label)
            code = f"(block (result i64) {jump} (local.get {t}))"
        simple = a.low >= 0 and b.low > 0
        if op == "div":
            made = f"(i64.div_s {a.code} {code})" if simple else f"(call $div {a.code} {code})"
            widest = max(abs(a.low), abs(a.high))
            return Number(made, 0 if simple else -widest - 1, widest + 1)
        made = f"(i64.rem_s {a.code} {code})" if simple else f"(call $mod {a.code} {code})"
        widest = max(abs(b.low), abs(b.high))
        return Number(made, 0 if b.low > 0 else -widest, widest, a.den)

    def _ite(self, condition: Term, then: Term, otherwise: Term, env: Env, label: str) -> Number:
        test = self.truth(condition, env)
        yes, no = self.number(then, env, label), self.number(otherwise, env, label)
        if yes.den != no.den and (isinstance(then.type, ty.OptT) or isinstance(otherwise.type, ty.OptT)):
            raise NotCompiledError("an optional amount that is no whole number")
        yes, no = self._common(yes, no)
        low, high = min(yes.low, no.low), max(yes.high, no.high)
        if not test.open:
            code = f"(if (result i64) {test.code} (then {yes.code}) (else {no.code}))"
            return Number(code, low, high, yes.den)
        t = self.body.local("i32")
        jump = self.body.undefined_if(f"(i32.eq (local.tee {t} {test.code}) (i32.const 3))", label)
        code = f"(block (result i64) {jump} (if (result i64) (local.get {t}) (then {yes.code}) (else {no.code})))"
        return Number(code, low, high, yes.den)

    def _at(self, list_: Term, index: Term, env: Env, label: str) -> Number:
        if not isinstance(list_.type, ty.ListT):
            raise NotCompiledError("an element of what is no list")
        at, i = self.body.local("i32"), self.body.local()
        number = self.number(index, env, label)
        low, high = range_of(list_.type.of)
        unknown = ""
        if number.low < 1:
            unknown = (
                f"(if (i64.lt_s (local.get {i}) (i64.const 1))"
                f" (then {self.functions.give_up} (local.set {i} (i64.const 1))))"
            )
        if number.den != 1:
            raise NotCompiledError("a fraction as an index")
        jump = self.body.undefined_if(f"(i64.gt_s (local.get {i}) (i64.load (local.get {at})))", label)
        code = (
            f"(block (result i64) (local.set {at} {self.list_at(list_, env, label)}) (local.set {i} {number.code})"
            f" {unknown} {jump} (i64.load (i32.add (local.get {at}) {cell_offset(f'(local.get {i})')})))"
        )
        return Number(code, low, high, self.den_of(list_.type.of))

    def _table(
        self,
        type_: Type,
        of: Number,
        of_type: Type,
        rows: tuple[tuple[object, Term], ...],
        env: Env,
        label: str,
    ) -> Number:
        keys = [encode(of_type, key, {}) for key, _ in rows]
        if of.den != 1 or isinstance(of_type, ty.OptT | ty.MoneyT | ty.OddsT):
            raise NotCompiledError("a table of what is no small number")
        values = [self.number(value, env, label) for _, value in rows]
        den = lcm(*(v.den for v in values))
        low = min(v.low * den // v.den for v in values)
        high = max(v.high * den // v.den for v in values)
        first, last = min(keys), max(keys)
        t = self.body.local()
        literal = all(isinstance(value, m.Lit) and value.value is not None for _, value in rows)
        if literal and len(set(keys)) == len(keys) == last - first + 1 and len(keys) > 3:
            cells = [0] * len(keys)
            for key, value in zip(keys, values, strict=True):
                cells[key - first] = value.low * den // value.den
            at = data_at(self.layout, tuple(cells))
            code = (
                f"(block (result i64) (local.set {t} (i64.sub {of.code} {i64(first)}))"
                f" (if (i64.gt_u (local.get {t}) {i64(last - first)}) (then {self.functions.give_up}"
                f" (local.set {t} (i64.const 0)))) (i64.load offset={at} {cell_offset(f'(local.get {t})')}))"
            )
            return Number(code, low, high, den)
        chain = f"(block (result i64) {self.functions.give_up} (i64.const 0))"
        for key, value in zip(reversed(keys), reversed(values), strict=True):
            found = self.scaled(value, den).code
            chain = f"(if (result i64) (i64.eq (local.get {t}) {i64(key)}) (then {found}) (else {chain}))"
        return Number(f"(block (result i64) (local.set {t} {of.code}) {chain})", low, high, den)

    def _after(self, of: Term, env: Env, label: str) -> Number:
        """The value after the event: the writes are swapped in and out again, whatever comes of it."""
        inside, done = self.body.label(), self.body.label()
        inner = self.number(of, self._without_rows(env), inside)
        t = self.body.local()
        if inside not in self.body.used:
            code = (
                f"(block (result i64) (call $swap) (local.set {t} {inner.code}) (call $swap) (local.get {t}))"
            )
            return Number(code, inner.low, inner.high, inner.den)
        flag = self.body.local("i32")
        jump = self.body.undefined_if(f"(local.get {flag})", label)
        code = (
            f"(block (result i64) (call $swap) (local.set {flag} (i32.const 1)) (block {done} (block {inside}"
            f" (local.set {t} {inner.code}) (local.set {flag} (i32.const 0)) (br {done})))"
            f" (call $swap) {jump} (local.get {t}))"
        )
        return Number(code, inner.low, inner.high, inner.den)

    def _without_rows(self, env: Env) -> Env:
        return {n: Bound(b.local, b.type, b.low, b.high, b.den) for n, b in env.items()}
