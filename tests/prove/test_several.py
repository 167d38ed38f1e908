"""What speaks of several people is asked of several: with one there are no two different ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from obligation_bench import asked, in_any_state, program_of

from verifier.prove.desk import Desk
from verifier.prove.everywhere import typed
from verifier.prove.extent import scopes, with_many
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
