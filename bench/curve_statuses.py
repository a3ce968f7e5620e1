"""How often points and errors of calibration curves cover, by status.

`python bench/curve_statuses.py` prints the tables of docs/methods/calibration_curve.md;
`--runs` and `--workers` make it shorter, and `--bins` gives every bin a cell of its
own. Plans, statuses and intervals are the library's own.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from multiprocessing import Pool

import numpy as np
from numpy.typing import NDArray
from scored_people import ASKED
from statuses import Row, in_groups, print_tables

import dpratio as dpr
from dpratio.analyst.curve.calibration_error import Measured
from dpratio.analyst.curve.curve_results import CURVE_STATUSES
from dpratio.analyst.sums.moments import exact_moments
from dpratio.plan.plan import Plan
from dpratio.simulation.forecast.calibration_power import _summed as summed_by_bin
from dpratio.simulation.simulate import simulate_release

Floats = NDArray[np.float64]
Task = tuple[str, str, int, int, int]
Found = tuple[str, float, str, Measured, Floats, list[str]]

BINS = 10
SIZES = (8_000, 2_000, 500)
EPSILONS = (0.5, 1, 4)
LAWS = ("laplace", "analytic_gaussian")
LAYOUTS = ("quantiles", "even")
PARTS, PEOPLE_AT_ONCE = 10, 400_000
POINTS = ("share", "mean_score", "mean_label", "gap", "ratio")
MEANS = ("ratio", "means")
WHOLE, SOME = "all bins known", "bins left out"


@cache
def bins_of(name: str, layout: str) -> dpr.ScoreBins:
    """Give ten bins, of equal widths or of equal numbers of people."""
    if layout == "even":
        return dpr.ScoreBins("s", BINS).within(dpr.Bounds(0, 1))
    score = ASKED[name].score(np.random.default_rng(5), (1, 10**6))
    inner = np.quantile(score, np.arange(1, BINS) / BINS).round(5)
    return dpr.ScoreBins("s", [0.0, *inner.tolist(), 1.0])


def plan_of(
    name: str,
    layout: str,
    budget: dpr.Budget,
    answers: tuple[str, ...],
    label: dpr.Bounds | None = None,
) -> Plan:
    """Plan a curve; labels are binary unless bounds are given."""
    asked = ASKED[name]
    weight = {} if asked.bounds is None else {"w": asked.bounds}
    return dpr.make_plan(
        dpr.Ratio("s", per="y", weight="w" if weight else None),
        bounds={"s": dpr.Bounds(0, 1), "y": label or dpr.Bounds.binary(), **weight},
        budget=budget,
        mechanism="analytic_gaussian" if budget.delta else "laplace",
        groups=bins_of(name, layout),
        answers=answers,
        clipping="unmeasured",
    )


@cache
def truths(name: str, layout: str) -> dict[str, Floats]:
    """Give what many people say whose labels are their chances: no noise of labels."""
    plan = plan_of(name, layout, dpr.Budget("1"), MEANS, dpr.Bounds(0, 1))
    rng, bins = np.random.default_rng(7), bins_of(name, layout)
    drawn = (ASKED[name].draw(rng, (1, PEOPLE_AT_ONCE)) for _ in range(PARTS))
    sums = sum(summed_by_bin(plan, each, bins)[0] for each in drawn)
    held = exact_moments(np.asarray(sums), plan, plan.questions[0])
    score, label, weight = held["ws"], held["wy"], held["w"]
    gap, whole = score - label, weight.sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "share": weight / whole,
            "mean_score": score / weight,
            "mean_label": label / weight,
            "gap": gap / weight,
            "ratio": score / label,
            "expected error": np.abs(gap).sum(keepdims=True) / whole,
            "squared error": np.nansum(gap**2 / weight, keepdims=True) / whole,
        }


def answers(task: Task) -> Iterator[Found]:
    """Give the answers of one population, layout and size, with truths and statuses."""
    name, layout, people, runs, seed = task
    asked, bins, true = ASKED[name], bins_of(name, layout), truths(name, layout)
    rng = np.random.default_rng([seed, people, sum((name + layout).encode())])
    given = plan_of(name, layout, dpr.Budget("1"), MEANS)
    block, parts = PEOPLE_AT_ONCE // people, []
    for start in range(0, runs, block):
        drawn = asked.draw(rng, (min(block, runs - start), people))
        label = (rng.random(drawn.score.shape) < drawn.label).astype(float)
        parts.append(summed_by_bin(given, replace(drawn, label=label), bins))
    sums = np.concatenate(parts).reshape(runs * BINS, -1)
    for epsilon, law in ((each, law) for each in EPSILONS for law in LAWS):
        budget = dpr.Budget(str(epsilon), 0 if law == "laplace" else "1e-6")
        for kinds in (MEANS, ("ratio",)):
            plan = plan_of(name, layout, budget, kinds)
            exact = sums[:, : len(plan.questions[0].sums)]
            noisy = simulate_release(exact, plan, plan.questions[0], rng)
            curve = dpr.calibration_curve(in_groups(noisy, bins))
            status, told = list(curve.status), curve.errors
            if not curve.has_means:
                yield "ratio alone", epsilon, law, curve.ratio, true["ratio"], status
                continue
            for kind in POINTS:
                yield kind, epsilon, law, getattr(curve, kind), true[kind], status
            known = np.where(told.left_out > 0, SOME, WHOLE).tolist()
            for kind, found in (("expected", told.expected), ("squared", told.squared)):
                yield f"{kind} error", epsilon, law, found, true[f"{kind} error"], known


def counted(task: Task) -> list[Row]:
    """Count, for each kind, bin and status, how many are given and how many cover."""
    rows: list[Row] = []
    name, layout, people, runs, _ = task
    for kind, epsilon, law, found, truth, said in answers(task):
        true = np.tile(truth, runs)
        covered = (found.ci_lower <= true) & (true <= found.ci_upper)
        places = np.tile(np.arange(len(truth)), runs)
        for at, status in set(zip(places.tolist(), said, strict=True)):
            chosen = (places == at) & (np.array(said) == status)
            cell = (f"{name} {layout} {at}", kind, people, epsilon, law, status)
            counts = int(chosen.sum()), int(covered[chosen].sum())
            if np.isfinite(truth[at]):
                rows.append((*cell, *counts))
    return rows


def main() -> None:
    """Simulate, and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--bins", action="store_true")
    given = parser.parse_args()
    tasks = [
        (name, layout, people, given.runs, 1)
        for people in SIZES
        for name in ASKED
        for layout in LAYOUTS
    ]
    with Pool(given.workers) as pool:
        done = pool.map(counted, tasks, chunksize=1)
    rows = [row for rows in done for row in rows]
    if not given.bins:
        rows = [(row[0].rpartition(" ")[0], *row[1:]) for row in rows]
    print_tables(rows, (*CURVE_STATUSES, WHOLE, SOME))


if __name__ == "__main__":
    main()
