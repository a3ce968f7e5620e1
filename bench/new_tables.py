"""The default plan on tables that nobody tuned to, beside one query.

`python bench/new_tables.py --seed 5` prints the table of docs/methods/limit.md: ten
populations that no rule was tuned on. `--tuned` runs the ten others, `--guess 1` gives
every plan the true ratio, `--terms` changes its terms. A cell whose denominator is
below 20 noise scales of one query, or whose variance is below one noise scale of Σz²,
is shown in brackets and not judged, and neither is one of 300 people.
"""

import argparse
import json
import math
from functools import partial
from itertools import product
from multiprocessing import Pool
from typing import Any

from new_people import PUBLISHED, TUNED, new_people

import dpratio as dpr
from dpratio.analyst.ratio.tail import normal_quantile

EPSILONS = (0.2, 1.0, 4.0)
SIZES = (300, 2_000, 10_000)
LEVEL = 0.95
FEW, MANY = 400, 2_000  # n·ε of milder targets: without weights, and with them.
_WEAK = 20


def rows_of(task: tuple[str, int], options: argparse.Namespace) -> list[dict[str, Any]]:
    """Simulate a population at one size, under every budget."""
    name, n = task
    people = new_people(name)
    guess = None if options.population is None else options.population * people.ratio
    weight = "w" if "w" in people.bounds else None
    plans = [
        dpr.make_plan(
            dpr.Ratio("s", per="y", weight=weight, guess=guess),
            bounds=people.bounds,
            budget=dpr.Budget(epsilon),
            **json.loads(options.terms),
        )
        for epsilon in EPSILONS
    ]
    found = dpr.simulation.measure_coverage(
        people,
        plans,
        n=n,
        level=LEVEL,
        methods=("pivot",),
        repetitions=options.reps,
        rng=options.seed,
    )
    residual, denominator = people.moments
    reach = people.reach
    below = math.prod(
        people.bounds[each].reach for each in "yw" if each in people.bounds
    )
    rows = []
    for epsilon, each in zip(EPSILONS, found.rows, strict=True):
        judged = each.judged
        lost = judged.unbounded >= 0.5  # noqa: PLR2004
        one_query = people.one_query_width(n, epsilon, normal_quantile(LEVEL))
        is_strong = n * denominator >= _WEAK * below / epsilon
        varies = n * residual >= reach**2 / epsilon
        rows.append(
            {
                "people": name,
                "n": n,
                "epsilon": epsilon,
                "width": math.inf if lost else judged.width.median / one_query,
                "coverage": judged.coverage,
                "unbounded": judged.unbounded,
                "judged": bool(is_strong and varies and n > min(SIZES)),
                "weighted": weight is not None,
            }
        )
    return rows


def table(rows: list[dict[str, Any]]) -> list[str]:
    """Write widths over that of one query as a Markdown table, and where they cover."""
    sizes = sorted({row["n"] for row in rows})
    lines = [
        f"| people | {' | '.join(f'n = {n:,}' for n in sizes)} | coverage |",
        f"|---|{'---|' * (len(sizes) + 1)}",
    ]
    for name in dict.fromkeys(row["people"] for row in rows):
        own = [row for row in rows if row["people"] == name]
        cells = [", ".join(_said(row) for row in own if row["n"] == n) for n in sizes]
        covered = [row["coverage"] for row in own]
        cells.append(f"{min(covered):.3f} to {max(covered):.3f}")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _said(row: dict[str, Any]) -> str:
    said = "∞" if math.isinf(row["width"]) else f"{row['width']:.2f}"
    return said if row["judged"] else f"({said})"


def summary(rows: list[dict[str, Any]]) -> list[str]:
    """Say what the judged cells without weights come to, each beside its target."""
    judged = [row for row in rows if row["judged"] and not row["weighted"]]
    far = [row["width"] for row in judged if row["n"] * row["epsilon"] > FEW]
    near = [row["width"] for row in judged if row["n"] * row["epsilon"] <= FEW]
    weighted = [row for row in rows if row["weighted"]]
    heavy = [row["width"] for row in weighted if row["n"] * row["epsilon"] == MANY]
    covered = [row["coverage"] for row in rows if row["judged"]]
    logs = [math.log(row["width"]) for row in judged]
    figures = {
        "geometric_mean": (math.exp(sum(logs) / len(logs)), "1.10"),
        "worst_above_400": (max(far), "1.5"),
        "worst_at_400": (max(near), "1.7"),
        "worst_weighted_at_2000": (max(heavy), "1.7"),
        "coverage_least": (min(covered), "0.942"),
        "coverage_most": (max(covered), "0.97"),
        "cells": (len(judged), "-"),
    }
    return [f"{name} {value:.4g} {target}" for name, (value, target) in figures.items()]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--reps", type=int, default=4_000)
    parser.add_argument("--tuned", action="store_true")
    parser.add_argument("--guess", type=float, help="multiplies the true ratio")
    parser.add_argument("--terms", default="{}", help="more terms of plans, as JSON")
    parser.add_argument("--sizes", type=json.loads, default=SIZES)
    given = parser.parse_args()
    names = TUNED if given.tuned else PUBLISHED
    tasks = list(product(names, sorted(given.sizes, reverse=True)))
    with Pool() as pool:
        found = pool.map(partial(rows_of, options=given), tasks, chunksize=1)
    listed = [row for rows in found for row in rows]
    print("\n".join([*table(listed), "", *summary(listed)]))
