"""`gazette check` of a casino's own tables, in any order; its verdicts as a table; `gazette simulate`."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from verifier.check.engine import check, prepare
from verifier.report.verdicts import verdict_schema


@pytest.fixture
def rules(bridge: Path) -> Path:
    return bridge / "bridge.rules"


def rows(path: Path) -> tuple[dict[str, object], list[dict[str, object]]]:
    header, *found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return header, found[:-1]


@pytest.fixture
def database(bridge: Path, tmp_path: Path) -> tuple[Path, Path]:
    """The broken log as a table of a database, its rows backwards and the clerk's own name for one; its header."""
    header, found = rows(bridge / "broken.jsonl")
    names = dict.fromkeys(name for fields in found for name in fields)
    table = pa.table({name: [fields.get(name) for fields in reversed(found)] for name in names})
    path = tmp_path / "casino.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.register("given", table)
        connection.execute("create table events as select * exclude (actor), actor as who from given")
    manifest = tmp_path / "header.json"
    manifest.write_text(json.dumps(header))
    (tmp_path / "map.yaml").write_text("columns: {actor: who}\n")
    return path, manifest


def test_a_table_of_a_database(gazette, rules: Path, database: tuple[Path, Path], tmp_path: Path) -> None:
    path, manifest = database
    ran = gazette(
        "check", f"duckdb:{path}:events", "--rules", rules, "--manifest", manifest,
        "--columns", tmp_path / "map.yaml", "--sort",
    )  # fmt: skip
    assert "NOT in order: 3 faults" in ran.out, ran.err
    assert ran.code == 1


def test_a_table_that_is_not_there(gazette, rules: Path, database: tuple[Path, Path]) -> None:
    path, manifest = database
    ran = gazette("check", f"duckdb:{path}:main.event", "--rules", rules, "--manifest", manifest)
    assert ran.code == 2
    assert "there is no table main.event in the database" in ran.err
    assert "it has events" in ran.err


def test_a_query(gazette, rules: Path, database: tuple[Path, Path]) -> None:
    path, manifest = database
    sql = "select * exclude (who), who as actor from events order by seq"
    ran = gazette("check", "--query", sql, "--database", path, "--rules", rules, "--manifest", manifest)
    assert "NOT in order: 3 faults" in ran.out, ran.err
    assert ran.code == 1


def test_rows_out_of_order_are_refused_unless_asked(
    gazette, rules: Path, database: tuple[Path, Path]
) -> None:
    path, manifest = database
    sql = "select * exclude (who), who as actor from events"
    ran = gazette("check", "--query", sql, "--database", path, "--rules", rules, "--manifest", manifest)
    assert ran.code == 2
    assert "field seq: found" in ran.err
    assert "sort" in ran.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name a log, a folder, or a --query"),
        (("--database", "x.duckdb", "log.jsonl"), "--database goes with --query"),
        (("--query", "select 1"), "has no header"),
        (("--query", "select 1", "log.jsonl", "--manifest", "m.json"), "named beside a query"),
        (("log.jsonl", "--columns", "none.yaml"), "map of columns cannot be read"),
    ],
)
def test_requests_that_make_no_sense(gazette, rules: Path, arguments: tuple[str, ...], said: str) -> None:
    ran = gazette("check", *arguments, "--rules", rules)
    assert ran.code == 2
    assert said in ran.err


# ----------------------------------------------------------------------------------------------- verdicts
def test_verdicts_as_a_table(gazette, bridge: Path, rules: Path, tmp_path: Path) -> None:
    path = tmp_path / "verdicts.parquet"
    ran = gazette("check", bridge / "broken.jsonl", "--rules", rules, "--verdicts", path)
    assert ran.code == 1
    assert "NOT in order: 3 faults" in ran.out
    result = check([bridge / "broken.jsonl"], rules)
    cited = [
        (e.number, e.line, e.seq, f.verdict, c.clause)
        for e in result.entries
        for f in e.findings
        for c in f.citations
    ]
    with duckdb.connect() as connection:
        found = connection.sql(
            f"select entry, row, seq, verdict, clause from '{path}' where clause is not null"
        )
        assert found.fetchall() == cited
        short = connection.sql(
            f"select short, sum(amount) from '{path}' where parts = 1 group by short order by 1"
        )
        money = {who: int(amount) for who, amount in short.fetchall() if who is not None}
    assert money == {s.who: s.amount for s in result.short}
    assert not list(tmp_path.glob(".*"))


def test_a_log_in_order_has_an_empty_table(gazette, bridge: Path, rules: Path, tmp_path: Path) -> None:
    path = tmp_path / "verdicts.parquet"
    assert gazette("check", bridge / "kept.jsonl", "--rules", rules, "--verdicts", path, "-q").code == 0
    table = pq.read_table(path)
    assert (table.num_rows, table.schema) == (0, verdict_schema(prepare(rules).binding.schema))


