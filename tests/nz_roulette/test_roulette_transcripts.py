"""Every rule of Division 8 that binds or decides, in transcripts that keep it and that break it.

The form of a transcript's `about` and `expect` is that of `tests/nz/nz_transcripts.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from nz_transcripts import ENDING, Expectation, shown_of, unlike

from verifier.check.engine import Prepared
from verifier.coverage.unshown import read_unshown
from verifier.law import clauses_with, find_quote, nearest_words
from verifier.model.ruleset import Ruleset
from verifier.resources import root

RULESET = "nz/roulette-1998"
HERE = Path(__file__).parent
FOLDER = HERE / "transcripts"
FILES = sorted(FOLDER.rglob("*" + ENDING))

UNSHOWN = read_unshown(root("rulesets") / "nz" / "roulette-1998.unshown.yaml")

NEVER_BROKEN = {rule for rule, said in UNSHOWN.items() if said.broken is not None}

READABLE = 40
"""Events that a transcript has at most."""

_COLOURS = "says what colour a number is; it is announced under 4.4(a), and Red and Black win by it"
_VOID = "says whether a spin counts; what is settled by one that does not is early, under 3.8"

DECIDES_FOR_OTHERS = {
    "2.3(a) [green]": _COLOURS,
    "2.3(a) [red and black]": _COLOURS,
    "4.2 [valid]": _VOID,
    "5.1(a)": _VOID,
    "5.1(b)": _VOID,
    "5.1(c)": _VOID,
    "5.1(d)": _VOID,
    "5.2 [void]": _VOID,
    "5.3 [void]": _VOID,
}
"""Rules that a check never cites, since what they decide is claimed under another's name: transcripts are about
them, and break the rules that read them."""


def name_of(path: Path) -> str:
    return path.name.removesuffix(ENDING)


def names(rules: set[str]) -> str:
    return ", ".join(sorted(rules)) or "none"


def binding(ruleset: Ruleset) -> Iterator[str]:
    """The rules that bind or decide."""
    found = {unit.rule for unit in ruleset.units.values()}
    found |= {question.rule for question in ruleset.questions}
    found |= {requirement.rule for requirement in ruleset.requirements}
    return (rule for rule in ruleset.rules if rule in found)


def about(expectations: dict[str, Expectation], ending: str) -> set[str]:
    """The rules that transcripts of a name with that ending are about.

    One that is kept may be about something that another rule forbids: a ball spun with the wheel (4.2, 5.1(a)).
    """
    return {shown.rule for name, shown in expectations.items() if name.endswith(ending)}


@pytest.fixture(scope="session")
def expectations() -> dict[str, Expectation]:
    return {name_of(path): shown_of(RULESET, HERE, path)[0] for path in FILES}


# ------------------------------------------------------------------------------------------- the transcripts
@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_the_check_finds_what_the_transcript_expects(path: Path) -> None:
    _, shown = shown_of(RULESET, HERE, path)
    differences = unlike(shown)
    assert not differences, "\n" + "\n".join(differences)
    assert shown.result.events <= READABLE


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_transcript_is_about_the_words_of_its_clause(
    path: Path, roulette: Prepared, expectations: dict[str, Expectation]
) -> None:
    shown = expectations[name_of(path)]
    rule = roulette.ruleset.rules.get(shown.rule)
    assert rule is not None, f"about: the ruleset has no rule {shown.rule}"
    assert path.parent.name == f"{int(shown.rule.partition('.')[0]):02}", (
        "the folder is named for the section"
    )
    law = roulette.ruleset.law
    assert law is not None
    clause, (first, *others) = law.clause(rule.address), shown.quotes
    assert find_quote(clause, first), f"{rule.address} says: {nearest_words(clause, first)}"
    assert all(clauses_with(law, quote) for quote in others), f"the law does not say all of: {others}"
    cited = {r for fault in shown.faults for _, rules in fault.cited for r in rules}
    assert shown.rule in {*shown.kept, *cited, *DECIDES_FOR_OTHERS}, (
        f"{shown.rule} is neither kept nor at fault"
    )


def test_every_transcript_is_found() -> None:
    stray = [path.name for path in {p for p in FOLDER.rglob("*") if p.is_file()}.difference(FILES)]
    assert not stray, f"not named *{ENDING}: {', '.join(stray)}"


# --------------------------------------------------------------------------------------------------- coverage
def test_every_rule_is_kept_somewhere(roulette: Prepared, expectations: dict[str, Expectation]) -> None:
    kept = {rule for shown in expectations.values() for rule in shown.kept}
    kept |= about(expectations, "-kept") & set(DECIDES_FOR_OTHERS)
    missing = set(binding(roulette.ruleset)) - kept
    assert not missing, f"kept in no transcript: {names(missing)}"


def test_every_rule_is_broken_somewhere(roulette: Prepared, expectations: dict[str, Expectation]) -> None:
    broken = {rule for shown in expectations.values() for rule in shown.broken}
    broken |= about(expectations, "-broken") & set(DECIDES_FOR_OTHERS)
    missing = set(binding(roulette.ruleset)) - broken - NEVER_BROKEN
    assert not missing, f"broken in no transcript: {names(missing)}"


def test_no_exception_is_made_without_need(roulette: Prepared, expectations: dict[str, Expectation]) -> None:
    kept = {rule for shown in expectations.values() for rule in shown.kept}
    broken = {rule for shown in expectations.values() for rule in shown.broken}
    needless = set(DECIDES_FOR_OTHERS) & (kept | broken)
    assert not needless, f"cited after all: {names(needless)}"
    unknown = DECIDES_FOR_OTHERS.keys() - set(binding(roulette.ruleset))
    assert not unknown, f"rules that do not bind or decide: {names(unknown)}"
