"""A condition taken apart by the lists that it reads: what each of its parts says hangs on one list, all else is fixed.

So it need not be asked of every way to fill all the lists together: what is said of the fillings of each is enough. All
that names no list that is filled is worked out once; functions, decisions and what is said of all things are opened
until each part reads one list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import add, mul, sub
from typing import Any, TypeAlias

from verifier.core.program import Program
from verifier.diff.names import Shown
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import map_children, substitute
from verifier.model.terms import Term, children, free_variables, subterms
from verifier.prove.transitions import Reads
from verifier.run.machine import Machine
from verifier.run.undefined import Undefined

MOST_OPENED = 20_000
"""So many terms are opened for one condition,"""

MOST_NESTED = 150
"""and so many within each other."""


class UncountedError(Exception):
    """The condition cannot be taken apart so; the message says why."""


class Unknown:
    """What nobody can tell."""


UNKNOWN = Unknown()

Signature: TypeAlias = tuple[tuple[Any, ...], ...]
"""By list the values of the parts that read it."""

Read: TypeAlias = Callable[[Signature], Any]


@dataclass(frozen=True, slots=True)
class Filled:
    """A list that is filled: the entity's field, whose it is, and how many elements it has."""

    term: m.Field
    ref: Any
    length: int

    @property
    def path(self) -> str:
        """The name by which what is read of the state has it."""
        return f"{self.term.entity}.{self.term.name}"


