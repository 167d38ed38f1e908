"""What a writer is told about a faulty file: the whole message, as it was read and found good."""

from __future__ import annotations

import pytest
import test_syntax_declarations
import test_syntax_expressions
import test_syntax_statements
from syntax_reading import FILE, as_condition, as_statement, problem

from verifier.errors import RuleTextError, render
from verifier.syntax.faults import LOOKALIKES
from verifier.syntax.grammar import keywords, parser
from verifier.syntax.parse import parse_module


def told(text: str) -> str:
    """What is printed about a faulty text, without the line of the place."""
    return "\n".join(line for line in render(problem(text)).split("\n") if "-->" not in line)


def test_a_message_has_place_excerpt_caret_clause_and_help() -> None:
    assert (
        render(problem('use std/cards\n\nrule 5.1(e) "a stand off"\n  excpt 5.1(c)\n'))
        == """\
error: `5.1(c)` cannot stand here [syntax]
 --> nz/example.rules:4:9
  |
4 |   excpt 5.1(c)
  |         ^^^^^^
  = clause: 5.1(e)
  = help: did you mean `except` for `excpt`?
    expected one of: `(`, `=`, `answers for`, `may`, `must not`, `must`, `|` (and 1 more)"""
    )


EXACT = [
    (
        as_statement("outcome(w, d) = win whn total(w) > 2"),
        """\
error: `whn` cannot stand here [syntax]
  |
2 |   outcome(w, d) = win whn total(w) > 2
  |                       ^^^
  = clause: 5.1
  = help: did you mean `when` for `whn`?
    expected `(`, `and`, `otherwise`, `when`, `+`, `-`, `*`, `/`, `.` or the end of the statement""",
    ),
    (
        as_statement("dealer must deal(dealer, any)"),
        """\
error: this duty has no deadline, so it could never be broken [deadline]
  |
2 |   dealer must deal(dealer, any)
  |               ^^^^^^^^^^^^^^^^^
  = clause: 5.1
  = help: say by when, ahead of any `when`: `at once`, `before …`, `by end of …` or `immediately after …`""",
    ),
    (
        as_statement("dealer may deal(dealer, any) at once"),
        """\
error: a permission has no deadline [deadline]
  |
2 |   dealer may deal(dealer, any) at once
  |                                ^^^^^^^
  = clause: 5.1
  = help: say with `when` under what condition it may be done""",
    ),
    (
        as_statement("outcome(w, d) win when a"),
        """\
error: `win` cannot stand here [syntax]
  |
2 |   outcome(w, d) win when a
  |                 ^^^
  = clause: 5.1
  = help: a `=` seems to be missing after `)`
    expected `=`""",
    ),
    (
        'rule 5.1 "x"\n\texcept 5.2\n',
        """\
error: a tab cannot stand in a rule file [forbidden-character]
  |
2 | \\texcept 5.2
  | ^^
  = clause: 5.1
  = help: use spaces; two indent a statement""",
    ),
    (
        'rule 5.1 "each player\n  except 5.2\n',
        """\
error: these quoted words are not closed [syntax]
  |
1 | rule 5.1 "each player
  |          ^^^^^^^^^^^^
  = clause: 5.1
  = help: close them with `"` on the same line; a quotation mark inside is written `\\"`""",
    ),
    (
        'rule 5.1 "a "natural" hand"\n',
        """\
error: `natural` runs into the quoted words [quotation-mark]
  |
1 | rule 5.1 "a "natural" hand"
  |              ^^^^^^^
  = clause: 5.1
  = help: put a space between; a quotation mark inside quoted words is written `\\"`""",
    ),
    (
        'rule 5.1 "x"\n  given (a and (b or c)\n  except 5.2\n',
        """\
error: this `(` is not closed [syntax]
  |
2 |   given (a and (b or c)
  |         ^
  = clause: 5.1
  = help: close it with `)`; a line that continues a statement is indented further than the statement
    a `)` seems to be missing after `c`""",
    ),
    (
        as_statement("given (a and b when c"),
        """\
error: `when` cannot stand here [syntax]
  |
2 |   given (a and b when c
  |                  ^^^^
  = clause: 5.1
  = help: the `(` in line 2, column 9 is still open
    expected `)`""",
    ),
    (
        as_statement("given a[1)"),
        """\
error: this `)` does not close the `[` that is open [syntax]
  |
2 |   given a[1)
  |            ^
  = clause: 5.1
  = help: write `]`, or close the `[` in line 2, column 10 before it""",
    ),
    (
        as_statement("given a)"),
        """\
error: this `)` closes nothing that was opened [syntax]
  |
2 |   given a)
  |          ^
  = clause: 5.1
  = help: delete it, or open the bracket before it""",
    ),
    (
        'rule 5.1 "x"\n  except 5.2\n    except 5.3\n',
        """\
error: `except` cannot stand here [syntax]
  |
3 |     except 5.3
  |     ^^^^^^
  = clause: 5.1
  = help: this line continues the one above, since it is indented further; a statement of its own begins in column 3
    expected a label such as `[draw]`, `,`, `for` or the end of the statement""",
    ),
    (
        'rule 5.1 "x"\n  except 5.2\nexcept 5.3\n',
        """\
error: `except` cannot stand here [syntax]
  |
3 | except 5.3
  | ^^^^^^
  = help: begin it in column 3 if it is a statement of the block above
    expected a rule or a declaration in column 1""",
    ),
    (
        'rule 5.1 "x"\n  outcome(w, d) = win\n  when a\n',
        """\
error: `when` cannot stand here [syntax]
  |
3 |   when a
  |   ^^^^
  = clause: 5.1
  = help: if this line continues the statement above, indent it further than that statement
    expected a statement""",
    ),
    (
        'rule 5.1 "x"\n  outcome(w, d) =\n  win\n  except 5.3\n',
        """\
error: the statement ends here, too soon [syntax]
  |
2 |   outcome(w, d) =
  |                  ^
  = clause: 5.1
  = help: if the next line continues this statement, indent it further than the statement
    expected a value""",
    ),
    (
        'rule 5.1 "x"\n    except 5.2\n  except 5.3\n',
        """\
error: this line begins in column 3, the statements above it in column 5 [layout]
  |
3 |   except 5.3
  |   ^
  = clause: 5.1
  = help: begin all statements of a block in the same column, and lines that continue one further right""",
    ),
    (
        as_statement("given W.kind = initial"),
        """\
error: `.` cannot stand here [syntax]
  |
2 |   given W.kind = initial
  |          ^
  = clause: 5.1
  = help: `W` is a type; names begin with a small letter: `w`
    expected `(`""",
    ),
    (
        "define Moot: bool = yes\n",
        """\
error: `Moot` cannot stand here [syntax]
  |
1 | define Moot: bool = yes
  |        ^^^^
  = help: names begin with a small letter: `moot`
    expected a name""",
    ),
    (
        "define playersDone: bool = yes\n",
        """\
error: `playersDone` cannot stand here [syntax]
  |
1 | define playersDone: bool = yes
  |        ^^^^^^^^^^^
  = help: names are small letters, digits and `_`, a letter first
    expected `(` or `:`""",
    ),
    (
        as_statement("given a orb"),
        """\
error: `orb` is neither a name nor a word of the language [syntax]
  |
2 |   given a orb
  |           ^^^
  = clause: 5.1
  = help: names are small letters, digits and `_`, a letter first; two words have a space between: `or b`""",
    ),
    (
        "define no: bool = yes\n",
        """\
error: `no` is a word of the language and cannot be a name here [reserved-word]
  |
1 | define no: bool = yes
  |        ^^
  = help: choose another name, such as `no_`""",
    ),
    (
        "define x: 0..5 = 10.5\n",
        """\
error: `5` cannot stand here [syntax]
  |
1 | define x: 0..5 = 10.5
  |                     ^
  = help: numbers are whole; write a part of a whole as `3 to 2` or `1 / 2`, money in minor units
    expected a name""",
    ),
    (
        as_statement("given h has 2 cards or\n      more"),
        """\
error: `more` cannot stand here [syntax]
  |
3 |       more
  |       ^^^^
  = clause: 5.1
  = help: write `or more` on one line
    expected a value or a condition""",
    ),
    (
        "invariant kept\n  a\n  b\n",
        """\
error: no further statement may stand in this block [syntax]
  |
3 |   b
  |   ^
  = help: indent this line further if it continues the one above; begin it in column 1 if it is a block""",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), EXACT, ids=[message.split("\n")[0] for _, message in EXACT])
