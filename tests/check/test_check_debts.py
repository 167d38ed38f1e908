"""Several debts on one thing: one is not made good by settling another, and each counts once."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

import pytest

from verifier.check.engine import Engine, Prepared, check, check_logs, prepare
from verifier.check.result import CheckResult, Shortfall
from verifier.log.sources import open_stream
from verifier.run.debts import Debt, debts_of
from verifier.transcripts.case import case_of

HERE = Path(__file__).parent / "data"
LATE, WRONG = "not paid when due", "settled wrongly"
HEAD = "ruleset: stakes\nevents:\n- player stake player=ann amount=1000\n"
END = "- dealer clear\n"


@cache
def ready() -> Prepared:
    return prepare(str(HERE / "stakes.rules"))


def transcript(*events: str) -> str:
    return HEAD + "".join(f"- {event}\n" for event in events) + END


def checked(*events: str) -> CheckResult:
    log = open_stream("log.yaml", io.BytesIO(transcript(*events).encode()), ready().binding.schema)
    return check_logs([log], ready())


def test_events_settle_one_debt_where_what_is_due_is_written_the_same() -> None:
    """Whatever its sign, and whatever the parameters are called and how they stand."""
    debts = debts_of(ready().ruleset)
    assert debts["pay"] == (Debt("pay", 0, (0,), False),)
    assert debts["collect"] == (Debt("pay", 0, (1,), True),)
    assert debts["give_back"] == (Debt("pay", 0, (0,), False),)
    assert debts["charge"] == (Debt("charge", 0, (0,), False),)
    assert debts["pay_all"] == (Debt("pay", 0, (0,), False), Debt("pay_all", 1, (0,), False))
    assert debts["charge_rest"] == (Debt("charge_rest", 0, (0,), False),)
    assert debts["return_rest"] == (Debt("charge_rest", 0, (1,), True),)
    assert "lose" not in debts


CASES = {
    "paid too little, charged as is right": (
        ["dealer pay player=ann amount=500", "dealer charge player=ann amount=25"],
        [Shortfall("ann", 500, WRONG)],
        [],
    ),
    "paid too much, not charged": (
        ["dealer pay player=ann amount=2000"],
        [Shortfall("the house", 1000, WRONG), Shortfall("the house", 100, LATE)],
        [],
    ),
    "both wrong": (
        ["dealer pay player=ann amount=500", "dealer charge player=ann amount=45"],
        [Shortfall("ann", 520, WRONG)],
        [],
    ),
    "charged too much, then rightly, and paid too little": (
        [
            "dealer pay player=ann amount=500",
            "dealer charge player=ann amount=45",
            "dealer charge player=ann amount=25",
        ],
        [Shortfall("ann", 500, WRONG)],
        [Shortfall("ann", 20, WRONG)],
    ),
    "too much of the rest is charged, and given back": (
        [
            "dealer pay player=ann amount=1000",
            "dealer charge_rest player=ann amount=70",
            "dealer return_rest amount=20 player=ann",
        ],
        [],
        [Shortfall("ann", 20, WRONG)],
    ),
    "collected in error, then paid": (
        [
            "dealer collect amount=1000 player=ann",
            "dealer pay player=ann amount=1000",
            "dealer charge player=ann amount=50",
        ],
        [],
        [Shortfall("ann", 2000, WRONG)],
    ),
    "paid in error, then collected": (
        ["dealer lose player=ann", "dealer pay player=ann amount=0", "dealer collect amount=1000 player=ann"],
        [],
        [Shortfall("the house", 1000, WRONG)],
    ),
    "paid as is right by what charges too much": (
        [
            "dealer pay player=ann amount=500",
            "dealer pay_all player=ann amount=1000 fee=60",
        ],
        [Shortfall("ann", 10, WRONG)],
        [Shortfall("ann", 500, WRONG)],
    ),
    "one pays the forfeit, the other too little": (
        [
            "player forfeit other=bob player=ann amount=400",
            "player forfeit other=cat player=ann amount=1000",
        ],
        [Shortfall("ann", 600, WRONG)],
        [],
    ),
    "the one pays the rest of his forfeit": (
        [
            "player forfeit other=bob player=ann amount=400",
            "player forfeit other=bob player=ann amount=1000",
        ],
        [],
        [Shortfall("ann", 600, WRONG)],
    ),
    "paid too little and charged too much in one": (
        ["dealer pay_all player=ann amount=900 fee=60"],
        [Shortfall("ann", 110, WRONG)],
        [],
    ),
    "too little from oneself to oneself": (["player forfeit other=ann player=ann amount=400"], [], []),
}


@pytest.mark.parametrize(("events", "owed", "made_good"), CASES.values(), ids=CASES)
def test_what_is_owed_in_all(events: list[str], owed: list[Shortfall], made_good: list[Shortfall]) -> None:
    result = checked(*events)
    assert list(result.short) == owed
    assert list(result.made_good) == made_good


@pytest.mark.parametrize("engine", ["explain", "bulk"])
def test_the_engines_come_to_the_same(engine: Engine, tmp_path: Path) -> None:
    log = tmp_path / "log.yaml"
    said = ["ruleset: stakes", "rounds:"]
    for events, _, _ in CASES.values():
        said += ["- - player stake player=ann amount=1000", *(f"  - {e}" for e in (*events, "dealer clear"))]
    log.write_text("\n".join(said), "utf-8")
    result = check([str(log)], ready(), engine=engine)
    both = [Shortfall("ann", 500 + 520 + 500 + 10 + 600 + 110, WRONG), Shortfall("the house", 1000, WRONG)]
    assert result.short == (*both, Shortfall("the house", 100, LATE))
    good = [Shortfall("ann", 20 + 20 + 2000 + 500 + 600, WRONG), Shortfall("the house", 1000, WRONG)]
    assert list(result.made_good) == good


def test_what_two_rules_charge_counts_once_in_an_entry_as_in_the_sums() -> None:
    """A lost stake is paid: it is settled wrongly, and it should have been collected first, by two rules."""
    events = [
        "dealer lose player=ann",
        "dealer pay player=ann amount=1",
        "dealer collect amount=1000 player=ann",
    ]
    [entry] = checked(*events).entries
    assert [finding.short is not None for finding in entry.findings] == [True, True, True]
    assert entry.short == (Shortfall("the house", 1001, WRONG),)
    assert checked(*events[:2]).short == entry.short


@pytest.mark.parametrize(("amount", "as_expected"), [(1001, True), (2001, False)])
def test_a_transcript_expects_what_counts_once(amount: int, as_expected: bool) -> None:
    events = [
        "dealer lose player=ann",
        "dealer pay player=ann amount=1",
        "dealer collect amount=1000 player=ann",
    ]
    expect = f"""expect:
  faults:
  - {{seq: 3, verdict: broken, clauses: ["1.2", "1.4", "1.5"], short: {{the house: {amount}}}}}
