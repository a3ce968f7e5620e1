"""Does the time that a release takes tell anything? One line per figure: name value.

Two questions. Does the time go with the noise that was drawn (same table, fresh
noise)? And does it change with one unit's presence (releases with and without it in
turn): one of many rows, one person among many, one person who holds half of all rows?
Running time is not promised to tell nothing; SECURITY.md says what was found.
``python bench/timing.py [RELEASES]``
"""

import gc
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import stats

import dpratio as dpr
from dpratio.curator.choose_engine import open_table
from dpratio.curator.statements import readings_of
from dpratio.plan.plan import Plan

# What a person waits for, and what the processor spends: less hidden by other work.
CLOCKS = ("wall", "cpu")
ROWS = 20_000
BOUNDS = {"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()}


@dataclass(frozen=True)
class Case:
    """A plan, and a table with and without one unit."""

    plan: Plan
    table: object
    without: object


def main(releases: int) -> None:
    """Print every figure."""
    cases = make_cases()
    report_noise(cases["row"], releases)
    for name, case in cases.items():
        report_presence(name, case, releases // 5)


def make_cases() -> dict[str, Case]:
    """Invent rows, and people who hold them."""
    many, chance = ROWS, np.random.default_rng(1)
    columns = {
        "score": chance.random(many),
        "label": chance.integers(0, 2, many),
        "person": np.arange(many) // 4 + 1,
    }
    table = pa.table(columns)
    half = pa.table(
        {
            **columns,
            "person": np.where(np.arange(many) < many // 2, 0, columns["person"]),
        }
    )
    totals = {"score": dpr.Bounds(0, 4), "label": dpr.Bounds(0, 4)}
    people = plan_of(dpr.PrivacyUnit("person", totals=totals))
    return {
        "row": Case(plan_of(dpr.PrivacyUnit()), table, without(table, 1)),
        "person_of_few_rows": Case(people, table, without(table, 4)),
        "person_of_half_the_rows": Case(people, half, without(half, many // 2)),
    }


def without(table: pa.Table, first: int) -> pa.Table:
    """Leave the first rows out; a copy, since a slice is read another way."""
    return table.take(pa.array(np.arange(first, table.num_rows)))


def plan_of(unit: dpr.PrivacyUnit) -> Plan:
    """Plan one ratio for the whole table."""
    return dpr.make_plan(
        dpr.Ratio("score", per="label", guess=1.0),
        bounds=BOUNDS,
        unit=unit,
        budget=dpr.Budget(1, "1e-6"),
        mechanism="laplace",
    )


def report_noise(case: Case, releases: int) -> None:
    """Rank correlation of time with noise: signed, its size, and its largest share."""
    [reading] = readings_of(case.plan, [None])
    [statement] = reading.statements
    nothing = np.zeros((1, len(case.plan.measurements[0].sums)), dtype=np.int64)
    exact = open_table(case.table, statement)().plus(nothing)[0]
    ask = releaser(case.plan)
    ask(case.table)
    taken, noise = [], []
    for _ in range(releases):
        seconds, values = ask(case.table)
        taken.append(seconds)
        noise.append(values - exact)
    scaled = np.array(noise) / [each.scale for each in case.plan.measurements[0].sums]
    wanted = {
        "noise_of_first_sum": scaled[:, 0],
        "size_of_noise_of_first_sum": np.abs(scaled[:, 0]),
        "largest_noise_of_any_sum": np.abs(scaled).max(axis=1),
    }
    show("timing_releases", releases)
    show("timing_spearman_standard_error", 1 / (releases - 1) ** 0.5)
    for clock, times in zip(CLOCKS, np.array(taken).T, strict=True):
        show(f"timing_median_{clock}_ms", 1e3 * float(np.median(times)))
        for name, drawn in wanted.items():
            found = stats.spearmanr(times, drawn)
            prefix = f"timing_spearman_{clock}_{name}"
            show(prefix, float(found.statistic))
            show(f"{prefix}_pvalue", float(found.pvalue))


def report_presence(name: str, case: Case, pairs: int) -> None:
    """Medians with and without a unit, in turn, and a signed-rank test of each pair."""
    ask = releaser(case.plan)
    tables = (case.table, case.without)
    for table in tables:
        ask(table)
    taken: NDArray[np.float64] = np.empty((pairs, 2, len(CLOCKS)))
    for at in range(pairs):
        for which in (0, 1) if at % 2 else (1, 0):
            taken[at, which] = ask(tables[which])[0]
    show(f"timing_{name}_pairs", pairs)
    for clock, times in zip(CLOCKS, np.moveaxis(taken, 2, 0), strict=True):
        apart = times[:, 0] - times[:, 1]
        prefix = f"timing_{name}_{clock}"
        show(f"{prefix}_median_ms_with", 1e3 * float(np.median(times[:, 0])))
        show(f"{prefix}_median_ms_without", 1e3 * float(np.median(times[:, 1])))
        show(f"{prefix}_median_difference_us", 1e6 * float(np.median(apart)))
        show(f"{prefix}_share_of_pairs_longer_with", float(np.mean(apart > 0)))
        show(f"{prefix}_wilcoxon_pvalue", float(stats.wilcoxon(apart).pvalue))


def releaser(
    plan: Plan,
) -> Callable[[object], tuple[tuple[float, float], NDArray[np.int64]]]:
    """Give what makes a release and says how long it took, by each clock."""

    def ask(table: object) -> tuple[tuple[float, float], NDArray[np.int64]]:
        started = time.perf_counter(), time.process_time()
        release = dpr.release_sums(table, plan, ledger=None)
        stopped = time.perf_counter(), time.process_time()
        taken = stopped[0] - started[0], stopped[1] - started[1]
        return taken, release.questions[0].values[0]

    return ask


def show(name: str, value: float) -> None:
    """Print one figure."""
    print(f"{name} {value:.4g}", flush=True)


if __name__ == "__main__":
    gc.disable()
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
