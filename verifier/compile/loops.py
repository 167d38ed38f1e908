"""Loops over domains, and what is made of them: quantifiers, sums, the first and the last."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from verifier.compile.connectives import Connectives
from verifier.compile.costs import items
from verifier.compile.emit import LIMIT, TRUE, Body, Bound, Number, Truth, i32, i64, lack, lacked, load
from verifier.compile.encoding import ABSENT, NotCompiledError, bits, range_of, shifts
from verifier.compile.facts import Facts
from verifier.compile.functions import Functions
from verifier.compile.keeping import signed
from verifier.compile.layout import CELL, data_at
from verifier.compile.memos import WORD
from verifier.compile.names import OWN
from verifier.compile.resumed import Resumed
from verifier.compile.running import Loop
from verifier.core.lower import conjunction
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.terms import Term, free_variables
from verifier.model.types import Type, ids_within

Env = Mapping[str, Bound]

MOST_UNROLLED = 12
"""A quantifier over so many constants that are no range is written out."""


class Loops(Connectives, ABC):
    """Writes loops over domains. What stands in them it asks for: whoever writes whole terms says how."""

    def __init__(self, functions: Functions, body: Body) -> None:
        self.functions = functions
        self.layout = functions.layout
        self.body = body
        self.facts = Facts()
        """What is known where code is being written."""
        self.fixed: set[str] = set()
        """The locals that hold one value throughout the function,"""
        self.moment = 0
        """and the state in which the code that is being written runs; that which an event would leave is below 0."""
        self.raw = False
        """Counts are read as they stand, also where they may have been lost."""

    @contextmanager
    def tracked(self, tracking: bool) -> Iterator[None]:
        """While code is written in which what is undefined notes why, or does not."""
        before, self.body.tracking = self.body.tracking, tracking
        try:
            yield
        finally:
            self.body.tracking = before

    @abstractmethod
    def truth(self, term: Term, env: Env) -> Truth:
        """A term of type bool."""

    @abstractmethod
    def number(self, term: Term, env: Env, label: str) -> Number:
        """Any other term that is no list."""

    @abstractmethod
    def list_at(self, term: Term, env: Env, label: str) -> str:
        """The address of a list."""

    @abstractmethod
    def bounded(self, number: Number) -> Number:
        """A number of at most 62 bits; it gives up where it is larger than `LIMIT`."""

    @abstractmethod
    def den_of(self, type_: Type) -> int:
        """Over which denominator a cell of the type holds its number."""

    def each(
        self,
        domain: m.Domain,
        var: str,
        env: Env,
        label: str,
        write: Callable[[Env, str, str], str],
        own: str | None = None,
        pending: str | None = None,
        within: str = "",
        resumed: Resumed | None = None,
    ) -> str:
        """A loop over a domain. `write` gets the variables, the label that ends the loop and the one that goes on.

        `own`: a condition on each entity alone, of which those that fail it are passed over, and those too of which it
        is known that they fail `pending`. `within`: code for the rows, a bit each, beside which there are none that
        matter (`narrowed`). `resumed`: what is kept of how far the loop has come.
        """

        def written(inside: Env, out: str, on: str) -> str:
            local = inside[var].local
            self.body.loops.append(local)
            try:
                return self.body.begun(local) + write(inside, out, on)
            finally:
                self.body.loops.pop()

        match domain:
            case m.OverValues(values=values):
                return self._each_value(domain, values, var, env, label, written)
            case m.OverEntity(entity=entity):
                return self._each_entity(entity, var, env, written, own, pending, within)
            case m.OverList(list=list_):
                return self._each_element(list_, var, env, label, written, resumed)
            case m.OverIds(type=type_):
                assert isinstance(type_, ty.IdT)
                self.layout.met.add(type_.name)
                count = load(self.layout.cells[f"ids {type_.name}"].at)
                return self._counted(domain.type, var, env, "(i64.const 0)", count, (0, 1 << 20), written)

    def _element_type(self, type_: Type) -> Type:
        return type_.of if isinstance(type_, ty.ListT | ty.SetT) else type_

    def known_of(self, own: str, bound: Bound) -> Mapping[str, int]:
        """What is known of an entity that meets a condition on it alone, or of which that is undefined."""
        function = self.layout.program.functions[own]
        return self.truth(function.body, {function.params[0].name: bound}).when

    def _counted(
        self,
        type_: Type,
        var: str,
        env: Env,
        first: str,
        end: str,
        range_: tuple[int, int],
        write: Callable[[Env, str, str], str],
    ) -> str:
        x, stop = self.body.local(), self.body.local()
        out, loop, on = self.body.label(), self.body.label(), self.body.label()
        inner = write({**env, var: Bound(x, self._element_type(type_), *range_)}, out, on)
        return (
            f"(local.set {x} {first}) (local.set {stop} {end}) (block {out} (loop {loop}"
            f" (br_if {out} (i64.ge_s (local.get {x}) (local.get {stop}))) (block {on} {inner})"
            f" (local.set {x} (i64.add (local.get {x}) (i64.const 1))) (br {loop})))"
        )

    def _each_value(
        self,
        domain: m.OverValues,
        values: tuple[Term, ...],
        var: str,
        env: Env,
        label: str,
        write: Callable[[Env, str, str], str],
    ) -> str:
        type_ = self._element_type(domain.type)
        numbers = [self.number(v, env, label) for v in values]
        if any(n.den != 1 for n in numbers):
            raise NotCompiledError("fractions to range over")
        if all(isinstance(v, m.Lit) for v in values) and numbers:
            fixed = [n.low for n in numbers]
            if fixed == list(range(fixed[0], fixed[0] + len(fixed))):
                ends = (fixed[0], fixed[-1])
                return self._counted(type_, var, env, i64(ends[0]), i64(ends[1] + 1), ends, write)
            if len(fixed) > MOST_UNROLLED:
                at = data_at(self.layout, tuple(fixed))
                x, i = self.body.local(), self.body.local("i32")
                out, loop, on = self.body.label(), self.body.label(), self.body.label()
                bound = Bound(x, type_, min(fixed), max(fixed))
                inner = write({**env, var: bound}, out, on)
                return (
                    f"(local.set {i} (i32.const 0)) (block {out} (loop {loop}"
                    f" (br_if {out} (i32.ge_u (local.get {i}) {i32(CELL * len(fixed))}))"
                    f" (local.set {x} (i64.load offset={at} (local.get {i}))) (block {on} {inner})"
                    f" (local.set {i} (i32.add (local.get {i}) (i32.const 8))) (br {loop})))"
                )
        if len(numbers) > MOST_UNROLLED:
            raise NotCompiledError("so many values to range over")
        taken = [self.body.local() for _ in numbers]
        code = "".join(f"(local.set {t} {n.code})" for t, n in zip(taken, numbers, strict=True))
        out = self.body.label()
        inner = ""
        for t, number in zip(taken, numbers, strict=True):
            on = self.body.label()
            inner += f"(block {on} {write({**env, var: Bound(t, type_, number.low, number.high)}, out, on)})"
        return f"{code} (block {out} {inner})"

    def _each_entity(
        self,
        entity: str,
        var: str,
        env: Env,
        write: Callable[[Env, str, str], str],
        own: str | None,
        pending: str | None,
        within: str,
    ) -> str:
        table = self.layout.tables[f"entity {entity}"]
        x, row = self.body.local(), self.body.local("i32")
        out, loop, on = self.body.label(), self.body.label(), self.body.label()
        entity_type = self.layout.ruleset.entities[entity].type
        bound = Bound(x, entity_type, 0, LIMIT, 1, row)
        with self.facts.given({} if own is None else self.known_of(own, bound)):
            inner = write({**env, var: bound}, out, on)
        # a condition on it alone holds of none that does not exist
        exists = "" if own else f"(br_if {on} (i64.eqz (i64.load (local.get {row}))))"
        filled, rows = "", load(table.count)
        if own is not None:
            filled, rows = self.functions.meeting(self.body, own, pending)
        if table.dense:
            mask = self.body.local()
            rows = f"(i64.and {rows} {within})" if within else rows
            return (
                f"{filled} (local.set {mask} {rows}) (block {out} (loop {loop}"
                f" (br_if {out} (i64.eqz (local.get {mask}))) (local.set {x} (i64.ctz (local.get {mask})))"
                f" (local.set {mask} (i64.and (local.get {mask}) (i64.sub (local.get {mask}) (i64.const 1))))"
                f" (local.set {row} (i32.add {i32(table.rows)}"
                f" (i32.mul (i32.wrap_i64 (local.get {x})) {i32(table.stride)})))"
                f" (block {on} {exists} {inner}) (br {loop})))"
            )
        i = self.body.local("i32")
        count = f"(i32.wrap_i64 {load(table.count)})"
        here = (
            f"(local.set {x} (i64.load offset={table.key_at} (i32.shl (local.get {i}) (i32.const 3))))"
            f" (local.set {row} (i32.add {i32(table.rows)} (i32.mul (local.get {i}) {i32(table.stride)})))"
        )
        if own is None:
            n = self.body.local("i32")
            return (
                f"(local.set {i} (i32.const 0)) (local.set {n} {count})"
                f" (block {out} (loop {loop} (br_if {out} (i32.ge_u (local.get {i}) (local.get {n})))"
                f" {here} (block {on} {exists} {inner})"
                f" (local.set {i} (i32.add (local.get {i}) (i32.const 1))) (br {loop})))"
            )
        # first the rows that have a bit, by these, and then all others
        mask = self.body.local()
        met = self.functions.function(own)
        after = (
            f"(local.set {i} (select {i32(WORD)} (i32.add (local.get {i}) (i32.const 1))"
            f" (i32.lt_s (local.get {i}) {i32(WORD - 1)}))) (br_if {out} (i32.ge_s (local.get {i}) {count})) {here}"
            f" (br_if {loop} (i32.eqz (call {met.symbol} (local.get {x}) (local.get {row}))))"
        )
        return (
            f"{filled} (local.set {mask} {rows}) (local.set {i} (i32.const -1)) (block {out} (loop {loop}"
            f" (if (i64.eqz (local.get {mask})) (then {after}) (else"
            f" (local.set {i} (i32.wrap_i64 (i64.ctz (local.get {mask}))))"
            f" (local.set {mask} (i64.and (local.get {mask}) (i64.sub (local.get {mask}) (i64.const 1)))) {here}))"
            f" (block {on} {exists} {inner}) (br {loop})))"
        )

    def own_of(self, domain: m.Domain, var: str, where: Term | None) -> tuple[str | None, Term | None]:
        """What is asked of an entity alone; and what is still to be asked, which is all where that may be undefined."""
        if where is None or not isinstance(domain, m.OverEntity):
            return None, where
        asked = items(where)
        for term in asked:
            match term:
                case m.CallF(function=name, args=(m.Var(name=of),)) if name.startswith(OWN) and of == var:
                    if self.functions.function(name).open:
                        return name, where
                    return name, conjunction([other for other in asked if other is not term])
                case _:
                    pass
        return None, where

    def narrowed(self, domain: m.Domain, var: str, asked: Term | None, env: Env) -> tuple[str, Term | None]:
        """Code for the rows, a bit each, that the key asked of an entity or a part of it leaves, and what is still to
        be asked; where nothing is asked so, or of what has no row for each key, no code."""
        if asked is None or not isinstance(domain, m.OverEntity):
            return "", asked
        table = self.layout.tables[f"entity {domain.entity}"]
        if not table.dense:
            return "", asked
        parts = items(asked)
        for one in parts:
            if (code := self._bits_of(one, var, table.keys, env)) is not None:
                within, rest = self.narrowed(
                    domain, var, conjunction([p for p in parts if p is not one]), env
                )
                return f"(i64.and {code} {within})" if within else code, rest
        return "", asked

    def _bits_of(self, asked: Term, var: str, keys: tuple[Type, ...], env: Env) -> str | None:
        """Code for the rows whose key, or part of it, equals a value that is always defined, and not the loop's."""
        match asked:
            case m.CompareT(op="=", left=left, right=right):
                pass
            case _:
                return None
        for here, there in ((left, right), (right, left)):
            if (
                var in free_variables(there)
                or isinstance(here.type, ty.OptT)
                or isinstance(there.type, ty.OptT)
            ):
                continue  # a part that may be absent has a bit more, for that it is there
            match here:
                case m.Var(name=name) if name == var:
                    pattern, shift, low, high = 1, 0, 0, LIMIT
                case m.Part(of=m.Var(name=name), index=index) if name == var:
                    width, shift = bits(keys[index]), shifts(keys)[index]
                    size = 1 << sum(bits(key) for key in keys)
                    pattern = sum(1 << key for key in range(size) if not key >> shift & (1 << width) - 1)
                    low, high = range_of(keys[index])
                case _:
                    continue
            label = self.body.label()
            number = self.number(there, env, label)
            if label in self.body.used or number.den != 1 or number.low < low or number.high > high:
                return None
            place = f"(i64.sub {number.code} {i64(low)})" if low else number.code
            place = f"(i64.shl {place} {i64(shift)})" if shift else place
            return f"(i64.shl {i64(signed(pattern))} {place})"
        return None

    def _each_element(
        self,
        list_: Term,
        var: str,
        env: Env,
        label: str,
        write: Callable[[Env, str, str], str],
        resumed: Resumed | None,
    ) -> str:
        list_type = list_.type
        if not isinstance(list_type, ty.ListT):
            raise NotCompiledError(f"{list_type} to range over")
        x, at, end = self.body.local(), self.body.local("i32"), self.body.local("i32")
        out, loop, on = self.body.label(), self.body.label(), self.body.label()
        low, high = range_of(list_type.of)
        bound = Bound(x, list_type.of, low, high, self.den_of(list_type.of))
        start = self.list_at(list_, env, label)
        inner = write({**env, var: bound}, out, on)
        before, after = ("", "") if resumed is None else resumed.around(self.body, at, end)
        return (
            f"(local.set {at} {start}) (local.set {end} (i32.add (local.get {at})"
            f" (i32.shl (i32.wrap_i64 (i64.load (local.get {at}))) (i32.const 3)))) {before} (block {out} (loop {loop}"
            f" (br_if {out} (i32.ge_u (local.get {at}) (local.get {end})))"
            f" (local.set {at} (i32.add (local.get {at}) (i32.const 8)))"
            f" (local.set {x} (i64.load (local.get {at}))) (block {on} {inner}) (br {loop}))) {after}"
        )

    def resumed(self, term: Loop, found: str) -> Resumed | None:
        """What is kept of how far a loop over a list has come, which leaves its answer in the local `found`."""
        run = self.layout.running_of(term)
        return None if run is None else Resumed(self.layout, run, found)

    def quant(self, term: m.Quant, env: Env) -> Truth:
        if self.layout.running_of(term) is not None:
            carried = self._quant(term, env, True)
            if not carried.open:
                return carried
        return self._quant(term, env, False)

    def _quant(self, term: m.Quant, env: Env, carried: bool) -> Truth:
        some = term.kind == "some"
        found, unsure, w = self.body.local("i32"), self.body.local("i32"), self.body.local("i32")
        label, done = self.body.label(), self.body.label()
        may: list[bool] = []
        own, asked = self.own_of(term.domain, term.var, term.where)
        within, asked = self.narrowed(term.domain, term.var, asked, env)
        told: Term | None = term.body
        if some:
            more, told = self.narrowed(term.domain, term.var, term.body, env)
            within = f"(i64.and {within} {more})" if within and more else within or more

        def write(inside: Env, out: str, on: str) -> str:
            where = TRUE if asked is None else self.truth(asked, inside)
            with self.facts.given(where.when):
                body = TRUE if told is None else self.truth(told, inside)
            may.append(where.open or body.open)
            code = ""
            if where.open:
                code += f"(br_if {on} (i32.eqz (local.tee {w} {where.code})))"
            elif where != TRUE:
                code += self.body.jump_unless(where, on)
            hit = body if some else self.negated(body)
            settle = f"(local.set {found} {i32(some)}) (br {out})"
            if not (where.open or body.open):
                return code + self.body.where(hit, settle)
            b = self.body.local("i32")
            sure = f"(i32.eq (local.get {w}) (i32.const 1))" if where.open else "(i32.const 1)"
            nothing = ""
            if self.body.tracking:
                # it does not matter whether one that settles nothing is meant
                before = self.body.local()
                code = f"(local.set {before} {lack()}) {code}"
                nothing = f"(if (i32.eqz (local.get {b})) (then {lacked(before)}))"
            return code + (
                f"(local.set {b} {hit.code}) {nothing} (if (i32.and (i32.eq (local.get {b}) (i32.const 1)) {sure})"
                f" (then (local.set {unsure} (i32.const 0)) {settle}))"
                f" (if (local.get {b}) (then (local.set {unsure} (i32.const 3))))"
            )

        if some and own is not None and not within and asked == term.body == m.Lit(ty.BOOL, True):
            assert isinstance(term.domain, m.OverEntity)
            table = self.layout.tables[f"entity {term.domain.entity}"]
            filled, rows = self.functions.meeting(self.body, own, None)
            met = f"(i64.ne {rows} (i64.const 0))"
            if table.dense or table.capacity <= WORD:
                return Truth(f"(block (result i32) {filled} {met})")
            more = (
                f"(if (result i32) (i64.gt_u {load(table.count)} {i64(WORD)}) (then"
                f" {self._met_by_some(own, term, env)}) (else (i32.const 0)))"
            )
            return Truth(
                f"(block (result i32) {filled} (if (result i32) {met} (then (i32.const 1)) (else {more})))"
            )
        resumed = self.resumed(term, found) if carried else None
        code = self.each(term.domain, term.var, env, label, write, own, None, within, resumed)
        code = f"(local.set {found} {i32(not some)}) (local.set {unsure} (i32.const 0)) {code}"
        open_ = any(may) or label in self.body.used
        if label in self.body.used:
            return Truth(
                f"(block {done} (result i32) (block {label} {code} (br {done} (select (i32.const 3) (local.get {found})"
                f" (local.get {unsure})))) (i32.const 3))",
                True,
            )
        result = (
            f"(select (i32.const 3) (local.get {found}) (local.get {unsure}))"
            if open_
            else f"(local.get {found})"
        )
        return Truth(f"(block (result i32) {code} {result})", open_)

    def _met_by_some(self, own: str, term: m.Quant, env: Env) -> str:
        """Whether any entity meets a condition on it alone, by a loop over all."""
        found = self.body.local("i32")
        settle = f"(local.set {found} (i32.const 1))"
        code = self.each(term.domain, term.var, env, "", lambda inside, out, on: f"{settle} (br {out})", own)
        return f"(block (result i32) (local.set {found} (i32.const 0)) {code} (local.get {found}))"

    def where(self, where: Term | None, env: Env, on: str, label: str) -> str:
        """Goes on to the next element unless the condition holds; jumps where it is undefined."""
        if where is None:
            return ""
        test = self.truth(where, env)
        if not test.open:
            return self.body.jump_unless(test, on)
        t = self.body.local("i32")
        jump = self.body.passed_on(f"(i32.eq (local.get {t}) (i32.const 3))", label)
        return f"(br_if {on} (i32.eqz (local.tee {t} {test.code}))) {jump}"

    def most_of(self, domain: m.Domain) -> int:
        """How many elements a domain has at most."""
        match domain:
            case m.OverValues(values=values):
                return len(values)
            case m.OverEntity(entity=entity):
                return self.layout.tables[f"entity {entity}"].capacity
            case m.OverList(list=list_):
                return list_.type.maximum if isinstance(list_.type, ty.ListT) else 0
            case m.OverIds():
                return 1 << 20

    def fold(self, term: m.Fold, env: Env, label: str) -> Number:
        if not self.body.tracking or self.in_order(term.domain):
            return self._fold(term, env, label)
        # the interpreter may come first upon another element that is undefined
        inside, done = self.body.label(), self.body.label()
        made = self._fold(term, env, inside)
        if inside not in self.body.used:
            return made
        jump = self.body.undefined_if("(i32.const 1)", label)
        code = f"(block {done} (result i64) (block {inside} (br {done} {made.code})) {jump} (unreachable))"
        return Number(code, made.low, made.high, made.den)

    def in_order(self, domain: m.Domain) -> bool:
        """Whether a loop goes over a domain in the interpreter's order."""
        return not isinstance(domain, m.OverEntity) or self.layout.tables[f"entity {domain.entity}"].dense

    def _carried(self, term: Loop, label: str, write: Callable[[str, bool], Number]) -> Number:
        """Code of a loop that goes on where it stopped, if it can be kept how far it has come and nothing in it is
        undefined; else of one that begins anew. `write` gets the label for what is undefined, and which it is."""
        if self.layout.running_of(term) is not None:
            never = self.body.label()
            made = write(never, True)
            if never not in self.body.used:
                return made
        return write(label, False)

    def _fold(self, term: m.Fold, env: Env, label: str) -> Number:
        return self._carried(term, label, lambda out, carried: self._folded(term, env, out, carried))

    def _folded(self, term: m.Fold, env: Env, label: str, carried: bool) -> Number:
        kind = term.kind
        if kind == "number" and term.where is None and isinstance(term.domain, m.OverList):
            most = self.most_of(term.domain)
            return Number(load(self.list_at(term.domain.list, env, label)), 0, most)
        total = self.body.local()
        made: list[Number] = []
        own, asked = self.own_of(term.domain, term.var, term.where)
        within, asked = self.narrowed(term.domain, term.var, asked, env)

        def write(inside: Env, out: str, on: str) -> str:
            code = self.where(asked, inside, on, label)
            value = Number(i64(1), 1, 1) if term.body is None else self.number(term.body, inside, label)
            if not made:
                made.append(value)
            elif made[0].den != value.den:
                raise NotCompiledError("a sum of fractions with several denominators")
            made.append(value)
            if kind in ("sum", "number"):
                return code + f"(local.set {total} (i64.add (local.get {total}) {value.code}))"
            t = self.body.local()
            better = "lt_s" if kind == "least" else "gt_s"
            return code + (
                f"(local.set {t} {value.code}) (if (i32.or (i64.eq (local.get {total}) {i64(ABSENT)})"
                f" (i64.{better} (local.get {t}) (local.get {total}))) (then (local.set {total} (local.get {t}))))"
            )

        resumed = self.resumed(term, total) if carried else None
        code = self.each(term.domain, term.var, env, label, write, own, None, within, resumed)
        if kind in ("sum", "number"):
            most = self.most_of(term.domain)
            if not made:
                return Number(i64(0), 0, 0)
            low, high = min(min(n.low for n in made), 0) * most, max(max(n.high for n in made), 0) * most
            if max(-low, high) > 2 * LIMIT:
                raise NotCompiledError("a sum that may be too large")
            return self.bounded(
                Number(
                    f"(block (result i64) (local.set {total} (i64.const 0)) {code} (local.get {total}))",
                    low,
                    high,
                    made[0].den,
                )
            )
        if any(n.den != 1 for n in made):
            raise NotCompiledError("the least of fractions")
        low, high = (min(n.low for n in made), max(n.high for n in made)) if made else (0, 0)
        return Number(
            f"(block (result i64) (local.set {total} {i64(ABSENT)}) {code} (local.get {total}))", low, high
        )

    def pick(self, term: m.Pick, env: Env, label: str) -> Number:
        return self._carried(term, label, lambda out, carried: self._pick(term, env, out, carried))

    def _pick(self, term: m.Pick, env: Env, label: str, carried: bool) -> Number:
        found = self.body.local()
        unsure = self.body.local("i32")
        element = term.domain
        ordered = self.in_order(element)
        if isinstance(element, m.OverEntity):
            self.layout.met.update(ids_within(element.type))
        last = term.kind == "last"
        bounds: list[Bound] = []
        opened: list[bool] = []
        before, start, forgive = self.body.local() if self.body.tracking else "", "", ""
        if before:
            start, forgive = f"(local.set {before} {lack()})", lacked(before)
        own, asked = self.own_of(element, term.var, term.where)
        within, asked = self.narrowed(element, term.var, asked, env)

        def write(inside: Env, out: str, on: str) -> str:
            bound = inside[term.var]
            bounds.append(bound)
            code = ""
            if asked is not None:
                test = self.truth(asked, inside)
                opened.append(test.open)
                code = self.body.jump_unless(test, on)
                if test.open:
                    t = self.body.local("i32")
                    stop = "" if last else f"(br {out})"
                    doubt = f"(local.set {unsure} (i32.const 1)) {stop} (br {on})"
                    if not ordered:
                        doubt = f"{self.functions.give_up} (br {on})"
                    code = (
                        f"(br_if {on} (i32.eqz (local.tee {t} {test.code})))"
                        f" (if (i32.eq (local.get {t}) (i32.const 3)) (then {doubt}))"
                    )
            take = (
                f"(local.set {found} (local.get {bound.local})) (local.set {unsure} (i32.const 0)){forgive}"
            )
            if ordered:
                return code + take + ("" if last else f"(br {out})")
            better = "gt_s" if last else "lt_s"
            return code + (
                f"(if (i32.or (i64.eq (local.get {found}) {i64(ABSENT)}) (i64.{better} (local.get {bound.local})"
                f" (local.get {found}))) (then {take}))"
            )

        resumed = self.resumed(term, found) if carried else None
        code = self.each(term.domain, term.var, env, label, write, own, None, within, resumed)
        if any(b.den != 1 for b in bounds):
            raise NotCompiledError("one of several fractions")
        low, high = (min(b.low for b in bounds), max(b.high for b in bounds)) if bounds else (0, 0)
        jump = self.body.passed_on(f"(local.get {unsure})", label) if any(opened) and ordered else ""
        return Number(
            f"(block (result i64) {start}(local.set {found} {i64(ABSENT)}) (local.set {unsure} (i32.const 0)) {code}"
            f" {jump} (local.get {found}))",
            low,
            high,
        )
