"""The formatter: one way to write a file, the same tree, all its comments, and nothing to do the second time."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
import test_syntax_declarations
import test_syntax_expressions
import test_syntax_statements
from hypothesis import given, settings
from hypothesis import strategies as st
from syntax_made import made_module
from syntax_reading import FILE, as_condition, as_statement, blocks

from verifier.errors import InternalError, RuleTextError
from verifier.resources import root
from verifier.syntax import format as formatter
from verifier.syntax.format import WIDTH, format_text

SHIPPED = sorted(root("rulesets").rglob("*.rules"))


def formatted(text: str) -> str:
    """`text` formatted; checks what every formatting must keep."""
    once = format_text(text, FILE)
    assert format_text(once, FILE) == once
    assert blocks(once) == blocks(text)
    assert "\n\n\n" not in once
    assert not re.search(r"[ \r]\n", once)
    assert once == "" or (once.endswith("\n") and not once.endswith("\n\n") and not once.startswith("\n"))
    return once


@pytest.mark.parametrize("path", SHIPPED, ids=[path.stem for path in SHIPPED])
def test_shipped_rulesets_keep_their_meaning_and_comments(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    once = formatted(text)
    assert comments(once) == comments(text)
    bare = (line.partition("  #")[0] for line in once.split("\n") if not line.lstrip().startswith("#"))
    assert all(len(line) <= WIDTH or '"' in line for line in bare)


def comments(text: str) -> list[str]:
    """The comments of a text, in order."""
    found = (line for line in re.sub(r'"(\\.|[^"\\\n])*"', '""', text).split("\n") if "#" in line)
    return ["#" + line.partition("#")[2].rstrip() for line in found]


@settings(max_examples=40, deadline=None)
@given(st.integers(min_value=0, max_value=2**32))
def test_made_modules_keep_their_meaning_and_comments(seed: int) -> None:
    text = made_module(Random(seed))
    numbers = re.compile(r"#[ ]*c(\d+)\b")
    once = formatted(text)
    assert numbers.findall(once) == numbers.findall(text)
    assert formatted(text.replace("\n", "\r\n")) == once


def test_made_modules_hold_every_statement() -> None:
    made = "".join(made_module(Random(seed)) for seed in range(100))
    words = ("rule", "entity", "state", "event", "on", "supplied", "theorem", "chance", "given", "except", "apply",
             "asked", "require", "dealer", "unobservable", "define", "option", "view", "row", "holds")  # fmt: skip
    for word in words:
        assert re.search(rf"^ *{word}\b", made, re.MULTILINE), word


ALIKE = [
    *(as_condition(text) for text, _ in test_syntax_expressions.GOOD if "  " not in text),
    *(as_statement(text) for text, _ in test_syntax_statements.GOOD),
    *(text for text, _ in test_syntax_declarations.GOOD),
    *(test_syntax_declarations.typed(text) for text, _ in test_syntax_declarations.TYPES),
]


@pytest.mark.parametrize("text", ALIKE)
def test_what_is_written_well_is_left_as_it_is(text: str) -> None:
    assert formatted(text) == text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a+b*c", "a + b * c"),
        ("a - -b", "a - -b"),
        ("(- a)", "(-a)"),
        ("a<=b", "a <= b"),
        ("f ( a ,b )", "f(a, b)"),
        ("f(k:any)", "f(k: any)"),
        ("a . b [ 1 ]", "a.b[1]"),
        ("a in{b,2 .. 9}", "a in {b, 2..9}"),
        ("a in 1 .. 7", "a in 1..7"),
        ("table(a){b:1;2:-c}", "table (a) { b: 1; 2: -c }"),
        ("table (a) { (b): 1 }", "table (a) { (b): 1 }"),
        ("sum(a for x in D)", "sum (a for x in D)"),
        ("after ( a )", "after(a)"),
        ("3  to  2", "3 to 2"),
        ("a is  a multiple   of b", "a is a multiple of b"),
        ("not(a)", "not (a)"),
        ("every x in D where(a):b", "every x in D where (a): b"),
    ],
)
def test_one_space_round_operators_and_none_within_brackets(text: str, wanted: str) -> None:
    assert formatted(as_condition(text)) == as_condition(wanted)


def test_statements_are_indented_by_two_and_nothing_is_aligned() -> None:
    text = "entity  Hand(place:Place)in round\n     cards:  list of Card max 22\n     stood:  bool   = no\n"
    assert (
        formatted(text)
        == "entity Hand(place: Place) in round\n  cards: list of Card max 22\n  stood: bool = no\n"
    )


def test_a_long_statement_breaks_before_when_first() -> None:
    text = as_statement(
        "player p may split(p, h where h.place > 0, any) or designate(p, any) when h.split_from exists and "
        "deal(h, any) has not happened since split(any, any, any)"
    )
    assert (
        formatted(text)
        == """\
rule 5.1 "each player"
  player p may split(p, h where h.place > 0, any) or designate(p, any)
    when h.split_from exists and deal(h, any) has not happened since split(any, any, any)
