"""JSON Lines that must be refused: each with file, line, field, what was found, what was expected."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
import zstandard
from log_ferry import HEADER, SCHEMA, body, line, log, refusal, row, trailer

from verifier.log.limits import Limits
from verifier.log.schema import CORRECTION

ONE = row(1)


def raw(text: str) -> bytes:
    """A second row whose fare is written as `text`."""
    return line(row(2, fare="@")).replace(b'"@"', text.encode())


def fields(text: str) -> bytes:
    """A second row with `text` before its closing brace."""
    return line(row(2)).replace(b"}", b", " + text.encode() + b"}")


def correction(seq: int, corrects: int, **changes: object) -> dict[str, object]:
    basic = row(
        seq, CORRECTION, actor="purser", corrects=corrects, corrected_event="moor", corrected_actor="skipper"
    )
    return {name: value for name, value in (basic | changes).items() if value is not None}


# id: (bytes, code, line, field, found, expected); None as field: the line as a whole.
CASES: dict[str, tuple[bytes, str, int | None, str | None, str, str]] = {
    "bad UTF-8": (
        log(ONE, raw('"\\x"').replace(b"\\x", b"\xff\xfe")),
        "log-encoding",
        3,
        None,
        "ff fe",
        "UTF-8",
    ),
    "overlong UTF-8": (log(raw('"@"').replace(b"@", b"\xc0\x80")), "log-encoding", 2, None, "c0 80", "UTF-8"),
    "encoded surrogate": (
        log(raw('"@"').replace(b"@", b"\xed\xa0\x80")),
        "log-encoding",
        2,
        None,
        "ed a0",
        "UTF-8",
    ),
    "BOM": (
        b"\xef\xbb\xbf" + log(ONE),
        "log-encoding",
        1,
        None,
        "byte order mark of UTF-8",
        "without a byte order",
    ),
    "UTF-16": (
        log(ONE).decode().encode("utf-16"),
        "log-encoding",
        1,
        None,
        "UTF-16",
        "without a byte order mark",
    ),
    "NaN": (log(ONE, raw("NaN")), "log-number", 3, "fare", "found NaN", "a whole number of minor units"),
    "Infinity": (log(ONE, raw("-Infinity")), "log-number", 3, "fare", "found -Infinity", "whole number"),
    "1e3": (log(ONE, raw("1e3")), "log-number", 3, "fare", "found 1e3", "whole number"),
    "10.5": (log(ONE, raw("10.5")), "log-number", 3, "fare", "found 10.5", "whole number"),
    "10.0": (log(ONE, raw("10.0")), "log-number", 3, "fare", "found 10.0", "whole number"),
    "text for money": (log(ONE, raw('"500"')), "log-kind", 3, "fare", 'found "500"', "whole number"),
    "true for money": (log(ONE, raw("true")), "log-kind", 3, "fare", "found true", "whole number"),
    "a list for money": (log(ONE, raw("[500]")), "log-kind", 3, "fare", "found a list of 1", "whole number"),
    "2^63": (log(ONE, raw(str(2**63))), "log-range", 3, "fare", str(2**63), "64 bits"),
    "-2^63-1": (log(ONE, raw(str(-(2**63) - 1))), "log-range", 3, "fare", str(-(2**63) - 1), "64 bits"),
    "5000 digits": (log(ONE, raw("7" * 5000)), "log-number", 3, "fare", "777", "64 bits"),
    "negative zero": (log(ONE, raw("-0")), "log-number", 3, "fare", "found -0", "whole number"),
    "a leading zero": (log(ONE, raw("007")), "log-syntax", 3, "fare", "leading zero", "plain decimal"),
    "a plus sign": (log(ONE, raw("+7")), "log-syntax", 3, "fare", "+7", "JSON"),
    "hexadecimal": (log(ONE, raw("0x10")), "log-syntax", 3, "fare", "x10", "JSON"),
    "equal keys": (log(ONE, fields('"fare": 2')), "log-duplicate-key", 3, "fare", "twice", "each field once"),
    "equal keys, escaped": (
        log(fields('"f\\u0061re": 2')),
        "log-duplicate-key",
        2,
        "fare",
        "twice",
        "each field once",
    ),
    "two objects": (
        log(ONE, line(row(2))[:-1] + line(row(3))),
        "log-syntax",
        3,
        None,
        "more after",
        "one object",
    ),
    "a blank line": (log(ONE, b"\n"), "log-line", 3, None, "a blank line", "a JSON object"),
    "a line of spaces": (log(ONE, b"  \t\n"), "log-line", 3, None, "a blank line", "a JSON object"),
    "CR LF": (log(ONE, line(row(2))[:-1] + b"\r\n"), "log-line", 3, None, "CR LF", "end with LF"),
    "a list": (log(ONE, b"[1, 2]\n"), "log-syntax", 3, None, "a list of 2", "a JSON object"),
    "a cut line": (log(ONE, b'{"boat": "Kea", "ti\n'), "log-syntax", 3, None, "ti", "JSON"),
    "a cut object": (
        log(ONE, b'{"boat": "Kea",\n'),
        "log-syntax",
        3,
        None,
        "end of the line",
        "rest of the object",
    ),
    "single quotes": (log(ONE, b"{'boat': 'Kea'}\n"), "log-syntax", 3, None, "'boat'", "JSON"),
    "a comment": (log(ONE, b"// rows\n"), "log-syntax", 3, None, "// rows", "JSON"),
    "a raw tab in text": (log(fields('"x_a": "\t"')), "log-syntax", 2, "x_a", "\\t", "escapes"),
    "a missing field": (
        log(ONE, row(2, fare=None)),
        "log-missing-field",
        3,
        "fare",
        "found nothing",
        "whole number",
    ),
    "a null field": (log(ONE, raw("null")), "log-missing-field", 3, "fare", "found nothing", "whole number"),
    "a missing life": (log(row(1, tide=None)), "log-missing-field", 2, "tide", "found nothing", "1 or more"),
    "a missing seq": (
        log(line(row(1)).replace(b'"seq": 1, ', b"")),
        "log-missing-field",
        2,
        "seq",
        "nothing",
        "0 or",
    ),
    "a missing event": (
        log(row(1) | {"event": None}),
        "log-missing-field",
        2,
        "event",
        "nothing",
        "kind of event",
    ),
    "an unknown field": (
        log(ONE, fields('"fair": 2')),
        "log-unknown-field",
        3,
        "fair",
        "found 2",
        "no such field",
    ),
    "another's field": (
        log(fields('"delay": 2')),
        "log-unknown-field",
        2,
        "delay",
        "found 2",
        "no such field in board",
    ),
    "a wrong word": (
        log(row(1, "weather", actor="skipper", sea="calmm")),
        "log-enumeration",
        2,
        "sea",
        '"calmm"',
        "one of calm",
    ),
    "a seat no boat has": (log(ONE, row(2, seat="D4")), "log-written", 3, "seat", '"D4"', "deck A to C"),
    "a number for a seat": (log(ONE, row(2, seat=4)), "log-kind", 3, "seat", "found 4", "text such as B4"),
    "a gap in seq": (log(ONE, row(3)), "log-seq", 3, "seq", "found 3", "expected 2, the next at boat"),
    "a repeat in seq": (log(ONE, row(1)), "log-seq", 3, "seq", "found 1", "expected 2"),
    "a negative seq": (log(row(-1)), "log-range", 2, "seq", "found -1", "0 or more"),
    "a seq of more than 64 bits": (
        log(row(2**63)),
        "log-range",
        2,
        "seq",
        "found 9223372036854775808",
        "of at most 64 bits, 0 or more",
    ),
    "a gap at the other boat": (
        log(ONE, row(7, boat="Tui"), row(2), row(9, boat="Tui")),
        "log-seq",
        5,
        "seq",
        "found 9",
        'boat "Tui"',
    ),
    "a life of a wrong type": (log(row(1, boat=7)), "log-kind", 2, "boat", "found 7", "an identifier"),
    "a life out of range": (log(row(1, crossing=0)), "log-range", 2, "crossing", "found 0", "1 or more"),
    "an unknown event": (log(row(1, "bord")), "log-unknown-event", 2, "event", '"bord"', "a kind of event"),
    "an event of a wrong type": (
        log(row(1) | {"event": ["board"]}),
        "log-kind",
        2,
        "event",
        "a list",
        "kind of event",
    ),
    "an unknown actor": (
        log(row(1, actor="captain")),
        "log-enumeration",
        2,
        "actor",
        '"captain"',
        "one of purser",
    ),
    "a lone surrogate": (
        log(raw('"@"').replace(b"@", b"\\ud83d")),
        "log-kind",
        2,
        "fare",
        "\\ud83d",
        "whole number",
    ),
    "a lone surrogate id": (
        log(row(1, passenger="\ud83d")),
        "log-text",
        2,
        "passenger",
        "\\ud83d",
        "identifier",
    ),
    "a control character": (
        log(row(1, passenger="a\x1b[2J")),
        "log-text",
        2,
        "passenger",
        "a\\x1b[2J",
        "identifier",
    ),
    "a NUL": (log(row(1, passenger="a\x00")), "log-text", 2, "passenger", "a\\x00", "identifier"),
    "a bidi override": (
        log(row(1, passenger="a\u202eb")),
        "log-text",
        2,
        "passenger",
        "a\\u202eb",
        "visible",
    ),
    "a decomposed id": (
        log(row(1, passenger="e\u0301")),
        "log-text",
        2,
        "passenger",
        "e\u0301",
        "identifier",
    ),
    "a space at the end": (log(row(1, passenger="P1 ")), "log-text", 2, "passenger", '"P1 "', "identifier"),
    "an empty id": (log(row(1, passenger="")), "log-text", 2, "passenger", 'found ""', "1 to 64"),
    "an id too long": (log(row(1, passenger="P" * 65)), "log-text", 2, "passenger", "PPP", "1 to 64"),
    "a nested extra": (log(fields('"x_a": {"b": 1}')), "log-kind", 2, "x_a", "a mapping with b", "text"),
    "a fraction in an extra": (log(fields('"x_a": 0.5')), "log-kind", 2, "x_a", "0.5", "text"),
    "a nested bomb": (
        log(ONE, b'{"a":' + b"[" * 5000 + b"\n"),
        "log-depth",
        3,
        None,
        "nested over 8",
        "flat",
    ),
    "an empty file": (b"", "log-empty", None, None, "an empty file", "a header"),
    "no header": (line(ONE), "log-header", 1, "gazette-log", "without gazette-log", "the header"),
    "two headers": (log(ONE, line(HEADER)), "log-syntax", 3, "gazette-log", "a second header", "a row"),
    "no trailer": (body(ONE), "log-trailer", 2, None, "the end of the file", "the trailer"),
    "no last line break": (log(ONE)[:-1], "log-line", 3, None, "without a line break", "end with LF"),
    "a wrong digest": (log(ONE).replace(b"P1", b"P2"), "log-digest", 3, "sha256", '"', "the log's digest"),
    "a wrong count": (body(ONE) + trailer(body(ONE), 2), "log-count", 3, "events", "found 2", "expected 1"),
    "a count of a wrong type": (
        body(ONE) + trailer(body(ONE)).replace(b'"events": 1', b'"events": true'),
        "log-trailer",
        3,
        "events",
        "found true",
        "count of rows",
    ),
    "a trailer of another kind": (
        body(ONE) + b'{"gazette-log-end": 1}\n',
        "log-trailer",
        3,
        "gazette-log-end",
        "found 1",
        '"sha256"',
    ),
    "a trailer with more": (
        body(ONE) + trailer(body(ONE)).replace(b"}}", b'}, "by": 1}'),
        "log-trailer",
        3,
        "by",
        "found 1",
        "nothing but",
    ),
    "rows after the trailer": (
        log(ONE) + line(row(2)),
        "log-trailer",
        4,
        None,
        "a line after it",
        "nothing after",
    ),
    "a correction of another round": (
        log(ONE, row(2, crossing=2), correction(3, 1, crossing=2)),
        "log-correction",
        4,
        "corrects",
        "found 1",
        "same round",
    ),
    "a correction after its round": (
        log(ONE, row(2, crossing=2), correction(3, 1)),
        "log-correction",
        4,
        "corrects",
        "found 1",
        "same round",
    ),
    "a correction of a correction": (
        log(ONE, correction(2, 1), correction(3, 2)),
        "log-correction",
        4,
        "corrects",
        "itself a correction",
        "same round",
    ),
    "a correction of what comes later": (
        log(ONE, correction(2, 3), row(3)),
        "log-correction",
        3,
        "corrects",
        "found 3",
        "earlier row",
    ),
    "a correction under another tide": (
        log(ONE, correction(2, 1, tide=2)),
        "log-correction",
        3,
        "corrects",
        "whose lives are others",
        "same life keys",
    ),
    "a correction without its event": (
        log(ONE, correction(2, 1, corrected_event=None)),
        "log-missing-field",
        3,
        "corrected_event",
        "nothing",
        "event",
    ),
    "a correction with half a row": (
        log(ONE, correction(2, 1, corrected_event="board", passenger="P1", seat="A1")),
        "log-missing-field",
        3,
        "fare",
        "nothing",
        "whole number",
    ),
    "corrects outside a correction": (
        log(fields('"corrects": 1')),
        "log-unknown-field",
        2,
        "corrects",
        "found 1",
        "but in a correction",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_refused(case: str, tmp_path: Path) -> None:
    data, code, number, field, found, expected = CASES[case]
    path = tmp_path / "day.jsonl"
    path.write_bytes(data)
    problem = refusal(path)[0]
    assert (problem.code, problem.file, problem.line) == (code, str(path), number), problem
    said_found, _, said_expected = problem.message.partition(", expected ")
    if field is not None:
        assert problem.message.startswith(f"field {field}: found ")
    else:
        assert problem.message.startswith("found ")
    assert found.removeprefix("found ") in said_found.split("found ", 1)[1], problem.message
    assert expected.removeprefix("expected ") in said_expected, problem.message
    assert problem.message.isprintable()


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 40


@pytest.mark.parametrize(
    ("name", "data", "code", "found"),
    [
        (
            "truncated gzip",
            gzip.compress(log(ONE), mtime=0)[:-6],
            "log-compression",
            "gzip data that ends in the middle",
        ),
        (
            "cut gzip",
            gzip.compress(log(ONE), mtime=0)[:40],
            "log-compression",
            "gzip data that ends in the middle",
        ),
        (
            "gzip with garbage",
            gzip.compress(log(ONE), mtime=0) + b"garbage",
            "log-compression",
            "67 61 72 62",
        ),
        ("gzip with zeros", gzip.compress(log(ONE), mtime=0) + b"\0\0", "log-compression", "00 00"),
        ("gzip with half a magic", gzip.compress(log(ONE), mtime=0) + b"\x1f", "log-compression", "1f"),
        (
            "damaged gzip",
            gzip.compress(log(ONE), mtime=0)[:-8] + b"\0" * 8,
            "log-compression",
            "damaged gzip",
        ),
        ("truncated zstd", zstandard.compress(log(ONE))[:-3], "log-compression", "zstd data that ends"),
        ("zstd with garbage", zstandard.compress(log(ONE)) + b"garbage", "log-compression", "67 61 72 62"),
        ("damaged zstd", zstandard.compress(log(ONE))[:8] + b"\xff" * 40, "log-compression", "damaged zstd"),
    ],
)
def test_refused_compression(name: str, data: bytes, code: str, found: str, tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    path.write_bytes(data)
    problem = refusal(path)[0]
    assert problem.code == code, name
    assert found in problem.message, name
    assert "expected" in problem.message


def test_a_name_that_claims_a_compression(tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl.gz"
    path.write_bytes(log(ONE))
    assert "expected gzip data, as the name says" in refusal(path)[0].message


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_a_bomb_without_lines(compress: object, tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    assert callable(compress)
    path.write_bytes(compress(b" " * (64 << 20)))
    problem = refusal(path)[0]
    assert problem.code == "log-limit"
    assert problem.line == 1
    assert "8388608 bytes" in problem.message


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_a_bomb_of_lines(compress: object, tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    assert callable(compress)
    line_of_spaces = line(row(1))[:-2] + b" " * 100_000 + b"}\n"
    path.write_bytes(
        compress(body(*[line_of_spaces.replace(b'"seq": 1', b'"seq": %d' % n) for n in range(60)]))
    )
    problem = refusal(path, limits=Limits(inflated_free=1 << 20, inflation=10))[0]
    assert problem.code == "log-limit"
    assert "compressed bytes that grow" in problem.message


def test_a_line_over_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    path.write_bytes(body(ONE) + b'{"x_a": "' + b"a" * (100 << 20) + b'"}\n')
    problem = refusal(path)[0]
    assert (problem.code, problem.line) == ("log-limit", 3)
    assert problem.excerpt is None


def test_all_faults_of_one_row_are_reported_and_no_other_row(tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    path.write_bytes(log(row(1, boat=7, fare=True, seat="Z"), row(1)))
    problems = refusal(path)
    assert [(problem.line, problem.message.split(":")[0]) for problem in problems] == [
        (2, "field boat"),
        (2, "field seat"),
        (2, "field fare"),
    ]


def test_at_most_twenty_faults(tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    path.write_bytes(log(row(1, **{f"f{n}": n for n in range(30)})))
    assert len(refusal(path)) == 20


def test_the_caret_stands_under_the_value(tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    path.write_bytes(log(ONE, raw("10.5")))
    problem = refusal(path)[0]
    assert problem.excerpt is not None
    assert problem.column is not None
    assert problem.excerpt[problem.column - 1 :][: problem.width] == "10.5"


def test_too_many_rows_in_one_round(tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    path.write_bytes(log(*[row(n) for n in range(1, 12)]))
    problem = refusal(path, limits=Limits(held=10))[0]
    assert problem.code == "log-limit"
    assert problem.line == 12


def test_too_many_tables(tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    path.write_bytes(log(*[row(1, boat=f"B{n}") for n in range(6)]))
    problem = refusal(path, limits=Limits(tables=5))[0]
    assert problem.code == "log-limit"
    assert problem.line == 7


def test_the_schema_is_what_the_cases_are_about() -> None:
    assert SCHEMA.table is SCHEMA.lives[0]
    assert SCHEMA.round is SCHEMA.lives[2]
