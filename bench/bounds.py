"""How near proposed bounds come to the best ones, on shapes that nobody tuned to.

`python bench/bounds.py` prints the tables of docs/methods/bounds.md. The constants of
`plan/histogram/propose.py` were chosen on other parameters of these shapes.
`python bench/bounds.py 10000000` prints what histograms of so many rows cost in CPU
time, beside the plain release of the same columns.
"""

import math
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from figure import Figure
from least_time import least_time
from numpy.typing import NDArray

import dpratio as dpr
from dpratio.plan.histogram.ladder import Ladder
from dpratio.plan.histogram.propose import Noisy, proposed

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]

LADDER = Ladder()
# As `propose.py` has it: what intervals of a ratio take of epsilon, and their level.
SHARED, NORMAL = 1.75, 1.96
FACTOR = 4
# Who spends anything, and who is in the cluster near zero.
SPENDERS, NEAR = 0.35, 0.8
SHAPES: dict[str, Draw] = {
    "lognormal 0.75": lambda rng, n: rng.lognormal(5, 0.75, n),
    "lognormal 1.25": lambda rng, n: rng.lognormal(-1, 1.25, n),
    "Pareto 1.75": lambda rng, n: 3 * (1 + rng.pareto(1.75, n)),
    "Pareto 2.5": lambda rng, n: 0.2 * (1 + rng.pareto(2.5, n)),
    "zero-inflated": lambda rng, n: rng.exponential(90, n) * (rng.random(n) < SPENDERS),
    "integers": lambda rng, n: rng.geometric(0.2, n).astype(float),
    "negative": lambda rng, n: -rng.gamma(3, 11, n),
    "two clusters": lambda rng, n: np.where(
        rng.random(n) < NEAR, rng.normal(5, 1, n), rng.normal(5000, 900, n)
    ),
    "all equal": lambda _, n: np.full(n, 0.3),
}
# Of so many rounds the least CPU time counts.
ROUNDS = 3
# People, and what is spent on the histogram: together 1,000. Sums get nine times that.
BUDGETS = ((2_000, 0.5, 300), (10_000, 0.1, 300), (100_000, 0.01, 60))


def places_on(ladder: Ladder, values: Floats) -> NDArray[np.int64]:
    """Give the cell of each number, as `Ladder.place` does."""
    edges = np.array(ladder.edges)
    left = np.searchsorted(edges, values, side="left")
    return np.where(values < 0, left, np.searchsorted(edges, values, side="right"))


def noisy_histogram(rng: np.random.Generator, values: Floats, epsilon: float) -> Noisy:
    """Count values as the curator does, with Laplace noise."""
    counts = np.bincount(places_on(LADDER, values), minlength=len(LADDER.labels))
    noise = np.rint(rng.laplace(0, 1 / epsilon, len(counts)))
    return Noisy(LADDER, tuple(int(each) for each in counts + noise), 1 / epsilon)


def best_bound(values: Floats, epsilon: float) -> float:
    """Find the bound whose bias and width, known exactly, add up to least."""
    sizes = np.sort(np.abs(values))
    people = len(sizes)
    sums = np.concatenate([[0.0], np.cumsum(sizes)])
    squares = np.concatenate([[0.0], np.cumsum(sizes**2)])
    bounds = sizes[-1] * 2.0 ** np.arange(-16, 1.1, 0.25)
    at = np.searchsorted(sizes, bounds)
    bias = sums[-1] - sums[at] - bounds * (people - at)
    once = sums[at] + bounds * (people - at)
    twice = squares[at] + bounds**2 * (people - at)
    noise = 2 * (SHARED * bounds / epsilon) ** 2
    sampling = np.maximum(twice - once**2 / people, 0)
    width = 2 * NORMAL * np.sqrt(sampling + noise)
    return float(bounds[np.argmin(bias + width)])


