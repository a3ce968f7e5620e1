"""Time to show help, against importing typer, and to import the library."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from figure import Figure

ROUNDS = 10


def figures() -> Iterator[Figure]:
    """Measure the console script."""
    script = str(Path(sys.executable).with_name("dpratio"))
    ours = best([script, "--help"])
    typer = best([sys.executable, "-c", "import typer"])
    yield Figure("help_over_import_typer", ours / typer, "<=2")
    bare = best([sys.executable, "-c", "pass"])
    imported = best([sys.executable, "-c", "import dpratio"])
    yield Figure("import_dpratio_milliseconds", 1_000 * (imported - bare), "<=50")


def best(command: list[str]) -> float:
    """Give the least wall time of a few rounds, the first not counted."""
    times = []
    for _ in range(ROUNDS + 1):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return min(times[1:])
