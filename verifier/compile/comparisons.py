"""Comparisons to code, and what follows from them where they hold and where they fail (`verifier.compile.facts`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import lcm

from verifier.compile.emit import FALSE, TRUE, Number, Truth, i64
from verifier.compile.encoding import ABSENT, range_of
from verifier.compile.facts import ANY, LONGEST, is_length, joined, of_length
from verifier.compile.keeping import signed
from verifier.compile.loops import Env
from verifier.compile.memos import WORD
from verifier.compile.numbers import Numbers
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.terms import Term


class Comparisons(Numbers):
    """Writes comparisons of numbers."""

    def _closed(self, make: Callable[[str], str]) -> Truth:
        """Code that may jump where a value is undefined, closed to a truth value."""
        label = self.body.label()
        code = make(label)
        if label not in self.body.used:
            return Truth(code)
        done = self.body.label()
        return Truth(f"(block {done} (result i32) (block {label} (br {done} {code})) (i32.const 3))", True)

    def with_lengths(self, term: m.CompareT, found: Truth) -> Truth:
        """A comparison of a list's length with a number, and what follows from it."""
        if (
            found.open
            or not is_length(term.left)
            or not isinstance(term.right, m.Lit)
            or found in (TRUE, FALSE)
        ):
            return found
        code = found.code.partition(" ")[2]
        number, bare = term.right.value, code.removesuffix(")")
        if not isinstance(number, int):
            return found
        length = bare.removesuffix(f" {i64(number)}")
        when, unless = of_length(term.op, number, length)
        if any(self.facts.known.get(key, -1) >= least for key, least in when.items()) and term.op in (
            ">=",
            ">",
        ):
            return TRUE
        if any(self.facts.known.get(key, -1) >= least for key, least in unless.items()) and term.op in (
            "<",
            "<=",
        ):
            return FALSE
        return replace(found, when=joined(found.when, when), unless=joined(found.unless, unless))

    def is_any(self, term: Term, values: tuple[m.Lit, ...], env: Env) -> Truth:
        """Whether a value is one of several that are written out, and what follows for the values it may have."""
        asked = ""

        def written(label: str) -> str:
            nonlocal asked
            code, asked = self._among(term, values, env, label)
            return code

        found = self._closed(written)
        fixed = [self.literal(value.type, value.value) for value in values]
        if found.open or not asked or len(asked) > LONGEST:
            return found
        holds = sum(1 << n for n in {n.low for n in fixed})
        return self.facts.among(found, asked, holds, ANY ^ holds, values_of(term))

    def _among(self, term: Term, values: tuple[m.Lit, ...], env: Env, label: str) -> tuple[str, str]:
        """Code for whether a value is one of several that are written out, and for the value where `Facts` can tell
        such values apart."""
        number = self.number(term, env, label)
        fixed = [self.literal(value.type, value.value) for value in values]
        t = self.body.local()
        if number.den == 1 and all(n.den == 1 and 0 <= n.low < WORD for n in fixed):
            mask = i64(signed(sum(1 << n for n in {n.low for n in fixed})))
            here = f"(i32.wrap_i64 (i64.and (i64.shr_u {mask} (local.tee {t} {number.code})) (i64.const 1)))"
            if values_of(term) == ANY:
                here = f"(i32.and {here} (i64.lt_u (local.get {t}) {i64(WORD)}))"
            return here, number.code
        code = ""
        for one in fixed:
            left, right = self._common(replace(number, code=f"(local.get {t})"), one)
            same = f"(i64.eq {left.code} {right.code})"
            code = f"(i32.or {code} {same})" if code else same
        return f"(block (result i32) (local.set {t} {number.code}) {code})", ""

    def comparison(self, term: m.CompareT, env: Env) -> Truth:
        """A comparison, and what follows from it."""
        den = 1

        def asked(label: str) -> str:
            nonlocal den
            code, den = self.compare(term, env, label)
            return code

        made = self._closed(asked)
        # the code of what is counted in parts of one is not that of the number itself
        values = values_of(term.left) if den == 1 else ANY
        return self.with_lengths(term, self.facts.compared(made, values))

    def compare(self, term: m.CompareT, env: Env, label: str) -> tuple[str, int]:
        """Code for a comparison, and the denominator over which both sides are counted in it."""
        left, right = self.number(term.left, env, label), self.number(term.right, env, label)
        den = lcm(left.den, right.den)
        left, right = self.widened(left, term.left.type, den), self.widened(right, term.right.type, den)
        return self._compared(term, left, right), den

    def _compared(self, term: m.CompareT, left: Number, right: Number) -> str:
        match term.op:
            case "=" | "!=":
                optional = isinstance(term.left.type, ty.OptT) and isinstance(term.right.type, ty.OptT)
                if optional and not isinstance(term.right, m.Lit):
                    a = self.body.local()
                    here = f"(local.tee {a} {left.code})"
                    same = (
                        (
                            f"(if (result i32) (i64.eq {here} {i64(ABSENT)}) (then (i32.const 0))"
                            f" (else (i64.eq (local.get {a}) {right.code})))"
                        )
                        if self.layout.reasons
                        else (
                            f"(i32.and (i64.eq (local.tee {a} {left.code}) {right.code})"
                            f" (i64.ne (local.get {a}) {i64(ABSENT)}))"
                        )
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


def values_of(term: Term) -> int:
    """The values that a term may have, as `Facts` has them."""
    if isinstance(term, m.Var | m.Get | m.Field | m.Part | m.At) and isinstance(
        term.type, ty.IntT | ty.EnumT
    ):
        low, high = range_of(term.type)
        if 0 <= low <= high < WORD:
            return (1 << high + 1) - (1 << low)
    return ANY


def one_of(items: tuple[Term, ...]) -> tuple[Term, tuple[m.Lit, ...]] | None:
    """Of a disjunction that asks whether one value is any of several: the value, and these."""
    values: list[m.Lit] = []
    asked: Term | None = None
    for item in items:
        match item:
            case m.CompareT(op="=", left=left, right=m.Lit() as value) if (
                value.value is not None and asked in (None, left)
            ):
                asked = left
                values.append(value)
            case _:
                return None
    return None if asked is None or len(values) < 2 else (asked, tuple(values))