def shapes_table() -> None:
    """Print, for each shape, how often a proposal is within a factor 4 of the best."""
    print("shape            people  within 4  median factor")
    for name, draw in SHAPES.items():
        for people, epsilon, runs in BUDGETS:
            rng = np.random.default_rng(31)
            factors = []
            for _ in range(runs):
                values = draw(rng, people)
                found = noisy_histogram(rng, values, epsilon)
                bounds = proposed(found, epsilon=9 * epsilon, moved=1)
                best = best_bound(values, 9 * epsilon)
                factors.append(math.inf if bounds is None else bounds.reach / best)
            near = np.mean([1 / FACTOR <= each <= FACTOR for each in factors])
            print(f"{name:15} {people:7,}  {near:8.3f}  {np.median(factors):13.2f}")


def shoppers(
    rng: np.random.Generator, repetitions: int, people: int
) -> dpr.simulation.People:
    """Invent the shoppers of the guide."""
    orders = rng.integers(1, 5, (repetitions, people)).astype(float)
    spent = orders * rng.lognormal(3.0, 0.8, (repetitions, people))
    return dpr.simulation.People(spent, orders)


def coverage_at(upper: float, epsilon: str) -> tuple[float, float]:
    """Measure how often intervals hold the uncut ratio, and how wide they are."""
    plan = dpr.make_plan(
        dpr.Ratio("spent", per="orders", guess=25, guess_is="unknown"),
        bounds={"spent": dpr.Bounds(0, upper), "orders": dpr.Bounds(0, 4)},
        budget=dpr.Budget(epsilon),
        n=3_000,
        clipping="unmeasured",
    )
    truth = float(np.exp(3.0 + 0.8**2 / 2))
    table = dpr.simulation.measure_coverage(
        shoppers, plan, n=3_000, truth=truth, repetitions=2_000, rng=2
    )
    row = table.to_dicts()[0]
    return row["coverage"], row["width"]


def shoppers_table() -> None:
    """Print what is proposed for the guide's shoppers, and bounds set by hand."""
    rng, found = np.random.default_rng(32), Counter[float]()
    for _ in range(4_000):
        values = shoppers(rng, 1, 3_000).score[0]
        bounds = proposed(noisy_histogram(rng, values, 0.05), epsilon=0.45, moved=1)
        found[math.nan if bounds is None else bounds.reach] += 1
    for upper, count in sorted(found.items()):
        print("found", upper, count, *coverage_at(upper, "0.45"))
    for upper in (400, 500, 600, 800):
        print("by hand", upper, *coverage_at(upper, "0.5"))


def figures(rows: int = 10_000_000) -> Iterator[Figure]:
    """Measure the CPU time of histograms over that of the plain release.

    Single rows, and people with four rows each; one histogram, and one of each column.
    """
    rng = np.random.default_rng(33)
    everyone = shoppers(rng, 1, rows)
    columns = {
        "person": np.arange(rows) // 4,
        "spent": everyone.score[0],
        "orders": everyone.label[0],
    }
    bounds = {"spent": dpr.Bounds(0, 800), "orders": dpr.Bounds(0, 4)}
    totals = {"spent": dpr.Bounds(0, 3200), "orders": dpr.Bounds(0, 16)}
    people = dpr.PrivacyUnit("person", totals=totals)
    least_cpu = partial(least_time, rounds=ROUNDS, clock=time.process_time)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "shoppers.parquet")
        pq.write_table(pa.table(columns), path)
        del columns, everyone
        for who, unit in (("rows", dpr.PrivacyUnit()), ("people", people)):
            study = dpr.Study(
                dpr.Ratio("spent", per="orders"),
                bounds=bounds,
                budget=dpr.Budget(1),
                unit=unit,
            )
            plan = dpr.make_plan(study)
            plain = least_cpu(partial(dpr.release_sums, path, plan, ledger=None))
            for asked in (["spent"], ["spent", "orders"]):
                find = partial(dpr.bounds.release_bounds, path, study, ledger=None)
                found = least_cpu(partial(find, budget=dpr.Budget(1), columns=asked))
                name = f"{len(asked)}_histograms_of_{who}_{rows // 10**6}m_rows"
                yield Figure(f"{name}_cpu_over_release", found / plain, "<=2")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        for each in figures(int(sys.argv[1])):
            print(each, flush=True)
    else:
        shapes_table()
        shoppers_table()
