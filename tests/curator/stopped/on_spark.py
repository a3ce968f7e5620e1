"""A release on Spark that is interrupted at every stage; run as a script.

It prints a line of JSON for each stage, and waits to be killed at the last one.
"""

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from curator.stopped.stages import STAGES, WHILE_THE_QUERY_RUNS
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.curator.stopping import notes_of
from dpratio.errors import LedgerRefused
from dpratio.plan.make_plan import make_plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio
from spark_cluster import SETTINGS

PLAN = make_plan(
    Ratio("score", per="label"),
    bounds={"score": Bounds(0, 1), "label": Bounds.binary()},
    budget=Budget(1),
)
ROWS = 600


def frame_of(session: Any, pace: int) -> Any:  # noqa: ANN401
    """Rows that take a worker so many milliseconds each."""
    return session.range(0, ROWS, numPartitions=4).selectExpr(
        f"if(reflect('java.lang.Thread', 'sleep', {pace}L) = '', 0D, id / 64D) score",
        "id % 2 AS label",
    )


def active(session: Any) -> int:  # noqa: ANN401
    """How many jobs run."""
    return len(session.sparkContext.statusTracker().getActiveJobsIds())


def interrupt_when(is_so: Callable[[], bool]) -> None:
    """Press Ctrl-C as soon as something is so."""

    def watch() -> None:
        while not is_so():
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=watch, daemon=True).start()


def interrupted(session: Any, book: Ledger, stage: str) -> dict[str, Any]:  # noqa: ANN401
    """Interrupt a release at a stage; tell what is left of it, and ask again."""
    step, _ = STAGES[stage]
    is_query = stage == WHILE_THE_QUERY_RUNS
    found: dict[str, Any] = {"stage": stage}
    original: Callable[..., Any] = getattr(Ledger, step)

    def waiting(*_given: Any, **_named: Any) -> None:  # noqa: ANN401
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)

    if is_query:
        interrupt_when(lambda: active(session) > 0)
    else:
        setattr(Ledger, step, waiting)
    frame = frame_of(session, 250 if is_query else 0)
    try:
        release_sums(frame, PLAN, ledger=book, release_id=stage)
    except KeyboardInterrupt as stop:
        found["notes"] = notes_of(stop)
    begun = time.monotonic()
    while active(session) and time.monotonic() - begun < 30:
        time.sleep(0.1)
    found["active"] = active(session)
    setattr(Ledger, step, original)
    try:
        release_sums(frame_of(session, 0), PLAN, ledger=book, release_id=stage)
        found["again"] = "published"
    except LedgerRefused:
        found["again"] = "refused"
    return found


def main(folder: Path) -> None:
    """Interrupt a release at every stage, and wait in a last one for SIGTERM."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config(map=SETTINGS)
    session = builder.config("spark.log.level", "ERROR").getOrCreate()
    book = Ledger(folder / "dpratio.db")
    book.open_scope(Scope("orders", Budget(100)))
    for stage in STAGES:
        print(json.dumps(interrupted(session, book, stage)), flush=True)  # noqa: T201
    gateway: Any = session.sparkContext._gateway
    java = gateway.proc.pid

    def tell() -> None:
        while not active(session):
            time.sleep(0.05)
        print(json.dumps({"java": java}), flush=True)  # noqa: T201

    threading.Thread(target=tell, daemon=True).start()
    release_sums(frame_of(session, 250), PLAN, ledger=book, release_id="the last")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
