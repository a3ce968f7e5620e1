"""Time to show help, against importing typer, and to import the library."""

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from figure import Figure
from least_time import least_time

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
    run = partial(subprocess.run, command, check=True, capture_output=True)
    return least_time(run, ROUNDS)
