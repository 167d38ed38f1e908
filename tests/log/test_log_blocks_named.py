"""JSON Lines by blocks under a casino's own names, with fields of its own and ignored ones: what lines give."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_ferry import SCHEMA, line, log, row
from test_log_batches import flat
from test_log_blocks import PIECES, put

from verifier.errors import LogError
from verifier.log import jsonblocks
from verifier.log.arrange import PLAIN, Arrange
from verifier.log.batches import batch_schema, typed_batches
from verifier.log.cells import COLUMNS, IGNORED, NAMES, NUMBER, Cells
from verifier.log.sources import open_log

MAP = Arrange(
    {"Schiff ⛴": "boat", "FARE": "fare", "badge": "x_clerk", "x_own": "x_own"},
    frozenset({"created by", "fare"}),
)
THEIRS = {ours: theirs for theirs, ours in MAP.names.items()}


def plain(fields: dict[str, Any]) -> bytes:
    """A line without escapes."""
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"


def theirs(fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {THEIRS.get(name, name): value for name, value in fields.items()} | more


def by_rows(path: Path, arrange: Arrange) -> list[tuple[object, ...]] | list[str]:
    try:
        with open_log(path, SCHEMA, arrange=arrange) as file:
            return [(r.line, r.lives, r.seq, r.actor, r.event, r.values[:1]) for r in file.rows()]
    except LogError as error:
        return [str(problem) for problem in error.problems]


def by_blocks(path: Path, arrange: Arrange) -> list[tuple[object, ...]] | list[str]:
    try:
        with open_log(path, SCHEMA, arrange=arrange) as file:
            assert file.columnar is not None
            found = list(typed_batches([file], SCHEMA, 3))
    except LogError as error:
        return [str(problem) for problem in error.problems]
    assert all(batch.data.schema == batch_schema(SCHEMA) for batch in found)
    return [
        (
            at,
            tuple(fields.get(life.name) for life in SCHEMA.lives),
            fields["seq"],
            fields["actor"],
            fields["event"],
            tuple(fields.get(name) for name in SCHEMA.events[str(fields["event"])].parameters[:1]),
        )
        for at, fields in sorted(flat(found))
    ]


ROWS = [
    theirs(row(1), badge="K3", x_note="ä", **{"created by": "batch 7"}),
    theirs(row(2), x_own=7, x_late=True, **{"created by": 1.5}),
    theirs(row(3), badge="K4", x_note="b", **{"created by": ["a", {"b": None}]}),
    theirs(row(4, concession=True), x_late=None, fare="ignored"),
    theirs(row(5), x_own=-3, x_late=False, fare=12),
]


@pytest.mark.parametrize("written", [line, plain])
@pytest.mark.parametrize("block", [1, 150, 1 << 20])
def test_names_of_their_own(
    block: int, written: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonblocks, "BLOCK", block)
    path = put(tmp_path, log(*map(written, ROWS)))
    found = by_blocks(path, MAP)
    assert found == by_rows(path, MAP)
    assert len(found) == len(ROWS)


BAD: dict[str, dict[str, Any]] = {
    "an empty text of their own": {"x_note": ""},
    "a control character": {"x_note": "\x7f"},
    "a fraction of their own": {"x_own": 1.5},
    "a list of their own": {"x_own": []},
    "over 64 bits": {"x_own": 2**63},
    "a field twice, under two names": {"boat": "Kea"},
    "one of their own twice, under two names": {"badge": "a", "x_clerk": "b"},
    "a field that there is not": {"FEE": 1},
    "a fare of text": {"FARE": "1050"},
}


@pytest.mark.parametrize("case", BAD)
def test_malformed_rows_are_refused_in_the_same_words(case: str, tmp_path: Path) -> None:
    path = put(tmp_path, log(*ROWS[:2], theirs(row(3)) | BAD[case], theirs(row(4)), theirs(row(5), FARE=1.5)))
    said = by_rows(path, MAP)
    assert isinstance(said[0], str)
    assert "1.5" not in said[0] or case == "a fraction of their own"
    assert by_blocks(path, MAP) == said


def test_a_column_under_its_own_name_though_it_has_another(tmp_path: Path) -> None:
    path = put(tmp_path, log(theirs(row(1)), row(2) | {"FARE": 3}, theirs(row(3))))
    assert by_blocks(path, MAP) == by_rows(path, MAP)


@settings(max_examples=150, deadline=None)
@given(changes=st.lists(st.tuples(st.integers(0, 900), st.integers(0, 3), PIECES), min_size=1, max_size=2))
def test_lines_and_blocks_agree_on_any_bytes(
    changes: list[tuple[int, int, bytes]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = b"".join(plain(fields) for fields in ROWS)
    for at, gone, piece in changes:
        at %= len(rows)
        rows = rows[:at] + piece + rows[at + gone :]
    path = put(tmp_path_factory.mktemp("named"), log(rows))
    assert by_blocks(path, MAP) == by_rows(path, MAP)


def test_fields_of_their_own_slow_nothing_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are read as plainly as columns are: nobody reads the lines one by one."""

    def never(self: object, block: bytes) -> Any:
        raise AssertionError("read by line")

    monkeypatch.setattr(jsonblocks._Blocks, "_by_line", never)
    rows = [row(n, **({"x_late": n, "x_note": "b"} if n > 40 else {}), x_shift="a") for n in range(1, 90)]
    path = put(tmp_path, log(*rows))
    assert len(by_blocks(path, PLAIN)) == len(rows)
    named = [plain(theirs(fields, **{"created by": n})) for n, fields in enumerate(rows)]
    assert len(by_blocks(put(tmp_path, log(*named)), MAP)) == len(rows)


