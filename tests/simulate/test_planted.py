"""Planted faults: each as the key says, and nothing else of the log changed."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from verifier.check.engine import Prepared, check, prepare
from verifier.simulate.faults import WAYS
from verifier.simulate.simulate import simulate

Line = dict[str, object]


@pytest.fixture(scope="module")
def ready() -> Prepared:
    return prepare("nz/roulette-1998")


@pytest.fixture(scope="module")
def logs(
    ready: Prepared, tmp_path_factory: pytest.TempPathFactory
) -> tuple[list[Line], list[Line], list[Line], Path]:
    """The rows of a lawful log, those of the same with faults, the key, and where the latter stands."""
    folder = tmp_path_factory.mktemp("planted")
    lawful, faulty, key = folder / "lawful.jsonl", folder / "faulty.jsonl", folder / "key.jsonl"
    simulate(ready, lawful, 60, seed=3, distinct=20, per_table=1000, times=False)
    made = simulate(ready, faulty, 60, seed=3, distinct=20, per_table=1000, times=False, faults=0.6, key=key)
    told = _lines(key)
    assert sum(made.planted.values()) == len(told)
    return _lines(lawful)[1:-1], _lines(faulty)[1:-1], told, faulty


def _lines(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _by_round(rows: list[Line]) -> dict[tuple[object, object], list[Line]]:
    found: dict[tuple[object, object], list[Line]] = {}
    for row in rows:
        plain = {name: value for name, value in row.items() if name not in ("table", "seq")}
        found.setdefault((row["table"], row["round"]), []).append(plain)
    return found


def test_all_ways_are_planted(logs: tuple[list[Line], list[Line], list[Line], Path]) -> None:
    assert {line["way"] for line in logs[2]} == set(WAYS)


def test_a_round_has_at_most_one_fault(logs: tuple[list[Line], list[Line], list[Line], Path]) -> None:
    assert max(Counter((line["table"], line["round"]) for line in logs[2]).values()) == 1


def test_each_fault_is_as_the_key_says_and_nothing_else_changed(
    logs: tuple[list[Line], list[Line], list[Line], Path],
) -> None:
    lawful, faulty, key, _ = logs
    was, now = _by_round(lawful), _by_round(faulty)
    planted = {(line["table"], line["round"]): line for line in key}
    first = {}
    for row in faulty:
        first.setdefault((row["table"], row["round"]), row["seq"])
    assert was.keys() == now.keys()
    for place, rows in was.items():
        line = planted.get(place)
        if line is None:
            assert now[place] == rows
            continue
        at = int(str(line["seq"])) - int(str(first[place]))
        wanted = list(rows)
        match line["way"]:
            case "dropped":
                wanted = next(
                    [*rows[:i], *rows[i + 1 :]]
                    for i in (at, at + 1)
                    if rows[i : i + 1] and rows[i]["event"] == line["event"]
                )
            case "doubled":
                wanted = [*rows[:at], rows[at - 1], *rows[at:]]
            case "order":
                wanted[at], wanted[at + 1] = rows[at + 1], rows[at]
            case _:
                column = str(line["column"])
                assert rows[at][column] == line["was"] != line["now"]
                wanted[at] = {**rows[at], column: line["now"]}
        assert now[place] == wanted, line


def test_seq_has_no_gap_and_the_log_is_read_whole(
    ready: Prepared, logs: tuple[list[Line], list[Line], list[Line], Path]
) -> None:
    result = check([logs[3]], ready)
    assert result.events == len(logs[1])


def test_most_planted_faults_are_found(
    ready: Prepared, logs: tuple[list[Line], list[Line], list[Line], Path]
) -> None:
    """Not all: a ball that comes to rest elsewhere before anything depends on it is lawful play of another kind."""
    result = check([logs[3]], ready)
    found = {(entry.table, dict(entry.lives)["round"]) for entry in result.entries}
    planted = {(line["table"], str(line["round"])) for line in logs[2]}
    assert found
    assert len(found & planted) >= len(planted) // 2
