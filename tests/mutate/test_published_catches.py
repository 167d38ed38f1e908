"""The published lists of what catches which mutant: they are of today's rules, and what they say can be seen again."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from verifier.log.yamltext import parse_yaml
from verifier.mutate.asking import barred, clashing, general
from verifier.mutate.catching import catching
from verifier.mutate.played import lines
from verifier.mutate.run import select
from verifier.mutate.walk import mutants
from verifier.mutate.workshop import Workshop, workshop
from verifier.prove.explore.evaluate import true_at
from verifier.prove.explore.replay import replay
from verifier.report.caught import document
from verifier.resources import root

TESTS = Path(__file__).parents[1]

TRANSCRIPTS = {"nz/blackjack-1994": "nz_1994", "nz/blackjack-1998": "nz"}

ALL = os.environ.get("GAZETTE_TESTS", "") == "all"

SAMPLE = 12 if ALL else 24
"""One in so many mutants of the one-page law is tried again."""

LISTS = sorted(root("reports").rglob("*.mutants.yaml"))

PLAYED = re.compile(r"after (\d+) events? of (.*?)(, lawful now)?")


def read(path: Path) -> dict[str, Any]:
    found = parse_yaml(path.read_text("utf-8"))
    assert isinstance(found, dict)
    return found


def entries(published: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return {entry["id"]: entry for several in published["rules"].values() for entry in several}


@pytest.fixture(scope="module")
def page() -> Workshop:
    return workshop(root("rulesets") / "nz" / "blackjack-1994.rules")


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.name)
def test_a_published_list_is_of_the_rules_as_they_stand(path: Path) -> None:
    published = read(path)
    shop = workshop(root("rulesets") / f"{published['ruleset']}.rules")
    assert published["sha256"] == shop.original.ruleset.digest, (
        f"write it anew: gazette mutate {published['ruleset']} --by theorems --report {path.name} -t …"
    )
    every = tuple(mutants(shop.modules))
    assert published["mutants"]["all"] == len(every)
    assert list(entries(published)) == [mutant.id for mutant in select(every, published["only"])]
    for entry in entries(published).values():
        assert len(entry.keys() & {"caught", "not caught", "refused"}) == 1
    assert sum(published["mutants"][o] for o in ("caught", "not caught", "refused")) == len(
        entries(published)
    )
    assert sum(published["caught by"].values()) == published["mutants"]["caught"]


@pytest.mark.parametrize("name", TRANSCRIPTS if ALL else ["nz/blackjack-1994"])
def test_a_published_list_says_what_is_found_again(name: str) -> None:
    published = read(root("reports") / f"{name}.mutants.yaml")
    sample = list(entries(published))[:: SAMPLE if name == "nz/blackjack-1994" else 20 * SAMPLE]
    rules = root("rulesets") / f"{name}.rules"
    found = catching(rules, [TESTS / TRANSCRIPTS[name] / "transcripts"], only=sample)
    assert entries(document(found)) == {mutant: entries(published)[mutant] for mutant in sample}


def test_a_published_play_leads_to_where_the_obligation_fails(page: Workshop) -> None:
    """Without the code that looked for it: events of the file, judged anew, and the question asked where they end."""
    published = read(root("reports") / "nz" / "blackjack-1994.mutants.yaml")
    plays = {
        line.name: line
        for line in lines(page.original, [TESTS / "nz_1994" / "transcripts"]).lines
        if line.name.endswith(".yaml")
    }
    by_id = {mutant.id: mutant for mutant in mutants(page.modules)}
    seen = 0
    for mutant, entry in list(entries(published).items())[5 :: 2 * SAMPLE]:
        program = page.made(by_id[mutant]).program if "caught" in entry else page.original.program
        rule = (by_id[mutant].rule,)
        asked = {o.id: o for o in (*general(program), *clashing(program, rule), *barred(program, rule))}
        for obligation, shown in entry.get("caught", {}).items():
            told = PLAYED.fullmatch(shown)
            if told is None or told[2] not in plays or obligation not in asked:
                continue
            line = plays[told[2]]
            question = asked[obligation].question
            play = replay(program, line.options, line.happenings[: int(told[1])])
            assert play is not None
            assert question is not None
            assert play.lawful or "words" in asked[obligation].modes
            assert true_at(program, play.state, play.options, question) is not None
            seen += 1
    assert seen > 3
