"""Databases and clusters: Ibis on DuckDB against our own SQL, Spark against its floats.

Ten million rows in a thousand groups, and in people with ten rows each. Each DuckDB
task runs in a process of its own and the least CPU time counts; Spark runs on one
machine with two threads, both statements in turn in one session, after two runs of each
that are not timed, and the median of the ratios of neighbouring runs counts.
"""

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from figure import Figure
from fresh_process import run_fresh, second_time
from weighted_people import float_sums, weighted_plan, write_people

ROWS, KEYS, PEOPLE = 10_000_000, 1_000, 1_000_000
ROUNDS = 4
WARM_UP, PAIRS = 2, 9


def figures() -> Iterator[Figure]:
    """Measure both."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "people.parquet")
        run_fresh(__file__, "write", path)
        for name in ("groups", "people"):
            pairs = [
                [run_fresh(__file__, f"{of}_{name}", path) for of in ("ibis", "duckdb")]
                for _ in range(ROUNDS)
            ]
            ours, theirs = (min(pair[at]["cpu"] for pair in pairs) for at in (0, 1))
            yield Figure(f"ibis_{name}_cpu_over_duckdb", ours / theirs, "<=1.5")
        spark = run_fresh(__file__, "spark", path)
        yield Figure("spark_release_over_its_float_sums", spark["ratio"], "<=1.5")
        yield Figure("spark_release_seconds", spark["release"], "-")


def write(path: str) -> dict[str, float]:
    """Invent people with ten rows each, in a thousand regions."""
    region = f"'region ' || CAST(floor(random() * {KEYS}) AS INTEGER) AS region"
    person = f"CAST(floor(random() * {PEOPLE}) AS BIGINT) AS person"
    write_people(path, ROWS, f"{region}, {person}")
    return {}


def plan_of(task: str) -> Any:  # noqa: ANN401 (imported where it is used)
    """Plan the release of one task."""
    import dpratio as dpr

    terms: dict[str, Any] = {}
    if task.endswith("people"):
        totals = {"score": dpr.Bounds(0, 40), "label": dpr.Bounds(0, 40)}
        terms["unit"] = dpr.PrivacyUnit("person", totals=totals, most_groups=2)
    groups = dpr.Groups("region", [f"region {at}" for at in range(KEYS)])
    return weighted_plan(groups=groups, budget=dpr.Budget(1, "1e-6"), **terms)


def on_duckdb(path: str, task: str) -> dict[str, float]:
    """Release through our own SQL, or through Ibis."""
    import ibis

    import dpratio as dpr

    plan = plan_of(task)
    through_ibis = task.startswith("ibis")
    table = ibis.duckdb.connect().read_parquet(path) if through_ibis else path
    return second_time(lambda: dpr.release_sums(table, plan, ledger=None))


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
    rows, plan = session.read.parquet(path), plan_of("spark")
    rows.createOrReplaceTempView("people")
    statement = f"SELECT region, {float_sums()} FROM people GROUP BY region"
    tasks: dict[str, Callable[[], object]] = {
        "release": lambda: dpr.release_sums(rows, plan, ledger=None),
        "floats": lambda: session.sql(statement).collect(),
    }
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(WARM_UP + PAIRS):
        for name, task in tasks.items():
            before = time.perf_counter()
            task()
            seconds[name].append(time.perf_counter() - before)
    session.stop()
    timed = {name: each[WARM_UP:] for name, each in seconds.items()}
    pairs = zip(timed["release"], timed["floats"], strict=True)
    ratio = statistics.median(ours / theirs for ours, theirs in pairs)
    return {"release": statistics.median(timed["release"]), "ratio": ratio}


if __name__ == "__main__":
    asked, at = sys.argv[1:]
    if asked == "write":
        found = write(at)
    else:
        found = on_spark(at) if asked == "spark" else on_duckdb(at, asked)
    os.write(1, json.dumps(found).encode())
