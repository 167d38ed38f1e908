"""JSON Lines and CSV judged by several processes: the answer is that of one, to the last entry, and so are the
refusals."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import multiprocessing
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from both_engines import comparable
from logs import columns_of, in_turn, pieces, ready
from sharing import NAME, after_planning, logs_at, says_the_same, shared

import verifier.check.opening as opening
import verifier.check.shares as shares
from verifier.check.engine import check
from verifier.check.result import CheckResult, Entry
from verifier.errors import LogError
from verifier.log.cells import Cells
from verifier.log.header import TRAILER_KEY
from verifier.log.lineblocks import lines_in
from verifier.log.write_arrow import write_batches
from verifier.simulate.simulate import simulate

TOLD = ".manifest.json"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables one after the other, and in turn, with faults; in two files, where they go on from one to the other."""
    here = tmp_path_factory.mktemp("lines")
    first = here / "apart.jsonl"
    simulate(ready(NAME), first, 16, seed=7, faults=0.5, key=here / "key", distinct=12, per_table=4, jobs=1)
    header, batch = columns_of(NAME, first)
    for kind in ("jsonl", "csv"):
        write(here / f"apart.{kind}", header, [batch])
        in_turn(NAME, first, here / f"turns.{kind}", each=50)
    header, batch = columns_of(NAME, here / "turns.jsonl")
    half = batch.num_rows // 2
    (here / "two").mkdir()
    write(here / "two" / "a.csv", header, [batch.slice(0, half)])
    write(here / "two" / "b.jsonl", header, [batch.slice(half)])
    return here


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block is a few dozen lines, and a log of any size is shared."""
    monkeypatch.setattr("verifier.log.lineblocks.BLOCK", 4096)
    monkeypatch.setattr("verifier.log.lineblocks.BUNDLE", 6000)
    monkeypatch.setattr("verifier.check.opening.SHARED_ROWS", 0)


def write(path: Path, header: Any, batches: Sequence[Any]) -> Path:
    kind: Any = path.suffix[1:]
    write_batches(path, kind, ready(NAME).binding.schema, header, batches, lambda rows: None)
    return path


def lines_of(path: Path) -> list[bytes]:
    """The header of JSON Lines, and its rows."""
    return path.read_bytes().splitlines(keepends=True)[:-1]


def put(path: Path, lines: Sequence[bytes], **more: object) -> Path:
    """JSON Lines with a trailer that vouches for them, but for what `more` says of it."""
    data = b"".join(lines)
    seal = {"events": len(lines) - 1, "sha256": hashlib.sha256(data).hexdigest(), **more}
    path.write_bytes(data + json.dumps({TRAILER_KEY: seal}).encode() + b"\n")
    return path


def records_of(path: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(path.read_text("utf-8"), newline="")))


def put_csv(path: Path, data: bytes, like: Path, rows: int | None = None) -> Path:
    """CSV with a manifest as another's has it, but for the seal."""
    path.write_bytes(data)
    told = json.loads(Path(f"{like}{TOLD}").read_text("utf-8"))
    told["sha256"] = hashlib.sha256(data).hexdigest()
    told["events"] = told["events"] if rows is None else rows
    Path(f"{path}{TOLD}").write_text(json.dumps(told), "utf-8")
    return path


def as_csv(records: Sequence[Sequence[str]], **how: Any) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, **{"lineterminator": "\n", **how}).writerows(records)
    return out.getvalue().encode()


def agrees(path: Path, jobs: int = 3) -> None:
    """That the processes say what one says."""
    expected = check([path], ready(NAME))
    found = shared(path, jobs=jobs)
    assert found is not None
    assert comparable(found) == comparable(replace(expected, notes=found.notes))


def left_to_one(path: Path) -> None:
    """That one process judges the log, and finds nothing amiss."""
    assert shared(path) is None
    assert comparable(check([path], ready(NAME), jobs=3)) == comparable(check([path], ready(NAME)))


def refused(path: Path) -> str:
    """What is said of a malformed log, by however many processes it was to be judged."""
    assert shared(path) is None
    said = []
    for jobs in (1, 3):
        with pytest.raises(LogError) as error:
            check([path], ready(NAME), jobs=jobs)
        said.append(str(error.value))
    assert said[0] == said[1]
    return said[0]


