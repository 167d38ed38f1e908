"""Every rule of New Zealand 1998 that binds or decides, in transcripts that keep it and that break it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from nz_transcripts import (
    FOLDER,
    Expectation,
    Shown,
    UnreadableError,
    files,
    name_of,
    read_about,
    show,
    shown_of,
    unlike,
)

from verifier.check.engine import Prepared
from verifier.coverage.unshown import read_unshown
from verifier.law import clauses_with, find_quote, nearest_words
from verifier.model.ruleset import Ruleset
from verifier.resources import root
from verifier.transcripts.expectation import Expectation as Expected
from verifier.transcripts.expectation import Fault

RULESET = "nz/blackjack-1998"

HERE = Path(__file__).parent

SECTIONS = range(1, 17)
"""The sections of the law whose transcripts are complete."""

READABLE = 40
"""Events that a round of a transcript has at most."""

_TOTALS = "says what a card counts; a total is announced, and a wager settled, under the rules that read it"
_CUTTER = "says whose the cut is; it is offered under 7.3"

DECIDES_FOR_OTHERS = {
    "1.0 [Blackjack]": "says what a blackjack is; it is paid, and stands off, under the rules that read it",
    "4.1(a)": _TOTALS,
    "4.1(b)": _TOTALS,
    "4.1(c) [eleven]": _TOTALS,
    "4.1(c) [one]": _TOTALS,
    "7.3(a)": _CUTTER,
    "7.3(b)": _CUTTER,
    "7.3(c)": _CUTTER,
    "7.3(d)": _CUTTER,
    "12.4(c)": "says what is no blackjack; such a hand is paid, and stands off, under the rules that read it",
}
"""Rules that a check never cites, since what they decide is claimed under another's name: transcripts are about
them, and break the rules that read them."""

UNSHOWN = read_unshown(root("rulesets") / "nz" / "blackjack-1998.unshown.yaml")

NEVER_KEPT = {rule for rule, said in UNSHOWN.items() if said.kept is not None}
"""Rules of which no log can show that they were kept."""

NEVER_BROKEN = {rule for rule, said in UNSHOWN.items() if said.broken is not None}
"""Rules that nobody can break."""


def names(rules: set[str]) -> str:
    return ", ".join(sorted(rules)) or "none"


def section(rule: str) -> int:
    return int(rule.partition(".")[0])


def binding(ruleset: Ruleset) -> Iterator[str]:
    """The rules of the sections covered that bind or decide."""
    found = {unit.rule for unit in ruleset.units.values()}
    found |= {question.rule for question in ruleset.questions}
    found |= {requirement.rule for requirement in ruleset.requirements}
    return (rule for rule in ruleset.rules if rule in found and section(rule) in SECTIONS)


@pytest.fixture(scope="session")
def expectations() -> dict[str, Expectation]:
    return {name_of(path): shown_of(RULESET, HERE, path)[0] for path in files()}


# ------------------------------------------------------------------------------------------- the transcripts
@pytest.mark.parametrize("path", files(), ids=name_of)
def test_the_check_finds_what_the_transcript_expects(path: Path) -> None:
    _, shown = shown_of(RULESET, HERE, path)
    differences = unlike(shown)
    assert not differences, "\n" + "\n".join(differences)
    rounds = path.read_text("utf-8").count("\n- - ")
    assert shown.result.events <= READABLE * max(1, rounds)


@pytest.mark.parametrize("path", files(), ids=name_of)
def test_a_transcript_is_about_the_words_of_its_clause(
    path: Path, blackjack: Prepared, expectations: dict[str, Expectation]
) -> None:
    shown = expectations[name_of(path)]
    rule = blackjack.ruleset.rules.get(shown.rule)
    assert rule is not None, f"about: the ruleset has no rule {shown.rule}"
    assert f"{section(shown.rule):02}" == path.parent.name, "the folder is named for the section"
    law = blackjack.ruleset.law
    assert law is not None
    clause, (first, *others) = law.clauses[rule.address], shown.quotes
    assert find_quote(clause, first), f"{rule.address} says: {nearest_words(clause, first)}"
    assert all(clauses_with(law, quote) for quote in others), f"the law does not say all of: {others}"
    cited = {r for fault in shown.faults for _, rules in fault.cited for r in rules}
    assert shown.rule in {*shown.kept, *cited, *DECIDES_FOR_OTHERS}, (
        f"{shown.rule} is neither kept nor at fault"
    )


def test_every_transcript_is_found() -> None:
    stray = [path.name for path in {p for p in FOLDER.rglob("*") if p.is_file()}.difference(files())]
    assert not stray, f"not named *.transcript.yaml: {', '.join(stray)}"


# --------------------------------------------------------------------------------------------------- coverage
def test_every_rule_is_kept_somewhere(blackjack: Prepared, expectations: dict[str, Expectation]) -> None:
    kept = {rule for shown in expectations.values() for rule in shown.kept}
    kept |= {shown.rule for shown in expectations.values() if not shown.faults} & set(DECIDES_FOR_OTHERS)
    missing = set(binding(blackjack.ruleset)) - kept - NEVER_KEPT
    assert not missing, f"kept in no transcript: {names(missing)}"


def test_every_rule_is_broken_somewhere(blackjack: Prepared, expectations: dict[str, Expectation]) -> None:
    broken = {rule for shown in expectations.values() for rule in shown.broken}
    broken |= {shown.rule for shown in expectations.values() if shown.faults} & set(DECIDES_FOR_OTHERS)
    missing = set(binding(blackjack.ruleset)) - broken - NEVER_BROKEN
    assert not missing, f"broken in no transcript: {names(missing)}"


def test_no_exception_is_made_without_need(blackjack: Prepared, expectations: dict[str, Expectation]) -> None:
    kept = {rule for shown in expectations.values() for rule in shown.kept}
    broken = {rule for shown in expectations.values() for rule in shown.broken}
    needless = set(DECIDES_FOR_OTHERS) & (kept | broken) | NEVER_KEPT & kept | NEVER_BROKEN & broken
    assert not needless, f"cited after all: {names(needless)}"
    unknown = {*DECIDES_FOR_OTHERS, *NEVER_KEPT, *NEVER_BROKEN} - set(binding(blackjack.ruleset))
    assert not unknown, f"rules that do not bind or decide: {names(unknown)}"


# ------------------------------------------------------------------------------------- the harness on itself
@pytest.fixture
def lawful(blackjack: Prepared) -> Shown:
    return show(FOLDER / "05" / "5.1b-kept.transcript.yaml", blackjack)


@pytest.fixture
def faulty(blackjack: Prepared) -> Shown:
    return show(FOLDER / "05" / "5.1b-broken.transcript.yaml", blackjack)


def told(shown: Shown, expected: Expected) -> str:
    return "\n".join(unlike(Shown(expected, shown.result)))


def test_a_fault_that_is_not_expected_is_told(faulty: Shown) -> None:
    words = told(faulty, replace(faulty.expected, faults=()))
    assert "found, not expected: seq 11: broken 5.1(b); ann is short 1000" in words
    assert "the event: dealer give_back player=ann hand=B1H1 kind=initial" in words


def test_a_fault_that_is_not_found_is_told(lawful: Shown) -> None:
    fault = Fault(3, (("broken", frozenset({"5.1"})),))
    words = told(lawful, replace(lawful.expected, faults=(fault,)))
    assert words == "expected, not found: seq 3: broken 5.1"


@pytest.mark.parametrize(
    "changed",
    [
        {"seq": 10},
        {"short": ()},
        {"short": (("ann", "999"),)},
        {"cited": (("broken", frozenset({"5.1(b)", "5.1(a)"})),)},
        {"cited": (("disputed", frozenset({"5.1(b)"})),)},
    ],
)
def test_every_part_of_a_fault_counts(faulty: Shown, changed: dict[str, object]) -> None:
    (fault,) = faulty.expected.faults
    words = told(faulty, replace(faulty.expected, faults=(replace(fault, **changed),)))  # type: ignore[arg-type]
    assert "expected, not found" in words
    assert "found, not expected" in words


def test_who_answers_is_told_where_it_is_not_who_is_expected(faulty: Shown) -> None:
    (fault,) = faulty.expected.faults
    assert fault.answers is None
    dealer = replace(fault, answers=(("dealer", frozenset({"5.6 [permit]"})),))
    assert told(faulty, replace(faulty.expected, faults=(replace(fault, answers=()),))) == ""
    words = told(faulty, replace(faulty.expected, faults=(dealer,)))
    assert words.startswith("nobody answers, not expected dealer under 5.6 [permit]: seq 11")


def test_two_faults_where_one_is_found_are_one_too_many(faulty: Shown) -> None:
    words = told(faulty, replace(faulty.expected, faults=faulty.expected.faults * 2))
    assert words == "expected, not found: seq 11: broken 5.1(b); ann is short 1000"


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("9.4", "expected kept: 9.4, which was never exercised"),
        ("5.1(b)", "expected kept: 5.1(b), which was not only kept"),
        ("5.1(z)", "expected kept: 5.1(z), which the ruleset does not have"),
    ],
)
def test_a_rule_that_was_not_kept_is_told(faulty: Shown, rule: str, words: str) -> None:
    assert words in told(faulty, replace(faulty.expected, kept=(rule,)))


def test_what_an_unstated_option_leaves_unchecked_is_told(blackjack: Prepared, tmp_path: Path) -> None:
    text = (FOLDER / "05" / "5.1b-kept.transcript.yaml").read_text("utf-8")
    assert "table_minimum: 500, " in text
    copy = tmp_path / "copy.yaml"
    copy.write_text(text.replace("table_minimum: 500, ", ""), "utf-8")
    words = unlike(show(copy, blackjack))
    assert any(line.startswith("could not be checked: ") and "14.6" in line for line in words), words


def test_what_a_transcript_is_about_is_read() -> None:
    assert read_about("9.3(a): “not more than half”. Ann.") == ("9.3(a)", ("not more than half",))


def test_an_about_in_another_form_is_refused() -> None:
    with pytest.raises(UnreadableError):
        read_about("Ann insures for too much.")
