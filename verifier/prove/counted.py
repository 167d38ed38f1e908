"""Scopes with as many things as a question counts: in a smaller one, that there are ever so many is never met."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import ceil
from typing import Literal

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.terms import Term, children, free_variables
from verifier.model.types import BOOL, Type
from verifier.prove.depths import Depths, told_parts
from verifier.prove.extent import MOST_PLACES, places, small
from verifier.prove.question import Question
from verifier.prove.reached import reached
from verifier.prove.scope import Scope, id_of, list_fields, scope_of

SPARE = 1
"""So many more than are counted: those counted may have to be others than one named."""

SEVERAL = 2
"""So many are counted where the number that they are held against has no end."""

NESTED = 3
"""So many things of a kind that are spoken of at once are in any scope that has several."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The scopes that have what is counted, most of it first; `whole` where each part of it is in one of them."""

    scopes: tuple[Scope, ...]
    whole: bool


@dataclass(slots=True)
class _Wanted:
    """How many values of id types and of ranges there must be, and how long lists, with `added` also those that are
    added up; `endless`: nobody can tell."""

    spare: int
    added: bool = False
    endless: bool = False
    values: dict[str, int] = field(default_factory=dict)
    slots: dict[str, int] = field(default_factory=dict)

    def value(self, type_: Type, number: int, told: frozenset[int] = frozenset()) -> None:
        """So many of a type; of what is counted with those of its parts that are `told` there is one value each."""
        match type_:
            case ty.EntityT(keys=parts) | ty.RecordT(fields=parts):
                for index, (_, part) in enumerate(parts):
                    if index not in told:
                        self.value(part, number)
            case ty.OptT(of=of):
                self.value(of, number)
            case _:
                self.values[str(type_)] = max(number, self.values.get(str(type_), 0))

    def length(self, path: str, number: int) -> None:
        self.slots[path] = max(number, self.slots.get(path, 0))


def counted(
    program: Program, bases: Sequence[Scope], question: Question, spare: int = SPARE, added: bool = False
) -> Counted:
    """The scopes like the first of `bases` that have as many things as the question counts.

    Of what some other scope among `bases` has enough no more is wanted. There are `spare` more than are counted;
    without any, lists need only be as long as what they are compared with. With `added` there is room in lists for
    what they are to add up to.
    """
    first = bases[0]
    wanted = _wanted(program, question, spare, added, small(program, first))
    more, slots = _lacking(program, first, wanted)
    for other in bases[1:]:
        short = _lacking(program, other, wanted)
        more = {name: values for name, values in more.items() if name in short[0]}
        slots = {path: number for path, number in slots.items() if path in short[1]}
    if not more and not slots:
        return Counted((), not wanted.endless)
    ways = [(more, slots)]
    if len(more) + len(slots) > 1:
        ways += [({name: values}, {}) for name, values in more.items()]
        ways += [({}, {path: number}) for path, number in slots.items()]
    made = [_with(program, first, values, lengths) for values, lengths in ways]
    fitting = [places(program, scope) <= MOST_PLACES for scope in made]
    if fitting[0]:
        return Counted((made[0],), not wanted.endless)
    # One kind of thing alone is what is counted, mostly: scopes with more of that only will do.
    alone = fitting[1:]
    return Counted(
        tuple(s for s, fits in zip(made, fitting, strict=True) if fits),
        bool(alone) and all(alone) and not wanted.endless,
    )


def either_way(terms: Iterable[Term]) -> Term:
    """A condition that counts, and speaks of, as much as each of the terms does, be it so or not."""
    return m.OrT(BOOL, tuple(chain.from_iterable((term, m.NotT(BOOL, term)) for term in terms)))


def settled_by_size(program: Program, base: Scope, term: m.CompareT) -> Literal["counted", "alone"] | None:
    """Whether a comparison may be otherwise where there is more than in a scope for that alone: it counts more than
    there is, or tells two of a kind apart of which there is one. What one alone can make up, as an amount, is not."""
    wanted = _Wanted(_left_out(term), added=True)
    _compare(program, wanted, term)
    if any(_lacking(program, base, wanted)):
        return "counted"
    sides = (term.left, term.right)
    if term.op not in ("=", "!=") or any(isinstance(side, m.Lit) for side in sides):
        return None
    return "alone" if any(_only_one(base, side.type) for side in sides) else None


def _left_out(term: Term) -> int:
    """So many that are named are left out of what is counted, at most: to count others takes as many more."""
    match term:
        case m.Fold(var=var, where=where) if where is not None:
            others = free_variables(where) - {var}
            return max(len(others), *map(_left_out, children(term)))
        case _:
            return max((0, *map(_left_out, children(term))))


