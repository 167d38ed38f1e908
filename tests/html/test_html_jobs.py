"""Reports whose rounds are played by several processes: the same as by one, and no round lost in silence."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from html_pages import BRIDGE, crossing, log

from verifier.check import replays
from verifier.check.engine import Prepared
from verifier.check.opening import Logs
from verifier.check.played import Played, Wanted, play
from verifier.check.replays import Replays
from verifier.cli.app import run
from verifier.errors import InternalError, LogError
from verifier.report.html.check import Request, folder


def test_several_processes_write_the_same_report(
    bridge: Prepared, long_report: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = long_report.parent / "long.jsonl"
    assert path.stat().st_size > replays.SMALL
    forked = [0]

    def play(self: Replays, *given: Any) -> Any:
        forked[0] = self.shares
        return played(self, *given)

    played = Replays.play
    monkeypatch.setattr(Replays, "play", play)
    result = folder(Request((str(path),), "bridge"), bridge, tmp_path, jobs=3)
    assert forked == [3]
    assert result.entries_total == 303
    made = {p.relative_to(tmp_path): p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    assert made == {p.relative_to(long_report): p.read_bytes() for p in long_report.rglob("*") if p.is_file()}


def test_several_processes_play_tables_that_alternate_and_a_round_left_without_its_end(
    bridge: Prepared, tmp_path: Path
) -> None:
    # A round goes on to the end of the log, one is left where the next begins, one holds faults of two shares.
    rows: list[dict[str, Any]] = []
    for number in range(1, 41):
        for where in ("north", "south"):
            rows += crossing(number, 4 * number - 3, "ann", 50 + number, bridge=where)
    rows = [row for row in rows if row["crossing"] != 40 or row["event"] != "leave"]
    path = tmp_path / "long.jsonl"
    path.write_bytes(log(rows))
    wanted = [Wanted(n, str(path), n + 1, str(row["bridge"])) for n, row in enumerate(rows, 1)]
    alone = list(play(Logs([str(path)]), bridge, wanted))
    assert len(alone) == 80
    with Replays(Logs([str(path)]), bridge, jobs=3) as several:
        assert several.shares == 3
        shares = [[replace(one, draw=one.number % 3 == n) for one in wanted] for n in range(3)]
        assert list(several.play(shares, _as_it_is)) == alone


def test_a_check_as_one_page_is_drawn_by_several_processes(
    long_report: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares: list[int] = []

    def play(self: Replays, *given: Any) -> Any:
        shares.append(self.shares)
        return played(self, *given)

    played = Replays.play
    monkeypatch.setattr(Replays, "play", play)
    rules, path = str(BRIDGE / "bridge.rules"), str(long_report.parent / "long.jsonl")
    made = [tmp_path / f"{jobs}.html" for jobs in (1, 2)]
    for jobs, page in enumerate(made, 1):
        asked = ["check", path, "--rules", rules, "--format", "html", "--jobs", str(jobs), "-o", str(page)]
        assert run(asked) == 1
    assert shares == [1, 2]
    assert made[0].read_bytes() == made[1].read_bytes()


def _as_it_is(one: Played) -> Played:
    return one


def _ends(one: Played) -> Played:
    os._exit(1)


def test_a_process_that_dies_is_no_silent_loss(bridge: Prepared, long_report: Path) -> None:
    path = str(long_report.parent / "long.jsonl")
    with Replays(Logs([path]), bridge, jobs=2) as several:
        shares = [[Wanted(n, path, 3 + 4 * n, "north")] for n in range(2)]
        with pytest.raises(InternalError, match="ended before its time"):
            list(several.play(shares, _ends))


def test_what_a_process_raises_is_raised(bridge: Prepared, tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_bytes(log(crossing(1, 1, "ann", note=1) * 100))
    with Replays(Logs([str(path)]), bridge, jobs=2) as several:
        shares = [[Wanted(1, str(path), 3, "north")] for _ in range(2)]
        with pytest.raises(LogError, match="note"):
            list(several.play(shares, _as_it_is))


@pytest.mark.parametrize("jobs", [1, 2])
def test_no_more_rounds_are_drawn_than_were_asked_for(bridge: Prepared, tmp_path: Path, jobs: int) -> None:
    # The end of the first crossing is logged twice: what comes behind the first end is played on its own.
    rows = crossing(1, 1, "ann", 60)
    rows += [{**rows[-1], "seq": 5}]
    for number in range(2, 40):
        rows += crossing(number, 4 * number - 2, "ann", 60)
    path = tmp_path / "long.jsonl"
    path.write_bytes(log(rows))
    for most in (0, 1, 2, 3):
        into = tmp_path / f"{jobs} {most}"
        into.mkdir()
        folder(Request((str(path),), "bridge"), bridge, into, rounds=most, jobs=jobs)
        assert len(list((into / "rounds").iterdir())) == most
        assert "0004" not in (into / "faults.html").read_text("utf-8")


@pytest.mark.parametrize("jobs", [1, 2])
def test_rounds_of_rows_in_any_order_and_under_other_names_are_drawn(
    jobs: int, bridge: Prepared, tmp_path: Path
) -> None:
    rows: list[dict[str, Any]] = []
    for number in range(1, 31):
        rows += crossing(number, 4 * number - 3, "ann", 50 + number % 2)
    other = [{"who" if name == "actor" else name: value for name, value in row.items()} for row in rows]
    pages: list[dict[str, list[str]]] = []
    for name, mixed in (("plain", False), ("mixed", True)):
        (tmp_path / name).mkdir()
        path = tmp_path / name / "long.jsonl"
        path.write_bytes(log(other[::-1] if mixed else rows))
        columns = tmp_path / "map.yaml"
        columns.write_text("columns: {actor: who}\n", "utf-8")
        into = tmp_path / f"{name}-pages"
        into.mkdir()
        how: dict[str, Any] = {"columns": str(columns), "sort": True} if mixed else {}
        request = Request((str(path),), "bridge", **how)
        result = folder(request, bridge, into, jobs=jobs)
        assert result.entries_total
        pages.append(
            {
                page.name: re.findall(
                    r"<h\d[^>]*>.*?</h\d>|<svg.*?</svg>", page.read_text("utf-8"), re.DOTALL
                )
                for page in (into / "rounds").iterdir()
            }
        )
        front = (into / "index.html").read_text("utf-8")
        assert ("rows put in the order of record" in front) == mixed
        assert ("--columns" in front and "--sort" in front) == mixed
    assert pages[0] == pages[1]
    assert pages[0]
