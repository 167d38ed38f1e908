"""The core's term language: small, typed, first-order, total.

Every term carries its type as `type`. There is no recursion between functions, every quantifier and fold runs
over a bounded domain, and the three back ends read nothing but these nodes. `undefined` is a value's own bit:
it comes only from a decision's gap or conflict, a part of an absent optional, an unstated option, an unrecorded
fact, or history from before the log began; `And`, `Or` and `Quant` follow Kleene's strong tables and every other
node is undefined when what it reads is.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from verifier.model.types import Type


class Node:
    """What every term and domain keeps beside its parts, worked out once: its hash, and the variables that are free in
    it. Terms are large, and are looked up all the time."""

    __slots__ = ("_free", "_hash")


@dataclass(frozen=True, slots=True)
class Lit(Node):
    type: Type
    value: object


@dataclass(frozen=True, slots=True)
class Var(Node):
    type: Type
    name: str


@dataclass(frozen=True, slots=True)
class Get(Node):
    """A field of the state; `key` for a map (a set is a map to bool)."""

    type: Type
    name: str
    key: Term | None = None


@dataclass(frozen=True, slots=True)
class Field(Node):
    """A field of an entity."""

    type: Type
    entity: str
    name: str
    of: Term


@dataclass(frozen=True, slots=True)
class Part(Node):
    """A part of a record or of a reference's key, by position."""

    type: Type
    of: Term
    index: int


@dataclass(frozen=True, slots=True)
class Make(Node):
    """A record or a reference from its parts."""

    type: Type
    parts: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class OptionGet(Node):
    type: Type
    name: str


@dataclass(frozen=True, slots=True)
class CallF(Node):
    """A `define`, applied."""

    type: Type
    function: str
    args: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Decide(Node):
    """A decision's value."""

    type: Type
    decision: str
    args: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class ArithT(Node):
    type: Type
    op: Literal["+", "-", "*", "/", "mod", "div"]
    left: Term
    right: Term


Comparison = Literal["=", "!=", "<", "<=", ">", ">="]

TURNED: Mapping[Comparison, Comparison] = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""By operator, the one that says the same of the two sides the other way round."""

COMPARED: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
"""By operator, what it says of two values."""

DENIED: Mapping[Comparison, Comparison] = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
"""By operator, the one that holds where it does not."""


@dataclass(frozen=True, slots=True)
class CompareT(Node):
    type: Type
    op: Comparison
    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class AndT(Node):
    type: Type
    items: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class OrT(Node):
    type: Type
    items: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class NotT(Node):
    type: Type
    of: Term


@dataclass(frozen=True, slots=True)
class Ite(Node):
    type: Type
    condition: Term
    then: Term
    otherwise: Term


# ------------------------------------------------------------------------------------------------ domains
@dataclass(frozen=True, slots=True)
class OverValues(Node):
    """Given values, in order: a range, an enumeration, a set written out."""

    type: Type
    values: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class OverEntity(Node):
    """The entities that exist, in key order."""

    type: Type
    entity: str


@dataclass(frozen=True, slots=True)
class OverList(Node):
    type: Type
    list: Term


@dataclass(frozen=True, slots=True)
class OverIds(Node):
    """Every id of the type that the state holds, in the order first seen."""

    type: Type


Domain = OverValues | OverEntity | OverList | OverIds


@dataclass(frozen=True, slots=True)
class Quant(Node):
    """`every` or `some` x in domain that meets `where`: body."""

    type: Type
    kind: Literal["every", "some"]
    var: str
    domain: Domain
    where: Term | None
    body: Term


@dataclass(frozen=True, slots=True)
class Fold(Node):
    """`sum`, `least` or `greatest` of `body`; `number` counts (its body is absent)."""

    type: Type
    kind: Literal["sum", "least", "greatest", "number"]
    var: str
    domain: Domain
    where: Term | None
    body: Term | None


@dataclass(frozen=True, slots=True)
class Pick(Node):
    """The first or last element that meets `where`, absent if none does."""

    type: Type
    kind: Literal["first", "last"]
    var: str
    domain: Domain
    where: Term | None


@dataclass(frozen=True, slots=True)
class Length(Node):
    type: Type
    list: Term


@dataclass(frozen=True, slots=True)
class At(Node):
    """An element of a list by number from 1; its guard has been checked by the loader."""

    type: Type
    list: Term
    index: Term


@dataclass(frozen=True, slots=True)
class Present(Node):
    type: Type
    of: Term


@dataclass(frozen=True, slots=True)
class Force(Node):
    """The value that an optional holds; undefined where it is absent."""

    type: Type
    of: Term


@dataclass(frozen=True, slots=True)
class TableT(Node):
    type: Type
    of: Term
    rows: tuple[tuple[object, Term], ...]


@dataclass(frozen=True, slots=True)
class Count(Node):
    """How often the latch `latch` counted an event with these key values, since its reset."""

    type: Type
    latch: int
    keys: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class BrokenT(Node):
    """Whether a rule has been broken since the reset of the breach latch `latch`."""

    type: Type
    latch: int


@dataclass(frozen=True, slots=True)
class AfterT(Node):
    """The value in the state that the event leaves."""

    type: Type
    of: Term


Term = (
    Lit
    | Var
    | Get
    | Field
    | Part
    | Make
    | OptionGet
    | CallF
    | Decide
    | ArithT
    | CompareT
    | AndT
    | OrT
    | NotT
    | Ite
    | Quant
    | Fold
    | Pick
    | Length
    | At
    | Present
    | Force
    | TableT
    | Count
    | BrokenT
    | AfterT
)


def _once(whole: Callable[[Any], int]) -> Callable[[Any], int]:
    """A hash kept where it was worked out."""

    def kept(node: Any) -> int:
        try:
            return node._hash  # type: ignore[no-any-return]
        except AttributeError:
            object.__setattr__(node, "_hash", whole(node))
            return node._hash  # type: ignore[no-any-return]

    return kept


for _kind in (*get_args(Term), *get_args(Domain)):
    _kind.__hash__ = _once(_kind.__hash__)


def domain_terms(domain: Domain) -> tuple[Term, ...]:
    """The terms inside a domain."""
    match domain:
        case OverValues(values=values):
            return values
        case OverList(list=list_):
            return (list_,)
        case OverEntity() | OverIds():
            return ()


def children(term: Term) -> tuple[Term, ...]:
    """A term's direct subterms."""
    return _CHILDREN[type(term)](term)


