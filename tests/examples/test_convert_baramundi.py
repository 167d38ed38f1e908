"""The converter: what it writes is what is committed, and what it does not know it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import convert_baramundi as converter
import pytest
from source_changes import Change, check_a_field_twice_is_refused, check_refused, inflated, put

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SOURCE = EXAMPLES / "data" / "baramundi_8d_3p_2000.jsonl.gz"
LOG = EXAMPLES / "baramundi.jsonl.zst"


def test_a_fresh_conversion_gives_the_log_that_is_here(tmp_path: Path) -> None:
    fresh = tmp_path / "fresh.jsonl.zst"
    assert converter.convert(SOURCE, fresh).events == 50_240
    assert inflated(fresh) == inflated(LOG)


def test_the_header_says_what_is_recorded_and_what_is_not() -> None:
    header = json.loads(inflated(LOG).split(b"\n", 1)[0])
    assert {"void_round", "refuse", "insure", "wager"} <= set(header["records"])
    assert not {"shuffle", "cut", "sit", "close_bets", "announce_total", "remove_cards", "burn"} & set(
        header["records"]
    )
    assert header["unordered"] == ["collect", "give_back", "pay"]
    assert header["missing_columns"] == ["at"]
    assert header["options"] == {"decks": 8}


def test_the_first_round_with_a_split_is_converted_row_by_row() -> None:
    lines = [json.loads(line) for line in inflated(LOG).splitlines()[1:-1]]
    third = [line for line in lines if line["round"] == 3]
    keys = ("table", "shoe", "round", "seq", "actor", "event")
    told = [(row["event"], *(value for key, value in row.items() if key not in keys)) for row in third]
    assert told == [
        ("wager", "seat-1", 1, "initial", 100),
        ("wager", "seat-2", 2, "initial", 100),
        ("wager", "seat-3", 3, "initial", 100),
        ("deal", "B1H1", "Kh"),
        ("deal", "B2H1", "3h"),
        ("deal", "B3H1", "Ah"),
        ("deal", "dealer", "Td"),
        ("deal", "B1H1", "Qs"),
        ("deal", "B2H1", "Jd"),
        ("deal", "B3H1", "2c"),
        ("split", "seat-1", "B1H1", 100),
        ("deal", "B1H1", "2h"),
        ("deal", "B1H2", "8d"),
        ("stand", "seat-2", "B2H1"),
        ("draw", "seat-3", "B3H1"),
        ("deal", "B3H1", "9d"),
        ("stand", "seat-1", "B1H1"),
        ("stand", "seat-1", "B1H2"),
        ("draw", "seat-3", "B3H1"),
        ("deal", "B3H1", "4c"),
        ("stand", "seat-3", "B3H1"),
        ("deal", "dealer", "6s"),
        ("deal", "dealer", "3d"),
        ("collect", "seat-1", "B1H1", "initial"),
        ("collect", "seat-1", "B1H2", "split"),
        ("collect", "seat-2", "B2H1", "initial"),
        ("collect", "seat-3", "B3H1", "initial"),
        ("end_round",),
    ]
    assert [row["seq"] for row in third] == list(range(third[0]["seq"], third[0]["seq"] + len(third)))


REFUSED: dict[str, tuple[Change, str]] = {
    "an unknown field of a round": (put("weather", value="fair"), "weather"),
    "a missing field of a round": (lambda record: record.pop("net_total"), "net_total"),
    "an unknown field of a card": (put("events", 0, "colour", value="red"), "colour"),
    "an unknown field of a result": (put("hands", 0, "insurance", value=0), "insurance"),
    "another engine": (put("version", value="0000000"), "engine, seed and configuration"),
    "another configuration": (put("config", "surrender", value=True), "engine, seed and configuration"),
    "an unknown kind of event": (put("events", 0, "t", value="burn"), "t is 'burn'"),
    "an unknown action": (put("events", 7, "action", value="surrender"), "unknown action 'surrender'"),
    "a card face down": (put("events", 0, "face", value="down"), "face up"),
    "a card to nobody": (put("events", 0, "to", value="rack"), "'rack'"),
    "an unknown suit": (put("events", 0, "card", value=["4", "X"]), "'X'"),
    "an act on another seat's hand": (put("events", 7, "seat", value=2), "seat 2 acts on p1h1"),
    "half a cent": (put("events", 7, "stake_added", value=0.005), "no whole number of minor units"),
    "an amount as text": (put("events", 7, "stake_added", value="1.0"), "expected a number"),
    "an amount as a truth": (put("events", 7, "stake_added", value=True), "expected a number"),
    "a stake that was not laid": (put("hands", 1, "hand", value="p9h1"), "p2h1 has 0 results"),
    "a card that was not dealt": (put("hands", 0, "cards", 0, value=["5", "S"]), "dealt were"),
    "a dealer's card not dealt": (put("dealer", "cards", 0, value=["5", "S"]), "dealt were"),
    "an unknown result": (put("hands", 0, "engine_result", value="DRAW"), "unknown result 'DRAW'"),
    "a win that returns nothing": (put("hands", 1, "engine_result", value="WIN"), "WIN, and 0 returned"),
    "a net that is none": (put("hands", 0, "net", value=1.0), "net is not returned less stake"),
    "totals that are no sums": (put("returned_total", value=7.0), "not the sums"),
    "another round's number": (put("round", value=2), "round 2, expected 1"),
    "no shoe begun": (put("first_round_of_shoe", value=False), "first_round_of_shoe"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_does_not_know_is_refused(name: str, tmp_path: Path) -> None:
    check_refused(converter, SOURCE, 27, *REFUSED[name], tmp_path)


def test_a_field_given_twice_is_refused(tmp_path: Path) -> None:
    check_a_field_twice_is_refused(converter, tmp_path)
