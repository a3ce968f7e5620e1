"""One task in a process of its own: run, done twice, timed and weighed."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path


def run_fresh(script: str, *words: str) -> dict[str, float]:
    """Run one task of a script in a fresh process; give the figures it prints."""
    command = [sys.executable, script, *words]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    result: dict[str, float] = json.loads(done.stdout or "{}")
    return result


def second_time(work: Callable[[], object]) -> dict[str, float]:
    """Do a task once to warm up imports and the file cache, and once measured."""
    work()
    start = time.process_time()
    work()
    return {"cpu": time.process_time() - start, "memory": _peak_memory()}


def _peak_memory() -> float:
    """Give the most memory this process has held, in GB."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(peak.split()[1]) / 2**20
