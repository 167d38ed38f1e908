"""What may be asked of a state: tests of nothing or of one thing in it, as the program itself suggests them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import substitute
from verifier.model.ruleset import StateField
from verifier.model.terms import Term, children, free_variables
from verifier.model.types import BOOL, INT, Type
from verifier.prove.guard import Sizes
from verifier.prove.transitions import Reads

MOST_TESTS = 60
"""So many tests of one thing are combined with one another."""

MOST_STEPS = 120
"""A test that comes to more terms than this, with all that it calls, is too dear to be combined with others."""

CHEAP = 5
"""A test that comes to no more is of one field."""

VAR = "x"


@dataclass(frozen=True, slots=True)
class Probe:
    """A condition on `VAR`, a value of the type that it belongs to, or on nothing.

    `own` where it reads what `VAR` itself is in the state, `fixed` where it reads no state at all.
    """

    term: Term
    cost: int
    own: bool
    fixed: bool

    @property
    def plain(self) -> bool:
        """Whether it is of one field of the thing itself."""
        return self.own and not self.fixed and self.cost <= CHEAP


def probes(program: Program) -> dict[Type | None, list[Probe]]:
    """The tests by the type of what they are of; None where they are of nothing."""
    return _Probes(program).found()


@dataclass(slots=True)
class _Probes:
    program: Program
    sizes: Sizes = field(init=False)
    reads: Reads = field(init=False)

    def __post_init__(self) -> None:
        self.sizes, self.reads = Sizes(self.program), Reads(self.program)

    def found(self) -> dict[Type | None, list[Probe]]:
        """See `probes`."""
        found: dict[Type | None, dict[Term, None]] = {None: {}}
        for sort, term in (*self._of_fields(), *self._of_conditions()):
            found.setdefault(sort, {}).setdefault(positive(term))
        for sort in list(found):
            if isinstance(sort, ty.EntityT):
                self._inherit(sort, found)
        return {sort: self._affordable(sort, terms) for sort, terms in found.items()}

    def _affordable(self, sort: Type | None, terms: Iterable[Term]) -> list[Probe]:
        found: list[Probe] = []
        for term in terms:
            cost = self.sizes.of(term)
            if cost <= MOST_STEPS:
                inherited = isinstance(sort, ty.EntityT) and not _reads_itself(term, sort)
                found.append(Probe(term, cost, not inherited, not self.reads.of(term)))
        return sorted(found, key=lambda probe: probe.cost)[:MOST_TESTS]

    def _of_fields(self) -> Iterator[tuple[Type | None, Term]]:
        ruleset = self.program.ruleset
        for name, declared in ruleset.state.items():
            match declared.type:
                case ty.SetT(of=of):
                    yield of, m.Get(BOOL, name, m.Var(of, VAR))
                case ty.MapT(key=key, of=of):
                    got = m.Get(of, name, m.Var(key, VAR))
                    yield from ((key, test) for test in tests_of(got, of, declared.initial))
                case type_:
                    for test in tests_of(m.Get(type_, name), type_, declared.initial):
                        yield None, test
        for kind, entity in ruleset.entities.items():
            x = m.Var(entity.type, VAR)
            yield None, m.Quant(BOOL, "some", VAR, m.OverEntity(entity.type, kind), None, m.Lit(BOOL, True))
            for part in entity.fields:
                for test in tests_of(m.Field(part.type, kind, part.name, x), part.type, part.initial):
                    yield entity.type, test
            yield from ((entity.type, test) for test in relations(self._numbers(entity.fields, kind, x)))
        yield from ((None, test) for test in relations(self._numbers(ruleset.state.values(), None, None)))
        for index, latch in enumerate(ruleset.latches):
            types = [ruleset.events[latch.event].params[i].type for i in latch.keys]
            if len(types) <= 1:
                keys = tuple(m.Var(t, VAR) for t in types)
                happened = m.CompareT(BOOL, ">=", m.Count(INT, index, keys), m.Lit(INT, 1))
                yield (types[0] if types else None), happened

    def _numbers(
        self, fields: Iterable[StateField], kind: str | None, of: Term | None
    ) -> Iterator[tuple[Term, Type]]:
        """The numbers among the fields, and the lengths of lists, each with its type."""
        for part in fields:
            place: Term = m.Get(part.type, part.name)
            if kind is not None and of is not None:
                place = m.Field(part.type, kind, part.name, of)
            if isinstance(part.type, ty.IntT | ty.MoneyT):
                yield place, part.type
            elif isinstance(part.type, ty.ListT):
                yield m.Length(INT, place), ty.IntT(0, part.type.maximum)

    def _of_conditions(self) -> Iterator[tuple[Type | None, Term]]:
        """What the program's own conditions ask of nothing, or of one thing."""
        for function in self.program.functions.values():
            rest = [function.body]
            while rest:
                term = rest.pop(0)
                rest += children(term)
                if term.type != BOOL or isinstance(term, m.AndT | m.OrT | m.NotT | m.Lit | m.Var | m.Ite):
                    continue
                if not self._lasting(term):
                    continue
                free = typed_variables(term)
                if not free:
                    yield None, term
                elif len(free) == 1:
                    ((name, type_),) = free.items()
                    if isinstance(type_, ty.EntityT | ty.IdT):
                        yield type_, substitute(term, {name: m.Var(type_, VAR)})

    def _lasting(self, term: Term) -> bool:
        """Whether a condition is of the state alone: neither of an option nor of what an event leaves."""
        if isinstance(term, m.OptionGet | m.AfterT | m.BrokenT):
            return False
        if isinstance(term, m.CallF) and term.function.startswith("applies "):
            return False
        return all(map(self._lasting, children(term)))

    def _inherit(self, sort: ty.EntityT, found: dict[Type | None, dict[Term, None]]) -> None:
        """What may be asked of the parts of a reference may be asked of it."""
        for index, (_, part) in enumerate(sort.keys):
            of = m.Part(part, m.Var(sort, VAR), index)
            if isinstance(part, ty.EnumT):
                for value in range(len(part.values)):
                    found[sort].setdefault(m.CompareT(BOOL, "=", of, m.Lit(part, value)))
                continue
            for term in list(found.get(part, ())):
                found[sort].setdefault(positive(substitute(term, {VAR: of})))


