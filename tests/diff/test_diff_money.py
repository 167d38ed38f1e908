"""What an example's settlement brings: of one unit staked, whatever else a wager has that is money."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from verifier.diff import table
from verifier.diff.matter import Matter
from verifier.diff.regions import examples
from verifier.diff.sides import Example, Gain, Sides
from verifier.diff.whole import WholeDiff, compare
from verifier.model.load import load
from verifier.model.terms import Term
from verifier.prove.question import Sometimes
from verifier.report.diff_meaning import money

ROOT = Path(__file__).parents[2]
STALL = ROOT / "tests" / "new_game"
MOVED = (
    ("  amount: money\n", "  amount: money\n  settled: money\n"),
    ("due earned(stake)\n\nevent collect", "due earned(stake) - stake.settled\n\nevent collect"),
    ("on pay(s, a)\n", "on pay(s, a)\n  s.settled = s.settled + a\n"),
)
NEEDS = (
    (
        "  needs stake.open\n  claims outcome(stake) = win",
        "  needs stake.open and amount > 0\n  claims outcome(stake) = win",
    ),
)


def compared(folder: Path, stall: tuple[tuple[str, str], ...]) -> WholeDiff:
    """The stall's rules, and the same with a pebble that pays one more, over a stall with `stall` replaced."""
    paths = []
    for name in ("old", "new"):
        (folder / name).mkdir()
        for path in STALL.glob("pebble*"):
            text = path.read_text("utf-8")
            for was, now in stall if path.name == "pebble-stall.rules" else ():
                assert was in text
                text = text.replace(was, now)
            (folder / name / path.name).write_text(text, "utf-8")
        paths.append(folder / name / "pebbles.rules")
    text = paths[1].read_text("utf-8")
    assert "= 5 to 1" in text
    paths[1].write_text(text.replace("= 5 to 1", "= 6 to 1"), "utf-8")
    return compare(load(paths[0]), load(paths[1]))


@pytest.mark.parametrize("stall", [(), MOVED, NEEDS, MOVED + NEEDS])
def test_of_one_unit_staked_either_side_says_what_it_brings(
    tmp_path: Path, stall: tuple[tuple[str, str], ...]
) -> None:
    whole = compared(tmp_path, stall)
    assert whole.meaning is not None
    (odds,) = [m for m in whole.meaning.matters if m.verdict == "different"]
    (difference,) = odds.differences
    assert (difference.where, difference.proved_by) == ("yes", ("z3", "cvc5"))
    assert difference.example is not None
    gains = [difference.example.old.gain, difference.example.new.gain]
    assert difference.change == 1
    assert [(g and g.event, g and g.amount) for g in gains] == [("pay", Fraction(5)), ("pay", Fraction(6))]


@pytest.mark.parametrize(("untold", "taken"), [((), 0), ((0,), 1), ((0, 1), 2), ((0, 1, 2), 0)])
def test_an_example_that_tells_the_money_of_both_sides_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, untold: tuple[int, ...], taken: int
) -> None:
    real = Sides.example
    seen: list[Example] = []

    def example(sides: Sides, matter: Matter, at: Sometimes, condition: Term) -> Example | None:
        shown = real(sides, matter, at, condition)
        assert shown is not None
        if len(seen) in untold:
            shown = replace(shown, new=replace(shown.new, gain=Gain("pay", None, "nobody can tell")))
        seen.append(shown)
        return shown

    monkeypatch.setattr(Sides, "example", example)
    monkeypatch.setattr(table, "examples", lambda *given: list(examples(*given))[:1] * 3)
    whole = compared(tmp_path, ())
    assert whole.meaning is not None
    (odds,) = [m for m in whole.meaning.matters if m.verdict == "different"]
    assert odds.differences[0].example is seen[taken]


def test_an_example_is_of_something_that_an_event_can_make(tmp_path: Path) -> None:
    text = (ROOT / "rulesets" / "uk" / "blackjack-1994.rules").read_text("utf-8")
    text = text[: text.index("theorem ")]  # with no invariant that says so
    now = text.replace("odds(w) = 3 to 2 when by_two_cards", "odds(w) = 6 to 5 when by_two_cards")
    assert now != text
    for name, rules in (("old", text), ("new", now)):
        (tmp_path / f"{name}.rules").write_text(rules, "utf-8")
    whole = compare(load(tmp_path / "old.rules"), load(tmp_path / "new.rules"))
    assert whole.meaning is not None
    (odds,) = [m for m in whole.meaning.matters if m.verdict == "different"]
    (difference,) = odds.differences
    assert difference.example is not None
    assert difference.example.values == (("w", "Wager(player1, B1H1, initial)"),)  # not at the banker's place


def test_where_the_difference_hangs_on_the_stake_the_example_has_one_that_shows_it(tmp_path: Path) -> None:
    """With one unit staked both sides say the same, and nothing would be shown."""
    for path in STALL.glob("pebble*"):
        (tmp_path / path.name).write_text(path.read_text("utf-8"), "utf-8")
    old = load(tmp_path / "pebbles.rules")
    rules = tmp_path / "pebbles.rules"
    text = rules.read_text("utf-8")
    red = "  odds(s) = 5 to 1 when s.colour = red\n"
    assert red in text
    high = red.replace("5 to 1", "6 to 1").replace("red\n", "red and s.amount >= 100\n")
    rules.write_text(text.replace(red, red.replace("red\n", "red and s.amount < 100\n") + high), "utf-8")
    whole = compare(old, load(rules))
    assert whole.meaning is not None
    (odds,) = [m for m in whole.meaning.matters if m.verdict == "different"]
    (difference,) = odds.differences
    example = difference.example
    assert example is not None
    assert (example.old.value, example.new.value) == ("5 to 1", "6 to 1")
    assert not example.staked
    said = money(difference)
    assert said is not None
    assert said.startswith("in the example the house then pays +500, now +600")
