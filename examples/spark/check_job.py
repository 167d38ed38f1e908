"""A Spark job that checks logs in Parquet against a ruleset and writes the faults as Parquet.

    spark-submit examples/spark/check_job.py --rules nz/blackjack-1998 --manifest day.parquet.manifest.json \\
        --out faults day.parquet …

The manifest is that of one of the logs; what is of that file alone (its seal) is left out. Exits as `gazette check`: 1
where there are faults, 0 where there are none. The package must be installed where the executors run.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from verifier.errors import VerifierError
from verifier.spark import check

OF_THE_FILE = ("events", "sha256", "gazette-log")


def main(arguments: list[str] | None = None) -> int:
    """Runs the job; returns the exit code."""
    parser = argparse.ArgumentParser(description="Check logs in Parquet against a ruleset, on Spark.")
    parser.add_argument("logs", nargs="+", help="Parquet files or folders, of one header")
    parser.add_argument("--rules", required=True, help="the ruleset's name or path")
    parser.add_argument("--manifest", required=True, type=Path, help="the header of the logs, JSON")
    parser.add_argument("--out", required=True, help="the folder for the faults")
    parser.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE", dest="options")
    given = parser.parse_args(arguments)
    header = json.loads(given.manifest.read_text(encoding="utf-8"))
    header = {key: value for key, value in header.items() if key not in OF_THE_FILE}
    session = SparkSession.builder.appName("gazette check").getOrCreate()
    try:
        faults = check(session.read.parquet(*given.logs), given.rules, header=header, options=given.options)
    except VerifierError as error:
        print(error, file=sys.stderr)
        return 2
    faults.write.mode("overwrite").parquet(given.out)
    written = session.read.parquet(given.out)
    written.groupBy("verdict", "clause").count().orderBy("verdict", "clause").show(100, truncate=False)
    verdicts = {row.verdict for row in written.select("verdict").distinct().collect()}
    return 1 if verdicts & {"broken", "impossible"} else 3 if verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
