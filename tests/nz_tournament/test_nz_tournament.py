"""Every rule of Division 7 that binds or decides, in logs that keep it and that break it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shown import unlike
from tournament_cases import OPTIONS, RULESET, Case, cases, cited, place_of, ready, shown

from verifier.check.engine import check
from verifier.coverage.unshown import read_unshown
from verifier.resources import root
from verifier.transcripts.case import ENDING


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_the_check_finds_what_the_case_expects(case: Case) -> None:
    found = shown()[case.name]
    assert [cited(entry) for entry in found.entries] == list(case.faults), found.told
    assert tuple(place_of(entry) for entry in found.entries) == found.wanted, found.told
    short = {short.who: str(short.amount) for entry in found.entries for short in entry.short}
    assert short == {who: str(amount) for who, amount in case.short.items()}, found.told
    assert [rule for rule in case.kept if rule not in found.kept] == []
    assert not found.unclear


def test_no_increment_is_displayed_under_a_rule_that_does_not_apply(tmp_path: Path) -> None:
    for increment, faults in ((0, []), (50, [("option", ["2.2(a)"])])):
        options = json.dumps(OPTIONS | {"minimum_increment": increment})
        path = tmp_path / f"{increment}.yaml"
        sign = "operator display_limits minimum_wager=1 maximum_wager=2"
        path.write_text(f"ruleset: {RULESET}\noptions: {options}\nevents:\n- {sign}\n", "utf-8")
        found = [(e.lead.kind, [c.rule for c in e.lead.citations]) for e in check([path], ready()).entries]
        assert found == faults


NAMED_BY_OTHERS = {
    "6.8": "says who is placed where; a prize is claimed under 3.4 and 6.11",
    "6.8 [places]": "as 6.8",
    "6.10": "as 6.8",
}
"""Rules that a check never cites, since what they decide is claimed under another's name: cases are about them."""

UNSHOWN = read_unshown(root("rulesets") / f"{RULESET}.unshown.yaml")

NEVER_KEPT = {rule for rule, said in UNSHOWN.items() if said.kept is not None}
"""Rules of which no log can show that they were kept."""

NEVER_BROKEN = {rule for rule, said in UNSHOWN.items() if said.broken is not None}
"""Rules that nobody can break."""


def binding() -> set[str]:
    """The rules of Division 7 that bind or decide."""
    ruleset = ready().ruleset
    found = {unit.rule for unit in ruleset.units.values()}
    found |= {question.rule for question in ruleset.questions}
    return {rule for rule in found if not ruleset.rules[rule].base}


def test_each_rule_that_binds_or_decides_is_kept_and_broken() -> None:
    kept: set[str] = set()
    broken: set[str] = set()
    for case in cases():
        kept.update(case.kept)
        for _, rules in case.faults:
            broken |= rules
    about = {case.rule for case in cases()}
    assert binding() - kept - NAMED_BY_OTHERS.keys() == NEVER_KEPT
    assert binding() - broken - NAMED_BY_OTHERS.keys() == NEVER_BROKEN
    assert NAMED_BY_OTHERS.keys() <= about


def test_cases_are_about_rules_that_there_are() -> None:
    rules = ready().ruleset.rules
    assert [case.rule for case in cases() if case.rule not in rules] == []
    assert len({case.name for case in cases()}) == len(cases())


TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob(f"*{ENDING}"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.name)
def test_a_check_finds_what_a_transcript_expects(path: Path) -> None:
    assert unlike(RULESET, path) == []
