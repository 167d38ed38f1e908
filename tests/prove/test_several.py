"""What speaks of several people is asked of several: with one there are no two different ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from obligation_bench import asked, in_any_state, program_of

from verifier.prove import extent
from verifier.prove.desk import Desk
from verifier.prove.everywhere import typed
from verifier.prove.extent import places, scopes, with_many
from verifier.prove.obligations import theorems
from verifier.prove.question import Never, Sometimes
from verifier.prove.scope import scope_of
from verifier.prove.solve import Settings

TEXT = """
state evening
  drunk: Guest -> bool
theorem one_is_drunk
  for all a: Guest, b: Guest, c: Guest where a != b and b != c and a != c: not (drunk[a] and drunk[b] and drunk[c])
theorem all_are_themselves
  for all a: Guest, b: Guest where a = b: drunk[a] = drunk[b]
"""

SHELVES = """
type Shelf = 1..9
entity Coat(guest: Guest, shelf: Shelf) in evening
  kept: bool
theorem one_shelf_is_in_use
  number of (c in Coat where c.kept) < 2
"""


@pytest.mark.parametrize(("name", "holds"), [("one_is_drunk", False), ("all_are_themselves", True)])
def test_three_guests_are_looked_at_where_three_are_named(tmp_path: Path, name: str, holds: bool) -> None:
    program = program_of(TEXT, tmp_path)
    obligation = asked(theorems.obligations, program)[f"theorem {name}"]
    assert isinstance(in_any_state(program, obligation.question), Never)
    answer = typed(Desk(program, Settings(solvers=("z3",))), obligation)
    assert isinstance(answer, Never if holds else Sometimes)


def test_a_scope_that_was_asked_for_is_kept_to(tmp_path: Path) -> None:
    program = program_of(TEXT, tmp_path)
    obligation = asked(theorems.obligations, program)["theorem one_is_drunk"]
    assert obligation.question is not None
    found = with_many(program, scopes(program)[0], obligation.question)
    assert found is not None
    assert len(found.ids["Guest"]) == 4
    small = scope_of(program, {"Guest": ("guest1",)})
    answer = typed(Desk(program, Settings(solvers=("z3",)), (small,)), obligation)
    assert isinstance(answer, Never)
    assert "1 Guest" in answer.scope


def test_where_two_of_each_were_too_much_ranges_are_still_looked_at_more_widely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = program_of(SHELVES, tmp_path)
    first, wide = scopes(program)[:2]
    assert (len(first.ids["Guest"]), len(wide.ids["Guest"])) == (1, 2)
    monkeypatch.setattr(extent, "MOST_PLACES", places(program, wide) - 1)
    narrow = scopes(program)[1]
    assert len(narrow.ids["Guest"]) == 1
    assert narrow.narrowed == wide.narrowed != first.narrowed
    obligation = asked(theorems.obligations, program)["theorem one_shelf_is_in_use"]
    assert isinstance(typed(Desk(program, Settings(solvers=("z3",))), obligation), Sometimes)
