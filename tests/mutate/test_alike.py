"""A mutant is not asked where it answers as the original does: what catches it stays the same."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from verifier.mutate import alike
from verifier.mutate.alike import Alike, Answers
from verifier.mutate.asking import MOST_TRIED
from verifier.mutate.catching import catching
from verifier.mutate.caught import Caught
from verifier.mutate.played import At, lines
from verifier.mutate.workshop import Workshop, workshop
from verifier.prove.obligations import decisions
from verifier.resources import root

NZ_1994 = root("rulesets") / "nz" / "blackjack-1994.rules"
ROUNDS = Path(__file__).parents[1] / "nz_1994" / "transcripts"

SAMPLE = ("4.1(e):*", "define blackjack:limb:*")


def caught(rules: Path, transcripts: Path, only: Iterable[str] = ()) -> tuple[Caught, ...]:
    return catching(rules, [transcripts], only=tuple(only)).found


def everything_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def differs(self: Alike, at: At, ids: Iterable[str]) -> bool:
        return False

    monkeypatch.setattr(Alike, "everywhere", differs)


def test_the_catches_are_those_of_asking_everywhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    screened = caught(folder / "bridge.rules", folder / "transcripts")
    everything_asked(monkeypatch)
    assert screened == caught(folder / "bridge.rules", folder / "transcripts")


def test_they_are_in_a_whole_law(monkeypatch: pytest.MonkeyPatch) -> None:
    screened = caught(NZ_1994, ROUNDS, SAMPLE)
    assert {one.outcome for one in screened} == {"caught", "not caught"}
    everything_asked(monkeypatch)
    assert screened == caught(NZ_1994, ROUNDS, SAMPLE)


def test_it_makes_no_difference_when_answers_are_forgotten(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = caught(folder / "bridge.rules", folder / "transcripts")
    monkeypatch.setattr(alike, "MOST_KEPT", -1)
    assert kept == caught(folder / "bridge.rules", folder / "transcripts")


CLASHING = """
rule 1.1(b) [more] "where the traveller brings a cart"
  toll(k) = 300 when k = cart

rule 1.1(b) [less] "brings a cart"
  toll(k) = 100 when k = cart and raised
"""


def test_a_second_clash_is_seen_where_two_rules_clash_already(folder: Path) -> None:
    """Whether any two rules clash comes out as before; which do, does not."""
    rules = folder / "bridge.rules"
    rules.write_text(rules.read_text("utf-8") + CLASHING, "utf-8")
    for path in (folder / "transcripts").iterdir():
        path.unlink()
    text = 'ruleset: bridge\nevents:\n- traveller arrive traveller=ann\nexpect: {faults: [], kept: ["1.1(b) [less]"]}\n'
    (folder / "transcripts" / "arrives.transcript.yaml").write_text(text, "utf-8")
    found = caught(rules, folder / "transcripts", ["1.1(b) [less]"])
    named = {catch.obligation for one in found for catch in one.catches}
    assert {"conflict toll 1.1(b) / 1.1(b) [less]", "conflict toll 1.1(b) [more] / 1.1(b) [less]"} <= named
    assert "conflict toll 1.1(b) / 1.1(b) [more]" not in named


@pytest.fixture
def made(folder: Path) -> tuple[Workshop, At, Answers]:
    shop = workshop(folder / "bridge.rules")
    plays = lines(shop.original, [folder / "transcripts"])
    program = shop.original.program
    asked = {o.id: o.question for o in decisions.obligations(program) if o.question is not None}
    return shop, At(plays.lines[0], 1), Answers(program, asked, MOST_TRIED)


def test_what_was_answered_is_told_with_who_asked(made: tuple[Workshop, At, Answers]) -> None:
    _, at, answers = made
    moment = answers.at(at, ["gap toll"])
    assert moment.asked == {"gap toll"}
    assert moment.true == set()
    assert len(moment.memo) > 0
    assert answers.at(at, ["gap toll"]) is moment


def test_what_was_given_up_is_known(made: tuple[Workshop, At, Answers]) -> None:
    shop, at, answers = made
    answers = Answers(shop.original.program, answers.questions, 0)
    assert answers.at(at, ["gap toll"]).spent == {"gap toll"}