@pytest.mark.parametrize("many", [39, 41, 300])
def test_many_fields_of_their_own(many: int, tmp_path: Path) -> None:
    rows = [row(n, **{f"x_{(n + i) % many}": i for i in range(5)}) for n in range(1, 120)]
    path = put(tmp_path, log(*rows))
    assert by_blocks(path, PLAIN) == by_rows(path, PLAIN)


def test_a_name_too_long_to_be_told_at_once(tmp_path: Path) -> None:
    arrange = Arrange({"b" * (NAMES + 1): "boat"})
    rows = [{"b" * (NAMES + 1) if name == "boat" else name: v for name, v in row(n).items()} for n in (1, 2)]
    path = put(tmp_path, log(*rows))
    assert by_blocks(path, arrange) == by_rows(path, arrange)
    assert len(by_rows(path, arrange)) == len(rows)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        *((b"1", True), (b"-12", True), (b'"a"', True), (b"true", True), (b"false", True), (b"null", True)),
        *(
            (b"1.5", False),
            (b"01", False),
            (b"[]", False),
            (b'"\\n"', False),
            (b"truth", False),
            (b"", False),
        ),
    ],
)
def test_what_nobody_looks_at_is_read_where_it_is_plain(value: bytes, plain: bool) -> None:
    cells = Cells([("n", NUMBER), ("other", IGNORED)])
    found = cells.json(b'{"n": 1}\n{"other": ' + value + b', "n": 2}\n')
    assert (found is not None) == plain
    if found is None:
        assert cells.unsure() == 1
    else:
        assert {name: array.to_pylist() for name, array in found.items()} == {"n": [1, 2]}


def test_there_is_room_for_columns() -> None:
    assert COLUMNS > jsonblocks.OWN + 60


@pytest.mark.parametrize("rows", [range(1, 9), range(3, 5)])
def test_half_a_letter_in_a_name_is_left_to_the_reader_of_lines(rows: range, tmp_path: Path) -> None:
    lines = [row(n, **({"x_\ud800": 1} if n in rows else {}), x_a="b") for n in range(1, 9)]
    path = put(tmp_path, log(*lines))
    assert by_blocks(path, PLAIN) == by_rows(path, PLAIN)
