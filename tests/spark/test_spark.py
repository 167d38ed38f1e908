"""The check on Spark, on two local cores: row for row what the local engine says.

Needs Java 17 and PySpark (an extra); where one of them is absent, nothing here can be run, and it is said which.
With `GAZETTE_NEEDS_SPARK=1` that is a failure.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

if os.environ.get("GAZETTE_NEEDS_SPARK") != "1":
    if shutil.which("java") is None:
        pytest.skip("there is no Java here", allow_module_level=True)
    pytest.importorskip("pyspark", reason="PySpark is not installed: pip install gazette-verifier[spark]")

from verifier.check.engine import Prepared, check, prepare
from verifier.errors import LogError, RequestError
from verifier.report.verdicts import Verdicts
from verifier.simulate.simulate import simulate
from verifier.spark import LOCAL
from verifier.spark import check as on_spark

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


def ordered(rows: Any) -> list[tuple[object, ...]]:
    return sorted(rows, key=lambda row: [str(value) for value in row])


def test_the_same_verdicts_row_for_row(
    spark: Any, log: Path, header: dict[str, object], locally: list[tuple[object, ...]]
) -> None:
    faults = on_spark(spark.read.parquet(str(log)), RULES, header=header)
    assert len({row[0] for row in locally}) > 3  # of several tables
    assert ordered(tuple(row) for row in faults.collect()) == locally


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


def test_the_example_job(
    spark: Any,
    log: Path,
    locally: list[tuple[object, ...]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    sys.path.insert(0, str(ROOT / "examples" / "spark"))
    try:
        from check_job import main
    finally:
        sys.path.pop(0)
    manifest = log.with_name("log.parquet.manifest.json")
    out = tmp_path / "faults"
    assert main([str(log), "--rules", RULES, "--manifest", str(manifest), "--out", str(out)]) == 1
    assert spark.read.parquet(str(out)).count() == len(locally)
    assert "verdict" in capsys.readouterr().out
