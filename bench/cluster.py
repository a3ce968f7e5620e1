"""A cluster of a master and two workers: up to 10^8 rows of 10^6 people in 50 groups.

A release against the same five sums in floats, as anyone would write them: of rows, and
of what each person has in each group. Both run in turn in one session. What counts is
the CPU time of all processes: of Python, the driver, the master, the workers and their
executors. The median of the ratios of neighbouring runs is given.

Then a worker is killed with its executors in the middle of a release of people. What is
released less its noise equals, each time, the sums of the engine that is built in.
"""

import contextlib
import itertools
import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import patch

from figure import Figure
from fresh_process import run_fresh
from processor_time import of_all, run_pairs
from weighted_people import float_sums, weighted_plan, write_people

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

PEOPLE, KEYS, MOST_GROUPS, MOST_ROWS = 1_000_000, 50, 3, 5
ROUNDS = {6: 3, 7: 3, 8: 1}
FOLDER = Path("build/cluster")


def figures(largest: int = 7) -> Iterator[Figure]:
    """Measure every size, and kill a worker at the largest."""
    found = run_fresh(__file__, "measure", str(largest))
    for name, value in found.items():
        # Smaller sizes hold Spark's start of a job, and are there for the slopes.
        target = "<=1.5" if name.endswith(f"1e{largest}_cpu_over_float_sums") else "-"
        target = ">=1" if name.endswith("exact") else target
        yield Figure(f"cluster_{name}", value, target)


def measure(largest: int) -> dict[str, float]:
    """Start the cluster and measure in one session."""
    from spark_cluster import cluster

    found: dict[str, float] = {}
    paths = {power: _written(power) for power in range(6, largest + 1)}
    with tempfile.TemporaryDirectory() as at, cluster(Path(at), memory="3g") as made:
        session = _session(made.url)
        for power, path in paths.items():
            rows = session.read.parquet(path)
            rows.createOrReplaceTempView("people")
            for unit in ("rows", "people"):
                name, plan = f"{unit}_1e{power}", _plan(unit)
                cpu = _cpu(session, rows, plan, unit, ROUNDS[power])
                found[f"{name}_cpu_seconds"] = cpu[0]
                found[f"{name}_cpu_over_float_sums"] = cpu[1]
                print(f"{name}: {cpu[0]:.0f} s of CPU, {cpu[1]:.2f}", file=sys.stderr)
        sums = _killed(session, made, session.read.parquet(path), _plan("people"))
        with _without_noise():
            alone = _values(path, _plan("people"))
        found["of_people_after_a_kill_exact"] = sums == alone
        session.stop()
    for unit in ("rows", "people"):
        seconds = [found[f"{unit}_1e{power}_cpu_seconds"] for power in paths]
        steps = itertools.pairwise(seconds)
        found[f"{unit}_last_slope"] = [math.log10(b / a) for a, b in steps][-1]
    return found


def _written(power: int) -> str:
    """Invent the rows of a size, unless they are there."""
    path = FOLDER / f"people_1e{power}.parquet"
    FOLDER.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        more = (
            f"'region ' || CAST(floor(random() * {KEYS}) AS INTEGER) AS region, "
            f"CAST(floor(random() * {PEOPLE}) AS INTEGER) AS person"
        )
        write_people(f"{path}.part", 10**power, more)
        Path(f"{path}.part").rename(path)
    return str(path.absolute())


def _session(url: str) -> Any:  # noqa: ANN401
    from pyspark.sql import SparkSession

    options: dict[str, Any] = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.cores": "1",
        "spark.cores.max": "2",
        "spark.executor.memory": "2g",
        "spark.sql.shuffle.partitions": "16",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    return SparkSession.builder.master(url).config(map=options).getOrCreate()


def _plan(unit: str) -> Any:  # noqa: ANN401
    import dpratio as dpr

    terms: dict[str, Any] = {}
    if unit == "people":
        totals = {"score": dpr.Bounds(0, MOST_ROWS), "label": dpr.Bounds(0, MOST_ROWS)}
        terms["unit"] = dpr.PrivacyUnit(
            "person", totals=totals, most_groups=MOST_GROUPS
        )
    groups = dpr.Groups("region", [f"region {at}" for at in range(KEYS)])
    return weighted_plan(groups=groups, **terms)


def _cpu(
    session: Any,  # noqa: ANN401
    rows: object,
    plan: object,
    unit: str,
    rounds: int,
) -> tuple[float, float]:
    """Release and add up in floats in turn; give CPU seconds, and the ratio."""
    statement = f"SELECT region, {float_sums()} FROM people GROUP BY region"
    if unit == "people":
        z, h = "sum(weight * (score - label))", "sum(weight * (score + label))"
        inner = f"SELECT region, {z} AS z, {h} AS h FROM people GROUP BY person, region"
        statement = f"SELECT region, {float_sums('z', 'h')} FROM ({inner}) GROUP BY 1"
    return run_pairs(
        lambda: _values(rows, plan),
        lambda: session.sql(statement).collect(),
        lambda: of_all(os.getpid()),
        warm_up=1,
        pairs=rounds,
    )


def _killed(session: Any, made: Any, rows: object, plan: object) -> object:  # noqa: ANN401
    """Kill a worker when tasks of the release have ended and others run."""
    from spark_cluster import wait_until

    tracker = session.sparkContext.statusTracker()

    def is_in_the_middle() -> bool:
        stages = [tracker.getStageInfo(each) for each in tracker.getActiveStageIds()]
        return any(
            each is not None and each.numActiveTasks > 0 and each.numCompletedTasks > 1
            for each in stages
        )

    with _without_noise(), ThreadPoolExecutor(1) as pool:
        released = pool.submit(_values, rows, plan)
        wait_until(is_in_the_middle, "a task to end")
        made.kill_worker()
        return released.result()


def _values(table: object, plan: object) -> object:
    import dpratio as dpr

    released = dpr.release_sums(table, plan, ledger=None, simulated=True)  # type: ignore[arg-type]
    return released.questions[0].values.tolist()


@contextlib.contextmanager
def _without_noise() -> Iterator[None]:
    """Draw noise and add none: nobody is real."""
    from dpratio.curator import measure

    draw: Callable[..., Any] = vars(measure)["draw_noise"]
    with patch.object(measure, "draw_noise", lambda *given: 0 * draw(*given)):
        yield


def main(words: list[str]) -> None:
    """Print the figures up to a power of ten of rows, 7 unless said."""
    if words[:1] == ["measure"]:
        os.write(1, json.dumps(measure(int(words[1]))).encode())
        return
    for figure in figures(int(words[0]) if words else 7):
        print(figure, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
