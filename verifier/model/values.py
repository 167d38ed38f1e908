"""Values to text and back, as the ruleset declares that they are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from verifier.model import types as ty
from verifier.model.types import Form, Type

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")


class Partial:
    """A value, or a part of one, that the log leaves out (`7?`: the suit is not recorded). Equal to itself only.

    `kind` says why: it was not recorded, it lies before the log began, or it is too large to check.
    """

    __slots__ = ("kind", "what")

    def __init__(self, what: str, kind: Literal["unrecorded", "history", "large"] = "unrecorded") -> None:
        self.what = what
        self.kind = kind

    def __repr__(self) -> str:
        return "?"


class House:
    """The party to a wager that is nobody by name."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "the house"


HOUSE = House()


def show(type_: Type, value: object) -> str:
    """A value in words: as a log writes it where it is written so, else by name."""
    match type_, value:
        case _, Partial():
            return "?"
        case ty.OptT(), None:
            return "none"
        case ty.OptT(of=of), _:
            return show(of, value)
        case ty.BoolT(), bool():
            return "yes" if value else "no"
        case ty.EnumT(values=values), int():
            return values[value]
        case ((ty.RecordT() | ty.EntityT()), tuple()):
            return _show_parts(type_, value)
        case ty.OddsT(), (int() | Fraction()):
            fraction = Fraction(value)
            return f"{fraction.numerator} to {fraction.denominator}"
        case ty.MoneyT(), (int() | Fraction()):
            return str(value)
        case ((ty.ListT(of=of) | ty.SetT(of=of)), (tuple() | list())):
            return " ".join(show(of, item) for item in value) or "none"
        case ((ty.IdT() | ty.TextT() | ty.PartyT()), str()):
            return value
        case _:
            return str(value)


def written(type_: Type, value: object) -> str:
    """A value as a log column holds it."""
    match type_, value:
        case _, Partial():
            return "?"
        case ty.EnumT(written=forms), int():
            return forms[value]
        case ((ty.RecordT() | ty.EntityT()), tuple()):
            return _show_parts(type_, value)
        case _:
            return show(type_, value)


def _parts(type_: ty.RecordT | ty.EntityT) -> tuple[tuple[str, Type], ...]:
    return type_.fields if isinstance(type_, ty.RecordT) else type_.keys


def _show_parts(type_: ty.RecordT | ty.EntityT, value: tuple[object, ...]) -> str:
    for form in type_.forms:
        if form.only is None or form.only == value:
            return _fill(form, _parts(type_), value)
    parts = ", ".join(show(t, v) for (_, t), v in zip(_parts(type_), value, strict=True))
    return f"{type_.name}({parts})"


def is_written(type_: Type) -> bool:
    """Whether values of the type stand in one column, as text of the declared form."""
    return isinstance(type_, ty.RecordT | ty.EntityT) and bool(type_.forms)


@lru_cache(maxsize=256)
def reader(type_: ty.RecordT | ty.EntityT) -> Callable[[str], tuple[object, ...]]:
    """A function from a log's text to the value; it raises `ValueError` with what was expected.

    A record's part may be written `?` where the log does not record it.
    """
    special: dict[str, set[tuple[object, ...]]] = {}
    for form in type_.forms:
        if form.only is not None:
            special.setdefault(_fill(form, _parts(type_), form.only), set()).add(form.only)
    general = [form for form in type_.forms if form.only is None]

    def read(text: str) -> tuple[object, ...]:
        found = list(special.get(text, ()))
        for form in general:
            found.extend(value for value in _readings(form, type_, text) if value not in found)
        if len(found) > 1:
            ways = " or ".join(_named(type_, value) for value in found[:2])
            raise ValueError(f"expected what reads in one way: this is {ways}")
        if not found:
            raise ValueError(f"expected {describe(type_)}")
        return found[0]

    return read


