"""Populations with their true ratios, and the limit that goes with six of them."""

import math

import numpy as np
import pytest

from dpratio.simulation.coverage.hard_people import RareLabels, SurprisingLabels
from dpratio.simulation.coverage.real_people import RealPeople, real_people

HARD = [RareLabels(0.02), RareLabels(0.1, 2.0), SurprisingLabels()]


@pytest.mark.parametrize(
    "population",
    [*HARD, *real_people().values()],
    ids=[*map(str, HARD), *real_people()],
)
def test_a_population_has_the_ratio_it_says(
    population: RareLabels | SurprisingLabels | RealPeople,
) -> None:
    people = population(np.random.default_rng(1), 200, 10_000)
    weight = np.ones(1) if people.weight is None else people.weight.astype(float)
    residual = weight * (people.score - population.ratio * people.label)
    error = residual.std() / math.sqrt(residual.size)
    assert abs(residual.mean()) < 5 * error


@pytest.mark.parametrize("name", real_people())
def test_people_keep_to_their_bounds(name: str) -> None:
    people = real_people()[name]
    drawn = people(np.random.default_rng(4), 2, 5_000)
    columns = {"s": drawn.score, "y": drawn.label, "w": drawn.weight}
    assert ("w" in people.bounds) == (drawn.weight is not None)
    for letter, bounds in people.bounds.items():
        values = columns[letter]
        assert values is not None
        assert bounds.lower <= values.min() <= values.max() <= bounds.upper


def test_the_limit_of_the_paper_s_people_is_the_one_by_hand() -> None:
    """E(s − 1.1y)² is a quarter, E y is 1/2.2, and one person moves the sum by 1.1."""
    people = real_people()["paper"]
    assert people.reach == pytest.approx(1.1)
    wanted = 2 * 1.96 * (2_000 / 4 + 2 * 1.1**2) ** 0.5 / (2_000 / 2.2)
    assert people.limit(2_000, 1.0, 1.96) == pytest.approx(wanted, rel=5e-3)
