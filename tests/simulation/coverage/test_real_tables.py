"""The default on tables people really have: near one query, bounded, and covering."""

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
from real_people import RealPeople, real_people

RUNS, N = 400, 2_000


def plan_for(people: RealPeople, epsilon: float) -> Plan:
    """Plan as a new user does: bounds and a budget, and no guess."""
    return make_plan(
        Ratio("s", per="y", weight="w" if "w" in people.bounds else None),
        bounds=people.bounds,
        budget=Budget(epsilon),
        mechanism="laplace",
        clipping=UNMEASURED,
    )


@pytest.mark.parametrize("name", real_people())
def test_a_population_has_the_ratio_it_says(name: str) -> None:
    people = real_people()[name]
    drawn = people(np.random.default_rng(1), 200, 10_000)
    weight = np.ones(1) if drawn.weight is None else drawn.weight
    residual = weight * (drawn.score - people.ratio * drawn.label)
    assert abs(residual.mean()) < 5 * residual.std() / math.sqrt(residual.size)


@pytest.mark.parametrize("name", real_people())
@pytest.mark.parametrize(("epsilon", "most"), [(0.2, 1.9), (1.0, 1.5)])
def test_answers_cover_have_ends_and_come_near_the_one_query_width(
    name: str, epsilon: float, most: float
) -> None:
    """The median of 400 widths is known to a few per cent; claims have few events."""
    people = real_people()[name]
    plan = plan_for(people, epsilon)
    (row,) = measure_coverage(people, plan, n=N, repetitions=RUNS, rng=1).rows
    assert row.judged.coverage > 0.95 - 5 * math.sqrt(0.05 * 0.95 / RUNS)
    if name != "survey_weights":
        most = 1.9 if name == "claims_per_year" else most
        assert row.judged.unbounded == 0
        assert row.judged.width.median < 1.04 * most * people.one_query_width(
            N, epsilon, 1.96
        )


def test_answers_whose_variance_noise_made_small_are_not_ok() -> None:
    """In one stage a threshold of five deviations would call ok what covers 0.89."""
    people = real_people()["grams_per_serving"]
    plan = plan_for(people, 4.0)
    asked = counted_question(plan, plan.measurements[0])
    views = {1: view_of(plan, asked)}
    sums = simulate_sums(people, views, count=60, repetitions=2_000, seeds=Seeds(1))[1]
    parts = simulate_parts(sums, plan, plan.measurements[0], np.random.default_rng(2))
    found = [estimate_ratios(part.release) for part in parts]
    status = np.concatenate([each.status for each in found])
    ends = [(each.ci_lower, each.ci_upper) for each in found]
    lower, upper = (np.concatenate(each) for each in zip(*ends, strict=True))
    is_weak = status == "weak"
    assert (status == "ok").mean() < 0.1
    covered = (lower <= people.ratio) & (people.ratio <= upper)
    assert covered[is_weak].mean() > 0.94
    assert covered[status == "ok"].mean() > 0.94
