"""Release with Tumult Analytics on Spark, on all cores of this machine."""

import math
import os
import sys
import tempfile
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.functions import col
from question import EPSILON, PERSON, WHOLE, Question
from stopwatch import Released, timed
from tmlt.analytics import (
    AddOneRow,
    AddRowsWithID,
    KeySet,
    MaxRowsPerID,
    PureDPBudget,
    QueryBuilder,
    Session,
)


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


def release(table: str, question: Question, spark: SparkSession) -> Released:
    """Evaluate a query for each sum, each with its share of the budget."""
    a, b = col("weight") * col("score"), col("weight") * col("label")
    terms = {"a": a, "b": b, "aa": a * a, "ab": a * b, "bb": b * b}
    by_row = question.most_rows is None
    kept = [name for name in question.columns if name in ("region", PERSON)]
    people = spark.read.parquet(table)
    session = Session.from_dataframe(
        PureDPBudget(EPSILON),
        "people",
        people.select(*kept, *(terms[name].alias(name) for name in question.sums)),
        protected_change=AddOneRow() if by_row else AddRowsWithID(PERSON),
    )
    asked: Any = QueryBuilder("people")
    if question.most_rows is not None:  # Some rows of a person are kept, by their hash.
        asked = asked.enforce(MaxRowsPerID(question.most_rows))
    if question.groups > 1:
        keys = [(key,) for key in question.keys]
        frame = spark.createDataFrame(keys, ["region"])
        asked = asked.groupby(KeySet.from_dataframe(frame))
    released = {}
    for name, largest in question.sums.items():
        query = asked.sum(name, 0, largest, name=name)
        rows = session.evaluate(query, PureDPBudget(question.share)).collect()
        released[name] = {
            WHOLE if question.groups == 1 else row["region"]: row[name] for row in rows
        }
    return Released(
        score=released["a"],
        label=released["b"],
        noise_sd=lambda: math.sqrt(2) * question.moved("a") / question.share,
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        running = start_spark(place)
        timed(release, running, ("tmlt.analytics", "tmlt.core", "pyspark"))
        running.stop()
