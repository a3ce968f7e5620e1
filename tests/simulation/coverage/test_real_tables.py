"""The default on tables people really have: near the limit, bounded, and covering."""

import math

import numpy as np
import pytest

from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.simulation.coverage.coverage import measure_coverage
from dpratio.simulation.simulate import Seeds, simulate_sums, view_of
from dpratio.simulation.stages import counted_question, simulate_parts
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import UNMEASURED
from populations import REAL_PEOPLE, Invented

RUNS, N = 400, 2_000


def plan_for(people: Invented, epsilon: float) -> Plan:
    """Plan as a new user does: bounds and a budget, and no guess."""
    return make_plan(
        Ratio("s", per="y", weight="w" if "w" in people.bounds else None),
        bounds=people.bounds,
        budget=Budget(epsilon),
        mechanism="laplace",
        clipping=UNMEASURED,
    )


def limit(people: Invented, epsilon: float) -> float:
    """Give the width of one query at the whole budget, for people without weights."""
    drawn = people(np.random.default_rng(2), 1, 2**20)
    residual = drawn.score - people.ratio * drawn.label
    s, y = people.bounds["s"], people.bounds["y"]
    ends = [
        a - people.ratio * b for a in (s.lower, s.upper) for b in (y.lower, y.upper)
    ]
    noise = 2 * (max(map(abs, ends)) / epsilon) ** 2
    spread = math.sqrt(N * float((residual**2).mean()) + noise)
    return 2 * 1.96 * spread / (N * float(drawn.label.mean()))


@pytest.mark.parametrize("name", REAL_PEOPLE)
@pytest.mark.parametrize(("epsilon", "most"), [(0.2, 1.9), (1.0, 1.5)])
def test_answers_cover_have_ends_and_come_close_to_the_limit(
    name: str, epsilon: float, most: float
) -> None:
    """The median of 400 widths is known to a few per cent."""
    people = REAL_PEOPLE[name]
    plan = plan_for(people, epsilon)
    (row,) = measure_coverage(people, plan, n=N, repetitions=RUNS, rng=1).rows
    assert row.judged.coverage > 0.95 - 5 * math.sqrt(0.05 * 0.95 / RUNS)
    if name != "survey_weights":
        assert row.judged.unbounded == 0
        assert row.judged.width.median < 1.04 * most * limit(people, epsilon)


def test_answers_whose_variance_noise_made_small_are_not_ok() -> None:
    """A threshold of five deviations would call 6.6 % ok, and 0.89 of them cover."""
    people = REAL_PEOPLE["grams_per_serving"]
    plan = plan_for(people, 4.0)
    asked = counted_question(plan, plan.questions[0])
    views = {1: view_of(plan, asked)}
    sums = simulate_sums(people, views, count=60, repetitions=2_000, seeds=Seeds(1))[1]
    parts = simulate_parts(sums, plan, plan.questions[0], np.random.default_rng(2))
    found = [estimate_ratios(part.release) for part in parts]
    status = np.concatenate([each.status for each in found])
    ends = [(each.ci_lower, each.ci_upper) for each in found]
    lower, upper = (np.concatenate(each) for each in zip(*ends, strict=True))
    is_weak = status == "weak"
    assert (status == "ok").mean() < 0.02
    covered = (lower <= people.ratio) & (people.ratio <= upper)
    assert covered[is_weak].mean() > 0.94