# ------------------------------------------------------------------------------------------------------ the answer
@pytest.mark.parametrize("jobs", [2, 5, 64])
@pytest.mark.parametrize("log", ["apart.jsonl", "turns.jsonl", "apart.csv", "turns.csv", "two"])
def test_the_answer_of_one(folder: Path, log: str, jobs: int) -> None:
    seen: list[Entry] = []
    expected = check([folder / log], ready(NAME), engine="explain")
    found = shared(folder / log, jobs=jobs, on_entry=seen.append)
    assert found is not None
    assert comparable(found) == comparable(replace(expected, notes=found.notes))
    assert tuple(seen) == expected.entries
    assert expected.entries_total > 5


@pytest.mark.parametrize("log", ["turns.jsonl", "turns.csv"])
def test_blocks_as_they_are(folder: Path, log: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.log.lineblocks.BLOCK", 1 << 20)
    agrees(folder / log)


def test_what_is_told_of_the_files(folder: Path) -> None:
    found = shared(folder / "two")
    assert found is not None
    assert found.files == check([folder / "two"], ready(NAME)).files
    assert len(found.files) == 2


@pytest.mark.parametrize("log", ["turns.jsonl", "turns.csv", "two"])
def test_the_command_says_the_same(
    folder: Path,
    log: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    says_the_same(folder / log, tmp_path, monkeypatch, capsys)


def test_a_process_reads_no_more_than_its_tables(folder: Path) -> None:
    asked = shares.Asked(logs_at(folder / "apart.jsonl"), ready(NAME), {}, False, 0, False)
    one, other = shares.shares_of(asked, 2, 0)
    for log in asked.logs():
        assert log.columnar is not None
        assert log.columnar.groups is not None
        plan = one.files[0].plan
        places = [
            place
            for share in (one, other)
            for found, _ in log.columnar.groups.batches(plan, share.tables, 10)
            for place in found.tolist()
        ]
    assert sorted(places) == list(range(one.files[0].rows))
    blocks = plan.made_of.blocks
    assert len(blocks) > 5
    assert max(block.size for block in blocks) <= 4096
    assert blocks[0].most < len(plan.counts) - 1


# --------------------------------------------------------------------------------------------- lines of JSON, unusual
def changed(
    lines: Sequence[bytes], change: Callable[[dict[str, Any]], dict[str, Any]], **how: Any
) -> list[bytes]:
    return [
        lines[0],
        *(json.dumps(change(json.loads(line)), **how).encode() + b"\n" for line in lines[1:]),
    ]


UNUSUAL: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "no spaces": lambda lines: changed(lines, lambda row: row, separators=(",", ":")),
    "more spaces": lambda lines: changed(lines, lambda row: row, separators=("  , ", "  :  ")),
    "the table last": lambda lines: changed(lines, lambda row: {**row, "table": row.pop("table")}),
    "the table's name in a note before": lambda lines: changed(
        lines, lambda row: {"x_note": "table", "x_other": "table: T9", **row}
    ),
    "the table's name in a note behind": lambda lines: changed(
        lines, lambda row: {**row, "x_note": '"table": "T9"'}
    ),
    "escapes behind": lambda lines: changed(lines, lambda row: {**row, "x_note": '\\ "'}),
    "null and numbers before": lambda lines: changed(
        lines, lambda row: {"x_a": None, "x_b": -1, "x_c": True, **row}
    ),
    "names that are not ASCII": lambda lines: changed(
        lines, lambda row: {**row, "table": "Tisch é " + row["table"]}, ensure_ascii=False
    ),
    "a column that begins alike": lambda lines: changed(lines, lambda row: {"x_table": "T9", **row}),
    "a letter as an escape": lambda lines: changed(lines, lambda row: {**row, "x_note": "é"}),
}  # fmt: skip


@pytest.mark.parametrize("case", UNUSUAL)
@pytest.mark.parametrize("log", ["apart.jsonl", "turns.jsonl"])
def test_unusual_lines_are_shared(folder: Path, log: str, case: str, tmp_path: Path) -> None:
    agrees(put(tmp_path / "log.jsonl", UNUSUAL[case](lines_of(folder / log))))


UNTOLD: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "escapes in a table's name": lambda lines: [
        line.replace(b'"T0002"', b'"T\\u0030002"') for line in lines
    ],
    "an escape in the column's name": lambda lines: [
        *lines[:9], *(line.replace(b'"table"', b'"t\\u0061ble"') for line in lines[9:10]), *lines[10:]
    ],
    "spaces before": lambda lines: [*lines[:9], b" " + lines[9], *lines[10:]],
    "an escape before": lambda lines: changed(lines, lambda row: {"x_note": "\\", **row}),
}  # fmt: skip


