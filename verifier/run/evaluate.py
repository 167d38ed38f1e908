"""Core terms to Python closures. The interpreter's whole semantics of terms is in this file and in
`verifier.run.operators`.

A closure takes the frame (the values of the variables in scope, by position) and returns the value, or raises
`Undefined`. The state it reads is the machine's at the moment of the call.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.terms import Term, free_variables
from verifier.model.values import Partial
from verifier.run.operators import Closure, Frame, arithmetic, comparison, every, some
from verifier.run.undefined import Reason, Undefined, because

if TYPE_CHECKING:
    from verifier.run.machine import Machine

MISSING = object()
"""What a table gives for a key that was never written."""


class Compiler:
    """One closure under construction: which variable stands at which position of the frame."""

    def __init__(self, machine: Machine, names: list[str]) -> None:
        self.machine = machine
        self.slots = {name: i for i, name in enumerate(names)}
        self.size = len(names)
        self.first = len(names)
        self.trusting = machine.trusting
        self._compiled: dict[tuple[int | None, ...], tuple[Closure, Term]] = {}

    def top(self, term: Term) -> Closure:
        inner = self.compile(term)
        extra = self.size - self.first
        if not extra:
            return inner
        padding = [None] * extra
        return lambda frame: inner([*frame, *padding])

    def _slot(self, name: str) -> int:
        self.slots = {**self.slots, name: self.size}
        self.size += 1
        return self.slots[name]

    def compile(self, term: Term) -> Closure:
        """A closure of `term`. Large terms have most of their parts in common: each is made once where its variables
        stand at the same positions."""
        key = (id(term), *[self.slots.get(name) for name in free_variables(term)])
        found = self._compiled.get(key)
        if found is None:
            found = self._compiled[key] = self._compile(term), term
        return found[0]

    def _compile(self, term: Term) -> Closure:
        machine = self.machine
        match term:
            case m.Lit(value=value):
                return lambda frame: value
            case m.Var(name=name):
                return self._variable(self.slots[name])
            case m.Get(name=name, key=key):
                return self._get(name, key)
            case m.Field():
                return self._field(term)
            case m.Part(of=of, index=index):
                return self._part(self.compile(of), index)
            case m.Make(parts=parts):
                return _make([self.compile(p) for p in parts], isinstance(term.type, ty.RecordT))
            case m.OptionGet(name=name):
                return self._option(name)
            case m.CallF(function=name, args=args):
                return self._call(name, args)
            case m.Decide(decision=name, args=args):
                closures = [self.compile(a) for a in args]
                return lambda frame: machine.decide(name, tuple([c(frame) for c in closures]))
            case m.ArithT(op=op, left=left, right=right):
                return arithmetic(op, self.compile(left), self.compile(right))
            case m.CompareT(op=op, left=left, right=right):
                return comparison(op, self.compile(left), self.compile(right), left, right)
            case m.AndT(items=items):
                return every([self.compile(i) for i in items])
            case m.OrT(items=items):
                return some([self.compile(i) for i in items])
            case m.NotT(of=of):
                inner = self.compile(of)
                return lambda frame: not inner(frame)
            case m.Ite(condition=condition, then=then, otherwise=otherwise):
                test, yes, no = self.compile(condition), self.compile(then), self.compile(otherwise)
                return lambda frame: yes(frame) if test(frame) else no(frame)
            case m.Quant():
                return self._quant(term)
            case m.Fold():
                return self._fold(term)
            case m.Pick():
                return self._pick(term)
            case m.Length(list=list_):
                inner = self.compile(list_)
                return lambda frame: len(inner(frame))
            case m.At(list=list_, index=index):
                return self._at(self.compile(list_), self.compile(index))
            case m.Present(of=of):
                inner = self.compile(of)
                return lambda frame: inner(frame) is not None
            case m.Force(of=of):
                return _force(self.compile(of))
            case m.TableT(of=of, rows=rows):
                inner = self.compile(of)
                return _table(inner, {key: self.compile(value) for key, value in rows})
            case m.Count(latch=latch, keys=keys):
                return self._count(latch, [self.compile(k) for k in keys])
            case m.BrokenT(latch=latch):
                return self._broken(latch)
            case m.AfterT(of=of):
                return self._after(self.compile(of))

    def _variable(self, slot: int) -> Closure:
        def read(frame: Frame) -> Any:
            value = frame[slot]
            if type(value) is Partial:
                raise because(value.kind, value.what)
            return value

        return read

    def _handed(self, term: Term) -> Closure:
        """An argument. A variable is handed on unread: what is called may settle without it."""
        if not isinstance(term, m.Var):
            return self.compile(term)
        return operator.itemgetter(self.slots[term.name])

    def _get(self, name: str, key: Term | None) -> Closure:
        machine = self.machine
        guard = self._guard(name)
        if key is None:

            def read(frame: Frame) -> Any:
                value = machine.state.fields[name]
                if machine.lost and name in machine.lost:
                    value = machine.lost[name]
                if type(value) is Partial:
                    raise because(value.kind, value.what)
                return value
        else:
            where = self.compile(key)
            initial = machine.ruleset.state[name].initial

            def read(frame: Frame) -> Any:
                value = machine.state.fields[name].get(where(frame), MISSING)
                if value is MISSING:
                    value = machine.before.get(name, initial)
                if machine.lost and name in machine.lost:
                    value = machine.lost[name]
                if type(value) is Partial:
                    raise because(value.kind, value.what)
                return value

        return read if guard is None else guard(read)

    def _field(self, term: m.Field) -> Closure:
        machine, entity, name = self.machine, term.entity, term.name
        of = self.compile(term.of)
        slot = self.slots[term.of.name] if isinstance(term.of, m.Var) else None
        initial = next(f.initial for f in machine.ruleset.entities[entity].fields if f.name == name)
        optional = isinstance(term.of.type, ty.OptT)
        full = f"{entity}.{name}"

        def read(frame: Frame) -> Any:
            if slot is None or type(ref := frame[slot]) is Partial:
                ref = of(frame)
            if optional and ref is None:
                raise because("absent", name)
            found = machine.state.entities[entity].get(ref)
            value = MISSING if found is None else found.get(name, MISSING)
            if value is MISSING:
                value = machine.before.get(full, initial)
            if machine.lost and full in machine.lost:
                value = machine.lost[full]
            if type(value) is Partial:
                raise because(value.kind, value.what)
            return value

        guard = self._guard(full)
        return read if guard is None else guard(read)

    def _guard(self, name: str) -> Callable[[Closure], Closure] | None:
        """What wraps a read of a field that the log cannot tell, or only late."""
        machine = self.machine
        lacking = machine.unrecorded.fields.get(name)
        if lacking is not None:

            def unknown(frame: Frame) -> Any:
                raise because("unrecorded", ", ".join(lacking))

            return lambda read: unknown
        if name in machine.unrecorded.late and name not in self.trusting:

            def late(read: Closure) -> Closure:
                def when_known(frame: Frame) -> Any:
                    if not machine.at_end:
                        raise because("unrecorded", f"the order of what sets {name}")
                    return read(frame)

                return when_known

            return late
        return None

    def _part(self, of: Closure, index: int) -> Closure:
        def read(frame: Frame) -> Any:
            whole = of(frame)
            if whole is None:
                raise because("absent", "part")
            part = whole[index]
            if type(part) is Partial:
                raise because(part.kind, part.what)
            return part

        return read

    def _option(self, name: str) -> Closure:
        machine = self.machine

        def read(frame: Frame) -> Any:
            try:
                return machine.options[name]
            except KeyError:
                raise because("option", name) from None

        return read

    def _call(self, name: str, args: Sequence[Term]) -> Closure:
        machine = self.machine
        if not args:
            alone = (name, ())

            def constant(frame: Frame) -> Any:
                found = machine.memo.get(alone, MISSING)
                if found is MISSING or type(found) is Undefined:
                    return machine.function(name, ())
                return found

            return constant
        values = self._values([self._handed(a) for a in args], args)

        def call(frame: Frame) -> Any:
            given = values(frame)
            found = machine.memo.get((name, given), MISSING)
            if found is MISSING or type(found) is Undefined:
                return machine.function(name, given)
            return found

        return call

    def _values(self, args: list[Closure], terms: Sequence[Term]) -> Callable[[Frame], tuple[Any, ...]]:
        """The arguments together; variables, which they are most often, are taken from the frame at once."""
        if len(args) == 1:
            (only,) = args
            return lambda frame: (only(frame),)
        if all(isinstance(term, m.Var) for term in terms):
            return operator.itemgetter(*(self.slots[t.name] for t in terms if isinstance(t, m.Var)))
        return lambda frame: tuple([a(frame) for a in args])

    # ------------------------------------------------------------------------------------- over domains
    def _domain(self, domain: m.Domain) -> Callable[[Frame], Iterable[Any]]:
        machine = self.machine
        match domain:
            case m.OverValues(values=values):
                if all(isinstance(v, m.Lit) for v in values):
                    fixed = [v.value for v in values if isinstance(v, m.Lit)]
                    return lambda frame: fixed
                closures = [self.compile(v) for v in values]
                return lambda frame: [c(frame) for c in closures]
            case m.OverEntity(entity=entity):
                exists, key = f"new {entity}", ("refs", entity)
                guard = self._guard(exists)

                def existing(frame: Frame) -> list[Any]:
                    if machine.lost or machine.before:
                        unknown = machine.lost.get(exists) or machine.before.get(exists)
                        if unknown is not None:
                            raise because(unknown.kind, unknown.what)
                    return machine.memo.get(key) or machine.refs(entity)  # type: ignore[return-value]

                return existing if guard is None else guard(existing)
            case m.OverList(list=list_):
                inner = self.compile(list_)
                return lambda frame: inner(frame)
            case m.OverIds(type=type_):
                assert isinstance(type_, ty.IdT)
                name = type_.name

                def met(frame: Frame) -> Iterable[Any]:
                    # Those that are known may settle it before it matters that there may be others.
                    yield from list(machine.state.ids[name])
                    unknown = machine.unmet(type_)
                    if unknown is not None:
                        raise because(unknown.kind, unknown.what)

                return met

    def _bound(
        self, term: m.Quant | m.Fold | m.Pick, body: Term | None
    ) -> tuple[Callable[[Frame], Iterable[Any]], int, Closure | None, Closure | None]:
        domain = self._domain(term.domain)
        outer = self.slots
        slot = self._slot(term.var)
        where = None if term.where is None else self.compile(term.where)
        inner = None if body is None else self.compile(body)
        self.slots = outer
        return domain, slot, where, inner

    def elements(self, domain: m.Domain, var: str, where: Term | None) -> Callable[[Frame], list[Any]]:
        values, slot, test, _ = self._bound(m.Pick(domain.type, "first", var, domain, where), None)
        padding = [None] * (self.size - self.first)

        def run(frame: Frame) -> list[Any]:
            inside = [*frame, *padding]
            found: list[Any] = []
            for value in values(inside):
                inside[slot] = value
                if test is None or test(inside):
                    found.append(value)
            return found

        return run

    def _quant(self, term: m.Quant) -> Closure:
        domain, slot, where, body = self._bound(term, term.body)
        assert body is not None
        some = term.kind == "some"

        def run(frame: Frame) -> bool:
            reasons: frozenset[Reason] | None = None
            for value in domain(frame):
                frame[slot] = value
                try:
                    if where is not None and not where(frame):
                        continue
                    sure = True
                except Undefined as undefined:
                    sure, unsure = False, undefined.reasons
                try:
                    holds = body(frame)
                except Undefined as undefined:
                    reasons = (reasons or frozenset()) | undefined.reasons
                    reasons |= frozenset() if sure else unsure
                    continue
                if bool(holds) is some:
                    if sure:
                        return some
                    reasons = (reasons or frozenset()) | unsure
            if reasons is not None:
                raise Undefined(reasons)
            return not some

        return run

    def _fold(self, term: m.Fold) -> Closure:
        domain, slot, where, body = self._bound(term, term.body)
        kind = term.kind

        def values(frame: Frame) -> list[Any]:
            found: list[Any] = []
            for value in domain(frame):
                frame[slot] = value
                if where is None or where(frame):
                    found.append(1 if body is None else body(frame))
            return found

        if kind in ("sum", "number"):
            return lambda frame: sum(values(frame))
        best = min if kind == "least" else max
        return lambda frame: best(values(frame), default=None)

    def _pick(self, term: m.Pick) -> Closure:
        domain, slot, where, _ = self._bound(term, None)
        backwards = term.kind == "last"
        machine, type_ = self.machine, term.domain.type
        by_meeting = isinstance(term.domain, m.OverEntity | m.OverIds)

        def run(frame: Frame) -> Any:
            items = domain(frame)
            unknown = machine.unmet(type_) if by_meeting and not machine.tells_all() else None
            found: Any = None
            for value in reversed(list(items)) if backwards else items:
                frame[slot] = value
                if where is None or where(frame):
                    if unknown is None:
                        return value
                    if found is not None:
                        # Which of them comes first hangs on who was met first, and the log does not tell.
                        raise because(unknown.kind, unknown.what)
                    found = value
            return found

        return run

    def _at(self, list_: Closure, index: Closure) -> Closure:
        def read(frame: Frame) -> Any:
            items, which = list_(frame), index(frame)
            if which > len(items):
                raise because("absent", f"element {which}")
            return items[which - 1]

        return read

    def _count(self, latch: int, keys: list[Closure]) -> Closure:
        machine = self.machine
        lacking = machine.unrecorded.latches.get(latch)
        if lacking is not None:

            def unknown(frame: Frame) -> Any:
                raise because("unrecorded", lacking)

            return unknown

        def read(frame: Frame) -> Any:
            if latch in machine.before_latches:
                raise because("history", machine.before_latches[latch])
            if latch in machine.lost_latches:
                raise because("unrecorded", machine.lost_latches[latch])
            return machine.state.counts[latch].get(tuple([k(frame) for k in keys]), 0)

        if latch in machine.unrecorded.late_latches:

            def when_known(frame: Frame) -> Any:
                if not machine.at_end:
                    raise because("unrecorded", f"the order of {machine.ruleset.latches[latch].event}")
                return read(frame)

            return when_known
        return read

    def _broken(self, latch: int) -> Closure:
        machine = self.machine

        def read(frame: Frame) -> bool:
            if not machine.state.broken[latch] and latch in machine.doubts:
                raise Undefined(machine.doubts[latch])
            if not machine.state.broken[latch] and latch in machine.never_judged:
                raise because("unrecorded", "what could have broken it")
            if machine.state.broken[latch] and latch in machine.never_reset:
                raise because("unrecorded", "what it is reckoned from")
            return machine.state.broken[latch]

        return read

    def _after(self, of: Closure) -> Closure:
        machine = self.machine

        def read(frame: Frame) -> Any:
            if machine.after is None:
                raise because("unrecorded", "what an event that is not at hand would leave")
            before, memo = machine.state, machine.memo
            machine.state, machine.memo = machine.after, {}
            try:
                return of(frame)
            finally:
                machine.state, machine.memo = before, memo

        return read


def _make(parts: list[Closure], record: bool) -> Closure:
    """A record keeps a part that is not recorded as such; a reference with such a part is undefined."""
    if not record:
        return lambda frame: tuple([part(frame) for part in parts])

    def build(frame: Frame) -> tuple[Any, ...]:
        found: list[Any] = []
        for part in parts:
            try:
                found.append(part(frame))
            except Undefined as undefined:
                found.append(unknown(undefined))
        return tuple(found)

    return build


def unknown(undefined: Undefined) -> Partial:
    """What stands in the state for a value that nobody can tell. Raises what no value at all explains."""
    for reason in sorted(undefined.reasons):
        if reason.kind in ("unrecorded", "history", "large"):
            return Partial(reason.what, reason.kind)
    raise undefined


def _force(of: Closure) -> Closure:
    def read(frame: Frame) -> Any:
        value = of(frame)
        if value is None:
            raise because("absent", "value")
        return value

    return read


def _table(of: Closure, rows: Mapping[Any, Closure]) -> Closure:
    """A key outside of its range, which a reference may be made with, has no row."""

    def read(frame: Frame) -> Any:
        key = of(frame)
        row = rows.get(key)
        if row is None:
            raise because("absent", f"a row for {key}")
        return row(frame)

    return read