@dataclass(slots=True)
class Apiece:
    """Takes conditions apart, in the state and under the options that the machine has. `parts` are, by list, the terms
    that read it alone, in the order in which a signature has their values."""

    program: Program
    machine: Machine
    reads: Reads
    shown: Shown
    lists: Sequence[Filled]
    parts: list[dict[Term, int]] = field(init=False)
    _paths: frozenset[str] = field(init=False)
    _pure: dict[str, bool] = field(default_factory=dict)
    _known: dict[Term, Read] = field(default_factory=dict)
    _depth: int = 0

    def __post_init__(self) -> None:
        self.parts = [{} for _ in self.lists]
        self._paths = frozenset(one.path for one in self.lists)

    def reader(self, condition: Term, values: Mapping[str, m.Lit]) -> Read:
        """The condition of these values as a function of a signature: True, False or `UNKNOWN`, by Kleene's strong
        tables. Raises `UncountedError`."""
        return self._read(self._fixed(substitute(condition, dict(values))))

    # ------------------------------------------------------------------------------------------- what is fixed
    def _fixed(self, term: Term) -> Term:
        """The term with all that reads no list that is filled worked out."""
        if isinstance(term, m.Lit):
            return term
        if not free_variables(term) and not self._reads(term):
            value = self._value(term)
            return term if value is UNKNOWN else m.Lit(term.type, value)
        found = map_children(term, self._fixed)
        match found:
            case m.AndT(items=items) | m.OrT(items=items):
                unit = isinstance(found, m.AndT)
                ends = any(_is(item, not unit) for item in items)
                return m.Lit(found.type, not unit) if ends else found
            case _:
                return found

    def _reads(self, term: Term) -> bool:
        return bool(self.reads.of(term) & self._paths)

    def _value(self, term: Term) -> Any:
        try:
            return self.machine.closure(term, ())([])
        except Undefined:
            return UNKNOWN

    def _owners(self, term: Term) -> list[int]:
        inside = {named for t in subterms(term) if isinstance(t, m.Lit) for named in _named(t.type, t.value)}
        return [at for at, one in enumerate(self.lists) if (one.term.entity, one.ref) in inside]

    # ------------------------------------------------------------------------------------------ taking apart
    def _read(self, term: Term) -> Read:
        if term not in self._known:
            self._depth += 1
            if self._depth > MOST_NESTED or len(self._known) > MOST_OPENED:
                raise UncountedError("it reads too much")
            self._known[term] = self._opened(term)
            self._depth -= 1
        return self._known[term]

    def _opened(self, term: Term) -> Read:
        match term:
            case m.Lit(value=value):
                return lambda _: value
            case m.AndT(items=items) | m.OrT(items=items):
                # What is constant is looked at first: it ends the reading of a decision within itself.
                unit = isinstance(term, m.AndT)
                if any(_is(item, not unit) for item in items):
                    return lambda _: not unit
                return junction([self._read(item) for item in items if not isinstance(item, m.Lit)], unit)
            case m.NotT(of=of):
                return strict(lambda a: not a, self._read(of))
            case m.Ite(condition=m.Lit(value=value), then=then, otherwise=otherwise):
                return self._read(then if value else otherwise)
            case m.Ite(condition=condition, then=then, otherwise=otherwise):
                return _chosen(*map(self._read, (condition, then, otherwise)))
            case m.Quant(domain=m.OverEntity(entity=entity)):
                return self._each(term, [m.Lit(term.domain.type, ref) for ref in self.machine.refs(entity)])
            case m.Quant(domain=m.OverValues(values=values)) if self._reads(term):
                return self._each(term, values)
        if not free_variables(term):
            if not self._reads(term):
                value = self._value(term)
                return lambda _: value
            owners = self._owners(term)
            if len(owners) < 2 and self._given(term):
                return self._part(term, owners)
        return self._taken(term)

    def _part(self, term: Term, owners: Sequence[int]) -> Read:
        """What reads one list, or none of those that are filled."""
        if not owners:
            value = self._value(term)
            return lambda _: value
        (which,) = owners
        at = self.parts[which].setdefault(term, len(self.parts[which]))
        return lambda signature: signature[which][at]

    def _taken(self, term: Term) -> Read:
        match term:
            case m.CompareT(op=op, left=left, right=right):
                return strict(lambda a, b: compared(op, a, b), self._read(left), self._read(right))
            case m.ArithT(op=("+" | "-" | "*") as op, left=left, right=right):
                return strict(_ARITHMETIC[op], self._read(left), self._read(right))
            case m.CallF(function=name, args=args):
                function = self.program.functions[name]
                return self._read(self._put(function.body, [p.name for p in function.params], args))
            case m.Decide(decision=name, args=args):
                decision = self.program.decisions[name]
                names = [p.name for p in decision.params]
                cases = []
                for case in decision.cases:
                    applies = self.program.functions[case.applies]
                    when = self._put(applies.body, [p.name for p in applies.params], args)
                    if not (isinstance(when, m.Lit) and not when.value):
                        cases.append((self._read(when), self._read(self._put(case.value, names, args))))
                return _decided(cases)
            case m.Part(of=m.CallF(function=name, args=args), index=index):
                function = self.program.functions[name]
                opened = self._put(function.body, [p.name for p in function.params], args)
                return self._read(m.Part(term.type, opened, index))
            case m.Part(of=m.Make(parts=parts), index=index):
                return self._read(parts[index])
            case m.Part(of=m.Ite(condition=condition, then=then, otherwise=otherwise), index=index):
                yes, no = (m.Part(term.type, one, index) for one in (then, otherwise))
                return _chosen(self._read(condition), self._read(yes), self._read(no))
            case _:
                raise UncountedError(
                    f"`{self.shown.term(term)}` reads several lists, or of how many it is open"
                )

    def _each(self, term: m.Quant, things: Sequence[Term]) -> Read:
        """What is said of all things, of each of those there are."""
        every = term.kind == "every"
        bodies: list[Read] = []
        for thing in things:
            meets = None if term.where is None else self._put(term.where, [term.var], [thing])
            if isinstance(meets, m.Lit) and not meets.value:
                continue
            body = self._read(self._put(term.body, [term.var], [thing]))
            if meets is not None and not isinstance(meets, m.Lit):
                met = self._read(meets)
                body = junction([strict(lambda a: not a, met), body] if every else [met, body], not every)
            bodies.append(body)
        return junction(bodies, every)

    def _put(self, body: Term, names: Sequence[str], args: Sequence[Term]) -> Term:
        return self._fixed(substitute(body, dict(zip(names, args, strict=True))))

    # -------------------------------------------------------------------------------- what reads what it is given
    def _given(self, term: Term) -> bool:
        """Whether a term reads the lists only of what stands in it, not of what it goes through or looks up."""
        match term:
            case m.Field(of=of):
                return isinstance(of, m.Lit) or not self._reads(term)
            case m.CallF(args=args) | m.Decide(args=args):
                return not self._reads(term) or (
                    self._is_pure(_key(term))
                    and all(isinstance(a, m.Lit) or not _is_reference(a) for a in args)
                    and all(map(self._given, args))
                )
            case m.Quant() | m.Fold() | m.Pick() if isinstance(term.domain, m.OverEntity):
                return not self._reads(term)
            case _:
                return all(map(self._given, children(term)))

    def _is_pure(self, key: str) -> bool:
        """Whether a function or a decision reads the lists only of what it is given."""
        if key not in self._pure:
            self._pure[key] = True
            kind, _, name = key.partition(" ")
            if kind == "call":
                bodies = [self.program.functions[name].body]
            else:
                cases = self.program.decisions[name].cases
                bodies = [t for c in cases for t in (self.program.functions[c.applies].body, c.value)]
            self._pure[key] = all(self._reads_given(t) for body in bodies for t in subterms(body))
        return self._pure[key]

    def _reads_given(self, term: Term) -> bool:
        match term:
            case m.Field(entity=entity, name=name, of=of):
                return f"{entity}.{name}" not in self._paths or _is_given(of)
            case m.CallF(args=args) | m.Decide(args=args):
                return not self._reads(term) or (
                    self._is_pure(_key(term)) and all(_is_given(a) or not _is_reference(a) for a in args)
                )
            case m.Quant() | m.Fold() | m.Pick() if isinstance(term.domain, m.OverEntity):
                return not self._reads(term)
            case _:
                return True


