"""What a log can state as an event's argument, and that no play has anything else."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from verifier.model import types as ty
from verifier.model.types import Form, Type
from verifier.prove.explore.domains import endless
from verifier.prove.explore.statable import statable

COIN = ty.EnumT("Coin", ("head", "tail"), ("head", "tail"))
NUM = ty.IntT(1, 3)
GUEST = ty.IdT("Guest", 4)
PAIR = ty.RecordT("Pair", (("num", NUM), ("price", ty.MONEY)))
PLACE = ty.RecordT("Place", (("num", NUM),), (Form(("corner",), (1,)), Form(("edge",), (3,))))
SPOT = ty.RecordT("Spot", (("num", NUM),), (Form(("corner",), (1,)), Form(("s", 0))))
LOT = ty.EntityT("Lot", (("guest", GUEST), ("num", NUM)))


@pytest.mark.parametrize(
    ("type_", "good", "bad"),
    [
        (ty.MONEY, (0, 7, Fraction(7, 2), 2**63 - 1), (-1, Fraction(-1, 2), 2**63, None)),
        (NUM, (1, 3), (0, 4, True, Fraction(3, 2), None)),
        (ty.INT, (-5, 0, 2**63 - 1), (2**63, -(2**63) - 1)),
        (COIN, (0, 1), (None,)),
        (GUEST, ("ann",), ("", None)),
        (ty.TEXT, ("late",), ("",)),
        (ty.OptT(ty.MONEY), (None, 0), (-1,)),
        (PAIR, ((1, 0), (3, 9)), ((1, -9), (4, 0), None)),
        (PLACE, ((1,), (3,)), ((2,),)),
        (SPOT, ((1,), (2,)), ((4,),)),
        (LOT, (("ann", 1),), (("", 1), ("ann", 0), None)),
    ],
    ids=str,
)
def test_a_log_states_the_one_and_not_the_other(
    type_: Type, good: tuple[Any, ...], bad: tuple[Any, ...]
) -> None:
    test = statable(type_)
    assert test is not None
    assert [value for value in good if not test(value)] == []
    assert [value for value in bad if test(value)] == []


@pytest.mark.parametrize("type_", [ty.MONEY, ty.TEXT, ty.OptT(ty.MONEY), ty.OptT(PAIR), PAIR], ids=str)
def test_what_is_tried_of_a_type_without_end_can_be_stated(type_: Type) -> None:
    test = statable(type_)
    assert test is not None
    found = endless(type_, (-5, 40, "sold", ""), (), lambda _: (1, 2, 3))
    assert found
    assert all(map(test, found))
    assert ("sold" in found) == (type_ == ty.TEXT)
