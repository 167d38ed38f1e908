"""Core terms to code. What a term means says `verifier.run.evaluate`; here is the same for numbers.

A number's code jumps to a label where the value is undefined; a truth value has a number for that. What has no code
here, or leaves its bounds, hands the round to the interpreter (`$give_up`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from math import lcm

from verifier.compile.comparisons import Comparisons, one_of
from verifier.compile.costs import items
from verifier.compile.depends import direct
from verifier.compile.emit import (
    FALSE,
    OTHER,
    TRUE,
    Bound,
    Number,
    Truth,
    cell_offset,
    i32,
    i64,
    is_undefined,
    is_untold,
    lack,
    lacking,
    load,
)
from verifier.compile.encoding import (
    ABSENT,
    LARGEST,
    NotCompiledError,
    encode,
    range_of,
)
from verifier.compile.facts import at_least, is_present, joined
from verifier.compile.functions import Written
from verifier.compile.layout import CELL, Array, Cell, Table, data_at
from verifier.compile.loops import Env
from verifier.compile.untold import LACKS, UNTRIED
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.terms import Term, free_variables
from verifier.model.types import Type

PLAIN = ("(i32.const ", "(i32.add (local.get ", "(i32.add (i32.const ")
"""What the code of an address begins with that may be written twice."""

QUICK = 16
"""What costs no more is asked before a function is called."""

WRITTEN = 60
"""A condition that costs no more is written out instead of called."""


class Expressions(Comparisons):
    """Writes terms into one function's body."""

    # -------------------------------------------------------------------------------------------- truth values
    def truth(self, term: Term, env: Env) -> Truth:
        """A term of type bool; never raises: what has no code gives up when it is reached."""
        if not self.body.tracking:
            return self._told(term, env)
        if self.layout.lacks.of(term):
            found = self._told(term, env)
            return found if isinstance(term, m.NotT | m.CallF) else self.body.forgiven(found)
        with self.tracked(False):
            found = self._told(term, env)
        return self.body.noted(found)

    def _told(self, term: Term, env: Env) -> Truth:
        try:
            return self.facts.told(self._truth(term, env))
        except NotCompiledError:
            return Truth(f"(block (result i32) {self.functions.give_up} (i32.const 3))", True)

    def _each_known(self, terms: Sequence[Term], env: Env, *, hold: bool) -> list[Truth]:
        """Terms each of which is asked only where those before are not 0 (`hold`), or not 1."""
        found: list[Truth] = []
        known: dict[str, int] = {}
        for term in terms:
            with self.facts.given(known):
                found.append(self.truth(term, env))
            known = joined(known, found[-1].when if hold else found[-1].unless)
        return found

    def _truth(self, term: Term, env: Env) -> Truth:
        match term:
            case m.Lit(value=value):
                return TRUE if value else FALSE
            case m.AndT(items=items):
                return self.all_of(
                    self._each_known(self.functions.costs.cheapest_first(items), env, hold=True)
                )
            case m.OrT(items=items):
                if (chosen := one_of(items)) is not None:
                    return self.is_any(*chosen, env)
                return self.any_of(
                    self._each_known(self.functions.costs.cheapest_first(items), env, hold=False)
                )
            case m.NotT(of=of):
                return self.negated(self.truth(of, env))
            case m.CompareT():
                return self.comparison(term, env)
            case m.Ite(condition=condition, then=then, otherwise=otherwise):
                test = self.truth(condition, env)
                with self.facts.given(test.when):
                    yes = self.truth(then, env)
                with self.facts.given(test.unless):
                    no = self.truth(otherwise, env)
                open_ = yes.open or no.open
                if not test.open:
                    return Truth(self.body.either(test, yes.code, no.code, "i32"), open_)
                t = self.body.local("i32")
                code = (
                    f"(if (result i32) (i32.eq (local.tee {t} {test.code}) (i32.const 3)) (then (i32.const 3))"
                    f" (else (if (result i32) (local.get {t}) (then {yes.code}) (else {no.code}))))"
                )
                return Truth(code, True)
            case m.Quant():
                return self.quant(term, env)
            case m.Present(of=of):
                there = ""

                def present(label: str) -> str:
                    nonlocal there
                    there = self.number(of, env, label).code
                    return f"(i64.ne {there} {i64(ABSENT)})"

                truth = self._closed(present)
                if self.facts.known.get(is_present(there)):
                    return TRUE
                return truth if truth.open else replace(truth, when={is_present(there): 1})
            case m.BrokenT(latch=latch):
                broken = f"(i32.wrap_i64 {load(self._cell(f'broken {latch}').at)})"
                doubt = self.layout.cells.get(f"doubt {latch}")
                return Truth(broken) if doubt is None else self._doubted(broken, load(doubt.at))
            case m.AfterT(of=of):
                t = self.body.local("i32")
                self.moment = ~self.moment
                with self.facts.none():
                    inner = self.truth(of, self._without_rows(env))
                self.moment = ~self.moment
                code = f"(block (result i32) (call $swap) (local.set {t} {inner.code}) (call $swap) (local.get {t}))"
                return Truth(code, inner.open)
            case m.CallF(function=name, args=args):
                if (inside := self._inside(name, args, env)) is not None:
                    return self.truth(self.layout.program.functions[name].body, inside)
                if self._fails(name, args, env):
                    return FALSE
                found = self.functions.function(name)
                return self._call_truth(name, term, found, args, env)
            case m.Decide(decision=name, args=args):
                decided = self.functions.decision(name)
                return self._call_truth(f"decide {name}", term, decided, args, env)
            case _:
                return self._closed(lambda label: f"(i32.wrap_i64 {self.number(term, env, label).code})")

    def _doubted(self, broken: str, doubt: str) -> Truth:
        """Whether a rule has been broken; undefined where it could not be judged, for these reasons."""
        noted = f"(global.set $lack (i64.or {lack()} {doubt}))" if self.body.tracking else ""
        other = f"(if (result i32) (i64.eqz {doubt}) (then (i32.const 0)) (else {noted} (i32.const 3)))"
        return Truth(f"(if (result i32) {broken} (then (i32.const 1)) (else {other}))", True)

    def _inside(self, name: str, args: tuple[Term, ...], env: Env) -> Env | None:
        """The variables of a function that is written out where it is called; None where it is not.

        Its arguments are variables of the very types that it wants, so that none is undefined or out of range.
        """
        if name not in self.layout.written_out and name not in self.layout.used_once:
            return None
        return self._given(name, args, env)

    def _given(self, name: str, args: tuple[Term, ...], env: Env) -> Env | None:
        """A function's parameters as the variables that they are given; None where anything else is."""
        found: dict[str, Bound] = {}
        for param, arg in zip(self.layout.program.functions[name].params, args, strict=True):
            if not isinstance(arg, m.Var) or env[arg.name].type != param.type:
                return None
            found[param.name] = env[arg.name]
        return found

    def _fails(self, name: str, args: tuple[Term, ...], env: Env) -> bool:
        """Whether it is known where the code is being written that a function of type bool is false."""
        if (inside := self._given(name, args, env)) is None or not self.facts.known:
            return False
        costs = self.functions.costs
        quick = [t for t in items(self.layout.program.functions[name].body) if costs.of(t) <= QUICK]
        return any(self.truth(t, inside) == FALSE for t in quick)

    def applied(self, name: str, args: Sequence[Bound]) -> Truth:
        """A function of type bool of variables that are of its parameters' types: written out where it is short, and
        else called once nothing that is quickly told makes it false."""
        function, costs = self.layout.program.functions[name], self.functions.costs
        env = {p.name: bound for p, bound in zip(function.params, args, strict=True)}
        if costs.of(function.body) <= WRITTEN or name in self.layout.used_once:
            return self.truth(function.body, env)
        found = self.functions.function(name)
        call = self._asked_of(name, found, args)
        guards = costs.cheapest_first(tuple(t for t in items(function.body) if costs.of(t) <= QUICK))
        told = self._each_known(guards, env, hold=True)
        asked = Truth(call, found.open)
        for guard in reversed(told):
            if guard != TRUE:
                call = f"(if (result i32) {guard.code} (then {call}) (else (i32.const 0)))"
        known = reduce(joined, (guard.when for guard in told), dict[str, int]())
        return Truth(call, found.open, known, {}, ("all", (*(g for g in told if g != TRUE), asked)))

    def applied_after(self, name: str, args: Sequence[Bound]) -> tuple[Truth, tuple[str, ...]]:
        """As `applied`, where nothing that is quickly told makes it false; and what that is: all of it is to be other
        than 0. The truth value has with it what is known where all of this is."""
        function, costs = self.layout.program.functions[name], self.functions.costs
        env = {p.name: bound for p, bound in zip(function.params, args, strict=True)}
        parts = costs.cheapest_first(items(function.body))
        first = [t for t in parts if costs.of(t) <= QUICK]
        # each by itself, for cases share them
        quick = [(t, self.truth(t, env)) for t in first]
        guards = tuple(truth.code for _, truth in quick)
        known = reduce(joined, (truth.when for _, truth in quick), dict[str, int]())
        if costs.of(function.body) <= WRITTEN or name in self.layout.used_once:
            told = [t for t, truth in quick if not truth.open]
            with self.facts.given(known):
                rest = self.all_of(self._each_known(tuple(t for t in parts if t not in told), env, hold=True))
            return replace(rest, when=joined(known, rest.when)), guards
        found = self.functions.function(name)
        return Truth(self._asked_of(name, found, args), found.open, known), guards

    def _asked_of(self, name: str, of: Written, args: Sequence[Bound]) -> str:
        """The call of a function of type bool of variables."""
        given = self.functions.passed_each(of.params, args)
        call = self.functions.asking_kept(name, of.symbol, given, "i32")
        return self._noted_call(name, Truth(call, of.open)).code

    def _noted_call(self, name: str, truth: Truth) -> Truth:
        """The value of a function or decision, which notes itself why it is undefined if it reads options."""
        if not self.body.tracking or self.layout.lacks.reached(name):
            return truth
        return self.body.noted(truth)

    def _call_truth(self, name: str, term: Term, of: Written, args: tuple[Term, ...], env: Env) -> Truth:
        def asked(label: str) -> str:
            given = self._args(of.params, args, env, label)
            code = self.once(term, env, "i32", self.functions.asking_kept(name, of.symbol, given, "i32"))
            return self._noted_call(name, Truth(code, of.open)).code

        made = self._closed(asked)
        return Truth(made.code, made.open or of.open)

    def once(self, term: Term, env: Env, kind: str, code: str) -> str:
        """The code of a term, marked if its value is the same throughout the function, or a turn of a loop."""
        if self.body.tracking and self.layout.lacks.of(term):
            return code  # what is undefined notes why each time that it is asked
        locals_ = frozenset(env[name].local for name in free_variables(term))
        varying = locals_ - self.fixed
        if not varying <= set(self.body.loops):
            return code
        return self.body.once((code, self.moment), kind, code, varying)

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
            jump = self.body.passed_on(f"(i32.eq (local.tee {t} {truth.code}) (i32.const 3))", label)
            return Number(f"(block (result i64) {jump} (i64.extend_i32_u (local.get {t})))", 0, 1)
        match term:
            case m.Lit(type=type_, value=value):
                return self.literal(type_, value)
            case m.Var(name=name):
                bound = env[name]
                return Number(f"(local.get {bound.local})", bound.low, bound.high, bound.den)
            case m.Get(name=name, key=None):
                return self._held(term, load(self._cell(name).at), label)
            case m.Get(name=name, key=key):
                assert key is not None
                return self._held(term, self._keyed(name, (key,), env, label), label)
            case m.Field(entity=entity, name=name, of=of):
                column = self.layout.tables[f"entity {entity}"].columns[name]
                return self._held(term, load(self.row(entity, of, env, label), column.offset), label)
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
                asked = self.functions.asking_kept(
                    name, found.symbol, self._args(found.params, args, env, label), "i64"
                )
                code = self.once(term, env, "i64", asked)
                return self._result(name, code, found, label)
            case m.Decide(decision=name, args=args):
                decided = self.functions.decision(name)
                asked = self.functions.asking_kept(
                    f"decide {name}", decided.symbol, self._args(decided.params, args, env, label), "i64"
                )
                code = self.once(term, env, "i64", asked)
                return self._result(f"decide {name}", code, decided, label)
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
                return Number(load(self.list_at(list_, env, label)), 0, most)
            case m.At(list=list_, index=index):
                return self._at(list_, index, env, label)
            case m.Force(of=of):
                inner = self.number(of, env, label)
                if self.facts.known.get(is_present(inner.code)):
                    return inner
                t = self.body.local()
                jump = self.body.undefined_if(f"(i64.eq (local.tee {t} {inner.code}) {i64(ABSENT)})", label)
                return Number(
                    f"(block (result i64) {jump} (local.get {t}))", inner.low, inner.high, inner.den
                )
            case m.TableT(of=of, rows=rows):
                return self._table(term.type, self.number(of, env, label), of.type, rows, env, label)
            case m.Count(latch=latch, keys=keys):
                lost = self.layout.cells.get(f"lost {latch}")
                before = "" if lost is None or self.raw else self._lost(load(lost.at), label)
                if not keys:
                    count = load(self._cell(f"latch {latch}").at)
                else:
                    count = self._keyed(f"latch {latch}", keys, env, label)
                return Number(f"(block (result i64) {before} {count})" if before else count, 0, LARGEST)
            case m.AfterT(of=of):
                return self._after(of, env, label)
            case _:
                raise NotCompiledError(f"{type(term).__name__} of {term.type}")

    def _read(self, type_: Type, code: str) -> Number:
        """A value as a cell holds it."""
        if isinstance(type_, ty.ListT | ty.MapT | ty.SetT):
            raise NotCompiledError(f"{type_} as a value")
        low, high = range_of(type_)
        return Number(code, low, high, self.den_of(type_))

    def _held(self, term: m.Get | m.Field, code: str, label: str) -> Number:
        """A value of the state, which nobody may be able to tell."""
        found = self._read(term.type, code)
        (atom,) = direct(term)
        if not self.layout.may_lack(atom):
            return found
        t = self.body.local()
        jump = self._unless_held(f"(local.tee {t} {code})", f"(local.get {t})", label)
        return replace(found, code=f"(block (result i64) {jump} (local.get {t}))")

    def _unless_held(self, first: str, again: str, label: str) -> str:
        """Code that jumps where a cell, read `first` and `again`, has instead of a value why nobody can tell it."""
        self.body.used.add(label)
        noted = ""
        if self.body.tracking:
            noted = f"(global.set $lack (i64.or {lack()} (i64.shl (i64.const 1) {again})))"
        return f"(if {is_untold(first)} (then {noted} (br {label})))"

    def _lost(self, code: str, label: str) -> str:
        """Code that jumps where it is lost how often something has happened, for this reason."""
        self.body.used.add(label)
        noted = f"(global.set $lack (i64.or {lack()} {code}))" if self.body.tracking else ""
        return f"(if (i64.ne {code} (i64.const 0)) (then {noted} (br {label})))"

    def _result(self, name: str, code: str, of: Written, label: str) -> Number:
        like = of.number
        if not of.open:
            return Number(code, like.low, like.high, like.den)
        t = self.body.local()
        undefined = is_undefined(f"(local.tee {t} {code})")
        noted = self.layout.lacks.reached(name)
        jump = (self.body.passed_on if noted else self.body.undefined_if)(undefined, label)
        return Number(f"(block (result i64) {jump} (local.get {t}))", like.low, like.high, like.den)

    def _args(self, params: tuple[Bound, ...], args: tuple[Term, ...], env: Env, label: str) -> list[str]:
        found: list[str] = []
        for param, arg in zip(params, args, strict=True):
            if isinstance(arg, m.Lit) and arg.value is None and ty.numeric(param.type):
                found.append(i64(range_of(param.type)[0]))  # any will do: it is not read
                continue
            code = self.fitted(self.number(arg, env, label), arg.type, param.type).code
            if param.row is None:
                found.append(code)
                continue
            assert isinstance(param.type, ty.EntityT)
            if isinstance(arg, m.Var) and env[arg.name].row is not None:
                found += [code, f"(local.get {env[arg.name].row})"]
            else:
                key = self.body.local()
                row = self.functions.find(self.functions.table(param.type), f"(local.get {key})")
                found += [f"(local.tee {key} {code})", row]
        return found

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
        if isinstance(of.type, ty.OptT) and not self.facts.known.get(is_present(ref)):
            t = self.body.local()
            jump = self.body.undefined_if(f"(i64.eq (local.tee {t} {ref}) {i64(ABSENT)})", label)
            ref = f"(block (result i64) {jump} (local.get {t}))"
        return self.functions.find(table, ref)

    def list_at(self, term: Term, env: Env, label: str) -> str:
        """Code for the address of a list: of its length, which its elements follow."""
        at = self._list_at(term, env, label)
        if not isinstance(term, m.Get | m.Field) or not all(map(self.layout.may_lack, direct(term))):
            return at
        t = self.body.local("i32")
        length = f"(i64.load (local.get {t}))"
        jump = self._unless_held(length, length, label)
        return f"(block (result i32) (local.set {t} {at}) {jump} (local.get {t}))"

    def _list_at(self, term: Term, env: Env, label: str) -> str:
        match term:
            case m.OptionGet(name=name):
                return f"(block (result i32) {self._never(name, label)})"
            case m.Get(name=name, key=None):
                return i32(self._cell(name).at)
            case m.Field(entity=entity, name=name, of=of):
                column = self.layout.tables[f"entity {entity}"].columns[name]
                return f"(i32.add {self.row(entity, of, env, label)} {i32(column.offset)})"
            case m.Lit(value=()):
                return i32(data_at(self.layout, (0,)))
            case m.Ite(condition=condition, then=then, otherwise=otherwise):
                if then.type != otherwise.type and m.Lit(then.type, ()) not in (then, otherwise):
                    raise NotCompiledError("one of two lists that hold unlike elements, or not as many")
                test = self.truth(condition, env)
                t = self.body.local("i32")
                jump = ""
                if test.open:
                    jump = self.body.passed_on(f"(i32.eq (local.get {t}) (i32.const 3))", label)
                with self.facts.given(test.when):
                    yes = self.list_at(then, env, label)
                with self.facts.given(test.unless):
                    no = self.list_at(otherwise, env, label)
                return (
                    f"(block (result i32) (local.set {t} {test.code}) {jump} (if (result i32) (local.get {t})"
                    f" (then {yes}) (else {no})))"
                )
            case _:
                raise NotCompiledError(f"a list that is {type(term).__name__}")

    def _never(self, name: str, label: str) -> str:
        """Code that jumps, since this is never told. Raises `NotCompiledError` where the interpreter is to judge it."""
        if not name.startswith(LACKS):
            raise NotCompiledError(name.removeprefix(UNTRIED))
        self.body.used.add(label)
        noted = lacking(self.layout.lacks.bits[name]) if self.body.tracking else ""
        return f"{noted} (br {label})"

    def _option(self, name: str, type_: Type, label: str) -> Number:
        if name.startswith((LACKS, UNTRIED)):
            return self._read(type_, f"(block (result i64) {self._never(name, label)})")
        t = self.body.local()
        undefined = is_undefined(f"(local.tee {t} {load(self._cell(f'option {name}').at)})")
        jump = self.body.undefined_if(undefined, label, self.layout.lacks.bits.get(name, OTHER))
        return self._read(type_, f"(block (result i64) {jump} (local.get {t}))")

    def _ite(self, condition: Term, then: Term, otherwise: Term, env: Env, label: str) -> Number:
        test = self.truth(condition, env)
        with self.facts.given(test.when):
            yes = self.number(then, env, label)
        with self.facts.given(test.unless):
            no = self.number(otherwise, env, label)
        if yes.den != no.den and (isinstance(then.type, ty.OptT) or isinstance(otherwise.type, ty.OptT)):
            raise NotCompiledError("an optional amount that is no whole number")
        yes, no = self._common(yes, no)
        low, high = min(yes.low, no.low), max(yes.high, no.high)
        if not test.open:
            return Number(self.body.either(test, yes.code, no.code, "i64"), low, high, yes.den)
        t = self.body.local("i32")
        jump = self.body.passed_on(f"(i32.eq (local.tee {t} {test.code}) (i32.const 3))", label)
        code = f"(block (result i64) {jump} (if (result i64) (local.get {t}) (then {yes.code}) (else {no.code})))"
        return Number(code, low, high, yes.den)

    def _at(self, list_: Term, index: Term, env: Env, label: str) -> Number:
        if not isinstance(list_.type, ty.ListT):
            raise NotCompiledError("an element of what is no list")
        number = self.number(index, env, label)
        low, high = range_of(list_.type.of)
        place = self.list_at(list_, env, label)
        length, den = load(place), self.den_of(list_.type.of)
        known = self.facts.known.get(at_least(length), 0)
        if number.low == number.high >= 1 and number.den == 1 and place.startswith(PLAIN):
            element = load(place, CELL * number.low)
            if known >= number.low:
                return Number(element, low, high, den)
            jump = self.body.undefined_if(f"(i64.lt_s {length} {i64(number.low)})", label)
            return Number(f"(block (result i64) {jump} {element})", low, high, den)
        if number.code == length and known >= 1:
            return Number(f"(i64.load (i32.add {place} {cell_offset(length)}))", low, high, den)
        at, i = self.body.local("i32"), self.body.local()
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
            f"(block (result i64) (local.set {at} {place}) (local.set {i} {number.code})"
            f" {unknown} {jump} (i64.load (i32.add (local.get {at}) {cell_offset(f'(local.get {i})')})))"
        )
        return Number(code, low, high, den)

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
        for key, value, (_, row) in zip(reversed(keys), reversed(values), reversed(rows), strict=True):
            found = self.widened(value, row.type, den).code
            chain = f"(if (result i64) (i64.eq (local.get {t}) {i64(key)}) (then {found}) (else {chain}))"
        return Number(f"(block (result i64) (local.set {t} {of.code}) {chain})", low, high, den)

    def _after(self, of: Term, env: Env, label: str) -> Number:
        """The value after the event: the writes are swapped in and out again, whatever comes of it."""
        inside, done = self.body.label(), self.body.label()
        self.moment = ~self.moment
        with self.facts.none():
            inner = self.number(of, self._without_rows(env), inside)
        self.moment = ~self.moment
        t = self.body.local()
        if inside not in self.body.used:
            code = (
                f"(block (result i64) (call $swap) (local.set {t} {inner.code}) (call $swap) (local.get {t}))"
            )
            return Number(code, inner.low, inner.high, inner.den)
        flag = self.body.local("i32")
        jump = self.body.passed_on(f"(local.get {flag})", label)
        code = (
            f"(block (result i64) (call $swap) (local.set {flag} (i32.const 1)) (block {done} (block {inside}"
            f" (local.set {t} {inner.code}) (local.set {flag} (i32.const 0)) (br {done})))"
            f" (call $swap) {jump} (local.get {t}))"
        )
        return Number(code, inner.low, inner.high, inner.den)

    def _without_rows(self, env: Env) -> Env:
        return {n: Bound(b.local, b.type, b.low, b.high, b.den) for n, b in env.items()}
