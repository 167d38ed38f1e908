"""The package knows no game: words of games stand in rulesets/, never in its code.

Comments and docstrings may use them to explain and to cite the law. Identifiers (names, attributes, arguments,
modules, files) and every other string may not.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "verifier"

GAME_WORDS = re.compile(
    "ace|baccarat|bet|bettor|bingo|blackjack|bust|card|chip|craps|croupier|dealer|deck|dice|die|gambler|insurance|"
    "jack|jackpot|joker|keno|king|pip|player|poker|pontoon|punter|queen|roulette|shoe|shuffle|spade|stake|suit|"
    "surrender|upcard|wager|wheel|winnings"
)
"""In the singular. What is plain English as well is told apart below."""

NAMES_ONLY = re.compile("ante|box|club|diamond|hand|heart|seven|spin")
"""Words that messages may use in their plain sense (by hand, in a box), but that name nothing in the code."""

_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def words_of(text: str) -> set[str]:
    """The words of an identifier or a string, in small letters, each also without a plural's ending."""
    found = {part.lower() for part in _PARTS.findall(text)}
    return found.union(*({word.removesuffix("s"), word.removesuffix("es")} for word in found))


def docstrings(tree: ast.AST) -> set[int]:
    """The ids of the string nodes that document something: they stand by themselves as statements."""
    return {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def names_and_strings(source: str) -> Iterator[tuple[int, str, bool]]:
    """Line, text, and whether it is a name, of every identifier and every string that is no docstring."""
    tree = ast.parse(source)
    documents = docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
            yield node.lineno, node.value, False
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME:
            yield token.start[0], token.string, True


def game_words(source: str) -> list[tuple[int, str]]:
    """Line and word of every game word in the code."""
    return sorted(
        {
            (line, word)
            for line, text, is_name in names_and_strings(source)
            for word in words_of(text)
            if GAME_WORDS.fullmatch(word) or (is_name and NAMES_ONLY.fullmatch(word))
        }
    )


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_no_game_word_in_the_package(path: Path) -> None:
    found = game_words(path.read_text(encoding="utf-8"))
    assert not found, "\n".join(f"{path}:{line}: {word}" for line, word in found)
    assert not game_words(f"import {path.stem}")


@pytest.mark.parametrize(
    "source",
    [
        "cards = 3",
        "def f(upcard): ...",
        "class DealerRule: ...",
        "x.best_hand",
        "f(stake=1)",
        "import wheel",
        "x = 'nz/blackjack-1998'",
        "x = f'{y} per Shoe'",
        "def f():\n    'doc'\n    return 'the players'",
        "from boxes import x",
    ],
)
def test_a_game_word_in_code_is_seen(source: str) -> None:
    assert game_words(source)


@pytest.mark.parametrize(
    "source",
    [
        "# the dealer's hand\nx = 1",
        "def f():\n    '''Of a player's card.'''\n    return 1",
        "WIDTH = 1\n'''As wide as a card.'''",
        "x = 'written by hand in a box'",
        "discarded, ranked, chipped = 1, 2, 3",
        "x = 'inbox'",
    ],
)
def test_other_words_are_let_through(source: str) -> None:
    assert not game_words(source)


@pytest.mark.parametrize(
    "path", sorted((PACKAGE.parent / "reports" / "html").iterdir()), ids=lambda path: path.name
)
def test_no_game_word_in_templates_style_or_script(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = [
        (line, word)
        for line, words in enumerate(text.split("\n"), 1)
        for word in words_of(words)
        if GAME_WORDS.fullmatch(word)
    ]
    assert not found
