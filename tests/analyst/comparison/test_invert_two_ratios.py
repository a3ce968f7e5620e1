"""Ends of comparisons: found where they are, and none where nothing is rejected."""

import numpy as np
import pytest

from analyst.simulated import Setting, many_cells
from dpratio.analyst.comparison.hypothesis import Between
from dpratio.arrays import Floats, Integers


def test_a_log_quotient_without_an_end_does_not_end_at_some_huge_number() -> None:
    """Some pairs with weak denominators had an end near 10²⁴."""
    one, two = (many_cells(Setting(60, 1), 2_100, seed=seed) for seed in (11, 12))
    every = np.arange(2_100)
    found = Between(one, two, (every, every), "log_ratio").ends(1.96)
    for end, has_end in (
        (found.lower, found.has_lower),
        (found.upper, found.has_upper),
    ):
        assert (has_end == np.isfinite(end)).all()
        assert np.abs(end[has_end]).max() < 700  # exp(700) is a float.
        assert not has_end.all()


@pytest.mark.parametrize("link", ["difference", "log_ratio"])
def test_no_comparison_depends_on_the_pairs_beside_it(link: str) -> None:
    one, two = (many_cells(Setting(200, 0.2), 200, seed=seed) for seed in (3, 4))

    def answers(pairs: Integers) -> tuple[Floats, ...]:
        asked = Between(one, two, (pairs, pairs), link)
        ends = asked.ends(1.96)
        return asked.deviates(0.0), ends.lower, ends.upper

    together = answers(np.arange(200))
    rng = np.random.default_rng(1)
    for count in (1, 2, 5, 20):
        some = rng.choice(200, count, replace=False)
        for alone, beside in zip(answers(some), together, strict=True):
            np.testing.assert_array_equal(alone, beside[some])
