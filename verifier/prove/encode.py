"""Core terms to Z3, node by node as `verifier.run.evaluate` has them.

A term becomes its value and a defined bit. Conjunctions, disjunctions and quantifiers follow Kleene's strong
tables; every other node is defined where what it reads is. Constants fold as they are met: that is what ends the
reading of a decision within itself (rule 15.7(b) reads `outcome` within `outcome`, for another kind of wager).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.terms import Term, free_variables
from verifier.prove.lists import SlotList
from verifier.prove.symbolic import Place, SymbolicOptions, SymbolicState
from verifier.prove.values import (
    MOST_CASES,
    CannotEncodeError,
    Num,
    Opt,
    Truth,
    add,
    and_,
    choose,
    compare,
    divided,
    equal,
    key_of,
    modulo,
    negative,
    not_,
    optional,
    or_,
    possible,
    times,
    total,
    whole_quotient,
)

MOST_NESTED = 60
"""Functions and decisions read one another at most so deep; beyond that the constants did not end it."""

MOST_STEPS = 20_000_000
"""So many terms are encoded for one question, each as often as its variables have other values."""

MOST_KEPT = 300_000
"""So many terms' encodings are kept at a time, for the memory that they take; then all are dropped."""

MOST_FREE = 2
"""A term that goes through a domain is kept where it has so many free variables or fewer: of more there are many."""


class Encoded(NamedTuple):
    """A term's value, meaningless where it is not `defined`."""

    value: Any
    defined: Truth

    def certainly(self, value: bool) -> bool:
        """Whether it is the constant `value` whatever the state."""
        return self.value is value and self.defined is True


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision's value, and why there is none: a gap, two rules that clash, or something else (neither)."""

    value: Any
    defined: Truth
    gap: Truth
    conflict: Truth


Variables = Mapping[str, Any]


