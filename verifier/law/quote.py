"""Quotes: whether words stand in a clause, which of its words they cover, and what stands there instead."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from verifier.law.outline import Clause, Law
from verifier.law.words import is_punctuation, plain, split_words

ELLIPSIS = "…"
CANDIDATES = 60
"""Runs of words that `nearest_words` compares letter by letter, having ranked all by the words they share."""
SURPLUS = 0.3
"""What a letter that the quote lacks costs there, where a letter it has counts 1."""

_MAY_OPEN = frozenset('(["')
_MAY_CLOSE = frozenset('.,;:?!)]"-')

Part = Literal["intro", "tail", "both"]


@dataclass(frozen=True, slots=True)
class QuoteSpan:
    """Where a quote stands: half-open ranges of indices into `Clause.words`, in order, none empty.

    There is one range for each run of words that `…` separates. `part` says whether they lie in the words
    before the list, after it, or in both.
    """

    ranges: tuple[tuple[int, int], ...]
    part: Part

    @property
    def indices(self) -> frozenset[int]:
        """The indices of all words covered."""
        return frozenset(index for start, end in self.ranges for index in range(start, end))


def find_quote(clause: Clause, quote: str) -> QuoteSpan | None:
    """Where `quote` stands in the clause's own words, or None.

    White space, the shape of quotation marks and that of dashes do not count; letters, case, digits and the
    punctuation between words do. A run of words may begin after an opening bracket or quotation mark and end
    before the punctuation that follows it. `…` skips any number of words, in order. No run crosses from the
    words before a list to those after it, and words of clauses below are never found. Each run is matched as
    early as it can be. A quote without words is found nowhere.
    """
    return _find(clause.words, clause.intro, quote)


@lru_cache(maxsize=8192)
def _find(words: tuple[str, ...], intro: str, quote: str) -> QuoteSpan | None:
    """As `find_quote`. Kept, for a ruleset that is read again and again asks the same again and again."""
    runs = _runs(quote)
    if not runs:
        return None
    text = [plain(word) for word in words]
    border = len(split_words(intro))
    ranges: list[tuple[int, int]] = []
    at = 0
    for run in runs:
        start = _first_match(text, run, at, border)
        if start is None:
            return None
        at = start + len(run)
        ranges.append((start, at))
    if ranges[-1][1] <= border:
        return QuoteSpan(tuple(ranges), "intro")
    return QuoteSpan(tuple(ranges), "tail" if ranges[0][0] >= border else "both")


def clauses_with(law: Law, quote: str) -> tuple[str, ...]:
    """The addresses of all clauses whose own words hold `quote`, in document order."""
    return tuple(address for address, clause in law.clauses.items() if find_quote(clause, quote))


def nearest_words(clause: Clause, quote: str) -> str:
    """The words of the clause that come closest to `quote`, as they stand there, for error messages.

    One run for each run of the quote, joined by ` … `. Empty when the clause has no words of its own or the
    quote none.
    """
    words = clause.words
    border = len(split_words(clause.intro))
    nearest: list[str] = []
    for run in _runs(quote):
        best = _nearest_run(words, border, run)
        if best:
            nearest.append(" ".join(best))
    return f" {ELLIPSIS} ".join(nearest)


def _runs(quote: str) -> list[tuple[str, ...]]:
    runs = [split_words(plain(run)) for run in quote.split(ELLIPSIS)]
    return [run for run in runs if run]


def _first_match(text: list[str], run: tuple[str, ...], at: int, border: int) -> int | None:
    for start in range(at, len(text) - len(run) + 1):
        if start < border < start + len(run):
            continue
        if all(
            _same(text[start + i], word, first=i == 0, last=i == len(run) - 1) for i, word in enumerate(run)
        ):
            return start
    return None


def _same(word: str, quoted: str, *, first: bool, last: bool) -> bool:
    """Whether `quoted` is the clause's `word`, but for punctuation outside the run's first and last word."""
    if word == quoted:
        return True
    at = word.find(quoted) if first or last else -1
    while at >= 0:
        before, after = word[:at], word[at + len(quoted) :]
        opens = not before or (first and _MAY_OPEN.issuperset(before))
        closes = not after or (last and _MAY_CLOSE.issuperset(after))
        if opens and closes:
            return True
        at = word.find(quoted, at + 1)
    return False


def _nearest_run(words: tuple[str, ...], border: int, run: tuple[str, ...]) -> tuple[str, ...]:
    wanted = {_bare(word) for word in run}
    bare = [_bare(word) for word in words]

    def shared(window: tuple[int, int]) -> float:
        start, end = window
        return sum(word in wanted for word in bare[start:end]) - 0.5 * abs(end - start - len(run))

    windows = sorted(_windows(len(words), border, len(run)), key=shared, reverse=True)
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(" ".join(_bare(word) for word in run))
    best: tuple[str, ...] = ()
    best_score = -math.inf
    for start, end in windows if len(run) == 1 else windows[:CANDIDATES]:
        text = " ".join(bare[start:end])
        matcher.set_seq1(text)
        matched = sum(block.size for block in matcher.get_matching_blocks())
        score = matched - SURPLUS * (len(text) - matched)
        if score > best_score:
            best, best_score = words[start:end], score
    return best


def _windows(count: int, border: int, length: int) -> Iterator[tuple[int, int]]:
    """All runs of about `length` words within the intro or within the tail, as half-open ranges."""
    for low, high in ((0, border), (border, count)):
        for size in sorted({min(size, high - low) for size in range(max(1, length - 2), length + 4)} - {0}):
            for start in range(low, high - size + 1):
                yield start, start + size


def _bare(word: str) -> str:
    return "".join(c for c in plain(word).casefold() if not is_punctuation(c))
