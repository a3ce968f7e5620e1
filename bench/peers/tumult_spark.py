"""Release with Tumult Analytics on Spark, on all cores of this machine."""

import math
import os
import sys
import tempfile
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.functions import col
from question import EPSILON, KEYS, LARGEST, SHARE
from stopwatch import Released, timed
from tmlt.analytics import AddOneRow, KeySet, PureDPBudget, QueryBuilder, Session


def start_spark(folder: str) -> SparkSession:
    """Start Spark with its files in a folder that goes away."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings: dict[str, Any] = {
        "spark.driver.memory": "8g",
        "spark.driver.extraJavaOptions": f"-Dderby.system.home={folder}",
        "spark.local.dir": folder,
        "spark.sql.shuffle.partitions": str(os.cpu_count()),
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    return SparkSession.builder.master("local[*]").config(map=settings).getOrCreate()


def release(table: str, spark: SparkSession) -> Released:
    """Evaluate five queries, each with a fifth of the budget."""
    a, b = col("weight") * col("score"), col("weight") * col("label")
    sums = {"a": a, "b": b, "aa": a * a, "ab": a * b, "bb": b * b}
    people = spark.read.parquet(table)
    session = Session.from_dataframe(
        PureDPBudget(EPSILON),
        "people",
        people.select("region", *(term.alias(name) for name, term in sums.items())),
        protected_change=AddOneRow(),
    )
    keys = KeySet.from_dict({"region": list(KEYS)})
    released = {}
    for name, largest in LARGEST.items():
        query = QueryBuilder("people").groupby(keys).sum(name, 0, largest, name=name)
        rows = session.evaluate(query, PureDPBudget(SHARE)).collect()
        released[name] = {row["region"]: row[name] for row in rows}
    return Released(
        score=released["a"],
        label=released["b"],
        noise_sd=lambda: math.sqrt(2) * LARGEST["a"] / SHARE,
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        running = start_spark(place)
        timed(release, running)
        running.stop()
