"""Scopes: how many of everything a question is asked about. A verdict holds for its scope, and says so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Latch, Ruleset
from verifier.model.terms import Term, children
from verifier.model.types import Type
from verifier.prove.values import CannotEncodeError

Ref = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """What there can be. Ids are given in the order in which they are first met: that loses nothing.

    `ids` by id type, `entities` by kind, in key order. `slots` bounds the elements of a list field
    (`Hand.cards`, or the name of a field of the state). `narrowed` lists the values of a named range or
    enumeration where fewer than all are looked at as keys, or the values of an option. Amounts of money in a
    state are whole multiples of one `money_parts`-th of a minor unit, odds of one `money_parts`-th.
    """

    ids: Mapping[str, tuple[str, ...]]
    entities: Mapping[str, tuple[Ref, ...]]
    slots: Mapping[str, int] = field(default_factory=dict)
    narrowed: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    money_parts: int = 1

    def has(self, type_: Type, value: object) -> bool:
        """Whether a value names ids, entities and keys of the scope only."""
        match type_, value:
            case ty.IdT(name=name), _:
                return value in self.ids[name]
            case ty.EntityT(name=name), tuple():
                return value in self.entities[name]
            case ty.RecordT(fields=parts), tuple():
                return all(self.has(part, v) for (_, part), v in zip(parts, value, strict=True))
            case ty.OptT(of=of), _:
                return value is None or self.has(of, value)
            case _:
                narrowed = self.narrowed.get(str(type_))
                return narrowed is None or value in narrowed

    def keys(self, type_: Type) -> list[object]:
        """Every value of the type within the scope, in order.

        Raises `CannotEncodeError` for a type that has too many.
        """
        name = str(type_)
        if name in self.narrowed:
            return list(self.narrowed[name])
        match type_:
            case ty.IdT(name=kind):
                return list(self.ids[kind])
            case ty.EntityT(name=kind):
                return list(self.entities[kind])
            case ty.RecordT(fields=parts):
                return list(product(*(self.keys(part) for _, part in parts)))
            case ty.OptT(of=of):
                return [None, *self.keys(of)]
            case _:
                values = ty.finite_values(type_)
                if values is None:
                    raise CannotEncodeError(
                        f"{type_} has no end, so the scope cannot list its values",
                        "key maps and history by ids, ranges and enumerations",
                    )
                return values

    def latch_keys(self, latch: Latch, ruleset: Ruleset) -> list[tuple[object, ...]]:
        """Every key under which a latch can count."""
        params = ruleset.events[latch.event].params
        return list(product(*(self.keys(params[i].type) for i in latch.keys)))


def scope_of(
    program: Program,
    ids: Mapping[str, Sequence[str]],
    narrowed: Mapping[str, Sequence[object]] | None = None,
    slots: Mapping[str, int] | None = None,
    entities: Mapping[str, Sequence[Ref]] | None = None,
    money_parts: int = 1,
) -> Scope:
    """A scope in which entities have every key that their parts allow, unless `entities` lists them.

    A list has as many slots as its type allows, unless `slots` gives fewer.
    """
    ruleset = program.ruleset
    found = Scope(
        {t.name: tuple(ids.get(t.name, ())) for t in ruleset.types.values() if isinstance(t, ty.IdT)},
        {},
        {**{path: type_.maximum for path, type_ in list_fields(ruleset)}, **(slots or {})},
        {name: tuple(values) for name, values in (narrowed or {}).items()},
    )
    known: dict[str, tuple[Ref, ...]] = {}
    for name, entity in ruleset.entities.items():
        given = (entities or {}).get(name)
        if given is None:
            given = list(
                product(*(Scope(found.ids, known, {}, found.narrowed).keys(t) for _, t in entity.type.keys))
            )
        known[name] = tuple(given)
    return Scope(found.ids, known, found.slots, found.narrowed, money_parts)


def id_of(kind: str, number: int) -> str:
    """What the id of a type with that number, from 1, is called in a scope that nobody gave other names."""
    return f"{kind.lower()}{number}"


def list_fields(ruleset: Ruleset) -> Iterator[tuple[str, ty.ListT]]:
    """Every list field with its path."""
    for name, state in ruleset.state.items():
        if isinstance(state.type, ty.ListT):
            yield name, state.type
    for entity in ruleset.entities.values():
        for part in entity.fields:
            if isinstance(part.type, ty.ListT):
                yield f"{entity.type.name}.{part.name}", part.type


class Names:
    """Ids and texts as numbers: the ids of the scope count from 0, in its order; other strings from 1000."""

    def __init__(self, scope: Scope) -> None:
        self._code: dict[tuple[str, str], int] = {}
        for kind, ids in scope.ids.items():
            for name in ids:
                self._code[kind, name] = len(self._code)
        self._text = {code: name for (_, name), code in self._code.items()}

    def code(self, text: str, type_: Type) -> int:
        """The number of a string of the type."""
        for (kind, name), code in self._code.items():
            if name == text and (isinstance(type_, ty.PartyT) or kind == str(type_)):
                return code
        other = ("", text)
        if other not in self._code:
            self._code[other] = 1000 + len(self._code)
            self._text[self._code[other]] = text
        return self._code[other]

    def text(self, code: int) -> str:
        """The string with that number."""
        return self._text.get(code, f"text {code}")


def reads_after(program: Program, term: Term) -> bool:
    """Whether a term reads the state that an event leaves."""
    seen: set[str] = set()

    def down(inner: Term) -> bool:
        if isinstance(inner, m.AfterT):
            return True
        if isinstance(inner, m.CallF) and inner.function not in seen:
            seen.add(inner.function)
            if down(program.functions[inner.function].body):
                return True
        return any(down(child) for child in children(inner))

    return down(term)


def literals(program: Program) -> tuple[int, ...]:
    """The whole numbers that the program's functions name, which is where their answers change."""
    return tuple(
        sorted(
            {
                lit.value
                for lit in _named(program)
                if isinstance(lit.type, ty.IntT) and isinstance(lit.value, int)
            }
        )
    )


def texts(program: Program) -> tuple[str, ...]:
    """The texts that the program's functions name and a log can state, as `literals`."""
    found = {lit.value for lit in _named(program) if isinstance(lit.type, ty.TextT)}
    return tuple(sorted(text for text in found if isinstance(text, str) and text))


def _named(program: Program) -> Iterator[m.Lit]:
    rest = [function.body for function in program.functions.values()]
    while rest:
        term = rest.pop()
        rest += children(term)
        if isinstance(term, m.Lit):
            yield term