"""
    case = case_of("it", transcript(*events) + expect, ready())
    assert (case.unlike(ready()) == []) is as_expected


GAME = Path(__file__).parents[1] / "new_game"
LASTING = {
    "collected after all": (
        [
            "guest lay guest=ann colour=white amount=100",
            "guest lay guest=bob colour=black amount=50",
            "keeper call",
            "keeper draw colour=white",
            "keeper pay guest=ann colour=white amount=100",
            "keeper collect guest=bob colour=black",
        ],
        [],
        [Shortfall("the house", 50, LATE)],
    ),
    "paid, and never collected": (
        [
            "guest lay guest=bob colour=black amount=50",
            "keeper call",
            "keeper draw colour=white",
            "keeper pay guest=bob colour=black amount=100",
        ],
        [Shortfall("the house", 150, WRONG)],
        [],
    ),
}


@pytest.mark.parametrize("life", ["turn", "game"])
@pytest.mark.parametrize("name", LASTING)
def test_it_is_the_same_where_what_the_money_is_about_outlives_the_round(
    tmp_path: Path, name: str, life: str
) -> None:
    for file in ("pebbles.law", "pebbles.rules", "pebble-stall.rules"):
        text = (GAME / file).read_text(encoding="utf-8")
        text = text.replace("colour: Colour) in turn", f"colour: Colour) in {life}")
        (tmp_path / file).write_text(text, encoding="utf-8")
    events, short, made_good = LASTING[name]
    log = "ruleset: pebbles\noptions: {limit: 200}\nevents:\n" + "".join(f"- {e}\n" for e in events)
    pebbles = prepare(str(tmp_path / "pebbles.rules"))
    read = open_stream("log.yaml", io.BytesIO((log + "- keeper sweep\n").encode()), pebbles.binding.schema)
    result = check_logs([read], pebbles)
    assert list(result.short) == short
    assert list(result.made_good) == made_good


HALVES = """
ruleset halves
law stakes
actors dealer
type Player = id max 4
life round ends clear
entity Seat(player: Player) in round written "seat of {player}"
  first: bool
state round
  pot: money
event stake(player: Player, amount: money) by dealer
event halve(one: Seat, x: money, other: Seat, y: money) by dealer
  claims x = half and y = half
  moves x from house to one.player due half
  moves y from house to other.player due half
event clear by dealer
on stake(p, a)
  new Seat(p)
  Seat(p).first = pot = 0
  pot = pot + a
on halve(a, x, b, y)
  pot = 0
decision half: money
rule 1.1 "A stake that wins shall be paid 1 to 1"
  half = pot * 1 / 2
rule 1.4 "What is lost shall be collected before anything else is done"
  dealer must halve(s, any, t, any) before clear when s.first and not t.first and pot > 0
"""


def test_all_are_short_whose_money_did_not_go_as_it_should(tmp_path: Path) -> None:
    (tmp_path / "halves.rules").write_text(HALVES.lstrip(), "utf-8")
    (tmp_path / "stakes.law").write_text((HERE / "stakes.law").read_text("utf-8"), "utf-8")
    halves = prepare(str(tmp_path / "halves.rules"))
    head = (
        "ruleset: halves\nevents:\n- dealer stake player=ann amount=20\n- dealer stake player=bob amount=30\n"
    )
    wrong = '- dealer halve one="seat of ann" x=15 other="seat of bob" y=30\n'
    for events, owed in (
        (wrong, [("ann", 10, WRONG), ("the house", 5, WRONG)]),
        ("", [("ann", 25, LATE), ("bob", 25, LATE)]),
    ):
        log = open_stream("log.yaml", io.BytesIO((head + events + END).encode()), halves.binding.schema)
        (entry,) = check_logs([log], halves).entries
        assert [(s.who, s.amount, s.basis) for s in entry.short] == owed