def positive(term: Term) -> Term:
    """A test or what it denies, whichever of the two stands for both: what is said twice is then found out."""
    match term:
        case m.NotT(of=of):
            return positive(of)
        case m.CompareT(op=("=" | "!="), left=left, right=right):
            if isinstance(left, m.Lit) or (not isinstance(right, m.Lit) and repr(left) > repr(right)):
                left, right = right, left
            if isinstance(right, m.Lit) and isinstance(left.type, ty.IntT):
                right = m.Lit(left.type, right.value)
            return m.CompareT(BOOL, "=", left, right)
        case m.CompareT(op=op, left=m.Lit() as left, right=right) if not isinstance(right, m.Lit):
            return positive(m.CompareT(BOOL, m.TURNED[op], right, left))
        case m.CompareT(op=op, left=left, right=m.Lit(type=type_, value=int() as value)):
            low, whole = least(left), isinstance(left.type, ty.IntT)
            over, least_ = (op in (">", "<="), value + 1 if op in (">", "<=") else value)
            if low is not None and (least_ == low + 1 if whole else over and value == low):
                return m.CompareT(BOOL, "=", left, m.Lit(left.type, low))
            if whole:
                return m.CompareT(BOOL, ">=", left, m.Lit(left.type, least_))
            return m.CompareT(BOOL, ">" if over else ">=", left, m.Lit(type_, value))
        case m.CompareT(op=("<" | "<=") as op, left=left, right=right):
            return m.CompareT(BOOL, ">=" if op == "<" else ">", left, right)
        case _:
            return term


def least(term: Term) -> int | None:
    """The least value that a number can have, where its type says so."""
    match term, term.type:
        case ((m.Length() | m.Count()), _):
            return 0
        case _, (ty.MoneyT() | ty.OddsT()):
            return 0
        case _, ty.IntT(low=low):
            return low
        case _:
            return None


def tests_of(value: Term, type_: Type, initial: object) -> Iterator[Term]:
    """What may be asked of a place of the state."""
    match type_:
        case ty.BoolT():
            yield value
        case ty.OptT():
            yield m.Present(BOOL, value)
        case ty.IntT() | ty.MoneyT() | ty.OddsT():
            yield not_(m.CompareT(BOOL, "=", value, m.Lit(type_, initial)))
        case ty.EnumT(values=values):
            yield from (m.CompareT(BOOL, "=", value, m.Lit(type_, i)) for i, _ in enumerate(values))
        case ty.ListT():
            yield m.CompareT(BOOL, ">=", m.Length(INT, value), m.Lit(INT, 1))
        case _:
            return


def relations(numbers: Iterable[tuple[Term, Type]]) -> Iterator[Term]:
    """How numbers of one range compare."""
    for (one, own), (other, theirs) in combinations(numbers, 2):
        alike = isinstance(own, ty.MoneyT) and isinstance(theirs, ty.MoneyT)
        if isinstance(own, ty.IntT) and isinstance(theirs, ty.IntT):
            alike = own.high is not None and (own.low, own.high) == (theirs.low, theirs.high)
        if alike:
            yield m.CompareT(BOOL, ">=", one, other)
            yield m.CompareT(BOOL, ">=", other, one)


def at_first(value: Term, initial: object) -> Term:
    """That a place holds what it held at first."""
    match value.type:
        case ty.BoolT():
            return value if initial else not_(value)
        case ty.OptT() if initial is None:
            return not_(m.Present(BOOL, value))
        case ty.ListT():
            return m.CompareT(BOOL, "=", m.Length(INT, value), m.Lit(INT, 0))
        case type_:
            return m.CompareT(BOOL, "=", value, m.Lit(type_, initial))


def _reads_itself(term: Term, sort: ty.EntityT) -> bool:
    """Whether a test reads a field of the very thing, or takes it whole: not only a part of its key."""
    match term:
        case m.Part(of=m.Var(name=name)) if name == VAR:
            return False
        case m.Var(name=name, type=type_):
            return name == VAR and type_ == sort
        case _:
            return any(_reads_itself(child, sort) for child in children(term))


def typed_variables(term: Term) -> dict[str, Type]:
    """The free variables of a term, with their types."""
    free = free_variables(term)
    found: dict[str, Type] = {}
    rest = [term] if free else []
    while rest:
        inner = rest.pop()
        rest += children(inner)
        if isinstance(inner, m.Var) and inner.name in free:
            found[inner.name] = inner.type
    return found


def or_(*items: Term) -> Term:
    return m.OrT(BOOL, items)


def not_(item: Term) -> Term:
    return item.of if isinstance(item, m.NotT) else m.NotT(BOOL, item)
