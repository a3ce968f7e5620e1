"""Releases that fail on a cluster, as a script: what does it say to its screen?

Usage: failing.py URL LEDGER
"""

import json
import logging
import sys
import traceback
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from curator.tables_for_tests import plan_of, said_by
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import DpratioError
from dpratio.terms.budget import Budget
from spark_cluster import SETTINGS

WORD = "kanarienvogel"
MARK = "--- from here on without dpratio ---"


def frames(session: Any) -> list[Any]:  # noqa: ANN401
    """Frames that fail on a cell: a cast, a Python function, a task that is late."""
    rows = session.createDataFrame([(WORD,)], "k string")
    sleep = "reflect('java.lang.Thread', 'sleep', 2000L) = ''"
    late = session.range(0, 2, numPartitions=2).selectExpr(
        f"concat('{WORD}', if(id = 1 AND {sleep}, 'y', 'x')) AS k"
    )

    def fail(cell: str) -> float:
        raise ValueError(cell)

    number = F.udf(fail, "double")
    return [
        rows.selectExpr("cast(k AS double) score", "1 label"),
        rows.select(number("k").alias("score"), F.lit(1).alias("label")),
        late.selectExpr("cast(k AS double) score", "1 label"),
    ]


def main(url: str, ledger: str) -> None:
    """Ask for releases that fail; then show that the same frames do talk."""
    logging.basicConfig(level=logging.INFO, filename=f"{ledger}.log")
    builder = SparkSession.builder.master(url).config(map=SETTINGS)
    arrow = "spark.sql.execution.arrow.pyspark.enabled"
    session = builder.config(arrow, "true").getOrCreate()
    book = Ledger(ledger)
    book.open_scope(Scope("loans", Budget(9, "1e-5")))
    said = []
    for frame in frames(session):
        try:
            release_sums(frame, plan_of(), ledger=book, new_draw=True)
        except DpratioError as error:
            text = said_by(error) + "".join(traceback.format_exception(error))
            said.append([type(error).__name__, WORD in text])
    states = [each.state for each in book.account().releases.values()]
    logged = WORD in Path(f"{ledger}.log").read_text()
    print(json.dumps([said, states, logged]), flush=True)  # noqa: T201
    print(MARK, file=sys.stderr, flush=True)  # noqa: T201
    try:
        frames(session)[0].toPandas()
    except Exception:  # noqa: BLE001
        print("it failed", flush=True)  # noqa: T201
    session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
