"""Legal rounds under Division 8, and the rows that they are in a log.

A round is written as steps parted by semicolons: an event and its columns in the order of the schema, the actor
being the first one that the event provides for, or the one after `@`. Short forms stand for common events.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from verifier.check.engine import Prepared, prepare

RULESET = "nz/roulette-1998"

OPTIONS: dict[str, object] = {"wheel": "usual", "additional_areas": True}

HEADER: dict[str, object] = {
    "gazette-log": 1,
    "operator": "a test",
    "ruleset": RULESET,
    "currency": "NZD",
    "exponent": 2,
    "records": "all",
    "missing_columns": ["at"],
    "options": OPTIONS,
}

SHORT = {
    "w": "wager",
    "spins": "spin clockwise anticlockwise",
    "calls": "close_bets yes",
    "takes": "collect",
    "pays": "pay",
    "back": "give_back",
    "off": "no_spin no",
    "grabs": "remove_ball yes",
    "end": "end_round",
}


def result(number: int, colour: str) -> str:
    """A spin that ends on that number, up to the dolly."""
    return f"spins; calls; rest {number}; announce {number} {colour}; place_dolly {number}"


PLAIN = f"w ann straight_up 17-17 1000; {result(17, 'black')}; pays ann straight_up 17-17 35000; end"

ROUNDS: dict[str, tuple[str, ...]] = {
    "inside": (
        "mark_group N5 17 6 34; w ann straight_up 17-17 100; w ann split 16-17 100; w ann street 16-18 100; "
        "w ann corner 13-17 100; w ann six_line 16-21 100; w ann neighbour 5-5 100; w bob corner 1-5 100; "
        f"{result(17, 'black')}; takes bob corner 1-5 100; pays ann straight_up 17-17 3500; "
        "pays ann split 16-17 1700; pays ann street 16-18 1100; pays ann corner 13-17 800; "
        "pays ann six_line 16-21 500; pays ann neighbour 5-5 1100; end",
    ),
    "outside": (
        "w ann column 3-36 100; w ann dozen 13-24 100; w ann low 1-18 100; w ann even 2-36 100; "
        "w ann red 1-36 100; w bob high 19-36 100; w bob odd 1-35 100; w bob black 2-35 100; "
        f"{result(18, 'red')}; takes bob high 19-36 100; takes bob odd 1-35 100; takes bob black 2-35 100; "
        "pays ann column 3-36 200; pays ann dozen 13-24 200; pays ann low 1-18 100; pays ann even 2-36 100; "
        "pays ann red 1-36 100; end",
    ),
    "zero": (
        "w ann straight_up 0-0 100; w ann split 0-2 100; w ann street 0-3 100; w ann corner 0-3 100; "
        f"w bob even 2-36 100; w bob dozen 1-12 100; {result(0, 'green')}; takes bob even 2-36 100; "
        "takes bob dozen 1-12 100; pays ann straight_up 0-0 3500; pays ann split 0-2 1700; "
        "pays ann street 0-3 1100; pays ann corner 0-3 800; end",
    ),
    "winnings removed": (
        "w ann red 1-36 500; w bob red 1-36 500; w cat straight_up 18-18 500; alter cat straight_up 18-18 1000; "
        f"@dealer w dan low 1-18 500; {result(18, 'red')}; pays ann red 1-36 500; withdraw ann red 1-36; "
        "pays bob red 1-36 500; pays cat straight_up 18-18 35000; pays dan low 1-18 500; "
        "withdraw dan low 1-18; end",
    ),
    "void and spun again": (
        PLAIN,
        "w ann straight_up 17-17 1000; w bob red 1-36 500; spins; calls; foreign_object; @supervisor off; grabs; "
        f"return_ball 17; {result(18, 'red')}; takes ann straight_up 17-17 1000; pays bob red 1-36 500; end",
    ),
    "void at rest": (
        PLAIN,
        "w ann straight_up 17-17 1000; spins; hang_up; off; remove_ball no; rest 20; return_ball 17; "
        f"{result(18, 'red')}; takes ann straight_up 17-17 1000; end",
    ),
    "out of the wheel": (
        PLAIN,
        "w ann straight_up 17-17 1000; spins; calls; ball_out; off; ball_found; examine_ball; change_ball; "
        f"return_ball 17; {result(18, 'red')}; takes ann straight_up 17-17 1000; end",
    ),
    "too few revolutions": (
        PLAIN,
        "w ann straight_up 17-17 1000; spins; no_spin yes; grabs; return_ball 17; spins; calls; short_spin; "
        f"rest 20; return_ball 17; {result(18, 'red')}; takes ann straight_up 17-17 1000; end",
    ),
    "modified": (
        f"w ann straight_up 16-16 1000; w bob straight_up 18-18 500; {result(17, 'black')}; "
        "modify ann straight_up 16-16 win; modify bob straight_up 18-18 void; back bob straight_up 18-18; "
        "pays ann straight_up 16-16 35000; end",
    ),
}
"""Each is one or several rounds; a plain one follows when they are judged."""


@dataclass(frozen=True)
class Step:
    """One row without its place: who did what, the columns of the event as text."""

    actor: str
    event: str
    columns: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join([self.actor, self.event, *self.columns])


@dataclass(frozen=True)
class Placed:
    """A step with the number of its round."""

    step: Step
    round: int


@cache
def ready() -> Prepared:
    return prepare(RULESET)


def steps(script: str) -> list[Step]:
    """The steps of a script."""
    found: list[Step] = []
    for part in filter(None, (piece.strip() for piece in script.split(";"))):
        words = part.split()
        actor = words.pop(0)[1:] if words[0].startswith("@") else None
        event, *columns = [*SHORT.get(words[0], words[0]).split(), *words[1:]]
        by = ready().ruleset.events[event].by
        found.append(Step(actor or (by[0] if by else "dealer"), event, tuple(columns)))
    return found


def placed(scripts: Iterable[str]) -> list[Placed]:
    """The steps of several rounds."""
    return [Placed(step, number) for number, script in enumerate(scripts, 1) for step in steps(script)]


def fields(place: Placed, table: str, seq: int) -> dict[str, object]:
    """The step as a line of JSON Lines."""
    schema, step = ready().binding.schema, place.step
    found: dict[str, object] = {"table": table, "round": place.round, "seq": seq}
    found |= {"actor": step.actor, "event": step.event}
    for name, text in zip(schema.events[step.event].parameters, step.columns, strict=True):
        found[name] = value(schema.columns[name].kind, text)
    return found


def value(kind: str, text: str) -> object:
    """A column's text as JSON has it."""
    match kind:
        case "integer" | "money":
            return int(text)
        case "boolean":
            return text == "yes"
        case _:
            return text


def as_jsonl(header: dict[str, object], rows: list[dict[str, object]]) -> bytes:
    """A log as JSON Lines, with its trailer."""
    lines = [json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in (header, *rows)]
    digest = hashlib.sha256(b"".join(lines)).hexdigest()
    trailer = {"gazette-log-end": {"events": len(rows), "sha256": digest}}
    return b"".join(lines) + json.dumps(trailer).encode() + b"\n"
