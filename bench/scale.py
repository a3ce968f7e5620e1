"""A billion rows on one machine: a release under a memory cap, from 10^6 to 10^9 rows.

Each release runs in a fresh process under a cap of 2 GB (`scale_task`), of small sizes
several times: the least of each time counts, and the most memory. Sums without their
noise are compared with those of `scale_truth`, integer by integer.

Slopes are least squares of log time against log rows. Those of a whole process hold
Python's start, imports and planning, about a second at any size; those of the
aggregation are of the engine alone, from the first row to the last. Nothing is
subtracted from either.
"""

import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from figure import Figure
from scale_people import DECLARED, FOLDER, files, glob_of, write
from scale_task import plan_of
from scale_truth import Lattice, sums

CAP = 2 * 10**9
ROUNDS = {6: 5, 7: 3, 8: 2}  # And one of larger sizes.
MOST_PEOPLE = 8  # Powers of ten of rows to which people with ids are measured.
TIMES = ("wall", "cpu", "aggregation_wall", "aggregation_cpu")

Runs = dict[int, dict[str, Any]]


def figures(largest: int = 9) -> Iterator[Figure]:
    """Write the files, show that the cap binds, and measure each kind of plan."""
    start = time.perf_counter()
    size = write(largest)
    yield Figure("scale_writing_seconds", time.perf_counter() - start, "-")
    yield Figure("scale_rows", 10.0**largest, ">=1e+09")
    yield Figure("scale_files_gb", size / 1e9, ">2")
    yield Figure("scale_load_average", os.getloadavg()[0], "-")
    yield from controls()
    powers = range(6, largest + 1)
    tables = {}
    for kind in ("regions", "whole"):
        runs = {power: measured(kind, power) for power in powers}
        yield from streaming(kind, runs)
        yield from exactness(kind, runs)
        tables[kind] = runs
    people = {p: measured("people", p) for p in range(6, min(largest, MOST_PEOPLE) + 1)}
    yield from of_people(people)
    yield from exactness("people", people)
    tables["people"] = people
    yield Figure("scale_seconds_in_all", time.perf_counter() - start, "<1500")
    table = FOLDER / "table.md"
    table.write_text(markdown(tables), encoding="utf-8")


def controls() -> Iterator[Figure]:
    """Show that 3 GB are refused under the cap, and for no other reason."""
    dies = not run("control", "", CAP)["done"]
    lives = run("control", "", 0)["done"]
    yield Figure("scale_control_of_3_gb_dies_under_cap", dies, ">=1")
    yield Figure("scale_control_of_3_gb_lives_without_cap", lives, ">=1")


def streaming(kind: str, runs: Runs) -> Iterator[Figure]:
    """Give the figures of a plan whose memory must not grow with rows."""
    for power, run_ in runs.items():
        name = f"scale_{kind}_1e{power}_rows"
        yield Figure(f"{name}_done_under_2_gb", run_["done"], ">=1")
        for of in TIMES:
            yield Figure(f"{name}_{of}_seconds", run_[of], "-")
        yield Figure(f"{name}_peak_resident_gb", run_["resident"] / 1e9, "<2")
        yield Figure(f"{name}_peak_mapped_gb", run_["mapped"] / 1e9, "<2")
    for of, target in {
        "aggregation_cpu": ">=0.95,<=1.05",
        "aggregation_wall": ">=0.95,<=1.05",
        "cpu": "-",
        "wall": "-",
    }.items():
        whole = "" if of.startswith("aggregation") else "process_"
        yield Figure(f"scale_{kind}_{whole}{of}_slope", slope(runs, of), target)
    first, last = (runs[at]["resident"] for at in (min(runs), max(runs)))
    yield Figure(f"scale_{kind}_resident_last_over_first", last / first, "<=1.2")


def of_people(runs: Runs) -> Iterator[Figure]:
    """Give the figures of people with ids, whose memory grows with their number."""
    for power, run_ in runs.items():
        name = f"scale_people_1e{power}_rows"
        yield Figure(f"{name}_done_under_2_gb", run_["done"], "-")
        yield Figure(f"{name}_cpu_seconds", run_["cpu"], "-")
        yield Figure(f"{name}_wall_seconds", run_["wall"], "-")
        yield Figure(f"{name}_peak_resident_gb", run_["resident"] / 1e9, "-")
        yield Figure(f"{name}_peak_mapped_gb", run_["mapped"] / 1e9, "-")


