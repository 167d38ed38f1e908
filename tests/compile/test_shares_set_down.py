"""Logs that are set down before they are judged, to be put in order or since they cannot be read twice: the answer is
that of reading them row by row, by however many processes they are judged, and so are the refusals."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from both_engines import comparable
from logs import columns_of, in_turn, pieces, ready
from sharing import NAME, after_planning, logs_at

import verifier.check.shares as shares
from verifier.check.engine import check
from verifier.check.result import CheckResult, Entry
from verifier.errors import LogError, RequestError
from verifier.log.aside import Aside, interruptible
from verifier.log.limits import LIMITS
from verifier.log.sources import DUCKDB
from verifier.log.write_arrow import write_batches
from verifier.simulate.simulate import simulate

KINDS = ("jsonl", "csv", "parquet")
TOLD = ".manifest.json"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables in turn, with faults, in every format: in the order of record, and in none."""
    here = tmp_path_factory.mktemp("set-down")
    apart = here / "apart.jsonl"
    simulate(ready(NAME), apart, 16, seed=7, faults=0.5, key=here / "key", distinct=12, per_table=4, jobs=1)
    for kind in KINDS:
        in_turn(NAME, apart, here / f"turns.{kind}", each=50)
    header, batch = columns_of(NAME, here / "turns.jsonl")
    for kind in KINDS:
        write(here / f"mixed.{kind}", header, mixed(batch))
    return here


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A group of rows is a few dozen, a log of any size is shared, and nothing stays in the temporary folder."""
    monkeypatch.setattr("verifier.log.ordered.ROWS", 64)
    monkeypatch.setattr("verifier.log.query.ROWS", 64)
    monkeypatch.setattr("verifier.check.opening.SHARED_ROWS", 0)
    aside = tmp_path / "aside"
    aside.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(aside))
    yield aside
    assert not list(aside.iterdir())


def mixed(batch: Any) -> Any:
    """The rows in no order."""
    places = list(range(batch.num_rows))
    Random(3).shuffle(places)
    return batch.take(pa.array(places))


def write(path: Path, header: Any, batch: Any) -> Path:
    kind: Any = path.suffix[1:]
    write_batches(path, kind, ready(NAME).binding.schema, header, pieces(batch, 50), lambda rows: None)
    return path


def header_of(path: Path, into: Path) -> Path:
    """A manifest without a seal."""
    told = json.loads(Path(f"{path}{TOLD}").read_text("utf-8"))
    into.write_text(json.dumps({k: v for k, v in told.items() if k not in ("events", "sha256")}), "utf-8")
    return into


def by_all(*paths: Path | str, **more: Any) -> tuple[CheckResult, CheckResult, CheckResult]:
    """What the interpreter, the kernel, and three processes say."""
    begun: list[int] = []
    judged = shares._judged

    def counting(asked: Any, parts: Any, *given: Any) -> Any:
        begun.append(len(parts))
        return judged(asked, parts, *given)

    one = check(paths, ready(NAME), engine="explain", **more)
    other = check(paths, ready(NAME), engine="bulk", **more)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shares, "_judged", counting)
        several = check(paths, ready(NAME), jobs=3, **more)
    assert begun == [3]
    return one, other, several


def agree(one: CheckResult, *others: CheckResult) -> None:
    for other in others:
        assert comparable(other) == comparable(replace(one, notes=other.notes))


# ------------------------------------------------------------------------------------------------------ in any order
@pytest.mark.parametrize("kind", KINDS)
def test_rows_in_any_order_are_judged_as_in_the_order_of_record(folder: Path, kind: str) -> None:
    found = by_all(folder / f"mixed.{kind}", sort=True)
    agree(*found)
    ordered = check([folder / f"turns.{kind}"], ready(NAME))
    assert found[2].entries_total == ordered.entries_total > 5
    assert found[2].events == ordered.events
    assert {e.seq for e in found[2].entries} == {e.seq for e in ordered.entries}
    assert found[2].files == found[0].files


@pytest.mark.parametrize("kind", KINDS)
def test_entries_name_the_line_where_the_row_stood(folder: Path, kind: str) -> None:
    path = folder / f"mixed.{kind}"
    _, batch = columns_of(NAME, folder / "turns.jsonl")
    rows = mixed(batch).to_pylist()
    first = 1 if kind == "parquet" else 2
    seen: list[Entry] = []
    found = check([path], ready(NAME), sort=True, jobs=3, on_entry=seen.append)
    assert tuple(seen) == found.entries
    for entry in found.entries:
        assert rows[entry.line - first]["seq"] == entry.seq


def test_several_logs_are_put_in_order_each(folder: Path, tmp_path: Path) -> None:
    header, batch = columns_of(NAME, folder / "turns.jsonl")
    half = batch.num_rows // 2
    (tmp_path / "two").mkdir()
    write(tmp_path / "two" / "a.csv", header, mixed(batch.slice(0, half)))
    write(tmp_path / "two" / "b.parquet", header, mixed(batch.slice(half)))
    agree(*by_all(tmp_path / "two", sort=True))


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_a_gap_is_told_as_row_by_row(folder: Path, tmp_path: Path, kind: str, jobs: int) -> None:
    header, batch = columns_of(NAME, folder / "turns.jsonl")
    rows = mixed(batch)
    path = write(tmp_path / f"gap.{kind}", header, rows.filter(pa.array([n != 77 for n in range(len(rows))])))
    said = []
    for engine in ("explain", "bulk"):
        with pytest.raises(LogError) as error:
            check([path], ready(NAME), sort=True, engine=engine, jobs=jobs)  # type: ignore[arg-type]
        said.append(str(error.value))
    assert said[0] == said[1]
    assert "missing before this one" in said[0]


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_the_first_malformed_row_of_the_file_is_told(
    folder: Path, tmp_path: Path, kind: str, jobs: int
) -> None:
    path = tmp_path / f"bad.{kind}"
    lines = (folder / f"mixed.{kind}").read_bytes().split(b"\n")
    lines[70] = lines[70].replace(b"dealer", b"daeler").replace(b"player", b"plaeyr")
    lines[90] = lines[90][:-9]
    path.write_bytes(b"\n".join(lines))
    if kind == "csv":
        Path(f"{path}{TOLD}").write_bytes(Path(f"{folder / 'mixed.csv'}{TOLD}").read_bytes())
    with pytest.raises(LogError) as error:
        check([path], ready(NAME), sort=True, engine="bulk", jobs=jobs)
    assert error.value.problem.line == 71


def test_a_log_is_put_in_order_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    put = Aside.made

    def counting(self: Aside, name: str, what: str, make: Any) -> Any:
        def told(path: Path) -> Any:
            made.append(what)
            return make(path)

        return put(self, name, what, told)

    monkeypatch.setattr(Aside, "made", counting)
    # one process does it after all
    monkeypatch.setattr(shares, "_judged", lambda *given: None)
    check([folder / "mixed.csv"], ready(NAME), sort=True, jobs=3)
    assert made == ["ordered"]


def test_without_a_place_that_outlives_the_log_it_is_left_to_one(folder: Path) -> None:
    assert shares.check_shared(
        logs_at(folder / "mixed.csv", sort=True), ready(NAME), (), None, jobs=3, strict=False, keep=9, on_entry=None,
        least=0,
    ) is None  # fmt: skip
    with Aside() as aside:
        logs = logs_at(folder / "mixed.csv", sort=True, aside=aside)
        found = shares.check_shared(
            logs, ready(NAME), (), None, jobs=3, strict=False, keep=10_000, on_entry=None, least=0
        )
    assert found is not None
    agree(check([folder / "mixed.csv"], ready(NAME), sort=True), found)


def test_what_is_judged_is_what_was_put_in_order(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log that is changed while it is judged is judged as it was, and the digest is of what was read."""
    path = tmp_path / "log.jsonl"
    path.write_bytes((folder / "mixed.jsonl").read_bytes())
    expected = check([path], ready(NAME), sort=True, engine="explain")
    lines = path.read_bytes().split(b"\n")
    after_planning(monkeypatch, lambda: path.write_bytes(b"\n".join([lines[0], *lines[2:]])))
    found = check([path], ready(NAME), sort=True, jobs=3)
    agree(expected, found)
    assert found.files == expected.files


