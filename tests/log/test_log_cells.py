"""Plain lines to columns: what is read is what a reader of lines reads, and what is not plain is left to others."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.log import cells
from verifier.log.cells import NUMBER, TEXT, TRUTH, WORD, Cells
from verifier.log.faults import RefusedError
from verifier.log.jsontext import parse_object
from verifier.log.limits import LIMITS
from verifier.log.values import untext

COLUMNS = [("n", NUMBER), ("yes", TRUTH), ("word", WORD), ("at", TEXT), ("other_word", WORD)]
KINDS: dict[int, Any] = {NUMBER: int, TRUTH: bool, WORD: str, TEXT: str}

ROWS: list[dict[str, Any]] = [
    {"n": 1, "yes": True, "word": "a", "at": "x", "other_word": "a longer text, with a comma"},
    {"n": -999999999999999999, "word": "b"},
    {"yes": False, "at": "a longer text"},
    {"n": 0, "word": "a", "other_word": "Zoë"},
    {"word": "a longer text, with a comma", "at": "x", "n": 10**17},
]
LINES = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS).encode()
TABLE = io.StringIO()
csv.writer(TABLE, lineterminator="\n").writerows(
    [
        [str(row.get(name, "")).replace("True", "true").replace("False", "false") for name, _ in COLUMNS]
        for row in ROWS
    ]
)
RECORDS = TABLE.getvalue().encode()


def rows_of(found: dict[str, Any] | None) -> list[dict[str, Any]] | None:
    if found is None:
        return None
    columns = [array.to_pylist() for array in found.values()]
    return [
        {n: v for n, v in zip(found, row, strict=True) if v is not None} for row in zip(*columns, strict=True)
    ]


def by_line(block: bytes) -> list[dict[str, Any]]:
    """What the reader of lines reads of JSON. Raises what it raises."""
    found = [parse_object(line.decode(), LIMITS) for line in block.split(b"\n")[:-1]]
    kinds = dict(COLUMNS)
    for fields in found:
        for name, value in fields.items():
            assert value is None or type(value) is KINDS[kinds[name]]
    return [{name: value for name, value in fields.items() if value is not None} for fields in found]


def by_record(block: bytes) -> list[dict[str, Any]]:
    """What the csv module reads, each cell as what its column holds."""
    found: list[dict[str, Any]] = []
    for record in csv.reader(io.StringIO(block.decode(), newline=""), strict=True):
        fields: dict[str, Any] = {}
        for (name, kind), text in zip(COLUMNS, record, strict=True):
            if text:
                value: object = text
                if kind in (NUMBER, TRUTH):
                    value = untext("integer" if kind == NUMBER else "boolean", text)
                assert type(value) is KINDS[kind]
                fields[name] = value
        found.append(fields)
    return found


def test_plain_lines_are_read() -> None:
    assert rows_of(Cells(COLUMNS).json(LINES)) == ROWS
    assert rows_of(Cells(COLUMNS).json(LINES.replace(b": ", b":").replace(b', "', b',"'))) == ROWS
    assert rows_of(Cells(COLUMNS).json(LINES.replace(b": ", b"  :  "))) == ROWS


def test_null_is_nothing() -> None:
    assert rows_of(Cells(COLUMNS).json(b'{"n": null, "word": null, "yes": null, "at": null}\n')) == [{}]


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_plain_records_are_read(ending: bytes) -> None:
    assert rows_of(Cells(COLUMNS).csv(RECORDS.replace(b"\n", ending), ending)) == ROWS
    assert Cells(COLUMNS).csv(RECORDS.replace(b"\n", ending), b"\n" if ending == b"\r\n" else b"\r\n") is None


def test_a_cell_that_nobody_looks_at() -> None:
    reader = Cells([("n", NUMBER), None, ("word", WORD)])
    assert rows_of(reader.csv(b"1,zzz,a\n2,,b\n", b"\n")) == [{"n": 1, "word": "a"}, {"n": 2, "word": "b"}]


TOLD: dict[bytes, list[str | None] | None] = {
    b'{"word": "a", "n": 1}\n': ["a"],
    b'{"n": 1, "word": "a"}\n{"no": null, "yes": true, "at": "word", "word":"b"}\n': ["a", "b"],
    b'{"words": "a"  ,  "wor": "b"}\n{"word": null}\n': [None, None],
    b'{"word": "Zo\xc3\xab"}\n': ["Zoë"],
    b'{"word": "a", whatever [{\x01\\ comes\n{"word": "b"\n': ["a", "b"],
    b'{"word": "' + b"a" * 40 + b'", "x": "' + b"b" * 100 + b'"}\n{"word": "b"}\n': ["a" * 40, "b"],
    b'{"word": 1}\n': None,
    b'{"word": "a\\n"}\n': None,
    b'{"x": "\\"", "word": "a"}\n': None,
    b'{"x": {"word": "b"}, "word": "a"}\n': None,
    b'{"x": ["word"], "word": "a"}\n': None,
    b' {"word": "a"}\n': None,
    b"{}\n": None,
    b"\n": None,
    b'{"word": "a\n{"word": "b"}\n': None,
    b'{"x": "a" "word": "b"}\n': None,
    b'{"word": "\xff"}\n': None,
}


@pytest.mark.parametrize("block", TOLD)
def test_one_text_of_each_line(block: bytes) -> None:
    found = Cells([("word", WORD)]).json_texts(block + b'{"wo', len(block))
    assert (None if found is None else found.to_pylist()) == TOLD[block]


CELLS: dict[bytes, list[str | None] | None] = {
    b"1,a,x\n2,b\n": ["a", "b"],
    b"1,a\r\n,\r\n": ["a", None],
    b'"1, 2","a"\n"","b",\n': ["a", "b"],
    b'1,a,"whatever\n2,b\n': ["a", "b"],
    b"1," + b"a" * 40 + b"," + b"b" * 100 + b"\n2,b\n": ["a" * 40, "b"],
    b'1,"a""b"\n': None,
    b'1,"a"b\n': None,
    b'1,a"b\n': None,
    b'"1""2",a\n': None,
    b'"1\n2",a\n': None,
    b"1\n": None,
    b"\n": None,
}


@pytest.mark.parametrize("block", CELLS)
def test_one_cell_of_each_record(block: bytes) -> None:
    found = Cells([None, ("word", WORD)]).csv_texts(block + b"3,c", len(block))
    assert (None if found is None else found.to_pylist()) == CELLS[block]


def test_one_block_after_another() -> None:
    reader = Cells(COLUMNS)
    for number in range(5):
        assert rows_of(reader.json(LINES)) == ROWS
        # What could not be told in between leaves nothing behind.
        assert reader.json(LINES + b'{"word": "left", "nobody": 1}\n') is None
        fresh = [{"word": f"w{number}", "n": number}]
        assert rows_of(reader.json(json.dumps(fresh[0]).encode() + b"\n")) == fresh


def test_many_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than there is room for in one block cannot be told; over several there is room anew."""
    reader = Cells(COLUMNS)
    many = [{"word": f"word {n}", "n": n} for n in range(3 * cells.MOST)]
    lines = [json.dumps(row).encode() + b"\n" for row in many]
    assert reader.json(b"".join(lines)) is None
    for start in range(0, len(many), cells.MOST // 3):
        part = slice(start, start + cells.MOST // 3)
        assert rows_of(reader.json(b"".join(lines[part]))) == many[part]
    long = [{"word": f"{n}" + "x" * 1000} for n in range(cells.TEXTS // 1000 + 1)]
    assert reader.json("".join(json.dumps(row) + "\n" for row in long).encode()) is None


PIECES = [
    b'"',
    b"{",
    b"}",
    b",",
    b":",
    b"[",
    b"]",
    b"\\",
    b" ",
    b"\n",
    b"\t",
    b"\r",
    b"\x00",
    b"\x7f",
    b"\xff",
    b"\xc3",
]
PIECES += [
    b"0",
    b"00",
    b"1",
    b"9" * 18,
    b"-",
    b"-0",
    b".5",
    b"e1",
    b"null",
    b"true",
    b"false",
    b"tru",
    b"nulls",
]
PIECES += [b'"n":', b'"n": 1, ', b'"word": "a"', "é".encode(), b"\xed\xa0\x80", b'""', b"\r\n"]
CHANGES = st.lists(
    st.tuples(st.integers(0, 400), st.integers(0, 4), st.sampled_from(PIECES)), min_size=1, max_size=3
)


def changed(data: bytes, changes: list[tuple[int, int, bytes]]) -> bytes:
    for at, gone, piece in changes:
        at %= len(data)
        data = data[:at] + piece + data[at + gone :]
    return data if data.endswith(b"\n") else data + b"\n"


@pytest.fixture(scope="module")
def reader() -> Cells:
    """As over the blocks of one file: what was read before changes nothing."""
    return Cells(COLUMNS)


@settings(max_examples=1_500, deadline=None)
@given(changes=CHANGES)
def test_lines_are_read_as_the_reader_of_lines_does(
    reader: Cells, changes: list[tuple[int, int, bytes]]
) -> None:
    block = changed(LINES, changes)
    found = rows_of(reader.json(block))
    if found is not None:
        try:
            assert by_line(block) == found
        except (RefusedError, UnicodeDecodeError) as error:
            raise AssertionError(block) from error


@settings(max_examples=1_500, deadline=None)
@given(changes=CHANGES)
def test_records_are_read_as_the_csv_module_does(
    reader: Cells, changes: list[tuple[int, int, bytes]]
) -> None:
    block = changed(RECORDS, changes)
    found = rows_of(reader.csv(block, b"\n"))
    if found is not None:
        assert by_record(block) == found
