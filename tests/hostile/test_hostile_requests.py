"""Requests that make no sense are refused, not passed over."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.check.engine import check
from verifier.cli.app import run
from verifier.errors import LogError, RequestError

ROUND = Path(__file__).parents[2] / "examples" / "one-round.yaml"
RULES = "nz/blackjack-1998"


def test_a_manifest_for_a_log_that_has_its_own_header_is_refused(tmp_path: Path) -> None:
    manifest = tmp_path / "other.json"
    manifest.write_text("{}")
    with pytest.raises(RequestError) as caught:
        check([ROUND], RULES, manifest=manifest)
    assert caught.value.problems[0].code == "manifest-unused"


def test_no_event_comes_before_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", RULES, "--transcript", str(ROUND), "--at", "-1"]) == 2
    assert "-1 is not in the range x>=0" in capsys.readouterr().err


def test_a_written_value_out_of_range_is_told_in_one_sentence(tmp_path: Path) -> None:
    log = tmp_path / "round.yaml"
    log.write_text(ROUND.read_text("utf-8").replace("hand=B1H1", "hand=B8H1", 1), "utf-8")
    with pytest.raises(LogError) as caught:
        check([log], RULES)
    assert 'found "B8H1", expected dealer or B<place>H<no>' in caught.value.problems[0].message


def test_a_wager_of_unknown_order_is_not_late(tmp_path: Path) -> None:
    rows = """
ruleset: nz/blackjack-1998
unordered: [wager]
events:
- dealer close_bets
- dealer deal hand=B1H1 card=Ts
- dealer deal hand=dealer card=6d
- dealer deal hand=B1H1 card=9s
- dealer announce_total hand=B1H1 total=19
- player stand player=ann hand=B1H1
- dealer deal hand=dealer card=Tc
- dealer deal hand=dealer card=2c
- dealer announce_total hand=dealer total=18
- dealer pay player=ann hand=B1H1 kind=initial amount=1000
- dealer remove_cards hand=B1H1
- dealer remove_cards hand=dealer
- player wager player=ann box=1 kind=initial amount=1000
- dealer end_round
"""
    log = tmp_path / "late.yaml"
    log.write_text(rows, "utf-8")
    assert check([str(log)], "nz/blackjack-1998").entries == ()
    log.write_text(rows.replace("unordered: [wager]\n", ""), "utf-8")
    assert check([str(log)], "nz/blackjack-1998").entries


def test_a_log_is_never_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "round.yaml"
    words = (Path(__file__).parents[2] / "examples" / "one-round.yaml").read_text("utf-8")
    log.write_text(words, "utf-8")
    assert run(["check", str(log), "--rules", "nz/blackjack-1998", "--output", str(log)]) == 2
    assert "which is read" in capsys.readouterr().err
    assert log.read_text("utf-8") == words
    other = tmp_path / "report.txt"
    assert run(["check", str(log), "--rules", "nz/blackjack-1998", "--output", str(other)]) == 1
    assert other.stat().st_size > 1000
