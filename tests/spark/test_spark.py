"""The check on Spark, on two local cores: row for row what the local engine says.

Needs Java 17 and PySpark (an extra); where one of them is absent, nothing here can be run, and it is said which.
With `GAZETTE_NEEDS_SPARK=1` that is a failure.
"""

from __future__ import annotations

import gc
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

if os.environ.get("GAZETTE_NEEDS_SPARK") != "1":
    if shutil.which("java") is None:
        pytest.skip("there is no Java here", allow_module_level=True)
    pytest.importorskip("pyspark", reason="PySpark is not installed: pip install gazette-verifier[spark]")

from spark_played import ordered

from verifier.check.engine import Prepared, check, prepare
from verifier.errors import LogError, RequestError
from verifier.exits import Exit
from verifier.report.verdicts import Verdicts
from verifier.simulate.simulate import simulate
from verifier.spark import LOCAL, run
from verifier.spark import check as on_spark

# PySpark 3.5 reads pandas' version with a class that setuptools deprecates, and leaves the sockets that rows come
# through to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore:distutils Version classes are deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]

RULES = "nz/roulette-1998"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    # Workers are started by this name, and must find the package where this process does.
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    session = (
        SparkSession.builder.master("local[2]")
        .appName("gazette tests")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    yield session
    session.stop()
    gc.collect()  # the sockets, while nobody is told of them


@pytest.fixture(scope="module")
def ready() -> Prepared:
    return prepare(RULES)


@pytest.fixture(scope="module")
def log(ready: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of several tables with faults in it."""
    path = tmp_path_factory.mktemp("spark") / "log.parquet"
    simulate(ready, path, 60, seed=3, distinct=12, per_table=9, faults=0.5)
    return path


@pytest.fixture(scope="module")
def header(log: Path) -> dict[str, object]:
    fields = json.loads(log.with_name("log.parquet.manifest.json").read_text(encoding="utf-8"))
    return {key: value for key, value in fields.items() if key not in ("events", "sha256", "gazette-log")}


@pytest.fixture(scope="module")
def locally(log: Path, ready: Prepared, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[object, ...]]:
    """What the local engine says, as sorted verdict rows."""
    path = tmp_path_factory.mktemp("local") / "verdicts.parquet"
    with Verdicts(path, ready.binding.schema) as verdicts:
        check([log], ready, on_entry=verdicts.put)
    table = pq.read_table(path).drop_columns(list(LOCAL))
    return ordered(tuple(row.values()) for row in table.to_pylist())


def test_the_same_verdicts_row_for_row(
    spark: Any, log: Path, header: dict[str, object], locally: list[tuple[object, ...]]
) -> None:
    faults = on_spark(spark.read.parquet(str(log)), RULES, header=header)
    assert len({row[0] for row in locally}) > 3  # of several tables
    assert ordered(tuple(row) for row in faults.collect()) == locally


def test_a_data_frame_and_a_ruleset_are_enough(
    spark: Any, log: Path, locally: list[tuple[object, ...]]
) -> None:
    frame = spark.read.parquet(str(log))
    assert ordered(tuple(row) for row in on_spark(frame.where("seq > 0"), RULES).collect()) == locally
    made = spark.createDataFrame(frame.limit(1).collect(), frame.schema)
    with pytest.raises(RequestError, match="read from no files"):
        on_spark(made, RULES)


def test_rows_from_anywhere_in_any_order(
    spark: Any, log: Path, header: dict[str, object], locally: list[tuple[object, ...]]
) -> None:
    mixed = spark.read.parquet(str(log)).repartition(5, "event").orderBy("actor", "at")
    faults = on_spark(mixed, RULES, header=header, partitions=2)
    assert ordered(tuple(row) for row in faults.collect()) == locally


def test_columns_amiss_are_refused_at_once(spark: Any, log: Path, header: dict[str, object]) -> None:
    frame = spark.read.parquet(str(log))
    from pyspark.sql import functions

    for bad in (
        frame.withColumn("amount", functions.col("amount") / 100),
        frame.withColumnRenamed("seq", "number"),
        frame.withColumn("fee", functions.lit(1)),
    ):
        with pytest.raises(LogError):
            on_spark(bad, RULES, header=header)


def test_a_malformed_row_fails_the_job_in_the_refusals_own_words(
    spark: Any, log: Path, header: dict[str, object]
) -> None:
    frame = spark.read.parquet(str(log))
    with pytest.raises(Exception, match="field seq: found 6, expected 5"):
        on_spark(frame.where("seq != 5"), RULES, header=header).collect()


def test_requests_that_make_no_sense(spark: Any, log: Path, header: dict[str, object]) -> None:
    frame = spark.read.parquet(str(log))
    with pytest.raises(RequestError):
        on_spark(frame, "nz/whist-1998", header=header)
    with pytest.raises(LogError):
        on_spark(frame, RULES, header={**header, "currency": "dollars"})
    with pytest.raises(RequestError):
        on_spark(frame, RULES, header=header, options=["wheel=square"])


def test_the_whole_result(
    spark: Any, log: Path, header: dict[str, object], ready: Prepared, locally: list[tuple[object, ...]]
) -> None:
    checked = run(spark.read.parquet(str(log)), RULES, header=header)
    local = check([log], ready)
    assert ordered(tuple(row) for row in checked.faults.collect()) == locally
    assert checked.faults.columns == on_spark(spark.read.parquet(str(log)), RULES, header=header).columns
    assert [(c.name, c.status, c.counts) for c in checked.result.clauses] == [
        (c.name, c.status, c.counts) for c in local.clauses
    ]
    assert (checked.result.short, checked.result.faults) == (local.short, local.faults)
    assert (checked.result.events, checked.result.exit_code) == (local.events, Exit.BROKEN)
    checked.free()


# ------------------------------------------------------------------------------------------------------- the job
Job = Callable[..., int]


def main(arguments: list[str]) -> int:
    sys.path.insert(0, str(ROOT / "examples" / "spark"))
    try:
        import check_job
    finally:
        sys.path.pop(0)
    return int(check_job.main(arguments))


@pytest.fixture
def job(spark: Any, tmp_path: Path) -> Job:
    def run_job(log: Path, manifest: Path, *more: str) -> int:
        out = str(tmp_path / "faults")
        told = [] if manifest == manifest_of(log) else ["--manifest", str(manifest)]
        return main([str(log), "--rules", RULES, *told, "--out", out, *more])

    return run_job


def manifest_of(log: Path) -> Path:
    return log.with_name(log.name + ".manifest.json")


def test_the_job_writes_the_faults_and_prints_the_result(
    spark: Any,
    job: Job,
    log: Path,
    locally: list[tuple[object, ...]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert job(log, manifest_of(log)) == 1
    assert spark.read.parquet(str(tmp_path / "faults")).count() == len(locally)
    assert "The log is NOT in order" in capsys.readouterr().out


def test_the_job_says_what_it_could_not_check(
    job: Job, ready: Prepared, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "lawful.parquet"
    simulate(ready, log, 6, seed=3, distinct=3, per_table=3)
    manifest = manifest_of(log)
    assert job(log, manifest) == 0
    assert "The log is in order" in capsys.readouterr().out
    fields = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps(fields | {"options": {}}), encoding="utf-8")
    here = check([log], ready)
    assert (here.exit_code, any(c.counts.not_checkable for c in here.clauses)) == (3, True)
    assert job(log, manifest) == 3
    said = capsys.readouterr().out
    assert "not all could be decided" in said
    assert "not checkable" in said
    words = {True: "yes", False: "no"}
    stated = [f"--set={name}={words.get(value, value)}" for name, value in fields["options"].items()]
    assert job(log, manifest, *stated) == 0


def test_the_job_refuses_in_one_message(
    spark: Any, job: Job, log: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    gap = tmp_path / "gap.parquet"
    table = pq.read_table(log)
    pq.write_table(table.filter(pa.array([seq != 5 for seq in table.column("seq").to_pylist()])), gap)
    for path, manifest, said in (
        (gap, manifest_of(log), "field seq: found 6, expected 5, the next at table"),
        (log, tmp_path / "none.json", "the log cannot be read: no such file"),
        (tmp_path / "none.parquet", manifest_of(log), "[PATH_NOT_FOUND]"),
    ):
        capfd.readouterr()
        assert job(path, manifest) == 2
        told = capfd.readouterr().err
        assert said in told
        assert told.count("error: ") == 1
        assert "Traceback" not in told
        assert not (tmp_path / "faults").exists()


def test_the_job_splits_a_log_as_it_is_told(
    spark: Any, job: Job, log: Path, locally: list[tuple[object, ...]], tmp_path: Path, capsys: Any
) -> None:
    assert job(log, manifest_of(log), "--partitions", "2") == 1
    assert spark.read.parquet(str(tmp_path / "faults")).count() == len(locally)
    with pytest.raises(SystemExit, match="2"):
        job(log, manifest_of(log), "--partitions", "0")
    assert "--partitions is a whole number of 1 or more, and not 0" in capsys.readouterr().err


def test_the_job_refuses_what_is_no_parquet_file(
    job: Job, log: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 and no more")
    assert job(broken, manifest_of(log)) == 2
    # Before it stands what Spark itself logs.
    assert "is not a Parquet file" in capfd.readouterr().err.partition("error: ")[2]


# ---------------------------------------------------------------------------------------------- spec/bulk.md
def test_what_the_page_shows_runs(
    spark: Any, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "spec" / "bulk.md").read_text(encoding="utf-8")
    # Where Java is at work the folder cannot be changed any more.
    page = page.replace("day.parquet", str(log)).replace("--out faults", f"--out {tmp_path / 'faults'}")
    (command,) = re.findall(r"^```sh spark\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (code,) = re.findall(r"^```python spark\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    words = shlex.split(command, comments=True)
    assert words[:2] == ["spark-submit", "examples/spark/check_job.py"]
    assert main(words[2:]) == int(command.rpartition("exit code ")[2])
    exec(compile(code, "bulk.md", "exec"), {"spark": spark})
    assert "clause|count" in capsys.readouterr().out
