"""What is so once an event is over, said of the state before it and of the event's parameters.

Over means: after its mechanics, with its history counted and the lives begun anew that it ends. Where a write lands
it is put in place of what is read there; what an ended life holds is put in as it first is. Where that cannot be done
(a list that grows, a decision that reads what changes) nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from verifier.core.lower import event_variable
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.domains import HIDDEN
from verifier.model.rewrite import map_children, substitute
from verifier.model.ruleset import Append, Each, FieldTarget, New, StateTarget, Update, Write
from verifier.model.terms import Term
from verifier.model.types import BOOL, INT
from verifier.prove.explore.pieces import called
from verifier.prove.obligations.acts import Acts
from verifier.prove.obligations.units import TRUE, both, either, no
from verifier.prove.transitions import written


class _Untold(Exception):  # noqa: N818 - travels up the term, no error
    """A part of the condition cannot be said of the state that the event leaves."""


class Then:
    """One kind of event; its parameters are variables with `EVENT_PREFIX` before their names."""

    def __init__(self, acts: Acts, event: str) -> None:
        self.acts = acts
        self.program = acts.program
        self.ruleset = acts.program.ruleset
        self.event = self.ruleset.events[event]
        self.by = {p.name: event_variable(p) for p in self.event.params}
        self.changed = written(self.ruleset, event) | acts.touched(event)
        self.ended = {life.name for life in self.ruleset.lives.values() if event in life.ends}
        self.updates = tuple(self.ruleset.mechanics.get(event, ()))
        self._calls: dict[m.CallF, Term | None] = {}

    def of(self, term: Term) -> Term | None:
        """`term` once the event is over; None where there is no way to say it."""
        try:
            return self._of(term)
        except _Untold:
            return None

    def changes(self, term: Term) -> bool:
        """Whether the event may change anything that the term reads."""
        return bool(self.acts.reads.of(term) & self.changed)

    def regroups(self, domain: m.Domain, more: bool) -> bool:
        """Whether the event may add to what is ranged over (`more`), or take from it."""
        match domain:
            case m.OverEntity(entity=entity):
                over = self.ruleset.entities[entity].life in self.ended
                return f"new {entity}" in self.changed and (more or over)
            case m.OverIds(type=type_):
                return f"ids {type_}" in self.changed and more
            case m.OverValues(values=values):
                return any(self.changes(value) for value in values)
            case m.OverList(list=list_):
                return self.changes(list_)

    # ------------------------------------------------------------------------------------------------- terms
    def _of(self, term: Term) -> Term:
        if not self.changes(term):
            return term
        match term:
            case m.Get():
                return self._get(replace(term, key=None if term.key is None else self._of(term.key)))
            case m.Field():
                return self._field(replace(term, of=self._of(term.of)))
            case m.Count(latch=index, keys=keys):
                return self._count(m.Count(term.type, index, tuple(self._of(key) for key in keys)))
            case m.BrokenT(latch=index):
                breach = self.ruleset.breaches[index]
                over = breach.life in self.ended or breach.reset == self.event.name
                return m.Lit(BOOL, False) if over else term
            case m.CallF():
                if term not in self._calls:
                    self._calls[term] = self.of(called(self.program, term))
                told = self._calls[term]
                if told is None:
                    raise _Untold
                return told
            case m.Decide() | m.AfterT():
                raise _Untold
            case m.Quant() | m.Fold() | m.Pick():
                return self._ranging(term)
            case _:
                return map_children(term, self._of)

    def _get(self, term: m.Get) -> Term:
        field = self.ruleset.state[term.name]
        if field.life in self.ended:
            return m.Lit(term.type, field.initial)
        found: Term = term
        for update in self.updates:
            match update:
                case Write(target=StateTarget(name=name, key=key), value=value, when=when) if (
                    name == term.name
                ):
                    hit = () if key is None or term.key is None else (_same(term.key, self._put(key)),)
                    found = _where(both(*hit, self._when(when)), self._put(value), found)
                case _ if term.name in _names(update):
                    raise _Untold
                case _:
                    continue
        return found

    def _field(self, term: m.Field) -> Term:
        declared = self.ruleset.entities[term.entity]
        if declared.life in self.ended:
            return m.Lit(term.type, next(f.initial for f in declared.fields if f.name == term.name))
        name = f"{term.entity}.{term.name}"
        found: Term = term
        for update in self.updates:
            match update:
                case Write(target=FieldTarget(of=of), value=value, when=when) if name in _names(update):
                    hit = both(_same(term.of, self._put(of)), self._when(when))
                    found = _where(hit, self._put(value), found)
                case Each(
                    var=var, domain=m.OverEntity(entity=entity), where=where, update=Write() as inner
                ) if name in _names(update):
                    if not isinstance(inner.target, FieldTarget) or inner.target.of != m.Var(
                        inner.target.of.type, var
                    ):
                        raise _Untold
                    here = {**self.by, var: term.of}
                    domain = m.OverEntity(self.ruleset.entities[entity].type, entity)
                    there = m.Quant(
                        BOOL, "some", HIDDEN, domain, None, _same(m.Var(domain.type, HIDDEN), term.of)
                    )
                    met = [substitute(x, here) for x in (where, inner.when) if x is not None]
                    found = _where(both(there, *met), substitute(inner.value, here), found)
                case _ if name in _names(update):
                    raise _Untold
                case _:
                    continue
        return found

    def _count(self, term: m.Count) -> Term:
        latch = self.ruleset.latches[term.latch]
        if latch.life in self.ended:
            return m.Lit(term.type, 0)
        found: Term = term
        params = self.event.params
        if latch.reset == self.event.name:
            linked = [_same(term.keys[p], event_variable(params[i])) for p, i in latch.reset_keys]
            fixed = [_is(event_variable(params[i]), v) for i, v in latch.reset_fixed]
            found = _where(both(*linked, *fixed), m.Lit(INT, 0), found)
        if latch.event == self.event.name:
            keys = [_same(k, event_variable(params[i])) for k, i in zip(term.keys, latch.keys, strict=True)]
            fixed = [_is(event_variable(params[i]), v) for i, v in latch.fixed]
            one = _where(both(*keys, *fixed), m.Lit(INT, 1), m.Lit(INT, 0))
            found = m.ArithT(INT, "+", found, one)
        return found

    def _ranging(self, term: m.Quant | m.Fold | m.Pick) -> Term:
        """What ranges over a domain; of one that grows, what it comes to with what is new."""
        domain = term.domain
        made: tuple[tuple[Term, Term], ...] = ()
        match domain:
            case m.OverEntity(entity=entity) if self.ruleset.entities[entity].life in self.ended:
                domain = m.OverValues(domain.type, ())
            case m.OverEntity(entity=entity) if f"new {entity}" in self.changed:
                match term:
                    case m.Quant(kind="some", var=var, where=None, body=m.CompareT(op="=") as same) if (
                        same.left == m.Var(domain.type, var)
                    ):
                        new = [self._made(update, entity, self._of(same.right)) for update in self.updates]
                        return either(replace(term, body=replace(same, right=self._of(same.right))), *new)
                    case m.Pick() | m.Fold(kind="least" | "greatest"):
                        raise _Untold
                    case m.Quant() | m.Fold():
                        made = tuple(self._fresh(domain, entity))
            case m.OverIds(type=type_) if f"ids {type_}" in self.changed:
                match term:
                    case m.Quant(kind="some", var=var, where=None, body=m.CompareT(op="=") as same) if (
                        same.left == m.Var(domain.type, var)
                    ):
                        right = self._of(same.right)
                        met = [_same(right, one) for p in self.by.values() for one in _ids_in(p, domain.type)]
                        return either(replace(term, body=replace(same, right=right)), *met)
                    case _:
                        raise _Untold
            case _:
                pass
        found = map_children(replace(term, domain=m.OverIds(domain.type)), self._of)
        assert isinstance(found, m.Quant | m.Fold | m.Pick)
        result: Term = replace(found, domain=self._of_domain(domain))
        for key, fresh in made:
            result = _with(result, found, {term.var: key}, fresh)
        return result

    def _fresh(self, domain: m.OverEntity, entity: str) -> Iterator[tuple[Term, Term]]:
        """What the event brings into being, told of the state before, and when it does and it was not there yet."""
        there = m.Var(domain.type, HIDDEN)
        before: list[tuple[Term, Term]] = []
        for update in self.updates:
            match update:
                case New(entity=made, of=of, when=when) if made == entity:
                    key, met = self._put(of), self._when(when)
                    old = m.Quant(BOOL, "some", HIDDEN, domain, None, _same(there, key))
                    twice = (no(both(earlier, _same(other, key))) for other, earlier in before)
                    yield key, both(met, no(old), *twice)
                    before.append((key, met))
                case _ if f"new {entity}" in _names(update):
                    raise _Untold
                case _:
                    continue

    def _of_domain(self, domain: m.Domain) -> m.Domain:
        match domain:
            case m.OverValues(values=values):
                return replace(domain, values=tuple(self._of(value) for value in values))
            case m.OverList(list=list_):
                return replace(domain, list=self._of(list_))
            case m.OverEntity() | m.OverIds():
                return domain

    def _made(self, update: Update, entity: str, wanted: Term) -> Term:
        match update:
            case New(entity=made, of=of, when=when):
                return both(_same(wanted, self._put(of)), self._when(when)) if made == entity else no(TRUE)
            case _ if f"new {entity}" in _names(update):
                raise _Untold
            case _:
                return no(TRUE)

    def _put(self, term: Term) -> Term:
        """A term of the mechanics, of the event's parameters as variables."""
        return substitute(term, self.by)

    def _when(self, when: Term | None) -> Term:
        return TRUE if when is None else self._put(when)


