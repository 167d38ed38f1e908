"""What a writer may have meant: small repairs of a faulty text, tried out, and the first that reads better.

A repair counts only if the parser gets past the faulty line with it: nothing is suggested on likeness alone.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from verifier.syntax.grammar import fault_at, keywords
from verifier.syntax.places import begins_block

MOST_TEXT = 20_000
"""Characters of a block beyond which no repair is tried: each costs a parse of the block."""

MOST_TRIALS = 24
"""Misspelt words tried, the likeliest first."""

LIKENESS = 0.6

FURTHER = " " * 40
"""An indentation deeper than any statement's, to try whether a line continues the one above."""

SYNONYMS = {
    "shall": "must", "shall not": "must not", "cannot": "must not", "may not": "must not", "can": "may",
    "if": "when", "provided": "when", "provided that": "when", "forthwith": "at once",
    "immediately": "at once", "each": "every", "is in": "in", "is not in": "not in", "is not": "!=",
    "is": "=", "equals": "=", "happened": "has happened",
}  # fmt: skip
"""What lawyers write, and the words of the language for it."""

_HIDDEN = re.compile(r'"(?:\\.|[^"\\\n])*"|#[^\n]*')
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MISSING = ("=", ":", ",", ")")
_WHOLE = re.compile(r'"(?:\\.|[^"\\\n])*"|[A-Za-z0-9_.]+|[^\s]')


@dataclass(frozen=True, slots=True)
class _Fault:
    """A block with its first fault. Offsets count characters of `block` from 0."""

    block: str
    offset: int
    line_start: int
    line_end: int

    def passes(self, repaired: str) -> bool:
        """Whether the parser gets past the faulty line in `repaired`, the text after it being as it was."""
        fault = fault_at(repaired)
        return fault is None or len(repaired) - fault < len(self.block) - self.line_end


def suggestion(text: str, offset: int, signs: bool = True) -> str | None:
    """What may have been meant where the syntax error at `offset` stands; None if nothing is near.

    `signs` says whether a sign may have been left out, such as `=`.
    """
    fault = _isolate(text, offset)
    if fault is None:
        return None
    return _indentation(fault) or _misspelt(fault) or (_missing(fault) if signs else None)


def _isolate(text: str, offset: int) -> _Fault | None:
    """The block round `offset`, with a line feed at its end."""
    starts = [0, *(m.end() for m in re.finditer("\n", text))]
    heads = [s for s in starts if begins_block(text[s : s + 1])]
    begin = max((s for s in heads if s <= offset), default=0)
    if begin == offset:  # perhaps this line belongs to the block above
        begin = max((s for s in heads if s < offset), default=0)
    end = min((s for s in heads if s > offset), default=len(text))
    if end - begin > MOST_TEXT:
        return None
    block = text[begin:end].rstrip() + "\n"
    at = min(offset - begin, len(block) - 1)
    return _Fault(block, at, block.rfind("\n", 0, at) + 1, block.index("\n", at))


def _indentation(fault: _Fault) -> str | None:
    """A line that was meant to continue the statement above, or was not."""
    block, start = fault.block, fault.line_start
    at_end = fault.offset >= len(block[: fault.line_end].rstrip())
    indent = len(block[start:]) - len(block[start:].lstrip(" "))
    first = not at_end and fault.offset == start + indent
    above = {len(m.group(1)) for m in re.finditer(r"^( +)[^ #\n\r]", block[:start], re.MULTILINE)}
    if start and first:
        for step in sorted({0, *above}, reverse=True):
            if step < indent and fault.passes(block[:start] + " " * step + block[start + indent :]):
                what = "a statement" if step else "a rule or declaration"
                return (
                    "this line continues the one above, since it is indented further; "
                    f"{what} of its own begins in column {step + 1}"
                )
        for step in sorted(above or {2}):
            if step > indent and fault.passes(block[:start] + " " * step + block[start + indent :]):
                return f"begin it in column {step + 1} if it is a statement of the block above"
    if (
        (above or (start and not indent))
        and (first or at_end)
        and fault.passes(block[:start] + FURTHER + block[start:])
    ):
        return "if this line continues the statement above, indent it further than that statement"
    if at_end:
        following = re.compile(r"\n(?= *[^ #\n\r])").search(block, fault.line_end)
        if following is not None:
            deeper = block[: following.end()] + FURTHER + block[following.end() :]
            line_end = block.find("\n", following.end())
            if _Fault(block, fault.offset, start, line_end).passes(deeper):
                return "if the next line continues this statement, indent it further than the statement"
    return None


def _misspelt(fault: _Fault) -> str | None:
    """A word or some words near the fault that come close to words of the language."""
    for window, start, words in _candidates(fault):
        if fault.passes(fault.block[:start] + words + fault.block[start + len(window) :]):
            return f"did you mean `{words}` for `{window}`?"
    return None


def _candidates(fault: _Fault) -> Iterator[tuple[str, int, str]]:
    """Pieces of the faulty line, where they begin, the language's words they resemble; likeliest first."""
    line = _HIDDEN.sub(lambda m: " " * len(m.group()), fault.block[: fault.line_end])
    found = [
        m
        for m in _WORD.finditer(line, fault.line_start)
        if m.start() <= fault.offset or "\n" not in line[fault.offset : m.start()]
    ]
    phrases = sorted(set(keywords().values()))
    for said, meant in SYNONYMS.items():
        for match in re.finditer(rf"\b{said}\b", line[fault.line_start :]):
            start = fault.line_start + match.start()
            if start <= fault.offset:
                yield said, start, meant
    scored: list[tuple[float, int, str, str]] = []
    for phrase in phrases:
        count = phrase.count(" ") + 1
        for length in {count, max(count - 1, 1)}:
            for first, last in zip(found, found[length - 1 :], strict=False):
                window = line[first.start() : last.end()]
                likeness = difflib.SequenceMatcher(None, window.lower(), phrase).ratio()
                if window not in phrases and likeness >= LIKENESS and first.start() <= fault.offset:
                    scored.append((likeness, first.start(), window, phrase))
    scored.sort(key=lambda s: (-s[0], abs(s[1] - fault.offset), -len(s[3])))
    for _, start, window, phrase in scored[:MOST_TRIALS]:
        yield window, start, phrase


def _missing(fault: _Fault) -> str | None:
    """A sign left out before one of the last three things up to the fault, or before the fault."""
    line = fault.block[fault.line_start : fault.line_end]
    whole = [m for m in _WHOLE.finditer(line) if fault.line_start + m.start() <= fault.offset]
    for before, after in list(pairwise(whole))[:-4:-1]:
        for sign in _MISSING:
            place = fault.line_start + before.end()
            if fault.passes(
                fault.block[:place] + sign + " " + fault.block[fault.line_start + after.start() :]
            ):
                return f"a `{sign}` seems to be missing after `{before.group()}`"
    return None
