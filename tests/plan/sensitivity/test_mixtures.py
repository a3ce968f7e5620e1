"""Sums of any contrast are mixed of raw ones, and one row moves them no further."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpratio.curator.reading.exact import ExactSums
from dpratio.plan.laws import LAPLACE
from dpratio.plan.sensitivity.joint import (
    RAW,
    Grid,
    Mixture,
    joint_ratio,
    mixed_grid,
    mixture_of,
)
from plan.boxes_for_tests import (
    NARROW,
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
    placed,
)

HALF = (Mixture({0: 1}, 2),)


def mixed(cells: list[int], mixtures: tuple[Mixture, ...]) -> list[int]:
    sums = ExactSums(np.array([cells], dtype=object)).mixed(mixtures)
    nothing = np.zeros((1, len(mixtures)), dtype=np.int64)
    # What is larger than 64 bits is clamped on its way out; tests look before that.
    whole: Any = sums._cells
    clamped = np.clip(whole, -(2**62), 2**62).tolist()
    assert whole.dtype == object or clamped == sums.plus(nothing).tolist()
    return [int(each) for each in whole[0]]


def laid(box: Box, guess: float, *, means: bool) -> tuple[Grid, Grid, Any]:
    grid, contrast = focused_grid(box, guess, means=means)
    raw, _ = focused_grid(box, 0.0, means=means)
    return grid, raw, contrast


def test_sums_around_a_guess_are_mixed_of_raw_ones() -> None:
    grid, raw, contrast = laid(UNIT, 1.0, means=True)
    # Steps: Σz has that of Σa; Σh reaches twice as far, and squares in proportion.
    assert mixture_of(grid, raw, contrast) == (
        Mixture({0: 1, 1: -1}, 1),
        Mixture({0: 1, 1: 1}, 2),
        Mixture({2: 1, 3: -2, 4: 1}, 1),
        Mixture({2: 1, 4: -1}, 1),
        Mixture({2: 1, 3: 2, 4: 1}, 4),
        Mixture({5: 1}, 1),
    )


@settings(max_examples=100, deadline=None)
@given(
    box=boxes(),
    guess=guesses,
    part=inside,
    means=st.booleans(),
    others=st.lists(st.integers(-(2**70), 2**70), min_size=9, max_size=9),
    data=st.data(),
)
@example(
    box=NARROW,
    guess=1.0,
    part={"s": 1.0, "y": 0.25, "w": 1.0},
    means=True,
    others=[0] * 9,
    data=None,
)
def test_one_row_moves_mixed_sums_no_further_than_priced(
    box: dict[str, Any],
    guess: float,
    part: Mapping[str, float],
    *,
    means: bool,
    others: list[int],
    data: st.DataObject | None,
) -> None:
    """Whatever else is in the table: added to any totals, however large."""
    grid, raw, contrast = laid(box, guess, means=means)
    mixtures = mixture_of(grid, raw, contrast)
    row = placed(part, box)
    # Mixing exact places gives exact places.
    exact, places = (
        exact_cells(row, box, raw, RAW),
        exact_cells(row, box, grid, contrast),
    )
    assert places == [
        sum(weight * exact[index] for index, weight in each.weights.items())
        / each.divisor
        for each in mixtures
    ]
    grid = mixed_grid(grid, raw, contrast)
    cells = cells_of(row, box, raw, RAW)
    before = mixed(others[: len(cells)], mixtures)
    after = mixed([a + b for a, b in zip(others, cells, strict=False)], mixtures)
    moved = [b - a for a, b in zip(before, after, strict=True)]
    for cell, place, slack, most in zip(
        moved, places, grid.rounding, grid.sensitivities, strict=True
    ):
        assert abs(cell - place) <= slack
        assert abs(cell) <= most
    if data is not None:
        scales = drawn_scales(grid, LAPLACE, data)
        cost = cost_of(LAPLACE, moved, scales)
        assert cost <= joint_ratio(LAPLACE, grid, scales)


@pytest.mark.parametrize("box", [UNIT, WEIGHTED])
def test_rounding_once_more_is_paid_for(box: Box) -> None:
    """One row carries a total over the edge of a cell, beyond its own place."""
    grid, raw, contrast = laid(box, 1.0, means=False)
    paid = mixed_grid(grid, raw, contrast).rounding
    pairs = zip(paid, grid.rounding, strict=True)
    assert all(more > once + Fraction(1, 2) for more, once in pairs)
    assert mixed([1], HALF)[0] - mixed([0], HALF)[0] == 1
