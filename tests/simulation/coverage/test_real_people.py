"""Six populations with their true ratios, and the limit that goes with each."""

import numpy as np
import pytest

from dpratio.simulation.coverage.real_people import real_people

NAMES = sorted(real_people())


@pytest.mark.parametrize("name", NAMES)
def test_the_ratio_is_that_of_many_invented_people(name: str) -> None:
    people = real_people()[name]
    drawn = people(np.random.default_rng(3), 40, 25_000)
    weight = np.ones_like(drawn.score) if drawn.weight is None else drawn.weight
    top, bottom = (weight * drawn.score).sum(axis=1), (weight * drawn.label).sum(axis=1)
    # 40 ratios of 25,000 people each: their mean lies within five standard errors.
    ratios = top / bottom
    error = ratios.std(ddof=1) / 40**0.5
    assert abs(ratios.mean() - people.ratio) < 5 * error


@pytest.mark.parametrize("name", NAMES)
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