def helps(then: Then, condition: Term, wanted: bool, surely: bool = False) -> Iterator[Term]:
    """How the event helps a condition to become what is wanted: a part of it that is otherwise now becomes so, or a
    number or a value that is compared becomes another. It need not be enough. What cannot be told is supposed, or left
    out (`surely`).
    """
    if not then.changes(condition):
        return
    match condition:
        case m.NotT(of=of):
            yield from helps(then, of, not wanted, surely)
        case m.AndT(items=items) | m.OrT(items=items):
            for item in items:
                yield from helps(then, item, wanted, surely)
        case m.CallF():
            yield from helps(then, called(then.program, condition), wanted, surely)
        case m.Quant(kind=kind, var=var, domain=domain, where=where, body=body):
            if then.regroups(domain, (kind == "some") is wanted):
                yield from () if surely else (TRUE,)
                return
            inside = list(helps(then, body, wanted, surely))
            if where is not None:
                inside += helps(then, where, wanted if kind == "some" else not wanted, surely)
            if inside:
                yield m.Quant(BOOL, "some", var, domain, None, either(*inside))
        case m.CompareT(left=left, right=right):
            for side in (left, right):
                if then.changes(side):
                    after = then.of(side)
                    if after is not None:
                        yield m.CompareT(BOOL, "!=", side, after)
                    elif not surely:
                        yield TRUE
        case _:
            yield from _becomes(then, condition, wanted, surely)


