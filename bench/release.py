"""CPU of a release against DuckDB's plain float sums of the same Parquet file.

Each task runs in a process of its own, several times in turn, and the least CPU time
counts. Peak memory is that of the release's process.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from figure import Figure
from fresh_process import THREADS, in_turn, run_fresh, second_time
from weighted_people import float_sums, weighted_plan, write_people

ROWS = 10_000_000
KEYS = 1_000
RATIOS = 3
TASKS = ("release", "floats")

FLOAT_SUMS = {
    "even": (
        "sum(weight), sum(weight * label), sum(weight * score), sum(weight * weight), "
        "sum(weight * score * score), sum(weight * label * score)"
    ),
    "focused": float_sums(),
}


def figures() -> Iterator[Figure]:
    """Measure releases in one group and in a thousand, and several ratios at once."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "people.parquet")
        run_fresh(__file__, "write", path, "0", "")
        for threads, strategy, keys in product(THREADS, FLOAT_SUMS, (1, KEYS)):
            words = (path, str(keys), strategy)
            ours, theirs = in_turn(__file__, TASKS, *words, threads=threads)
            name = f"{strategy}_release_10m_rows_{keys}_groups_{threads}_threads"
            share = ours["cpu"] / theirs["cpu"]
            yield Figure(f"{name}_cpu_over_float_sums", share, "<=1.5")
            yield Figure(f"{name}_peak_memory_gb", ours["memory"], "<1")
        for threads in THREADS:
            tasks = ("several", "release")
            several, one = in_turn(__file__, tasks, path, "1", "", threads=threads)
            name = f"release_10m_rows_{RATIOS}_ratios_{threads}_threads_cpu_over_one"
            yield Figure(name, several["cpu"] / one["cpu"], f"<{RATIOS}")


def write(path: str) -> None:
    """Invent weighted people in a thousand regions."""
    write_people(path, ROWS, f"'region ' || (range % {KEYS}) AS region")


def release(path: str, keys: int, strategy: str) -> None:
    """Release the sums of a strategy."""
    import dpratio as dpr

    names = [f"region {key}" for key in range(keys)]
    groups = None if keys == 1 else dpr.Groups("region", names)
    plan = weighted_plan(groups=groups, strategy=strategy or "focused")
    dpr.release_sums(path, plan, ledger=None)


def several(path: str, _keys: int, _strategy: str) -> None:
    """Release several ratios of the whole table, which share their columns."""
    import dpratio as dpr

    plan = weighted_plan()
    ratios = [dpr.Ratio("score", per="label", weight="weight")]
    ratios += [dpr.Ratio("score", per="weight"), dpr.Ratio("label", per="weight")]
    dpr.release_sums(
        path,
        dpr.make_plan(
            ratios,
            bounds=plan.bounds,
            budget=plan.budget,
            stage=0,
            clipping="unmeasured",
        ),
        ledger=None,
    )


def floats(path: str, keys: int, strategy: str) -> None:
    """Add up the same sums as plain floats."""
    import duckdb

    group = "" if keys == 1 else " GROUP BY region"
    sums = FLOAT_SUMS[strategy]
    duckdb.execute(f"SELECT {sums} FROM '{path}'{group}").fetchnumpy()


def main(task: str, path: str, keys: int, strategy: str) -> dict[str, float]:
    """Do a task, and measure the second time."""
    if task == "write":
        write(path)
        return {}
    work = {"release": release, "several": several, "floats": floats}[task]
    return second_time(lambda: work(path, keys, strategy))


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])))
