"""No unit moves a release further than priced, whatever happens to it."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpratio.curator.python.engine import _cells, _clip, _with_contrast
from dpratio.curator.reading.statement import CellSum
from dpratio.plan.sensitivity.contrast import Contrast
from dpratio.plan.sensitivity.joint import Grid, is_convex, joint_ratio, spread_ratio
from dpratio.plan.sensitivity.neighbours import (
    is_one_row,
    pooled_ratio,
    unit_ratio,
)
from dpratio.terms.bounds import Bounds
from dpratio.terms.unit import NEIGHBOURS, PrivacyUnit

LAWS = ["laplace", "analytic_gaussian"]
Box = dict[str, Bounds]
UNIT_BOX: Box = {"s": Bounds(0, 1), "y": Bounds.binary()}


def unit_of(neighbours: str, most_groups: int = 1) -> PrivacyUnit:
    return PrivacyUnit("user", most_groups=most_groups, neighbours=neighbours)


def grid_and_scales(law: str, box: Box = UNIT_BOX) -> tuple[Grid, list[float]]:
    grid = sums_of("joint", box, Contrast(1.0), ("ratio",))
    scales = [10.0 * each for each in grid.sensitivities]
    assert is_convex(law, grid, scales)
    return grid, scales


def test_one_row_is_a_unit_of_one_group_that_is_added_or_removed() -> None:
    assert is_one_row(PrivacyUnit())
    assert is_one_row(unit_of("add-or-remove-one"))
    assert not is_one_row(unit_of("add-or-remove-one", 2))
    assert not is_one_row(unit_of("change-one"))


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("cells", [None, 1, 2, 50])
def test_one_row_costs_what_it_moves(law: str, cells: int | None) -> None:
    grid, scales = grid_and_scales(law)
    once = joint_ratio(law, grid, scales)
    assert unit_ratio(law, grid, scales, PrivacyUnit(), cells) == once


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize("groups", [1, 2, 3, 4, 9, 1000])
def test_groups_add_up_or_add_up_in_squares(
    law: str, neighbours: str, groups: int
) -> None:
    grid, scales = grid_and_scales(law)
    one = unit_ratio(law, grid, scales, unit_of(neighbours), None)
    many = unit_ratio(law, grid, scales, unit_of(neighbours, groups), None)
    if law == "laplace":
        assert many == groups * one
    else:
        assert many**2 >= groups * one**2
        assert float(many / one) == pytest.approx(math.sqrt(groups), rel=1e-15)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize("cells", [1, 2, 3, 4, 5])
def test_nobody_is_in_more_groups_than_there_are(
    law: str, neighbours: str, cells: int
) -> None:
    grid, scales = grid_and_scales(law)
    limited = unit_ratio(law, grid, scales, unit_of(neighbours, 4), cells)
    same = unit_ratio(law, grid, scales, unit_of(neighbours, min(cells, 4)), cells)
    assert limited == same


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    "box",
    [
        UNIT_BOX,
        {"s": Bounds(-1, 1), "y": Bounds(-1, 1)},
        {"s": Bounds(5, 6), "y": Bounds(7, 8), "w": Bounds(1, 2)},
        {"s": Bounds(-3, -2), "y": Bounds(0, 2), "w": Bounds(0, 1)},
    ],
    ids=str,
)
def test_changing_a_unit_costs_at_most_adding_one_and_removing_one(
    law: str, box: Box
) -> None:
    grid, scales = grid_and_scales(law, box)
    once = joint_ratio(law, grid, scales)
    alone = unit_ratio(law, grid, scales, unit_of("change-one"), 1)
    assert once <= alone <= 2 * once
    apart = unit_ratio(law, grid, scales, unit_of("change-one"), 2)
    assert max(alone, once) <= apart <= 2 * once
    assert unit_ratio(law, grid, scales, unit_of("change-one"), None) == apart
    if law == "laplace":
        assert apart == 2 * once
    else:
        assert apart**2 >= 2 * once**2


@pytest.mark.parametrize("law", LAWS)
def test_a_change_within_a_table_of_one_sign_costs_no_more_than_a_row(law: str) -> None:
    """From the corner 0 to the corner 1, and no further: two half cells more."""
    grid, scales = grid_and_scales(law)
    once = joint_ratio(law, grid, scales)
    changed = unit_ratio(law, grid, scales, unit_of("change-one"), 1)
    assert float(changed / once) == pytest.approx(1, rel=1e-6)
    assert changed == max(once, spread_ratio(law, grid, scales))


def test_a_change_from_cell_to_cell_adds_up_in_squares_and_no_further() -> None:
    grid, scales = grid_and_scales("analytic_gaussian")
    once = joint_ratio("analytic_gaussian", grid, scales)
    apart = unit_ratio("analytic_gaussian", grid, scales, unit_of("change-one"), 2)
    assert 2 * once**2 <= apart**2 <= 2 * once**2 * (1 + Fraction(1, 10**30))


@pytest.mark.parametrize("law", LAWS)
def test_a_change_never_costs_more_than_removing_and_adding(law: str) -> None:
    """z and h are never large in one row, but each spans its whole range."""
    box = {"s": Bounds(-1, 1), "y": Bounds(-1, 1)}
    grid = sums_of("focused", box, Contrast(1.0), ("ratio",))
    scales = [1.0, 1.0, 1e9, 1e12, 1e9]
    assert is_convex(law, grid, scales)
    once = joint_ratio(law, grid, scales)
    assert spread_ratio(law, grid, scales) > Fraction(5, 2) * once
    assert unit_ratio(law, grid, scales, unit_of("change-one"), 1) == 2 * once
    assert pooled_ratio(law, grid, scales, unit_of("change-one", 3), 9) == 6 * once


def test_a_change_of_signs_costs_twice_a_row() -> None:
    box = {"s": Bounds(-1, 1), "y": Bounds(-1, 1)}
    grid, _ = grid_and_scales("laplace", box)
    names = [each.name for each in grid.summands]
    ranges = dict(zip(names, grid.ranges, strict=True))
    cell = 2**24
    assert ranges == {
        "w": cell,
        "wy": 2 * cell,
        "ws": 2 * cell,
        "wyy": cell,
        "wss": cell,
        "wys": 2 * cell,
    }


def test_a_square_is_never_negative_but_a_missing_row_is_zero() -> None:
    box = {"s": Bounds(5, 6), "y": Bounds(-2, -1), "w": Bounds(1, 2)}
    grid = sums_of("joint", box, Contrast(1.0), ("ratio",))
    sizes = [
        float(each) * step for each, step in zip(grid.ranges, grid.steps, strict=True)
    ]
    assert sizes == [2, 4, 12, 4, 8, 72, 24]


# What units really do, counted by the specification of all engines.


def values_of(bounds: Bounds, rng: np.random.Generator) -> list[float]:
    inside = rng.uniform(bounds.lower, bounds.upper, 3).tolist()
    zero = [_clip(0.0, bounds)]
    return [
        _clip(each, bounds) for each in (bounds.lower, bounds.upper, *inside, *zero)
    ]


def moves_of(
    box: Box, grid: Grid, contrast: Contrast | None, rng: np.random.Generator
) -> np.ndarray:
    """Cells of many rows, corners and zeros and some inside; and of no row."""
    sums = [
        CellSum(each.factors, step, 0)
        for each, step in zip(grid.summands, grid.steps, strict=True)
    ]
    rows = itertools.product(*(values_of(each, rng) for each in box.values()))
    cells = [
        list(_cells(_with_contrast(dict(zip(box, row, strict=True)), contrast), sums))
        for row in rows
    ]
    return np.array([*cells, [0] * len(sums)], dtype=object)


def lengths(law: str, moves: np.ndarray, scales: Sequence[float]) -> np.ndarray:
    scaled = np.abs(moves.astype(float)) / np.array(scales)
    if law == "laplace":
        return np.asarray(scaled.sum(axis=-1))
    return np.asarray(np.sqrt((scaled**2).sum(axis=-1)))


sides = st.tuples(st.floats(-5, 5), st.floats(0.01, 5)).map(
    lambda given: Bounds(given[0], given[0] + given[1])
)


@st.composite
def situations(
    draw: st.DrawFn,
) -> tuple[str, Box, Grid, Contrast | None, list[float]]:
    law = draw(st.sampled_from(LAWS))
    box: Box = {
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
    parts = draw(
        st.lists(st.floats(0.5, 20), min_size=len(grid.steps), max_size=len(grid.steps))
    )
    scales = [
        part * max(each, 1)
        for part, each in zip(parts, grid.sensitivities, strict=True)
    ]
    while not is_convex(law, grid, scales):
        mixed = {"zh", "wz", "wh", "wys"}
        scales = [
            scale * (2 if each.name in mixed else 1)
            for each, scale in zip(grid.summands, scales, strict=True)
        ]
    return law, box, grid, contrast if strategy == "focused" else None, scales


@settings(max_examples=40)
@given(
    situation=situations(),
    groups=st.integers(1, 3),
    cells=st.none() | st.integers(1, 4),
    seed=st.integers(0, 2**32),
)
def test_no_unit_moves_a_release_further_than_priced(
    situation: tuple[str, Box, Grid, Contrast | None, list[float]],
    groups: int,
    cells: int | None,
    seed: int,
) -> None:
    """Added, removed, changed within its groups, or moved to others."""
    law, box, grid, contrast, scales = situation
    rng = np.random.default_rng(seed)
    rows = moves_of(box, grid, contrast, rng)
    power = 1 if law == "laplace" else 2
    once = float(lengths(law, rows, scales).max())
    pairs = rows[:, None, :] - rows[None, :, :]
    within = float(lengths(law, pairs, scales).max())
    there = 8 if cells is None else cells
    most = min(groups, there)
    added = (most * once**power) ** (1 / power)
    # k groups are kept and hold other rows; the rest are left for new ones.
    changed = max(
        (kept * within**power + (before + after) * once**power) ** (1 / power)
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


@settings(max_examples=40)
@given(situation=situations(), seed=st.integers(0, 2**32))
def test_two_rows_of_one_sum_lie_within_its_range(
    situation: tuple[str, Box, Grid, Contrast | None, list[float]], seed: int
) -> None:
    _, box, grid, contrast, _ = situation
    rows = moves_of(box, grid, contrast, np.random.default_rng(seed))
    spans = rows.max(axis=0) - rows.min(axis=0)
    for at, (span, width, slack) in enumerate(
        zip(spans, grid.ranges, grid.rounding, strict=True)
    ):
        assert Fraction(int(span)) <= width + 2 * slack
        alone = grid.only(at)
        assert alone.ranges == (width,)
        assert spread_ratio("laplace", alone, [1.0]) == width + 2 * slack
        assert alone.sensitivities == grid.sensitivities[at : at + 1]
