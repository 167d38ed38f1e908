"""Where each kind of wager may lie: a wager at every pair of numbers is checked, and the layout is drawn by hand.

Nothing here reads the rules: the layout is a grid of twelve rows of three with the 0 at its head, as 3.1 speaks of it.
"""

from __future__ import annotations

import io
from functools import cache
from itertools import combinations_with_replacement

import pytest
from roulette_rounds import HEADER, as_jsonl, fields, placed, ready

from verifier.check.engine import check_logs
from verifier.log.sources import open_stream

GRID = [[3 * row + 1, 3 * row + 2, 3 * row + 3] for row in range(12)]

Spots = set[tuple[int, int]]


def ends(numbers: list[int]) -> tuple[int, int]:
    """How a log writes the position: its lowest and its highest number."""
    return min(numbers), max(numbers)


def lawful() -> dict[str, list[list[int]]]:
    """The numbers of each position of each kind of wager in 3.1."""
    squares = [
        [GRID[r][c], GRID[r][c + 1], GRID[r + 1][c], GRID[r + 1][c + 1]] for r in range(11) for c in range(2)
    ]
    across = [[GRID[r][c], GRID[r][c + 1]] for r in range(12) for c in range(2)]
    along = [[GRID[r][c], GRID[r + 1][c]] for r in range(11) for c in range(3)]
    red = [1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36]
    return {
        "straight_up": [[n] for n in range(37)],
        "split": [*across, *along, [0, 1], [0, 2], [0, 3]],
        "street": [*GRID, [0, 1, 2], [0, 2, 3]],
        "corner": [*squares, [0, 1, 2, 3]],
        "six_line": [GRID[r] + GRID[r + 1] for r in range(11)],
        "column": [[row[c] for row in GRID] for c in range(3)],
        "dozen": [list(range(1, 13)), list(range(13, 25)), list(range(25, 37))],
        "low": [list(range(1, 19))],
        "high": [list(range(19, 37))],
        "even": [list(range(2, 37, 2))],
        "odd": [list(range(1, 37, 2))],
        "red": [red],
        "black": [[n for n in range(1, 37) if n not in red]],
    }


COUNTS = {"straight_up": 37, "split": 60, "street": 14, "corner": 23, "six_line": 11, "column": 3, "dozen": 3}
"""How many positions there are of a kind; of the others one."""


def faulty(*scripts: str) -> list[int]:
    """The rows at fault, counted from 0, of a log of such rounds."""
    rows = [fields(place, "T1", seq) for seq, place in enumerate(placed(scripts), 1)]
    log = open_stream("log.jsonl", io.BytesIO(as_jsonl(HEADER, rows)), ready().binding.schema)
    entries = check_logs([log], ready()).entries
    return [entry.seq - 1 for entry in entries if entry.seq is not None]


def tried(kind: str) -> list[tuple[int, int]]:
    """Every lower and higher number, and those of lawful positions the other way round."""
    turned = [(b, a) for a, b in map(ends, lawful()[kind]) if a < b]
    return [*combinations_with_replacement(range(37), 2), *turned]


@cache
def refused(kind: str) -> Spots:
    """The pairs of numbers at which a wager of the kind is at fault."""
    pairs = tried(kind)
    return {pairs[row] for row in faulty("; ".join(f"w ann {kind} {a}-{b} 100" for a, b in pairs))}


@pytest.mark.parametrize("kind", lawful())
def test_a_wager_lies_where_the_layout_has_a_position_for_it_and_nowhere_else(kind: str) -> None:
    positions = {ends(numbers) for numbers in lawful()[kind]}
    assert len(positions) == len(lawful()[kind]) == COUNTS.get(kind, 1)
    assert set(tried(kind)) - refused(kind) == positions


ODDS = {"straight_up": 35, "split": 17, "street": 11, "corner": 8, "six_line": 5, "column": 2, "dozen": 2}
"""To 1, of the kinds that are not even chances."""


@pytest.mark.parametrize("number", [0, 1, 17, 36])
def test_every_position_wins_on_its_numbers_and_loses_on_the_others(number: int) -> None:
    red = lawful()["red"][0]
    colour = "green" if number == 0 else "red" if number in red else "black"
    laid = [(kind, numbers) for kind, positions in lawful().items() for numbers in positions]
    spots = {id(numbers): "{}-{}".format(*ends(numbers)) for _, numbers in laid}
    steps = [f"w ann {kind} {spots[id(numbers)]} 100" for kind, numbers in laid]
    steps += [f"spins; calls; rest {number}; announce {number} {colour}; place_dolly {number}"]
    for kind, numbers in laid:
        if number not in numbers:
            steps.append(f"takes ann {kind} {spots[id(numbers)]} 100")
    for kind, numbers in laid:
        if number in numbers:
            steps.append(f"pays ann {kind} {spots[id(numbers)]} {100 * ODDS.get(kind, 1)}")
    assert faulty("; ".join([*steps, "end"])) == []
