"""The root-finder behind every interval, on functions whose roots are known."""

import numpy as np
import pytest

from dpratio.analyst.ratio.crossing import find_crossing
from dpratio.arrays import Floats, Integers

ROWS = 400
# How far the first guess is from the crossing; far ones need a bracket.
GUESSES = (1.0, 1.001, 0.9, 1.2, 0.3, 0.01, 5.0)


class Rows:
    """Rows of c (x/√(1 + b x²) − v), which crosses zero at v/√(1 − b v²)."""

    def __init__(self, side: float) -> None:
        rng = np.random.default_rng(7)
        self.bend = rng.uniform(0.0, 0.9, ROWS)
        self.level = rng.uniform(0.1, 1.0, ROWS)
        self.steepness = 10.0 ** rng.integers(0, 5, ROWS)
        self.side = side
        self.crossing = side * self.level / np.sqrt(1 - self.bend * self.level**2)
        self.step = self.crossing * np.resize(GUESSES, ROWS)

    def crossings(self, chosen: Integers) -> Floats:
        def beyond(at: Floats, rows: Integers | slice) -> Floats:
            bend, level = self.bend[chosen][rows], self.level[chosen][rows]
            apart: Floats = self.side * at / np.sqrt(1 + bend * at * at) - level
            return self.steepness[chosen][rows] * apart

        at_zero = -(self.steepness * self.level)[chosen]
        start = np.zeros(len(chosen))
        return find_crossing(beyond, start, at_zero, self.step[chosen])


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_crossing_is_found_whatever_the_first_guess(side: float) -> None:
    rows = Rows(side)
    found = rows.crossings(np.arange(ROWS))
    np.testing.assert_allclose(found, rows.crossing, rtol=1e-6)


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_no_crossing_depends_on_the_rows_beside_it(side: float) -> None:
    rows = Rows(side)
    together = rows.crossings(np.arange(ROWS))
    rng = np.random.default_rng(8)
    for count in (1, 2, 3, 20, 150):
        for _ in range(20):
            some = rng.choice(ROWS, count, replace=False)
            np.testing.assert_array_equal(rows.crossings(some), together[some])
