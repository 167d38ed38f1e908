"""The grammar is strict, its terminals are named, and what does not fit it is refused with its place."""

from collections.abc import Callable

import pytest
from lark.exceptions import GrammarError, LexError

from verifier.errors import LawError
from verifier.law import Law
from verifier.law.parse import MAX_DEPTH, TERMINAL_NAMES, build_parser
from verifier.resources import root

GRAMMAR = (root("grammar") / "law.lark").read_text(encoding="utf-8")
MakeLaw = Callable[..., Law]


def test_grammar_loads_in_strict_mode() -> None:
    assert build_parser(GRAMMAR, strict=True).options.strict


def test_strict_mode_refuses_terminals_that_collide() -> None:
    with pytest.raises(LexError, match="Collision"):
        build_parser(GRAMMAR.replace("WORDS: /[^ *|\\n]", "WORDS: /[^ |\\n]"), strict=True)


def test_strict_mode_refuses_a_conflict() -> None:
    with pytest.raises(GrammarError, match="conflict"):
        build_parser(GRAMMAR.replace("_NEWLINE? front? part+", "_NEWLINE? front? front? part+"), strict=True)


def test_every_terminal_has_a_name_for_people() -> None:
    terminals = {terminal.name for terminal in build_parser(GRAMMAR).terminals}
    assert terminals | {"_INDENT", "_DEDENT", "$END"} == set(TERMINAL_NAMES)


@pytest.mark.parametrize(
    ("body", "line", "column", "code", "says"),
    [
        ("", 0, 1, "law-syntax", "the end of the file cannot stand here"),
        ("# 5.0 Wagers\n", 1, 13, "law-syntax", "expected a definition"),
        ("# 5.0\n5.1 Pay.\n", 1, 6, "law-syntax", "expected words"),
        (
            "# Wagers\n5.1 Pay.\n",
            1,
            3,
            "law-syntax",
            "expected `Appendix` and its number or a section's number",
        ),
        ("5.1 Pay.\n", 1, 1, "law-syntax", "a section or an appendix (`# 5.0 Heading`)"),
        ("# 5.0 Wagers\n5.1\n", 2, 4, "law-syntax", "expected words"),
        (
            "# 5.0 Wagers\n(a) Pay.\n5.1 Pay.\n",
            2,
            1,
            "law-syntax",
            "an item (`(a) …`, `(i) …`, `(1) …`) cannot",
        ),
        (
            "# 5.0 Wagers\n5.1 Pay:\n  5.2 all.\n",
            3,
            3,
            "law-syntax",
            "a rule (`5.1 …`) cannot stand here",
        ),
        (
            "# 5.0 Wagers\n5.1 Pay:\n\n  $5 each.\n",
            4,
            3,
            "law-syntax",
            "this cannot stand here",
        ),
        ("# 5.0 Wagers\nWe pay:\n  (a) all.\n", 3, 1, "bad-indentation", "indented too deep"),
        ("# 5.0 Wagers\n5.1 Pay:\n    (a) all.\n", 3, 1, "bad-indentation", "indented by 4 spaces"),
        ("# 5.0 Wagers\n5.1 Pay:\n (a) all.\n", 3, 1, "bad-indentation", "2 spaces a level"),
        ("# 5.0 Wagers\n5.1 Pay: \n", 2, 9, "trailing-spaces", "spaces at the end"),
        ("# 5.0 Wagers\n5.1 Pay.\n\n5.1 Pay.\n", 4, 1, "clause-twice", "it stands on line 2 of the body"),
        ("# 5.0 Wagers\n5.1 Pay:\n  | A | 1\n  | A | 2\n", 4, 5, "clause-twice", "5.1 [A] is there twice"),
        ("# 5.0 Wagers\n6.1 Pay.\n", 2, 1, "rule-outside-section", "put it in section 6"),
        (
            "# 5.0 Wagers\n5.1 If:\n  (a) x\n  or\n  (b) y\n",
            4,
            None,
            "words-within-list",
            "between the items of 5.1",
        ),
        ("# 5.0 Wagers\n5.1\tPay.\n", 2, 4, "unseen-character", "U+0009"),
        ("# 5.0 Wagers\n5.1 Pay\u202e.\n", 2, 8, "unseen-character", "U+202E"),
        ("# 5.0 Wagers\r\n5.1 Pay.\n", 1, 13, "unseen-character", "U+000D"),
        ("# 5.0 Wagers\n5.1 Pay.", 2, None, "cut-short", "end the file with a newline"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(
    make_law: MakeLaw, body_starts: int, body: str, line: int, column: int | None, code: str, says: str
) -> None:
    with pytest.raises(LawError) as caught:
        make_law(body)
    problem = caught.value.problem
    assert problem.code == code
    assert (problem.line, problem.column) == (body_starts + line - 1, column)
    assert says.replace("line 2 of the body", f"line {body_starts + 1}") in str(caught.value)
    assert problem.help is not None
    assert problem.file is not None
    assert problem.file.endswith("example.law")


def test_depth_is_bounded(make_law: MakeLaw) -> None:
    def nested(levels: int) -> str:
        items = "".join(f"{'  ' * level}(a) of which:\n" for level in range(1, levels + 1))
        return f"# 5.0 Wagers\n5.1 All:\n{items}"

    assert make_law(nested(MAX_DEPTH)).clauses["5.1" + "(a)" * MAX_DEPTH].leaf
    with pytest.raises(LawError, match="in all"):
        make_law(nested(MAX_DEPTH + 1))


def test_roman_and_letter_are_told_apart_by_indentation_only(make_law: MakeLaw) -> None:
    law = make_law("# 5.0 Wagers\n5.1 If:\n  (h) one:\n    (i) roman\n  (i) letter:\n    (i) roman\n")
    assert list(law.clauses) == ["5", "5.1", "5.1(h)", "5.1(h)(i)", "5.1(i)", "5.1(i)(i)"]
