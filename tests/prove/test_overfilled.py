"""An event that sets a list to more than it has room for cannot be, as one that adds to a full one cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.core.lower import lower
from verifier.model.load import load
from verifier.prove.decide import decide
from verifier.prove.desk import Desk
from verifier.prove.question import Never, Sometimes
from verifier.prove.solve import Settings
from verifier.prove.whole import every

RULES = Path(__file__).parent / "rules" / "fits-thin.rules"


@pytest.fixture(scope="module")
def desk() -> Desk:
    return Desk(lower(load(RULES)), Settings(("z3",)), steps=500)


def test_no_more_than_fits_is_copied(desk: Desk) -> None:
    found = decide(desk, next(o for o in every(desk.program) if o.id == "invariant few_are_copied"))
    assert isinstance(found.play, Never)


def test_what_fits_is(desk: Desk) -> None:
    found = decide(desk, next(o for o in every(desk.program) if o.id == "invariant one_is_copied"))
    assert isinstance(found.play, Sometimes)
