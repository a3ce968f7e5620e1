"""CPU of a release against DuckDB's plain float sums of the same Parquet file.

Each task runs in a process of its own, several times in turn, and the least CPU time
counts. Peak memory is that of the release's process.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from figure import Figure

ROWS = 10_000_000
KEYS = 1_000
ROUNDS = 5
TASKS = ("release", "floats")

Z, H = "(weight * (score - label))", "(weight * (score + label))"
FLOAT_SUMS = {
    "even": (
        "sum(weight), sum(weight * label), sum(weight * score), sum(weight * weight), "
        "sum(weight * score * score), sum(weight * label * score)"
    ),
    "focused": f"sum({Z}), sum({H}), sum({Z} * {Z}), sum({Z} * {H}), sum({H} * {H})",
}


def figures() -> Iterator[Figure]:
    """Measure releases in one group and in a thousand."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "people.parquet")
        measured("write", path, 0, "")
        for strategy, keys in product(FLOAT_SUMS, (1, KEYS)):
            pairs = [
                tuple(measured(each, path, keys, strategy) for each in TASKS)
                for _ in range(ROUNDS)
            ]
            ours = min(pair[0]["cpu"] for pair in pairs)
            theirs = min(pair[1]["cpu"] for pair in pairs)
            memory = max(pair[0]["memory"] for pair in pairs)
            name = f"{strategy}_release_10m_rows_{keys}_groups"
            yield Figure(f"{name}_cpu_over_float_sums", ours / theirs, "<=2")
            yield Figure(f"{name}_peak_memory_gb", memory, "<1")


def measured(task: str, path: str, keys: int, strategy: str) -> dict[str, float]:
    """Run one task in a fresh process."""
    command = [sys.executable, __file__, task, path, str(keys), strategy]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    result: dict[str, float] = json.loads(done.stdout or "{}")
    return result


def write(path: str) -> None:
    """Invent weighted people in a thousand regions."""
    import duckdb

    duckdb.execute("SELECT setseed(0.5)")
    duckdb.execute(
        f"""COPY (
        SELECT (random() + random() + random()) / 3 AS score,
               CAST(random() < 0.45 AS INTEGER) AS label,
               greatest(least(-ln(random() + 1e-12), 3), 1 / 3) AS weight,
               'region ' || (range % {KEYS}) AS region
        FROM range({ROWS})) TO '{path}' (FORMAT parquet)"""
    )


def release(path: str, keys: int, strategy: str) -> None:
    """Release the sums of a strategy."""
    import dpratio as dpr

    names = [f"region {key}" for key in range(keys)]
    plan = dpr.make_plan(
        dpr.Ratio("score", per="label", weight="weight"),
        bounds={
            "score": dpr.Bounds(0, 1),
            "label": dpr.Bounds.binary(),
            "weight": dpr.Bounds(1 / 3, 3),
        },
        groups=None if keys == 1 else dpr.Groups("region", names),
        budget=dpr.Budget(epsilon=1),
        strategy=strategy,
    )
    dpr.release_sums(path, plan, ledger=None)


def floats(path: str, keys: int, strategy: str) -> None:
    """Add up the same sums as plain floats."""
    import duckdb

    group = "" if keys == 1 else " GROUP BY region"
    sums = FLOAT_SUMS[strategy]
    duckdb.execute(f"SELECT {sums} FROM '{path}'{group}").fetchnumpy()


def main(task: str, path: str, keys: int, strategy: str) -> dict[str, Any]:
    """Do a task once to warm up imports and the file cache, and once measured."""
    if task == "write":
        write(path)
        return {}
    work = {"release": release, "floats": floats}[task]
    work(path, keys, strategy)
    start = time.process_time()
    work(path, keys, strategy)
    cpu = time.process_time() - start
    return {"cpu": cpu, "memory": _peak_memory()}


def _peak_memory() -> float:
    status = Path(f"/proc/{os.getpid()}/status").read_text(encoding="utf-8")
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(peak.split()[1]) / 2**20


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])))