def _only_one(base: Scope, type_: Type) -> bool:
    """Whether a scope has one value of a type where there may be more."""
    match type_:
        case ty.OptT(of=of):
            return _only_one(base, of)
        case ty.IdT(name=name, maximum=maximum):
            return len(base.ids[name]) == 1 < maximum
        case ty.EntityT(name=name, keys=parts):
            return len(base.entities[name]) == 1 and any(_only_one(base, part) for _, part in parts)
        case ty.RecordT(fields=parts):
            several = any(len(base.keys(part)) > 1 for _, part in parts if ty.finite_values(part) is not None)
            return not several and any(_only_one(base, part) for _, part in parts)
        case _:
            values = base.narrowed.get(str(type_))
            return values is not None and len(values) == 1 < len(ty.finite_values(type_) or ())


def measures_lists(program: Program, question: Question) -> bool:
    """Whether it is asked how long lists are, or what they add up to: any length of one may tell."""
    terms = [question.condition, *(nothing.condition for nothing in question.none)]
    return any(
        isinstance(term, m.Length) or (isinstance(term, m.Fold) and isinstance(term.domain, m.OverList))
        for term in reached(program, terms)
    )


def _lacking(
    program: Program, base: Scope, wanted: _Wanted
) -> tuple[dict[str, tuple[object, ...]], dict[str, int]]:
    """The values and the lengths of lists that a scope must have and has not."""
    more = {
        name: values
        for name, number in wanted.values.items()
        if len(values := _values(program, base, name, number)) > len(_known(base, name))
    }
    types = dict(list_fields(program.ruleset))
    slots = {
        path: min(types[path].maximum, number)
        for path, number in wanted.slots.items()
        if min(types[path].maximum, number) > base.slots[path]
    }
    return more, slots


def _wanted(program: Program, question: Question, spare: int, added: bool, deep: bool) -> _Wanted:
    """What a question counts, and of how many it speaks at once; if `deep`, what it calls does, too."""
    wanted = _Wanted(spare, added)
    terms = [question.condition, *(nothing.condition for nothing in question.none)]
    for term in reached(program, terms):
        if isinstance(term, m.CompareT):
            _compare(program, wanted, term)
    spoken = Counter(
        str(kind) for param in question.params for kind in set(map(str, ty.simple_parts(param.type)))
    )
    for name, number in (_deep(program, question) if deep else _nested(terms)).items():
        if number + spoken[name] > NESTED:
            wanted.values[name] = max(number + spoken[name] + spare, wanted.values.get(name, 0))
    return wanted


def _compare(program: Program, wanted: _Wanted, term: m.CompareT) -> None:
    """Take up what the sides of a comparison count, each held against the other."""
    for side, other, op in (
        (term.left, term.right, term.op),
        (term.right, term.left, m.TURNED[term.op]),
    ):
        for part in made_of(program, side, set()):
            _count(program, wanted, part, other, op)


def made_of(program: Program, term: Term, called: set[str]) -> Iterator[Term]:
    """The counts, sums and lengths that a number is, or is reckoned of."""
    match term:
        case m.Fold() | m.Length():
            yield term
        case m.ArithT(left=left, right=right):
            yield from made_of(program, left, called)
            yield from made_of(program, right, called)
        case m.Ite(then=then, otherwise=otherwise):
            yield from made_of(program, then, called)
            yield from made_of(program, otherwise, called)
        case m.TableT(rows=rows):
            for _, value in rows:
                yield from made_of(program, value, called)
        case m.Force(of=of) | m.AfterT(of=of):
            yield from made_of(program, of, called)
        case m.CallF(function=name) if name not in called:
            called.add(name)
            yield from made_of(program, program.functions[name].body, called)
        case m.Decide(decision=name) if name not in called:
            called.add(name)
            for case in program.decisions[name].cases:
                yield from made_of(program, case.value, called)
        case _:
            return


