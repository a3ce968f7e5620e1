"""No row, whatever it holds, moves a sum further than planned, nor all together."""

import itertools
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpratio.plan.laws import LAPLACE, NoiseLaw
from dpratio.plan.sensitivity.joint import Grid, joint_ratio
from dpratio.plan.sensitivity.sums import (
    BASES,
    CUT,
    Contrast,
    focused_summands,
    step_for,
    summands_for,
    to_cell,
)
from dpratio.terms.bounds import Bounds
from plan.boxes_for_tests import (
    LAWS,
    NARROW,
    TIE,
    UNIT,
    WEIGHTED,
    boxes,
    cells_of,
    cost_of,
    drawn_scales,
    exact_cells,
    finite,
    focused_grid,
    grid_of,
    guesses,
    inside,
    limits,
    made_convex,
    paper_grid,
    placed,
    within,
)

anywhere = st.fixed_dictionaries(dict.fromkeys("syw", finite))
INSIDE: dict[str, Any] = {"means": True, "law": LAPLACE, "data": None, "row": None}
BEYOND = {"guess": 1.0, "part": None, "at": None, **INSIDE}


@pytest.mark.parametrize("basis", [*BASES, None])
@settings(max_examples=200)
@given(
    box=boxes(),
    guess=guesses,
    part=limits,
    means=st.booleans(),
    at=inside,
    row=st.none() | anywhere,
    law=st.sampled_from(LAWS),
    data=st.data(),
)
@example(
    box={"s": Bounds(-1, 1), "y": Bounds(-1, 1)},
    guess=1.0,
    part=None,
    at={"s": 1.0, "y": 0.5, "w": 1.0},
    **INSIDE,
)
@example(
    box={"s": Bounds(-1, 1.01), "y": Bounds(-1, 1), "w": Bounds(0, 2)},
    guess=-1.0,
    part=0.999,
    at={"s": 0.5, "y": 1.0, "w": 1.0},
    **INSIDE,
)
@example(box=NARROW, guess=1.0, part=None, at={"s": 0.3, "y": 0.7, "w": 1.0}, **INSIDE)
@example(
    box=dict.fromkeys("sy", Bounds(1, 1 + 2.0**-52)),
    guess=1 + 2.0**-52,
    part=None,
    at={"s": 1.0, "y": 1.0, "w": 1.0},
    **INSIDE,
)
@example(box=UNIT, **{**BEYOND, "row": {"s": 1e308, "y": -1e308, "w": 5e-324}})
@example(box=UNIT, **{**BEYOND, "row": {"s": -5e-324, "y": 0.5, "w": 0.0}})
@example(
    box={"s": Bounds(-TIE, 0), "y": Bounds(-3, 2), "w": Bounds(0, 0.1)},
    **{**BEYOND, "row": {"s": -1e9, "y": -1e9, "w": 1e9}},
)
@example(
    box={"s": Bounds(0, TIE), "y": Bounds.binary()},
    **{**BEYOND, "row": {"s": 2.0, "y": 1.0}},
)
def test_no_row_moves_any_sum_or_all_of_them_further_than_priced(  # noqa: PLR0913, PLR0917
    basis: str | None,
    box: dict[str, Bounds],
    guess: float,
    part: float | None,
    means: bool,  # noqa: FBT001
    at: dict[str, float],
    row: dict[str, float] | None,
    law: NoiseLaw,
    data: st.DataObject | None,
) -> None:
    """Rows in or out of bounds; the half cell of rounding is included.

    z·h may be largest on an edge of the box, where it turns.
    """
    grid, contrast = paper_grid(box), None
    if basis is not None:
        grid, contrast = focused_grid(box, guess, part, means=means, basis=basis)
    row = row or placed(at, box)
    cells = cells_of(row, box, grid, contrast)
    places = exact_cells(row, box, grid, contrast)
    for cell, place, most, slack in zip(
        cells, places, grid.sensitivities, grid.rounding, strict=True
    ):
        assert abs(cell) <= most
        assert abs(cell - place) <= slack
    if data is not None:
        scales = drawn_scales(grid, law, data)
        assert within(law, cost_of(law, cells, scales), joint_ratio(law, grid, scales))


