"""Two scores on the same rows: their difference is a ratio of its own."""

import math

import numpy as np
import pytest

import dpratio as dpr
from dpratio.plan.plan import Plan
from dpratio.simulation.coverage.coverage import CoverageRow
from dpratio.simulation.population import DrawPeople

pytestmark = pytest.mark.usefixtures("fixed_noise")

PEOPLE, REPETITIONS = 5_000, 2_000
TRUTH = 0.11
SCORES = {"new": dpr.Bounds(0, 1), "old": dpr.Bounds(0, 1)}
LABEL = {"label": dpr.Bounds.binary()}


def two_models(
    rng: np.random.Generator, repetitions: int, count: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A new score, an old one that is about nine tenths of it, and the label."""
    shape = (repetitions, count)
    new = rng.beta(2, 2, size=shape)
    old = new * rng.uniform(0.8, 1.0, size=shape)
    label = (rng.random(shape) < new / 1.1).astype(float)
    return new, old, label


def differences(
    rng: np.random.Generator, repetitions: int, count: int
) -> dpr.simulation.People:
    new, old, label = two_models(rng, repetitions, count)
    return dpr.simulation.People(new - old, label)


def new_alone(
    rng: np.random.Generator, repetitions: int, count: int
) -> dpr.simulation.People:
    new, _, label = two_models(rng, repetitions, count)
    return dpr.simulation.People(new, label)


def old_alone(
    rng: np.random.Generator, repetitions: int, count: int
) -> dpr.simulation.People:
    _, old, label = two_models(rng, repetitions, count)
    return dpr.simulation.People(old, label)


def measured(
    population: DrawPeople,
    plan: Plan,
    truth: float,
) -> CoverageRow:
    (row,) = dpr.simulation.measure_coverage(
        population,
        plan,
        n=PEOPLE,
        truth=truth,
        repetitions=REPETITIONS,
        rng=6,
    ).rows
    return row


def plan_of(ratio: dpr.Ratio, epsilon: float) -> Plan:
    bounds = {name: (SCORES | LABEL)[name] for name in ratio.columns}
    return dpr.make_plan(ratio, bounds=bounds, budget=dpr.Budget(epsilon))


def test_a_paired_difference_covers_and_is_narrower_than_two_ratios() -> None:
    """Two ratios share the budget, and their own errors do not cancel."""
    paired = plan_of(dpr.Ratio("new", per="label", minus="old"), 5)
    found = measured(differences, paired, TRUTH)
    # Five standard errors of 2,000 repetitions.
    assert found.judged.coverage == pytest.approx(0.95, abs=0.0245)
    halves = [
        measured(population, plan_of(dpr.Ratio(name, per="label"), 2.5), truth)
        for population, name, truth in (
            (new_alone, "new", 1.1),
            (old_alone, "old", 0.99),
        )
    ]
    for half in halves:
        assert half.judged.coverage == pytest.approx(0.95, abs=0.0245)
    apart = math.hypot(*(half.judged.width.mean for half in halves))
    assert found.judged.width.mean < 0.5 * apart


def test_a_difference_that_noise_hides_covers_all_the_same() -> None:
    """With so much noise on the squares intervals may be too wide, never too narrow."""
    paired = plan_of(dpr.Ratio("new", per="label", minus="old"), 0.5)
    assert measured(differences, paired, TRUTH).judged.coverage > 0.95 - 0.0245


def test_the_guess_of_a_difference_is_zero() -> None:
    plan = plan_of(dpr.Ratio("new", per="label", minus="old"), 1)
    assert plan.measurements[0].ratio.guess == 0.0
    assert plan.box(plan.measurements[0])["s"] == dpr.Bounds(-1, 1)


@pytest.mark.parametrize("engine", ["lists", "duckdb"])
def test_a_release_of_a_difference_is_about_the_difference(engine: str) -> None:
    new, old, label = (each[0] for each in two_models(np.random.default_rng(1), 1, 900))
    wanted = (new.sum() - old.sum()) / label.sum()
    columns = {"new": new.tolist(), "old": old.tolist(), "label": label.tolist()}
    source: object = columns
    if engine == "duckdb":
        import pandas as pd

        source = pd.DataFrame(columns)
    plan = plan_of(dpr.Ratio("new", per="label", minus="old"), 10**6)
    found = dpr.estimate_ratios(dpr.release_sums(source, plan, ledger=None))
    assert found.ratio[0] == pytest.approx(wanted, rel=1e-3)
    residual = new - old - wanted * label
    squared = float((residual**2).sum()) / float(label.sum()) ** 2
    assert found.se_sampling[0] ** 2 == pytest.approx(squared, rel=1e-2)
