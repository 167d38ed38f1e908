"""The check on Spark without Spark: tasks one after another, and their results put together."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from spark_played import Played, ordered, partitions, played, rows_of, task_of, through

from verifier.check.bulk import BulkRun
from verifier.check.disagree import Disagreement
from verifier.check.engine import Engine, Prepared, check, prepare
from verifier.check.result import CheckResult
from verifier.errors import InternalError, LogError, Problem, RequestError
from verifier.exits import Exit
from verifier.report.text import text
from verifier.report.verdicts import Verdicts
from verifier.simulate.simulate import simulate
from verifier.spark import LOCAL, OUTCOME, Whole, header_beside, read_terms, reported, told_by_spark

RULES = "nz/blackjack-1998"


@pytest.fixture(scope="module")
def ready() -> Prepared:
    return prepare(RULES)


def made(ready: Prepared, folder: Path, faults: float) -> Path:
    path = folder / "log.parquet"
    simulate(ready, path, 12, seed=3, distinct=5, per_table=3, faults=faults)
    return path


@pytest.fixture(scope="module")
def faulty(ready: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(ready, tmp_path_factory.mktemp("faulty"), 0.5)


@pytest.fixture(scope="module")
def lawful(ready: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(ready, tmp_path_factory.mktemp("lawful"), 0.0)


def manifest(log: Path) -> Path:
    return log.with_name(log.name + ".manifest.json")


def header_of(log: Path, without: str = "") -> dict[str, Any]:
    """The keys of a log's header, one option unstated."""
    fields = json.loads(manifest(log).read_text(encoding="utf-8"))
    header = {key: value for key, value in fields.items() if key not in ("events", "sha256")}
    return {**header, "options": {name: v for name, v in header["options"].items() if name != without}}


def locally(
    ready: Prepared,
    log: Path,
    folder: Path,
    header: dict[str, Any],
    options: tuple[str, ...] = (),
    strict: bool = False,
    engine: Engine = "explain",
) -> Played:
    """The log under another header, by the local engine."""
    path = folder / "local.parquet"
    path.write_bytes(log.read_bytes())
    seal = {k: json.loads(manifest(log).read_text())[k] for k in ("events", "sha256")}
    manifest(path).write_text(json.dumps(header | seal))
    with Verdicts(folder / "verdicts.parquet", ready.binding.schema) as verdicts:
        result = check([path], ready, options, on_entry=verdicts.put, strict=strict, engine=engine)
    rows = pq.read_table(folder / "verdicts.parquet").drop_columns(list(LOCAL)).to_pylist()
    return Played(ordered(tuple(row.values()) for row in rows), result)


def comparable(result: CheckResult) -> CheckResult:
    """A result without what a data frame does not have: files, entries, an order of tables; and how often rules were
    read, which the kernel does not count."""
    clauses = tuple(
        replace(
            clause,
            rules=tuple(replace(rule, read=None) for rule in clause.rules),
            why_not=tuple(sorted(clause.why_not, key=str)),
        )
        for clause in result.clauses
    )
    tables = tuple(sorted(result.tables, key=str))
    return replace(result, files=(), entries=(), clauses=clauses, tables=tables)


def same(spread: Played, local: Played) -> None:
    mine, theirs = comparable(spread.result), comparable(local.result)
    unlike = [f for f in CheckResult.__dataclass_fields__ if getattr(mine, f) != getattr(theirs, f)]
    assert unlike == []
    assert spread.faults == local.faults
    assert [file.events for file in spread.result.files] == [file.events for file in local.result.files]


@pytest.mark.parametrize("engine", ["explain", "bulk"])
@pytest.mark.parametrize("count", [1, 3])
def test_parts_come_to_the_local_result(
    ready: Prepared, faulty: Path, tmp_path: Path, count: int, engine: Engine
) -> None:
    header = header_of(faulty)
    local = locally(ready, faulty, tmp_path, header, engine=engine)
    spread = played(ready, RULES, rows_of(faulty), header, count=count)
    assert (local.result.exit_code, len(local.result.tables)) == (Exit.BROKEN, 5)
    same(spread, local)
    assert "NOT in order" in text(spread.result)


def test_what_is_not_checkable_is_said(ready: Prepared, lawful: Path, tmp_path: Path) -> None:
    rows = rows_of(lawful)
    header = header_of(lawful, without="decks")
    spread = played(ready, RULES, rows, header)
    same(spread, locally(ready, lawful, tmp_path, header))
    assert spread.faults == []
    assert spread.result.exit_code == Exit.UNDECIDED
    assert spread.result.clause("3.3(a)").counts.not_checkable > 0
    assert played(ready, RULES, rows, header, ["decks=6"]).result.exit_code == Exit.HOLDS
    assert played(ready, RULES, rows, header_of(lawful)).result.exit_code == Exit.HOLDS


