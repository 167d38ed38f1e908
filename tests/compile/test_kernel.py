"""The kernel itself: its module's bytes and sections, what it gives up on, and what its marks say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from both_engines import compiled, judge

from verifier.check.engine import Prepared, prepare
from verifier.compile.columns import Encoder
from verifier.compile.kernel import Compiled, Kernel, Stop
from verifier.compile.marks import Mark
from verifier.compile.module import compile_program
from verifier.core.lower import lower
from verifier.log.header import Header
from verifier.log.rows import Row
from verifier.run.bench import effective_options

TESTS = Path(__file__).parents[1]
LIMIT = {"limit": 200}


@pytest.fixture(scope="module")
def pebbles() -> Prepared:
    return prepare(TESTS / "new_game" / "pebbles.rules")


def rows(*events: str) -> list[Row]:
    """Rows of one turn at a stall: `actor event value…`."""
    found: list[Row] = []
    turn = 1
    for seq, event in enumerate(events, 1):
        actor, name, *words = event.split()
        values = tuple(int(w) if w.isdigit() else w for w in words)
        found.append(Row("rows", seq, (1, turn), seq, None, actor, name, values))
        turn += name == "sweep"
    return found


LAID = ("guest lay ann white 100", "keeper call")
LAWFUL = (*LAID, "keeper draw white", "keeper pay ann white 100", "keeper sweep")


def run(ready: Prepared, *events: str) -> tuple[Kernel, Stop]:
    kernel = Kernel(compiled(ready), effective_options(ready.program, LIMIT))
    made = rows(*events)
    kernel.put(Encoder(kernel.module.inputs).columns(made))
    return kernel, kernel.run(0, len(made))


def test_the_same_ruleset_gives_the_same_bytes(pebbles: Prepared) -> None:
    assert compile_program(pebbles.program).wasm() == compile_program(lower(pebbles.ruleset)).wasm()


def sections(wasm: bytes) -> dict[str, object]:
    """Our own custom sections, read as JSON; others name functions."""
    found: dict[str, object] = {}
    at = 8
    while at < len(wasm):
        kind, at = wasm[at], at + 1
        size, at = _leb(wasm, at)
        if kind == 0:
            length, start = _leb(wasm, at)
            name = wasm[start : start + length].decode()
            if name.startswith("gazette."):
                found[name] = json.loads(wasm[start + length : at + size])
        at += size
    return found


def _leb(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            return value, at


def test_the_module_says_what_it_was_made_from(pebbles: Prepared) -> None:
    found = sections(compile_program(pebbles.program).wasm())
    assert set(found) == {"gazette.schema", "gazette.digests"}
    digests, schema = found["gazette.digests"], found["gazette.schema"]
    assert isinstance(digests, dict)
    assert isinstance(schema, dict)
    assert digests["ruleset_sha256"] == pebbles.ruleset.digest
    assert schema["events"] == list(pebbles.ruleset.events)
    assert {"event", "actor", "guest", "colour", "amount"} <= {column["name"] for column in schema["columns"]}


def test_a_lawful_turn_is_in_order(pebbles: Prepared) -> None:
    kernel, stop = run(pebbles, *LAWFUL)
    assert (stop.mark, stop.begun) == (Mark.NONE, len(LAWFUL))
    assert kernel.tallies()["5.2 [White]"] == 1


@pytest.mark.parametrize(
    ("events", "mark", "at", "rule"),
    [
        (("guest lay ann white 5",), Mark.FORBIDDEN, 0, "3.2"),
        ((*LAID, "guest lay ann white 100"), Mark.FORBIDDEN, 2, "3.3"),
        (("guest lay ann white 100", "keeper draw white"), Mark.LATE, 1, "4.1"),
        ((*LAID, "keeper draw white", "keeper pay ann white 50"), Mark.SETTLEMENT, 3, None),
        ((*LAID, "keeper draw white", "keeper collect ann white"), Mark.SETTLEMENT, 3, None),
        ((*LAID, "keeper pay ann white 100"), Mark.UNSURE, 2, None),
        ((*LAID, "keeper draw white", "keeper sweep"), Mark.LATE, 3, "5.5"),
        ((*LAID, "keeper draw white", "keeper draw white"), Mark.IMPOSSIBLE, 3, None),
        ((*LAID, "guest draw white"), Mark.FORBIDDEN, 2, "2.3"),
    ],
)  # fmt: skip
def test_a_fault_is_marked(
    pebbles: Prepared, events: tuple[str, ...], mark: Mark, at: int, rule: str | None
) -> None:
    stop = run(pebbles, *events)[1]
    assert (stop.mark, stop.at) == (mark, at)
    if rule is not None:
        assert stop.rule == rule


def test_a_marked_round_leaves_nothing_behind(pebbles: Prepared) -> None:
    kernel, stop = run(pebbles, *LAWFUL, *LAID, "keeper draw white", "keeper pay ann white 50")
    lawful = run(pebbles, *LAWFUL)[0]
    assert stop.begun == len(LAWFUL)
    assert kernel.tallies() == lawful.tallies()
    start, end = (at // 8 for at in kernel.layout.kept)
    assert list(kernel.cells())[start:end] == list(lawful.cells())[start:end]


def test_what_is_too_large_goes_to_the_interpreter(pebbles: Prepared) -> None:
    stop = run(pebbles, f"guest lay ann white {2**60}")[1]
    assert (stop.mark, stop.at) == (Mark.UNSURE, 0)


def test_more_than_there_is_room_for_goes_to_the_interpreter(
    pebbles: Prepared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More stakes than a kernel has rows; what comes after in other turns it judges again."""
    monkeypatch.setattr("verifier.compile.layout.ROWS", 3)
    small = Compiled.of(pebbles.program)
    guests = [f"g{i}" for i in range(5)]
    made = rows(*(f"guest lay {g} white 100" for g in guests), "keeper call", "keeper draw white",
                *(f"keeper pay {g} white 100" for g in guests), "keeper sweep", *LAWFUL)  # fmt: skip
    header = Header("a test", pebbles.ruleset.name, "NZD", 2, options=LIMIT)
    judged = judge(pebbles, [("many", header, made)], tmp_path, kernel=small)
    assert not judged.unlike
    assert (judged.explained, judged.sampled) == (1, 1)


