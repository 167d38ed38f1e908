"""What is written is read back as what it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.check.engine import Prepared, prepare
from verifier.check.fields import fields_of, happening_of
from verifier.generate.write import Draft, event_line, scalar, transcript
from verifier.log.sources import open_log
from verifier.log.yamltext import parse_yaml
from verifier.report.lines import Page
from verifier.run.bench import Happening

PRINTABLE = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), max_size=12)


@given(PRINTABLE)
@settings(max_examples=200, deadline=None)
def test_text_is_read_back_as_the_same_text(value: str) -> None:
    found = parse_yaml(f"of: {scalar(value)}\nin: [{scalar(value)}]\n")
    assert found == {"of": value, "in": [value]}


@pytest.fixture(scope="module")
def blackjack() -> Prepared:
    return prepare("nz/blackjack-1998")


def test_a_reference_is_written_as_its_columns(blackjack: Prepared) -> None:
    kinds = ["initial", "double", "split", "insurance", "super_sevens"]
    wager = ("ann", (3, 1), kinds.index("insurance"))
    pay = Happening("pay", "dealer", (wager, 500))
    fields = fields_of(pay, blackjack.ruleset, blackjack.binding)
    columns = {"player": "ann", "hand": "B3H1", "kind": "insurance", "amount": 500}
    assert fields == {"actor": "dealer", "event": "pay", **columns}
    assert happening_of(fields, blackjack.ruleset, blackjack.binding) == pay
    assert event_line(blackjack, pay) == "dealer pay player=ann hand=B3H1 kind=insurance amount=500"


def test_rounds_and_lives_are_counted_on(blackjack: Prepared, tmp_path: Path) -> None:
    events = (
        Happening("close_bets", "dealer", ()),
        Happening("end_round", "dealer", ()),
        Happening("shuffle", "dealer", (416,)),
        Happening("load_shoe", "dealer", ()),
        Happening("end_round", "dealer", ()),
    )
    path = tmp_path / "two.yaml"
    path.write_text(transcript(blackjack, Draft({"decks": 8}, events, "Two rounds.")), "utf-8")
    with open_log(path, blackjack.binding.schema, "yaml") as log:
        rows = list(log.rows())
        assert log.header.options == {"decks": 8}
    assert [row.event for row in rows] == [happening.event for happening in events]
    shoes, rounds = ([row.lives[i] for row in rows] for i in (1, 2))
    assert shoes == [1, 1, 1, 2, 2]
    assert rounds == [1, 1, 2, 2, 2]


def test_a_name_that_is_longer_than_its_column_stands_on_a_line_of_its_own() -> None:
    page = Page(60)
    page.pair("broken-5.1-Line", ["8 events"], 10, 2)
    page.pair("short", ["9 events"], 10, 2)
    assert page.text().splitlines() == ["  broken-5.1-Line", "            8 events", "  short     9 events"]
