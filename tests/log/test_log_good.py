"""What is accepted, and how it comes out: corrections, absent values, compressions, files and folders."""

from __future__ import annotations

import errno
import gzip
import io
import json
import pickle
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
import zstandard
from log_ferry import HEADER, SCHEMA, exhausted, log, put_csv, read, row

from verifier.errors import LogError, RequestError
from verifier.log.sources import find_logs, open_log, open_logs, open_stream


def put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def correction(seq: int, corrects: int, **changes: Any) -> dict[str, Any]:
    return row(
        seq,
        "correction",
        actor="purser",
        corrects=corrects,
        **({"corrected_event": "depart", "corrected_actor": "skipper"} | changes),
    )


def test_a_row(tmp_path: Path) -> None:
    path = put(tmp_path / "day.jsonl", log(row(1, x_gate="north", x_scan=7, concession=None, x_none=None)))
    (first,) = read(path)
    assert (first.file, first.line, first.lives, first.seq) == (str(path), 2, ("Kea", 1, 1), 1)
    assert (first.actor, first.event, first.at) == ("passenger", "board", None)
    assert first.values == ("P1", ("B", 4), 1050, None)
    assert first.extras == {"x_gate": "north", "x_scan": 7}
    assert (first.original, first.correction, first.corrected_by) == (None, None, None)


def test_rows_can_be_pickled(tmp_path: Path) -> None:
    rows = read(put(tmp_path / "day.jsonl", log(row(1, x_a="b"), correction(2, 1))))
    assert pickle.loads(pickle.dumps(rows)) == rows


def test_null_is_absent_for_other_columns(tmp_path: Path) -> None:
    data = log(row(1) | {"sea": None, "delay": None, "concession": None, "at": None, "corrects": None})
    assert read(put(tmp_path / "day.jsonl", data))[0].values == ("P1", ("B", 4), 1050, None)


def test_extremes(tmp_path: Path) -> None:
    rows = read(
        put(tmp_path / "day.jsonl", log(row(0, fare=2**63 - 1), row(1, fare=-(2**63)), row(2, fare=0)))
    )
    assert [line.values[2] for line in rows] == [2**63 - 1, -(2**63), 0]


def test_numbering_starts_anywhere_and_goes_by_table(tmp_path: Path) -> None:
    data = log(row(40), row(7, boat="Tui"), row(41), row(8, boat="Tui", crossing=2), row(42, crossing=2))
    rows = read(put(tmp_path / "day.jsonl", data))
    assert sorted((str(r.lives[0]), r.seq) for r in rows) == [
        ("Kea", 40),
        ("Kea", 41),
        ("Kea", 42),
        ("Tui", 7),
        ("Tui", 8),
    ]
    assert [r.seq for r in rows if r.lives[0] == "Kea"] == [40, 41, 42]


def test_an_event_between_rounds_lacks_their_key(tmp_path: Path) -> None:
    (moored,) = read(put(tmp_path / "day.jsonl", log(row(1, "moor", actor="skipper", crossing=None))))
    assert moored.lives == ("Kea", 1, None)


def test_a_correction_replaces_its_row(tmp_path: Path) -> None:
    data = log(
        row(1, x_gate="north"),
        row(2),
        correction(
            3, 1, corrected_event="refund", corrected_actor="purser", passenger="P1", fare=5, x_by="K"
        ),
        row(4),
        correction(5, 1, corrected_event="refund", corrected_actor="purser", passenger="P1", fare=6),
        row(6, crossing=2),
    )
    rows = read(put(tmp_path / "day.jsonl", data))
    assert [r.seq for r in rows] == [1, 2, 4, 6]
    corrected = rows[0]
    assert (corrected.event, corrected.actor, corrected.values) == ("refund", "purser", ("P1", 6))
    assert (corrected.line, corrected.corrected_by) == (2, 5)
    assert corrected.extras == {"x_gate": "north", "x_by": "K"}
    once = corrected.original
    assert once is not None
    assert (once.values, once.corrected_by) == (("P1", 5), 3)
    assert once.original is not None
    assert (once.original.event, once.original.corrected_by) == ("board", None)
    assert [r.corrected_by for r in rows[1:]] == [None, None, None]


