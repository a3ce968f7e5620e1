"""Spark against its own float sums: ten million rows in a thousand groups.

It runs on one machine with two threads, both statements in turn in one session, after
two runs of each that do not count. Measured is the CPU time of the driver and of
Python; the median of the ratios of neighbouring runs counts.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from figure import Figure
from fresh_process import run_fresh
from processor_time import of_spark, run_pairs
from weighted_people import float_sums, weighted_plan, write_people

ROWS, KEYS = 10_000_000, 1_000
WARM_UP, PAIRS = 2, 5


def figures() -> Iterator[Figure]:
    """Measure Spark."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "people.parquet")
        run_fresh(__file__, "write", path)
        spark = run_fresh(__file__, "spark", path)
        yield Figure("spark_release_cpu_over_its_float_sums", spark["ratio"], "<=1.5")
        yield Figure("spark_release_cpu_seconds", spark["release"], "-")


def write(path: str) -> dict[str, float]:
    """Invent people in a thousand regions."""
    region = f"'region ' || CAST(floor(random() * {KEYS}) AS INTEGER) AS region"
    write_people(path, ROWS, region)
    return {}


def on_spark(path: str) -> dict[str, float]:
    """Release on Spark, and add the same sums up in floats."""
    from pyspark.sql import SparkSession

    import dpratio as dpr

    options: dict[str, Any] = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "4g",
        "spark.ui.enabled": "false",
    }
    session = SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    rows = session.read.parquet(path)
    groups = dpr.Groups("region", [f"region {at}" for at in range(KEYS)])
    plan = weighted_plan(groups=groups, budget=dpr.Budget(1, "1e-6"))
    rows.createOrReplaceTempView("people")
    statement = f"SELECT region, {float_sums()} FROM people GROUP BY region"
    seconds, ratio = run_pairs(
        lambda: dpr.release_sums(rows, plan, ledger=None),
        lambda: session.sql(statement).collect(),
        of_spark,
        warm_up=WARM_UP,
        pairs=PAIRS,
    )
    session.stop()
    return {"release": seconds, "ratio": ratio}


if __name__ == "__main__":
    asked, at = sys.argv[1:]
    found = write(at) if asked == "write" else on_spark(at)
    os.write(1, json.dumps(found).encode())