MANY = [f"g{i}" for i in range(70)]
"""More guests than a number has bits, by which rows are told apart."""


def many(*last: str) -> tuple[str, ...]:
    """A turn of many stakes, of which all but the last are paid."""
    laid = (*(f"guest lay {g} white 100" for g in MANY), "keeper call", "keeper draw white")
    return (*laid, *(f"keeper pay {g} white 100" for g in MANY[:-1]), *last, "keeper sweep")


def test_rows_beyond_the_bits_are_judged_like_others(pebbles: Prepared, tmp_path: Path) -> None:
    made = rows(*many(f"keeper pay {MANY[-1]} white 100"), *LAWFUL)
    header = Header("a test", pebbles.ruleset.name, "NZD", 2, options=LIMIT)
    judged = judge(pebbles, [("many", header, made)], tmp_path)
    assert not judged.unlike
    assert judged.explained == 0
    assert not judged.other.entries_total


def test_what_is_owed_in_a_row_beyond_the_bits(pebbles: Prepared) -> None:
    stop = run(pebbles, *many())[1]
    assert (stop.mark, stop.rule) == (Mark.LATE, "5.5")


@pytest.mark.parametrize("guest", [MANY[0], MANY[-1]])
def test_a_loop_finds_every_row(pebbles: Prepared, guest: str) -> None:
    laid = [f"guest lay {g} white 100" for g in MANY]
    stop = run(pebbles, *laid, f"guest lay {guest} black 100")[1]
    assert (stop.mark, stop.at, stop.rule) == (Mark.FORBIDDEN, len(MANY), "3.3")


def test_what_is_known_of_a_row_is_forgotten_when_it_changes(pebbles: Prepared) -> None:
    laid = [f"guest lay {g} white 100" for g in MANY]
    again = [f"guest take_back {MANY[0]} white", f"guest lay {MANY[0]} white 100"]
    assert run(pebbles, *laid, *again)[1].mark == Mark.NONE
    stop = run(pebbles, *laid, *again, again[1])[1]
    assert (stop.mark, stop.rule) == (Mark.FORBIDDEN, "3.3")


def test_a_disagreement_is_our_fault(
    pebbles: Prepared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interpreter that finds nothing, where the kernel does, is reported, and the round saved."""
    from verifier.run.judge import Judge

    monkeypatch.setattr(Judge, "_prohibitions", lambda self, happening: [])
    header = Header("a test", pebbles.ruleset.name, "NZD", 2, options=LIMIT)
    judged = judge(pebbles, [("one", header, rows("guest lay ann white 5", *LAWFUL[1:]))], tmp_path)
    assert judged.other.exit_code == 4
    saved = json.loads((tmp_path / "gazette-disagreement-1.json").read_text("utf-8"))
    assert saved["seq"] == 1
    assert "3.2" in saved["what"]
    assert [row["event"] for row in saved["rows"]] == ["lay", "call", "draw", "pay", "sweep"]
    assert any("3.2" in said for said in judged.other.disagreements)
