"""Mutants of what no rule reads: killed where a theorem fails in a state that a transcript leads to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.cache import Cache
from verifier.mutate.run import Mutation, mutate
from verifier.mutate.trial import Outcome
from verifier.report.mutate_json import document
from verifier.report.mutate_text import text

STATED = """
define dear(k: Kind): bool = k = cart
define on_the_way: bool = here exists and not charged
define paid: bool = charged

theorem carts_are_dear
  for all k: Kind: dear(k) = (toll(k) > 100)

invariant who_was_charged_has_paid
  not charged or paid
"""


@pytest.fixture
def tried(folder: Path) -> Callable[..., Mutation]:
    """The bridge with statements of which no rule reads anything, or with others after them; its mutants."""

    def of(more: str = "", **settings: object) -> Mutation:
        rules = folder / "bridge.rules"
        if "carts_are_dear" not in (now := rules.read_text("utf-8")):
            rules.write_text(now + STATED + more, "utf-8")
        return mutate(rules, [folder / "transcripts"], **settings)  # type: ignore[arg-type]

    return of


def of(mutation: Mutation, rule: str, after: str) -> Outcome:
    (found,) = (o for o in mutation.outcomes if o.mutant.rule == rule and o.mutant.after == after)
    return found


def test_a_theorem_kills_what_it_reads_and_no_rule_does(tried: Callable[..., Mutation]) -> None:
    found = of(tried(), "define dear", "k != cart")
    assert found.verdict == "refuted"
    assert found.by == "theorem carts_are_dear"
    assert found.detail.startswith("it fails after 1 row of ")
    assert found.detail.endswith(".transcript.yaml")


def test_an_invariant_is_asked_where_a_transcript_is_without_fault(tried: Callable[..., Mutation]) -> None:
    found = of(tried(), "define paid", "not charged")
    assert (found.verdict, found.by) == ("refuted", "invariant who_was_charged_has_paid")
    assert "on-foot" in found.detail


def test_what_turns_no_theorem_survives(tried: Callable[..., Mutation]) -> None:
    mutation = tried()
    ways = [o for o in mutation.outcomes if o.mutant.rule == "define on_the_way"]
    assert ways
    assert {o.verdict for o in ways} == {"survived"}


def test_a_theorem_that_fails_of_the_rules_themselves_kills_nothing(tried: Callable[..., Mutation]) -> None:
    more = "\ndefine raised_now: bool = raised\n\ntheorem never_raised\n  not raised_now\n"
    mutation = tried(more)
    named = [o for o in mutation.outcomes if o.mutant.rule == "define raised_now"]
    assert named
    assert {o.verdict for o in named} == {"survived"}


def test_what_a_rule_reads_is_left_to_transcripts(tried: Callable[..., Mutation]) -> None:
    # The theorem would tell that carts pay 50, but no transcript that the mutant passes is needed for it.
    found = [o for o in tried().outcomes if o.mutant.rule == "1.1(b)"]
    assert found
    assert not {o.verdict for o in found} & {"refuted"}


def test_it_is_told_and_counted(tried: Callable[..., Mutation]) -> None:
    mutation = tried()
    number = mutation.counts["refuted"]
    assert number
    shown = text(mutation, 100)
    assert (
        f"{number:>6}  killed by a theorem or another obligation, which fails where transcripts lead" in shown
    )
    found = document(mutation)
    assert found["counts"]["refuted"] == number
    named = next(m for m in found["mutants"] if m["verdict"] == "refuted")
    assert named["by"].split(" ")[0] in ("theorem", "invariant")
    assert named["detail"].startswith("it fails after ")


def test_a_reason_for_it_is_needless(tried: Callable[..., Mutation]) -> None:
    killed = of(tried(), "define dear", "k != cart").mutant.id
    mutation = tried(reasons={killed: "nobody knows"})
    assert [o.mutant.id for o in mutation.needless] == [killed]


def test_which_transcript_kills_hangs_on_no_earlier_run(
    tried: Callable[..., Mutation], folder: Path, tmp_path: Path
) -> None:
    cache = Cache(tmp_path / "cache")
    tried(cache=cache)
    known = folder / "transcripts" / "with-a-cart.transcript.yaml"
    (folder / "transcripts" / "a-cart-first.transcript.yaml").write_text(
        known.read_text("utf-8") + "# again\n"
    )
    again = tried(cache=cache)
    assert again.outcomes == tried().outcomes
    assert {Path(o.by).name for o in again.outcomes} >= {"a-cart-first.transcript.yaml"}
    assert 0 < again.cached < len(again.outcomes)


def test_what_is_refuted_is_kept(tried: Callable[..., Mutation], tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    first = tried(cache=cache)
    again = tried(cache=cache)
    assert again == first
    assert again.cached == len(first.outcomes)
