"""A settlement over which rules clash, and that is wrong by each of their answers."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from check_logs import cited, led, only, rules, transcript

from verifier.check.result import CheckResult
from verifier.core.lower import lower
from verifier.model.load import load
from verifier.report.text import text
from verifier.run.machine import Machine
from verifier.run.readings import Asked, wrong_by_all
from verifier.run.state import EXISTS, first_state
from verifier.run.undefined import Undefined

EXAMPLES = Path(__file__).parents[2] / "spec" / "examples" / "anyton"

CLASH = """ruleset clash
law anyton/cloakroom
use anyton/base
rule 5.1 "Where an article is lost"
  asked liability(i) when i.lost
  asked rate(i) when i.lost and liability(i) = pay
rule 5.1(a) "to make good the loss, if the guest declared what the article is worth"
  liability(i) = pay when i.worth > 0
rule 5.1(b) "nothing, if nothing was declared"
  liability(i) = nothing when i.worth = 0 or i.article = coat
rule 5.2 "A loss is made good at 1 to 1 of the declared worth"
  rate(i) = 1 to 1
rule 5.4 "where the claim for a guest’s coat is void, the claim for his or her hat is also void"
  liability(i) = void when i.article = hat
"""

LOST = ['guest deposit item="ann\'s {0}" peg=1 worth={1}', 'attendant find_lost item="ann\'s {0}"']


def settled(tmp_path: Path, article: str, worth: int, how: str) -> CheckResult:
    shutil.copytree(EXAMPLES, tmp_path / "anyton")
    (tmp_path / "clash.rules").write_text(CLASH, "utf-8")
    events = [*(line.format(article, worth) for line in LOST), how.format(article)]
    return rules(tmp_path / "clash.rules").check(transcript(tmp_path / "log.yaml", "clash", events))


def test_what_is_wrong_by_each_answer_of_a_clash_is_broken(tmp_path: Path) -> None:
    result = settled(tmp_path, "coat", 500, 'proprietor make_good item="ann\'s {0}" amount=400')
    entry = only(result)
    assert led(entry) == ("broken", "contested")
    assert cited(entry) == ["5.1(a)", "5.1(b)", "5.2"]
    assert result.exit_code == 1
    page = text(result, 120)
    assert "1 × contested: settled otherwise than by any answer of rules that clash" in page
    assert "liability(ann's coat) = pay or nothing" in page
    assert "Of a settlement over which rules clash it is not told who is short: no one sum is owed." in page
    assert "No party is short" not in page


def test_what_is_wrong_by_each_of_other_answers_is_broken(tmp_path: Path) -> None:
    result = settled(tmp_path, "hat", 500, 'proprietor refuse item="ann\'s {0}"')
    assert led(only(result)) == ("broken", "contested")


@pytest.mark.parametrize(
    ("article", "worth", "how"),
    [
        ("coat", 500, 'proprietor make_good item="ann\'s {0}" amount=500'),
        ("coat", 500, 'proprietor refuse item="ann\'s {0}"'),
        ("hat", 0, 'proprietor refuse item="ann\'s {0}"'),
        ("hat", 500, 'proprietor make_good item="ann\'s {0}" amount=500'),
    ],
)
def test_what_is_right_by_one_answer_of_a_clash_is_disputed(
    tmp_path: Path, article: str, worth: int, how: str
) -> None:
    result = settled(tmp_path, article, worth, how)
    entry = only(result)
    assert led(entry) == ("disputed", "settlement")
    assert result.exit_code == 3


def test_what_was_worked_out_under_an_answer_tried_is_forgotten(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "anyton")
    (tmp_path / "clash.rules").write_text(
        CLASH + "define owed(i: Item): bool = liability(i) = pay\n", "utf-8"
    )
    program = lower(load(tmp_path / "clash.rules"))
    machine = Machine(program, {})
    coat = ("ann", 0)
    state = first_state(program.ruleset)
    state.entities["Item"][coat] = {EXISTS: True, "worth": 500, "lost": True}
    machine.enter(state)
    tried: list[bool] = []

    def hold(read: list[Asked]) -> bool:
        read.append(("liability", (coat,)))
        machine.memo = {}
        tried.append(machine.function("owed", (coat,)))
        return False

    assert wrong_by_all(machine, hold) is not None
    assert tried == [True, False]
    with pytest.raises(Undefined):
        machine.function("owed", (coat,))
