"""No row, whatever it holds, moves a sum further than planned."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpratio.curator.python.engine import _clip
from dpratio.plan.sensitivity.contrast import BASES, Contrast
from dpratio.plan.sensitivity.joint import Grid, grid_of
from dpratio.plan.sensitivity.lattice import step_for, to_cell
from dpratio.plan.sensitivity.sums import focused_summands, summands_for
from dpratio.terms.bounds import Bounds
from plan.boxes_for_tests import (
    NARROW,
    TIE,
    UNIT,
    WEIGHTED,
    Box,
    boxes,
    cells_of,
    exact_cells,
    finite,
    focused_grid,
    guesses,
    inside,
    limits,
    paper_grid,
    placed,
)


@settings(max_examples=150)
@given(box=boxes(), row=st.fixed_dictionaries(dict.fromkeys("syw", finite)))
@example(box=UNIT, row={"s": 1.0, "y": 1.0, "w": 1.0})
@example(box=UNIT, row={"s": 1e308, "y": -1e308, "w": 5e-324})
@example(box=UNIT, row={"s": -5e-324, "y": 0.5, "w": 0.0})
@example(
    box={"s": Bounds(-TIE, 0), "y": Bounds(-3, 2), "w": Bounds(0, 0.1)},
    row={"s": -1e9, "y": -1e9, "w": 1e9},
)
@example(box={"s": Bounds(0, TIE), "y": Bounds.binary()}, row={"s": 2.0, "y": 1.0})
def test_no_row_moves_a_sum_of_the_paper_further_than_its_sensitivity(
    box: dict[str, Bounds], row: dict[str, float]
) -> None:
    """Rows in or out of bounds; the half cell of rounding is included."""
    grid = paper_grid(box)
    cells = cells_of(row, box, grid, None)
    for cell, largest in zip(cells, grid.sensitivities, strict=True):
        assert abs(cell) <= largest


@pytest.mark.parametrize("basis", BASES)
@settings(max_examples=250)
@given(box=boxes(), guess=guesses, part=limits, means=st.booleans(), at=inside)
@example(
    box={"s": Bounds(-1, 1), "y": Bounds(-1, 1)},
    guess=1.0,
    part=None,
    means=False,
    at={"s": 1.0, "y": 0.5, "w": 1.0},
)
@example(
    box={"s": Bounds(-1, 1.01), "y": Bounds(-1, 1), "w": Bounds(0, 2)},
    guess=-1.0,
    part=0.999,
    means=True,
    at={"s": 0.5, "y": 1.0, "w": 1.0},
)
@example(
    box=NARROW, guess=1.0, part=None, means=False, at={"s": 1.0, "y": 0.0, "w": 1.0}
)
@example(
    box=dict.fromkeys("sy", Bounds(1, 1 + 2.0**-52)),
    guess=1 + 2.0**-52,
    part=None,
    means=True,
    at={"s": 1.0, "y": 1.0, "w": 1.0},
)
def test_no_row_moves_a_focused_sum_further_than_its_sensitivity(
    basis: str,
    box: dict[str, Bounds],
    guess: float,
    part: float | None,
    means: bool,  # noqa: FBT001
    at: dict[str, float],
) -> None:
    """z·h may be largest on an edge of the box, where it turns."""
    grid, contrast = focused_grid(box, guess, part, means=means, basis=basis)
    cells = cells_of(placed(at, box), box, grid, contrast)
    for cell, largest in zip(cells, grid.sensitivities, strict=True):
        assert abs(cell) <= largest


@pytest.mark.parametrize("basis", BASES)
@settings(max_examples=250)
@given(box=boxes(), guess=guesses, part=limits, at=inside, focused=st.booleans())
@example(
    box=NARROW, guess=1.0, part=None, at={"s": 0.3, "y": 0.7, "w": 1.0}, focused=True
)
def test_a_cell_lies_no_further_from_its_exact_place_than_is_allowed_for(
    basis: str,
    box: dict[str, Bounds],
    guess: float,
    part: float | None,
    at: dict[str, float],
    focused: bool,  # noqa: FBT001
) -> None:
    contrast = None
    grid = paper_grid(box)
    if focused:
        grid, contrast = focused_grid(box, guess, part, means=True, basis=basis)
    row = placed(at, box)
    cells = cells_of(row, box, grid, contrast)
    exact = exact_cells(row, box, grid, contrast)
    for cell, place, slack in zip(cells, exact, grid.rounding, strict=True):
        assert abs(cell - place) <= slack


@settings(max_examples=100)
@given(box=boxes())
@example(box={"s": Bounds(-TIE, 0), "y": Bounds.binary()})
def test_the_sensitivity_is_reached_at_a_vertex_of_the_box(
    box: dict[str, Bounds],
) -> None:
    """It could not be smaller, except by the one cell of a tie or a near one."""
    grid = paper_grid(box)
    corners = itertools.product(*((b.lower, b.upper) for b in box.values()))
    rows = [dict(zip(box, corner, strict=True)) for corner in corners]
    reached = zip(*(cells_of(row, box, grid, None) for row in rows), strict=True)
    moves = zip(*grid.moves, strict=True)
    for cells, largest, sizes in zip(reached, grid.sensitivities, moves, strict=True):
        tie = abs(max(sizes) % 1 - Fraction(1, 2)) <= Fraction(1, 2**20)
        furthest = max(abs(cell) for cell in cells)
        assert largest - tie <= furthest <= largest


@settings(max_examples=100)
@given(box=boxes())
def test_the_sensitivity_is_the_box_maximum_plus_at_most_half_a_cell(
    box: dict[str, Bounds],
) -> None:
    grid = paper_grid(box)
    for summand, step, largest in zip(
        grid.summands, grid.steps, grid.sensitivities, strict=True
    ):
        exact = math.prod(
            (Fraction(box[factor].reach) for factor in summand.factors),
            start=Fraction(1),
        )
        slack = Fraction(1, 2) + Fraction(1, 2**23)
        assert abs(largest - exact / Fraction(step)) <= slack
        assert step == step_for(float(exact))


def sizes_of(grid: Grid) -> dict[str, float]:
    """Sensitivities in the units of the data."""
    return {
        each.name: largest * step
        for each, largest, step in zip(
            grid.summands, grid.sensitivities, grid.steps, strict=True
        )
    }


def test_the_sum_of_squared_weights_moves_by_the_square_of_the_largest_weight() -> None:
    """The paper says u_w for every sum; Σw² has u_w²."""
    assert sizes_of(paper_grid(WEIGHTED)) == {
        "w": 3,
        "wy": 3,
        "ws": 3,
        "ww": 9,
        "wss": 3,
        "wys": 3,
    }


def test_negative_bounds_count_by_their_size() -> None:
    box = {"s": Bounds(-5, 2), "y": Bounds(-1, 0.5), "w": Bounds(0, 2)}
    assert sizes_of(paper_grid(box)) == {
        "w": 2,
        "wy": 2,
        "ws": 10,
        "ww": 4,
        "wyy": 2,
        "wss": 50,
        "wys": 10,
    }


@pytest.mark.parametrize(
    ("box", "contrast", "sizes"),
    [
        (UNIT, Contrast(1.0), {"z": 1, "h": 2, "zz": 1, "zh": 1, "hh": 4}),
        (UNIT, Contrast(0.0), {"z": 1, "h": 1, "zz": 1, "zh": 1, "hh": 1}),
        (UNIT, Contrast(2.0), {"z": 2, "h": 3, "zz": 4, "zh": 4, "hh": 9}),
        (UNIT, Contrast(-1.0), {"z": 2, "h": 1, "zz": 4, "zh": 1, "hh": 1}),
        (
            {"s": Bounds(-1, 1), "y": Bounds(-1, 1)},
            Contrast(1.0),
            {"z": 2, "h": 2, "zz": 4, "zh": 1, "hh": 4},
        ),
        (
            {"s": Bounds(-2, 1), "y": Bounds(-1, 1)},
            Contrast(1.0),
            {"z": 3, "h": 3, "zz": 9, "zh": 4, "hh": 9},
        ),
        (
            {"s": Bounds(-1, 1), "y": Bounds(-2, 1)},
            Contrast(1.0),
            {"z": 3, "h": 3, "zz": 9, "zh": 4, "hh": 9},
        ),
        (
            {"s": Bounds(-1, 1), "y": Bounds(-2, 1)},
            Contrast(1.0, 2.0),
            {"z": 2, "h": 3, "zz": 4, "zh": 4, "hh": 9},
        ),
        (
            UNIT,
            Contrast(1.0, 0.25),
            {"z": 0.25, "h": 2, "zz": 0.0625, "zh": 0.4375, "hh": 4},
        ),
    ],
)
def test_the_sensitivities_of_focused_sums_by_hand(
    box: Box, contrast: Contrast, sizes: dict[str, float]
) -> None:
    """With w doubled, sums of two factors have four times as much, others twice."""
    alone = grid_of(focused_summands(weighted=False, means=False), box, contrast)
    assert sizes_of(alone) == sizes
    limit = None if contrast.limit is None else 2 * contrast.limit
    doubled = grid_of(
        focused_summands(weighted=True, means=True),
        {**box, "w": Bounds(0, 2)},
        Contrast(contrast.centre, limit),
    )
    assert sizes_of(doubled) == {
        **{name: size * 2 ** len(name) for name, size in sizes.items()},
        "w": 2,
        "ww": 4,
        "wz": 4 * sizes["z"],
        "wh": 4 * sizes["h"],
    }


def test_a_row_without_weights_counts_as_one() -> None:
    for grid in (paper_grid(UNIT), focused_grid(UNIT, 1.0, means=True)[0]):
        at = [each.name for each in grid.summands].index("w")
        assert grid.summands[at].factors == ()
        assert grid.sensitivities[at] == 2**24
        assert grid.sensitivities[at] * grid.steps[at] == 1


def test_a_product_that_rounds_up_to_the_next_cell_is_allowed_for() -> None:
    """s² lies below a tie by less than doubles can tell, and is counted above it."""
    found = 0
    for whole in range(2**24, 2**25, 80_021):
        top = math.sqrt((whole + 0.5) * 2.0**-24)
        exact = Fraction(top) ** 2 * 2**24
        counted = to_cell(top * top, 2.0**-24)
        if counted > exact + Fraction(1, 2):
            found += 1
            grid = paper_grid({"s": Bounds(0, top), "y": Bounds.binary()})
            assert grid.steps[3] == 2.0**-24
            assert grid.sensitivities[3] >= counted
    assert found > 20


def test_what_doubles_lose_where_s_and_y_cancel_is_allowed_for() -> None:
    """s and 0.7·y agree to 40 bits: the rounding of 0.7·y is thousands of cells."""
    beyond = 0
    for part in range(1, 100):
        top = 1 + 2.0**-40 * (1 + part / 128)
        box = {"s": Bounds(0.7, 0.7 + 2.0**-44), "y": Bounds(1, top)}
        grid, contrast = focused_grid(box, 0.7)
        cell = abs(cells_of({"s": 0.7, "y": top}, box, grid, contrast)[0])
        beyond += cell > max(sizes[0] for sizes in grid.moves) + 1
        assert cell <= grid.sensitivities[0]
    assert beyond > 20


@pytest.mark.parametrize("contrast", [None, Contrast(1.0), Contrast(0.0, 0.5)])
def test_one_sum_of_a_grid_is_the_grid_of_that_sum(contrast: Contrast | None) -> None:
    summands = (
        focused_summands(weighted=True, means=True)
        if contrast
        else summands_for(weighted=True, binary=True)
    )
    grid = grid_of(summands, WEIGHTED, contrast)
    for at, each in enumerate(summands):
        assert grid.only(at) == grid_of([each], WEIGHTED, contrast)


@pytest.mark.parametrize(
    ("centre", "z", "h"),
    [(0.0, 2 * 4, 2 * 3), (0.5, 2 * (4 + 1.5), 2 * (4 + 1.5)), (-2.0, 2 * 10, 2 * 10)],
)
def test_rounding_is_allowed_for_as_the_proof_does(
    centre: float, z: float, h: float
) -> None:
    """½ + 2⁻²⁶ + 2⁻⁴⁹·S/h, where S multiplies the sizes before anything cancels."""
    box = {"s": Bounds(-4, 1), "y": Bounds(2, 3), "w": Bounds(1, 2)}
    sizes = {"w": 2.0, "z": z, "h": h}
    summands = focused_summands(weighted=True, means=True)
    grid = grid_of(summands, box, Contrast(centre))
    half = Fraction(1, 2) + Fraction(1, 2**26)
    for each, step, slack in zip(summands, grid.steps, grid.rounding, strict=True):
        size = math.prod(Fraction(sizes[factor]) for factor in each.factors)
        assert slack == half + size / 2**49 / Fraction(step)
    alone = grid_of(summands[:1], {"s": box["s"], "y": box["y"]}, Contrast(centre))
    assert alone.rounding[0] == half + Fraction(z) / 2 / 2**49 / Fraction(
        alone.steps[0]
    )


def test_where_nothing_cancels_rounding_is_half_a_cell_and_hardly_more() -> None:
    for grid in (paper_grid(WEIGHTED), focused_grid(WEIGHTED, 1.0, means=True)[0]):
        for slack in grid.rounding:
            assert Fraction(1, 2) < slack < Fraction(1, 2) + Fraction(1, 2**20)


@pytest.mark.parametrize("bounds", [Bounds(-3, 2), Bounds(0, 1), Bounds.binary()])
@pytest.mark.parametrize("value", [-math.inf, math.inf, -1e308, 0.5, 1e308, 5e-324])
def test_a_clipped_value_lies_in_its_bounds(bounds: Bounds, value: float) -> None:
    clipped = _clip(value, bounds)
    assert bounds.lower <= clipped <= bounds.upper
    assert abs(clipped) <= bounds.reach


def test_z_times_the_denominator_may_be_largest_between_corners() -> None:
    """(s − 2y)·y at s = 8 turns at y = 2, where it is 8; at both ends it is less."""
    box = {"s": Bounds(7, 8), "y": Bounds(0, 3)}
    grid, contrast = focused_grid(box, 2.0, basis="denominator")
    at = [each.name for each in grid.summands].index("zh")
    turn = cells_of({"s": 8.0, "y": 2.0}, box, grid, contrast)
    assert turn[at] == grid.sensitivities[at]
    for s, y in itertools.product((7.0, 8.0), (0.0, 3.0)):
        corner = cells_of({"s": s, "y": y}, box, grid, contrast)
        assert abs(corner[at]) < grid.sensitivities[at]
