"""What solvers and play tell of mutants that no transcript kills."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from verifier.check.engine import prepare
from verifier.mutate.files import keep_witnesses
from verifier.mutate.prover import prover
from verifier.mutate.run import Mutation, mutate
from verifier.mutate.trial import Outcome
from verifier.mutate.witness import as_it_was
from verifier.prove.explore.explorer import Explorer
from verifier.prove.extent import scopes
from verifier.prove.solve import Settings
from verifier.report.mutate_json import document
from verifier.report.mutate_text import text

BRIDGE = Path(__file__).parents[1] / "cli" / "bridge"


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Mutation:
    """The bridge, with a rule whose condition says the same thing twice; no transcripts at all."""
    own = tmp_path_factory.mktemp("own") / "bridge"
    shutil.copytree(BRIDGE, own)
    rules = own / "bridge.rules"
    rules.write_text(
        rules.read_text("utf-8").replace("when raised", "when raised and (raised or charged)"), "utf-8"
    )
    return mutate(rules, (), prover=lambda ready: prover(ready, Settings(("z3",))))


def test_what_differs_only_where_there_are_five_is_not_proved_the_same(tmp_path: Path) -> None:
    rules = tmp_path / "jetty.rules"
    shutil.copy(BRIDGE.parents[1] / "prove" / "rules" / "counted-jetty.rules", rules)
    found = mutate(rules, (), prover=lambda ready: prover(ready, Settings(("z3",))))
    bounds = [o for o in found.outcomes if o.mutant.before.endswith(">= 5")]
    assert {o.verdict for o in bounds} == {"survived"}
    assert len(bounds) >= 3


def test_what_differs_only_where_no_event_leads_is_proved_the_same(tmp_path: Path) -> None:
    """Whoever has a seat is aboard, however many there are: no state has one that is not."""
    rules = tmp_path / "jetty.rules"
    shutil.copy(BRIDGE.parents[1] / "prove" / "rules" / "counted-jetty.rules", rules)
    found = mutate(rules, (), prover=lambda ready: prover(ready, Settings(), witnesses=False))
    (same,) = [o for o in found.outcomes if o.verdict == "equivalent"]
    assert (same.mutant.before, same.mutant.after) == ("where s.aboard", "")
    assert same.by.startswith("z3, cvc5: of every state that the types allow (")
    assert "where, as wherever events lead and whatever the size: every" in same.by


def test_nor_is_it_where_some_event_leads_there(tmp_path: Path) -> None:
    rules = tmp_path / "jetty.rules"
    text = (BRIDGE.parents[1] / "prove" / "rules" / "counted-jetty.rules").read_text("utf-8")
    event = "event leave by keeper\n"
    rules.write_text(
        text.replace(
            event, f"{event}event alight(who: Guest) by guest\n\non alight(g)\n  Seat(g).aboard = no\n"
        ),
        "utf-8",
    )
    found = mutate(rules, (), prover=lambda ready: prover(ready, Settings(("z3",)), witnesses=False))
    assert found.counts["equivalent"] == 0


def named(tried: Mutation, kind: str, before: str, after: str) -> Outcome:
    (found,) = (
        o for o in tried.outcomes if (o.mutant.kind, o.mutant.before, o.mutant.after) == (kind, before, after)
    )
    return found


def test_what_says_the_same_is_proved_to_change_nothing(tried: Mutation) -> None:
    found = named(tried, "limb", "raised and (raised or charged)", "raised")
    assert found.verdict == "equivalent"
    assert found.by.startswith("z3: of every state that the types allow (")


def test_what_says_something_else_is_not(tried: Mutation) -> None:
    found = named(tried, "limb", "raised and (raised or charged)", "(raised or charged)")
    assert found.verdict == "survived"
    assert found.witness


def test_a_gap_that_it_tears_kills(tried: Mutation) -> None:
    found = named(tried, "rule", "toll(k) = 50 when k = foot", "never applies")
    assert found.verdict == "proved"
    assert found.by.startswith("gap toll")


def test_a_witness_kills_and_the_original_fulfils_it(tried: Mutation, tmp_path: Path) -> None:
    survivors = {o.mutant.id for o in tried.survivors}
    assert survivors
    number = keep_witnesses(tmp_path, tried)
    assert number == len(list(tmp_path.iterdir())) > 0
    rules = Path(tried.survivors[0].mutant.place.file)
    again = mutate(rules, [tmp_path])
    killed = {o.mutant.id for o in again.outcomes if o.verdict == "killed"}
    assert {o.mutant.id for o in tried.survivors if o.witness} <= killed


def test_an_explorer_is_left_as_it_was(tried: Mutation) -> None:
    ready = prepare(Path(tried.survivors[0].mutant.place.file))
    explorer = Explorer(ready.program, scopes(ready.program)[0])
    explorer.run(40)
    before = [node.play() for node in explorer.corpus.nodes], explorer.rng.getstate(), explorer.runner.taken
    with as_it_was(explorer):
        explorer.run(20)
    after = [node.play() for node in explorer.corpus.nodes], explorer.rng.getstate(), explorer.runner.taken
    assert after == before
    assert len(explorer.corpus.seen) == len(explorer.corpus.nodes)


def test_the_reports_show_the_witness(tried: Mutation) -> None:
    shown = text(tried, 100)
    assert "a transcript that would kill it:" in shown
    found = {m["id"]: m["witness"] for m in document(tried)["mutants"]}
    assert any(found.values())
    assert all(found[o.mutant.id] == (o.witness or None) for o in tried.outcomes)


# --------------------------------------------------------------------------------- when an answer is due
FERRY_LAW = """---
title: The Ferry
instrument: The by-law of a ferry, made up to try the tool
issue: unknown
dates:
  - what: made
    date: unknown
    source: nobody ever made it