def test_a_refused_log_leaves_no_table(gazette, bridge: Path, rules: Path, tmp_path: Path) -> None:
    path, log = tmp_path / "verdicts.parquet", tmp_path / "cut.jsonl"
    log.write_bytes((bridge / "broken.jsonl").read_bytes()[:-20])
    assert gazette("check", log, "--rules", rules, "--verdicts", path).code == 2
    assert not path.exists()
    ran = gazette(
        "check", bridge / "kept.jsonl", "--rules", rules, "--verdicts", tmp_path / "none" / "v.parquet"
    )
    assert (ran.code, "cannot write the verdicts" in ran.err) == (2, True)
    ran = gazette("check", log, "--rules", rules, "--verdicts", log)
    assert (ran.code, "written over" in ran.err) == (2, True)


# ----------------------------------------------------------------------------------------------- simulate
def test_simulate(gazette, rules: Path, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    ran = gazette("simulate", rules, "--rounds", 6, "--seed", 2, "--distinct", 3, "--jobs", 1, "-o", path)
    assert (ran.code, ran.err) == (0, "")
    assert "6 rounds (3 different ones)" in ran.out
    assert gazette("check", path, "--rules", rules, "-q").code == 0
    assert not path.with_name("log.jsonl.key").exists()


def test_simulate_with_faults_writes_the_key(gazette, rules: Path, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    ran = gazette(
        "simulate", rules, "--rounds", 6, "--faults", 1, "--jobs", 1, "-o", path, "--format", "json"
    )
    made = json.loads(ran.out)
    key = path.with_name("log.csv.key").read_text(encoding="utf-8").splitlines()
    assert sum(made["planted"].values()) == len(key) > 0
    assert gazette("check", path, "--rules", rules, "-q").code in (0, 1)


def simulated(gazette, rules: Path, path: Path, *more: object) -> str:
    ran = gazette("simulate", rules, "--rounds", 6, "--jobs", 1, "-o", path, *more)
    assert (ran.code, ran.err) == (0, "")
    return str(ran.out)


@pytest.mark.parametrize("name", ["a.jsonl", "b.csv", "c.csv.gz", "d.parquet"])
def test_no_folder_or_pattern_takes_a_key_for_a_log(gazette, rules: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    simulated(gazette, rules, folder / name, "--faults", 0.5)
    assert (folder / f"{name}.key").is_file()
    for logs in (folder, folder / "*"):
        assert gazette("check", logs, "--rules", rules, "-q").code in (0, 1)
    (folder / "stray.key").touch()
    assert "[log-stray]" in gazette("check", folder, "--rules", rules).err


def test_the_key_of_a_log_that_is_replaced_goes_with_it(gazette, rules: Path, tmp_path: Path) -> None:
    path, key, other = (tmp_path / name for name in ("log.jsonl", "log.jsonl.key", "other.jsonl"))
    simulated(gazette, rules, path, "--faults", 1)
    assert key.exists()
    assert f"{key}, the key of the log that was there before, was removed" in simulated(gazette, rules, path)
    assert not key.exists()
    simulated(gazette, rules, path, "--faults", 1)
    simulated(gazette, rules, path, "--faults", 1, "--key", other)
    assert (key.exists(), other.exists()) == (False, True)
    assert "removed" not in simulated(gazette, rules, path, "--faults", 1, "--key", key)
    assert key.exists()


def test_what_is_no_key_is_neither_removed_nor_replaced(gazette, rules: Path, tmp_path: Path) -> None:
    path, key = tmp_path / "log.jsonl", tmp_path / "log.jsonl.key"
    for text in ("secret\n", "[1]\n", '{"table": 1}\n'):
        key.write_text(text)
        assert "removed" not in simulated(gazette, rules, path)
        before = path.read_bytes()
        ran = gazette("simulate", rules, "--rounds", 1, "--faults", 1, "--jobs", 1, "-o", path)
        assert (ran.code, "[output-in-the-way]" in ran.err) == (2, True)
        assert (key.read_text(), path.read_bytes()) == (text, before)


def test_a_plain_and_a_packed_log_of_one_name(gazette, rules: Path, tmp_path: Path) -> None:
    paths = [tmp_path / "log.csv", tmp_path / "log.csv.zst"]
    for seed, path in enumerate(paths):
        simulated(gazette, rules, path, "--seed", seed)
    for path in paths:
        assert gazette("check", path, "--rules", rules, "-q").code == 0


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_a_seed_out_of_range(gazette, rules: Path, tmp_path: Path, seed: int) -> None:
    ran = gazette("simulate", rules, "--rounds", 1, "--seed", seed, "-o", tmp_path / "log.jsonl")
    assert (ran.code, "--seed" in ran.err) == (2, True)
    assert not list(tmp_path.glob("*.jsonl"))


def test_simulate_says_where_it_cannot_write(gazette, rules: Path, tmp_path: Path) -> None:
    ran = gazette("simulate", rules, "--rounds", 1, "-o", tmp_path / "none" / "log.jsonl")
    assert ran.code == 2
    assert "cannot write the file" in ran.err
    assert gazette("simulate", rules, "--rounds", 1, "-o", tmp_path / "log.txt").code == 2
    assert gazette("simulate", rules, "--rounds", 0, "-o", tmp_path / "log.csv").code == 2