@pytest.mark.parametrize("case", UNTOLD)
def test_lines_whose_table_is_not_plain_are_left_to_one(folder: Path, case: str, tmp_path: Path) -> None:
    left_to_one(put(tmp_path / "log.jsonl", UNTOLD[case](lines_of(folder / "apart.jsonl"))))


def test_a_column_whose_name_is_an_escape_at_times_is_of_its_table(folder: Path, tmp_path: Path) -> None:
    lines = lines_of(folder / "apart.jsonl")
    again = put(tmp_path / "log.jsonl", UNTOLD["escapes in a table's name"](lines))
    plain, escaped = (check([path], ready(NAME), jobs=3) for path in (folder / "apart.jsonl", again))
    assert escaped.tables == plain.tables


BAD: dict[str, Callable[[bytes], bytes]] = {
    "the table twice": lambda line: line.replace(b"{", b'{"table": "T0001", ', 1),
    "the table twice, another behind": lambda line: line.replace(b"}\n", b', "table": "T0009"}\n'),
    "the table twice, by an escape": lambda line: line.replace(b"}\n", b', "t\\u0061ble": "T0009"}\n'),
    "no table": lambda line: line.replace(b'"table": "T', b'"x_table": "T'),
    "a table that is null": lambda line: b'{"table": null, ' + line.split(b", ", 1)[1],
    "a table that is a number": lambda line: b'{"table": 4, ' + line.split(b", ", 1)[1],
    "an object before": lambda line: line.replace(b"{", b'{"x_note": {"table": "T0001"}, ', 1),
    "CR LF": lambda line: line.replace(b"\n", b"\r\n"),
    "a blank line": lambda line: line + b"\n",
    "spaces alone": lambda line: line + b"  \n",
    "spaces behind": lambda line: line.replace(b"\n", b" ?\n"),
    "cut short": lambda line: line[:-20] + b"\n",
    "two on a line": lambda line: line.replace(b"\n", b" ") + line,
    "no UTF-8": lambda line: line.replace(b"}\n", b', "x_note": "\xff"}\n'),
    "no UTF-8 in the table": lambda line: line.replace(b'"table": "T', b'"table": "\xffT'),
    "a table with a space at its end": lambda line: line.replace(b'"table": "T0', b'"table": "T0 '),
    "a column that there is not": lambda line: line.replace(b"}\n", b', "colour": "red"}\n'),
    "an event that there is not": lambda line: line.replace(b'"event": "', b'"event": "un'),
    "a gap": lambda line: line.replace(b'"seq": ', b'"seq": 9'),
    "a trailer in the middle": lambda line: line + b'{"' + TRAILER_KEY.encode() + b'": {}}\n',
}


