"""No output is written over what a command reads, nor over another of its outputs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from verifier.cli.apart import named_in


@pytest.fixture
def evidence(bridge: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with logs of every kind that a check reads."""
    monkeypatch.chdir(bridge)
    kept = bridge / "kept.jsonl"
    for place in ("day", "day/deep"):
        (bridge / place).mkdir()
    shutil.copy(kept, bridge / "day" / "a.jsonl")
    shutil.copy(kept, bridge / "day" / "deep" / "b.jsonl")
    header, *rows = [json.loads(line) for line in kept.read_text("utf-8").splitlines()]
    (bridge / "header.json").write_text(json.dumps(header))
    (bridge / "map.yaml").write_text("columns: {}\n")
    with duckdb.connect("casino.duckdb") as connection:
        names = dict.fromkeys(name for row in rows[:-1] for name in row)
        connection.register("given", pa.table({name: [row.get(name) for row in rows[:-1]] for name in names}))
        connection.execute("create table events as from given")
        connection.execute("copy events to 'q.parquet'")
    shutil.copy("q.parquet", "plain.parquet")
    (bridge / "plain.parquet.manifest.json").write_text("{}")
    os.link("kept.jsonl", "hard.jsonl")
    (bridge / "soft.jsonl").symlink_to("kept.jsonl")
    return bridge


QUERY = ["--manifest", "header.json", "--query"]
TABLE = ["duckdb:casino.duckdb:events", "--manifest", "header.json"]


@pytest.mark.parametrize("option", ["-o", "--verdicts"])
@pytest.mark.parametrize(
    ("read", "over"),
    [
        (["kept.jsonl"], "kept.jsonl"),
        (["kept.jsonl"], "day/../kept.jsonl"),
        (["kept.jsonl"], "hard.jsonl"),
        (["kept.jsonl"], "soft.jsonl"),
        (["soft.jsonl"], "hard.jsonl"),
        (TABLE, "casino.duckdb"),
        (TABLE, "header.json"),
        (["day"], "day/a.jsonl"),
        (["day"], "day/deep/b.jsonl"),
        (["day/*.jsonl"], "day/a.jsonl"),
        (["day/**/*.jsonl"], "day/deep/b.jsonl"),
        (["plain.parquet"], "plain.parquet.manifest.json"),
        (["*.parquet"], "plain.parquet.manifest.json"),
        (["kept.jsonl", "--columns", "map.yaml"], "map.yaml"),
        (["kept.jsonl"], "bridge.rules"),
        (["kept.jsonl"], "bridge.law"),
        ([*QUERY, "from 'q.parquet'"], "q.parquet"),
        ([*QUERY, "select * from q.parquet"], "q.parquet"),
        ([*QUERY, "from read_parquet(['none', 'q*.parquet'])"], "q.parquet"),
        ([*QUERY, "from events", "--database", "casino.duckdb"], "casino.duckdb"),
    ],
)
def test_evidence_is_not_written_over(
    gazette, evidence: Path, option: str, read: list[str], over: str
) -> None:
    before = {path: path.read_bytes() for path in evidence.rglob("*") if path.is_file()}
    ran = gazette("check", *read, "--rules", "bridge.rules", option, over)
    assert (ran.code, ran.out) == (2, "")
    assert "the output would be written over" in ran.err
    assert "[output-over-input]" in ran.err
    assert {path: path.read_bytes() for path in evidence.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("read", "over"),
    [
        (["kept.jsonl"], "broken.jsonl"),
        (["day/*.jsonl"], "day/deep/b.jsonl"),
        (TABLE, "events"),
        ([*QUERY, "select * from 'q.parquet'"], "plain.parquet"),
        (["kept.jsonl", "--format", "json"], "json"),
    ],
)
def test_what_is_not_read_is_written_over(gazette, evidence: Path, read: list[str], over: str) -> None:
    Path(over).touch()
    ran = gazette("check", *read, "--rules", "bridge.rules", "-o", over)
    assert (ran.code, ran.err) == (0, "")
    assert Path(over).stat().st_size > 0


