"""What hangs on no scope is asked once, however many scopes a question is asked in."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from verifier.core.lower import lower
from verifier.model.load import load
from verifier.prove.abstract import Outline
from verifier.prove.desk import Desk
from verifier.prove.everywhere import typed
from verifier.prove.question import Question
from verifier.prove.solve import Settings
from verifier.prove.values import Truth
from verifier.prove.whole import every


def test_an_outline_is_asked_once_of_a_question_in_all_scopes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = lower(load(Path(__file__).parent / "rules" / "counted-lots.rules"))
    obligation = next(o for o in every(program) if o.id == "invariant nine_calls")
    asked = Counter[str]()
    conditions = Outline.conditions

    def counted(self: Outline, question: Question) -> list[Truth] | None:
        asked[self.lists] += 1
        return conditions(self, question)

    monkeypatch.setattr(Outline, "conditions", counted)
    desk = Desk(program, Settings(solvers=("z3",)))
    assert len(desk.scopes) > 1
    first = typed(desk, obligation)
    assert asked["open"] == 1
    once = asked.total()
    assert typed(desk, obligation) == first
    assert asked.total() == once
    alone = Desk(program, Settings(solvers=("z3",), smt2=tmp_path))
    assert type(typed(alone, obligation)) is type(first)
    assert asked["open"] > 2, "every question that is put is written"