def test_what_is_declared_missing_is_undecided_only_if_strict(
    ready: Prepared, lawful: Path, tmp_path: Path
) -> None:
    rows = rows_of(lawful)
    kinds = sorted(set(rows.column("event").to_pylist()))
    header = header_of(lawful) | {"records": kinds}
    for strict, code in ((False, Exit.HOLDS), (True, Exit.UNDECIDED)):
        spread = played(ready, RULES, rows, header, strict=strict)
        same(spread, locally(ready, lawful, tmp_path, header, strict=strict))
        assert spread.result.exit_code == code


def test_rules_of_the_options_are_judged_once(ready: Prepared, lawful: Path, tmp_path: Path) -> None:
    header = header_of(lawful, without="decks")
    header["options"]["super_sevens_offered"] = True
    local = locally(ready, lawful, tmp_path, header, ("decks=5",))
    spread = played(ready, RULES, rows_of(lawful), header, ["decks=5"])
    same(spread, local)
    assert [fault.kind for fault in spread.result.faults if fault.count == 1] == ["option"]


def test_a_log_without_rows(ready: Prepared, lawful: Path) -> None:
    spread = played(ready, RULES, rows_of(lawful).slice(0, 0), header_of(lawful))
    assert (spread.faults, spread.result.events, spread.result.exit_code) == ([], 0, Exit.HOLDS)


def test_the_log_that_stops_inside_rounds(ready: Prepared, lawful: Path, tmp_path: Path) -> None:
    rows = rows_of(lawful)
    ends = rows.filter(pa.array([event != "end_round" for event in rows.column("event").to_pylist()]))
    keep = partitions(ends, ready, 1)[0]
    seqs = {}
    for table in keep.column("table").to_pylist():
        seqs.setdefault(table, []).append(len(seqs.get(table, [])) + 1)
    numbered = keep.set_column(
        keep.column_names.index("seq"),
        "seq",
        pa.array([n for ns in seqs.values() for n in ns], keep.schema.field("seq").type),
    )
    (note,) = [n for n in played(ready, RULES, numbered, header_of(lawful)).result.notes if "stops" in n]
    assert note.count(" at ") == 5


# --------------------------------------------------------------------------------------------------- refusals
def test_a_missing_row_is_refused_in_the_local_words(ready: Prepared, lawful: Path) -> None:
    rows = rows_of(lawful)
    gap = rows.filter(pa.array([seq != 5 for seq in rows.column("seq").to_pylist()]))
    with pytest.raises(LogError) as caught:
        played(ready, RULES, gap, header_of(lawful))
    (problem,) = caught.value.problems
    assert problem.message.startswith("field seq: found 6, expected 5, the next at table")
    assert (problem.code, problem.line) == ("log-seq", None)
    assert problem.file is not None
    assert problem.file.startswith("<data frame>, table ")
    assert problem.file.endswith(", seq 6")


def test_of_several_refusals_the_same_is_told(ready: Prepared, lawful: Path) -> None:
    one, other, ours = (
        kind(Problem(words, code="x"))
        for kind, words in ((LogError, "b"), (LogError, "a"), (InternalError, "c"))
    )
    for outcomes, told in (
        ([one, other], other),
        ([other, one], other),
        ([one, ours], ours),
        ([ours, other], ours),
    ):
        task = task_of(ready, RULES, header_of(lawful))
        whole = Whole.of(ready, task, rows_of(lawful).schema.empty_table(), False)
        with pytest.raises(type(told)) as caught:
            whole.result(outcomes)
        assert caught.value is told