def nears(then: Then, condition: Term, wanted: bool, surely: bool = False) -> Iterator[Term]:
    """How the event brings a condition, which is not what is wanted, nearer to it: a part of it that is in the way no
    longer is, or a number that is compared moves that way, if not far enough. What cannot be told is supposed, or left
    out (`surely`).

    Unlike what only `helps` this comes to an end: what is done again and again and brings it no nearer is none.
    """
    if not then.changes(condition):
        return
    match condition:
        case m.NotT(of=of):
            yield from nears(then, of, not wanted, surely)
        case m.AndT(items=items) | m.OrT(items=items):
            every = wanted is isinstance(condition, m.AndT)
            for item in items:
                ways = nears(then, item, wanted, surely)
                yield from (both(_in_the_way(item, wanted), way) for way in ways) if every else ways
        case m.CallF():
            yield from nears(then, called(then.program, condition), wanted, surely)
        case m.Quant(kind=kind, var=var, domain=domain, where=where, body=body):
            inside = list(nears(then, body, wanted, surely))
            if where is not None:
                inside += nears(then, where, wanted is (kind == "some"), surely)
            if inside:
                here: tuple[Term, ...] = ()
                if wanted is not (kind == "some"):
                    here = (TRUE if where is None else where, _in_the_way(body, wanted))
                yield m.Quant(BOOL, "some", var, domain, None, both(*here, either(*inside)))
            yield from _becomes(then, condition, wanted, surely)
        case m.CompareT(op=op, left=left, right=right) if isinstance(left.type, ty.IntT | ty.MoneyT):
            sides = [(side, then.of(side)) for side in (left, right)]
            if not surely or all(after is not None for _, after in sides):
                yield from _moves(op if wanted else m.DENIED[op], *sides)
        case _:
            yield from _becomes(then, condition, wanted, surely)


