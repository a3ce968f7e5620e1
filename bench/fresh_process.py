"""One task in a process of its own: run, done twice, timed and weighed.

A number of threads may be set: for DuckDB, for matrix libraries, and as the processors
that the process may use.
"""

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_THREADS = "DPRATIO_BENCH_THREADS"
PROCESSORS = sorted(os.sched_getaffinity(0))
# What is asked for, as far as this machine has it.
MOST = 16
THREADS = [each for each in (1, 2, MOST) if each <= len(PROCESSORS)]
# Where there are lines for so many threads, long tasks are done less often.
_ROUNDS = 3
_LONGEST = 4.0 if MOST in THREADS else math.inf


def run_fresh(script: str, *words: str, threads: int | None = None) -> dict[str, float]:
    """Run one task of a script in a fresh process; give the figures it prints."""
    command = [sys.executable, script, *words]
    told = {} if threads is None else {_THREADS: str(threads)}
    if threads is not None:
        told |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), str(threads))
    done = subprocess.run(
        command,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | told,
    )
    result: dict[str, float] = json.loads(done.stdout or "{}")
    return result


def in_turn(
    script: str, tasks: tuple[str, str], *words: str, threads: int
) -> list[dict[str, float]]:
    """Do two tasks in turn, a few times; give the least CPU and the most memory."""
    start = time.monotonic()
    rounds: list[list[dict[str, float]]] = []
    while len(rounds) < _ROUNDS and (not rounds or time.monotonic() - start < _LONGEST):
        rounds.append(
            [run_fresh(script, each, *words, threads=threads) for each in tasks]
        )
    return [
        {
            "cpu": min(each["cpu"] for each in runs),
            "memory": max(each["memory"] for each in runs),
        }
        for runs in zip(*rounds, strict=True)
    ]


def second_time(work: Callable[[], object]) -> dict[str, float]:
    """Do a task once to warm up imports and the file cache, and once measured."""
    _keep_to_threads()
    work()
    start = time.process_time()
    work()
    return {"cpu": time.process_time() - start, "memory": _peak_memory()}


def _peak_memory() -> float:
    """Give the most memory this process has held, in GB."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(peak.split()[1]) / 2**20


def _keep_to_threads() -> None:
    """Use as many processors and threads as this process was told to."""
    if _THREADS not in os.environ:
        return
    import duckdb

    threads = int(os.environ[_THREADS])
    os.sched_setaffinity(0, PROCESSORS[:threads])
    connect = duckdb.connect

    def with_threads(*words: Any, **options: Any) -> duckdb.DuckDBPyConnection:  # noqa: ANN401
        connection = connect(*words, **options)
        connection.execute(f"SET threads = {threads}")
        return connection

    duckdb.connect = with_threads
    duckdb.execute(f"SET threads = {threads}")
    # A query of some seconds would write its bar between our figures.
    duckdb.execute("SET enable_progress_bar = false")
