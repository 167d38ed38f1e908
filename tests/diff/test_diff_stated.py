"""Two names of one thing, by which two laws call it: compared as one where somebody states it, and never otherwise."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.diff.stated import Stated, stated
from verifier.diff.unify import unify
from verifier.diff.whole import compare
from verifier.errors import RequestError
from verifier.exits import Exit
from verifier.model.load import load

MakeRules = Callable[..., Path]
Gazette = Callable[..., tuple[int, str]]

HOIST = (
    ("event raise by", "event hoist by"),
    ("on raise", "on hoist"),
    ("keeper may raise when", "keeper may hoist when"),
)
FARE = (
    ("amount = toll(kind)", "amount = fare(kind)"),
    ("decision toll(", "decision fare("),
    ("  toll(k) = 50", "  fare(k) = 50"),
    ("  toll(k) = 200", "  fare(k) = 200"),
)
WAGON = (("foot | cart", "foot | wagon"), ("when k = cart", "when k = wagon"))
UP = (
    ("  raised: bool", "  up: bool"),
    ("  raised = yes", "  up = yes"),
    ("cross when raised", "cross when up"),
    ("raise when not raised", "raise when not up"),
)
LANES = (("option lanes:", "option ways:"),)
WARDEN = (
    ("actors traveller, keeper", "actors traveller, warden"),
    ("by keeper", "by warden"),
    ("  keeper must", "  warden must"),
    ("  keeper may", "  warden may"),
)
RENAMED = {
    "raise=hoist": HOIST,
    "toll=fare": FARE,
    "Kind.cart=Kind.wagon": WAGON,
    "raised=up": UP,
    "lanes=ways": LANES,
    "keeper=warden": WARDEN,
}
"""One thing of the bridge by another name, and how that is stated."""


@pytest.mark.parametrize("what", RENAMED)
def test_what_is_only_called_otherwise_means_the_same_where_that_is_stated(
    rules: MakeRules, what: str
) -> None:
    whole = compare(load(rules()), load(rules(*RENAMED[what])), same=[what])
    assert whole.exit == Exit.HOLDS
    assert whole.meaning is not None
    old, new = (part.rpartition(".")[2] for part in what.split("="))
    (note,) = (n for n in whole.meaning.notes if "stated" in n)
    assert note.startswith(f"{new} ")
    assert f"is taken for {old} (old), as was stated and is not proved" in note


@pytest.mark.parametrize(
    "what", ["raise=hoist", "toll=fare", "Kind.cart=Kind.wagon", "raised=up", "lanes=ways"]
)
def test_without_a_word_nothing_is_taken_for_another(rules: MakeRules, what: str) -> None:
    whole = compare(load(rules()), load(rules(*RENAMED[what])))
    assert whole.exit != Exit.HOLDS
    assert whole.meaning is not None
    assert not any("as was stated" in note for note in whole.meaning.notes)


def test_a_difference_is_found_under_the_other_name(rules: MakeRules) -> None:
    fewer = ("keeper may hoist when not raised", "keeper may hoist when not raised and not charged")
    whole = compare(load(rules()), load(rules(*HOIST, fewer)), same=["raise=hoist"])
    (norm,) = whole.norms
    assert norm.turn == "narrower"
    assert norm.told is not None
    assert [(r.event, r.binds, r.where) for r in norm.told.regions] == [
        ("raise", "old", "charged and not raised")
    ]
    dearer = ("  fare(k) = 200", "  fare(k) = 300")
    whole = compare(load(rules()), load(rules(*FARE, dearer)), same=["toll=fare"])
    assert whole.meaning is not None
    (matter,) = whole.meaning.matters
    assert matter.verdict == "different"
    (region,) = matter.differences
    assert region.where == "k = cart"
    assert region.example is not None
    assert (region.example.old.value, region.example.new.value) == ("200", "300")


def test_acts_that_take_the_same_and_are_not_compared_are_named(rules: MakeRules) -> None:
    pair = ("event leave by traveller", "event sell(kind: Kind) by keeper\nevent leave by traveller")
    other = ("event leave by traveller", "event hire(kind: Kind) by keeper\nevent leave by traveller")
    alone = ("event leave by traveller", "event hire(kind: Kind) by traveller\nevent leave by traveller")
    old = load(rules(pair))
    said = "hire (new) takes what sell (old) takes, and is not compared with it: --same sell=hire has them"
    assert any(note.startswith(said) for note in unify(old, load(rules(other))).notes)
    assert not unify(old, load(rules(alone))).notes
    one = (Stated("act", "", "sell", "hire"),)
    assert unify(old, load(rules(other)), one).notes == (one[0].said,)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("raise", "not of the form OLD=NEW"),
        ("raise=", "not of the form OLD=NEW"),
        ("raise=hoist=lift", "not of the form OLD=NEW"),
        ("rise=hoist", "the old ruleset has no rise"),
        ("raise=host", "the new ruleset has no host"),
        ("raise=toll", "raise and toll are not of one kind"),
        ("cross=hoist", "the new ruleset has cross too"),
        ("Kind.cart=Sort.cart", "not parts of one thing"),
        ("Kind.cart=Kind.kart", "the new ruleset has no Kind.kart"),
        ("raise=charge", "they do not take the same"),
    ],
)
def test_what_is_stated_must_name_what_one_side_alone_calls_so_and_fit(
    rules: MakeRules, text: str, said: str
) -> None:
    old, new = load(rules()), load(rules(*HOIST))
    with pytest.raises(RequestError) as raised:
        unify(old, new, stated(old, new, [text]))
    (problem,) = raised.value.problems
    assert said in problem.message
    assert problem.message.startswith(f"--same {text}: ")
    assert problem.help


def test_one_name_cannot_stand_for_two(rules: MakeRules) -> None:
    two = ("event leave by traveller", "event lift by keeper\nevent leave by traveller")
    old, new = load(rules()), load(rules(*HOIST, two))
    assert len(stated(old, new, ["raise=hoist", "raise=hoist"])) == 1
    with pytest.raises(RequestError) as raised:
        stated(old, new, ["raise=hoist", "raise=lift"])
    assert "raise=hoist was stated already" in str(raised.value)


def test_a_page_is_stale_where_something_else_is_stated(
    gazette: Gazette, rules: MakeRules, tmp_path: Path
) -> None:
    old, new, page = rules(), rules(*HOIST), tmp_path / "page.md"
    one = ("--same", "raise=hoist")
    assert gazette("diff", old, new, *one, "--format", "markdown", "-o", page)[0] == 0
    assert "as was stated and is not proved" in page.read_text()
    assert gazette("diff", old, new, *one, "--check-report", page)[0] == 0
    assert gazette("diff", old, new, "--check-report", page)[0] == 1
    assert gazette("diff", old, new, "--same", "rise=hoist", "--check-report", page)[0] == 2
    assert json.loads(gazette("diff", old, new, *one, "--format", "json")[1])["same"] == [
        {"kind": "act", "within": "", "old": "raise", "new": "hoist"}
    ]
