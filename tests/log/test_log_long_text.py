"""A megabyte of text under one of the operator's own names: read in every format, and no character more."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest
from log_ferry import HEADER, SCHEMA, TYPED, line, log, read, refusal, row

from verifier.errors import render
from verifier.log.arrange import Arrange
from verifier.log.limits import Limits
from verifier.log.sources import open_log
from verifier.log.values import EXTRA_LENGTH
from verifier.log.write import write_csv, write_jsonl, write_parquet

MEGABYTE = 1 << 20

TEXTS = {
    "markup": "<script>alert(1)</script>\n",
    "formulas": '=cmd|"/C calc"!A0,',
    "bidirectional": "\u202etfel ot thgir\u2066",
    "astral": "\U0001f0a1",
}


def filled(piece: str) -> str:
    """A text as long as is read."""
    return (piece * (MEGABYTE // len(piece) + 1))[:EXTRA_LENGTH]


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.zst", "csv", "csv.gz", "parquet"])
@pytest.mark.parametrize("piece", TEXTS.values(), ids=TEXTS)
def test_a_megabyte_of_text_is_read(piece: str, ending: str, tmp_path: Path) -> None:
    text = filled(piece)
    path = tmp_path / f"day.{ending}"
    rows = [row(1, x_note=text), row(2)]
    if ending.startswith("jsonl"):
        write_jsonl(path, SCHEMA, TYPED, rows)
    elif ending.startswith("csv"):
        write_csv(path, SCHEMA, TYPED, rows, ["x_note"])
    else:
        write_parquet(path, SCHEMA, TYPED, rows, ["x_note"])
    assert [entry.extras.get("x_note") for entry in read(path)] == [text, None]
    with open_log(path, SCHEMA, arrange=Arrange(sort=True)) as file:
        assert [entry.extras.get("x_note") for entry in file.rows()] == [text, None]


def test_a_megabyte_written_in_escapes_is_read(tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    text = "<" * EXTRA_LENGTH
    path.write_bytes(log(line(row(1, x_note="@")).replace(b"@", b"\\u003c" * EXTRA_LENGTH)))
    assert [entry.extras for entry in read(path)] == [{"x_note": text}]


def test_a_megabyte_in_a_header_is_read(tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    text = filled(TEXTS["markup"])
    path.write_bytes(log(row(1), header={**HEADER, "x_note": text}))
    with open_log(path, SCHEMA) as file:
        assert file.header.extras == {"x_note": text}


def test_a_megabyte_in_a_transcript_is_read(tmp_path: Path) -> None:
    path = tmp_path / "day.yaml"
    text = filled("ab <b> ").strip()
    head = f"ruleset: {SCHEMA.ruleset}\nx_head: {json.dumps(text)}\n"
    path.write_text(head + f"events:\n- {{depart: , actor: skipper, x_note: {json.dumps(text)}}}\n", "utf-8")
    with open_log(path, SCHEMA) as file:
        assert [entry.extras for entry in file.rows()] == [{"x_note": text}]
        assert file.header.extras == {"x_head": text}


def test_a_character_more_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    path.write_bytes(log(row(1), row(2, x_note="a" * (EXTRA_LENGTH + 1))))
    problem = refusal(path)[0]
    assert (problem.code, problem.line) == ("log-kind", 3)
    assert problem.message.startswith("field x_note: found ")
    assert "expected text of 1 to 1048576 characters" in problem.message
    assert len(render(problem)) < 800


def test_rows_that_are_held_back_hold_so_much_text(tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    text = "a" * 1000
    path.write_bytes(log(*(row(n, x_note=text) for n in range(1, 12))))
    problem = refusal(path, limits=Limits(held_text=10_000))[0]
    assert (problem.code, problem.line) == ("log-limit", 11)
    assert "over 10000 characters of text in rounds that have not ended" in problem.message
    parted = [row(n, crossing=1 + n // 5, x_note=text) for n in range(1, 40)]
    path.write_bytes(log(*parted))
    assert len(read(path, limits=Limits(held_text=10_000))) == 39


def test_one_text_in_many_rows_of_a_table_is_in_memory_a_few_times(tmp_path: Path) -> None:
    path = tmp_path / "day.parquet"
    text = "a" * EXTRA_LENGTH
    write_parquet(path, SCHEMA, TYPED, [row(n, crossing=n, x_note=text) for n in range(1, 400)], ["x_note"])
    assert path.stat().st_size < MEGABYTE
    tracemalloc.start()
    with open_log(path, SCHEMA) as file:
        assert sum(1 for _ in file.rows()) == 399
    assert tracemalloc.get_traced_memory()[1] < 300 * MEGABYTE
    tracemalloc.stop()
