"""Settings on which intervals fail first: few people, far ratios, rare labels."""

import math
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import pytest

from dpratio.plan.make_plan import make_plan
from dpratio.simulation.coverage.coverage import measure_coverage
from dpratio.simulation.paper.paper import DELTA, paper_question
from dpratio.simulation.population import HEAVIEST, LIGHTEST, PaperPopulation, People
from dpratio.terms.budget import Budget
from dpratio.terms.study import UNMEASURED

TOLERANCE = 0.008
Rng = np.random.Generator


class RareLabels:
    """One label in fifty is 1."""

    ratio = 1.1

    def __call__(self, rng: Rng, repetitions: int, count: int) -> People:
        paper = PaperPopulation(1.0)(rng, repetitions, count)
        chance = 0.04 * paper.score
        label = (rng.random(chance.shape) < chance).astype(float)
        return People(self.ratio * chance, label, paper.weight)


class SurprisingLabels:
    """Whose label surprises their score weighs four times as much as others."""

    def __call__(self, rng: Rng, repetitions: int, count: int) -> People:
        paper = PaperPopulation(1.1)(rng, repetitions, count)
        surprised = (paper.label > 0) != (paper.score > 0.5)
        weight = np.where(surprised, 2, 0.5) * rng.standard_exponential(surprised.shape)
        return People(paper.score, paper.label, weight.clip(LIGHTEST, HEAVIEST))

    @cached_property
    def ratio(self) -> float:
        people = self(np.random.default_rng(1), 400, 10_000)
        assert people.weight is not None
        return float(
            (people.weight * people.score).sum() / (people.weight * people.label).sum()
        )


# People; how many; epsilons; level; with or without weights.
Case = tuple[Any, tuple[int, ...], tuple[float, ...], float, tuple[bool, ...]]
BOTH = (False, True)
CASES: dict[str, Case] = {
    "small_samples": (PaperPopulation(1.1), (200, 500, 1_000), (1.0,), 0.95, BOTH),
    "ratio_half": (PaperPopulation(0.5), (5_000,), (0.2, 1.0), 0.95, BOTH),
    "ratio_two": (PaperPopulation(2.0), (5_000,), (0.2, 1.0), 0.95, BOTH),
    "rare_labels": (RareLabels(), (1_000, 5_000, 20_000), (1.0,), 0.95, BOTH),
    "weak_denominator": (PaperPopulation(1.1), (50, 90), (0.2,), 0.95, BOTH),
    "weights_follow_labels": (SurprisingLabels(), (5_000,), (1.0,), 0.95, (True,)),
    "level_80": (PaperPopulation(1.1), (5_000,), (0.2, 1.0), 0.8, BOTH),
    "level_99": (PaperPopulation(1.1), (5_000,), (0.2, 1.0), 0.99, BOTH),
}


def rows_of(
    name: str, repetitions: int, strategy: str = "focused"
) -> list[dict[str, Any]]:
    """Simulate the default of a case beside Fieller's interval without noise."""
    people, sizes, epsilons, level, weights = CASES[name]
    rows: list[dict[str, Any]] = []
    for weighted in weights:
        ratio, bounds = paper_question(weighted=weighted)
        laws = ("analytic_gaussian", "laplace")
        plans = [
            make_plan(
                ratio,
                bounds=bounds,
                budget=Budget(epsilon, DELTA),
                mechanism=law,
                strategy=strategy,
                clipping=UNMEASURED,
            )
            for law, epsilon in product(laws, epsilons)
        ]
        rows += measure_coverage(
            people,
            plans,
            n=sizes,
            methods=("pivot", "fieller"),
            level=level,
            repetitions=repetitions,
            rng=1,
        ).to_dicts()
    return rows


@pytest.mark.parametrize("name", CASES)
def test_every_case_covers_beside_fieller(name: str) -> None:
    """0.008 and five standard errors."""
    for row in rows_of(name, repetitions=400):
        error = math.sqrt(row["level"] * (1 - row["level"]) / 400)
        assert row["coverage"] > row["level"] - TOLERANCE - 5 * error, row


def test_kish_fails_where_weights_follow_labels_and_linearised_does_not() -> None:
    linearised, kish = (
        rows_of("weights_follow_labels", 4_000, strategy)
        for strategy in ("focused", "joint")
    )
    assert all(abs(row["coverage"] - 0.95) < 0.015 for row in linearised)
    noisy, public = kish[::2], kish[1::2]
    assert all(row["coverage"] < 0.944 for row in noisy)
    assert all(row["coverage"] < 0.935 for row in public)


def test_where_the_denominator_is_weak_sets_are_unbounded() -> None:
    rows = rows_of("weak_denominator", repetitions=200)
    assert all(row["unbounded"] > 0.05 for row in rows if row["method"] == "pivot")
