"""Ends of comparisons: found where they are, and none where nothing is rejected."""

import numpy as np

from analyst.simulated import Setting, many_cells
from dpratio.analyst.comparison.hypothesis import Between


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
