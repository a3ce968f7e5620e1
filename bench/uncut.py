"""How often intervals of ratios without cuts cover, and how wide they are.

`python bench/uncut.py` prints the tables of docs/methods/bounds.md; `--runs` and
`--workers` make it shorter. People are drawn anew for every run, counted and clipped as
the curator does. Bounds, plans and intervals are the library's own.
"""

import argparse
from collections.abc import Callable
from functools import cache
from multiprocessing import Pool
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dpratio as dpr
from dpratio.analyst.bounds.cut_off import NOTHING, Lost, lost_beyond
from dpratio.analyst.ratio.confidence_set import confidence_set
from dpratio.analyst.ratio.cuts.clipped import were_more_cut
from dpratio.analyst.ratio.cuts.uncut import uncut_ends
from dpratio.analyst.ratio.statistic import statistic_of
from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.analyst.sums.moments import Moments, moments_of
from dpratio.plan.histogram.found_bounds import noisy_of
from dpratio.plan.histogram.propose import Noisy
from dpratio.plan.plan import Plan
from dpratio.plan.search.realise_bounds import found_within, plan_within
from dpratio.simulation.forecast.sought import places_on
from dpratio.simulation.simulate import simulate_release, view_of

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]
Task = tuple[str, int, str, float, int]

NEAR, SPENDERS = 0.93, 0.15
# What each person spends per order, and its mean. The constants of `cut_off.py` were
# chosen on other parameters of these shapes.
SHAPES: dict[str, tuple[Draw, float]] = {
    "lognormal, σ = 0.8": (
        lambda rng, n: rng.lognormal(1, 0.8, n),
        float(np.exp(1 + 0.8**2 / 2)),
    ),
    "lognormal, σ = 1.3": (
        lambda rng, n: rng.lognormal(4, 1.3, n),
        float(np.exp(4 + 1.3**2 / 2)),
    ),
    "Pareto 3": (lambda rng, n: 7 * (1 + rng.pareto(3, n)), 10.5),
    "Pareto 1.5": (lambda rng, n: 90 * (1 + rng.pareto(1.5, n)), 270.0),
    "zero-inflated, 85 % zeros": (
        lambda rng, n: rng.exponential(300, n) * (rng.random(n) < SPENDERS),
        300 * SPENDERS,
    ),
    "clusters at 3 and 1,500": (
        lambda rng, n: np.where(
            rng.random(n) < NEAR, rng.gamma(6, 0.5, n), rng.gamma(5, 300, n)
        ),
        3 * NEAR + 1500 * (1 - NEAR),
    ),
    "both signs, Laplace": (lambda rng, n: rng.laplace(-12, 50, n), -12.0),
}
# People, and epsilon in all: a tenth of it counts what is spent.
CELLS = ((2_000, "0.25"), (2_000, "1"), (10_000, "0.25"), (10_000, "1"))
BLOCK, WIDEST = 50, 2.0**20
OUTER = dpr.Bounds(-WIDEST, WIDEST)


@cache
def plan_of(people: int, epsilon: str) -> Plan:
    """Plan a release that finds the bounds of what is spent."""
    return dpr.make_plan(
        dpr.Ratio("spent", per="orders", guess=25, guess_is="unknown"),
        bounds={
            "spent": dpr.Bounds.find(-WIDEST, WIDEST),
            "orders": dpr.Bounds(0, 4, natural=True),
        },
        budget=dpr.Budget(epsilon),
        n=people,
    )


@cache
def within(people: int, epsilon: str, bounds: dpr.Bounds | None) -> Plan:
    """Plan the sums within bounds; without any the widest ones are used."""
    found = {} if bounds is None else {"spent": bounds}
    return plan_within(plan_of(people, epsilon), found)


def counted(rng: np.random.Generator, values: Floats, plan: Plan) -> Noisy:
    """Count values as the curator does, with the noise of the plan."""
    search: Any = plan.search
    held = search.histograms
    asked = held.questions[0]
    empty = noisy_of(held, asked, [0] * held.partitions[0].count)
    places = places_on(empty.ladder, values)
    counts = np.bincount(places, minlength=len(empty.ladder.labels))
    noise = np.rint(rng.laplace(0, empty.scale, len(counts)))
    return noisy_of(held, asked, [int(each) for each in counts + noise])


