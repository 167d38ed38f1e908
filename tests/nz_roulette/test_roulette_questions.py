"""What can be under Division 8 (`reachable`), each in a round that plays there and breaks no rule on the way."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from roulette_rounds import HEADER, OPTIONS, ROUNDS, as_jsonl, fields, placed, ready

from verifier.check.engine import check_logs
from verifier.log.header import parse_header
from verifier.log.rows import Row, RowReader
from verifier.log.sources import open_stream
from verifier.prove.explore.evaluate import Asker
from verifier.prove.explore.snapshot import Runner
from verifier.prove.obligations.theorems import obligations
from verifier.run.bench import Happening, effective_options
from verifier.run.state import State

REACHED = {
    "a_number_straight_up_paid": ROUNDS["inside"],
    "a_group_with_0_when_0_is_spun": (
        "mark_group N5 0 4 15; w ann neighbour 5-5 100; spins; calls; rest 0; announce 0 green; place_dolly 0",
    ),
    "a_re_spin_with_a_result": ROUNDS["void and spun again"],
    "a_void_first_spin": ("w ann low 1-18 100; spins; hang_up; off; remove_ball no; rest 17",),
    "a_wager_modified": ROUNDS["modified"],
    "winnings_removed_early": ROUNDS["winnings removed"],
}

Fields = list[dict[str, object]]


def rows(scripts: tuple[str, ...]) -> Fields:
    return [fields(place, "T1", seq) for seq, place in enumerate(placed(scripts), 1)]


def played(lines: Fields) -> Iterator[State]:
    """The states after each row, as the interpreter makes them."""
    binding, program = ready().binding, ready().program
    header = parse_header(HEADER, binding.schema)
    reader, runner = RowReader("script", binding.schema, header), Runner(program)
    snapshot = runner.empty
    for number, line in enumerate(lines, 1):
        row = reader.read(line, number)
        assert isinstance(row, Row)
        happening = Happening(row.event, row.actor, binding.values(row.event, row.values, header))
        stepped = runner.step(snapshot, in_force(), happening)
        assert stepped is not None
        snapshot = stepped.snapshot
        yield snapshot.state


def in_force() -> dict[str, object]:
    """The options as the interpreter has them: `usual` is the first of the kinds of wheel."""
    return dict(effective_options(ready().program, {**OPTIONS, "wheel": 0}))


@pytest.mark.parametrize("name", REACHED)
def test_lawful_play_leads_there(name: str) -> None:
    lines = rows(REACHED[name])
    log = open_stream("log.jsonl", io.BytesIO(as_jsonl(HEADER, lines)), ready().binding.schema)
    assert check_logs([log], ready()).entries == ()
    (found,) = [o for o in obligations(ready().program) if o.id == f"reachable {name}"]
    assert found.question is not None
    asker = Asker(ready().program)
    assert any(asker.find(found.question, state, in_force()) is not None for state in played(lines))


def test_each_question_of_what_can_be_has_a_round() -> None:
    asked = {o.id.removeprefix("reachable ") for o in obligations(ready().program) if o.kind == "reachable"}
    assert asked == set(REACHED)
