"""Whole files: line ends, empty files, bounds, encodings, hidden characters, places."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syntax_reading import FILE, as_condition, as_statement, block, blocks, problem

from verifier.errors import RuleTextError
from verifier.resources import root
from verifier.syntax import tree as t
from verifier.syntax.parse import MAX_BYTES, parse_module, read_module
from verifier.syntax.places import clause_at, lines_of
from verifier.syntax.reading import MAX_DEPTH

TWO = 'rule 5.1 "x"\n  except 5.2\n\nrule 5.2 "y"\n  given a\n    and b\n'


def test_windows_line_ends_mean_the_same() -> None:
    assert blocks(TWO.replace("\n", "\r\n")) == blocks(TWO)
    commented = TWO.replace("\n", "  # c\n")
    assert blocks(commented.replace("\n", "\r\n")) == blocks(TWO)


def test_errors_in_windows_files_have_the_right_place() -> None:
    found = problem(TWO.replace("given a", "given a a").replace("\n", "\r\n"))
    assert (found.line, found.column, found.excerpt) == (5, 11, "  given a a")


@pytest.mark.parametrize("text", ["", "\n", "\n\n  \n", "# only\n", "# only", "  # only\n\n#\n", "\r\n"])
def test_a_file_without_blocks_is_empty(text: str) -> None:
    assert parse_module(text, FILE) == t.Module(FILE, text, ())


def test_comments_and_blank_lines_have_no_indentation() -> None:
    text = 'rule 5.1 "x"\n# c\n\n  except 5.2\n # c\n       # c\n  except 5.3 # c\n# c\n    , 5.4\n'
    assert block(text) == block('rule 5.1 "x"\n  except 5.2\n  except 5.3, 5.4\n')


def test_a_last_line_without_line_end_counts() -> None:
    assert blocks(TWO.rstrip("\n")) == blocks(TWO)


def test_a_file_may_end_in_spaces_and_blank_lines() -> None:
    assert blocks(TWO + "  \n \n   ") == blocks(TWO)


def test_places_are_those_of_the_words() -> None:
    (rule,) = parse_module('rule 5.1 [a] "x"\n  given a = b  # c\n\n', FILE).blocks
    assert isinstance(rule, t.Rule)
    assert rule.at == t.At(1, 1, 2, 14)
    assert rule.quote_at == t.At(1, 14, 1, 17)
    (given,) = rule.statements
    assert isinstance(given, t.Given)
    assert (given.at, given.condition.at) == (t.At(2, 3, 2, 14), t.At(2, 9, 2, 14))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('  rule 5.1 "x"\n', 1),
        ('# c\n\n  rule 5.1 "x"\n', 3),
        ('rule 5.1 "x"\n    except 5.2\n  except 5.3\n', 3),
        ('rule 5.1 "x"\n   except 5.2\n\n  # c\n  except 5.3\n', 5),
    ],
)
def test_a_line_at_the_wrong_indentation_is_refused(text: str, line: int) -> None:
    found = problem(text)
    assert (found.code, found.line, found.column) == ("layout", line, 3)


@pytest.mark.parametrize(
    ("character", "shown"),
    [
        ("\t", "a tab"), ("\v", "U+000B"), ("\x00", "U+0000"), ("\x85", "U+0085"), ("\u2028", "U+2028"),
        ("\u202e", "U+202E"), ("\u200b", "U+200B"), ("\u00ad", "U+00AD"), ("\ufeff", "U+FEFF"), ("\r", "U+000D"),
        ("\ud800", "U+D800"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('rule 5.1 "a{}b"\n', 1, 12),
        ('rule 5.1 "ab"  # {}c\n', 1, 18),
        ('rule 5.1 "ab"\n{}  except 5.2\n', 2, 1),
    ],
)
def test_characters_that_cannot_be_seen_are_refused_everywhere(
    character: str, shown: str, text: str, line: int, column: int
) -> None:
    found = problem(text.format(character))
    assert found.code == "forbidden-character"
    assert shown in found.message
    assert (found.line, found.column) == (line, column)


def test_letters_and_signs_of_the_law_may_stand_in_quotes_and_comments() -> None:
    assert block('rule 5.1 "£2 – “naïve”"  # §\n') == block('rule 5.1 "£2 – “naïve”"\n')


@pytest.mark.parametrize("depth", [60, 5_000])
@pytest.mark.parametrize(("left", "right"), [("(", ")"), ("f(", ")"), ("a[", "]"), ("all (x in {", "})")])
def test_too_many_open_brackets_are_refused(depth: int, left: str, right: str) -> None:
    assert problem(as_condition(left * depth + "x" + right * depth)).code == "nesting"


@pytest.mark.parametrize(
    "text",
    [
        "not " * 5_000 + "x",
        "-" * 5_000 + "x",
        "x" + " and x" * 5_000,
        "x" + " + 1" * 5_000,
        "x" + ".y" * 5_000,
        "if x then x else " * 5_000 + "x",
        "some x in D: " * 5_000 + "x",
    ],
)
def test_too_deep_a_tree_is_refused(text: str) -> None:
    found = problem(as_condition(text))
    assert (found.code, found.width) == ("nesting", 1)


def test_what_is_within_the_bounds_is_read() -> None:
    assert block(as_condition("(" * 50 + "x" + ")" * 50)) == block(as_condition("x"))
    chain = MAX_DEPTH - 2
    assert blocks(as_condition("x" + " and x" * chain)) != ()
    assert problem(as_condition("x" + " and x" * (MAX_DEPTH + 1))).code == "nesting"


def test_numbers_have_a_bound() -> None:
    assert blocks(as_condition("1" * 18)) != ()
    assert problem(as_condition("1" * 19)).code == "number-too-long"
    assert problem(as_condition("1" * 5_000 + " to 1")).code == "number-too-long"
    assert problem(as_statement("except 5." + "1" * 5_000)).code == "number-too-long"


def test_files_have_a_bound() -> None:
    comment = "#" * (MAX_BYTES // 2) + "\n"
    assert parse_module(comment * 1, FILE).blocks == ()
    assert problem(comment * 2).code == "file-too-large"
    assert problem("é" * (MAX_BYTES // 2 + 1)).code == "file-too-large"


def test_reading_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.rules"
    path.write_bytes(TWO.encode())
    assert read_module(path).path == str(path)
    assert read_module(path, "nz/a").path == "nz/a"
    assert read_module(path).text == TWO


def test_a_file_that_has_changed_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.rules"
    path.write_text(TWO, "utf-8")
    first = read_module(path)
    path.write_text(TWO.replace("given a", "given b"), "utf-8")
    assert read_module(path) != first
    path.write_text(TWO, "utf-8")
    assert read_module(path) == first
    assert read_module(path, "nz/a").path == "nz/a"


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"# a\n\xff\n", "encoding", 2),
        (b"\xef\xbb\xbf# a\n", "encoding", 1),
        (b"#" * (MAX_BYTES + 1), "file-too-large", None),
        (b"r\x00", "forbidden-character", 1),
    ],
)
def test_files_that_are_no_rule_text_are_refused(
    tmp_path: Path, data: bytes, code: str, line: int | None
) -> None:
    path = tmp_path / "a.rules"
    path.write_bytes(data)
    with pytest.raises(RuleTextError) as caught:
        read_module(path, "nz/a")
    found = caught.value.problem
    assert (found.file, found.code, found.line) == ("nz/a", code, line)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.rules", tmp_path):
        with pytest.raises(RuleTextError) as caught:
            read_module(path, "nz/a")
        assert caught.value.problem.code == "unreadable"


def test_the_clause_of_a_line_is_that_of_the_rule_above() -> None:
    lines = lines_of(
        'use x\n# rule 1\nrule 5.1(e) [a] "x"\n\n  except 5.2\n# c\ndefine a: bool = b\n\nrule (a)(ii) "y"\n'
    )
    clauses = [clause_at(lines, number) for number in range(len(lines) + 1)]
    inside = ["5.1(e)"] * 4
    assert clauses == [None, None, None, *inside, None, None, "(a)(ii)", "(a)(ii)"]


def test_lines_end_at_line_feeds_only() -> None:
    assert lines_of("a\x0bb\u2028c\r\nd\n") == ["a\x0bb\u2028c", "d", ""]


@settings(max_examples=80, deadline=None)
@given(
    st.text(alphabet='rule 5.1"x"()[]{}=:,;|#\n \\andefinowh-+*<>?A0é\t', max_size=60), st.integers(0, 10**6)
)
def test_any_text_is_read_or_refused_with_a_place(noise: str, at: int) -> None:
    shipped = (root("rulesets") / "std" / "cards.rules").read_text(encoding="utf-8")
    at %= len(shipped)
    text = shipped[:at] + noise + shipped[at:]
    try:
        parse_module(text, FILE)
    except RuleTextError as error:
        found = error.problem
        lines = lines_of(text)
        assert found.line is not None
        assert found.column is not None
        assert found.excerpt == lines[found.line - 1]
        assert 1 <= found.column <= len(found.excerpt) + 1
        assert found.help
