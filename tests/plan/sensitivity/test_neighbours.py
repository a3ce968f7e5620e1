"""No unit moves a release further than priced, whatever happens to it."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.oracle import clip
from dpratio.plan.laws import LAPLACE, NoiseLaw
from dpratio.plan.sensitivity.joint import (
    RAW,
    Grid,
    is_convex,
    joint_ratio,
    pooled_ratio,
    spread_ratio,
    unit_ratio,
)
from dpratio.plan.sensitivity.sums import Contrast
from dpratio.terms.bounds import Bounds
from dpratio.terms.unit import NEIGHBOURS, PrivacyUnit
from plan.boxes_for_tests import (
    LAWS,
    UNIT,
    Box,
    cells_of,
    cost_of,
    made_convex,
    sums_of,
    within,
)

EVERY_LAW = pytest.mark.parametrize("law", LAWS)
EVERY_RELATION = pytest.mark.parametrize("neighbours", NEIGHBOURS)


def unit_of(neighbours: str, most_groups: int = 1) -> PrivacyUnit:
    return PrivacyUnit("user", most_groups=most_groups, neighbours=neighbours)


CHANGED = unit_of("change-one")


def grid_and_scales(
    law: NoiseLaw, box: Box = UNIT, strategy: str = "joint", factor: float = 10.0
) -> tuple[Grid, list[float]]:
    grid = sums_of(strategy, box, RAW, ("ratio",))
    scales = [factor * each for each in grid.sensitivities]
    assert is_convex(law, grid, scales)
    return grid, scales


@EVERY_LAW
@EVERY_RELATION
@pytest.mark.parametrize("groups", [1, 2, 3, 9, 1000])
def test_groups_add_up_or_add_up_in_squares_and_nobody_is_in_more_than_there_are(
    law: NoiseLaw, neighbours: str, groups: int
) -> None:
    grid, scales = grid_and_scales(law)
    one = unit_ratio(law, grid, scales, unit_of(neighbours), None)
    if neighbours == "add-or-remove-one":
        assert one == joint_ratio(law, grid, scales)
    unit = unit_of(neighbours, groups)
    many = unit_ratio(law, grid, scales, unit, None)
    if law == LAPLACE:
        assert many == groups * one
    else:
        assert many**2 >= groups * one**2
        assert float(many / one) == pytest.approx(math.sqrt(groups), rel=1e-15)
    for cells in (1, 2, 4):
        fewer = unit_of(neighbours, min(groups, cells))
        limited = unit_ratio(law, grid, scales, unit, cells)
        assert limited == unit_ratio(law, grid, scales, fewer, cells)


@EVERY_LAW
@pytest.mark.parametrize(
    "box",
    [
        UNIT,
        {"s": Bounds(-1, 1), "y": Bounds(-1, 1)},
        {"s": Bounds(5, 6), "y": Bounds(7, 8), "w": Bounds(1, 2)},
        {"s": Bounds(-3, -2), "y": Bounds(0, 2), "w": Bounds(0, 1)},
    ],
    ids=str,
)
def test_changing_a_unit_costs_at_most_adding_one_and_removing_one(
    law: NoiseLaw, box: Box
) -> None:
    """From cell to cell it adds up in either norm, and no further."""
    grid, scales = grid_and_scales(law, box)
    once = joint_ratio(law, grid, scales)
    alone = unit_ratio(law, grid, scales, CHANGED, 1)
    assert once <= alone <= 2 * once
    apart = unit_ratio(law, grid, scales, CHANGED, 2)
    across = 4 * once**2 if law == LAPLACE else 2 * once**2
    most = max(alone**2, across)
    assert most <= apart**2 <= most * (1 + Fraction(1, 10**30))
    assert unit_ratio(law, grid, scales, CHANGED, None) == apart
    if box is UNIT:
        # From the corner 0 to the corner 1, and no further: two half cells more.
        assert float(alone / once) == pytest.approx(1, rel=1e-6)
        assert alone == max(once, spread_ratio(law, grid, scales))


@pytest.mark.parametrize(
    ("box", "sizes"),
    [
        ({"s": Bounds(-1, 1), "y": Bounds(-1, 1)}, [1, 2, 2, 1, 1, 2]),
        (
            {"s": Bounds(5, 6), "y": Bounds(-2, -1), "w": Bounds(1, 2)},
            [2, 4, 12, 4, 8, 72, 24],
        ),
    ],
)
def test_a_square_is_never_negative_but_a_missing_row_is_zero(
    box: Box, sizes: list[float]
) -> None:
    grid = sums_of("joint", box, RAW, ("ratio",))
    pairs = zip(grid.ranges, grid.steps, strict=True)
    assert [float(width) * step for width, step in pairs] == sizes


# What units really do, counted by the specification of all engines.


def values_of(bounds: Bounds, rng: np.random.Generator) -> list[float]:
    inside = rng.uniform(bounds.lower, bounds.upper, 3).tolist()
    return [bounds.lower, bounds.upper, *inside, clip(0.0, bounds)]


def moves_of(
    box: Box, grid: Grid, contrast: Contrast | None, rng: np.random.Generator
) -> np.ndarray:
    """Cells of many rows, corners and zeros and some inside; and of no row."""
    rows = itertools.product(*(values_of(each, rng) for each in box.values()))
    cells = [
        cells_of(dict(zip(box, row, strict=True)), box, grid, contrast) for row in rows
    ]
    return np.array([*cells, [0] * len(grid.steps)], dtype=object)


def longest(law: NoiseLaw, moves: np.ndarray, scales: Sequence[float]) -> float:
    scaled = np.abs(moves.astype(float)) / np.array(scales)
    if law == LAPLACE:
        return float(scaled.sum(axis=-1).max())
    return float(np.sqrt((scaled**2).sum(axis=-1)).max())


sides = st.tuples(st.floats(-5, 5), st.floats(0.01, 5)).map(
    lambda given: Bounds(given[0], given[0] + given[1])
)
Situation = tuple[NoiseLaw, Box, Grid, Contrast | None, list[float]]


@st.composite
def situations(draw: st.DrawFn) -> Situation:
    law = draw(st.sampled_from(LAWS))
    box = {
        "s": draw(sides | st.just(Bounds(0, 1))),
        "y": draw(sides | st.just(Bounds.binary())),
    }
    if draw(st.booleans()):
        box["w"] = draw(st.floats(0.1, 3).map(lambda top: Bounds(0, top)))
    strategy = draw(st.sampled_from(["focused", "joint"]))
    centre = draw(st.sampled_from([0.0, 1.0, -0.5]))
    contrast = Contrast(centre, draw(st.none() | st.floats(0.01, 0.5)))
    answers = draw(st.sampled_from([("ratio",), ("ratio", "means")]))
    grid = sums_of(strategy, box, contrast, answers)
    count = len(grid.steps)
    parts = draw(st.lists(st.floats(0.5, 20), min_size=count, max_size=count))
    scales = [
        part * max(each, 1)
        for part, each in zip(parts, grid.sensitivities, strict=True)
    ]
    seen = contrast if strategy == "focused" else None
    return law, box, grid, seen, made_convex(law, grid, scales)


@settings(max_examples=40)
@given(
    situation=situations(),
    groups=st.integers(1, 3),
    cells=st.none() | st.integers(1, 4),
    seed=st.integers(0, 2**32),
)
def test_no_unit_moves_a_release_further_than_priced(
    situation: Situation, groups: int, cells: int | None, seed: int
) -> None:
    """Added, removed, changed within its groups, or moved to others."""
    law, box, grid, contrast, scales = situation
    rows = moves_of(box, grid, contrast, np.random.default_rng(seed))
    power = 1 if law == LAPLACE else 2
    once = longest(law, rows, scales)
    inside = longest(law, rows[:, None, :] - rows[None, :, :], scales)
    there = 8 if cells is None else cells
    most = min(groups, there)
    added = (most * once**power) ** (1 / power)
    # k groups are kept and hold other rows; the rest are left for new ones.
    changed = max(
        (kept * inside**power + (before + after) * once**power) ** (1 / power)
        for kept in range(most + 1)
        for before in range(most - kept + 1)
        for after in range(most - kept + 1)
        if kept + before + after <= there
    )
    for neighbours, moved in (("add-or-remove-one", added), ("change-one", changed)):
        unit = unit_of(neighbours, groups)
        priced = unit_ratio(law, grid, scales, unit, cells)
        assert moved <= float(priced) * (1 + 1e-12)
        assert priced <= 2 * most * joint_ratio(law, grid, scales)
        if neighbours == "add-or-remove-one" and contrast is None:
            # Corners are rows: the price is true, but for half a cell.
            assert moved >= float(priced) * (1 - 1e-4)
    # Two rows of one sum lie within its range.
    spans = rows.max(axis=0) - rows.min(axis=0)
    for index, (span, width, slack) in enumerate(
        zip(spans, grid.ranges, grid.rounding, strict=True)
    ):
        assert Fraction(int(span)) <= width + 2 * slack
        alone = grid[index : index + 1]
        assert spread_ratio(LAPLACE, alone, [1.0]) == width + 2 * slack


# Totals over all groups: what one unit puts into several of them comes together.


@EVERY_LAW
def test_groups_add_up_in_a_total_whatever_the_noise(law: NoiseLaw) -> None:
    """In squares they would add up to less: that is for groups side by side."""
    grid, scales = grid_and_scales(law, strategy="focused")
    once = joint_ratio(law, grid, scales)
    for groups, cells, moved in [(1, None, 1), (4, None, 4), (4, 3, 3), (4, 9, 4)]:
        unit = PrivacyUnit("id", most_groups=groups)
        assert pooled_ratio(law, grid, scales, unit, cells) == moved * once


@EVERY_LAW
@EVERY_RELATION
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize(
    "box",
    [
        UNIT,
        {"s": Bounds(-2, 1), "y": Bounds(3, 4)},
        {"s": Bounds(0, 5), "y": Bounds(-1, 1), "w": Bounds(0.5, 2)},
    ],
    ids=str,
)
def test_no_unit_moves_a_total_further_than_priced(
    law: NoiseLaw, neighbours: str, groups: int, box: Box
) -> None:
    grid, scales = grid_and_scales(law, box, "focused", 3.0)
    most = pooled_ratio(law, grid, scales, unit_of(neighbours, groups), 5)
    ends = itertools.product(*((each.lower, each.upper) for each in box.values()))
    none = [0] * len(scales)
    rows = [dict(zip(box, row, strict=True)) for row in ends]
    cells = [none, *(cells_of(row, box, grid, RAW) for row in rows)]
    shapes = list(itertools.combinations_with_replacement(cells, groups))
    totals = [[sum(each) for each in zip(*one, strict=True)] for one in shapes]
    before = totals if neighbours == "change-one" else [none]
    for one, other in itertools.product(totals, before):
        moved = [a - b for a, b in zip(one, other, strict=True)]
        assert within(law, cost_of(law, moved, scales), most)


def test_who_is_changed_moves_a_total_once_and_not_twice() -> None:
    """Out of one group and into another is no further than within one."""
    grid, scales = grid_and_scales(LAPLACE, strategy="focused")
    pooled = pooled_ratio(LAPLACE, grid, scales, CHANGED, 9)
    assert pooled < Fraction(101, 100) * joint_ratio(LAPLACE, grid, scales)
    assert pooled < unit_ratio(LAPLACE, grid, scales, CHANGED, 9)
