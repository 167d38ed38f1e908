"""What a layer disapplies binds nobody, and has been broken in no state."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.diff.whole import compare
from verifier.model.load import load
from verifier.prove.decide import decide
from verifier.prove.desk import Desk
from verifier.prove.question import Sometimes
from verifier.prove.solve import Settings
from verifier.prove.whole import every

LAW = "nz/gazette-1998-9-division-2"
BASE = f"""ruleset base
law {LAW}
actors guest, clerk
type Guest = id max 6
life day
life evening ends close
state evening
  up: bool
event close by clerk
event rise by guest
event wave by guest
event nod by guest
on rise
  up = yes
rule 5.2 [wave] "All wagers shall be made by placing chips"
  guest must not wave when up
rule 5.2 [nod] "All wagers shall be made by placing chips"
  guest must not nod when rule 5.2 [wave] has been broken this evening
"""


def layered(disapplying: str, folder: Path) -> Program:
    (folder / "base.rules").write_text(BASE, "utf-8")
    layer = folder / "top.rules"
    layer.write_text(f"ruleset top extends base{disapplying}\nlaw {LAW}\n", "utf-8")
    return lower(load(layer, [folder]))


@pytest.mark.parametrize(("disapplying", "applies"), [("", True), (", disapplying 5.2 [wave]", False)])
def test_what_asks_for_a_breach_of_what_is_disapplied_applies_nowhere(
    disapplying: str, applies: bool, tmp_path: Path
) -> None:
    program = layered(disapplying, tmp_path)
    desk = Desk(program, Settings(solvers=("z3",)), steps=200)
    asked = next(one for one in every(program) if one.kind == "dead rule" and "nod" in one.id)
    assert isinstance(decide(desk, asked).words, Sometimes) == applies


def test_a_rule_that_binds_can_be_broken(tmp_path: Path) -> None:
    assert layered("", tmp_path).breakable(0)
    assert not layered(", disapplying 5.2 [wave]", tmp_path).breakable(0)


def test_where_two_are_compared_a_breach_may_have_been(tmp_path: Path) -> None:
    """What is owed hangs on a breach, and it is more by one of two."""
    owed = """decision fee: 0..9
rule 5.4 [fee] "shall be paid"
  fee = 3 when rule 5.2 [wave] has been broken this evening
"""
    sides = []
    for name, text in (("one", owed), ("other", owed.replace("fee = 3", "fee = 4"))):
        (tmp_path / f"{name}.rules").write_text(BASE + text, "utf-8")
        sides.append(load(tmp_path / f"{name}.rules"))
    whole = compare(sides[0], sides[1], Settings(solvers=("z3",)))
    assert whole.meaning is not None
    assert [d for c in whole.meaning.matters for d in c.differences]