@settings(max_examples=100)
@given(box=boxes())
@example(box={"s": Bounds(-TIE, 0), "y": Bounds.binary()})
def test_the_sensitivity_is_reached_at_a_vertex_of_the_box(
    box: dict[str, Bounds],
) -> None:
    """It is the largest product, and could not be smaller but by the cell of a tie."""
    grid = paper_grid(box)
    corners = itertools.product(*((b.lower, b.upper) for b in box.values()))
    rows = [dict(zip(box, corner, strict=True)) for corner in corners]
    reached = zip(*(cells_of(row, box, grid, None) for row in rows), strict=True)
    moves = zip(*grid.moves, strict=True)
    for cells, largest, sizes, summand, step in zip(
        reached, grid.sensitivities, moves, grid.summands, grid.steps, strict=True
    ):
        reaches = (Fraction(box[factor].reach) for factor in summand.factors)
        exact = math.prod(reaches, start=Fraction(1))
        assert max(sizes) == exact / Fraction(step)
        assert step == step_for(float(exact))
        tie = abs(max(sizes) % 1 - Fraction(1, 2)) <= Fraction(1, 2**20)
        furthest = max(abs(cell) for cell in cells)
        assert largest - tie <= furthest <= largest


def sizes_of(grid: Grid) -> dict[str, float]:
    """Sensitivities in the units of the data."""
    return {
        each.name: largest * step
        for each, largest, step in zip(
            grid.summands, grid.sensitivities, grid.steps, strict=True
        )
    }


def test_the_sensitivities_of_the_paper_s_sums_by_hand() -> None:
    """The paper says u_w for every sum; Σw² has u_w². Signs count by their size."""
    sizes = {"w": 3, "wy": 3, "ws": 3, "ww": 9, "wss": 3, "wys": 3}
    assert sizes_of(paper_grid(WEIGHTED)) == sizes
    box = {"s": Bounds(-5, 2), "y": Bounds(-1, 0.5), "w": Bounds(0, 2)}
    sizes = {"w": 2, "wy": 2, "ws": 10, "ww": 4, "wyy": 2, "wss": 50, "wys": 10}
    assert sizes_of(paper_grid(box)) == sizes
    assert sizes_of(grid_of([CUT], UNIT, None)) == {"c": 1}
    # A row without weights counts as one.
    for grid in (paper_grid(UNIT), focused_grid(UNIT, 1.0, means=True)[0]):
        assert sizes_of(grid)["w"] == 1


@pytest.mark.parametrize("law", LAWS)
def test_rounding_is_part_of_the_joint_price(law: NoiseLaw) -> None:
    """A row on a tie is counted half a cell further out; noise may be that small."""
    box = {"s": Bounds(0, TIE), "y": Bounds.binary()}
    row = {"s": TIE, "y": 0.0}
    grid, contrast = focused_grid(box, 1.0)
    cells = cells_of(row, box, grid, contrast)
    assert cells[0] == exact_cells(row, box, grid, contrast)[0] + Fraction(1, 2)
    scales = made_convex(law, grid, [1.0, 2.0**40, 2.0**40, 2.0**40, 2.0**40])
    cost = cost_of(law, cells, scales)
    assert within(law, cost, joint_ratio(law, grid, scales))
    assert cost > max(cost_of(law, move, scales) for move in grid.moves)


def test_a_product_that_rounds_up_to_the_next_cell_is_allowed_for() -> None:
    """s² lies below a tie by less than doubles can tell, and is counted above it."""
    found = 0
    for whole in range(2**24, 2**25, 80_021):
        top = math.sqrt((whole + 0.5) * 2.0**-24)
        counted = to_cell(top * top, 2.0**-24)
        if counted > Fraction(top) ** 2 * 2**24 + Fraction(1, 2):
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
    for index, each in enumerate(summands):
        assert grid[index : index + 1] == grid_of([each], WEIGHTED, contrast)


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
    assert alone.rounding[0] == half + Fraction(z) / 2**50 / Fraction(alone.steps[0])
