"""Converts what the roulette of t_games wrote into a log to check, and invents nothing.

    python examples/convert_tgames.py examples/data/tgames_roulette_french_ukrule_2000.jsonl.gz tgames.jsonl.zst [SPINS]

The source has one JSON object a spin. Whatever it holds that this program does not know is an error: a field, a wager
that does not cover the numbers that it names, a return that is more than nothing and less than half, a colour that is
not that of the usual wheel. `examples/README.md` says what becomes of each field, and what the source does not tell.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import verifier
from verifier.log.header import HEADER_KEY, VERSION, parse_header
from verifier.log.manifest import Seal
from verifier.log.write import write_jsonl

RULESET = "nz/roulette-1998"

ENGINE, ENGINE_VERSION, SEED = "t_games roulette", "fd55054", 55007
CONFIG = {"layout": "french (single zero)", "uk_rule_half_back_on_every_losing_18_number_bet": True}

# Stakes are whole chips, and so is what comes back. XXX is ISO 4217's code for "no currency involved".
CURRENCY, EXPONENT = "XXX", 0

# Every colour in the source is that of the usual single-zero wheel, which is demanded of each spin.
OPTIONS = {"wheel": "usual", "additional_areas": False}

# Rows that the source gives, or that its form implies (a spin, the end of a round).
WRITTEN = ["wager", "spin", "rest", "pay", "collect", "end_round"]
# No such thing is in the source, and it could not have happened without a trace in it: chips are accounted for to the
# last, and every spin has a number by which all its wagers are settled.
NEVER_HAPPENED = [
    *["mark_group", "withdraw", "alter", "give_back", "modify"],
    *["short_spin", "foreign_object", "hang_up", "ball_out", "ball_found", "interfere"],
    *["no_spin", "remove_ball", "return_ball", "change_ball"],
]
# What each wager returned stands beside it: when it was paid or collected is not told.
UNORDERED = ["pay", "collect"]

RED = {1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36}
SNAKE = [1, 5, 9, 12, 14, 16, 19, 23, 27, 30, 32, 34]
FIXED = {
    "low": list(range(1, 19)),
    "high": list(range(19, 37)),
    "even": list(range(2, 37, 2)),
    "odd": list(range(1, 37, 2)),
    "red": sorted(RED),
    "black": sorted(set(range(1, 37)) - RED),
    "basket": [0, 1, 2, 3],
    "snake": SNAKE,
}
"""Wagers that lie in one place, and the numbers that they cover."""

KINDS = {
    "straight": "straight_up",
    "split": "split",
    "trio": "street",
    "street": "street",
    "basket": "corner",
    "corner": "corner",
    "double": "six_line",
    "snake": "other",
    **{name: name for name in ("column", "dozen", "low", "high", "even", "odd", "red", "black")},
}

Row = dict[str, object]


class SourceError(ValueError):
    """The source holds what this converter does not know, or contradicts itself."""


def demand(holds: bool, where: str, what: str) -> None:
    """Raise `SourceError` unless it holds."""
    if not holds:
        raise SourceError(f"{where}: {what}")


def fields(value: object, names: str, where: str) -> dict[str, Any]:
    """An object with exactly these fields."""
    if not isinstance(value, dict):
        raise SourceError(f"{where}: {value!r}, expected an object")
    odd = sorted(set(value) ^ set(names.split()))
    demand(not odd, where, f"{', '.join(odd)}: fields missing, or unknown here")
    return value


def whole(value: object, where: str) -> int:
    """A whole number, not negative. Raises `SourceError`."""
    if type(value) is not int or value < 0:
        raise SourceError(f"{where}: {value!r}, expected a whole number")
    return value


def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object's fields; raises `SourceError` for equal names."""
    found = dict(pairs)
    demand(len(found) == len(pairs), "an object", "has a field twice")
    return found


def colour_of(number: int) -> str:
    """The colour of a number on the usual single-zero wheel."""
    return "green" if number == 0 else "red" if number in RED else "black"


def covered(name: str, first: int, last: int) -> list[int]:
    """The numbers that a wager of that name covers which covers `first` to `last`."""
    match name:
        case "straight" | "split":
            return sorted({first, last})
        case "trio":
            return [0, 1, 2] if last == 2 else [0, 2, 3]
        case "street" | "double" | "dozen":
            return list(range(first, last + 1))
        case "corner":
            return [first, first + 1, last - 1, last]
        case "column":
            return list(range(first, last + 1, 3))
        case _:
            return FIXED[name]


@dataclass(slots=True)
class Lay:
    """All that lies on one spot: what is staked there and what comes back, in chips."""

    staked: int = 0
    returned: int = 0