def test_a_disagreement_is_our_fault(ready: Prepared, lawful: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = BulkRun.result

    def disagreeing(run: BulkRun) -> CheckResult:
        run.disagreements.append(Disagreement("T1", ("T1", 1, 2), 7, "they differ", "saved in round.json"))
        return real(run)

    monkeypatch.setattr(BulkRun, "result", disagreeing)
    with pytest.raises(InternalError) as caught:
        played(ready, RULES, rows_of(lawful), header_of(lawful))
    problem = caught.value.problem
    assert problem.code == "engines-disagree"
    assert problem.message.endswith("at T1 seq 7: they differ; saved in round.json")
    task = task_of(ready, RULES, header_of(lawful))
    with pytest.raises(InternalError):
        list(through(task.faults, partitions(rows_of(lawful), ready, 1)[0]))


def test_another_ruleset_on_an_executor(ready: Prepared, lawful: Path) -> None:
    task = replace(task_of(ready, RULES, header_of(lawful)), digest="0" * 64)
    (row,) = through(task.all, rows_of(lawful))
    assert b"spark-ruleset" in row[OUTCOME]


# ---------------------------------------------------------------------------------------- headers, errors, exits
def test_the_header_of_a_manifest(ready: Prepared, lawful: Path, tmp_path: Path) -> None:
    assert read_terms(manifest(lawful), ready) == read_terms(header_of(lawful), ready)
    with pytest.raises(RequestError, match="the log cannot be read: no such file"):
        read_terms(tmp_path / "none.json", ready)
    (tmp_path / "bad.json").write_text('{"gazette-log": 1}')
    with pytest.raises(LogError, match="field operator"):
        read_terms(tmp_path / "bad.json", ready)


NO_PATH = "[PATH_NOT_FOUND] Path does not exist: file:/logs/none.parquet."
NO_FOOTER = """An error occurred while calling o34.parquet.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 0.0 failed 1 times
\tat org.apache.spark.scheduler.DAGScheduler.failJobAndIndependentStages(DAGScheduler.scala:2856)
Caused by: java.lang.RuntimeException: file:/logs/a.parquet is not a Parquet file. Expected magic number at tail
\tat org.apache.parquet.hadoop.ParquetFileReader.readFooter(ParquetFileReader.java:556)
"""
OF_OURS = """An exception was thrown from the Python worker. Please see the stack trace below.
org.apache.spark.api.python.PythonException: Traceback (most recent call last):
  File "worker.py", line 1247, in main
ZeroDivisionError: division by zero

\tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException(PythonRunner.scala:572)
"""


@pytest.mark.parametrize(
    ("words", "kind", "said"),
    [
        (NO_PATH, RequestError, f"Spark gave up: {NO_PATH}"),
        (NO_FOOTER, RequestError, "a.parquet is not a Parquet file. Expected magic number at tail"),
        (OF_OURS, InternalError, "a task failed: ZeroDivisionError: division by zero"),
        ("Something\nelse", RequestError, "Spark gave up: Something"),
        ("", RequestError, "Spark gave up: no message"),
    ],
)
def test_an_error_of_sparks_in_a_line(words: str, kind: type[Exception], said: str) -> None:
    error = told_by_spark(words)
    assert type(error) is kind
    assert error.problem.message.endswith(said)


class OfSparkError(Exception):
    __module__ = "pyspark.errors.exceptions.captured"


def raising(error: BaseException) -> Any:
    def job() -> int:
        raise error

    return job


@pytest.mark.parametrize(
    ("job", "code"),
    [
        (lambda: Exit.UNDECIDED, 3),
        (raising(LogError(Problem("x", code="x"))), 2),
        (raising(InternalError(Problem("x", code="x"))), 4),
        (raising(OfSparkError(NO_PATH)), 2),
        (raising(OfSparkError(OF_OURS)), 4),
        (raising(ValueError("x")), 4),
        (raising(KeyboardInterrupt()), 130),
    ],
)
def test_the_exit_code_of_a_job(job: Any, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(job) == code
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert said.startswith("error: ") or code in (3, 130)


def test_without_a_header_the_manifests_beside_the_files_tell(
    ready: Prepared, faulty: Path, tmp_path: Path
) -> None:
    again = tmp_path / "a day, 100% of it.parquet"
    again.write_bytes(faulty.read_bytes())
    manifest(again).write_bytes(manifest(faulty).read_bytes())
    found = header_beside([again.as_uri(), faulty.as_uri()], ready)
    assert found == read_terms(manifest(faulty), ready) == header_beside([str(faulty)], ready)
    assert found.options


def test_a_header_that_cannot_be_found_is_asked_for(ready: Prepared, faulty: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.parquet"
    other.write_bytes(faulty.read_bytes())
    with pytest.raises(LogError, match=r"found no manifest, expected one beside the log"):
        header_beside([faulty.as_uri(), other.as_uri()], ready)
    manifest(other).write_text(json.dumps(header_of(faulty, "decks") | {"events": 1, "sha256": "0" * 64}))
    with pytest.raises(RequestError, match=r"manifests of \S+ and \S+ do not say the same"):
        header_beside([faulty.as_uri(), other.as_uri()], ready)
    with pytest.raises(RequestError, match=r'none can be looked for beside "hdfs://node/day.parquet"'):
        header_beside(["hdfs://node/day.parquet"], ready)
    with pytest.raises(RequestError, match="the data frame was read from no files"):
        header_beside([], ready)