def exactness(kind: str, runs: Runs) -> Iterator[Figure]:
    """Compare the exact sums of every size with those made without the files."""
    question = plan_of(kind).questions[0]
    lattice = Lattice(tuple(each.step for each in question.sums))
    if kind == "people":
        # The totals of a person are counted on one lattice, up to their bound of 20.
        step = question.sums[0].step
        lattice = Lattice(lattice.steps, step, round(20 / step))
    found = made_again(max(runs), lattice)
    for power, run_ in runs.items():
        if "sums" in run_:
            truth = sum(each for stop, each in found.items() if stop <= 10**power)
            truth = np.sum(truth, axis=0)[None] if kind == "whole" else truth[:DECLARED]
            same = np.array_equal(np.array(run_["sums"], dtype=np.int64), truth)
            yield Figure(f"scale_{kind}_1e{power}_rows_sums_are_exact", same, ">=1")


@cache
def made_again(largest: int, lattice: Lattice) -> dict[int, Any]:
    """Add up the rows of every file without it, by the row number at which it stops."""
    starts, stops = zip(
        *((each.start, each.stop) for each in files(largest)), strict=True
    )
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(sums, starts, stops, [lattice] * len(stops))
        return dict(zip(stops, found, strict=True))


def measured(kind: str, power: int) -> dict[str, Any]:
    """Release a size several times; keep the least times and the most memory.

    Where the cap stops people with ids, they are measured once more without it.
    """
    runs = []
    for _ in range(ROUNDS.get(power, 1)):
        runs.append(run(kind, glob_of(power), CAP))
        if not runs[-1]["done"]:
            return run(kind, glob_of(power), 0) | {"done": False}
    least = {of: min(each[of] for each in runs) for of in TIMES}
    most = {of: max(each[of] for each in runs) for of in ("resident", "mapped")}
    return runs[0] | least | most


def run(task: str, path: str, cap: int) -> dict[str, Any]:
    """Run one task in a fresh process, and time it from outside."""
    script = str(Path(__file__).with_name("scale_task.py"))
    command = [sys.executable, script, task, path, str(cap)]
    start = time.perf_counter()
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    wall = time.perf_counter() - start
    if done.returncode:  # The cap may end a process before it can say so.
        print(done.stderr, file=sys.stderr)
    told: dict[str, Any] = (
        {"done": False} if done.returncode else json.loads(done.stdout)
    )
    return told | {"wall": wall}


def slope(runs: Runs, of: str) -> float:
    """Fit log time to log rows."""
    times = [math.log10(each[of]) for each in runs.values()]
    return statistics.linear_regression(list(runs), times).slope


def markdown(tables: dict[str, Runs]) -> str:
    """Write the tables of docs/methods/scale.md."""
    head = (
        "| rows | under 2 GB | wall | CPU | engine wall | engine CPU | RSS | mapped |"
    )
    lines: list[str] = []
    for kind, runs in tables.items():
        lines += [f"{kind}\n", head, "|--:|:-:|" + "--:|" * 6]
        for power, each in runs.items():
            cells = [f"10^{power}", "yes" if each["done"] else "no"]
            cells += [f"{each[of]:.3g} s" for of in TIMES]
            cells += [f"{each[of] / 1e6:.0f} MB" for of in ("resident", "mapped")]
            lines.append(f"| {' | '.join(cells)} |")
        slopes = [f"{of} {slope(runs, of):.3f}" for of in TIMES]
        lines.append(f"\nslopes: {', '.join(slopes)}\n")
    return "\n".join(lines)


def main(words: Sequence[str]) -> None:
    """Print the figures up to a power of ten of rows, 9 unless said."""
    if words and words[0] not in {"7", "8", "9"}:
        raise SystemExit("say 7, 8 or 9: the power of ten of rows")
    for figure in figures(int(words[0]) if words else 9):
        print(figure, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