@pytest.mark.parametrize(
    "request_",
    [
        ["ask", "bridge.rules", "--transcript", "kept.jsonl", "-o", "hard.jsonl"],
        ["diff", "bridge.rules", "bridge.rules", "--log", "day", "-o", "day/a.jsonl"],
        ["diff", "bridge.rules", "bridge.rules", "--log", "day/*", "-o", "day/a.jsonl"],
        ["prove", "bridge.rules", "--plays", "day", "-o", "day/a.jsonl"],
        ["prove", "bridge.rules", "--report", "bridge.law"],
        ["prove", "bridge.rules", "-o", "bridge.found.jsonl"],
        ["generate", "bridge.rules", "--plays", "day", "-o", "day/deep/b.jsonl"],
        ["generate", "bridge.rules", "-o", "bridge.rounds.jsonl"],
        ["coverage", "bridge.rules", "-t", "told", "-o", "told/one.transcript.yaml"],
        ["coverage", "bridge.rules", "--proof", "header.json", "-o", "header.json"],
        ["mutate", "bridge.rules", "-t", "told", "-o", "told/one.transcript.yaml"],
        ["mutate", "bridge.rules", "--by", "theorems", "--report", "bridge.mutants.yaml"],
        ["simulate", "bridge.rules", "--rounds", 1, "-o", "new.csv", "--habits", "new.csv.manifest.json"],
        ["report", "day", "--rules", "bridge.rules", "--single", "-o", "day/a.jsonl"],
        ["report", "day/a.jsonl", "--rules", "bridge.rules", "-o", "day"],
        ["explain", "bridge.rules", "1.1", "-o", "bridge.law"],
        ["lint", "bridge.rules", "-o", "bridge.law"],
    ],
)
def test_other_commands_spare_what_they_read_too(gazette, evidence: Path, request_: list[object]) -> None:
    (evidence / "told").mkdir()
    for name in (
        "told/one.transcript.yaml", "bridge.found.jsonl", "bridge.rounds.jsonl", "bridge.mutants.yaml",
        "new.csv.manifest.json",
    ):  # fmt: skip
        (evidence / name).touch()
    before = {path: path.read_bytes() for path in evidence.rglob("*") if path.is_file()}
    ran = gazette(*request_)
    assert (ran.code, ran.out) == (2, "")
    assert "[output-over-input]" in ran.err
    assert {path: path.read_bytes() for path in evidence.rglob("*") if path.is_file()} == before


def test_standard_input_from_a_file_is_spared(evidence: Path) -> None:
    before = (evidence / "kept.jsonl").read_bytes()
    with (evidence / "kept.jsonl").open("rb") as stdin:
        ran = subprocess.run(
            [sys.executable, "-m", "verifier", "check", "-", "--rules", "bridge.rules", "-o", "hard.jsonl"],
            stdin=stdin,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )
    assert (ran.returncode, "over standard input, which is read" in ran.stderr) == (2, True)
    assert (evidence / "kept.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("output", "key"),
    [
        ("s.csv", "s.csv"),
        ("s.csv", "day/../s.csv"),
        ("s.csv", "s.csv.manifest.json"),
        ("s.parquet", "./s.parquet.manifest.json"),
        ("hard.jsonl", "kept.jsonl"),
        ("soft.jsonl", "kept.jsonl"),
        ("gone.jsonl", "dangling.jsonl"),
    ],
)
def test_outputs_are_kept_apart(gazette, evidence: Path, output: str, key: str) -> None:
    (evidence / "dangling.jsonl").symlink_to("gone.jsonl")
    before = {path: path.read_bytes() for path in evidence.rglob("*") if path.is_file()}
    ran = gazette("simulate", "bridge.rules", "--rounds", 1, "--faults", 1, "-o", output, "--key", key)
    assert (ran.code, "[output-twice]" in ran.err) == (2, True)
    assert {path: path.read_bytes() for path in evidence.rglob("*") if path.is_file()} == before


def test_what_is_never_replaced_may_be_named_twice(gazette, evidence: Path) -> None:
    ran = gazette(
        "mutate", "bridge.rules", "--by", "theorems", "--only", "none", "-o", "/dev/null", "--report", "/dev/null"
    )  # fmt: skip
    assert "output-" not in ran.err


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("select * from 'a b.csv'", ["a b.csv"]),
        ('select * from "a b.csv"', ["a b.csv"]),
        ("select count(*) from it's.csv", []),
        ("select * from 'it''s.csv'", ["it's.csv"]),
        ("from read_csv($$it's.csv$$)", ["it's.csv"]),
        ("from read_csv($q$it's.csv$q$)", ["it's.csv"]),
        ("from 'file://./plain.csv' where x = 'y'", ["./plain.csv"]),
        ("from plain.csv, 'p*.csv'", ["plain.csv", "plain.csv"]),
    ],
)
def test_files_that_a_query_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sql: str, named: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a b.csv", "it's.csv", "plain.csv"):
        (tmp_path / name).touch()
    assert list(named_in(sql)) == named