def test_the_whole_message(text: str, message: str) -> None:
    assert told(text) == message


HELPED = [
    ("rul 5.1 \"x\"\n", "did you mean `rule` for `rul`?"),
    ("lawl nz/x\n", "did you mean `law` for `lawl`?"),
    ("in force since 1998-02-01\n", "did you mean `in force from` for `in force since`?"),
    (as_statement("dealer mst deal(h) at once"), "did you mean `must` for `mst`?"),
    (as_statement("dealer shall deal(h) at once"), "did you mean `must` for `shall`?"),
    (as_statement("dealer may not deal(h)"), "did you mean `must not` for `may not`?"),
    (as_statement("dealer must deal(h) at onc"), "did you mean `at once` for `at onc`?"),
    (as_statement("dealer must deal(h) immediately"), "did you mean `at once` for `immediately`?"),
    (as_statement("dealer must deal(h) when a at once"), "the deadline stands before `when`"),
    (as_statement("notwithstandng everything"), "did you mean `notwithstanding` for `notwithstandng`?"),
    (as_statement("GIVEN a"), "the words of the language are written small: `given`"),
    (as_statement("given a is b"), "did you mean `=` for `is`?"),
    (as_statement("given a is not in {b}"), "did you mean `not in` for `is not in`?"),
    (as_statement("given deal(h) has happend this round"), "did you mean `has happened` for `has happend`?"),
    (as_statement("open = yes if a"), "did you mean `when` for `if`?"),
    (as_statement("given a == b"), "write one `=`"),
    (as_statement("given a < b < c"), "comparisons do not follow each other: write `a < b and b < c`"),
    (as_statement("given not some x in D: a"), "put it in brackets, since it reaches to the end: `(some …)`"),
    (as_statement("given some x in D a = b"), "a `:` seems to be missing after `D`"),
    (as_statement("open = h has 2 cards"),
     "put a condition that is the value of a decision in brackets: `f(x) = (a or b)`"),
    (as_statement("dealer must not draw(if a then b else c)"),
     "put it in brackets, since it reaches to the end: `(if …)`"),
    (as_statement("odds(w) = 3:2"), "write odds as `3 to 2`"),
    (as_statement("except 5.1(c, d)"), "write each clause in full: `5.1(c), 5.1(d)`"),
    (as_statement("except 5.1(c) 5.1(d)"), "a `,` seems to be missing after `)`"),
    (as_condition("table (a) { b: 1, c: 2 }"), "rows of a table are parted by `;`"),
    (as_condition("007"), "write whole numbers without leading zeros"),
    (as_condition("a = _b"), "names begin with a small letter"),
    (as_condition("é"), "outside of quotes and comments, write with the letters a to z"),
    ("on deal(h)\n  a += b\n", "say what it becomes: `x = x + y`"),
    ("type box = 1..7\n", "the name of a type begins with a capital letter"),
    ("state round\n  a: 1..3?\n",
     "a range that may be absent has a name: `type Seat = 1..3`, then `Seat?`"),
    ("event deal(h: bool?)\n", "of the plain types only `money` and `odds` may be absent; "
     "so may what a `type`, `enum`, `record` or `entity` names"),
    ("define a: boolean = yes\n", "did you mean `bool` for `boolean`?"),
    ("event deal(h: Hand, c Card)\n", "a `:` seems to be missing after `c`"),
    ("use std/a\n  use std/b\n", "this line continues the one above, since it is indented further; "
     "a rule or declaration of its own begins in column 1"),
    ('rule 5.1 "a \\b"\n', 'in quoted words, write a quotation mark `\\"` and a backslash `\\\\`'),
    ("invariant kept\n  a\n  b\n", "indent this line further if it continues the one above; "
     "begin it in column 1 if it is a block"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "help"), HELPED, ids=[help for _, help in HELPED])
