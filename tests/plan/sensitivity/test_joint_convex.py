"""Where prices are convex, extreme rows are enough."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dpratio.plan.sensitivity.joint import Grid, is_convex, joint_ratio
from dpratio.plan.sensitivity.sums import Summand
from dpratio.terms.bounds import Bounds
from plan.boxes_for_tests import (
    LAWS,
    UNIT,
    cells_of,
    cost_of,
    focused_grid,
    made_convex,
    near_boxes,
    paper_grid,
    within,
)


def prices(law: str, grid: Grid, scales: Sequence[float]) -> NDArray[np.float64]:
    """The matrix of prices of products of two curved factors, in doubles."""
    power = 1 if law == "laplace" else 2
    matrix = np.zeros((len(grid.curved), len(grid.curved)))
    for each, step, scale in zip(grid.summands, grid.steps, scales, strict=True):
        pair = [factor for factor in each.factors if factor in grid.curved]
        if len(pair) == 2:
            i, j = (grid.curved.index(factor) for factor in pair)
            matrix[i, j] += (1 / (step * scale)) ** power / 2
            matrix[j, i] += (1 / (step * scale)) ** power / 2
    return matrix


@settings(max_examples=100)
@given(
    box=near_boxes,
    means=st.booleans(),
    focused=st.booleans(),
    law=st.sampled_from(LAWS),
    powers=st.lists(st.floats(0, 12), min_size=9, max_size=9),
)
def test_convexity_is_read_off_the_matrix_of_prices(
    box: dict[str, Bounds],
    means: bool,  # noqa: FBT001
    focused: bool,  # noqa: FBT001
    law: str,
    powers: list[float],
) -> None:
    """Exact minors agree with eigenvalues wherever doubles can tell."""
    grid = focused_grid(box, 1.0, means=means)[0] if focused else paper_grid(box)
    scales = [2.0**power for power in powers[: len(grid.steps)]]
    matrix = prices(law, grid, scales)
    size = np.sqrt(np.diag(matrix))
    size[size == 0] = 1.0
    least = np.linalg.eigvalsh(matrix / np.outer(size, size)).min()
    if abs(least) > 1e-9:
        assert is_convex(law, grid, scales) is bool(least > 0)


@pytest.mark.parametrize("law", LAWS)
def test_the_edge_of_convexity_is_twice_the_root_of_both_prices(law: str) -> None:
    """u_zh² = 4·u_zz·u_hh is still convex; a hair more is not."""
    grid, _ = focused_grid(UNIT, 1.0)
    one = [1 / step for step in grid.steps]  # A price of 1 for every sum.
    power = 1 if law == "laplace" else 2
    edge = one[3] / 2 ** (1 / power)
    kept = [*one[:3], math.nextafter(edge, math.inf), one[4]]
    assert is_convex(law, grid, kept)
    assert is_convex("laplace", grid, [*one[:3], one[3] / 2, one[4]])
    below = [*one[:3], edge * (1 - 1e-12), one[4]]
    assert not is_convex(law, grid, below)


@pytest.mark.parametrize("law", LAWS)
def test_without_convexity_a_row_inside_may_cost_more_than_any_corner(law: str) -> None:
    """Along s = 1 the mixed product falls as 1 − y² while h = 1 + y still grows."""
    grid, contrast = focused_grid({"s": Bounds(0, 1), "y": Bounds(0, 1)}, 1.0)
    one = [1 / step for step in grid.steps]
    scales = [1e6 * one[0], 2 * one[1], 1e6 * one[2], one[3], 10 * one[4]]
    assert not is_convex(law, grid, scales)
    ratio = joint_ratio(law, grid, scales)
    row = {"s": 1.0, "y": 0.39 if law == "laplace" else 0.2}
    cells = cells_of(row, {"s": Bounds(0, 1), "y": Bounds(0, 1)}, grid, contrast)
    assert not within(law, cost_of(law, cells, scales), ratio)
    enough = made_convex(law, grid, scales)
    assert within(law, cost_of(law, cells, enough), joint_ratio(law, grid, enough))


def test_a_matrix_of_three_factors_needs_more_than_its_pairs() -> None:
    """Every pair may be convex where all three together are not."""
    summands = tuple(
        Summand(name, tuple(name)) for name in ("ww", "zz", "hh", "zh", "wz", "wh")
    )
    one = (Fraction(1),) * 6

    def convex(mixed: float) -> bool:
        grid = Grid(summands, (1.0,) * 6, (one,), one, one, ("w", "z", "h"))
        return is_convex("laplace", grid, [1.0] * 3 + [1 / mixed] * 3)

    # The matrix [[1, m/2, m/2], …] has no negative minor of two rows up to m = 2;
    # with all signs alike it stays so, and three rows add nothing.
    assert convex(2.0)
    assert not convex(2.0625)
    grid = Grid(summands, (1.0,) * 6, (one,), one, one, ("w", "z", "h"))
    # m, m, 0: convex in each pair up to 2, together only up to √2.
    assert is_convex("laplace", grid, [1.0, 1.0, 1.0, 2.0**40, 0.75, 0.75])
    assert not is_convex("laplace", grid, [1.0, 1.0, 1.0, 2.0**40, 0.625, 0.625])


def test_factors_that_are_not_squared_need_no_matrix() -> None:
    """y that is 0 or 1 is not mixed with anything in between."""
    grid = paper_grid(UNIT)
    assert grid.curved == ("s",)
    for law in LAWS:
        assert is_convex(law, grid, [2.0**-10] * 5)
