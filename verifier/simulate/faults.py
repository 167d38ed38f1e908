"""Faults planted by editing rows of a log, without asking whether what stands there then breaks a rule.

Six ways, each as likely as another where it can be done: another value of what chance gives or the log writes as one
(`value`), another sum of money (`amount`), another actor (`actor`), two rows the other way round (`order`), a row left
out (`dropped`), a row twice (`doubled`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Literal

from verifier.log.schema import LogSchema
from verifier.simulate.chunks import Chunk, Rows, sequence

Way = Literal["value", "amount", "actor", "order", "dropped", "doubled"]

WAYS: tuple[Way, ...] = ("value", "amount", "actor", "order", "dropped", "doubled")


@dataclass(frozen=True, slots=True)
class Planted:
    """One fault: at which row of which table, in what way, and, where a value was changed, from what to what.

    `seq` is of the log as it stands: of a row left out that of the row which stands in its place, of two rows that
    changed places that of the first, of a row that stands twice that of the second. `lives` are the life keys there.
    """

    table: str
    lives: Mapping[str, int]
    seq: int
    way: Way
    event: str
    column: str | None = None
    was: object = None
    now: object = None

    def row(self) -> dict[str, object]:
        """As a row of the key file."""
        found = {f.name: getattr(self, f.name) for f in fields(self)}
        lives = found.pop("lives")
        return {"table": found.pop("table"), **lives, **found}


def is_key(path: Path) -> bool:
    """Whether the file holds rows of a key, by its first one; of no faults it is empty."""
    with path.open("rb") as file:
        first = file.readline(1 << 16)
    try:
        row = json.loads(first or b"null")
    except ValueError:
        return False
    return not first or (isinstance(row, dict) and row.keys() >= {"table", "seq", "way", "event"})


@dataclass(slots=True)
class Planter:
    """Plants faults in chunks of one library's rows, each round having one with the probability `rate`."""

    rows: Rows
    rate: float
    rng: Random
    prefix: str
    pools: dict[tuple[str, str], list[object]] = field(default_factory=dict)

    def plant(self, chunk: Chunk) -> tuple[Chunk, list[Planted]]:
        """The chunk with faults, and what they are."""
        import numpy as np

        count = len(chunk.source)
        new_round = np.concatenate([[True], (chunk.number[1:] != chunk.number[:-1])])
        last = self.rows.starts[chunk.number] + self.rows.lengths[chunk.number] - 1
        new_round[1:] |= chunk.source[:-1] == last[:-1]
        begins = np.flatnonzero(new_round)
        bounds = np.append(begins, count).tolist()
        order = np.arange(count)
        copies = np.ones(count, dtype=np.int64)
        planted: list[tuple[int, Way, str | None, object, object]] = []
        for start, end in pairwise(bounds):
            if self.rng.random() >= self.rate:
                continue
            for way in self.rng.sample(WAYS, len(WAYS)):
                place = self.rng.randrange(start, end)
                match way:
                    case "order":
                        if place + 1 >= end:
                            continue
                        order[[place, place + 1]] = order[[place + 1, place]]
                        planted.append((place, way, None, None, None))
                    case "dropped":
                        if end - start < 2:
                            continue
                        copies[place] = 0
                        planted.append((place, way, None, None, None))
                    case "doubled":
                        copies[place] = 2
                        planted.append((place, way, None, None, None))
                    case "value" | "amount" | "actor":
                        change = self._change(chunk, start, end, way)
                        if change is None:
                            continue
                        planted.append((change[0], way, *change[1:]))
                break
        moved = np.repeat(order, copies)
        places = np.cumsum(copies) - copies
        table = chunk.table[moved]
        made = Chunk(
            chunk.source[moved],
            table,
            [keys[moved] for keys in chunk.keys],
            chunk.number[moved],
            [(int(places[p]), column, now) for p, _, column, _, now in planted if column is not None],
        )
        seq = sequence(table)
        found = [self._told(chunk, made, seq, places, *one) for one in planted]
        return made, found

    def _told(
        self,
        chunk: Chunk,
        made: Chunk,
        seq: Any,
        places: Any,
        place: int,
        way: Way,
        column: str | None,
        was: object,
        now: object,
    ) -> Planted:
        row = min(int(places[place]) + (way == "doubled"), len(made.table) - 1)
        if made.table[row] != chunk.table[place]:  # the table's very last row was left out
            row -= 1
        every = [life.name for life in self.rows.schema.lives]
        lives = every[1:] or every
        beside = {*self.rows.schema.beside}
        keys = {
            life: int(chunk.keys[i][place])
            for i, life in enumerate(lives)
            if (life not in beside and self.rows.stream is None)
        }
        event = self.rows.columns["event"][int(chunk.source[place])].as_py()
        name = f"{self.prefix}{int(chunk.table[place]) + 1:04d}"
        return Planted(name, keys, int(seq[row]), way, event, column, was, now)

    def _change(self, chunk: Chunk, start: int, end: int, way: Way) -> tuple[int, str, object, object] | None:
        """A row of the round, one of its columns, what stands there and what shall; None where nothing can change."""
        schema = self.rows.schema
        places = [(p, int(chunk.source[p])) for p in range(start, end)]
        for place, source in self.rng.sample(places, len(places)):
            event = self.rows.columns["event"][source].as_py()
            names = ["actor"] if way == "actor" else _columns(schema, event, money=way == "amount")
            for name in self.rng.sample(names, len(names)):
                was = self.rows.columns[name][source].as_py()
                now = None if was is None else self._other(event, name, was, way)
                if now is not None:
                    return place, name, was, now
        return None

    def _other(self, event: str, name: str, was: Any, way: Way) -> object | None:
        if way == "amount":
            high = self.rows.schema.columns[name].high
            near = (was + 1, was - 1, was * 2, was // 2, was + 100, was + 500)
            others: Sequence[object] = sorted({n for n in near if 0 <= n <= high and n != was})
        elif way == "actor":
            others = [actor for actor in self.rows.schema.actors if actor != was]
        else:
            others = [value for value in self._pool(event, name) if value != was]
        return self.rng.choice(others) if others else None

    def _pool(self, event: str, name: str) -> list[object]:
        """Values that a column has somewhere in the library, in events of the kind."""
        import pyarrow.compute as pc

        key = (event, name)
        if key not in self.pools:
            chosen = self.rows.columns[name].filter(
                pc.equal(self.rows.columns["event"].dictionary_decode(), event)
            )
            chosen = chosen.dictionary_decode() if hasattr(chosen, "dictionary_decode") else chosen
            self.pools[key] = sorted({v for v in chosen.to_pylist() if v is not None}, key=str)
        return self.pools[key]


def _columns(schema: LogSchema, event: str, money: bool) -> list[str]:
    return [
        name for name in schema.events[event].parameters if (schema.columns[name].kind == "money") == money
    ]
