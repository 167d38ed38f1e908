"""The words of two clauses held against each other; figures in words and in digits are the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from verifier.law.words import plain, split_words

_UNITS = [
    *(
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
    ),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_FIGURES = {
    **{word: number for number, word in enumerate(_UNITS)},
    **{word: 10 * number for number, word in enumerate(_TENS, 2)},
    **{
        f"{tens}-{unit}": 10 * ten + number
        for ten, tens in enumerate(_TENS, 2)
        for number, unit in enumerate(_UNITS[1:10], 1)
    },
}
_MULTIPLES = {"hundred": 100, "thousand": 1000}
_DIGITS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,9}")
_LABEL = re.compile(r"(?:\([a-z0-9]{1,5}\))+")
_MARKS = ".,;:!?\"'-*"


@dataclass(frozen=True, slots=True)
class Token:
    """A word as it stands, or several that make one figure, and `key`, by which it is compared."""

    shown: str
    key: str


@dataclass(frozen=True, slots=True)
class Span:
    """A run of words: the same on both sides, or the words of each side that the other does not have there.

    `same` spans may be written differently (a figure, a capital, a comma).
    """

    kind: Literal["same", "changed"]
    old: str
    new: str


def tokens(text: str) -> tuple[Token, ...]:
    """The words of `text` as they are compared: without capitals and marks at their ends, figures as digits.

    "twenty-one" and "21" have one key, and so have "five thousand", "5,000" and "5000". Labels such as (c)
    keep their brackets.
    """
    return tuple(_figures(split_words(text)))


def compare(old: Sequence[Token], new: Sequence[Token]) -> tuple[Span, ...]:
    """`old` and `new` side by side, from the first word to the last."""
    matcher = SequenceMatcher(None, [t.key for t in old], [t.key for t in new], autojunk=False)
    return tuple(
        Span("same" if tag == "equal" else "changed", _joined(old[a:b]), _joined(new[c:d]))
        for tag, a, b, c, d in matcher.get_opcodes()
    )


def _joined(words: Sequence[Token]) -> str:
    return " ".join(word.shown for word in words)


def _figures(words: Sequence[str]) -> Iterator[Token]:
    at = 0
    while at < len(words):
        number, end = _figure(words, at)
        if number is None:
            yield Token(words[at], _key(words[at]))
            at += 1
        else:
            yield Token(" ".join(words[at:end]), str(number))
            at = end


def _figure(words: Sequence[str], at: int) -> tuple[int | None, int]:
    """The figure that begins at `at`, None where none does, and where it ends."""
    total = _single(_key(words[at]))
    if total is None:
        return None, at
    at += 1
    while at < len(words) and not _closed(words[at - 1]) and _key(words[at]) in _MULTIPLES:
        total *= _MULTIPLES[_key(words[at])]
        at += 1
        joined = at + 1 < len(words) and words[at] == "and" and not _closed(words[at - 1])
        rest = _FIGURES.get(_key(words[at + 1])) if joined else None
        if rest is not None and total % 100 == 0:
            return total + rest, at + 2
    return total, at


def _closed(word: str) -> bool:
    """Whether a mark ends the word, so that no figure runs on past it."""
    return word[-1] in _MARKS + ")"


def _single(key: str) -> int | None:
    if _DIGITS.fullmatch(key):
        return int(key.replace(",", ""))
    return _FIGURES.get(key)


def _key(word: str) -> str:
    bare = plain(word).casefold().strip(_MARKS)
    if _LABEL.fullmatch(bare):
        return bare
    if (bare.startswith("(") and bare.count("(") > bare.count(")")) or re.fullmatch(r"\([^()]*\)", bare):
        bare = bare[1:]
    if bare.endswith(")") and bare.count(")") > bare.count("("):
        bare = bare[:-1]
    return bare.strip(_MARKS) or plain(word).casefold()