def _in_the_way(item: Term, wanted: bool) -> Term:
    """That a condition is not what is wanted."""
    return no(item) if wanted else item


def _becomes(then: Then, condition: Term, wanted: bool, surely: bool = False) -> Iterator[Term]:
    after = then.of(condition)
    if after is None:
        yield from () if surely else (TRUE,)
    elif wanted:
        yield both(no(condition), after)
    else:
        yield both(condition, no(after))


def _moves(
    op: m.Comparison, left: tuple[Term, Term | None], right: tuple[Term, Term | None]
) -> Iterator[Term]:
    """That `left op right`, which is not so, is nearer to being so: each side as it is, and after."""
    if left[1] is None or right[1] is None:
        yield TRUE
        return
    before, after = (
        m.ArithT(one.type, "-", one, other) for one, other in ((left[0], right[0]), (left[1], right[1]))
    )
    less, more = (m.CompareT(BOOL, op, after, before) for op in ("<", ">"))
    below, above = (m.CompareT(BOOL, op, left[0], right[0]) for op in ("<", ">"))
    match op:
        case "<" | "<=":
            yield both(no(m.CompareT(BOOL, op, left[0], right[0])), less)
        case ">" | ">=":
            yield both(no(m.CompareT(BOOL, op, left[0], right[0])), more)
        case "=":
            yield both(below, more)
            yield both(above, less)
        case "!=":
            yield both(no(below), no(above), either(less, more))


def _ids_in(named: Term, kind: ty.Type) -> Iterator[Term]:
    """The ids of a kind that a value names, which is known to be there."""
    match named.type:
        case ty.IdT() if named.type == kind:
            yield named
        case ty.EntityT(keys=parts) | ty.RecordT(fields=parts):
            for index, (_, part) in enumerate(parts):
                yield from _ids_in(m.Part(part, named, index), kind)
        case ty.OptT(of=of) if any(True for _ in _ids_in(m.Force(of, named), kind)):
            raise _Untold
        case _:
            return


def _names(update: Update) -> frozenset[str]:
    """What an update writes to."""
    match update:
        case Write(target=target) | Append(target=target):
            name = f"{target.entity}.{target.name}" if isinstance(target, FieldTarget) else target.name
            return frozenset((name,))
        case New(entity=entity):
            return frozenset((f"new {entity}",))
        case Each(update=inner):
            return _names(inner)


def _with(result: Term, found: m.Quant | m.Fold | m.Pick, at: dict[str, Term], fresh: Term) -> Term:
    """What ranges over what was there, and over one thing more where `fresh`; `found` is told of the state after."""
    where = TRUE if found.where is None else substitute(found.where, at)
    match found:
        case m.Quant(kind="some", body=body):
            return either(result, both(fresh, where, substitute(body, at)))
        case m.Quant(body=body):
            return both(result, either(no(both(fresh, where)), substitute(body, at)))
        case m.Fold(body=body):
            one = m.Lit(INT, 1) if body is None else substitute(body, at)
            more = _where(both(fresh, where), one, m.Lit(one.type, 0))
            return m.ArithT(result.type, "+", result, more)
        case m.Pick():
            raise _Untold


def _where(condition: Term, then: Term, otherwise: Term) -> Term:
    if condition == TRUE:
        return then
    return m.Ite(otherwise.type, condition, then, otherwise)


def _same(left: Term, right: Term) -> Term:
    return TRUE if left == right else m.CompareT(BOOL, "=", left, right)


def _is(variable: m.Var, value: object) -> Term:
    bare = variable.type.of if isinstance(variable.type, ty.OptT) else variable.type
    return m.CompareT(BOOL, "=", variable, m.Lit(bare, value))
