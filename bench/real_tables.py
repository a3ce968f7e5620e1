"""The default on tables people really have, beside one query and the paper.

`python bench/real_tables.py --seed 3` prints, as JSON, the table of
docs/methods/limit.md. Plans are made as a new user makes them: bounds and a budget, no
guess of the people, and no guess of the ratio or one that is half too high.
"""

import argparse
import json
import sys
from functools import partial
from itertools import product
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import dpratio as dpr
from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.plan.plan import Plan
from dpratio.simulation.coverage.coverage import CoverageRow

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from real_people import RealPeople, real_people

SIZES = (500, 2_000, 10_000)
EPSILONS = (0.2, 1.0, 4.0)
# Multiples of the guess that a user may have; None leaves it to the plan.
GUESSES = (None, 1.5)
LEVEL = 0.95


def rows_of(task: tuple[str, int], repetitions: int, seed: int) -> list[dict[str, Any]]:
    """Simulate a population at one size, under every budget and guess."""
    name, n = task
    people = real_people()[name]
    measured = partial(
        dpr.simulation.measure_coverage,
        people,
        n=n,
        level=LEVEL,
        repetitions=repetitions,
        rng=seed,
    )
    cells = list(product(EPSILONS, GUESSES))
    plans = [plan_for(people, *cell) for cell in cells]
    ours = measured(plans, methods=("pivot", "fieller")).rows
    even = [plan_for(people, epsilon, 1.0, "even") for epsilon in EPSILONS]
    paper = dict(
        zip(EPSILONS, measured(even, methods=["analytical"]).rows, strict=True)
    )
    rows = []
    for (epsilon, guess), noisy, public in zip(
        cells, ours[::2], ours[1::2], strict=True
    ):
        one_query = people.one_query_width(n, epsilon, normal_quantile(LEVEL))
        row = {"people": name, "n": n, "epsilon": epsilon}
        row["guess"] = "none" if guess is None else f"× {guess:g}"
        rows.append(row | figures(one_query, noisy, public, paper[epsilon]))
    return rows


def plan_for(
    people: RealPeople, epsilon: float, guess: float | None, strategy: str = "focused"
) -> Plan:
    """Plan as a new user does; ``guess`` multiplies the usual guess."""
    ratio = dpr.Ratio(
        "s",
        per="y",
        weight="w" if "w" in people.bounds else None,
        guess=None if guess is None else guess * people.guess,
    )
    return dpr.make_plan(
        ratio,
        bounds=people.bounds,
        budget=dpr.Budget(epsilon),
        strategy=strategy,
        mechanism="laplace",
        clipping="unmeasured",
    )


def figures(
    one_query: float, noisy: CoverageRow, public: CoverageRow, paper: CoverageRow
) -> dict[str, float]:
    """Give median widths over that of one query, coverage, shares without an end."""
    return {
        "width_over_one_query": median(noisy) / one_query,
        "coverage": noisy.judged.coverage,
        "unbounded": noisy.judged.unbounded,
        "coverage_public": public.judged.coverage,
        "width_public": median(public) / one_query,
        "width_paper": median(paper) / one_query,
        "coverage_paper": paper.judged.coverage,
    }


def median(row: CoverageRow) -> float:
    """Give the median width; infinite where most intervals are unbounded."""
    judged = row.judged
    return float("inf") if judged.unbounded >= 0.5 else judged.width.median  # noqa: PLR2004


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--reps", type=int, default=10_000)
    given = parser.parse_args()
    work = partial(rows_of, repetitions=given.reps, seed=given.seed)
    with Pool() as pool:
        found = pool.map(work, product(real_people(), SIZES), chunksize=1)
    print(json.dumps([row for rows in found for row in rows]))