"""
    )


def test_a_long_condition_breaks_before_or_then_before_and() -> None:
    text = as_condition(" and ".join(f"condition_{n}" for n in range(6)) + " or " + " and ".join(
        f"condition_{n}" for n in range(6, 18)))  # fmt: skip
    assert formatted(text) == (
        "define it: bool = condition_0 and condition_1 and condition_2 and condition_3 and condition_4"
        " and condition_5\n"
        "    or condition_6 and condition_7 and condition_8 and condition_9 and condition_10 and condition_11"
        " and condition_12\n    and condition_13 and condition_14 and condition_15 and condition_16"
        " and condition_17\n"
    )


def test_a_long_table_begins_on_its_own_line() -> None:
    rows = "; ".join(f"{n}: {n}" for n in range(2, 12))
    assert formatted(f"define pips(r: Rank): 1..20 = table (r) {{ {rows} }}\n") == (
        f"define pips(r: Rank): 1..20 = table (r) {{ {rows} }}\n"
    )
    rows += "; jack: 10; queen: 10"
    assert formatted(f"define pips(r: Rank): 1..20 = table (r) {{ {rows} }}\n") == (
        f"define pips(r: Rank): 1..20 = table (r)\n    {{ {rows} }}\n"
    )


def test_a_long_definition_breaks_behind_its_equals_sign_and_not_before_its_type() -> None:
    sums = "sum (w.stake for w in Wager where w.player = p and w.hand.place = b and w.kind = k)"
    assert formatted(f"define laid(p: Player, b: Place, k: Kind): money = {sums}\n") == (
        f"define laid(p: Player, b: Place, k: Kind): money =\n    {sums}\n"
    )


def test_a_chain_of_choices_breaks_before_else() -> None:
    text = as_condition(
        "if outcome(w, finish) = win then w.stake * odds(w, finish) "
        "else if outcome(w, finish) = lose then 0 - w.stake else 0"
    )
    assert (
        formatted(text)
        == """\
define it: bool = if outcome(w, finish) = win then w.stake * odds(w, finish)
    else if outcome(w, finish) = lose then 0 - w.stake else 0
"""
    )


def test_a_long_quantifier_breaks_behind_its_colon() -> None:
    body = "result(w, Finish(t, no)) = result(w, Finish(22, no))"
    text = as_statement(
        f"define moot: bool = every w in Wager where total(w.hand) <= 21: every t in 17..26: {body}"
    )
    assert formatted(text).split("\n")[1:3] == [
        "  define moot: bool = every w in Wager where total(w.hand) <= 21: every t in 17..26:",
        f"    {body}",
    ]


def test_long_lists_break_after_commas() -> None:
    clauses = [f"5.{n}(a)" for n in range(10, 30)]
    assert formatted(as_statement("except " + ", ".join(clauses))) == (
        f'rule 5.1 "each player"\n  except {", ".join(clauses[:12])},\n    {", ".join(clauses[12:])}\n'
    )


def test_short_continuations_are_joined() -> None:
    assert (
        formatted('rule 5.1 "x"\n  given a\n     and b\n       or c\n')
        == 'rule 5.1 "x"\n  given a and b or c\n'
    )


def test_the_line_of_a_quote_is_never_broken() -> None:
    quote = "each player shall " * 20
    assert (
        formatted(f'rule 5.1 [long]   "{quote}"\n except 5.2\n')
        == f'rule 5.1 [long] "{quote}"\n  except 5.2\n'
    )


def test_a_statement_behind_the_quote_stays_if_it_is_the_only_one_and_there_is_room() -> None:
    assert formatted('rule 5.1 "x" structural # c\n') == 'rule 5.1 "x" structural  # c\n'
    assert formatted('rule 5.1 "x"\n  structural\n') == 'rule 5.1 "x"\n  structural\n'
    assert formatted('rule 5.1 "x" except 5.2 # c\n    structural\n') == (
        'rule 5.1 "x"\n  except 5.2  # c\n  structural\n'
    )
    long = "x" * 60
    assert formatted(f'rule 5.1 "{long}" reading "{long}"\n') == f'rule 5.1 "{long}"\n  reading "{long}"\n'


def test_comments_stay_where_they_are() -> None:
    text = """\
#  the head

use std/cards #1
# above the rule
rule 5.1 "x"   # behind the quote
# above the first statement

   except 5.2,   # behind a comma
 # within the statement
      5.3        # behind the statement

       # above the second
   given a  #
   # below the rule

  # still below

# above the next
rule 5.2 "# no comment"
 # at the end
# the end
"""
    assert (
        formatted(text)
        == """\
#  the head

use std/cards  #1

# above the rule
rule 5.1 "x"  # behind the quote
  # above the first statement

  except 5.2,  # behind a comma
    # within the statement
    5.3  # behind the statement

  # above the second
  given a  #
  # below the rule

  # still below

# above the next
rule 5.2 "# no comment"
  # at the end
# the end
"""
    )


def test_blank_lines_become_one_and_part_rules_and_blocks_of_several_lines() -> None:
    text = """\


ruleset a/b
law c


use d
event e
  observed
event f
event g
rule 1 "x"
rule 2 "y"
# of the third
rule 3 "z"


# apart

rule 4 "z"
  structural



  structural


"""
    assert (
        formatted(text)
        == """\
ruleset a/b
law c

use d

event e
  observed

event f
event g

rule 1 "x"

rule 2 "y"

# of the third
rule 3 "z"

# apart

rule 4 "z"
  structural

  structural
"""
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", ""),
        ("\n \n", ""),
        ("# only", "# only\n"),
        ("\n  # only\n\n\n# two  \n", "# only\n\n# two\n"),
        ("# a\r\nuse b\r\n", "# a\nuse b\n"),
        ("use b", "use b\n"),
    ],
)
def test_files_of_next_to_nothing(text: str, wanted: str) -> None:
    assert formatted(text) == wanted


def test_a_faulty_file_is_refused() -> None:
    with pytest.raises(RuleTextError) as caught:
        format_text('rule 5.1 "x"\n  excpt 5.2\n', FILE)
    assert caught.value.problem.line == 2


def test_a_formatting_that_changed_the_meaning_would_be_withheld(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formatter, "_write", lambda file: "use other\n")
    with pytest.raises(InternalError) as caught:
        format_text("use std/cards\n", FILE)
    assert caught.value.problem.code == "formatter-changed-meaning"