class Encoder:
    """Terms over one state; `after` is the state that the event at hand leaves, where there is one.

    No more than `most` terms are encoded between one `afresh` and the next.
    """

    def __init__(
        self,
        state: SymbolicState,
        options: SymbolicOptions,
        after: SymbolicState | None = None,
        most: int | None = None,
    ) -> None:
        self.world = state.world
        self.program = state.world.program
        self.shapes = state.world.shapes
        self.state = state
        self.options = options
        self.after = after
        self.most = most
        self._left = most
        self._known = options.known()
        self._memo: dict[Any, Any] = {}
        self._alive: list[Any] = []
        self._depth = 0
        self._then: Encoder | None = None
        self._free: dict[int, tuple[Term, tuple[str, ...]]] = {}
        # By the identity of a term and of its variables' values, which are kept as long.
        self._kept: dict[Any, tuple[Encoded, Term, list[Any]]] = {}
        # What the same domain has is the same objects each time.
        self._constants: dict[int, tuple[m.Domain, list[tuple[Truth, Any]]]] = {}
        self._ids: dict[str, list[tuple[Truth, Any]]] = {}

    def afresh(self) -> None:
        """Another question begins: all that an encoder may encode is left."""
        self._left = self.most
        if self._then is not None:
            self._then.afresh()

    # ------------------------------------------------------------------------------ functions, decisions
    def call(self, name: str, args: tuple[Any, ...]) -> Encoded:
        """A define or an `applies` function, of defined arguments."""
        function = self.program.functions[name]
        args = tuple(_fit(p.type, a) for p, a in zip(function.params, args, strict=True))
        key = ("call", name, *map(key_of, args))
        if key not in self._memo:
            with self._within(name):
                found = self.encode(
                    function.body, dict(zip((p.name for p in function.params), args, strict=True))
                )
            self._remember(key, Encoded(_fit(function.type, found.value), found.defined), args)
        return self._memo[key]  # type: ignore[no-any-return]

    def decision(self, name: str, args: tuple[Any, ...]) -> Decided:
        """A decision, of defined arguments."""
        decision = self.program.decisions[name]
        args = tuple(_fit(p.type, a) for p, a in zip(decision.params, args, strict=True))
        key = ("decide", name, *map(key_of, args))
        if key not in self._memo:
            with self._within(name):
                self._remember(key, self._decide(name, args), args)
        return self._memo[key]  # type: ignore[no-any-return]

    @contextmanager
    def _within(self, name: str) -> Iterator[None]:
        if self._depth == MOST_NESTED:
            raise CannotEncodeError(
                f"`{name}` reads itself without end",
                "a decision may read itself only for another constant (another value of an enumeration)",
            )
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def _remember(self, key: Any, found: Any, args: tuple[Any, ...]) -> None:
        self._memo[key] = found
        self._alive.append(args)

    def _decide(self, name: str, args: tuple[Any, ...]) -> Decided:
        decision = self.program.decisions[name]
        by = dict(zip((p.name for p in decision.params), args, strict=True))
        sure: list[tuple[Truth, Any]] = []
        maybe: list[tuple[Truth, Any]] = []
        unknown: list[Truth] = []
        applying: list[Truth] = []
        for case in decision.cases:
            applies = self.call(case.applies, args)
            if applies.certainly(False):
                continue
            applying.append(not_(and_(applies.defined, not_(applies.value))))
            found = self.encode(case.value, by)
            value = _fit(decision.type, found.value)
            sure.append((and_(applies.defined, applies.value, found.defined), value))
            maybe.append((and_(not_(applies.defined), found.defined), value))
            unknown.append(and_(applying[-1], not_(found.defined)))
        value = self.shapes.anything(decision.type)
        for holds, candidate in reversed(sure):
            value = choose(holds, candidate, value)
        conflict = or_(
            *(
                and_(a, b, not_(equal(x, y)))
                for i, (a, x) in enumerate(sure)
                for b, y in sure[i + 1 :]
                if a is not False and b is not False
            )
        )
        agreed = and_(*(or_(not_(holds), equal(candidate, value)) for holds, candidate in maybe))
        defined = and_(or_(*(holds for holds, _ in sure)), not_(conflict), not_(or_(*unknown)), agreed)
        return Decided(value, defined, not_(or_(*applying)), conflict)

    def asked(self, name: str, args: tuple[Any, ...]) -> Encoded:
        """Whether an answer to the decision is due."""
        decision = self.program.decisions[name]
        if decision.asked is None:
            return Encoded(True, True)
        return self.encode(decision.asked, dict(zip((p.name for p in decision.params), args, strict=True)))

    # ---------------------------------------------------------------------------------------------- terms
    def encode(self, term: Term, variables: Variables) -> Encoded:
        """`term` with the values that `variables` give its variables. Large terms have most of their parts in common:
        each is encoded once for the same values.

        Raises `CannotEncodeError` for what is not linear, does not end, or is too large.
        """
        if isinstance(term, m.Var):
            return Encoded(variables[term.name], True)
        values = [variables.get(name) for name in free_variables(term)]
        key = (id(term), *map(id, values))
        kept = self._kept.get(key)
        if kept is None:
            kept = self._encode(term, variables), term, values
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[key] = kept
        return kept[0]

    def _encode(self, term: Term, variables: Variables) -> Encoded:
        if self._left is not None:
            if not self._left:
                self._kept.clear()  # asked again, it is as large again
                raise CannotEncodeError(
                    f"what is asked is more than {self.most:,} terms in this scope",
                    "it is too large to be put to a solver: ask it within a narrower scope",
                )
            self._left -= 1
        match term:
            case m.Lit(type=type_, value=value):
                return Encoded(self.shapes.constant(type_, value), True)
            case m.Var(name=name):
                return Encoded(variables[name], True)
            case m.Get():
                return self._get(term, variables)
            case m.Field():
                return self._field(term, variables)
            case m.Part(of=of, index=index):
                whole = self.encode(of, variables)
                if isinstance(whole.value, Opt):
                    return Encoded(whole.value.value[index], and_(whole.defined, whole.value.present))
                return Encoded(whole.value[index], whole.defined)
            case m.Make(type=type_, parts=parts):
                assert isinstance(type_, ty.RecordT | ty.EntityT)
                wanted = type_.fields if isinstance(type_, ty.RecordT) else type_.keys
                values, defined = self._all(parts, variables)
                return Encoded(tuple(_fit(t, v) for (_, t), v in zip(wanted, values, strict=True)), defined)
            case m.OptionGet(name=name):
                return Encoded(*self.options.values[name])
            case m.CallF(function=name, args=args):
                values, defined = self._all(args, variables)
                found = self.call(name, values)
                return Encoded(found.value, and_(defined, found.defined))
            case m.Decide(decision=name, args=args):
                values, defined = self._all(args, variables)
                decided = self.decision(name, values)
                return Encoded(decided.value, and_(defined, decided.defined))
            case m.ArithT():
                return self._arithmetic(term, variables)
            case m.CompareT(op=op, left=left, right=right):
                a, b = self.encode(left, variables), self.encode(right, variables)
                return Encoded(self.compared(op, a.value, b.value), and_(a.defined, b.defined))
            case m.AndT(items=items) | m.OrT(items=items):
                return self._joined(items, variables, isinstance(term, m.AndT))
            case m.NotT(of=of):
                inner = self.encode(of, variables)
                return Encoded(not_(inner.value), inner.defined)
            case m.Ite(condition=condition, then=then, otherwise=otherwise):
                return self._if(self.encode(condition, variables), then, otherwise, variables)
            case m.Quant() | m.Fold() | m.Pick():
                return self._ranging(term, variables)
            case m.Length(list=list_):
                found = self.encode(list_, variables)
                return Encoded(found.value.length, found.defined)
            case m.At(type=type_, list=list_, index=index):
                (elements, which), defined = self._all((list_, index), variables)
                value, there = elements.at(which, self.shapes.anything(type_))
                return Encoded(value, and_(defined, there))
            case m.Present(of=of):
                inner = self.encode(of, variables)
                return Encoded(optional(inner.value).present, inner.defined)
            case m.Force(of=of):
                inner = self.encode(of, variables)
                held = optional(inner.value)
                return Encoded(held.value, and_(inner.defined, held.present))
            case m.TableT():
                return self._table(term, variables)
            case m.Count(latch=latch, keys=keys):
                values, defined = self._all(keys, variables)
                return Encoded(self._counted(latch, values), defined)
            case m.BrokenT(latch=latch):
                return Encoded(self.state.broken[latch], True)
            case m.AfterT(of=of):
                if self.after is None:
                    raise CannotEncodeError(
                        "`after(…)` is read where no event is at hand", "encode it over an event's step"
                    )
                if self._then is None:
                    self._then = type(self)(self.after, self.options, self.after, self.most)
                return self._then.encode(of, variables)

    def _all(self, terms: tuple[Term, ...], variables: Variables) -> tuple[tuple[Any, ...], Truth]:
        found = [self.encode(t, variables) for t in terms]
        return tuple(f.value for f in found), and_(*(f.defined for f in found))

    # ---------------------------------------------------------------------------------------------- state
    def _get(self, term: m.Get, variables: Variables) -> Encoded:
        if term.key is None:
            return Encoded(self.state.values[Place(term.name)], True)
        key = self.encode(term.key, variables)
        declared = self.world.ruleset.state[term.name].type
        assert isinstance(declared, ty.MapT | ty.SetT)
        key_type = declared.key if isinstance(declared, ty.MapT) else declared.of
        value = self.shapes.constant(term.type, self.world.ruleset.state[term.name].initial, term.name)
        for known in reversed(self.world.scope.keys(key_type)):
            hit = equal(key.value, self.shapes.constant(key_type, known))
            value = choose(hit, self.state.values[Place(term.name, known)], value)
        return Encoded(value, key.defined)

    def _field(self, term: m.Field, variables: Variables) -> Encoded:
        of = self.encode(term.of, variables)
        there: Truth = True
        ref = of.value
        if isinstance(ref, Opt):
            there, ref = ref.present, ref.value
        entity = self.world.ruleset.entities[term.entity]
        key = ("field", term.entity, term.name, key_of(ref))
        if key not in self._memo:
            initial = next(f.initial for f in entity.fields if f.name == term.name)
            value = self.shapes.constant(term.type, initial, f"{term.entity}.{term.name}")
            for hit, known in reversed(self._hits(entity.type, ref)):
                value = choose(hit, self.state.values[Place(term.entity, known, term.name)], value)
            self._remember(key, value, (ref,))
        return Encoded(self._memo[key], and_(of.defined, there))

    def _hits(self, type_: ty.EntityT, ref: Any) -> list[tuple[Truth, Any]]:
        """The entities of the scope that a reference may be to, each with whether it is."""
        key = ("hits", type_.name, key_of(ref))
        if key not in self._memo:
            found: list[tuple[Truth, Any]] = []
            for known in self.world.scope.entities[type_.name]:
                hit = equal(ref, self.shapes.constant(type_, known))
                if hit is True:
                    found = [(True, known)]
                    break
                if hit is not False:
                    found.append((hit, known))
            self._remember(key, found, (ref,))
        return self._memo[key]  # type: ignore[no-any-return]

    def _counted(self, latch: int, values: tuple[Any, ...]) -> Num:
        declared = self.world.ruleset.latches[latch]
        params = self.world.ruleset.events[declared.event].params
        types = [params[i].type for i in declared.keys]
        count = Num(0)
        for key, n in reversed(list(self.state.counts[latch].items())):
            hit = and_(
                *(equal(v, self.shapes.constant(t, k)) for v, t, k in zip(values, types, key, strict=True))
            )
            count = choose(hit, n, count)
        return count

    # ------------------------------------------------------------------------------- connectives, branches
    def _joined(self, items: tuple[Term, ...], variables: Variables, unit: bool) -> Encoded:
        found: list[Encoded] = []
        for item in items:
            encoded = self.encode(item, variables)
            if encoded.certainly(not unit):
                return Encoded(not unit, True)
            if not encoded.certainly(unit):
                found.append(encoded)
        return kleene(found, unit)

    def _if(self, test: Encoded, then: Term, otherwise: Term, variables: Variables) -> Encoded:
        if isinstance(test.value, bool) and test.defined is True:
            return self.encode(then if test.value else otherwise, variables)
        yes, no = self.encode(then, variables), self.encode(otherwise, variables)
        return Encoded(
            choose(test.value, yes.value, no.value),
            and_(test.defined, choose(test.value, yes.defined, no.defined)),
        )

    def _table(self, term: m.TableT, variables: Variables) -> Encoded:
        of = self.encode(term.of, variables)
        value: Any = None
        defined: Truth = True
        for key, row in reversed(term.rows):
            hit = equal(of.value, self.shapes.constant(term.of.type, key))
            if hit is False:
                continue
            found = self.encode(row, variables)
            value = found.value if value is None else choose(hit, found.value, value)
            defined = choose(hit, found.defined, defined)
        if value is None:  # it is known to have no row
            return Encoded(self.shapes.anything(term.type), False)
        return Encoded(value, and_(of.defined, defined))

    # ------------------------------------------------------------------------- comparison and arithmetic
    def compared(self, op: str, left: Any, right: Any) -> Truth:
        """`left op right`. Nothing equals what is absent, not even what is absent too."""
        if op not in ("=", "!="):
            return compare(op, left, right)
        same = equal(left, right)
        if isinstance(left, Opt) and isinstance(right, Opt):
            same = and_(left.present, same)
        return same if op == "=" else not_(same)

    def _arithmetic(self, term: m.ArithT, variables: Variables) -> Encoded:
        a, b = self.encode(term.left, variables), self.encode(term.right, variables)
        defined = and_(a.defined, b.defined)
        match term.op:
            case "+":
                return Encoded(add(a.value, b.value), defined)
            case "-":
                return Encoded(add(a.value, negative(b.value)), defined)
            case "*":
                if not b.value.constant and not a.value.constant and self._cases(b.value, term.right) is None:
                    return Encoded(self._split(term, b.value, a.value, term.left).value, defined)
                found = self._split(term, a.value, b.value, term.right)
                return Encoded(found.value, defined)
            case "/" | "mod" | "div":
                found = self._split(term, a.value, b.value, term.right)
                return Encoded(found.value, and_(defined, found.defined))

    def _split(self, term: m.ArithT, left: Num, by: Num, by_term: Term) -> Encoded:
        """`left op by` for each value that `by` can have."""
        cases = [by] if by.constant or (term.op == "*" and left.constant) else self._cases(by, by_term)
        if cases is None:
            raise CannotEncodeError(
                f"`{term.op}` by a number with more than {MOST_CASES} possible values is not linear",
                "multiply and divide by constants, table rows, odds or small ranges; narrow options to few values",
            )
        found = Encoded(Num(0), False)
        for case in reversed(cases):
            one = _operation(term.op, left, case)
            hit = True if len(cases) == 1 else compare("=", by, case)
            found = Encoded(choose(hit, one.value, found.value), choose(hit, one.defined, found.defined))
        return found

    def _cases(self, num: Num, term: Term) -> list[Num] | None:
        """The values that a number can have, where they are few."""
        listed = possible(num, self._known)
        if listed is None and isinstance(term.type, ty.IntT) and num.den == 1:
            low, high = term.type.low, term.type.high
            if low is not None and high is not None and high - low < MOST_CASES:
                listed = list(range(low, high + 1))
        return None if listed is None else [Num(n, num.den) for n in listed]

    # --------------------------------------------------------------------------------------- over domains
    def _ranging(self, term: m.Quant | m.Fold | m.Pick, variables: Variables) -> Encoded:
        """What goes through a domain, encoded once for the same values of its few free variables: inside another
        such term it is asked for each of that one's elements, and mostly reads none of them."""
        if id(term) not in self._free:
            self._free[id(term)] = term, tuple(sorted(free_variables(term)))
        free = self._free[id(term)][1]
        if len(free) > MOST_FREE:
            return self._through(term, variables)
        values = tuple(variables.get(name) for name in free)
        key = ("ranging", id(term), *(None if v is None else key_of(v) for v in values))
        if key not in self._memo:
            self._remember(key, self._through(term, variables), values)
        return self._memo[key]  # type: ignore[no-any-return]

    def _through(self, term: m.Quant | m.Fold | m.Pick, variables: Variables) -> Encoded:
        match term:
            case m.Quant():
                return self._quantifier(term, variables)
            case m.Fold():
                return self._fold(term, variables)
            case m.Pick():
                return self._pick(term, variables)

    def elements(self, domain: m.Domain, variables: Variables) -> tuple[list[tuple[Truth, Any]], Truth]:
        """What a domain may hold, in order, each with the condition that it does; and whether that is defined."""
        match domain:
            case m.OverValues(type=type_, values=values):
                if id(domain) in self._constants:
                    return self._constants[id(domain)][1], True
                found, defined = self._all(values, variables)
                elements: list[tuple[Truth, Any]] = [(True, _fit(type_, v)) for v in found]
                if all(isinstance(value, m.Lit) for value in values):
                    self._constants[id(domain)] = domain, elements
                return elements, defined
            case m.OverEntity(type=type_, entity=entity):
                return [
                    (self.state.exists[entity, ref], self.shapes.constant(type_, ref))
                    for ref in self.world.scope.entities[entity]
                ], True
            case m.OverList(list=list_):
                encoded = self.encode(list_, variables)
                assert isinstance(encoded.value, SlotList)
                return encoded.value.elements(), encoded.defined
            case m.OverIds(type=type_):
                assert isinstance(type_, ty.IdT)
                if type_.name not in self._ids:
                    self._ids[type_.name] = [
                        (self.state.known[type_.name, name], self.shapes.constant(type_, name))
                        for name in self.world.scope.ids[type_.name]
                    ]
                return self._ids[type_.name], True

    def chosen(
        self, domain: m.Domain, var: str, where: Term | None, variables: Variables
    ) -> tuple[list[tuple[Truth, Any, Encoded]], Truth]:
        """The elements of a domain, each with whether it is there, itself, and whether it meets `where`."""
        elements, defined = self.elements(domain, variables)
        found: list[tuple[Truth, Any, Encoded]] = []
        for there, value in elements:
            if there is False:
                continue
            meets = Encoded(True, True) if where is None else self.encode(where, {**variables, var: value})
            if not meets.certainly(False):
                found.append((there, value, meets))
        return found, defined

    def _quantifier(self, term: m.Quant, variables: Variables) -> Encoded:
        every = term.kind == "every"
        elements, known = self.chosen(term.domain, term.var, term.where, variables)
        found: list[Encoded] = []
        for there, value, meets in elements:
            body = self.encode(term.body, {**variables, term.var: value})
            skipped = Encoded(choose(every, not_(there), there), True)
            unmet = Encoded(not_(meets.value), meets.defined) if every else meets
            one = kleene([skipped, unmet, body], unit=not every)
            if one.certainly(not every):
                return Encoded(not every, known)
            if not one.certainly(every):
                found.append(one)
        result = kleene(found, unit=every)
        return Encoded(result.value, and_(result.defined, known))

    def _fold(self, term: m.Fold, variables: Variables) -> Encoded:
        elements, known = self.chosen(term.domain, term.var, term.where, variables)
        defined: list[Truth] = [known]
        taken: list[tuple[Truth, Num]] = []
        for there, value, meets in elements:
            body = (
                Encoded(Num(1), True)
                if term.body is None
                else self.encode(term.body, {**variables, term.var: value})
            )
            defined.append(or_(not_(there), and_(meets.defined, or_(not_(meets.value), body.defined))))
            taken.append((and_(there, meets.value), body.value))
        if term.kind in ("sum", "number"):
            return Encoded(total(choose(holds, v, Num(0)) for holds, v in taken), and_(*defined))
        best: Opt = Opt(False, Num(0))
        better = "<" if term.kind == "least" else ">"
        for holds, candidate in taken:
            wins = and_(holds, or_(not_(best.present), compare(better, candidate, best.value)))
            best = Opt(or_(best.present, holds), choose(wins, candidate, best.value))
        return Encoded(best, and_(*defined))

    def _pick(self, term: m.Pick, variables: Variables) -> Encoded:
        elements, known = self.chosen(term.domain, term.var, term.where, variables)
        found = Opt(False, self.shapes.anything(term.domain.type))
        defined: Truth = True
        for there, value, meets in elements if term.kind == "last" else reversed(elements):
            taken = and_(there, meets.value)
            found = Opt(or_(taken, found.present), choose(taken, value, found.value))
            defined = choose(there, and_(meets.defined, or_(meets.value, defined)), defined)
        return Encoded(found, and_(known, defined))


def kleene(items: list[Encoded], unit: bool) -> Encoded:
    """The conjunction (`unit` true) or disjunction (false) by Kleene's strong tables."""
    join = and_ if unit else or_
    value = join(*(i.value for i in items))
    if all(i.defined is True for i in items):
        return Encoded(value, True)
    decided = or_(*(and_(i.defined, not_(i.value) if unit else i.value) for i in items))
    return Encoded(value, or_(decided, and_(*(i.defined for i in items))))


def _fit(type_: ty.Type, value: Any) -> Any:
    """`value` where a value of the type is wanted: an optional takes what is none."""
    return optional(value) if isinstance(type_, ty.OptT) else value


def _operation(op: str, left: Num, by: Num) -> Encoded:
    if op == "*":
        return Encoded(times(left, by), True)
    if by.n == 0:
        return Encoded(Num(0), False)
    match op:
        case "/":
            return Encoded(divided(left, by), True)
        case "mod":
            return Encoded(modulo(left, by), True)
        case "div":
            return Encoded(whole_quotient(left, by), True)
        case _:
            raise AssertionError(op)
