"""What the bulk engine says was read is what the interpreter reads, though the kernel asks in an order of its own: a
round in which it asks for something new is judged by both."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from both_engines import Judged, comparable, compiled, judge, opened
from logs import SHIPPED, Log, ready, simulated, written

from verifier.check.bulk import BulkRun
from verifier.check.engine import check_logs
from verifier.check.options import read_settings, stated_options
from verifier.compile.columns import Encoder
from verifier.compile.kernel import Kernel, known_of
from verifier.compile.marks import Mark
from verifier.log.sources import open_log
from verifier.report.json import document_text
from verifier.run.bench import effective_options

NAME = "nz/blackjack-1998"
SIMULATED = SHIPPED if os.environ.get("AGREEMENT") == "0" else ("nz/roulette-1998", "uk/blackjack-1994")
"""They are slow to play; `benchmarks/agreement.py --whole` does the same with as many rounds as one likes."""

DEFINITION = "1.0 Blackjack"

EARLY = (
    "15.2-laid-by-the-dealer-kept",
    "8.2-ended-before-the-first-card-kept",
    "14.6-altered-in-time-kept",
    "3.1-only-box-kept",
)
"""Logs in which the kernel asks whether a hand is a blackjack, and the interpreter never comes to it."""


@cache
def logs() -> dict[str, Log]:
    return {log[0].removesuffix(".transcript.yaml"): log for log in written(NAME)}


def status(judged: Judged, address: str) -> tuple[str, str]:
    """Of a clause, as the interpreter and as the bulk engine tell it."""
    mine, theirs = (
        next(clause.status for clause in result.clauses if clause.address == address)
        for result in (judged.one, judged.other)
    )
    return mine, theirs


@pytest.mark.parametrize("name", EARLY)
def test_what_only_the_kernel_asks_is_not_read(name: str, tmp_path: Path) -> None:
    judged = judge(ready(NAME), [logs()[name]], tmp_path, sample=0)
    assert not judged.unlike
    assert status(judged, DEFINITION) == ("never exercised", "never exercised")


def test_what_both_ask_is_read(tmp_path: Path) -> None:
    judged = judge(ready(NAME), [logs()["5.1d-kept"]], tmp_path, sample=0)
    assert not judged.unlike
    assert status(judged, DEFINITION) == ("auxiliary", "auxiliary")


@pytest.mark.parametrize("name", SHIPPED)
def test_without_samples(name: str, tmp_path: Path) -> None:
    """No round is judged by both but for what it reads."""
    for log, _ in zip(written(name), range(24), strict=False):
        judged = judge(ready(name), [log], tmp_path, sample=0)
        assert not judged.unlike, (log[0], judged.unlike)


def test_what_is_known_is_not_asked_again(tmp_path: Path) -> None:
    log = simulated("nz/roulette-1998", 1, 60, tmp_path, faults=0)
    ours = ready("nz/roulette-1998")
    run = BulkRun(ours, read_settings(ours.ruleset, ()), False, 10, None, compiled=compiled(ours), sample=0)
    for file in opened([log]):
        run.file(file, None)
    assert run.result().rounds == 60
    assert 0 < run.news < 10
    assert not run.explained


def test_what_became_known_meanwhile_has_no_round_judged_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two tables at two seats run ahead at once; what stops both in their second round is known when the other's turn
    comes to go on."""
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    ours = ready("nz/roulette-1998")
    name, header, rows = simulated("nz/roulette-1998", 2, 12, tmp_path, faults=0)
    second = next(i for i, row in enumerate(rows) if row.lives[-1] != rows[0].lives[-1])
    other = [replace(row, lives=("another", *row.lives[1:])) for row in rows]
    first, rest = rows[: second + 1], [*rows[second + 1 :], *other]
    run = BulkRun(ours, read_settings(ours.ruleset, ()), False, 10, None, compiled=compiled(ours), sample=0)
    with run:
        for part, batch in ((first, len(first)), (rest, len(rest) + 1)):
            monkeypatch.setattr("verifier.check.bulk.BATCH", batch)
            for file in opened([(name, header, part)]):
                run.file(file, None)
        found = run.result()
    assert run.news > 1
    expected = check_logs(opened([(name, header, first), (name, header, rest)]), ours)
    assert comparable(found) == comparable(expected)


@pytest.mark.parametrize(("known", "mark"), [(None, Mark.NONE), ("nothing", Mark.READ), ("all", Mark.NONE)])
def test_a_run_stops_where_a_round_reads_what_is_not_known(known: str | None, mark: Mark) -> None:
    ours, (name, header, rows) = ready(NAME), logs()["5.1d-kept"]
    _, stated = stated_options(ours.ruleset, header, {}, name)
    kernel = Kernel(compiled(ours), effective_options(ours.program, stated))
    kernel.put(Encoder(kernel.module.inputs).columns(rows))
    if known is not None:
        kernel.sit().know(known_of(ours.ruleset.units if known == "all" else (), kernel.layout))
    stop = kernel.run(0, len(rows))
    assert (stop.mark, stop.begun) == (mark, 0 if mark else len(rows))


@pytest.mark.parametrize("name", SIMULATED)
def test_simulated_rounds_with_faults_have_one_answer(name: str, tmp_path: Path) -> None:
    """The whole answer as it is written: every clause with its status and counts, every entry and sum."""
    judged = judge(ready(name), [simulated(name, 3, 4, tmp_path, 1)], tmp_path, sample=0)
    assert document_text(judged.one) == document_text(judged.other)
    assert not judged.disagreements
    assert judged.one.entries


LEFT_OPEN = """ruleset: uk/blackjack-1994
options: {table_marked: true}
lives: {game: 2}
events:
- banker shuffle cards=208
- lives: {series: 2}
- player wager kind=initial player=P3 box=3 amount=100
- player wager kind=initial player=P2 box=7 amount=10
- banker deal hand=banker card=Qh
- banker deal hand=B7H1 card=8h
- banker deal hand=B7H1 card=5c
"""


def test_what_only_the_interpreter_asks_is_read(tmp_path: Path) -> None:
    """What the queen counts it asks before it sees that nothing hangs on it; the kernel would ask later in the round,
    which the log leaves open."""
    ours, path = ready("uk/blackjack-1994"), tmp_path / "open.yaml"
    path.write_text(LEFT_OPEN)
    with open_log(path, ours.binding.schema) as log:
        found = log.header, list(log.rows())
    judged = judge(ours, [("open", *found)], tmp_path, sample=0)
    assert not judged.unlike
    assert status(judged, "7(11)(c)") == ("auxiliary", "auxiliary")