def _count(program: Program, wanted: _Wanted, part: Term, other: Term, op: str) -> None:
    """Take up what a part of one side of a comparison counts, held against the other side."""
    match part:
        case m.Fold(kind="number", domain=domain):
            number = _most(other)
        case m.Fold(kind="sum", domain=m.OverIds() | m.OverEntity() as domain, body=body) if body is not None:
            each, all_ = _largest(body), _most(other)
            if not each:
                # The types let one alone make up any amount; what is known of the amounts may not.
                endless = isinstance(body.type, ty.MoneyT) and all_ is not None and all_ > 0
                wanted.endless |= endless and not _of_one(part)
                return
            number = None if all_ is None else ceil(all_ / each)
        case m.Fold(kind="sum", domain=m.OverList() as domain, body=body) if (
            body is not None and wanted.added
        ):
            each, all_ = _largest(body), _most(other)
            if not each:
                return  # one alone may be enough
            number = None if all_ is None else ceil(all_ / each)
        case m.Length(list=of):
            domain, number = m.OverList(of.type, of), _most(other)
        case _:
            return
    # What `>= 3` and `< 3` ask three can answer; for the others it takes one more.
    beyond = op not in (">=", "<")
    number = SEVERAL if number is None else max(0, number) + beyond
    # Lists that are longer than what they are compared with make an induction much dearer: there they need not be.
    length = number if wanted.spare else number - beyond
    match domain:
        case m.OverIds(type=type_) | m.OverEntity(type=type_):
            told = frozenset(told_parts(part)) if isinstance(part, m.Fold) else frozenset[int]()
            wanted.value(type_, number + wanted.spare, told)
        case m.OverValues(type=type_):
            wanted.value(type_, number + wanted.spare)
        case m.OverList(list=m.Field(entity=entity, name=name)):
            wanted.length(f"{entity}.{name}", length)
        case m.OverList(list=m.Get(name=name)):
            wanted.length(name, length)
        case m.OverList():
            for path, _ in list_fields(program.ruleset):
                wanted.length(path, length)


def _of_one(fold: m.Fold) -> bool:
    """Whether what is summed is kept by ids, each of which is told: `s.guest = g`, where `g` is none of it."""
    if not isinstance(fold.domain, m.OverEntity) or not isinstance(fold.domain.type, ty.EntityT):
        return False
    told = told_parts(fold)
    return all(i in told or not _has_ids(key) for i, (_, key) in enumerate(fold.domain.type.keys))


def _has_ids(type_: Type) -> bool:
    """Whether a value of the type names an id."""
    match type_:
        case ty.EntityT(keys=parts) | ty.RecordT(fields=parts):
            return any(_has_ids(part) for _, part in parts)
        case ty.OptT(of=of):
            return _has_ids(of)
        case _:
            return isinstance(type_, ty.IdT)


def _most(term: Term) -> int | None:
    """The most that a literal, or what is reckoned of literals, can be; else the least that its type allows, for
    that is enough to meet it; None where there is none."""
    match term:
        case m.Lit(value=bool()):
            return None
        case m.Lit(value=int(number)):
            return number
        case m.ArithT(op="+" | "*" as op, left=left, right=right):
            one, two = _most(left), _most(right)
            if one is None or two is None:
                return None
            return one + two if op == "+" else one * two
        case _:
            return term.type.low if isinstance(term.type, ty.IntT) else None


def _largest(term: Term) -> int | None:
    """The most that an amount can be; None where that is not known."""
    match term:
        case m.Lit(value=int(number)):
            return number
        case _:
            return term.type.high if isinstance(term.type, ty.IntT) else None


def _deep(program: Program, question: Question) -> Counter[str]:
    """Of each id type and range, how many it may take for a question to be true of the values of its variables."""
    depths, found = Depths(program), Counter[str]()
    for nothing in question.none:
        found |= depths.wanted(nothing.condition, False)
    return found + depths.wanted(question.condition, True)


def _nested(terms: Sequence[Term]) -> Counter[str]:
    """Of each id type and range, how many are spoken of at once at most: those bound within one another."""
    found: Counter[str] = Counter()
    for term in terms:
        within = _nested(children(term))
        if isinstance(term, m.Quant):
            within = within + Counter(set(map(str, ty.simple_parts(term.domain.type))))
        found |= within
    return found


def _known(base: Scope, name: str) -> Sequence[object]:
    return base.ids.get(name, base.narrowed.get(name, ()))


def _values(program: Program, base: Scope, name: str, number: int) -> tuple[object, ...]:
    """So many values of an id type or of a range of which the scope has few; none where it has all, or knows none."""
    type_ = program.ruleset.types.get(name)
    if isinstance(type_, ty.IdT):
        return tuple(id_of(name, i + 1) for i in range(min(number, type_.maximum)))
    if type_ is None or name not in base.narrowed:
        return ()
    known = base.narrowed[name]
    spare = [value for value in ty.finite_values(type_) or () if value not in known]
    return (*known, *spare[: max(0, number - len(known))])


def _with(program: Program, base: Scope, more: dict[str, tuple[object, ...]], slots: dict[str, int]) -> Scope:
    ids = {name: tuple(str(value) for value in more.get(name, values)) for name, values in base.ids.items()}
    narrowed = {
        name: tuple(sorted(more[name])) if name in more else tuple(values)  # type: ignore[type-var]
        for name, values in base.narrowed.items()
    }
    return scope_of(program, ids, narrowed, {**base.slots, **slots}, money_parts=base.money_parts)
