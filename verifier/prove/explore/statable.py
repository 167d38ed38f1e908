"""What a log can state as an event's argument: whatever else plays are made of has no place in one."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from verifier.log.limits import INT64_MAX, INT64_MIN
from verifier.model import types as ty
from verifier.model.types import Type

Test = Callable[[Any], bool]


def statable(type_: Type) -> Test | None:
    """Tells of values of the core whether a log can state them; None where it can state every value of the type.

    Amounts in parts of a minor unit pass: claims make them (see `verifier.prove.stated`).
    """
    match type_:
        case ty.BoolT() | ty.EnumT():
            return _there
        case ty.IntT(low=low, high=high):
            least, most = INT64_MIN if low is None else low, INT64_MAX if high is None else high
            return lambda value: type(value) is int and least <= value <= most
        case ty.MoneyT():
            return lambda value: isinstance(value, int | Fraction) and 0 <= value <= INT64_MAX
        case ty.IdT() | ty.TextT():
            return bool
        case ty.OptT(of=of):
            inner = statable(of)
            return None if inner is None else lambda value: value is None or inner(value)
        case ty.RecordT(forms=forms, fields=parts) | ty.EntityT(forms=forms, keys=parts):
            only = frozenset(form.only for form in forms)
            if only and None not in only:
                return lambda value: value in only
            tests = [(i, test) for i, (_, part) in enumerate(parts) if (test := statable(part)) is not None]
            return lambda value: value is not None and all(test(value[i]) for i, test in tests)
        case ty.OddsT() | ty.ListT() | ty.SetT() | ty.MapT() | ty.PartyT():
            return None


def _there(value: object) -> bool:
    return value is not None
