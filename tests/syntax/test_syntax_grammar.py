"""The grammar itself: no conflict settled in silence, no terminal without a name or without words."""

from __future__ import annotations

import test_syntax_declarations
import test_syntax_expressions
import test_syntax_statements
from lark import Token, Tree
from syntax_reading import as_condition, as_statement

from verifier.syntax.grammar import keywords, load, parser
from verifier.syntax.layout import WITH_STATEMENTS
from verifier.syntax.terms import GROUPS, WORDS, expected, in_words

MARKS = {"_NL", "_END"}
"""The terminals that the layout adds."""


def terminals() -> set[str]:
    return {terminal.name for terminal in parser().terminals} | MARKS


def test_the_grammar_loads_strictly_without_conflict_or_collision() -> None:
    assert load(strict=True).options.parser == "lalr"


def test_every_terminal_is_named_and_says_in_words_what_it_is() -> None:
    for name in terminals():
        assert not name.startswith("__"), name
        assert "_" not in in_words(name), name
        assert name in WORDS or name in keywords(), name


def test_a_word_of_the_language_is_called_by_that_word() -> None:
    for name, words in keywords().items():
        assert in_words(name) == f"`{words}`"
    assert len(keywords()) > 80


def test_no_words_are_kept_for_terminals_that_are_not_in_the_grammar() -> None:
    assert set(WORDS) - {"$END"} <= terminals()
    assert {name for group, _ in GROUPS for name in group} - {"$END"} <= terminals()
    assert terminals() >= WITH_STATEMENTS


def test_what_is_expected_is_said_in_groups_and_cut_short() -> None:
    assert expected(set()) == "expected nothing more"
    assert expected({"NAME"}) == "expected a name"
    assert expected({"NAME", "COMMA"}) == "expected a name or `,`"
    assert expected({"_NL", "_END"}) == "expected the end of the statement"
    everything = expected(terminals())
    assert everything.startswith("expected one of: ")
    assert everything.count("`") < 60


def test_the_examples_exercise_every_construct_of_the_grammar() -> None:
    texts = [
        *(as_condition(text) for text, _ in test_syntax_expressions.GOOD),
        *(as_statement(text) for text, _ in test_syntax_statements.GOOD),
        *(text for text, _ in test_syntax_declarations.GOOD),
        *(test_syntax_declarations.typed(text) for text, _ in test_syntax_declarations.TYPES),
    ]
    seen = {str(tree.data) for text in texts for tree in parser().parse(text).iter_subtrees()}
    constructs = {rule.alias or rule.origin.name for rule in parser().rules if not _inlined(rule)}
    assert constructs - seen == set()


def _inlined(rule: object) -> bool:
    """Whether a rule leaves no node of its own: a helper of repetition, or one that stands for its only child."""
    origin, alias, options = rule.origin, rule.alias, rule.options  # type: ignore[attr-defined]
    return origin.name.startswith("_") or (alias is None and options.expand1)


def test_trees_hold_only_named_tokens() -> None:
    tree: Tree[Token] = parser().parse(as_statement("dealer must deal(h, any) at once when a + 1 = b"))
    named = terminals()
    assert all(token.type in named for token in tree.scan_values(lambda v: isinstance(v, Token)))
