"""How near proposed bounds come to the best ones, on shapes that nobody tuned to.

`python bench/bounds.py` prints the tables of docs/methods/bounds.md. The constants of
`analyst/bounds/noisy.py` were chosen on other parameters of these shapes.
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
from dpratio.analyst.bounds.noisy import Noisy, proposed
from dpratio.plan.ladder import Ladder

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]

LADDER = Ladder()
# As `propose.py` has it: what intervals of a ratio take of epsilon, and their level.
SHARED, NORMAL = 1.75, 1.96
# Who spends anything, and who is in the cluster near zero.
SPENDERS, NEAR = 0.35, 0.8
SHAPES: dict[str, Draw] = {
    "lognormal 0.8": lambda rng, n: rng.lognormal(5, 0.8, n),
    "lognormal 1.25": lambda rng, n: rng.lognormal(-1, 1.25, n),
    "lognormal 1.8": lambda rng, n: rng.lognormal(2, 1.8, n),
    "Pareto 1.3": lambda rng, n: 7 * (1 + rng.pareto(1.3, n)),
    "Pareto 1.7": lambda rng, n: 3 * (1 + rng.pareto(1.7, n)),
    "Pareto 2.3": lambda rng, n: 0.3 * (1 + rng.pareto(2.3, n)),
    "zero-inflated": lambda rng, n: rng.exponential(90, n) * (rng.random(n) < SPENDERS),
    "integers": lambda rng, n: rng.geometric(0.2, n).astype(float),
    "negative": lambda rng, n: -rng.gamma(3, 11, n),
    "two clusters": lambda rng, n: np.where(
        rng.random(n) < NEAR, rng.normal(5, 1, n), rng.normal(5000, 900, n)
    ),
    "all equal": lambda _, n: np.full(n, 0.3),
}
# What is capped, and where; of the last one in a thousand reaches the cap.
CAPS: dict[str, tuple[float, Draw]] = {
    "lognormal 0.9": (37, lambda rng, n: rng.lognormal(3, 0.9, n)),
    "exponential": (500, lambda rng, n: rng.exponential(150, n)),
    "lognormal 0.8": (500, lambda rng, n: rng.lognormal(4.5, 0.8, n)),
    "gamma": (600, lambda rng, n: rng.gamma(2, 120, n)),
    "lognormal 1.1": (600, lambda rng, n: rng.lognormal(4, 1.1, n)),
    "lognormal 1": (900, lambda rng, n: rng.lognormal(5, 1, n)),
    "Pareto 1.3": (13_000, lambda rng, n: 300 * (1 + rng.pareto(1.3, n))),
    "few reach it": (600, lambda rng, n: rng.lognormal(4, 0.8, n)),
}
OVER = 1.3
# Of so many rounds the least CPU time counts.
ROUNDS = 3
# People, what is spent on the histogram, and runs. Sums get nine times that.
BUDGETS = (
    (2_000, 0.5, 300),
    (10_000, 0.1, 300),
    (2_000, 2.5, 300),
    (10_000, 0.5, 300),
    (100_000, 0.05, 60),
)


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


def worth_of(values: Floats, epsilon: float) -> Callable[[Floats], Floats]:
    """Say how wide intervals are with each bound, bias included, known exactly."""
    sizes = np.sort(np.abs(values))
    people = len(sizes)
    sums = np.concatenate([[0.0], np.cumsum(sizes)])
    squares = np.concatenate([[0.0], np.cumsum(sizes**2)])

    def worth(bounds: Floats) -> Floats:
        at = np.searchsorted(sizes, bounds)
        once = sums[at] + bounds * (people - at)
        twice = squares[at] + bounds**2 * (people - at)
        noise = 2 * (SHARED * bounds / epsilon) ** 2
        sampling = np.maximum(twice - once**2 / people, 0)
        width = 2 * NORMAL * np.sqrt(sampling + noise)
        together: Floats = sums[-1] - once + width
        return together

    return worth


def shapes_table() -> None:
    """Print how much wider intervals are than with the bound that is best for them."""
    print("shape             people  epsilon  proposed  median  nine in ten")
    for name, draw in SHAPES.items():
        for people, epsilon, runs in BUDGETS:
            rng = np.random.default_rng(31)
            factors = []
            for _ in range(runs):
                values = draw(rng, people)
                found = noisy_histogram(rng, values, epsilon)
                bounds = proposed(found, epsilon=9 * epsilon, moved=1)
                if bounds is not None:
                    tried = np.abs(values).max() * 2.0 ** np.arange(-16, 1.1, 0.25)
                    worth = worth_of(values, 9 * epsilon)
                    best = worth(tried).min()
                    factors.append(float(worth(np.array([bounds.reach]))[0] / best))
            median, most = np.quantile(factors, [0.5, 0.9])
            said = f"{len(factors) / runs:8.3f}  {median:6.2f}  {most:11.2f}"
            print(f"{name:15} {people:8,}  {epsilon:7}  {said}", flush=True)


def caps_table() -> None:
    """Print how often a proposal is at most 1.3 times the cap of all values."""
    print("shape             people  epsilon    cap  within  median  nine in ten")
    for name, (cap, draw) in CAPS.items():
        for people, epsilon, runs in BUDGETS[2:]:
            rng = np.random.default_rng(34)
            factors = []
            for _ in range(runs):
                values = np.minimum(draw(rng, people), cap)
                found = noisy_histogram(rng, values, epsilon)
                bounds = proposed(found, epsilon=9 * epsilon, moved=1)
                factors.append(math.inf if bounds is None else bounds.reach / cap)
            within = np.mean([each <= OVER for each in factors])
            median, most = np.quantile(factors, [0.5, 0.9])
            said = f"{cap:5}  {within:6.3f}  {median:6.2f}  {most:11.2f}"
            print(f"{name:15} {people:8,}  {epsilon:7}  {said}", flush=True)


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
    print("none", found.pop(math.nan, 0))
    every = np.array(
        [(upper, count, *coverage_at(upper, "0.45")) for upper, count in found.items()]
    )
    for low, high in ((0, 400), (400, 600), (600, 1_000), (1_000, 2e6), (0, 2e6)):
        rows = every[(every[:, 0] > low) & (every[:, 0] <= high)]
        mean = np.average(rows[:, 2:], axis=0, weights=rows[:, 1])
        print("found", low, high, rows[:, 1].sum(), *mean)
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
                counts = dpr.bounds.plan_bounds(
                    study, budget=dpr.Budget(1), columns=asked
                )
                find = partial(dpr.release_sums, path, counts, ledger=None)
                found = least_cpu(find)
                name = f"{len(asked)}_histograms_of_{who}_{rows // 10**6}m_rows"
                yield Figure(f"{name}_cpu_over_release", found / plain, "<=2")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        for each in figures(int(sys.argv[1])):
            print(each, flush=True)
    else:
        shapes_table()
        caps_table()
        shoppers_table()