def _readings(form: Form, type_: ty.RecordT | ty.EntityT, text: str) -> Iterator[tuple[object, ...]]:
    """Every value that the form writes as `text`."""
    parts = _parts(type_)
    partial = isinstance(type_, ty.RecordT)
    values: list[object] = [None] * len(parts)

    def rest(at: int, start: int) -> Iterator[tuple[object, ...]]:
        if at == len(form.pieces):
            if start == len(text):
                yield tuple(values)
            return
        piece = form.pieces[at]
        if isinstance(piece, str):
            if text.startswith(piece, start):
                yield from rest(at + 1, start + len(piece))
            return
        name, part = parts[piece]
        last = at == len(form.pieces) - 1
        for end in [len(text)] if last else range(start + 1, len(text) + 1):
            found = text[start:end]
            if found == "?" and partial:
                values[piece] = Partial(name)
            else:
                try:
                    values[piece] = read_part(part, found)
                except ValueError:
                    continue
            yield from rest(at + 1, end)

    return rest(0, 0)


def _fill(form: Form, parts: tuple[tuple[str, Type], ...], value: tuple[object, ...]) -> str:
    return "".join(
        piece if isinstance(piece, str) else written(parts[piece][1], value[piece]) for piece in form.pieces
    )


def _named(type_: ty.RecordT | ty.EntityT, value: tuple[object, ...]) -> str:
    parts = ", ".join(
        f"{name} = {show(part, v)}" for (name, part), v in zip(_parts(type_), value, strict=True)
    )
    return f"({parts})"


def read_part(type_: Type, text: str) -> object:
    """One part of a written value. Raises `ValueError`."""
    match type_:
        case ty.EnumT(written=forms):
            if text not in forms:
                raise ValueError(f"expected one of {', '.join(forms)}")
            return forms.index(text)
        case ty.IntT(low=low, high=high):
            if _WHOLE.fullmatch(text) is None:
                raise ValueError(f"expected {describe(type_)}")
            number = int(text)
            if (low is not None and number < low) or (high is not None and number > high):
                raise ValueError(f"expected a number from {low} to {high}")
            return number
        case ty.BoolT():
            if text not in ("yes", "no"):
                raise ValueError("expected yes or no")
            return text == "yes"
        case ty.RecordT() | ty.EntityT():
            return reader(type_)(text)
        case ty.IdT():
            if not text or text != text.strip():
                raise ValueError("expected a name without a space at either end")
            return text
        case ty.TextT():
            if not text:
                raise ValueError("expected text")
            return text
        case ty.OptT() | ty.MoneyT() | ty.OddsT() | ty.ListT() | ty.SetT() | ty.MapT() | ty.PartyT():
            raise ValueError(f"nothing is written as {type_}")


def writable(type_: Type) -> bool:
    """Whether a part of this type can stand in a written form."""
    match type_:
        case ty.RecordT(fields=parts) | ty.EntityT(keys=parts):
            return bool(type_.forms) and all(writable(part) for _, part in parts)
        case ty.EnumT() | ty.IntT() | ty.BoolT() | ty.IdT() | ty.TextT():
            return True
        case ty.OptT() | ty.MoneyT() | ty.OddsT() | ty.ListT() | ty.SetT() | ty.MapT() | ty.PartyT():
            return False


def alike(type_: ty.RecordT | ty.EntityT) -> tuple[str, str, str] | None:
    """A text that the forms write for two values, and both by their parts; of a type whose values can be listed."""
    seen: dict[str, tuple[object, ...]] = {}
    for value in ty.finite_values(type_) or ():
        assert isinstance(value, tuple)
        text = written(type_, value)
        if text in seen:
            return text, _named(type_, seen[text]), _named(type_, value)
        seen[text] = value
    return None


def describe(type_: Type) -> str:
    """What a written value looks like, in words."""
    match type_:
        case ty.RecordT() | ty.EntityT():
            forms = []
            for form in type_.forms:
                forms.append(
                    "".join(p if isinstance(p, str) else f"<{_parts(type_)[p][0]}>" for p in form.pieces)
                )
            details = "; ".join(
                f"<{name}> is {describe(t)}"
                for name, t in _parts(type_)
                if any(f.only is None for f in type_.forms)
            )
            return " or ".join(forms) + (f", where {details}" if details else "")
        case ty.EnumT(written=forms_):
            return "one of " + " ".join(forms_)
        case ty.IntT(low=low, high=high):
            return f"{low} to {high}"
        case _:
            return str(type_)


def unrecorded_in(value: object) -> bool:
    """Whether a value, or a part of it, is not recorded."""
    return isinstance(value, Partial) or (isinstance(value, tuple) and any(map(unrecorded_in, value)))