def test_the_first_line_of_help_is_what_was_probably_meant(text: str, help: str) -> None:
    assert (problem(text).help or "").split("\n")[0] == help


def test_help_is_only_given_where_it_would_work() -> None:
    for text, help in HELPED:
        if help.startswith("did you mean"):
            meant, said = help.split("`")[1], help.split("`")[3]
            assert parse_module(text.replace(said, meant, 1), FILE).blocks


@pytest.mark.parametrize("character", LOOKALIKES)
def test_signs_that_look_alike_are_named(character: str) -> None:
    help = problem(as_condition(f"a {character} b")).help or ""
    assert help.startswith(f"write {LOOKALIKES[character]}")


BAD = [
    *(as_condition(text) for text in test_syntax_expressions.BAD),
    *(as_statement(text) for text in test_syntax_statements.BAD),
    *test_syntax_declarations.BAD,
]


@pytest.mark.parametrize("text", BAD)
def test_no_name_of_a_terminal_reaches_a_reader(text: str) -> None:
    shown = str(RuleTextError(problem(text.replace("¦", "", 1))))
    told = " ".join(line for line in shown.split("\n") if "|" not in line)
    terminals = {terminal.name for terminal in parser().terminals} | {"_NL", "_END", "$END"}
    words = set(told.replace("`", " ").replace(",", " ").split())
    assert not words & terminals
    assert "__ANON" not in shown
    assert "expected nothing more" not in shown