def block(task: Task) -> list[tuple[float, ...]]:
    """Give the plain and the uncut ends of some runs."""
    shape, people, epsilon, narrower, seed = task
    rng = np.random.default_rng([seed, people, int(100 * float(epsilon)), len(shape)])
    plan = plan_of(people, epsilon)
    orders = rng.integers(1, 5, (BLOCK, people)).astype(float)
    spent = orders * SHAPES[shape][0](rng, (BLOCK, people))
    alike: dict[dpr.Bounds | None, list[tuple[int, Noisy]]] = {}
    for at, values in enumerate(spent):
        noisy = counted(rng, values, plan)
        bounds = found_within(plan, (noisy.counts,)).get("spent")
        if bounds is not None:
            bounds = dpr.Bounds(bounds.lower / narrower, bounds.upper / narrower)
        alike.setdefault(bounds, []).append((at, noisy))
    rows = []
    for bounds, listed in alike.items():
        second = within(people, epsilon, bounds)
        question = second.questions[0]
        places = [at for at, _ in listed]
        box = second.box(question)
        drawn = dpr.simulation.People(spent[places], orders[places])
        sums = view_of(second, question).sums(drawn)
        release = simulate_release(sums, second, question, rng)
        lost = [lost_beyond(noisy, box["s"], widest=OUTER) for _, noisy in listed]
        moments = moments_of(release)
        more = were_more_cut(moments, [each.people for each in lost])
        lost = [
            each.opened(box["s"], OUTER) if is_more else each
            for each, is_more in zip(lost, more, strict=True)
        ]
        rows += ends_of(moments, lost)
    return rows


def ends_of(moments: Moments, lost: list[Lost]) -> list[tuple[float, ...]]:
    """Give plain and uncut ends, one row for each repetition."""
    quantile, none = normal_quantile(0.95), [NOTHING] * len(lost)
    above = [each.least for each in lost], [each.most for each in lost]
    with np.errstate(all="ignore"):
        statistic = statistic_of(moments, "linearised", lowest=-np.inf)
        plain = confidence_set(statistic, quantile)
        lower, upper = uncut_ends(statistic, above, (none, none), quantile)
    ends = np.array([each.reach.ends for each in lost])
    lower = np.where(np.isinf(ends[:, 0]), -np.inf, lower)
    upper = np.where(np.isinf(ends[:, 1]), np.inf, upper)
    return list(zip(plain.lower, plain.upper, lower, upper, strict=True))


def share(hits: NDArray[np.bool_]) -> str:
    """Show a share with its Monte Carlo error."""
    if not len(hits):
        return "–"
    mean = float(hits.mean())
    return f"{mean:.3f} ± {np.sqrt(mean * (1 - mean) / len(hits)):.3f}"


def line_of(shape: str, people: int, epsilon: str, rows: Floats) -> str:
    """Print one row of the table."""
    truth = SHAPES[shape][1]
    plain, uncut = (
        (rows[:, at] <= truth) & (truth <= rows[:, at + 1]) for at in (0, 2)
    )
    is_bounded = np.isfinite(rows).all(axis=1)
    widths = rows[:, [1, 3]] - rows[:, [0, 2]]
    wider = widths[is_bounded, 1] / widths[is_bounded, 0]
    cells = [
        shape,
        f"{people * float(epsilon):,.0f}",
        share(plain),
        f"{1 - is_bounded.mean():.3f}",
        share(uncut[is_bounded]),
        share(uncut),
        f"{np.median(wider):.1f}" if len(wider) else "–",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the table; with a factor, of bounds that are narrower than those found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=2_000)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--factor", type=float, default=1.0)
    given = parser.parse_args()
    seeds = range(given.runs // BLOCK)
    settings = [(shape, *cell, given.factor) for shape in SHAPES for cell in CELLS]
    tasks = [(*each, seed) for seed in seeds for each in settings]
    with Pool(given.workers) as pool:
        done = pool.map(block, tasks, chunksize=1)
    for each in settings:
        found = [
            row
            for task, rows in zip(tasks, done, strict=True)
            if task[:4] == each
            for row in rows
        ]
        print(line_of(*each[:3], np.array(found)))


if __name__ == "__main__":
    main()