@pytest.mark.parametrize("case", BAD)
def test_bad_lines_are_refused_in_the_same_words(folder: Path, case: str, tmp_path: Path) -> None:
    lines = lines_of(folder / "turns.jsonl")
    at = len(lines) * 2 // 3
    lines[at] = BAD[case](lines[at])
    refused(put(tmp_path / "log.jsonl", lines))


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("log", ["apart.jsonl", "turns.jsonl"])
def test_a_bad_line_of_each_table(folder: Path, log: str, part: int, tmp_path: Path) -> None:
    """Whoever has the table meets it."""
    lines = lines_of(folder / log)
    tables = sorted({json.loads(line)["table"] for line in lines[1:]})
    table = tables[part * (len(tables) - 1) // 3]
    at = [i for i, line in enumerate(lines) if i and json.loads(line)["table"] == table][-1]
    lines[at] = lines[at].replace(b"}\n", b', "x_note": ""}\n')
    assert "x_note" in refused(put(tmp_path / "log.jsonl", lines))


def test_the_first_of_two_bad_lines_is_told(folder: Path, tmp_path: Path) -> None:
    lines = lines_of(folder / "turns.jsonl")
    for at in (40, 41):
        lines[at] = lines[at].replace(b"}\n", b', "x_%d": ""}\n' % at)
    assert "x_40" in refused(put(tmp_path / "log.jsonl", lines))


TRAILERS: dict[str, Callable[[bytes], bytes]] = {
    "none": lambda data: data[: data.rindex(b"\n", 0, -1) + 1],
    "without its end": lambda data: data[:-1],
    "with CR LF": lambda data: data[:-1] + b"\r\n",
    "cut short": lambda data: data[:-30],
    "of another file": lambda data: data.replace(b'"x_seed": 7', b'"x_seed": 8'),
    "a line behind it": lambda data: data + b"\n",
    "twice": lambda data: data + data[data.rindex(b"\n", 0, -1) + 1 :],
    "a header and nothing else": lambda data: data[: data.index(b"\n") + 1],
}


@pytest.mark.parametrize("case", TRAILERS)
def test_trailers_that_vouch_for_nothing(folder: Path, case: str, tmp_path: Path) -> None:
    data = (folder / "turns.jsonl").read_bytes()
    path = tmp_path / "log.jsonl"
    path.write_bytes(TRAILERS[case](data.replace(b'{"gazette-log": 1', b'{"x_seed": 7, "gazette-log": 1')))
    if case == "of another file":
        put(path, lines_of(path))
        path.write_bytes(TRAILERS[case](path.read_bytes()))
    refused(path)


def test_a_trailer_that_counts_otherwise(folder: Path, tmp_path: Path) -> None:
    lines = lines_of(folder / "turns.jsonl")
    assert "events" in refused(put(tmp_path / "log.jsonl", lines, events=len(lines)))


def test_a_log_without_tables_is_left_to_one(folder: Path, tmp_path: Path) -> None:
    lines = lines_of(folder / "apart.jsonl")
    own = [line for line in lines[1:] if b'"T0001"' in line]
    header = {**json.loads(lines[0]), "missing_columns": ["table"]}
    rows = [{k: v for k, v in json.loads(line).items() if k != "table"} for line in own]
    path = put(tmp_path / "log.jsonl", [json.dumps(row).encode() + b"\n" for row in (header, *rows)])
    assert shared(path) is None
    assert check([path], ready(NAME), jobs=3).events == len(own)


def test_a_log_of_one_table_is_left_to_one(folder: Path, tmp_path: Path) -> None:
    lines = lines_of(folder / "apart.jsonl")
    left_to_one(put(tmp_path / "log.jsonl", [lines[0], *(line for line in lines[1:] if b'"T0002"' in line)]))


def test_more_tables_than_there_may_be(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sharing.LIMITS", replace(shares.LIMITS, tables=3))
    assert shared(folder / "apart.jsonl") is None


# --------------------------------------------------------------------------------------------------- records of CSV
CELLS: dict[str, Callable[[Path], bytes]] = {
    "all in quotes": lambda path: as_csv(records_of(path), quoting=csv.QUOTE_ALL),
    "CR LF": lambda path: as_csv(records_of(path), lineterminator="\r\n"),
    "no end": lambda path: path.read_bytes()[:-1],
    "a lone CR at the end": lambda path: path.read_bytes()[:-1] + b"\r",
    "CR LF, but for the end": lambda path: as_csv(records_of(path), lineterminator="\r\n")[:-2],
    "the table last": lambda path: as_csv([record[1:] + record[:1] for record in records_of(path)]),
    "quotes in notes": lambda path: as_csv(
        [[*record, 'a "note", T9' if i else "x_note"] for i, record in enumerate(records_of(path))]
    ),
    "names with commas": lambda path: as_csv(
        [["Table, " * (i > 0) + record[0], *record[1:]] for i, record in enumerate(records_of(path))]
    ),
    "names that are not ASCII": lambda path: as_csv(
        [["é" * (i > 0) + record[0], *record[1:]] for i, record in enumerate(records_of(path))]
    ),
}


@pytest.mark.parametrize("case", CELLS)
@pytest.mark.parametrize("log", ["apart.csv", "turns.csv"])
def test_unusual_records_are_shared(folder: Path, log: str, case: str, tmp_path: Path) -> None:
    agrees(put_csv(tmp_path / "log.csv", CELLS[case](folder / log), folder / log))


UNTOLD_CELLS: dict[str, Callable[[list[list[str]]], list[list[str]]]] = {
    "quotes in a table's name": lambda rows: [
        rows[0], *([row[0].replace("T", '"T"'), *row[1:]] for row in rows[1:])
    ],
    "quotes before": lambda rows: [
        ["x_note", *rows[0]], *(['a "note"' if i == 70 else "", *row] for i, row in enumerate(rows[1:]))
    ],
    "a record on two lines": lambda rows: [
        [*rows[0], "x_note"], *([*row, "two\nlines" if i == 70 else ""] for i, row in enumerate(rows[1:]))
    ],
}  # fmt: skip


@pytest.mark.parametrize("case", UNTOLD_CELLS)
def test_records_whose_table_is_not_plain_are_left_to_one(folder: Path, case: str, tmp_path: Path) -> None:
    like = folder / "turns.csv"
    path = put_csv(tmp_path / "log.csv", as_csv(UNTOLD_CELLS[case](records_of(like))), like)
    assert shared(path) is None
    try:
        expected = check([path], ready(NAME))
    except LogError:
        refused(path)
    else:
        assert comparable(check([path], ready(NAME), jobs=3)) == comparable(expected)


BAD_CELLS: dict[str, Callable[[bytes], bytes]] = {
    "a byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "a blank line": lambda data: data.replace(b"\n", b"\n\n", 90).replace(b"\n\n", b"\n", 89),
    "a blank line at the end": lambda data: data + b"\n",
    "LF and CR LF": lambda data: data[:-1] + b"\r\n",
    "a cell too few": lambda data: data[:-2] + b"\n",
    "a cell too many": lambda data: data[:-1] + b",\n",
    "a quote in the middle": lambda data: data[:-1] + b'x"\n',
    "a quote left open": lambda data: b'\n"'.join(data.rsplit(b"\n", 2)[:2]) + b"\n",
    "no UTF-8": lambda data: data.replace(b"T0002", b"T\xff002", 1),
    "an actor that there is not": lambda data: b'"dragon"'.join(data.rsplit(b'"dealer"', 1)),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_CELLS)
def test_bad_records_are_refused_in_the_same_words(folder: Path, case: str, tmp_path: Path) -> None:
    like = folder / "turns.csv"
    data = BAD_CELLS[case](like.read_bytes())
    assert data != like.read_bytes()
    refused(put_csv(tmp_path / "log.csv", data, like))


@pytest.mark.parametrize("told", [{"sha256": "0" * 64}, {"events": 5}])
def test_what_a_manifest_does_not_vouch_for(folder: Path, told: dict[str, Any], tmp_path: Path) -> None:
    path = put_csv(tmp_path / "log.csv", (folder / "turns.csv").read_bytes(), folder / "turns.csv")
    beside = Path(f"{path}{TOLD}")
    beside.write_text(json.dumps({**json.loads(beside.read_text("utf-8")), **told}), "utf-8")
    refused(path)


def shared_by_desk(path: Path) -> CheckResult:
    """What the processes say of a log that calls its tables desks, which is what one says."""
    columns = path.with_name("columns.yaml")
    columns.write_text("columns: {table: desk}\nignore: [table]\n", "utf-8")
    found = shared(path, columns=columns)
    assert found is not None
    expected = check([path], ready(NAME), columns=columns, engine="explain")
    assert comparable(found) == comparable(replace(expected, notes=found.notes))
    return found


def test_columns_called_otherwise(folder: Path, tmp_path: Path) -> None:
    """What the file calls `table` is something else, and left out; what it calls `desk` is the table."""
    rows = records_of(folder / "turns.csv")
    rows = [["table", "desk", *rows[0][1:]], *([f"east{i % 2}", *row] for i, row in enumerate(rows[1:]))]
    path = put_csv(tmp_path / "log.csv", as_csv(rows), folder / "turns.csv")
    found = shared_by_desk(path)
    assert len(found.tables) == len({row[1] for row in rows[1:]})


def test_fields_called_otherwise(folder: Path, tmp_path: Path) -> None:
    head, *lines = lines_of(folder / "turns.jsonl")
    desks = [
        b'{"table": %d, "x_shift": "late", "desk' % i + one[len(b'{"table') :] for i, one in enumerate(lines)
    ]
    assert all(b'"desk": "' in one for one in desks)
    path = put(tmp_path / "log.jsonl", [head, *desks])
    shared_by_desk(path)


# --------------------------------------------------------------------------------------- what differs while it is read
def touched_again(path: Path, data: bytes) -> None:
    """Other bytes, under the times that the file had."""
    times = path.stat()
    path.write_bytes(data)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_other_bytes_are_noticed(
    folder: Path, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    like = folder / f"turns.{kind}"
    path = tmp_path / f"log.{kind}"
    data = like.read_bytes()
    if kind == "csv":
        put_csv(path, data, like)
    else:
        path.write_bytes(data)
    at = data.rindex(b"T0003")
    after_planning(monkeypatch, lambda: touched_again(path, data[:at] + b"T0004" + data[at + 5 :]))
    assert shared(path) is None
    with pytest.raises(LogError):
        check([path], ready(NAME), jobs=3)
    assert not multiprocessing.active_children()


def test_a_file_that_grows_is_judged_as_it_is_then(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header, batch = columns_of(NAME, folder / "turns.jsonl")
    path = write(tmp_path / "log.jsonl", header, [batch.slice(0, batch.num_rows // 2)])
    after_planning(monkeypatch, lambda: write(path, header, pieces(batch, 50)))
    found = check([path], ready(NAME), jobs=2)
    assert found.events == batch.num_rows
    assert comparable(found) == comparable(check([path], ready(NAME), engine="explain"))


def test_a_file_that_shrinks_is_refused(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = (folder / "turns.jsonl").read_bytes()
    path = tmp_path / "log.jsonl"
    path.write_bytes(data)
    after_planning(monkeypatch, lambda: touched_again(path, data[: len(data) // 2]))
    with pytest.raises(LogError):
        check([path], ready(NAME), jobs=2)


def test_a_header_that_changes_is_noticed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = lines_of(folder / "turns.jsonl")
    path = put(tmp_path / "log.jsonl", lines)
    other = lines[0].replace(b'"exponent": 2', b'"exponent": 3')
    assert other != lines[0]
    after_planning(monkeypatch, lambda: put(path, [other, *lines[1:]]))
    assert shared(path) is None
    assert check([path], ready(NAME), jobs=2).exponent == 3


def test_a_line_that_is_read_as_of_another_table(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Were a line's table told wrongly, whoever reads it would see."""
    texts = Cells.json_texts

    def wrong(cells: Cells, block: bytes, size: int) -> Any:
        other = block.replace(b'{"table": "T0001"', b'{"table": "T0009"', 1)
        return texts(cells, other, size)

    monkeypatch.setattr(Cells, "json_texts", wrong)
    assert shared(folder / "turns.jsonl") is None


# ------------------------------------------------------------------------------------------------- how large they are
def test_logs_are_shared_by_about_how_many_lines_they_have(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [folder / "turns.jsonl", folder / "turns.csv"]
    lines = [path.read_bytes().count(b"\n") for path in paths]
    told = [lines_in(str(path)) or 0 for path in paths]
    assert all(abs(one - other) <= 0.2 * other for one, other in zip(told, lines, strict=True))
    monkeypatch.setattr("verifier.check.opening.SHARED_ROWS", sum(told))
    assert opening.shareable(paths, None, ()) == (sorted(map(str, paths)), sum(told))
    monkeypatch.setattr("verifier.check.opening.SHARED_ROWS", sum(told) + 1)
    assert opening.shareable(paths, None, ()) is None


def test_what_cannot_be_shared_is_told_at_once(tmp_path: Path) -> None:
    assert lines_in(str(tmp_path / "nowhere.csv")) is None
    (tmp_path / "one.csv").write_bytes(b"no line")
    assert lines_in(str(tmp_path / "one.csv")) is None
    (tmp_path / "log.yaml").write_text("log: 1\n", "utf-8")
    assert opening.shareable([tmp_path / "log.yaml"], None, ()) is None
