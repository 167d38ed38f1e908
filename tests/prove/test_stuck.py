"""A life under way without a lawful move is found; one that can go on, by whomever, is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from obligation_bench import asked, in_any_state, never, program_of

from verifier.core.program import Program
from verifier.prove import decide as decide_module
from verifier.prove.decide import decide
from verifier.prove.desk import Desk
from verifier.prove.found import beside, kept, written
from verifier.prove.known import SCOPE, Known
from verifier.prove.obligations import stuck
from verifier.prove.obligations.acts import Acts
from verifier.prove.question import Never, Sometimes
from verifier.prove.solve import Settings
from verifier.prove.told import Table, Tellings, Told
from verifier.run.bench import Happening
from verifier.run.judge import Judge
from verifier.run.machine import Machine

GIVE_BACK = """
rule 4.4
  attendant must give_back(i) by end of evening when i.here
"""


def moves(program: Program, *events: Happening) -> list[str]:
    """The moves that there are in the evening after some lawful events."""
    judge = Judge(program, {})
    for event in events:
        assert not judge.step(event)
    machine = Machine(program, {})
    machine.enter(judge.state)
    acts = Acts(program)
    found = stuck.Moves(acts, program.ruleset.lives["evening"]).found()
    return [name for name, why in found.items() if machine.closure(acts.somebody_can(name, why), ())([])]


OPEN = Happening("open", "attendant", ())
COAT = Happening("deposit", "guest", (("ann", 0), 1, 10))
HAT = Happening("deposit", "guest", (("ann", 1), 1, 10))


@pytest.mark.parametrize(
    ("rules", "holds"),
    [
        ("", True),
        ("rule 4.1\n  attendant must not give_back(i) when i.article = hat\n", False),
        ("rule 4.1\n  attendant must not give_back(i) when i.article = hat and not i.here\n", True),
        ("rule 4.1\n  proprietor may give_back(any)\n", True),
        ("rule 4.1\n  attendant may give_back(i where i.article = hat) when i.worth < 0\n", True),
    ],
)
def test_what_keeps_the_evening_from_ending(tmp_path: Path, rules: str, holds: bool) -> None:
    """A duty permits the act that it demands; a prohibition does not give way to it."""
    program = program_of(GIVE_BACK + rules, tmp_path)
    obligation = asked(stuck.obligations, program)["stuck evening"]
    assert obligation.modes == ("play",)
    assert never(program, obligation) is holds


def test_the_state_found_has_no_way_on(tmp_path: Path) -> None:
    rule = "rule 4.1\n  attendant must not give_back(i) when i.article = hat\n"
    program = program_of(GIVE_BACK + rule, tmp_path)
    answer = in_any_state(program, asked(stuck.obligations, program)["stuck evening"].question)
    assert isinstance(answer, Sometimes)
    here = [ref for ref, fields in answer.state.entities["Item"].items() if fields.get("here")]
    assert here
    assert all(article == 1 for _, article in here)


def test_moves_are_what_bears_on_the_end(tmp_path: Path) -> None:
    """Nothing comes of a ticket, and a thing brought in leaves more to give back."""
    program = program_of(GIVE_BACK, tmp_path)
    assert moves(program, OPEN) == ["close"]
    assert moves(program, OPEN, COAT) == ["give_back"]
    assert moves(program, OPEN, COAT, Happening("give_back", "attendant", (("ann", 0),))) == ["close"]


def test_what_is_due_before_a_move_is_a_move(tmp_path: Path) -> None:
    text = (
        GIVE_BACK + "rule 3.4\n  guest must pay_fee(i, any) before give_back(i) when i.here and not i.paid\n"
    )
    program = program_of(text, tmp_path)
    assert moves(program, OPEN, COAT) == ["pay_fee"]
    assert moves(program, OPEN, COAT, HAT, Happening("ticket", "attendant", (("ann", 0),))) == ["pay_fee"]


def test_duties_that_wait_for_each_other(tmp_path: Path) -> None:
    """A thing that may be given back without being booked need not be."""
    text = """
rule 2.5(b)
  attendant must book(i) by end of evening when i.here and not i.booked
rule 3.4
  guest must pay_fee(i, any) before book(i) when i.here and not i.paid
rule 2.6
  attendant must book(i) before pay_fee(i, any) when i.here and not i.booked
rule 3.1
  fee(i) = 10
