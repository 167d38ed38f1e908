"""A Spark job that checks logs in Parquet against a ruleset, prints the result and writes the faults as Parquet.

    spark-submit examples/spark/check_job.py --rules nz/blackjack-1998 --out faults day.parquet …

The header is that of the manifests beside the logs, or of the one that is named with `--manifest`; seals, which are of
single files, are not looked at. Prints what `gazette check` does, but for the faults one by one, and exits as that
does: 1 where there are faults, 2 where a log is malformed or not there, 3 where something is undecided or could not be
checked, 4 where we are at fault, else 0. With 2 and 4 no faults are written. The package must be installed where the
executors run.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from verifier.report.text import text
from verifier.spark import reported, run


def main(arguments: list[str] | None = None) -> int:
    """Runs the job; returns the exit code."""
    parser = argparse.ArgumentParser(description="Check logs in Parquet against a ruleset, on Spark.")
    parser.add_argument("logs", nargs="+", help="Parquet files, or folders of nothing else, of one header")
    parser.add_argument("--rules", required=True, help="the ruleset's name or path")
    parser.add_argument(
        "--manifest", type=Path, help="the header of the logs; by default the manifests beside them tell"
    )
    parser.add_argument(
        "--out", required=True, help="the folder for the faults; what is there is overwritten"
    )
    parser.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE", dest="options")
    parser.add_argument("--strict", action="store_true", help="3 also for what a log declares not recorded")
    parser.add_argument(
        "--partitions",
        type=int,
        metavar="N",
        help="so many tasks, two or three for each core; by default as many as Spark makes of a shuffle (200)",
    )
    given = parser.parse_args(arguments)
    if given.partitions is not None and given.partitions < 1:
        parser.error(f"--partitions is a whole number of 1 or more, and not {given.partitions}")
    return reported(lambda: judged(given))


def judged(given: argparse.Namespace) -> int:
    """Judges the logs, writes the faults and prints the result."""
    session = SparkSession.builder.appName("gazette check").getOrCreate()
    checked = run(
        session.read.parquet(*given.logs),
        given.rules,
        header=given.manifest,
        options=given.options,
        partitions=given.partitions,
        strict=given.strict,
    )
    checked.faults.write.mode("overwrite").parquet(given.out)
    checked.free()
    print(text(checked.result), end="")
    return checked.result.exit_code


if __name__ == "__main__":
    sys.exit(main())
