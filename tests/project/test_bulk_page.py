"""spec/bulk.md: its commands and queries are run, one after the other, and its tables are the code's.

What needs Spark is run by tests/spark.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import get_args

import duckdb
import pytest
import wasmtime

from verifier.check.engine import check, prepare
from verifier.check.result import VERDICT_ORDER, FindingKind
from verifier.cli.app import run
from verifier.compile.module import compile_program
from verifier.report.verdicts import verdict_schema
from verifier.simulate.faults import WAYS, Planted
from verifier.simulate.habits import IRREGULAR, read_habits

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "spec" / "bulk.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```([a-z]+)(?: ([a-z]+))?\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
RULES = "nz/roulette-1998"


def block(language: str, mark: str = "") -> str:
    (text,) = [text for kind, word, text in BLOCKS if (kind, word) == (language, mark)]
    return text


def section(heading: str) -> str:
    return re.split(r"\n###? ", PAGE.split(f" {heading}\n", 1)[1])[0]


def named(heading: str) -> set[str]:
    """What stands in the first cells of a section's tables."""
    lines = [line.split("|")[1] for line in section(heading).splitlines() if line.startswith("| ")]
    return {name for line in lines for name in re.findall(r"`([^`]+)`", line)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the page's commands have been run."""
    path = tmp_path_factory.mktemp("page")
    with contextlib.chdir(path), contextlib.redirect_stdout(io.StringIO()):
        for line in block("sh").splitlines():
            command, _, said = line.partition("  # exit code ")
            assert run(shlex.split(command)[1:]) == int(said or 0), line
    return path


def test_every_block_is_run() -> None:
    assert sorted((language, mark) for language, mark, _ in BLOCKS) == [
        ("python", "spark"),
        ("sh", ""),
        ("sh", "spark"),
        ("sql", ""),
        ("yaml", "habits"),
    ]


def test_queries(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    clauses, money = (duckdb.sql(query).fetchall() for query in block("sql").split(";\n") if query.strip())
    entries = check(["day.parquet"], RULES).entries
    cited = {
        (c.clause, f.kind, e.number)
        for e in entries
        for f in e.findings
        for c in f.citations
        if f.verdict == "broken"
    }
    told = {(clause, kind): count for clause, kind, count in clauses if clause is not None}
    assert told == Counter((clause, kind) for clause, kind, _ in cited)
    sums: dict[str, Fraction] = {}
    for short in (short for entry in entries for short in entry.short):
        sums[short.who] = sums.get(short.who, Fraction(0)) + short.amount
    found: dict[str, Fraction] = {}
    for who, parts, amount in money:
        found[who] = found.get(who, Fraction(0)) + Fraction(int(amount), parts)
    assert len(clauses) > 3
    assert found == sums


def test_columns_of_faults() -> None:
    schema = prepare(RULES).binding.schema
    assert named("Faults as a table") == {*verdict_schema(schema).names} - {
        life.name for life in schema.lives
    }
    lines = [line.split("|") for line in section("Faults as a table").splitlines() if line.startswith("| ")]
    cells = {line[1].strip(): line[2] for line in lines}
    assert set(re.findall(r"`([^`]+)`", cells["`verdict`"])) == set(VERDICT_ORDER)
    kinds = {kind for arg in get_args(FindingKind) for kind in (get_args(arg) or (arg,))}
    assert set(re.findall(r"`([^`]+)`", cells["`kind`"])) == kinds


def test_the_key_file(folder: Path) -> None:
    rows = [json.loads(line) for line in (folder / "day.parquet.key").read_text().splitlines()]
    assert {key for row in rows for key in row} - {"round"} == named("Simulated logs") - set(WAYS)
    assert set(WAYS) <= named("Simulated logs")
    assert rows[0].keys() == Planted("T", {"round": 1}, 1, "value", "spin").row().keys()
    found = duckdb.sql(f"select \"table\", seq, event from '{folder}/day.parquet'").fetchall()
    kinds = {(table, seq): event for table, seq, event in found}
    for row in rows:
        place = kinds[row["table"], row["seq"]]  # in the log as it was written
        assert place == row["event"] or row["way"] in ("order", "dropped")


def test_habits(tmp_path: Path) -> None:
    path = tmp_path / "habits.yaml"
    path.write_text(block("yaml", "habits"))
    habits = read_habits(path, prepare(RULES).ruleset)
    assert (habits.irregular, habits.weights["wager"], habits.weights["end_round"]) == (0.02, 8, 0.5)
    assert named("Habits") == {"weights", "options", "irregular"}
    assert f"; {IRREGULAR} unless said" in section("Habits")
    made = ["--habits", str(path), "-o", str(tmp_path / "log.jsonl"), "--quiet"]
    assert run(["simulate", RULES, "--rounds", "2", "--distinct", "2", *made]) == 0


def sections_of(code: bytes) -> dict[str, bytes]:
    """The custom sections of a module, by name."""
    found: dict[str, bytes] = {}

    def number(at: int) -> tuple[int, int]:
        value = shift = 0
        while True:
            value |= (code[at] & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if not code[at - 1] & 0x80:
                return value, at

    at = 8
    while at < len(code):
        kind, (size, begin) = code[at], number(at + 1)
        at = begin + size
        if kind == 0:
            length, name = number(begin)
            found[code[name : name + length].decode()] = code[name + length : at]
    return found


def test_the_compiled_module(folder: Path) -> None:
    code = (folder / "roulette.wasm").read_bytes()
    module = wasmtime.Module(wasmtime.Engine(), code)
    assert list(module.imports) == []
    assert {export.name for export in module.exports} == {"memory", "run", "keep", "restore"}
    found = {
        name: json.loads(content)
        for name, content in sections_of(code).items()
        if name.startswith("gazette.")
    }
    assert found.keys() == {"gazette.schema", "gazette.digests"}
    keys = {key for content in found.values() for key in content}
    assert named("The compiled module") == keys | {export.name for export in module.exports}
    assert found["gazette.schema"] == compile_program(prepare(RULES).program).schema()


def test_links() -> None:
    for path in re.findall(r"`((?:verifier|spec|rulesets|tests|examples)/[\w./-]*)`", PAGE):
        assert (ROOT / path).exists(), path
    assert "](bulk.md)" in (ROOT / "spec" / "log.md").read_text()
    assert "../spec/bulk.md#spark" in (ROOT / "examples" / "README.md").read_text()
