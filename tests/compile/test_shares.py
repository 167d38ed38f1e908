"""Tables judged by several processes: the answer is that of one, to the last entry, and so are the refusals."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from both_engines import comparable
from logs import columns_of, in_turn, pieces, ready

import verifier.check.shares as shares
from verifier.check.disagree import Disagreement
from verifier.check.engine import check
from verifier.check.opening import opened
from verifier.check.result import CheckResult, Entry
from verifier.cli.app import run as gazette
from verifier.errors import InternalError, LogError, RequestError
from verifier.exits import Exit
from verifier.log.assemble import Columnar
from verifier.log.limits import LIMITS
from verifier.log.sources import LogFile
from verifier.log.write_arrow import write_batches
from verifier.simulate.simulate import simulate

NAME = "nz/roulette-1998"

BLACKJACK = "nz/blackjack-1998"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables one after the other, and in turn, with faults; in two files, where they go on from one to the other."""
    here = tmp_path_factory.mktemp("shares")
    apart = here / "apart.parquet"
    simulate(ready(NAME), apart, 40, seed=7, faults=0.3, key=here / "key", distinct=12, per_table=4, jobs=1)
    in_turn(NAME, apart, here / "turns.parquet", each=50)
    header, batch = columns_of(NAME, here / "turns.parquet")
    (here / "two").mkdir()
    half = batch.num_rows // 2
    for name, part in (("a", batch.slice(0, half)), ("b", batch.slice(half))):
        write(here / "two" / f"{name}.parquet", header, pieces(part, 50))
    return here


def write(path: Path, header: Any, batches: Sequence[Any], name: str = NAME) -> Path:
    write_batches(path, "parquet", ready(name).binding.schema, header, batches, lambda rows: None)
    return path


def logs_at(*paths: Path, name: str = NAME) -> Any:
    return partial(
        opened, paths, ready(name).binding.schema, None, manifest=None, any_ruleset=False, limits=LIMITS,
        columns=None, sort=False, query=None, database=None,
    )  # fmt: skip


def shared(
    *paths: Path,
    name: str = NAME,
    options: Mapping[str, object] | Sequence[str] = (),
    jobs: int = 3,
    **more: Any,
) -> CheckResult | None:
    given = {"progress": None, "strict": False, "keep": 10_000, "on_entry": None, "least": 0, **more}
    progress = given.pop("progress")
    return shares.check_shared(logs_at(*paths, name=name), ready(name), options, progress, jobs=jobs, **given)


@pytest.mark.parametrize("jobs", [2, 3, 64])
@pytest.mark.parametrize("log", ["apart.parquet", "turns.parquet", "two"])
def test_the_answer_of_one(folder: Path, log: str, jobs: int) -> None:
    seen: list[Entry] = []
    expected: CheckResult = check([folder / log], ready(NAME), engine="explain")
    found = shared(folder / log, jobs=jobs, on_entry=seen.append)
    assert found is not None
    assert comparable(found) == comparable(replace(expected, notes=found.notes))
    assert tuple(seen) == expected.entries
    assert expected.entries_total > 5


@pytest.mark.parametrize("keep", [0, 1, 4, 10_000])
def test_what_is_kept(folder: Path, keep: int) -> None:
    expected: CheckResult = check([folder / "two"], ready(NAME), engine="explain", keep=keep)
    found = shared(folder / "two", keep=keep)
    assert found is not None
    assert comparable(found) == comparable(expected)


def test_shares_are_of_tables_that_stand_together(folder: Path) -> None:
    asked = shares.Asked(logs_at(folder / "apart.parquet"), ready(NAME), {}, False, 0, False)
    one, other = shares.shares_of(asked, 2, 0)
    in_one, in_other = (set(share.having[1]) for share in (one, other))
    (file,) = one.files
    assert in_one | in_other == set(file.tables)
    assert not in_one & in_other
    assert max(file.tables[table] for table in in_one) < min(file.tables[table] for table in in_other)
    assert (
        sum(share.files[0].rows for share in (one,)) == check([folder / "apart.parquet"], ready(NAME)).events
    )


