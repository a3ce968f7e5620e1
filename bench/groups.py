"""A million groups, two million people with many rows, a million intervals.

Each task runs in a process of its own, in turn, and the least CPU time counts; peak
memory is that of our process. Baselines are DuckDB's float sums of the same file, and
the bare NumPy formula of the delta method.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from figure import Figure
from fresh_process import THREADS, in_turn, run_fresh, second_time
from weighted_people import float_sums, weighted_plan, write_people

ROWS, GROUPS = 10_000_000, 1_000_000
UNIT_ROWS, UNITS, REGIONS = 20_000_000, 2_000_000, 50


def figures() -> Iterator[Figure]:
    """Measure all of it."""
    with tempfile.TemporaryDirectory() as folder:
        run_fresh(__file__, "write", folder)
        pairs = {
            "release_1m_groups_cpu_over_float_sums": ("release", "floats", "<=2"),
            "unit_totals_20m_rows_cpu_over_two_levels": ("units", "levels", "<=2.5"),
            "pivot_1m_groups_time_over_analytical": ("pivot", "analytical", "<=5"),
            "analytical_1m_groups_time_over_numpy": ("analytical", "numpy", "<=3"),
        }
        for threads, name in product(THREADS, pairs):
            ours, theirs, target = pairs[name]
            mine, other = in_turn(__file__, (ours, theirs), folder, threads=threads)
            share = mine["cpu"] / other["cpu"]
            yield Figure(f"{name}_{threads}_threads", share, target)
            memory = f"{ours}_peak_memory_gb_{threads}_threads"
            yield Figure(memory, mine["memory"], "<4")


def write(folder: Path) -> None:
    """Invent rows in a million shops, and people with ten rows each."""
    shop = f"CAST(random() * {GROUPS} - 0.5 AS BIGINT) AS shop"
    write_people(f"{folder}/shops.parquet", ROWS, shop)
    person = f"CAST(random() * {UNITS} AS BIGINT) AS person"
    region = f"CAST(random() * {REGIONS} - 0.5 AS BIGINT) AS region"
    write_people(f"{folder}/people.parquet", UNIT_ROWS, f"{person}, {region}")


def release(folder: Path) -> None:
    """Aggregate and add noise, in a million groups."""
    import dpratio as dpr

    plan = weighted_plan(groups=dpr.Groups("shop", range(GROUPS)))
    dpr.release_sums(folder / "shops.parquet", plan, ledger=None)


def floats(folder: Path) -> None:
    """Add up the same five sums as plain floats."""
    import duckdb

    sums = float_sums()
    duckdb.execute(
        f"SELECT shop, {sums} FROM '{folder}/shops.parquet' GROUP BY shop"
    ).fetchnumpy()


def units(folder: Path) -> None:
    """Add up people's rows, in at most three regions each."""
    import dpratio as dpr

    plan = weighted_plan(
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

    sums = float_sums("(s - y)", "(s + y)")
    duckdb.execute(
        f"SELECT region, {sums} FROM (SELECT person, region, sum(weight * score) AS s, "
        f"sum(weight * label) AS y FROM '{folder}/people.parquet' "
        "GROUP BY person, region) GROUP BY region"
    ).fetchnumpy()


def estimates(method: str) -> Any:  # noqa: ANN401
    """Make a release of a million groups once; give the function to time."""
    import numpy as np

    import dpratio as dpr
    from dpratio.simulation.forecast.unit_moments import unit_moments
    from dpratio.simulation.simulate import simulate_release

    plan = weighted_plan(n=1_000)
    rng = np.random.default_rng(1)
    (question,) = plan.measurements
    people = dpr.simulation.PaperPopulation(1.1)
    sums = unit_moments(plan, question, people).sums(1_000, GROUPS, rng)
    released = simulate_release(sums, plan, question, rng)
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
    """Do a task, and measure the second time."""
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

    return second_time(work)


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], Path(sys.argv[2]))))