def test_missing_columns_need_not_be_there(tmp_path: Path) -> None:
    header = HEADER | {"missing_columns": ["at", "tide", "crossing", "seat", "refund.fare"]}
    refund = row(2, "refund", actor="purser", passenger="P1", tide=None, crossing=None)
    data = log(row(1, tide=None, crossing=None, seat=None), refund, header=header)
    rows = read(put(tmp_path / "day.jsonl", data))
    assert [r.lives for r in rows] == [("Kea", None, None)] * 2
    assert [r.values for r in rows] == [("P1", None, 1050, None), ("P1", None)]


def test_the_header(tmp_path: Path) -> None:
    stated = HEADER | {
        "ruleset_digest": "0" * 64,
        "options": {"luggage": 2, "pricing": "flat"},
        "records": ["board", "depart"],
        "unordered": ["board"],
        "x_shift": "late",
    }
    with open_log(put(tmp_path / "day.jsonl", log(header=stated)), SCHEMA) as file:
        header = file.header
    assert (header.operator, header.currency, header.exponent) == ("Strait Ferries Ltd", "NZD", 2)
    assert header.options == {"luggage": 2, "pricing": "flat"}
    assert header.has_event("board")
    assert not header.has_event("moor")
    assert (header.unordered, header.extras) == (frozenset({"board"}), {"x_shift": "late"})
    assert header.lacks("at")


def test_another_ruleset_on_request(tmp_path: Path) -> None:
    path = put(tmp_path / "day.jsonl", log(header=HEADER | {"ruleset": "ferry/gulf"}))
    with open_log(path, SCHEMA, any_ruleset=True) as file:
        assert file.header.ruleset == "ferry/gulf"


