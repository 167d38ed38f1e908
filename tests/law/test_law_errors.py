"""Errors show place, excerpt, caret and next step, and nothing a file says can disturb the terminal."""

from collections.abc import Callable
from pathlib import Path

import pytest

import verifier.resources
from verifier.errors import (
    EXCERPT_WIDTH,
    InternalError,
    LawError,
    LogError,
    Problem,
    RequestError,
    RuleTextError,
    VerifierError,
    escaped,
    render,
)
from verifier.law import Law
from verifier.resources import root

MakeLaw = Callable[..., Law]


def test_all_of_it() -> None:
    problem = Problem(
        "5.1 has no subparagraph (h)",
        "nz/blackjack.rules",
        41,
        6,
        'rule 5.1(h) "win if"',
        "5.1 has (a) to (g)\nor is 5.8(b) meant?",
        "5.1",
        code="unknown-clause",
        width=6,
    )
    assert render(problem).split("\n") == [
        "error: 5.1 has no subparagraph (h) [unknown-clause]",
        "  --> nz/blackjack.rules:41:6",
        "   |",
        '41 | rule 5.1(h) "win if"',
        "   |      ^^^^^^",
        "   = clause: 5.1",
        "   = help: 5.1 has (a) to (g)",
        "     or is 5.8(b) meant?",
    ]


def test_only_what_is_known() -> None:
    assert render(Problem("no such law", code="x")) == "error: no such law [x]"
    assert render(Problem("too large", "a.law", code="x")) == "error: too large [x]\n--> a.law"
    assert "^" not in render(Problem("m", "a.law", 3, None, "words", code="x"))


def test_a_law_error_of_a_file(make_law: MakeLaw, body_starts: int) -> None:
    with pytest.raises(LawError) as caught:
        make_law("# 5.0 Wagers\n\n6.1 Pay.\n")
    line = body_starts + 2
    assert str(caught.value).split("\n")[1:] == [
        f"  --> {caught.value.problem.file}:{line}:1",
        "   |",
        f"{line} | 6.1 Pay.",
        "   | ^^^",
        "   = help: put it in section 6, or mend its number",
    ]


def test_what_a_file_says_is_escaped() -> None:
    problem = Problem(
        "found \x1b[2J", "a\nb", 1, 3, "\t\x00\u202eab\ud800\u2028", "\x07", "\r", code="x", width=2
    )
    shown = render(problem)
    assert set("\x1b\t\x00\u202e\u2028\x07\r\ud800").isdisjoint(shown)
    assert "\\t\\x00\\u202eab\\ud800\\u2028" in shown
    assert "   |" not in shown.splitlines()[0]
    excerpt, caret = shown.splitlines()[3:5]
    assert excerpt.index("\\u202e") == caret.index("^")
    assert caret.count("^") == len("\\u202ea")
    assert escaped("£5 — “né” 7♥") == "£5 — “né” 7♥"


def test_caret_stands_under_wide_and_combining_characters() -> None:
    shown = render(Problem("m", "f", 1, 4, "表e\u0301x", code="x")).splitlines()
    assert shown[-1] == "  | " + " " * 3 + "^"


@pytest.mark.parametrize("column", [1, 60, 500, 999, 1000, 5000])
def test_a_long_line_is_cut_round_the_caret(column: int) -> None:
    line = "".join(chr(ord("a") + n % 26) for n in range(1000))
    shown = render(Problem("m", "f", 1, column, line, code="x", width=3)).splitlines()
    excerpt, caret = shown[-2], shown[-1]
    assert len(excerpt) <= EXCERPT_WIDTH * 1.5 + 6
    assert caret.count("^") <= 3
    if column < 999:
        assert excerpt[caret.index("^") : caret.index("^") + 3] == line[column - 1 : column + 2]


def test_colour_changes_nothing_but_colour() -> None:
    problem = Problem("m", "f", 12, 2, "abc", "h", "5.1", code="x")
    coloured = render(problem, colour=True)
    assert coloured.count("\x1b[") > 6
    for style in ("1;31", "1;34", "1", "0"):
        coloured = coloured.replace(f"\x1b[{style}m", "")
    assert coloured == render(problem)


def test_an_error_holds_several_problems() -> None:
    first, second = Problem("one", code="a"), Problem("two", code="b")
    error = RuleTextError(first, second)
    assert (error.problems, error.problem) == ((first, second), first)
    assert str(error) == "error: one [a]\n\nerror: two [b]"
    with pytest.raises(ValueError, match="at least one"):
        VerifierError()


@pytest.mark.parametrize("kind", [RuleTextError, LawError, LogError, RequestError, InternalError])
def test_families_are_apart(kind: type[VerifierError]) -> None:
    families = (RuleTextError, LawError, LogError, RequestError, InternalError)
    error = kind(Problem("m", code="x"))
    assert isinstance(error, VerifierError)
    assert sum(isinstance(error, family) for family in families) == 1


def test_roots_are_found_in_the_package_first_and_beside_it_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "verifier"
    (package / "_data" / "spec").mkdir(parents=True)
    (tmp_path / "spec").mkdir()
    (tmp_path / "grammar").mkdir()
    monkeypatch.setattr(verifier.resources, "files", lambda _: package)
    assert root("spec") == package / "_data" / "spec"
    assert root("grammar") == tmp_path / "grammar"
    with pytest.raises(InternalError, match="install the package again"):
        root("reports")
