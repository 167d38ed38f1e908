"""How much is looked at when nobody says: scopes chosen from the program itself, the smaller ones first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm, prod

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Append, Each, FieldTarget, New, Ruleset, StateTarget, Update, Write
from verifier.model.terms import Term, children
from verifier.model.types import Type
from verifier.prove.question import Question
from verifier.prove.scope import Scope, id_of, list_fields, scope_of

SIZES = ((1, 1, 3), (2, 2, 5), (1, 4, 3), (4, 2, 6))
"""For each scope: so many ids of a type, values of a range beyond those that the rules name, elements of a list.

Of the third, ranges with at most four values are looked at whole, and the others as in the first."""

FEW = 4
"""A range of so many values is looked at whole in the third scope."""

LONGEST = 7
"""A list has room for as many elements as its length is compared with, up to so many."""

LONGEST_WHOLE = 40
"""Lists that never are longer than this can be looked at in their whole length."""

THREE = (1, 3, 3)
"""As `SIZES`: three of every range beside each other, as *this one, the next, and one beyond that* takes."""

WHOLE = 12
"""A range of so many values by which no things are kept is looked at whole where three are beside each other."""

MOST_PLACES = 1500
"""A scope in which the state has more fields than this is not offered; the second then has one id of each type."""


SMALL = 100
"""A scope in which the state has no more fields than this is small: it costs little to look at one with more."""


EVERYBODY = 64
"""So many people at most there are in a scope that is to have all;"""
CROWD = 400
"""half as many, and so on, where its state had more fields than this."""


def with_one_more(program: Program, scope: Scope) -> Iterator[Scope]:
    """The scope with one more id of one type after the other, then of all."""
    most = {t.name: t.maximum for t in program.ruleset.types.values() if isinstance(t, ty.IdT)}
    kinds = [kind for kind, ids in scope.ids.items() if len(ids) < most[kind]]
    several = [kinds] if len(kinds) > 1 else []
    for more in [*([kind] for kind in kinds), *several]:
        ids = {
            kind: (*old, id_of(kind, len(old) + 1)) if kind in more else old
            for kind, old in scope.ids.items()
        }
        found = scope_of(program, ids, scope.narrowed, scope.slots, money_parts=scope.money_parts)
        if places(program, found) <= MOST_PLACES:
            yield found


def with_everybody(program: Program, scope: Scope) -> Scope | None:
    """The scope with all the people that there may be, or with many; None where it has them, or is not small."""
    most = EVERYBODY if small(program, scope) else 0
    types = [t for t in program.ruleset.types.values() if isinstance(t, ty.IdT)]
    while most > max(map(len, scope.ids.values()), default=most):
        ids = {t.name: tuple(id_of(t.name, i + 1) for i in range(min(t.maximum, most))) for t in types}
        found = scope_of(program, ids, scope.narrowed, scope.slots, money_parts=scope.money_parts)
        if places(program, found) <= CROWD:
            return None if ids == dict(scope.ids) else found
        most //= 2
    return None


def first_scope(program: Program) -> Scope:
    """The smallest of the `scopes`."""
    return _scope(program, _said(program), *SIZES[0])


def scopes(program: Program) -> tuple[Scope, ...]:
    """Scopes that look at more and more; the first is for every question, the others where it is not enough.

    An id type has one id, then two, unless that were too much: ranges are then still looked at more widely. A range
    by which things are kept has the values that the rules name and the lowest others. A list has few elements, but no
    fewer than the rules read by number.
    """
    found: list[Scope] = []
    said = _said(program)
    for size in SIZES:
        scope = _scope(program, said, *size)
        if len(found) == 1 and places(program, scope) > MOST_PLACES:
            scope = _scope(program, said, 1, *size[1:])
        if scope not in found and (not found or places(program, scope) <= MOST_PLACES):
            found.append(scope)
    return tuple(found)


def abreast(program: Program) -> tuple[Scope, ...]:
    """The `scopes`, and one more, of `THREE`; in all but the first the ranges are whole by which nothing but history
    and the state is kept, where they have few values. Of two of a kind nobody can tell *the next* from *the last*."""
    first, *others = scopes(program)
    kept = {name for e in program.ruleset.entities.values() for name in map(str, ty.simple_parts(e.type))}
    few = {
        str(t)
        for t in _key_types(program.ruleset)
        if isinstance(t, ty.IntT) and str(t) not in kept and 1 < len(ty.finite_values(t) or ()) <= WHOLE
    }
    found = [first]
    for scope in (*others, _scope(program, _said(program), *THREE)):
        wider = replace(scope, narrowed={k: v for k, v in scope.narrowed.items() if k not in few})
        if wider not in found and places(program, wider) <= MOST_PLACES:
            found.append(wider)
    return tuple(found)


MANY = 4
"""So many ids there are at least where a question speaks of several of a type."""


def with_many(program: Program, base: Scope, question: Question) -> Scope | None:
    """The scope with more ids of those types of which a question's own variables name two or more; None where no
    variables do, or the state would have too many fields. With one id *two different ones* are never."""
    named = Counter(kind for param in question.params for kind in set(ty.ids_within(param.type)))
    types = {t.name: t for t in program.ruleset.types.values() if isinstance(t, ty.IdT)}
    more = {
        kind: tuple(id_of(kind, i + 1) for i in range(min(max(MANY, count + 1), types[kind].maximum)))
        for kind, count in named.items()
        if count > 1
    }
    if all(len(ids) <= len(base.ids[kind]) for kind, ids in more.items()):
        return None
    scope = scope_of(
        program,
        {**base.ids, **more},
        narrowed=dict(base.narrowed),
        slots=dict(base.slots),
        money_parts=base.money_parts,
    )
    return scope if places(program, scope) <= MOST_PLACES else None


def key_ranges(program: Program) -> dict[str, tuple[tuple[object, ...], tuple[object, ...]]]:
    """The named ranges by which entities, maps and history are kept: the values that the rules name, and all values."""
    named = _named_values(program)
    found: dict[str, tuple[tuple[object, ...], tuple[object, ...]]] = {}
    for type_ in _key_types(program.ruleset):
        values = ty.finite_values(type_) if isinstance(type_, ty.IntT) else None
        if values is not None:
            found[str(type_)] = tuple(v for v in values if v in named.get(str(type_), ())), tuple(values)
    return found


@dataclass(frozen=True, slots=True)
class _Said:
    """What the rules of a program say that bears on scopes: the values of ranges that they name, the highest element of
    a list that they read by number, and into how many parts they divide amounts."""

    named: Mapping[str, set[object]]
    read: int
    parts: int


def _said(program: Program) -> _Said:
    return _Said(
        _named_values(program),
        max(_indices(program), default=0),
        lcm(*(n.denominator for n in _numbers(program) if isinstance(n, Fraction)), 1),
    )


def _scope(program: Program, said: _Said, ids: int, others: int, elements: int) -> Scope:
    ruleset = program.ruleset
    narrowed: dict[str, tuple[object, ...]] = {}
    kinds = _key_types(ruleset)
    for type_ in kinds:
        values = ty.finite_values(type_) if isinstance(type_, ty.IntT) else None
        if values is not None:
            wanted = [v for v in values if v in said.named.get(str(type_), ())]
            wanted = wanted[: 1 + others]
            spare = [v for v in values if v not in wanted]
            lacking = others if len(wanted) < 2 else others - 1
            if others == FEW and len(values) > FEW:
                lacking = 1 if len(wanted) < 2 else 0
            narrowed[str(type_)] = tuple(sorted([*wanted, *spare[:lacking]]))  # type: ignore[type-var]
    if (ids, others, elements) != SIZES[0] and prod(len(v) for v in narrowed.values()) == 1:
        narrowed = {}
    return scope_of(
        program,
        {
            t.name: tuple(id_of(t.name, i + 1) for i in range(min(ids, t.maximum)))
            for t in ruleset.types.values()
            if isinstance(t, ty.IdT)
        },
        narrowed=narrowed,
        slots={path: min(t.maximum, max(elements, said.read)) for path, t in list_fields(ruleset)},
        money_parts=said.parts,
    )


def places(program: Program, scope: Scope) -> int:
    """How many fields a state within the scope has."""
    entities = sum(len(scope.entities[k]) * len(e.fields) for k, e in program.ruleset.entities.items())
    maps = 0
    for field in program.ruleset.state.values():
        match field.type:
            case ty.MapT(key=key) | ty.SetT(of=key):
                maps += len(scope.keys(key))
            case _:
                maps += 1
    return entities + maps


def small(program: Program, scope: Scope) -> bool:
    """Whether a scope is small: to look at one with more costs little."""
    return places(program, scope) <= SMALL


# --------------------------------------------------------------------------------- what the program mentions
def _terms(program: Program) -> Iterator[Term]:
    """Every term of the program, with its subterms."""
    rest = terms_of(program)
    while rest:
        term = rest.pop()
        yield term
        rest += children(term)


def terms_of(program: Program) -> list[Term]:
    """Every term of the program that is no part of another."""
    rest: list[Term] = [function.body for function in program.functions.values()]
    for decision in program.decisions.values():
        rest += [case.value for case in decision.cases]
        rest += [] if decision.asked is None else [decision.asked]
    for event in program.ruleset.events.values():
        rest += [*event.needs, *event.claims]
    for updates in program.ruleset.mechanics.values():
        for update in updates:
            rest += _of_update(update)
    for theorem in program.ruleset.theorems:
        rest += [theorem.body, *((theorem.where,) if theorem.where is not None else ())]
    return rest


def _of_update(update: Update) -> list[Term]:
    match update:
        case Each(domain=domain, where=where, update=inner):
            return [*m.domain_terms(domain), *((where,) if where is not None else ()), *_of_update(inner)]
        case New(of=of, when=when):
            return [of, *((when,) if when is not None else ())]
        case Write(target=target, value=value, when=when) | Append(target=target, value=value, when=when):
            match target:
                case FieldTarget(of=of):
                    place = [of]
                case StateTarget(key=key):
                    place = [] if key is None else [key]
            return [*place, value, *((when,) if when is not None else ())]


def _named_values(program: Program) -> dict[str, set[object]]:
    """The values of each named range that some term names: as a part of a reference, or in a comparison."""
    found: dict[str, set[object]] = {}

    def note(type_: Type, value: object) -> None:
        found.setdefault(str(type_), set()).add(value)

    for term in _terms(program):
        match term:
            case (
                m.CompareT(left=m.Lit(value=value), right=other)
                | m.CompareT(left=other, right=m.Lit(value=value))
            ):
                note(other.type, value)
            case m.Make(type=(ty.EntityT(keys=parts) | ty.RecordT(fields=parts)), parts=given):
                for (_, type_), part in zip(parts, given, strict=True):
                    if isinstance(part, m.Lit):
                        note(type_, part.value)
            case m.Lit(type=(ty.EntityT(keys=parts) | ty.RecordT(fields=parts)), value=tuple() as given):
                for (_, type_), part in zip(parts, given, strict=True):
                    note(type_, part)
            case _:
                continue
    return found


def _indices(program: Program) -> Iterator[int]:
    """The element numbers at which lists are read, and what their lengths are compared with, if that is not much."""
    for term in _terms(program):
        match term:
            case m.At(index=m.Lit(value=int(number))):
                yield number
            case (
                m.CompareT(left=m.Length(), right=m.Lit(value=int(number)))
                | m.CompareT(left=m.Lit(value=int(number)), right=m.Length())
            ) if number <= LONGEST:
                yield number
            case _:
                continue


def read_by_number(program: Program) -> int:
    """The highest number by which an element of a list is read, of those that are not much; 0 where none is."""
    numbers = [t.index.value for t in _terms(program) if isinstance(t, m.At) and isinstance(t.index, m.Lit)]
    return max((n for n in numbers if isinstance(n, int) and n <= LONGEST), default=0)


def _numbers(program: Program) -> Iterator[object]:
    for term in _terms(program):
        if isinstance(term, m.Lit):
            yield term.value
    kept = [
        *program.ruleset.state.values(),
        *(f for e in program.ruleset.entities.values() for f in e.fields),
    ]
    yield from (field.initial for field in kept)
    if any(isinstance(p.type, ty.OddsT) for e in program.ruleset.events.values() for p in e.params):
        yield Fraction(1, 2)  # What a log may state is not whole: 3 to 2.


def _key_types(ruleset: Ruleset) -> list[Type]:
    """The named types by which entities, maps, sets and history are keyed, with the parts of such keys."""
    found: list[Type] = []
    rest: list[Type] = [t for e in ruleset.entities.values() for _, t in e.type.keys]
    for field in ruleset.state.values():
        match field.type:
            case ty.MapT(key=of) | ty.SetT(of=of):
                rest.append(of)
            case _:
                continue
    for latch in ruleset.latches:
        rest += [ruleset.events[latch.event].params[i].type for i in latch.keys]
    while rest:
        type_ = rest.pop(0)
        match type_:
            case ty.EntityT(keys=parts) | ty.RecordT(fields=parts):
                rest += [t for _, t in parts]
            case ty.OptT(of=of):
                rest.append(of)
            case _:
                if type_ not in found and type_ in ruleset.types.values():
                    found.append(type_)
    return found