def _is(term: Term, value: bool) -> bool:
    return isinstance(term, m.Lit) and term.value is value


def _key(term: m.CallF | m.Decide) -> str:
    return f"call {term.function}" if isinstance(term, m.CallF) else f"decide {term.decision}"


def _is_reference(term: Term) -> bool:
    return isinstance(term.type, ty.EntityT)


def _is_given(term: Term) -> bool:
    """Whether a term is a variable, or a part of the key of one."""
    return isinstance(term, m.Var) or (isinstance(term, m.Part) and _is_given(term.of))


def _named(type_: ty.Type, value: Any) -> Iterator[tuple[str, Any]]:
    """The things that a reference names: itself, and those in its key."""
    if isinstance(type_, ty.EntityT):
        yield type_.name, value
        for (_, part), inner in zip(type_.keys, value, strict=True):
            yield from _named(part, inner)


# ----------------------------------------------------------------------------------------------------- readers
_ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {"+": add, "-": sub, "*": mul}


def junction(items: Sequence[Read], unit: bool) -> Read:
    """A conjunction (`unit` true) or a disjunction."""

    def read(signature: Signature) -> Any:
        unknown = False
        for item in items:
            said = item(signature)
            if said is UNKNOWN:
                unknown = True
            elif bool(said) is not unit:
                return not unit
        return UNKNOWN if unknown else unit

    return read


def strict(of: Callable[..., Any], *parts: Read) -> Read:
    """What is known where all its parts are."""

    def read(signature: Signature) -> Any:
        told = [part(signature) for part in parts]
        return UNKNOWN if any(t is UNKNOWN for t in told) else of(*told)

    return read


def _chosen(test: Read, yes: Read, no: Read) -> Read:
    def read(signature: Signature) -> Any:
        said = test(signature)
        return UNKNOWN if said is UNKNOWN else yes(signature) if said else no(signature)

    return read


def _decided(cases: Sequence[tuple[Read, Read]]) -> Read:
    """A decision's one value, as the interpreter has it: unknown where there is none, or more than one."""

    def read(signature: Signature) -> Any:
        sure: list[Any] = []
        maybe: list[Any] = []
        for holds, value in cases:
            applies = holds(signature)
            if applies is False:
                continue
            (maybe if applies is UNKNOWN else sure).append(value(signature))
        values = [*sure, *maybe]
        if not sure or any(v is UNKNOWN or v != values[0] for v in values):
            return UNKNOWN
        return values[0]

    return read


def compared(op: str, a: Any, b: Any) -> bool:
    """`a op b`; nothing equals what is absent."""
    if op in ("=", "!="):
        return (a == b and a is not None) is (op == "=")
    match op:
        case "<":
            return bool(a < b)
        case "<=":
            return bool(a <= b)
        case ">":
            return bool(a > b)
        case _:
            return bool(a >= b)