def _bound(term: Quant | Fold | Pick) -> tuple[Term, ...]:
    """What a binder consists of: its domain, its condition, its body."""
    body = None if isinstance(term, Pick) else term.body
    return (*domain_terms(term.domain), *(part for part in (term.where, body) if part is not None))


_CHILDREN: dict[type, Callable[[Any], tuple[Term, ...]]] = {
    Lit: lambda term: (),
    Var: lambda term: (),
    OptionGet: lambda term: (),
    BrokenT: lambda term: (),
    Get: lambda term: () if term.key is None else (term.key,),
    **dict.fromkeys((Field, Part, NotT, Present, Force, AfterT), lambda term: (term.of,)),
    Length: lambda term: (term.list,),
    Make: lambda term: term.parts,
    **dict.fromkeys((CallF, Decide), lambda term: term.args),
    **dict.fromkeys((ArithT, CompareT), lambda term: (term.left, term.right)),
    **dict.fromkeys((AndT, OrT), lambda term: term.items),
    Ite: lambda term: (term.condition, term.then, term.otherwise),
    **dict.fromkeys((Quant, Fold, Pick), _bound),
    At: lambda term: (term.list, term.index),
    TableT: lambda term: (term.of, *(value for _, value in term.rows)),
    Count: lambda term: term.keys,
}
"""By kind of term; terms are walked all the time, and a table is five times as fast as a `match`."""


def subterms(term: Term) -> list[Term]:
    """A term and all the terms inside it, those nearer to it first."""
    found = [term]
    for inner in found:
        found += children(inner)
    return found


def free_variables(term: Term) -> frozenset[str]:
    """The names of the variables that `term` does not bind itself."""
    try:
        return term._free  # type: ignore[union-attr,no-any-return]
    except AttributeError:
        found = _free_variables(term)
        object.__setattr__(term, "_free", found)
        return found


def _free_variables(term: Term) -> frozenset[str]:
    match term:
        case Var(name=name):
            return frozenset((name,))
        case Quant(var=var, domain=domain) | Fold(var=var, domain=domain) | Pick(var=var, domain=domain):
            outside: frozenset[str] = frozenset().union(*map(free_variables, domain_terms(domain)))
            inside: frozenset[str] = frozenset().union(
                *map(free_variables, children(term)[len(domain_terms(domain)) :])
            )
            return outside | (inside - {var})
        case _:
            return frozenset().union(*map(free_variables, children(term)))