# ------------------------------------------------------------------------------------------- what a database gives
@pytest.fixture
def database(folder: Path, tmp_path: Path) -> Path:
    path = tmp_path / "casino.duckdb"
    with duckdb.connect(str(path)) as connection:
        for name in ("turns", "mixed"):
            connection.execute(f"create table {name} as from '{folder / name}.parquet'")
    header_of(folder / "turns.parquet", tmp_path / "header.json")
    return path


@pytest.mark.parametrize("table", ["turns", "mixed"])
def test_a_table_of_a_database_is_shared(folder: Path, database: Path, table: str) -> None:
    manifest = database.with_name("header.json")
    found = by_all(f"{DUCKDB}{database}:{table}", manifest=manifest, sort=table == "mixed")
    agree(*found)
    assert found[2].entries_total == check([folder / "turns.csv"], ready(NAME)).entries_total


def test_what_a_query_gives_is_shared(folder: Path, database: Path) -> None:
    sql = "select * exclude (actor), actor as who, 1.5 as weight from mixed order by hash(seq)"
    columns = database.with_name("map.yaml")
    columns.write_text("columns: {actor: who}\nignore: [weight]\n", "utf-8")
    manifest = database.with_name("header.json")
    found = by_all(query=sql, database=database, manifest=manifest, columns=columns, sort=True)
    agree(*found)
    assert found[2].entries_total == check([folder / "turns.csv"], ready(NAME)).entries_total


