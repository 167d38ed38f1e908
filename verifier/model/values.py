"""Values to text and back, as the ruleset declares that they are written."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from verifier.model import types as ty
from verifier.model.types import Form, Type


class Partial:
    """A value, or a part of one, that the log leaves out (`7?`: the suit is not recorded). Equal to itself only.

    `kind` says why: it was not recorded, or it lies before the log began.
    """

    __slots__ = ("kind", "what")

    def __init__(self, what: str, kind: Literal["unrecorded", "history"] = "unrecorded") -> None:
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
            return "".join(
                piece if isinstance(piece, str) else written(_parts(type_)[piece][1], value[piece])
                for piece in form.pieces
            )
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
    special = {
        "".join(str(p) for p in form.pieces): form.only for form in type_.forms if form.only is not None
    }
    general = [(form, _pattern(form, type_)) for form in type_.forms if form.only is None]
    parts = _parts(type_)
    partial = isinstance(type_, ty.RecordT)

    def read(text: str) -> tuple[object, ...]:
        if text in special:
            return special[text]
        for form, pattern in general:
            match = pattern.fullmatch(text)
            if match is None:
                continue
            values: list[object] = [None] * len(parts)
            try:
                for number, piece in enumerate(p for p in form.pieces if isinstance(p, int)):
                    found = match.group(number + 1)
                    if found == "?" and partial:
                        values[piece] = Partial(parts[piece][0])
                    else:
                        values[piece] = read_part(parts[piece][1], found)
            except ValueError:
                continue
            return tuple(values)
        raise ValueError(f"expected {describe(type_)}")

    return read


def _pattern(form: Form, type_: ty.RecordT | ty.EntityT) -> re.Pattern[str]:
    pieces = []
    for piece in form.pieces:
        if isinstance(piece, str):
            pieces.append(re.escape(piece))
        else:
            extra = r"|\?" if isinstance(type_, ty.RecordT) else ""
            pieces.append(f"({_regex(_parts(type_)[piece][1])}{extra})")
    return re.compile("".join(pieces))


def _regex(type_: Type) -> str:
    match type_:
        case ty.EnumT(written=forms):
            return "|".join(re.escape(w) for w in sorted(forms, key=len, reverse=True))
        case ty.IntT():
            return r"0|-?[1-9][0-9]{0,8}"
        case ty.BoolT():
            return "yes|no"
        case _:
            return r".+?"


def read_part(type_: Type, text: str) -> object:
    """One part of a written value."""
    match type_:
        case ty.EnumT(written=forms):
            if text not in forms:
                raise ValueError(f"expected one of {', '.join(forms)}")
            return forms.index(text)
        case ty.IntT(low=low, high=high):
            number = int(text)
            if (low is not None and number < low) or (high is not None and number > high):
                raise ValueError(f"expected a number from {low} to {high}")
            return number
        case ty.BoolT():
            return text == "yes"
        case ty.RecordT() | ty.EntityT():
            return reader(type_)(text)
        case _:
            return text


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