def multi_worded() -> list[str]:
    """The examples that hold words that belong together, each with a line break between two of them."""
    texts = [
        *(as_condition(text) for text, _ in test_syntax_expressions.GOOD),
        *(as_statement(text) for text, _ in test_syntax_statements.GOOD),
        *(text for text, _ in test_syntax_declarations.GOOD if "\n  " not in text),
    ]
    broken = []
    for words in keywords().values():
        first, _, rest = words.rpartition(" ")
        holding = next((text for text in texts if f" {words} " in text or f" {words}\n" in text), None)
        if first and holding is not None:
            broken.append(holding.replace(words, f"{first}\n      {rest}"))
    assert len(broken) > 20
    return broken


@pytest.mark.parametrize("text", multi_worded())
def test_words_that_belong_together_mean_nothing_else_when_parted_by_a_line_break(text: str) -> None:
    assert "on one line" in (problem(text).help or "")


def test_a_choice_as_the_value_of_a_decision_wants_brackets() -> None:
    message = told(as_statement("fee(w) = if large(w) then 5 else 1"))
    assert "put it in brackets, since it reaches to the end: `(if …)`" in message


def test_each_block_that_cannot_be_read_is_told_of() -> None:
    text = """ruleset x
law y/z
rule 1.1 "a"
  gost may enter
  guest mai leave

enum Kind one | two
rule 1.2 "b"
  guest may leave
when doors
  guest may enter
rule 1.3 "c"
  guest may enter wen doors
"""
    with pytest.raises(RuleTextError) as caught:
        parse_module(text, FILE)
    assert [(p.line, p.clause) for p in caught.value.problems] == [
        (5, "1.1"),
        (7, None),
        (10, None),
        (13, "1.3"),
    ]


def test_so_many_blocks_are_told_of_at_once_and_no_more() -> None:
    with pytest.raises(RuleTextError) as caught:
        parse_module("ruleset x\n" + "enum Kind one | two\n" * 30, FILE)
    assert [p.line for p in caught.value.problems] == list(range(2, 22))
