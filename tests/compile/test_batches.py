"""A log of many short tables as columns: in whatever order its rows come, and wherever a batch ends, it is judged as
row by row."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest
from both_engines import comparable, compiled
from logs import by_dice, header_of, in_turn, ready

from verifier.check.bulk import BulkRun
from verifier.check.engine import Engine, check
from verifier.check.options import read_settings
from verifier.check.result import CheckResult, Entry
from verifier.errors import LogError
from verifier.log.batches import typed_batches
from verifier.log.sources import open_log, open_logs
from verifier.log.write import write_jsonl
from verifier.log.write_arrow import write_batches
from verifier.simulate.simulate import simulate

NAME = "nz/roulette-1998"


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables one after the other, with faults."""
    path = tmp_path_factory.mktemp("logs") / "apart.parquet"
    simulate(
        ready(NAME), path, 40, seed=7, faults=0.3, key=path.with_suffix(".key"), distinct=12, per_table=4, jobs=1
    )  # fmt: skip
    return path


@pytest.fixture(scope="module")
def mixed(apart: Path) -> Path:
    """The same rows as they would come in time: of all tables in turn."""
    return in_turn(NAME, apart, apart.with_name("mixed.parquet"))


@pytest.fixture(scope="module")
def lines(apart: Path) -> Path:
    """As `mixed`, in JSON Lines."""
    return in_turn(NAME, apart, apart.with_name("mixed.jsonl"))


@pytest.fixture(scope="module")
def cells(apart: Path) -> Path:
    """As `mixed`, in CSV."""
    return in_turn(NAME, apart, apart.with_name("mixed.csv"))


@pytest.mark.parametrize("sample", [0, 1, 90])
@pytest.mark.parametrize("rows", [37, 1_000])
@pytest.mark.parametrize("order", ["apart", "mixed", "lines", "cells"])
def test_wherever_a_batch_ends(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, order: str, rows: int, sample: int
) -> None:
    path: Path = request.getfixturevalue(order)
    ours = ready(NAME)
    monkeypatch.setattr("verifier.check.bulk.typed_batches", partial(typed_batches, rows=rows))
    run = BulkRun(
        ours, read_settings(ours.ruleset, ()), False, 10_000, None, compiled=compiled(ours), sample=sample
    )
    with run:
        for log in open_logs([path], ours.binding.schema):
            run.file(log, None)
        found = run.result()
    assert not run.disagreements
    assert run.explained
    assert bool(run.sampled) == bool(sample)
    expected: CheckResult = check([path], ours, engine="explain")
    assert expected.entries
    assert comparable(found) == comparable(expected)


@pytest.mark.parametrize("order", ["apart", "mixed", "lines", "cells"])
def test_before_the_rules_are_compiled(request: pytest.FixtureRequest, order: str) -> None:
    path: Path = request.getfixturevalue(order)
    seen: list[int] = []
    expected: CheckResult = check([path], ready(NAME), engine="explain")
    found: CheckResult = check([path], ready(NAME), on_entry=lambda entry: seen.append(entry.number))
    assert found == expected
    assert seen == list(range(1, found.entries_total + 1))


