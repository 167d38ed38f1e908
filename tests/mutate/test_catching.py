"""Which obligation catches which mutant: a play or a proof for each catch, and a reason where there is none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from verifier.cache import Cache
from verifier.log.yamltext import parse_yaml
from verifier.mutate.catching import Catching, catching
from verifier.mutate.caught import Caught
from verifier.report.caught import document, listed, text

BESIDE = """
theorem a_toll_is_owed "nobody is let across for nothing"
  for all k: Kind: toll(k) > 0

invariant who_is_charged_is_here "a toll is taken of somebody who is here"
  not charged or here exists

invariant a_raised_bridge_is_empty "who is charged is not kept waiting"
  not (raised and charged)
"""


@pytest.fixture
def rules(folder: Path) -> Path:
    path = folder / "bridge.rules"
    text = path.read_text("utf-8") + BESIDE
    path.write_text(text, "utf-8")
    return path


@pytest.fixture
def found(rules: Path) -> Catching:
    return catching(rules, [rules.parent / "transcripts"])


def named(found: Catching, kind: str, after: str) -> Caught:
    (one,) = (o for o in found.found if (o.mutant.kind, o.mutant.after) == (kind, after))
    return one


def by(one: Caught) -> Mapping[str, str]:
    return {catch.obligation: catch.shown for catch in one.catches}


def test_a_gap_torn_open_is_caught_after_a_play(found: Catching) -> None:
    torn = [o for o in found.found if o.mutant.kind == "rule" and o.mutant.rule == "1.1(a)"]
    (one,) = torn
    assert one.outcome == "caught"
    assert by(one)["gap toll"].startswith("after 4 events of ")


def test_a_theorem_that_fails_is_named(rules: Path) -> None:
    rules.write_text(rules.read_text("utf-8").replace("toll(k) = 50", "toll(k) = 1"), "utf-8")
    for path in (rules.parent / "transcripts").iterdir():
        path.write_text(path.read_text("utf-8").replace("amount=50", "amount=1"), "utf-8")
    found = catching(rules, [rules.parent / "transcripts"], only=["1.1(a):constant:*"])
    nothing = named(found, "constant", "0")
    assert "theorem a_toll_is_owed" in by(nothing)
    more = named(found, "constant", "2")
    assert more.outcome == "not caught"


def test_what_a_theorem_allows_is_not_caught_and_says_what_was_asked(found: Catching) -> None:
    more = named(found, "constant", "51")
    assert more.outcome == "not caught"
    assert more.catches == ()
    assert "1 theorem" in more.why


def test_a_rule_that_never_applies_is_proved_dead(found: Catching) -> None:
    (one,) = (o for o in found.found if o.mutant.kind == "rule" and o.mutant.rule == "1.2")
    assert by(one)["dead rule 1.2"].startswith("nowhere: z3, cvc5, every state, of whatever size")


def test_a_gap_and_a_clash_are_caught_where_no_transcript_is_about_the_rule(rules: Path) -> None:
    """The ruleset has no options, so that no play has to say any."""
    for path in (rules.parent / "transcripts").iterdir():
        if path.name != "raised.transcript.yaml":
            path.unlink()
    found = catching(rules, [rules.parent / "transcripts"], only=["1.1(a)"])
    (torn,) = (o for o in found.found if o.mutant.kind == "rule")
    assert "of raised.transcript.yaml" in by(torn)["gap toll"]
    (wide,) = (o for o in found.found if o.mutant.kind == "condition")
    assert "conflict toll 1.1(a) / 1.1(b)" in by(wide)


def test_what_is_refuted_of_the_original_catches_nothing(rules: Path) -> None:
    text = rules.read_text("utf-8").replace("toll(k) > 0", "toll(k) > 60")
    rules.write_text(text, "utf-8")
    found = catching(rules, [rules.parent / "transcripts"])
    assert not any("theorem a_toll_is_owed" in by(one) for one in found.found)


def test_an_invariant_catches_where_what_breaks_it_becomes_lawful(rules: Path) -> None:
    """The transcript `raised` breaks 1.2; without that rule it is lawful up to a state that the invariant denies."""
    text = rules.read_text("utf-8").replace("not (raised and charged)", "not (raised and crossed)")
    text = text.replace("  charged: bool\n", "  charged: bool\n  crossed: bool\n")
    text = text.replace("rule 1.1 ", "on cross(t)\n  crossed = yes\n\nrule 1.1 ", 1)
    rules.write_text(text, "utf-8")
    found = catching(rules, [rules.parent / "transcripts"], only=["1.2"])
    (one,) = (o for o in found.found if o.mutant.kind == "rule")
    shown = by(one)["invariant a_raised_bridge_is_empty"]
    assert shown == "after 4 events of raised.transcript.yaml, lawful now"
    kept = [o for o in found.found if o.mutant.kind == "condition"]
    assert not any("invariant a_raised_bridge_is_empty" in by(o) for o in kept)


def test_the_list_has_a_line_for_each_mutant_and_says_what_was_not_asked(found: Catching) -> None:
    whole = listed(found)
    assert parse_yaml(whole) == document(found)
    assert sum(line.startswith("  - {") for line in whole.splitlines()) == len(found.found) == found.total
    assert "not asked: " in whole
    assert f"{found.number('caught'):>6}  caught" in text(found, 100)


def test_each_that_is_caught_counts_once_by_the_strongest(found: Catching) -> None:
    by = document(found)["caught by"]
    assert sum(by.values()) == found.number("caught")
    stated = [o for o in found.found if {c.kind for c in o.catches} & {"theorem", "invariant", "reachable"}]
    dead = [o for o in found.found if o.catches and {c.kind for c in o.catches} == {"dead rule"}]
    assert (by["what is stated beside the rules"], by["its own rule found dead, and nothing else"]) == (
        len(stated),
        len(dead),
    )
    assert stated
    assert dead


def test_what_is_known_is_not_asked_again(rules: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    first = catching(rules, [rules.parent / "transcripts"], only=["1.2"], cache=cache)
    again = catching(rules, [rules.parent / "transcripts"], only=["1.2"], cache=cache)
    assert (first.cached, again.cached) == (0, len(first.found))
    assert first == again


def test_processes_make_no_difference(rules: Path) -> None:
    alone, both = (catching(rules, [rules.parent / "transcripts"], only=["1.1*"], jobs=n) for n in (1, 2))
    assert alone == both
