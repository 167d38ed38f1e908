"""Tables judged by several processes: the answer is that of one, to the last entry, and so are the refusals."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from both_engines import comparable
from logs import columns_of, in_turn, pieces, ready
from sharing import NAME, after_planning, logs_at, shared

import verifier.check.shares as shares
from verifier.check.disagree import Disagreement
from verifier.check.engine import check
from verifier.check.result import CheckResult, Entry
from verifier.cli.app import run as gazette
from verifier.errors import InternalError, LogError, RequestError
from verifier.exits import Exit
from verifier.log.assemble import Columnar
from verifier.log.sources import LogFile
from verifier.log.write_arrow import write_batches
from verifier.simulate.simulate import simulate

BLACKJACK = "nz/blackjack-1998"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables one after the other, and in turn, with faults; in two files, where they go on from one to the other."""
    here = tmp_path_factory.mktemp("shares")
    apart = here / "apart.parquet"
    simulate(ready(NAME), apart, 16, seed=7, faults=0.5, key=here / "key", distinct=12, per_table=4, jobs=1)
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


def rewrite(path: Path, table: pa.Table) -> None:
    """Another table in place of a log's, with its seal."""
    pq.write_table(table, path, row_group_size=50)
    manifest = path.with_name(path.name + ".manifest.json")
    told = json.loads(manifest.read_text("utf-8"))
    told["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest.write_text(json.dumps(told), "utf-8")


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
    in_one, in_other = (set(share.tables) for share in (one, other))
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
    assert shared(folder / "two", least=None) is None
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


def test_where_a_process_dies_one_judges_it_all(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "_judge", lambda *given: os._exit(1))
    assert shared(folder / "two") is None
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
    monkeypatch.setattr("verifier.check.opening.SHARED_ROWS", 0)
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


# --------------------------------------------------------------------------------------- what differs while it is read
@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Logs of any size are shared by `check`."""
    monkeypatch.setattr("verifier.check.opening.SHARED_ROWS", 0)


def copied(folder: Path, into: Path) -> Path:
    for path in folder.iterdir():
        (into / path.name).write_bytes(path.read_bytes())
    return into


@pytest.mark.usefixtures("at_once")
def test_a_file_that_goes_is_missed(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied(folder / "two", tmp_path)
    after_planning(monkeypatch, (tmp_path / "b.parquet").unlink)
    with pytest.raises(RequestError, match=r"b\.parquet"):
        check([tmp_path], ready(NAME), jobs=2)


@pytest.mark.usefixtures("at_once")
def test_a_file_that_grows_is_judged_as_it_is_then(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header, batch = columns_of(NAME, folder / "turns.parquet")
    path = write(tmp_path / "log.parquet", header, pieces(batch.slice(0, batch.num_rows // 2), 50))
    after_planning(monkeypatch, lambda: write(path, header, pieces(batch, 50)))
    found = check([path], ready(NAME), jobs=2)
    assert found.events == batch.num_rows
    assert comparable(found) == comparable(check([path], ready(NAME), engine="explain"))


@pytest.mark.usefixtures("at_once")
def test_a_file_that_comes_is_of_the_next_check(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied(folder / "two", tmp_path)
    expected = check([tmp_path], ready(NAME), engine="explain")
    after_planning(monkeypatch, lambda: (tmp_path / "aa.tmp").write_text("on its way"))
    assert comparable(check([tmp_path], ready(NAME), jobs=2)) == comparable(expected)


def test_what_is_no_log_by_columns_any_more_is_not_read_whole(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ungrouped(log: LogFile) -> Columnar | None:
        assert columnar.fget is not None
        found: Columnar | None = columnar.fget(log)
        return None if found is None else replace(found, groups=None)

    columnar = vars(LogFile)["columnar"]
    after_planning(monkeypatch, lambda: monkeypatch.setattr(LogFile, "columnar", property(ungrouped)))
    assert shared(folder / "two") is None


def test_rows_that_nobody_judged_are_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = shares._judge

    def forgetting(*given: Any) -> Any:
        found = judge(*given)
        part = replace(found.part, tables=found.part.tables[1:])
        return replace(found, part=part, begun=found.begun[1:], open_rounds=found.open_rounds[1:])

    monkeypatch.setattr(shares, "_judge", forgetting)
    with pytest.raises(InternalError, match="events were judged of"):
        shared(folder / "two")


def test_a_process_that_fails_by_a_fault_of_ours_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*given: Any) -> Any:
        raise KeyError("T1")

    monkeypatch.setattr(shares, "_judge", failing)
    with pytest.raises(InternalError, match="KeyError: 'T1'"):
        shared(folder / "two")


def test_an_ignored_column_is_not_the_tables(folder: Path, tmp_path: Path) -> None:
    """What the file calls `table` is something else, and left out; what it calls `desk` is the table."""
    header, batch = columns_of(NAME, folder / "apart.parquet")
    path = write(tmp_path / "log.parquet", header, pieces(batch, 50))
    table = pq.read_table(path)
    desks = table.column("table")
    renamed = table.rename_columns(["desk" if name == "table" else name for name in table.column_names])
    other = renamed.append_column(
        "table", pa.array(["east", "west"] * (len(desks) // 2) + ["east"] * (len(desks) % 2))
    )
    rewrite(path, other)
    columns = tmp_path / "columns.yaml"
    columns.write_text("columns: {table: desk}\nignore: [table]\n", "utf-8")
    found = shared(path, columns=columns, jobs=2)
    assert found is not None
    expected = check([path], ready(NAME), columns=columns, engine="explain")
    assert comparable(found) == comparable(expected)
    assert len(found.tables) == len(set(desks.to_pylist()))


def test_texts_may_be_views(folder: Path, tmp_path: Path) -> None:
    header, batch = columns_of(NAME, folder / "apart.parquet")
    path = write(tmp_path / "log.parquet", header, pieces(batch, 50))
    expected = check([path], ready(NAME), engine="explain")
    table = pq.read_table(path)
    views = [f.with_type(pa.string_view()) if pa.types.is_string(f.type) else f for f in table.schema]
    rewrite(path, table.cast(pa.schema(views)))
    assert "string_view" in str(pq.read_schema(path))
    found = check([path], ready(NAME))
    assert found.entries == expected.entries
    assert found.events == expected.events
    several = shared(path)
    assert several is not None
    assert several.entries == expected.entries
    assert several.events == expected.events


def test_a_table_whose_name_is_no_text_is_refused(folder: Path, tmp_path: Path) -> None:
    header, batch = columns_of(NAME, folder / "apart.parquet")
    path = write(tmp_path / "log.parquet", header, pieces(batch, 50))
    table = pq.read_table(path)
    names = [name.encode() for name in table.column("table").to_pylist()]
    names[-1] = b"\xff\xfe"
    raw = pa.array(names, pa.binary()).view(pa.string())
    rewrite(path, table.set_column(table.column_names.index("table"), "table", raw))
    assert shared(path) is None
    with pytest.raises(LogError, match="UTF-8"):
        check([path], ready(NAME))


@pytest.mark.usefixtures("at_once")
def test_options_that_can_be_had_once_are_kept(folder: Path, tmp_path: Path) -> None:
    header, batch = columns_of(NAME, folder / "apart.parquet")
    option = next(name for name in header.options)
    without = replace(
        header, options={name: value for name, value in header.options.items() if name != option}
    )
    path = write(tmp_path / "log.parquet", without, [batch.slice(0, 3)])
    said = f"{option}={header.options[option]}".replace("True", "true").replace("False", "false")
    expected = check([path], ready(NAME), [said])
    assert check([path], ready(NAME), iter([said]), jobs=2).options == expected.options


@pytest.mark.usefixtures("at_once")
def test_a_manifest_out_of_a_pipe_is_read_once(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.parquet"
    path.write_bytes((folder / "apart.parquet").read_bytes())
    pipe = tmp_path / "manifest"
    os.mkfifo(pipe)
    text = (folder / "apart.parquet.manifest.json").read_bytes()
    writer = threading.Thread(target=pipe.write_bytes, args=(text,), daemon=True)
    writer.start()
    found = check([path], ready(NAME), manifest=pipe, jobs=2)
    writer.join()
    assert found.events


def test_without_room_for_entries_one_judges_it_all(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "nowhere"))
    assert shared(folder / "two", on_entry=lambda entry: None) is None


def test_where_no_process_can_be_had_one_judges_it_all(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = shares._begun
    some: list[shares.Worker] = []

    def refused(*given: Any) -> shares.Worker:
        if some:
            raise BlockingIOError("no more processes")
        some.append(begun(*given))
        return some[-1]

    monkeypatch.setattr(shares, "_begun", refused)
    assert shared(folder / "two") is None
    assert not multiprocessing.active_children()


def test_two_checks_at_once_do_not_mix(folder: Path) -> None:
    paths = [folder / "apart.parquet", folder / "two"]
    expected = [check([path], ready(NAME), engine="explain") for path in paths]
    with ThreadPoolExecutor(2) as pool:
        for _ in range(3):
            found = list(pool.map(lambda path: shared(path, jobs=2), paths))
            assert [one and one.events for one in found] == [one.events for one in expected]
            assert [one and one.entries for one in found] == [one.entries for one in expected]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with the one that started it")
def test_processes_end_with_the_one_that_started_them(folder: Path, tmp_path: Path) -> None:
    script = (
        "import multiprocessing, os, sys, time\n"
        "from verifier.forks import FORK, begin\n"
        "def work():\n"
        "    begin()\n"
        "    print(os.getpid(), flush=True)\n"
        "    time.sleep(600)\n"
        "multiprocessing.get_context(FORK).Process(target=work).start()\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
        # the pipe's other end closes when the last process that has it does
        assert parent.stdout.read() == ""
    assert not Path(f"/proc/{child}/exe").exists() or "Z" in Path(f"/proc/{child}/stat").read_text()
