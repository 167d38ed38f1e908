"""Numbers in code: over a common denominator, packed with others and taken apart, and reckoned with.

What leaves its bounds on the way gives up: the round goes to the interpreter.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import gcd, lcm

from verifier.compile.emit import LIMIT, Number, i64
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
from verifier.compile.layout import bits_or_number
from verifier.compile.loops import Env, Loops
from verifier.compile.units import LARGEST_UNIT
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.terms import Term
from verifier.model.types import Type


class Numbers(Loops):
    """Writes what is done with numbers once their own code is written."""

    def _common(self, left: Number, right: Number) -> tuple[Number, Number]:
        """Both numbers over one denominator; neither is absent."""
        den = lcm(left.den, right.den)
        return self.scaled(left, den), self.scaled(right, den)

    def widened(self, number: Number, of: Type, den: int) -> Number:
        """As `scaled`, of a value that may be absent: what is absent stays so."""
        if number.den == den or not isinstance(of, ty.OptT):
            return self.scaled(number, den)
        t = self.body.local()
        scaled = self.scaled(replace(number, code=f"(local.get {t})"), den)
        code = (
            f"(if (result i64) (i64.eq (local.tee {t} {number.code}) {i64(ABSENT)}) (then {i64(ABSENT)})"
            f" (else {scaled.code}))"
        )
        return replace(scaled, code=code)

    def scaled(self, number: Number, den: int) -> Number:
        """The number over a multiple of its denominator."""
        if number.den == den:
            return number
        factor = den // number.den
        if den > LARGEST_UNIT or den % number.den:
            raise NotCompiledError("denominators that have no small common multiple")
        return self._times(number, Number(i64(factor), factor, factor), den)

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

    def den_of(self, type_: Type) -> int:
        bare = type_.of if isinstance(type_, ty.OptT) else type_
        return self.layout.unit if isinstance(bare, ty.OddsT) else 1

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
        if isinstance(type_, ty.RecordT) and any(self.layout.never_told(part) for part in parts):
            raise NotCompiledError("a record of which a part is not told")
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
