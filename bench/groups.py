"""A million groups, two million people with many rows, a million intervals.

Each task runs in a process of its own, in turn, and the least CPU time counts; peak
memory is that of our process. Baselines are DuckDB's float sums of the same file, and
the bare NumPy formula of the delta method.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from figure import Figure

ROWS, GROUPS = 10_000_000, 1_000_000
UNIT_ROWS, UNITS, REGIONS = 20_000_000, 2_000_000, 50
ROUNDS = 3


def figures() -> Iterator[Figure]:
    """Measure all of it."""
    with tempfile.TemporaryDirectory() as folder:
        measured("write", folder)
        pairs = {
            "release_1m_groups_cpu_over_float_sums": ("release", "floats", "<=2.5"),
            "unit_totals_20m_rows_cpu_over_two_levels": ("units", "levels", "<=3"),
            "pivot_1m_groups_time_over_analytical": ("pivot", "analytical", "<=30"),
            "analytical_1m_groups_time_over_numpy": ("analytical", "numpy", "<=3"),
        }
        for name, (ours, theirs, target) in pairs.items():
            runs = [
                (measured(ours, folder), measured(theirs, folder))
                for _ in range(ROUNDS)
            ]
            best = [min(run[at]["cpu"] for run in runs) for at in (0, 1)]
            yield Figure(name, best[0] / best[1], target)
            memory = max(run[0]["memory"] for run in runs)
            yield Figure(f"{ours}_peak_memory_gb", memory, "<4")


def measured(task: str, folder: str) -> dict[str, float]:
    """Run one task in a fresh process."""
    command = [sys.executable, __file__, task, folder]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    result: dict[str, float] = json.loads(done.stdout or "{}")
    return result


def write(folder: Path) -> None:
    """Invent rows in a million shops, and people with ten rows each."""
    import duckdb

    duckdb.execute("SELECT setseed(0.5)")
    people = """(random() + random() + random()) / 3 AS score,
        CAST(random() < 0.45 AS INTEGER) AS label,
        greatest(least(-ln(random() + 1e-12), 3), 1 / 3) AS weight"""
    duckdb.execute(
        f"COPY (SELECT {people}, CAST(random() * {GROUPS} - 0.5 AS BIGINT) AS shop "
        f"FROM range({ROWS})) TO '{folder}/shops.parquet' (FORMAT parquet)"
    )
    duckdb.execute(
        f"COPY (SELECT {people}, CAST(random() * {UNITS} AS BIGINT) AS person, "
        f"CAST(random() * {REGIONS} - 0.5 AS BIGINT) AS region "
        f"FROM range({UNIT_ROWS})) TO '{folder}/people.parquet' (FORMAT parquet)"
    )


def plan_of(**terms: Any) -> Any:  # noqa: ANN401
    """Plan a weighted ratio."""
    import dpratio as dpr

    return dpr.make_plan(
        dpr.Ratio("score", per="label", weight="weight"),
        bounds={
            "score": dpr.Bounds(0, 1),
            "label": dpr.Bounds.binary(),
            "weight": dpr.Bounds(1 / 3, 3),
        },
        budget=dpr.Budget(epsilon=1),
        **terms,
    )


def release(folder: Path) -> None:
    """Aggregate, add noise and write, in a million groups."""
    import dpratio as dpr

    plan = plan_of(groups=dpr.Groups("shop", range(GROUPS)))
    released = dpr.release_sums(folder / "shops.parquet", plan, ledger=None)
    dpr.write_release(released, folder / "release.parquet")


def floats(folder: Path) -> None:
    """Add up the same five sums as plain floats, and write them."""
    import duckdb

    z, h = "(weight * (score - label))", "(weight * (score + label))"
    sums = ", ".join(
        f"sum({each})" for each in (z, h, f"{z}*{z}", f"{z}*{h}", f"{h}*{h}")
    )
    duckdb.execute(
        f"COPY (SELECT shop, {sums} FROM '{folder}/shops.parquet' GROUP BY shop) "
        f"TO '{folder}/floats.parquet' (FORMAT parquet)"
    )


def units(folder: Path) -> None:
    """Add up people's rows, in at most three regions each."""
    import dpratio as dpr

    plan = plan_of(
        groups=dpr.Groups("region", range(REGIONS)),
        unit=dpr.PrivacyUnit(
            "person",
            totals={"score": dpr.Bounds(0, 10), "label": dpr.Bounds(0, 10)},
            most_groups=3,
        ),
    )
    dpr.release_sums(folder / "people.parquet", plan, ledger=None)


def levels(folder: Path) -> None:
    """Add up the same in two levels, as plain floats and without a cap."""
    import duckdb

    z, h = "(s - y)", "(s + y)"
    sums = ", ".join(
        f"sum({each})" for each in (z, h, f"{z}*{z}", f"{z}*{h}", f"{h}*{h}")
    )
    duckdb.execute(
        f"SELECT region, {sums} FROM (SELECT person, region, sum(weight * score) AS s, "
        f"sum(weight * label) AS y FROM '{folder}/people.parquet' "
        "GROUP BY person, region) GROUP BY region"
    ).fetchnumpy()


def estimates(method: str) -> Any:  # noqa: ANN401
    """Make a release of a million groups once; give the function to time."""
    import numpy as np

    import dpratio as dpr
    from dpratio.study.person import person_of
    from dpratio.study.simulate import simulate_release

    plan = plan_of(n=1_000)
    rng = np.random.default_rng(1)
    sums = person_of(plan, dpr.PaperPopulation(1.1)).sums(1_000, GROUPS, rng)
    released = simulate_release(sums, plan, rng)
    return lambda: dpr.estimate_ratios(released, method=method)


def bare(_: Path) -> Any:  # noqa: ANN401
    """Write the delta method down in NumPy."""
    import numpy as np

    rng = np.random.default_rng(1)
    z, h, zz, zh, hh = rng.normal(50, 1, (5, GROUPS))
    integers = np.stack([z, h, zz, zh, hh], axis=1).astype(np.int64)
    noise = np.array([4.0, 1000.0, 1e4, 1e5, 1e6])

    def formula() -> Any:  # noqa: ANN401
        d, h, q, c, b = (integers * 0.5).T
        top, bottom = (d + h) / 2, (h - d) / 2
        ratio = top / bottom
        first, second = (1 + ratio) / 2, (1 - ratio) / 2
        spread = first**2 * q + 2 * first * second * c + second**2 * b
        added = first**2 * noise[0] + second**2 * noise[1]
        se = np.sqrt(np.maximum(spread + added, 0.0)) / bottom
        return ratio, ratio - 1.96 * se, ratio + 1.96 * se, se

    return formula


def main(task: str, folder: Path) -> dict[str, float]:
    """Do a task once to warm up imports and the file cache, and once measured."""
    if task == "write":
        write(folder)
        return {}
    if task in {"pivot", "analytical"}:
        work = estimates(task)
    elif task == "numpy":
        work = bare(folder)
    else:
        chosen = {
            "release": release,
            "floats": floats,
            "units": units,
            "levels": levels,
        }

        def work() -> None:
            chosen[task](folder)

    work()
    start = time.process_time()
    work()
    return {"cpu": time.process_time() - start, "memory": _peak_memory()}


def _peak_memory() -> float:
    status = Path(f"/proc/{os.getpid()}/status").read_text(encoding="utf-8")
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(peak.split()[1]) / 2**20


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], Path(sys.argv[2]))))