def test_a_round_without_end_keeps_no_other_waiting(apart: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = ready(NAME)
    with open_log(apart, ours.binding.schema) as log:
        header = log.header
        (batch,) = typed_batches([log], ours.binding.schema)
    tables = batch.data.column("table").to_pylist()
    rows = [batch.data.slice(0, tables.count(tables[0]) - 1), batch.data.slice(tables.count(tables[0]))]
    path = apart.with_name("open.parquet")
    write_batches(path, "parquet", ours.binding.schema, header, rows, lambda rows: None)
    monkeypatch.setattr("verifier.check.bulk.typed_batches", partial(typed_batches, rows=10))
    monkeypatch.setattr("verifier.check.lanes.PATIENCE", 20)
    monkeypatch.setattr("verifier.check.lanes.PATIENCE_A_TABLE", 0)
    seen: list[Entry] = []
    run = BulkRun(
        ours, read_settings(ours.ruleset, ()), False, 10_000, seen.append, compiled=compiled(ours), sample=0
    )
    with run:
        for log in open_logs([path], ours.binding.schema):
            run.file(log, None)
        early = len(seen)
        found = run.result()
    assert not run.disagreements
    expected: CheckResult = check([path], ours, engine="explain")
    assert comparable(found) == comparable(expected)
    assert early > found.entries_total // 2


@pytest.mark.parametrize("ending", ["parquet", "jsonl", "csv"])
@pytest.mark.parametrize("tables", [1, 3])
def test_a_log_that_breaks_off_in_its_first_rounds(apart: Path, tables: int, ending: str) -> None:
    """No round of it ends: what waits to the last is judged there, and which round is due for both engines is asked."""
    ours = ready(NAME)
    with open_log(apart, ours.binding.schema) as log:
        header = log.header
        (batch,) = typed_batches([log], ours.binding.schema)
    names = batch.data.column("table").to_pylist()
    rows = [batch.data.slice(names.index(name), 3) for name in list(dict.fromkeys(names))[:tables]]
    path = apart.with_name(f"begun-{tables}.{ending}")
    write_batches(path, ending, ours.binding.schema, header, rows, lambda rows: None)
    expected: CheckResult = check([path], ours, engine="explain")
    found: CheckResult = check([path], ours, engine="bulk")
    assert expected.events == 3 * tables
    assert comparable(found) == comparable(expected)


@pytest.mark.parametrize("bad", ["two gaps", "a gap, then another's", "a gap, then a malformed row"])
@pytest.mark.parametrize("ending", ["parquet", "jsonl", "csv"])
@pytest.mark.parametrize("engine", ["bulk", "auto"])
def test_of_several_reasons_the_same_is_told(apart: Path, bad: str, ending: str, engine: Engine) -> None:
    """Two tables go on in a second file, and neither as it should; the round of the one that stands first there ends
    last."""
    ours = ready(NAME)
    schema = ours.binding.schema
    with open_log(apart, schema) as log:
        header = log.header
        (batch,) = typed_batches([log], schema)
    names = batch.data.column("table").to_pylist()
    one, other = ([i for i, of in enumerate(names) if of == name] for name in list(dict.fromkeys(names))[:2])
    last = other.pop() if bad == "a gap, then a malformed row" else None
    first, second = [*one[:3], *other[:3]], [*one[4:8], *other[4:], *one[8:]]
    if bad == "a gap, then another's":
        second = [*one[3:5], *other[4:], *one[6:]]
    if last is not None:
        second += [last, last]
    folder = apart.with_name(f"{ending}-{engine}-{bad.replace(' ', '-')}")
    folder.mkdir()
    for name, places in (("1", first), ("2", second)):
        rows = batch.data.take(pa.array(places))
        write_batches(folder / f"{name}.{ending}", ending, schema, header, [rows], lambda rows: None)
    said = []
    for who in ("explain", engine):
        with pytest.raises(LogError) as refused:
            check([folder], ours, engine=who)
        said.append([str(problem) for problem in refused.value.problems])
    assert said[1] == said[0]


@pytest.mark.parametrize("engine", ["explain", "bulk"])
def test_how_many_entries_are_kept_says_nothing_of_clauses(tmp_path: Path, engine: Engine) -> None:
    """What only an explanation reads is not said to be exercised by the log."""
    ours = ready(NAME)
    path = tmp_path / "dice.jsonl"
    for seed in range(12):
        _, header, rows = by_dice(NAME, seed, 60, header_of(NAME))
        write_jsonl(path, ours.binding.schema, header, rows)
        none, one, every = (check([path], ours, engine=engine, keep=keep) for keep in (0, 1, 10_000))
        assert every.entries_total > 1
        assert none.clauses == one.clauses == every.clauses