def test_a_query_is_asked_once(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may give something else when it is asked again."""
    sql = "select * from turns where random() < 2"
    asked: list[str] = []
    from verifier.log import query

    ask = query._asked

    def counting(name: str, *given: Any) -> Any:
        asked.append(name)
        return ask(name, *given)

    monkeypatch.setattr(query, "_asked", counting)
    check([], ready(NAME), query=sql, database=database, manifest=database.with_name("header.json"), jobs=3)
    assert asked == ["<query>"]


def test_a_query_that_gives_no_end_of_rows_is_refused(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = replace(LIMITS, spooled=2_000)
    sql = "select turns.* from turns, range(1000)"
    with pytest.raises(LogError, match="over 2000 bytes of rows") as error:
        check(
            [],
            ready(NAME),
            query=sql,
            database=database,
            manifest=database.with_name("header.json"),
            limits=limits,
        )
    assert error.value.problem.code == "log-limit"


def test_a_query_that_fails_is_told_of_by_one(database: Path) -> None:
    sql = "select * replace (cast(if(seq = 5, 'x', '1') as bigint) as seq) from turns"
    with pytest.raises(RequestError, match=r"the query fails: .*Could not convert"):
        check(
            [], ready(NAME), query=sql, database=database, manifest=database.with_name("header.json"), jobs=3
        )


def test_columns_without_a_value_are_none(database: Path) -> None:
    sql = "select *, null as x_note from turns"
    manifest = database.with_name("header.json")
    agree(*by_all(query=sql, database=database, manifest=manifest))


def test_a_process_that_was_forked_leaves_the_files_to_its_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from verifier.log.assemble import Tally

    with Aside() as aside:
        found = aside.made("log", "what", lambda path: (path.write_bytes(b"x"), Tally())[1])
        here = found.path.parent
        with monkeypatch.context() as patch:
            patch.setattr("os.getpid", lambda: -1)
            aside.close()
        assert found.path.exists()
    shutil.rmtree(here)


def test_an_interrupt_that_duckdb_answers_is_an_interrupt() -> None:
    with pytest.raises(KeyboardInterrupt), interruptible():
        raise RuntimeError("Query interrupted")
    with pytest.raises(RuntimeError, match="else"), interruptible():
        raise RuntimeError("something else")