"""
    program = program_of(text, tmp_path)
    assert never(program, asked(stuck.obligations, program)["stuck evening"])
    text += "rule 4.1\n  attendant must not give_back(any)\n"
    program = program_of(text, tmp_path)
    assert not never(program, asked(stuck.obligations, program)["stuck evening"])
    program = program_of(text.replace("before pay_fee(i, any)", "before strike(any)"), tmp_path)
    assert never(program, asked(stuck.obligations, program)["stuck evening"])


def test_a_life_that_waits_for_another_is_not_asked_about(tmp_path: Path) -> None:
    free = program_of(GIVE_BACK, tmp_path)
    assert list(asked(stuck.obligations, free)) == ["stuck roll", "stuck evening"]
    waits = program_of(GIVE_BACK + "rule 4.1\n  attendant must not new_roll when doors\n", tmp_path)
    assert list(asked(stuck.obligations, waits)) == ["stuck evening"]


def test_a_life_that_no_event_ends_is_not_asked_about(tmp_path: Path) -> None:
    assert "stuck house" not in asked(stuck.obligations, program_of("", tmp_path))


def test_that_a_life_goes_on_rests_on_what_surely_helps(tmp_path: Path) -> None:
    """Whether one article more on a hook lets the evening end cannot be told of a list that grows."""
    text = """
rule 4.1
  attendant must not give_back(i) when i.article = hat
  attendant must not close when some i in Item: i.article = hat and i.here{full}
"""
    for full, supposed, sure in (
        (" and Hook(i.peg) has 1 article", True, False),
        (" and i.paid", False, False),
        (" and i.article = coat", True, True),
    ):
        program = program_of(text.format(full=full), tmp_path)
        obligation = asked(stuck.obligations, program)["stuck evening"]
        assert never(program, obligation) is supposed
        answer = in_any_state(program, stuck.surely(program, obligation))
        assert isinstance(answer, Never) is sure


@pytest.mark.parametrize(
    ("when", "stuck_there"), [("Hook(i.peg) has 1 article", False), ("i.article = hat", True)]
)
def test_play_that_goes_on_by_no_move_is_not_called_stuck(
    tmp_path: Path, when: str, stuck_there: bool
) -> None:
    """One article more on the peg, and both can be given back: seldom met, so it is looked for long enough."""
    program = program_of(f"{GIVE_BACK}rule 4.3\n  attendant must not give_back(i) when {when}\n", tmp_path)
    obligation = asked(stuck.obligations, program)["stuck evening"]
    answer = decide(Desk(program, Settings(solvers=("z3",))), obligation).play
    assert isinstance(answer, Sometimes) is stuck_there


@pytest.mark.parametrize(
    ("rule", "is_stuck"),
    [
        ("rule 4.1\n  attendant must not give_back(i) when i.article = hat\n", True),
        ("rule 4.1\n  attendant must not give_back(i) when i.article = coat\n", False),
    ],
)
def test_a_play_that_is_told_is_looked_at_before_any_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rule: str, is_stuck: bool
) -> None:
    """What was found once is not lost where search has less luck."""
    monkeypatch.setattr(decide_module, "_stuck_in", lambda *_: (None, 1))
    program = program_of(GIVE_BACK + rule, tmp_path)
    desk = Desk(program, Settings())
    desk.told = Tellings(program, Told((Table("told", {}, (OPEN, HAT)),)))
    answer = decide_module.stuck(desk, asked(stuck.obligations, program)["stuck evening"])
    assert isinstance(answer, Sometimes) is is_stuck
    if isinstance(answer, Sometimes):
        assert answer.scope == "a play from told"
        assert answer.play is not None
        assert answer.play.happenings == (HAT,)


def test_a_play_that_got_stuck_is_kept_for_the_next_proof(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = "rule 4.1\n  attendant must not give_back(i) when i.article = hat\n"
    program = program_of(GIVE_BACK + rule, tmp_path)
    obligation = asked(stuck.obligations, program)["stuck evening"]
    first = decide(Desk(program, Settings(solvers=("z3",))), obligation)
    place = beside(program.ruleset)
    assert place is not None
    place.write_text(written(program, [first], {}), encoding="utf-8")
    plays = kept(program.ruleset)
    assert plays is not None
    monkeypatch.setattr(decide_module, "_stuck_in", lambda *_: (None, 1))
    again = decide_module.stuck(Desk(program, Settings(), kept=Known(program, plays)), obligation)
    assert isinstance(again, Sometimes)
    assert isinstance(first.play, Sometimes)
    assert again.scope == SCOPE
    assert again.play == first.play.play