def test_rules_on_options_are_judged_once(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    ours = ready(BLACKJACK)
    simulate(ours, path, 6, seed=3, distinct=3, per_table=2, jobs=1)
    header, batch = columns_of(BLACKJACK, path)
    write(
        path,
        replace(header, options={**header.options, "decks": 4, "super_sevens_offered": True}),
        pieces(batch, 20),
        BLACKJACK,
    )
    expected: CheckResult = check([path], ours, engine="explain")
    found = shared(path, name=BLACKJACK)
    assert found is not None
    assert any(entry.lead.kind == "option" for entry in expected.entries)
    assert comparable(found) == comparable(expected)


def test_progress_goes_up_to_the_last_row(folder: Path) -> None:
    told: list[tuple[str, int]] = []
    found = shared(folder / "two", progress=lambda name, events: told.append((Path(name).name, events)))
    assert found is not None
    rows = [file.events for file in found.files]
    assert told[-1] == ("b.parquet", rows[1])
    assert told.index(("a.parquet", rows[0])) < told.index(("b.parquet", rows[1]))
    assert told == sorted(told)


# ------------------------------------------------------------------------------------------ one process judges it all
def test_small_logs_are_judged_by_one(folder: Path) -> None:
    assert shared(folder / "two", least=shares.LEAST) is None
    assert shared(folder / "two", jobs=1) is None


def test_a_malformed_row_is_refused_in_the_same_words(folder: Path, tmp_path: Path) -> None:
    header, batch = columns_of(NAME, folder / "apart.parquet")
    seq = batch.column("seq").to_pylist()
    seq[-1] += 1
    index = batch.schema.get_field_index("seq")
    gap = batch.set_column(index, "seq", pa.array(seq))
    path = write(tmp_path / "gap.parquet", header, pieces(gap, 50))
    assert shared(path) is None
    with pytest.raises(LogError) as refused:
        check([path], ready(NAME), engine="explain")
    assert "seq" in str(refused.value)


def test_tables_that_do_not_go_on_are_refused(folder: Path, tmp_path: Path) -> None:
    header, batch = columns_of(NAME, folder / "turns.parquet")
    write(tmp_path / "a.parquet", header, [batch.slice(0, 60)])
    write(tmp_path / "b.parquet", header, [batch.slice(90)])
    assert shared(tmp_path / "a.parquet", tmp_path / "b.parquet") is None
    with pytest.raises(LogError):
        check([tmp_path], ready(NAME))


def test_a_log_twice_is_refused(folder: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        for ending in (".parquet", ".parquet.manifest.json"):
            (tmp_path / f"{name}{ending}").write_bytes((folder / f"apart{ending}").read_bytes())
    with pytest.raises((LogError, RequestError)) as expected:
        check([tmp_path], ready(NAME))
    assert shared(tmp_path) is None
    assert "log" in str(expected.value)


def test_corrections_leave_a_log_to_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def corrected(log: LogFile) -> Columnar | None:
        assert columnar.fget is not None
        found: Columnar | None = columnar.fget(log)
        return None if found is None else replace(found, corrected=lambda: True)

    columnar = vars(LogFile)["columnar"]
    monkeypatch.setattr(LogFile, "columnar", property(corrected))
    assert shared(folder / "two") is None


def test_lines_are_judged_by_one(folder: Path, tmp_path: Path) -> None:
    in_turn(NAME, folder / "apart.parquet", tmp_path / "log.jsonl")
    assert shared(tmp_path / "log.jsonl") is None


def test_a_process_that_dies_is_no_silent_loss(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "_judge", lambda *given: os._exit(1))
    with pytest.raises(InternalError, match="ended before its time"):
        shared(folder / "two")
    assert not multiprocessing.active_children()


def test_an_interrupt_ends_all_processes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: Any, **more: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(shares, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        shared(folder / "two")
    assert not multiprocessing.active_children()


def test_engines_that_differ_are_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = shares._judge

    def differing(*given: Any) -> Any:
        found = judge(*given)
        assert found is not None
        return replace(found, disagreements=(Disagreement("t", (), 3, "they differ", None),))

    monkeypatch.setattr(shares, "_judge", differing)
    found = shared(folder / "two", jobs=2)
    assert found is not None
    assert found.exit_code == Exit.OURSELVES
    assert found.disagreements == ("at t seq 3: they differ",) * 2


def test_the_command_says_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("verifier.check.engine.SHARED_BYTES", 0)
    monkeypatch.setattr(
        shares.check_shared, "__kwdefaults__", {**shares.check_shared.__kwdefaults__, "least": 0}
    )
    begun: list[int] = []
    judged = shares._judged

    def counting(asked: Any, parts: Sequence[Any], *more: Any) -> Any:
        begun.append(len(parts))
        return judged(asked, parts, *more)

    monkeypatch.setattr(shares, "_judged", counting)
    said: list[str] = []
    for form in ("json", "jsonl", "text"):
        for jobs in ("1", "2"):
            code = gazette(["check", str(folder / "two"), "--rules", NAME, "--format", form, "-j", jobs])
            assert code == Exit.BROKEN
            said.append(capsys.readouterr().out)
    assert begun == [2, 2, 2]
    assert said[0::2] == said[1::2]