@pytest.mark.parametrize(
    ("compress", "kind"),
    [
        (lambda data: data, ""),
        (gzip.compress, "gzip"),
        (zstandard.compress, "zstd"),
        (lambda data: gzip.compress(data[:50]) + gzip.compress(data[50:]), "gzip"),
        (lambda data: zstandard.compress(data[:50]) + zstandard.compress(data[50:]), "zstd"),
    ],
)
def test_compressions(compress: Any, kind: str, tmp_path: Path) -> None:
    data = log(*[row(n, crossing=n // 10 + 1) for n in range(500)])
    file, rows = exhausted(put(tmp_path / "day.jsonl", compress(data)))
    assert [r.seq for r in rows] == list(range(500))
    assert (file.compression, file.events, file.complete) == (kind, 500, True)
    plain, _ = exhausted(put(tmp_path / "plain.jsonl", data))
    assert (file.digest, file.sealed) == (plain.digest, plain.sealed)
    assert file.digest != file.sealed


NAMES = "boat,tide,crossing,seq,actor,event,passenger,seat,fare,concession,x_note"


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_csv(ending: str, last: bool, tmp_path: Path) -> None:
    lines = [
        NAMES,
        'Kea,1,1,1,passenger,board,P1,B4,-1050,true,"two',
        'lines, ""quoted"""',
        "Kea,1,1,2,skipper,depart,,,,,",
    ]
    data = (ending.join(lines) + (ending if last else "")).encode()
    path = put_csv(tmp_path / "day.csv", data, 2)
    rows = read(path)
    assert [(r.line, r.values) for r in rows] == [(2, ("P1", ("B", 4), -1050, True)), (4, (None,))]
    assert rows[0].extras == {"x_note": f'two{ending}lines, "quoted"'}


def test_csv_compressed_keeps_its_manifest(tmp_path: Path) -> None:
    data = (NAMES + "\nKea,1,1,1,skipper,depart,,,,,\n").encode()
    put_csv(tmp_path / "day.csv", data, 1).unlink()
    put(tmp_path / "day.csv.gz", gzip.compress(data))
    file, rows = exhausted(tmp_path / "day.csv.gz")
    assert len(rows) == 1
    assert file.digest == file.sealed


def test_csv_columns_in_any_order_and_only_those_needed(tmp_path: Path) -> None:
    data = b"event,actor,seq,crossing,tide,boat\ndepart,skipper,1,1,1,Kea\n"
    assert read(put_csv(tmp_path / "day.csv", data, 1))[0].event == "depart"


def test_memory_is_flat(tmp_path: Path) -> None:
    path = put(tmp_path / "day.jsonl", log(*[row(n, crossing=n // 10 + 1) for n in range(30_000)]))
    with open_log(path, SCHEMA) as file:
        rows = file.rows()
        next(rows)
        tracemalloc.start()
        count = 1 + sum(1 for _ in rows)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert count == 30_000
    assert peak < 2 << 20


def test_files_and_folders_sorted(tmp_path: Path) -> None:
    (tmp_path / "b" / "c").mkdir(parents=True)
    put(tmp_path / "b" / "c" / "2.jsonl", log(row(1)))
    put(tmp_path / "b" / "1.jsonl.gz", gzip.compress(log(row(1))))
    put_csv(tmp_path / "b" / "3.csv", (NAMES + "\n").encode(), 0)
    put(tmp_path / "b" / ".hidden", b"")
    put(tmp_path / "a.yaml", b"ruleset: ferry/strait-1990\nevents: [skipper depart]\n")
    names = []
    for file in open_logs([tmp_path / "b", tmp_path / "a.yaml"], SCHEMA):
        names.append((Path(file.name).name, file.format, len(list(file.rows()))))
    assert names == [
        ("a.yaml", "yaml", 1),
        ("1.jsonl.gz", "jsonl", 1),
        ("3.csv", "csv", 0),
        ("2.jsonl", "jsonl", 1),
    ]


def test_rows_only_once(tmp_path: Path) -> None:
    file, _ = exhausted(put(tmp_path / "day.jsonl", log(row(1))))
    with pytest.raises(ValueError, match="were read already"):
        next(file.rows())


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda folder: put(folder / "notes.txt", b""), "log-stray"),
        (lambda folder: (folder / "link").symlink_to(folder.parent), "log-link"),
        (lambda folder: (folder / "day.jsonl").unlink(), "no-logs"),
    ],
)
def test_folders_that_are_refused(make: Any, code: str, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    put(folder / "day.jsonl", log(row(1)))
    make(folder)
    with pytest.raises(RequestError) as caught:
        find_logs([folder])
    assert caught.value.problem.code == code


class Failing(io.BytesIO):
    """A medium that fails where its good bytes end."""

    def read(self, size: int | None = -1, /) -> bytes:
        piece = super().read(size)
        if not piece:
            raise OSError(errno.EIO, "Input/output error")
        return piece


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
@pytest.mark.parametrize("share", [0, 0.5])
def test_a_log_that_breaks_off_in_the_reading(pack: Any, share: float) -> None:
    data = pack(log(*(row(n) for n in range(1, 200))))
    with pytest.raises(RequestError) as caught:
        list(open_stream("day.jsonl", Failing(data[: int(len(data) * share)]), SCHEMA).rows())
    problem = caught.value.problem
    assert (problem.code, problem.file) == ("log-unreadable", "day.jsonl")
    assert problem.message == "the log cannot be read: input/output error"


def test_requests_that_are_refused(tmp_path: Path) -> None:
    path = put(tmp_path / "day.jsonl", log(row(1)))
    with pytest.raises(RequestError) as caught:
        find_logs([path, tmp_path])
    assert caught.value.problem.code == "log-named-twice"
    with pytest.raises(RequestError) as caught:
        open_log(tmp_path / "none.jsonl", SCHEMA)
    assert caught.value.problem.code == "log-unreadable"
    with pytest.raises(RequestError) as caught:
        next(open_logs([path, put(tmp_path / "2.jsonl", log())], SCHEMA, manifest="m.json"))
    assert caught.value.problem.code == "manifest-of-many"
    with pytest.raises(RequestError) as caught:
        find_logs([])
    assert caught.value.problem.code == "no-logs"


def test_formats_told_by_their_first_bytes(tmp_path: Path) -> None:
    assert len(read(put(tmp_path / "day", gzip.compress(log(row(1)))))) == 1
    with pytest.raises(LogError) as caught:
        read(put(tmp_path / "other", b"boat,tide"))
    assert caught.value.problem.code == "log-format"
    assert caught.value.problem.help == "state the format: csv, jsonl, parquet, yaml"


class OneByOne(io.RawIOBase):
    """A stream that gives one byte at a time, as a slow pipe may."""

    def __init__(self, data: bytes) -> None:
        self.inner = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self.inner.read(1)
        buffer[: len(piece)] = piece
        return len(piece)


@pytest.mark.parametrize("compress", [lambda data: data, gzip.compress, zstandard.compress])
def test_a_slow_stream(compress: Any) -> None:
    twice = log(*[row(n) for n in range(20)])
    data = b"".join(compress(part) for part in (twice[:70], twice[70:]))
    stream: Any = OneByOne(data)
    with open_stream("slow", stream, SCHEMA) as file:
        assert len(list(file.rows())) == 20


@pytest.mark.parametrize("name", ["day.jsonl", "day.jsonl.gz", "day.csv", "day.parquet", "day.yaml"])
def test_standard_input(name: str, tmp_path: Path) -> None:
    data, options = b"", ""
    if name.startswith("day.jsonl"):
        data = log(row(1))
        data = gzip.compress(data) if name.endswith("gz") else data
    elif name == "day.yaml":
        data, options = b"ruleset: ferry/strait-1990\nevents: [skipper depart]\n", "'yaml'"
    elif name == "day.csv":
        path = put_csv(tmp_path / name, (NAMES + "\nKea,1,1,1,skipper,depart,,,,,\n").encode(), 1)
        data, options = path.read_bytes(), f"'csv', manifest={str(path) + '.manifest.json'!r}"
    else:
        from log_ferry import TYPED

        from verifier.log.write import write_parquet

        write_parquet(tmp_path / name, SCHEMA, TYPED, [row(1)])
        data = (tmp_path / name).read_bytes()
        options = f"manifest={str(tmp_path / name) + '.manifest.json'!r}"
    script = (
        f"import sys; sys.path[:0] = {[str(Path(__file__).parent), *sys.path]!r}\n"
        "from log_ferry import SCHEMA\nfrom verifier.log.sources import open_log\n"
        f"log = open_log('-', SCHEMA, {options})\nprint(log.name, len(list(log.rows())), log.complete)\n"
    )
    run = subprocess.run([sys.executable, "-c", script], input=data, capture_output=True, check=False)
    assert run.stdout.decode() == "<standard input> 1 True\n", run.stderr.decode()


def test_nothing_heavy_is_imported() -> None:
    script = (
        f"import sys; sys.path[:0] = {sys.path!r}\nimport verifier.log.sources, verifier.log.write\n"
        "print(sorted({'pyarrow', 'yaml', 'zstandard', 'duckdb', 'jsonschema'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert run.stdout.decode().strip() == "[]"


def test_a_manifest_by_parameter(tmp_path: Path) -> None:
    path = put_csv(tmp_path / "day.csv", (NAMES + "\n").encode(), 0)
    moved = tmp_path / "elsewhere.json"
    (tmp_path / "day.csv.manifest.json").rename(moved)
    assert read(path, manifest=moved) == []
    assert json.loads(moved.read_text())["events"] == 0
