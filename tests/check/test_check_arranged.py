"""What a report says of rows that correct others, and of files in which the log does not stand as it is read."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from check_logs import TILL
from test_check_streams import check, put, rows

from verifier.check.engine import Engine
from verifier.check.result import Arranged
from verifier.cli.app import run
from verifier.report.json import document
from verifier.report.text import text


def corrected() -> list[dict[str, Any]]:
    """Two rounds: in the first a payment is wrong, and a fifth row behind it puts it right."""
    *first, end, wager, close, pay, last = rows(1, 2)
    wrong = {**first[2], "amount": 1400}
    right = {
        **{name: first[2][name] for name in ("table", "shoe", "round", "player")},
        **{"actor": "supervisor", "event": "correction", "corrects": wrong["seq"], "amount": 1500},
        **{"corrected_actor": "dealer", "corrected_event": "pay"},
    }
    lines = [*first[:2], wrong, right, end, wager, close, pay, last]
    return [{**line, "seq": seq} for seq, line in enumerate(lines, 1)]


def anew(path: Path, change: Callable[[list[str]], list[str]]) -> Path:
    """The JSON Lines at `path` with other lines, its trailer telling of them."""
    head, *lines, _ = path.read_text().splitlines(keepends=True)
    text = "".join([head, *change(lines)])
    seal = {"events": len(lines), "sha256": sha256(text.encode()).hexdigest()}
    path.write_text(text + json.dumps({"gazette-log-end": seal}) + "\n")
    return path


def words(path: Path, **arguments: Any) -> str:
    return " ".join(text(check(path, **arguments)).split())


@pytest.mark.parametrize("engine", ["explain", "auto"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_corrections_are_counted_beside_the_events(name: str, engine: Engine, tmp_path: Path) -> None:
    path = put(tmp_path / name, corrected())
    result = check(path, engine=engine)
    assert result.in_order
    (file,) = result.files
    assert (file.events, file.corrections, result.events) == (8, 1, 8)
    assert f"{path} (9 rows: 8 events and 1 correction, A Casino, sealed)" in words(path, engine=engine)
    (told,) = document(result)["files"]
    assert (told["events"], told["corrections"]) == (8, 1)


def test_a_log_that_stands_as_it_is_read_says_nothing_of_it(tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl", rows(1))
    (file,) = check(path).files
    assert (file.corrections, file.arranged) == (0, Arranged())
    assert f"{path} (4 events, A Casino, sealed)" in words(path)
    assert "Arranged" not in words(path)
    (told,) = document(check(path))["files"]
    assert told["arranged"] == {"ordered": False, "columns": [], "ignored": []}


def test_that_rows_were_put_in_order_is_said(tmp_path: Path) -> None:
    path = anew(put(tmp_path / "a.jsonl", rows(1, 2)), lambda lines: lines[::-1])
    assert "Arranged rows put in the order of record before they were judged, as was asked" in words(
        path, sort=True
    )
    assert document(check(path, sort=True))["files"][0]["arranged"]["ordered"] is True


def test_names_of_columns_and_what_is_not_read_are_said(tmp_path: Path) -> None:
    path = anew(
        put(tmp_path / "a.jsonl", rows(1)),
        lambda lines: [line.replace('"table"', '"note":"","pit"') for line in lines],
    )
    columns = tmp_path / "map.yaml"
    columns.write_text("columns: {table: pit}\nignore: [note]\n")
    said = words(path, columns=columns)
    assert "Arranged columns read under the log's names, by the map given: pit as table" in said
    assert "columns not read, by the map given: note" in said
    assert document(check(path, columns=columns))["files"][0]["arranged"] == {
        "ordered": False,
        "columns": [{"column": "table", "name": "pit"}],
        "ignored": ["note"],
    }


def test_of_files_arranged_differently_it_is_said_which(tmp_path: Path) -> None:
    """A transcript is read as it stands, whatever is asked of the tables beside it."""
    put(tmp_path / "a.csv", rows(1))
    (tmp_path / "b.yaml").write_text("ruleset: check/till\ncurrency: NZD\nevents: []\n")
    said = words(tmp_path, sort=True)
    assert f"before they were judged, as was asked ({tmp_path / 'a.csv'})" in said


def test_the_pages_say_it_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = put(tmp_path / "a.jsonl", corrected())
    page = tmp_path / "page.html"
    run(["check", str(path), "--rules", str(TILL), "--sort", "--format", "html", "-o", str(page)])
    capsys.readouterr()
    found = page.read_text()
    assert "and 1 correction" in found
    assert "rows put in the order of record before they were judged, as was asked" in found


def test_the_command_says_it_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = put(tmp_path / "a.jsonl", corrected())
    run(["check", str(path), "--rules", str(TILL), "--format", "json"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert (file["events"], file["corrections"], file["arranged"]["ordered"]) == (8, 1, False)