in force:
  from: unknown
  until: unknown
  source: it never was
provenance:
  received: nothing was received
  sha256: 0000000000000000000000000000000000000000000000000000000000000000
  lines: 1-1
elsewhere: {}
missing: []
---
# 1.0 Fares

1.1 What a crossing costs is asked:
  (a) one coin by day.

# 2.0 The master

2.1 The master may take the fare.
"""

FERRY = """ruleset ferry
law ferry
actors master
life day ends moor

decision fare: 1..9

state day
  laden: bool
  paid: bool

event load by master
event charge(n: 1..9) by master
  claims n = fare
event moor by master

on load
  laden = yes
on charge(n)
  paid = yes

rule 1.1 "What a crossing costs is asked"
  given laden
  asked fare when not paid and laden

rule 1.1(a) "one coin by day"
  fare = 1

rule 2.1 "The master may take the fare"
  master may charge(any)
"""


@pytest.fixture(scope="module")
def ferry(tmp_path_factory: pytest.TempPathFactory) -> Mutation:
    rules = tmp_path_factory.mktemp("ferry") / "ferry.rules"
    rules.write_text(FERRY, "utf-8")
    rules.with_suffix(".law").write_text(FERRY_LAW, "utf-8")
    return mutate(rules, (), only=("1.1:*",), prover=lambda ready: prover(ready, Settings()))


def test_what_says_twice_when_an_answer_is_due_is_proved_to_change_nothing(ferry: Mutation) -> None:
    (said_twice,) = [
        o for o in ferry.outcomes if o.mutant.before == "not paid and laden" and o.mutant.after == "not paid"
    ]
    assert said_twice.verdict == "equivalent"


def test_what_has_an_answer_due_at_other_times_is_not(ferry: Mutation) -> None:
    (other,) = [
        o for o in ferry.outcomes if o.mutant.before == "not paid and laden" and o.mutant.after == "laden"
    ]
    assert other.verdict == "survived"
    assert other.witness, "a second charge is early"