def spin_rows(record: dict[str, Any], where: str) -> Iterator[Row]:
    """All rows of a spin, without their keys. Raises `SourceError`."""
    number = whole(record["number"], where)
    demand(number <= 36 and record["colour"] == colour_of(number), where, "a number in its colour")
    lays: dict[tuple[str, str], Lay] = {}
    staked = returned = 0
    for index, wager in enumerate(record["wagers"], 1):
        place = f"{where}, wager {index}"
        fields(wager, "cmd accepted wager label numbers stake hit returned", place)
        name, numbers, stake, back = wager["wager"], wager["numbers"], wager["stake"], wager["returned"]
        demand(name in KINDS and wager["accepted"] is True, place, f"{name!r}, a wager that was accepted")
        for one in numbers:
            whole(one, place)
        demand(numbers == covered(name, min(numbers), max(numbers)), place, f"{name} on {numbers}")
        demand(wager["hit"] is (number in numbers), place, f"hit is {wager['hit']!r}")
        stake, back = whole(stake, place), whole(back, place)
        demand(stake > 0 and back != stake, place, f"{back} returned of {stake}")
        demand(
            (back > stake) is wager["hit"], place, f"hit is {wager['hit']}, and {back} came back of {stake}"
        )
        spot = (KINDS[name], f"{min(numbers)}-{max(numbers)}")
        lay = lays.setdefault(spot, Lay())
        lay.staked, lay.returned = lay.staked + stake, lay.returned + back
        staked, returned = staked + stake, returned + back
        yield {"actor": "player", "event": "wager", **spot_of(spot), "amount": stake}
    sums = (record["staked"], record["returned"], record["net"])
    demand(sums == (staked, returned, returned - staked), where, "the totals are not the sums of the wagers")
    yield {"actor": "dealer", "event": "spin"}
    yield {"actor": "dealer", "event": "rest", "number": number}
    for spot, lay in lays.items():
        if lay.returned < lay.staked:
            amount = lay.staked - lay.returned
            yield {"actor": "dealer", "event": "collect", **spot_of(spot), "amount": amount}
    for spot, lay in lays.items():
        if lay.returned > lay.staked:
            amount = lay.returned - lay.staked
            yield {"actor": "dealer", "event": "pay", **spot_of(spot), "amount": amount}
    yield {"actor": "dealer", "event": "end_round"}


def spot_of(spot: tuple[str, str]) -> Row:
    """The columns that tell a wager; the source has one player, and no name for him."""
    return {"player": "player", "kind": spot[0], "spot": spot[1]}


def records(source: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The spins of the source, each with its line in words. Raises `SourceError`."""
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            where = f"line {number}"
            record = json.loads(line, object_pairs_hook=distinct)
            fields(record, "engine version config seed round number colour wagers staked returned net", where)
            made = (record["engine"], record["version"], record["seed"], record["config"])
            demand(
                made == (ENGINE, ENGINE_VERSION, SEED, CONFIG),
                where,
                "not the engine, seed and configuration",
            )
            demand(record["round"] == number, where, f"round {record['round']}, expected {number}")
            yield where, record


def rows(source: Path, spins: int | None = None) -> Iterator[Row]:
    """All rows of the log of the first `spins` spins. Raises `SourceError`."""
    seq = 0
    for where, record in islice(records(source), spins):
        for row in spin_rows(record, where):
            seq += 1
            yield {"table": f"seed-{SEED}", "round": record["round"], "seq": seq, **row}


def header(source: Path) -> dict[str, object]:
    """What the log says of itself."""
    return {
        HEADER_KEY: VERSION,
        "operator": f"{ENGINE} {ENGINE_VERSION}",
        "ruleset": RULESET,
        "currency": CURRENCY,
        "exponent": EXPONENT,
        "records": [*WRITTEN, *NEVER_HAPPENED],
        "unordered": UNORDERED,
        "missing_columns": ["at"],
        "options": OPTIONS,
        "x_source": source.name,
        "x_source_sha256": hashlib.sha256(source.read_bytes()).hexdigest(),
    }


def convert(source: Path, target: Path, spins: int | None = None) -> Seal:
    """Write the log of the first `spins` spins of `source` to `target`. Raises `SourceError`."""
    schema = verifier.load(RULESET).schema
    return write_jsonl(target, schema, parse_header(header(source), schema), rows(source, spins))


def main() -> None:
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: convert_tgames.py SOURCE.jsonl.gz LOG.jsonl.gz [SPINS]")
    seal = convert(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) == 4 else None)
    print(f"{seal.events} events, sha256 {seal.sha256}")


if __name__ == "__main__":
    main()
