"""What may be read where: mechanics read neither options nor decisions, and `after` is for acts alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod

from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.declare import Pending
from verifier.model.order import problem_for
from verifier.model.rules import Book
from verifier.model.ruleset import (
    Append,
    Contribution,
    Each,
    FieldTarget,
    New,
    Norm,
    Place,
    Requirement,
    Target,
    Theorem,
    Update,
    Write,
)
from verifier.model.scope import World
from verifier.model.terms import Term, children, domain_terms

MAX_COMBINATIONS = 100_000
"""So many combinations of values one condition, or one duty, may range over."""


def check_limits(
    world: World, book: Book, theorems: list[Theorem], texts: Mapping[str, str], pending: Pending
) -> None:
    """Adds a problem for each term that reads what it may not."""
    _check_mechanics(world, texts, pending)
    after = _After(world)
    for function in world.functions.values():
        _bounded([function.body], function.place, texts, pending)
    for unit in book.units.values():
        terms: list[Term] = [*unit.given, *((unit.when,) if unit.when is not None else ())]
        if isinstance(unit, Contribution):
            terms.append(unit.value)
        _bounded(terms, unit.place, texts, pending)
        if isinstance(unit, Contribution) or unit.force == "must":
            _no_after(terms, unit.place, after, texts, pending)
        if isinstance(unit, Norm) and unit.force == "must":
            _finite(unit, texts, pending)
    for question in book.questions:
        _no_after([question.condition], question.place, after, texts, pending)
    for theorem in theorems:
        terms = [theorem.body, *((theorem.where,) if theorem.where is not None else ())]
        _no_after(terms, theorem.place, after, texts, pending)
    for requirement in book.requirements:
        _options_only(requirement, world, texts, pending)


def _options_only(requirement: Requirement, world: World, texts: Mapping[str, str], pending: Pending) -> None:
    terms = list(reached(requirement.condition, world))
    state = any(isinstance(x, m.Get | m.Field | m.Count | m.BrokenT | m.Decide) for x in terms)
    if state or not any(isinstance(x, m.OptionGet) for x in terms):
        pending.problems.append(
            problem_for(
                requirement.place,
                texts,
                "`require` is a condition on options, and on nothing else",
                "require",
                "bind an act with `must` or `must not` where it depends on what has happened",
            )
        )


def _bounded(terms: list[Term], place: Place, texts: Mapping[str, str], pending: Pending) -> None:
    if any(_combinations(term) > MAX_COMBINATIONS for term in terms):
        _too_many(place, texts, pending)


def _too_many(place: Place, texts: Mapping[str, str], pending: Pending) -> None:
    pending.problems.append(
        problem_for(
            place,
            texts,
            f"this ranges over more than {MAX_COMBINATIONS:,} combinations of values",
            "too-many-combinations",
            "range over what is there (entities, a list, a set), or over a smaller type",
        )
    )


def _combinations(term: Term) -> int:
    """How many values the quantifiers in a term go through; what there is of entities and ids counts once."""
    inner = max((_combinations(child) for child in children(term)), default=1)
    if isinstance(term, m.Quant | m.Fold | m.Pick) and isinstance(term.domain, m.OverValues):
        return inner * len(term.domain.values)
    return inner


@dataclass(slots=True)
class _After:
    """Tells which terms read the state after an event, themselves or by way of defines."""

    world: World
    _known: dict[str, bool] = field(default_factory=dict)

    def read_by(self, term: Term) -> bool:
        if isinstance(term, m.AfterT):
            return True
        if isinstance(term, m.CallF) and term.function in self.world.functions:
            if term.function not in self._known:
                self._known[term.function] = False
                self._known[term.function] = self.read_by(self.world.functions[term.function].body)
            if self._known[term.function]:
                return True
        return any(self.read_by(child) for child in children(term))


def _no_after(
    terms: list[Term], place: Place, after: _After, texts: Mapping[str, str], pending: Pending
) -> None:
    if any(after.read_by(term) for term in terms):
        pending.problems.append(
            problem_for(
                place,
                texts,
                "`after` has no meaning where no event is judged",
                "after",
                "use it in the condition of a `must not` or a `may`; a duty is a condition on the state",
            )
        )


def _finite(norm: Norm, texts: Mapping[str, str], pending: Pending) -> None:
    sizes = [ty.count_values(v.type) for v in norm.variables if not isinstance(v.type, ty.EntityT | ty.IdT)]
    if prod(size for size in sizes if size is not None) > MAX_COMBINATIONS:
        _too_many(norm.place, texts, pending)
        return
    for variable in norm.variables:
        endless = ty.finite_values(variable.type) is None
        if endless and not isinstance(variable.type, ty.EntityT | ty.IdT):
            pending.problems.append(
                problem_for(
                    norm.place,
                    texts,
                    f"`{variable.name}` is {variable.type}, which has no end: the duty would never arise",
                    "unlinked",
                    f"write `any` for it, or the value that is owed, in place of `{variable.name}`",
                )
            )


def _check_mechanics(world: World, texts: Mapping[str, str], pending: Pending) -> None:
    read = [(place, list(_terms_of(update))) for place, update in pending.mechanics_read]
    read += [(event.place, list(event.needs)) for event in world.events.values()]
    for place, terms in read:
        for term in terms:
            for inner in reached(term, world):
                if isinstance(inner, m.OptionGet | m.Decide | m.BrokenT):
                    what = inner.name if isinstance(inner, m.OptionGet) else "a decision or a breach"
                    pending.problems.append(
                        problem_for(
                            place,
                            texts,
                            f"mechanics may not read {what}, not by way of a define either",
                            "mechanics",
                            "mechanics say what happened, never whether it was right",
                        )
                    )
                    return


def reached(term: Term, world: World, seen: frozenset[str] = frozenset()) -> Iterator[Term]:
    """A term, its parts, and what the defines that it calls consist of."""
    yield term
    if isinstance(term, m.CallF) and term.function not in seen and term.function in world.functions:
        yield from reached(world.functions[term.function].body, world, seen | {term.function})
    for child in children(term):
        yield from reached(child, world, seen)


def _terms_of(update: Update) -> Iterator[Term]:
    match update:
        case Write(target=target, value=value, when=when) | Append(target=target, value=value, when=when):
            yield from _place_terms(target)
            yield value
            if when is not None:
                yield when
        case New(of=of, when=when):
            yield of
            if when is not None:
                yield when
        case Each(domain=domain, where=where, update=inner):
            yield from domain_terms(domain)
            if where is not None:
                yield where
            yield from _terms_of(inner)


def _place_terms(target: Target) -> Iterator[Term]:
    if isinstance(target, FieldTarget):
        yield target.of
    elif target.key is not None:
        yield target.key
