"""What a first stage finds, beside the best choice that hindsight could have made.

`python bench/hindsight.py` prints the figures of docs/methods/focused.md. First stages
are drawn on the unweighted populations of `new_people`; the second is planned around
what the rule finds, around the plan's own guess, and around the ratio of the noisy
totals, and forecast for the people as they are.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
from new_people import PUBLISHED, TUNED, new_people

import dpratio as dpr
from dpratio.plan.laws import LAPLACE
from dpratio.plan.make_plan import measure_question
from dpratio.plan.plan import Plan
from dpratio.plan.realise import Expected, expected_of, learn
from dpratio.plan.sensitivity.sums import MeasuredSum
from dpratio.plan.settle import allowances
from dpratio.plan.strategy.shares import People
from dpratio.simulation.forecast.promise import promised_widths
from real_people import RealPeople

DRAWS = 4
CELLS = tuple(product((2_000, 10_000), (0.2, 1.0, 4.0)))


def width(plan: Plan, people: RealPeople, n: int, guess: Expected) -> float:
    """Forecast the width of a second stage around a guess, for these people."""
    (question,), box = plan.measurements, plan.box(plan.measurements[0])
    (allowed,) = allowances(plan.study, plan.law, *plan.for_sums)
    centre, off = float(guess.centre), guess.distance
    moved = question.around(centre, ()).question
    layout = replace(plan.layout(question), question=moved)
    found, _ = measure_question(layout, allowed, None, None, off)
    residual, denominator = people.moments
    them = People(
        count=n,
        weight=1.0,
        weight_square=1.0,
        numerator=people.ratio * denominator,
        denominator=denominator,
        off=people.ratio - centre,
        residual=residual,
        numerator_square=0.0,
        denominator_square=0.0,
        reach=1.0,
    )
    noise = [LAPLACE.sd(each.scale) * each.step for each in found.sums]
    squared = np.array(noise) ** 2
    return float(promised_widths(box, found, [them], squared, quantile=1e-6)[0][0])


def log_widths(
    name: str, n: int, epsilon: float, rng: np.random.Generator
) -> list[list[float]]:
    """Give log widths of the rule, of the plan's guess and of the totals' ratio."""
    people = new_people(name)
    plan = dpr.make_plan(
        dpr.Ratio("s", per="y"),
        bounds=people.bounds,
        budget=dpr.Budget(epsilon),
        stage=Fraction(1, 20),
    )
    (question,), firsts = plan.measurements, plan.stage.firsts[0]  # type: ignore[union-attr]
    box = plan.box(question)
    expected = expected_of(box, question.ratio)
    below = n * people.moments[1]
    rows = []
    for _ in range(DRAWS):
        totals = [
            round(exact / each.step + rng.laplace(0, each.scale))
            for exact, each in zip((people.ratio * below, below), firsts, strict=True)
        ]
        tried = learn(expected, box, totals, firsts), expected, plain(totals, firsts)
        rows.append([math.log(width(plan, people, n, each)) for each in tried])
    return rows


def plain(totals: list[int], firsts: Sequence[MeasuredSum]) -> Expected:
    """Give the ratio of noisy totals, and what their noise makes of it."""
    top, bottom = (
        total * Fraction(each.step) for total, each in zip(totals, firsts, strict=True)
    )
    noises = [2 * Fraction(each.scale * each.step) ** 2 for each in firsts]
    ratio = top / (bottom or 1)
    return Expected(ratio, (noises[0] + ratio**2 * noises[1]) / (bottom or 1) ** 2)


if __name__ == "__main__":
    rng = np.random.default_rng(7)
    found: defaultdict[int, list[list[float]]] = defaultdict(list)
    for name, (n, epsilon) in product(TUNED | PUBLISHED, CELLS):
        if "w" not in new_people(name).bounds and "equal" not in name:
            found[min(round(n * epsilon), 8_000)] += log_widths(name, n, epsilon, rng)
    for many, rows in sorted(found.items()):
        rule, kept, used = np.array(rows).T
        best = np.minimum(kept, used)
        said = [float(np.exp((each - best).mean())) for each in (rule, kept, used)]
        print(many, len(rows), [f"{each:.3f}" for each in said])
