"""Measure what an installation weighs and how long it takes to start.

Usage: python tools/package/measure.py WHEEL
Sizes are of the files that packages bring, in MB (10⁶ bytes), without the bytecode
that Python adds. Times are processor seconds, the least of twenty.
"""

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from cells import environment
from declared import extras
from run_outside import run, uv
from wheelhouse import only_wheels

__all__ = ["sizes"]

ROUNDS = 20
SIZES = """
import importlib.metadata, json
print(json.dumps({
    each.name: sum(
        path.locate().stat().st_size
        for path in each.files or ()
        if path.suffix != ".pyc" and path.locate().is_file()
    )
    for each in importlib.metadata.distributions()
}))
"""


def main() -> None:
    """Print a table of sizes and one of times."""
    wheel = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "environment"
        with environment(sys.executable, place) as python:
            core = sizes(python, wheel, "")
            for name, size in sorted(core.items(), key=lambda each: -each[1]):
                print(f"{name:24} {size / 1e6:8.1f}")
            print(f"{'the core':24} {sum(core.values()) / 1e6:8.1f}")
            script = Path(python).with_name("dpratio")
            print_times(python, str(script))
        for extra in extras():
            with environment(sys.executable, place) as python:
                more = sizes(python, wheel, extra)
                added = {name: more[name] for name in set(more) - set(core)}
                largest = sorted(added, key=lambda name: -added[name])[:4]
                words = ", ".join(f"{each} {added[each] / 1e6:.0f}" for each in largest)
                total = sum(added.values()) / 1e6
                print(f"{extra:24} {total:8.1f}  {len(added)} packages: {words}")


def sizes(python: str, wheel: Path, extra: str) -> dict[str, int]:
    """Install the wheel with an extra, and weigh every package."""
    given = f"dpratio[{extra}] @ {wheel.as_uri()}" if extra else str(wheel)
    wheels = only_wheels([extra] if extra else [])
    run(uv("pip", "install", "--python", python, *wheels, given), "not installed")
    found: dict[str, int] = json.loads(run([python, "-c", SIZES], "not weighed"))
    return found


def print_times(python: str, script: str) -> None:
    """Print how long commands take that a reader waits for."""
    for words, command in {
        "python": [python, "-c", "pass"],
        "import dpratio": [python, "-c", "import dpratio"],
        "import typer": [python, "-c", "import typer"],
        "dpratio --help": [script, "--help"],
        "estimate_ratios": [python, "-c", "from dpratio import estimate_ratios"],
    }.items():
        print(f"{words:24} {least(command):8.3f} s")


def least(command: list[str]) -> float:
    """Give the least processor time of a few rounds, the first not counted."""
    times = []
    for _ in range(ROUNDS + 1):
        before = spent()
        subprocess.run(command, check=True, capture_output=True)
        times.append(spent() - before)
    return min(times[1:])


def spent() -> float:
    """Give the processor seconds of all commands so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
