"""The core's functions and decisions, each a function of the module, written when it is first called."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import lcm
from typing import TYPE_CHECKING

from verifier.compile.costs import Costs
from verifier.compile.depends import Depends
from verifier.compile.emit import (
    LIMIT,
    Body,
    Bound,
    Number,
    Truth,
    i32,
    i64,
    lack,
    lacked,
    lacking,
    load,
    store,
)
from verifier.compile.encoding import UNDEFINED, NotCompiledError, range_of
from verifier.compile.holding import Holding, exists
from verifier.compile.keeping import declared
from verifier.compile.layout import CELL, MASK
from verifier.compile.names import OWN
from verifier.compile.sure import always_answered
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
class Functions(Holding):
    """All functions written so far."""

    functions: dict[str, Written] = field(default_factory=dict)
    decisions: dict[str, Written] = field(default_factory=dict)
    under_way: set[str] = field(default_factory=set)
    asked_ahead: set[str] = field(default_factory=set)
    order: dict[str, int] = field(init=False)
    costs: Costs = field(init=False)
    depends: Depends = field(init=False)

    def __post_init__(self) -> None:
        self.costs = Costs(self.layout.program)
        self.depends = Depends(self.layout.program, frozenset())
        self.order = {name: i for i, name in enumerate(self.layout.program.functions)}

    def expressions(self, body: Body) -> Expressions:
        from verifier.compile.expressions import Expressions

        return Expressions(self, body)

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

    def tracked_body(self, name: str) -> Body:
        """The body of a function or decision, which notes why it is undefined if it reads unstated options."""
        return Body(tracking=bool(self.layout.lacks.reached(name)))

    def told_of(self, name: str) -> tuple[Bound, bool]:
        found = self.function(name)
        return found.params[0], found.open

    def params_of(self, name: str) -> tuple[Bound, ...]:
        return self.params(self.layout.program.functions[name].params)

    def _ahead(self, symbol: str, params: tuple[Param, ...], type_: Type) -> Written:
        """What is known of a function before it is written, for those that call it on the way: decisions may read
        one another, and themselves of other things."""
        bare = type_.of if isinstance(type_, ty.OptT) else type_
        den = self.layout.unit if isinstance(bare, ty.OddsT) else 1
        return Written(symbol, self.params(params), True, Number("", -LIMIT, LIMIT, den))

    def _written(self, params: tuple[Param, ...], type_: Type, name: str) -> Written:
        symbol = f"$f{self.order[name]}"
        bounds = self.params(params)
        body = self.tracked_body(name)
        expressions = self.expressions(body)
        rows, inside = self.with_rows(body, bounds)
        expressions.fixed.update(bound.local for bound in inside)
        env = {param.name: bound for param, bound in zip(params, inside, strict=True)}
        term = self.layout.program.functions[name].body
        if isinstance(type_, ty.BoolT):
            truth = expressions.truth(term, env)
            if name.startswith(OWN):
                truth = expressions.all_of([exists(inside[0]), truth])
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
        code = body.resolved(code)
        if name in self.layout.held:
            self.code.append(self.asking(name, symbol, bounds))
            symbol += "_anew"
        elif kept is not None:
            leave = body.label()
            code = f"(block {leave} (result {result}) {code.replace('(return ', f'(br {leave} ')})"
            self.code.append(self.keeping(symbol, bounds, result, kept, open_, body, code))
            return
        self.code.append(f"(func {symbol} {declared(bounds)} (result {result}) {body.declared()} {code})")

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

    def _decision(self, decision: DecisionProgram) -> Written:
        index = list(self.layout.program.decisions).index(decision.name)
        symbol = f"$decide_{index}"
        masks = self.masks(decision.name)
        self.globals += [f"(global {mask} (mut i64) (i64.const 0))" for mask in masks]
        params = self.params(decision.params)
        body = self.tracked_body(f"decide {decision.name}")
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
                with expressions.facts.given(applied.when):
                    number = expressions.number(case.value, env, label)
            except NotCompiledError:
                number = Number(f"(block (result i64) {self.give_up} (i64.const 0))", 0, 0)
            values.append((applied, number, label))
        ahead = self.decisions[decision.name].number.den
        den = lcm(ahead, *(n.den for _, n, _ in values))
        if ahead != den and decision.name in self.asked_ahead:
            raise NotCompiledError(f"{decision.name}, which reads itself, in fractions")
        parts: list[tuple[tuple[str, ...], str]] = []
        nowhere = body.label()
        sure_of_one = not any(truth.open or label in body.used for truth, _, label in values)
        sure_of_one = sure_of_one and always_answered(self.layout.program, decision)
        for i, (truth, unscaled, label) in enumerate(values):
            number = expressions.widened(unscaled, decision.cases[i].value.type, den)
            note = (
                f"(local.set {sure[i // MASK]} (i64.or (local.get {sure[i // MASK]}) {i64(1 << i % MASK)}))"
            )
            # what clashes is as good as unknown; the cases that come after are asked all the same
            clash = lacking() if body.tracking else ""
            take = (
                f"(if (local.get {seen}) (then (if (i64.ne (local.get {value}) (local.get {other})) (then"
                f" (local.set {doubt} (i32.const 1)) (local.set {lost} (i32.const 1)){clash})))"
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
            if sure_of_one:
                inner = f"(local.set {value} {number.code}) {note}"
                parts.append((quick[i], body.where(truth, inner)))
                continue
            if label in body.used:
                done = body.label()
                inner = (
                    f"(block {done} (block {label} {inner} (br {done}))"
                    f" (local.set {doubt} (i32.const 1)) (local.set {lost} (i32.const 1)))"
                )
            if truth.open:
                parts.append((quick[i], f"(if (local.tee {applies} {truth.code}) (then {inner}))"))
            else:
                parts.append((quick[i], body.where(truth, inner)))
        give = "".join(
            f"(global.set {mask} (local.get {local}))" for mask, local in zip(masks, sure, strict=True)
        )
        low = min((n.low * den // n.den for _, n, _ in values), default=0)
        high = max((n.high * den // n.den for _, n, _ in values), default=0)
        truth_value = isinstance(decision.type, ty.BoolT)
        result = f"(i32.wrap_i64 (local.get {value}))" if truth_value else f"(local.get {value})"
        nothing = i32(3) if truth_value else i64(UNDEFINED)
        kind = "i32" if truth_value else "i64"
        asked = f"{rows} {_grouped(parts)} {self._noted(decision.name, sure)}"
        if sure_of_one:
            code = f"{asked} {give} {result}"
            self._add(f"decide {decision.name}", symbol, params, kind, body, code, open_=False)
            return Written(symbol, params, False, Number("", low, high, den))
        if body.tracking:
            # what is answered notes nothing of what could not be told, and that there is no case for it is no option's
            before = body.local()
            asked = f"(local.set {before} {lack()}) {asked}"
            give = lacked(before) + give
            gap = f"(i32.eqz (i32.or (local.get {seen}) (local.get {doubt})))"
            nothing = f"(if {gap} (then {lacking()})) {nothing}"
        code = (
            f"{asked} (block {nowhere} (br_if {nowhere} (i32.eqz (local.get {seen})))"
            f" (if (local.get {doubt}) (then (br_if {nowhere} (i32.or (local.get {lost})"
            f" (i64.ne (local.get {maybe}) (local.get {value}))))))"
            f" {give} (return {result})) {nothing}"
        )
        self._add(f"decide {decision.name}", symbol, params, kind, body, code)
        return Written(symbol, params, True, Number("", low, high, den))

    def _noted(self, name: str, sure: list[str]) -> str:
        """Code that notes which cases gave a decision's value, where that is wanted."""
        code = ""
        for i, local in enumerate(sure):
            if (name, i) in self.layout.noted:
                at = self.layout.read + CELL * self.layout.noted.index((name, i))
                code += store(at, f"(i64.or {load(at)} (local.get {local}))")
        return code


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
