"""Asks the law's questions of the spins of t_games by hand: from the words of Division 8, with no line of the verifier.

    python tests/examples/independent_roulette.py examples/data/tgames_roulette_french_ukrule_2000.jsonl.gz

What lies on one spot is settled together, so that wagers of one name on the same numbers count as one.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

EVEN_CHANCES = {
    "low": "3.1(h)",
    "high": "3.1(i)",
    "even": "3.1(j)",
    "odd": "3.1(k)",
    "red": "3.1(l)",
    "black": "3.1(m)",
}

ODDS = {
    "straight": 35, "split": 17, "street": 11, "trio": 11, "corner": 8, "basket": 8, "double": 5, "column": 2,
    "dozen": 2, **dict.fromkeys(EVEN_CHANCES, 1),
}  # fmt: skip
"""3.9, for each to 1; Division 8 calls a trio a Street, a basket a Corner and a double street a Six-Line."""

RED = {32, 19, 21, 25, 34, 27, 36, 30, 23, 5, 16, 1, 14, 9, 18, 7, 12, 3}
"""Every other number of the single-zero wheel, clockwise from the 0."""

ROWS = [{first, first + 1, first + 2} for first in range(1, 37, 3)]

QUESTIONS = {
    "3.1 position": "a wager of a kind that the law has, where it has no position",
    "3.3": "a wager of a kind that the law does not have",
    "3.8 undecided": "such a wager settled, and no clause says how it ends",
    "3.9": "a winning wager paid at other odds",
    "3.10": "a wager that loses on 0 and is not collected whole",
    "lost whole": "another losing wager, but for even chances, that is not collected whole",
    "won": "a wager that wins by 3.1 and is not paid, or is paid and does not win",
    "announced": "a number in another colour",
    **{
        f"{clause}(ii)": f"a losing wager on {name} not collected whole"
        for name, clause in EVEN_CHANCES.items()
    },
}

Found = dict[str, Counter[int]]
"""By question: how often in which round."""


def positions() -> dict[str, set[frozenset[int]]]:
    """Where each kind of wager may lie, by 3.1, drawn on a layout of 12 rows of 3 beside the 0."""
    pairs = {frozenset({a, b}) for row in ROWS for a in row for b in row if b == a + 1}
    pairs |= {frozenset({a, a + 3}) for a in range(1, 34)} | {frozenset({0, a}) for a in (1, 2, 3)}
    beside = list(pairwise(ROWS))
    squares = {frozenset({a, b, a + 3, b + 3}) for row, _ in beside for a in row for b in row if b == a + 1}
    return {
        "straight": {frozenset({number}) for number in range(37)},
        "split": pairs,
        "street": {frozenset(row) for row in ROWS},
        "trio": {frozenset({0, 1, 2}), frozenset({0, 2, 3})},
        "corner": squares,
        "basket": {frozenset({0, 1, 2, 3})},
        "double": {frozenset(one | other) for one, other in beside},
        "column": {frozenset(range(first, 37, 3)) for first in (1, 2, 3)},
        "dozen": {frozenset(range(first, first + 12)) for first in (1, 13, 25)},
        "low": {frozenset(range(1, 19))},
        "high": {frozenset(range(19, 37))},
        "even": {frozenset(range(2, 37, 2))},
        "odd": {frozenset(range(1, 37, 2))},
        "red": {frozenset(RED)},
        "black": {frozenset(set(range(1, 37)) - RED)},
    }


def records(source: Path) -> Iterator[dict[str, Any]]:
    """The spins of the original file."""
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def ask(source: Path, spins: int | None = None) -> Found:
    """Every question, asked of the first `spins` spins."""
    found: Found = {question: Counter() for question in QUESTIONS}
    places = positions()
    for record in records(source):
        if spins is not None and record["round"] > spins:
            break
        for question in faults(record, places):
            found[question][record["round"]] += 1
    return found


def faults(record: dict[str, Any], places: dict[str, set[frozenset[int]]]) -> Iterator[str]:
    """The questions to be answered with yes, once for each wager or spot."""
    number = record["number"]
    if record["colour"] != ("green" if number == 0 else "red" if number in RED else "black"):
        yield "announced"
    lays: dict[tuple[str, frozenset[int]], list[int]] = {}
    for wager in record["wagers"]:
        name, numbers = wager["wager"], frozenset(wager["numbers"])
        if name not in ODDS:
            yield "3.3"
        elif numbers not in places[name]:
            yield "3.1 position"
        lay = lays.setdefault((name, numbers), [0, 0])
        lay[0] += wager["stake"]
        lay[1] += wager["returned"]
    for (name, numbers), (stake, returned) in lays.items():
        wins = number in numbers
        if name not in ODDS:
            if number != 0:
                yield "3.8 undecided"
            elif returned:
                yield "3.10"
            continue
        if wins != (returned > stake):
            yield "won"
        if wins and returned != stake * (ODDS[name] + 1):
            yield "3.9"
        if not wins and returned:
            yield f"{EVEN_CHANCES[name]}(ii)" if name in EVEN_CHANCES else "lost whole"
            if number == 0:
                yield "3.10"


def main() -> None:
    found = ask(Path(sys.argv[1]))
    for question, words in QUESTIONS.items():
        counted = found[question]
        example = f"first in spin {min(counted)}" if counted else ""
        print(f"{question:14} {counted.total():6} in {len(counted):5} spins  {words}  {example}")


if __name__ == "__main__":
    main()
