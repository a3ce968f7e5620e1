"""No row, whatever it holds, moves all sums together further than planned."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dpratio.curator.python.engine import _clip
from dpratio.plan.sensitivity.contrast import BASES, Contrast
from dpratio.plan.sensitivity.joint import Grid, grid_of, joint_ratio, root_above
from dpratio.plan.sensitivity.sums import CUT, summands_for
from dpratio.terms.bounds import Bounds
from plan.boxes_for_tests import (
    LAWS,
    TIE,
    UNIT,
    WEIGHTED,
    Box,
    boxes,
    cells_of,
    cost_of,
    drawn_scales,
    exact_cells,
    focused_grid,
    guesses,
    inside,
    limits,
    made_convex,
    near_bounds,
    near_boxes,
    near_guesses,
    paper_grid,
    placed,
    within,
)


@pytest.mark.parametrize("basis", BASES)
@settings(max_examples=150)
@given(
    box=boxes(),
    guess=guesses,
    part=limits,
    means=st.booleans(),
    at=inside,
    law=st.sampled_from(LAWS),
    data=st.data(),
)
def test_no_row_costs_more_than_the_focused_sums_are_priced_at(  # noqa: PLR0913, PLR0917
    basis: str,
    box: dict[str, Bounds],
    guess: float,
    part: float | None,
    means: bool,  # noqa: FBT001
    at: dict[str, float],
    law: str,
    data: st.DataObject,
) -> None:
    grid, contrast = focused_grid(box, guess, part, means=means, basis=basis)
    scales = drawn_scales(grid, law, data)
    cells = cells_of(placed(at, box), box, grid, contrast)
    assert within(law, cost_of(law, cells, scales), joint_ratio(law, grid, scales))


@settings(max_examples=100)
@given(box=boxes(), at=inside, law=st.sampled_from(LAWS), data=st.data())
def test_no_row_costs_more_than_the_paper_s_sums_are_priced_at(
    box: dict[str, Bounds], at: dict[str, float], law: str, data: st.DataObject
) -> None:
    grid = paper_grid(box)
    scales = drawn_scales(grid, law, data)
    cells = cells_of(placed(at, box), box, grid, None)
    assert within(law, cost_of(law, cells, scales), joint_ratio(law, grid, scales))


def rows_of(box: Box, contrast: Contrast | None) -> dict[str, NDArray[np.float64]]:
    """Cover the box densely: its ends, zeros, and where z just reaches a limit."""
    axes = {
        name: [*np.linspace(each.lower, each.upper, 33), _clip(0.0, each)]
        for name, each in box.items()
    }
    weights = [box["w"].lower, 1.3, box["w"].upper] if "w" in box else [1.0]
    if contrast is None and box["y"].is_binary:
        axes["y"] = [0.0, 1.0]
    rows = [(w, s, y) for w in weights for s in axes["s"] for y in axes["y"]]
    if contrast is not None and contrast.limit is not None:
        edges = list(itertools.product(filter(None, weights), (-1, 1)))
        for w, side in edges:
            reach = side * contrast.limit / w
            rows += [
                (w, _clip(reach + contrast.centre * y, box["s"]), y) for y in axes["y"]
            ]
            if contrast.centre:
                places = ((s, (s - reach) / contrast.centre) for s in axes["s"])
                rows += [(w, s, _clip(y, box["y"])) for s, y in places]
    w, s, y = np.array(rows).T
    return {"w": w, "s": s, "y": y}


def densest(
    law: str, box: Box, grid: Grid, contrast: Contrast | None, scales: Sequence[float]
) -> float:
    """Search the box densely for the row that costs most, without rounding."""
    columns = rows_of(box, contrast)
    if contrast is not None:
        w, s, y = columns.values()
        limit = math.inf if contrast.limit is None else contrast.limit
        columns["z"] = np.clip(w * (s - contrast.centre * y), -limit, limit)
        columns["h"] = w * (s + contrast.centre * y if contrast.has_numerator else y)
    power = 1 if law == "laplace" else 2
    total = np.zeros(len(columns["s"]))
    for each, step, scale in zip(grid.summands, grid.steps, scales, strict=True):
        product = np.ones_like(total)
        for factor in each.factors:
            product = product * columns[factor]
        total += (np.abs(product) / (step * scale)) ** power
    return float(total.max() if law == "laplace" else np.sqrt(total.max()))


def slack_of(law: str, grid: Grid, scales: Sequence[float]) -> float:
    """The part of a joint price that rounding alone could cost."""
    each = [
        float(slack) / scale for slack, scale in zip(grid.rounding, scales, strict=True)
    ]
    return sum(each) if law == "laplace" else math.hypot(*each)


@pytest.mark.parametrize("basis", BASES)
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
    basis: str,
    box: dict[str, Bounds],
    guess: float,
    part: float | None,
    means: bool,  # noqa: FBT001
    law: str,
    data: st.DataObject,
) -> None:
    """Never less; and no more, but where weights and a limit meet."""
    grid, contrast = focused_grid(box, guess, part, means=means, basis=basis)
    scales = drawn_scales(grid, law, data)
    found = densest(law, box, grid, contrast, scales)
    without = float(joint_ratio(law, grid, scales)) - slack_of(law, grid, scales)
    assert found <= without * (1 + 1e-9)
    if part is None:
        assert without <= found * (1 + 1e-6)


@settings(max_examples=100)
@given(box=near_boxes, law=st.sampled_from(LAWS), data=st.data())
def test_the_joint_price_of_the_paper_s_sums_is_what_dense_search_finds(
    box: dict[str, Bounds], law: str, data: st.DataObject
) -> None:
    grid = paper_grid(box)
    scales = drawn_scales(grid, law, data)
    found = densest(law, box, grid, None, scales)
    without = float(joint_ratio(law, grid, scales)) - slack_of(law, grid, scales)
    assert found == pytest.approx(without, rel=1e-6)


@pytest.mark.parametrize("basis", BASES)
@settings(max_examples=60)
@given(
    s=near_bounds,
    y=near_bounds,
    guess=near_guesses,
    part=st.sampled_from([0.9, 0.5, 0.2]),
    law=st.sampled_from(LAWS),
    data=st.data(),
)
def test_without_weights_the_price_under_a_limit_is_sharp_too(
    basis: str,
    s: Bounds,
    y: Bounds,
    guess: float,
    part: float,
    law: str,
    data: st.DataObject,
) -> None:
    """Corners where z just reaches the limit are rows, found exactly on each edge."""
    box = {"s": s, "y": y}
    grid, contrast = focused_grid(box, guess, part, basis=basis)
    scales = drawn_scales(grid, law, data)
    found = densest(law, box, grid, contrast, scales)
    without = float(joint_ratio(law, grid, scales)) - slack_of(law, grid, scales)
    assert found == pytest.approx(without, rel=1e-6)


def test_one_row_cannot_be_extreme_in_every_sum() -> None:
    """|s − y| is 1 where s + y is 1, and s + y is 2 where s − y is 0."""
    grid, _ = focused_grid(UNIT, 1.0)
    scales = [float(size) for size in grid.sensitivities]
    for law, apart in (("laplace", 5.0), ("analytic_gaussian", math.sqrt(5))):
        assert float(joint_ratio(law, grid, scales)) < 0.85 * apart


def test_laplace_moves_add_up_and_gaussian_moves_as_squares() -> None:
    """By hand, on the unit box around 1: the row s = 1, y = 0 or the row s = y = 1."""
    grid, _ = focused_grid(UNIT, 1.0)
    cells = [2.0**24, 2.0**23, 2.0**24, 2.0**24, 2.0**22]  # One unit of each sum.
    slack = slack_of("laplace", grid, cells)
    assert float(joint_ratio("laplace", grid, cells)) == pytest.approx(6 + slack)
    longest = math.sqrt(2**2 + 4**2)  # s = y = 1: h = 2, h² = 4.
    slack = slack_of("analytic_gaussian", grid, cells)
    found = float(joint_ratio("analytic_gaussian", grid, cells))
    assert found == pytest.approx(longest + slack)


@pytest.mark.parametrize("law", LAWS)
def test_rounding_is_part_of_the_joint_price(law: str) -> None:
    """A row on a tie is counted half a cell further out; noise may be that small."""
    box = {"s": Bounds(0, TIE), "y": Bounds.binary()}
    grid, contrast = focused_grid(box, 1.0)
    cells = cells_of({"s": TIE, "y": 0.0}, box, grid, contrast)
    exact = exact_cells({"s": TIE, "y": 0.0}, box, grid, contrast)
    assert cells[0] == exact[0] + Fraction(1, 2)
    scales = made_convex(law, grid, [1.0, 2.0**40, 2.0**40, 2.0**40, 2.0**40])
    ratio = joint_ratio(law, grid, scales)
    assert within(law, cost_of(law, cells, scales), ratio)
    unrounded = max(cost_of(law, row, scales) for row in grid.moves)
    assert cost_of(law, cells, scales) > unrounded


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("at", range(5))
def test_less_noise_in_any_sum_costs_more(law: str, at: int) -> None:
    grid, _ = focused_grid(WEIGHTED, 1.0)
    scales = [1e9] * 5
    less = [scale / 2 if i == at else scale for i, scale in enumerate(scales)]
    assert joint_ratio(law, grid, less) > joint_ratio(law, grid, scales)


@given(
    square=st.fractions(0, 10**60, max_denominator=10**60)
    | st.floats(0, 1e300).map(Fraction)
    | st.integers(0, 10**40).map(lambda root: Fraction(root * root))
)
@example(square=Fraction(0))
@example(square=Fraction(1))
@example(square=Fraction(1, 3**200))
@example(square=Fraction(5e-324))
def test_a_root_is_bounded_from_above_and_closely(square: Fraction) -> None:
    root = root_above(square)
    assert root * root >= square
    assert root > 0 or square == 0
    # At most one unit of the last of some 40 digits too large.
    lower = root * (1 - Fraction(1, 2**120)) - Fraction(1, 2**130)
    assert lower < 0 or lower * lower <= square


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


def test_the_range_of_a_sum_is_not_rounded_to_whole_cells() -> None:
    third = 1 / 3
    box = {"s": Bounds(-third, third), "y": Bounds(0, third)}
    grid = paper_grid(box)
    ranges = dict(zip(grid.summands, grid.ranges, strict=True))
    steps = dict(zip(grid.summands, grid.steps, strict=True))
    (s,) = (each for each in grid.summands if each.factors == ("s",))
    assert ranges[s] == 2 * Fraction(third) / Fraction(steps[s])
    assert ranges[s].denominator > 1


@pytest.mark.parametrize("power", [-300, -60, 0, 60, 300])
def test_roots_have_forty_digits_whatever_their_size(power: int) -> None:
    square = Fraction(2) * Fraction(10) ** power
    root = root_above(square)
    assert square <= root**2 <= square * (1 + Fraction(1, 10**40))


def test_the_roots_of_squares_are_whole() -> None:
    assert [root_above(Fraction(n * n)) for n in range(4)] == [0, 1, 2, 3]


def test_a_unit_that_was_cut_counts_as_one() -> None:
    grid = grid_of([CUT], UNIT, None)
    assert grid.sensitivities[0] * grid.steps[0] == 1
