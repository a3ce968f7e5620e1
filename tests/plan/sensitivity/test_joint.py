"""What one row costs in all sums together: never too little, and hardly too much."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from curator.oracle import clip
from dpratio.plan.laws import LAPLACE, NoiseLaw
from dpratio.plan.sensitivity.joint import Grid, is_convex, joint_ratio
from dpratio.plan.sensitivity.sums import BASES, Contrast, Summand, summands_for
from dpratio.terms.bounds import Bounds
from plan.boxes_for_tests import (
    LAWS,
    Box,
    cells_of,
    cost_of,
    drawn_scales,
    focused_grid,
    grid_of,
    made_convex,
    near_boxes,
    near_guesses,
    paper_grid,
    within,
)

EVERY_LAW = pytest.mark.parametrize("law", LAWS)


def rows_of(box: Box, contrast: Contrast | None) -> dict[str, NDArray[np.float64]]:
    """Cover the box densely: its ends, zeros, and where z just reaches a limit."""
    axes = {
        name: [*np.linspace(each.lower, each.upper, 33), clip(0.0, each)]
        for name, each in box.items()
    }
    weights = [box["w"].lower, 1.3, box["w"].upper] if "w" in box else [1.0]
    if contrast is None and box["y"].is_binary:
        axes["y"] = [0.0, 1.0]
    rows = [(w, s, y) for w in weights for s in axes["s"] for y in axes["y"]]
    if contrast is not None and contrast.limit is not None:
        for w, side in itertools.product(filter(None, weights), (-1, 1)):
            reach = side * contrast.limit / w
            rows += [
                (w, clip(reach + contrast.centre * y, box["s"]), y) for y in axes["y"]
            ]
            if contrast.centre:
                places = ((s, (s - reach) / contrast.centre) for s in axes["s"])
                rows += [(w, s, clip(y, box["y"])) for s, y in places]
    w, s, y = np.array(rows).T
    return {"w": w, "s": s, "y": y}


def densest(
    law: NoiseLaw,
    box: Box,
    grid: Grid,
    contrast: Contrast | None,
    scales: Sequence[float],
) -> float:
    """Search the box densely for the row that costs most, without rounding."""
    columns = rows_of(box, contrast)
    if contrast is not None:
        w, s, y = columns.values()
        limit = math.inf if contrast.limit is None else contrast.limit
        columns["z"] = np.clip(w * (s - contrast.centre * y), -limit, limit)
        columns["h"] = w * (s + contrast.centre * y if contrast.has_numerator else y)
    power = 1 if law == LAPLACE else 2
    total = np.zeros(len(columns["s"]))
    for each, step, scale in zip(grid.summands, grid.steps, scales, strict=True):
        product = np.ones_like(total)
        for factor in each.factors:
            product = product * columns[factor]
        total += (np.abs(product) / (step * scale)) ** power
    return float(total.max() if law == LAPLACE else np.sqrt(total.max()))


def slack_of(law: NoiseLaw, grid: Grid, scales: Sequence[float]) -> float:
    """The part of a joint price that rounding alone could cost."""
    parts = [
        float(slack) / scale for slack, scale in zip(grid.rounding, scales, strict=True)
    ]
    return sum(parts) if law == LAPLACE else math.hypot(*parts)


@pytest.mark.parametrize("basis", [*BASES, None])
@settings(max_examples=150)
@given(
    box=near_boxes,
    guess=near_guesses,
    part=st.none() | st.sampled_from([0.9, 0.5, 0.2]),
    means=st.booleans(),
    law=st.sampled_from(LAWS),
    data=st.data(),
)
def test_the_joint_price_is_what_dense_search_finds(
    basis: str | None,
    box: dict[str, Bounds],
    guess: float,
    part: float | None,
    means: bool,  # noqa: FBT001
    law: NoiseLaw,
    data: st.DataObject,
) -> None:
    """Never less; and no more, but where a limit meets weights or a binary y."""
    grid, contrast = paper_grid(box), None
    if basis is not None:
        grid, contrast = focused_grid(box, guess, part, means=means, basis=basis)
    scales = drawn_scales(grid, law, data)
    found = densest(law, box, grid, contrast, scales)
    without = float(joint_ratio(law, grid, scales)) - slack_of(law, grid, scales)
    assert found <= without * (1 + 1e-6)
    is_mixed = "w" in box or box["y"].is_binary
    if part is None or contrast is None or not is_mixed:
        assert without <= found * (1 + 1e-6)


def test_no_two_rows_lie_further_apart_than_the_range_of_a_sum() -> None:
    """Products of up to four values; one of the rows may be missing."""
    box = {"s": Bounds(1, 2), "y": Bounds(-3, 1)}
    summands = summands_for(weighted=False, binary=False, spread=True)
    grid = grid_of(summands, box, None)
    rows = list(itertools.product([1, 1.5, 2], [-3, -1, 0, 1]))
    for each, step, width in zip(summands, grid.steps, grid.ranges, strict=True):
        values = [
            math.prod({"s": s, "y": y}[factor] for factor in each.factors)
            for s, y in rows
        ]
        apart = max(*values, 0) - min(*values, 0)
        assert apart <= width * Fraction(step) <= 2 * max(map(abs, values))


# Where prices are convex, extreme rows are enough.


def prices(law: NoiseLaw, grid: Grid, scales: Sequence[float]) -> NDArray[np.float64]:
    """The matrix of prices of products of two curved factors, in doubles."""
    power = 1 if law == LAPLACE else 2
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
    law: NoiseLaw,
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


@EVERY_LAW
def test_without_convexity_a_row_inside_may_cost_more_than_any_corner(
    law: NoiseLaw,
) -> None:
    """Along s = 1 the mixed product falls as 1 − y² while h = 1 + y still grows."""
    box = {"s": Bounds(0, 1), "y": Bounds(0, 1)}
    grid, contrast = focused_grid(box, 1.0)
    sizes = (1e6, 2, 1e6, 1, 10)
    scales = [size / step for size, step in zip(sizes, grid.steps, strict=True)]
    assert not is_convex(law, grid, scales)
    row = {"s": 1.0, "y": 0.39 if law == LAPLACE else 0.2}
    cells = cells_of(row, box, grid, contrast)
    for noise, is_enough in ((scales, False), (made_convex(law, grid, scales), True)):
        ratio = joint_ratio(law, grid, noise)
        assert within(law, cost_of(law, cells, noise), ratio) is is_enough


def test_a_matrix_of_three_factors_needs_more_than_its_pairs() -> None:
    """[[1, m/2, m/2], …] is convex in each pair up to m = 2, and all signs alike so.

    With m, m and 0 beside the diagonal it is so together only up to √2.
    """
    names = ("ww", "zz", "hh", "zh", "wz", "wh")
    summands = tuple(Summand(name, tuple(name)) for name in names)
    one = (Fraction(1),) * 6
    grid = Grid(summands, (1.0,) * 6, (one,), one, one, ("w", "z", "h"))
    for mixed, convex in (
        ([1 / 2] * 3, True),
        ([1 / 2.0625] * 3, False),
        ([2.0**40, 0.75, 0.75], True),
        ([2.0**40, 0.625, 0.625], False),
    ):
        assert is_convex(LAPLACE, grid, [1.0, 1.0, 1.0, *mixed]) is convex
