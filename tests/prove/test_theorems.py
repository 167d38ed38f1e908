"""What stands beside a ruleset is asked as it is meant: true and defined, under hypotheses that can hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from obligation_bench import asked, in_any_state, never, program_of

from verifier.prove.obligations import theorems
from verifier.prove.question import Sometimes

FEE = """
rule 3.1
  fee(i) = 10 when i.article = coat
rule 3.2
  fee(i) = {hats} when i.article = hat
"""


@pytest.mark.parametrize(
    ("claim", "hats", "holds"),
    [
        ("for all i: Item where i.article = coat: fee(i) = 10", 10, True),
        ("for all i: Item where i.article = coat: fee(i) > 10", 10, False),
        ("for all i: Item: fee(i) = 10", 10, False),
        ("for all i: Item where i.article in {coat, hat}: fee(i) = 10", 10, True),
        ("for all i: Item where i.article in {coat, hat}: fee(i) = 10", 11, False),
        ("for all i: Item: fee(i) = 10 or i.article != coat", 10, True),
        ("for all i: Item where fee(i) < 20: i.article in {coat, hat}", 10, True),
        ("for all p: Peg: p + 1 > p", 10, True),
        ("for all p: Peg: p < 6", 10, False),
        ("left <= 100", 10, True),
    ],
)
def test_theorems(tmp_path: Path, claim: str, hats: int, holds: bool) -> None:
    """Of an umbrella no rule gives the fee: a claim about it has no answer, and fails."""
    program = program_of(FEE.format(hats=hats) + f"theorem it\n  {claim}\n", tmp_path)
    found = asked(theorems.obligations, program)
    assert found["theorem it"].modes == ("words",)
    assert never(program, found["theorem it"]) is holds


def test_a_claim_with_two_answers_fails(tmp_path: Path) -> None:
    text = FEE.format(hats=10) + "rule 3.3\n  fee(i) = {other} when i.article = hat\n"
    claim = "theorem it\n  for all i: Item where i.article = hat: fee(i) >= 10\n"
    for other, holds in ((10, True), (20, False)):
        program = program_of(text.format(other=other) + claim, tmp_path)
        assert never(program, asked(theorems.obligations, program)["theorem it"]) is holds


def test_a_claim_is_of_what_there_is(tmp_path: Path) -> None:
    program = program_of("theorem it\n  for all i: Item: some j in Item: i = j\n", tmp_path)
    assert never(program, asked(theorems.obligations, program)["theorem it"])


def test_hypotheses_are_shown_and_asked_for(tmp_path: Path) -> None:
    text = FEE.format(hats=10) + 'theorem it "{title}"\n  for all i: Item where {where}: fee(i) = 10\n'
    for where, possible in (("i.article = coat", True), ("i.article = coat and i.article = hat", False)):
        program = program_of(text.format(title="A coat costs 10", where=where), tmp_path)
        found = asked(theorems.obligations, program)
        assert found["theorem it"].claim == "A coat costs 10"
        assert found["theorem it"].about == ("for all i: Item", f"supposed: {where}", "claim: fee(i) = 10")
        vacuous = found["vacuous it"]
        assert (vacuous.kind, vacuous.wanted) == ("vacuous", "sometimes")
        assert isinstance(in_any_state(program, vacuous.question), Sometimes) is possible


def test_without_a_hypothesis_nothing_is_vacuous(tmp_path: Path) -> None:
    program = program_of("theorem it\n  left <= 100\ninvariant doors_shut\n  not doors\n", tmp_path)
    found = asked(theorems.obligations, program)
    assert list(found) == ["theorem it", "invariant doors_shut"]
    assert found["invariant doors_shut"].modes == ("play",)
    assert not never(program, found["invariant doors_shut"])


def test_reachable(tmp_path: Path) -> None:
    text = "reachable full\n  some h in Hook: h has 3 articles\nreachable never\n  left > 100\n"
    program = program_of(text, tmp_path)
    found = asked(theorems.obligations, program)
    for name, possible in (("full", True), ("never", False)):
        obligation = found[f"reachable {name}"]
        assert (obligation.wanted, obligation.modes) == ("sometimes", ("play",))
        assert isinstance(in_any_state(program, obligation.question), Sometimes) is possible


@pytest.mark.parametrize(
    ("claim", "holds"), [("pair.row = 1 or pair.shelf = 1", False), ("pair.row <= 2", True)]
)
def test_what_stands_whole_in_the_state_is_kept_by_nothing(tmp_path: Path, claim: str, holds: bool) -> None:
    """A record is the value of its field, not a key, and names nobody who would have to be met."""
    text = "record Spot(shelf: 1..3, row: 1..2)\nstate evening\n  pair: Spot = Spot(1, 1)\n"
    program = program_of(f"{text}theorem it\n  {claim}\n", tmp_path)
    assert never(program, asked(theorems.obligations, program)["theorem it"]) is holds
