"""No row, whatever it holds, moves a sum further than planned."""

import itertools
import math
from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from dpratio.curator.engine import CellSum
from dpratio.curator.engine_python import _cells, _clip
from dpratio.plan.lattice import step_for, to_cell
from dpratio.plan.sensitivity import reach_of, sensitivity_in_cells
from dpratio.plan.sums import Summand, summands_for
from dpratio.terms.bounds import Bounds

LARGEST = 2.0**100


@st.composite
def any_bounds(draw: st.DrawFn, least: float = -LARGEST) -> Bounds:
    ends = st.floats(least, LARGEST) | st.integers(max(-99, int(least)), 99).map(float)
    lower, upper = sorted(draw(st.tuples(ends, ends)))
    assume(lower < upper and max(abs(lower), abs(upper)) >= 1 / LARGEST)
    return Bounds(lower, upper)


@st.composite
def boxes(draw: st.DrawFn) -> dict[str, Bounds]:
    binary = st.just(Bounds.binary())
    box = {"s": draw(any_bounds()), "y": draw(any_bounds() | binary)}
    return box | draw(st.just({}) | st.builds(dict, w=any_bounds(0.0) | binary))


def planned(box: Mapping[str, Bounds]) -> list[tuple[Summand, CellSum]]:
    measured = []
    for summand in summands_for(weighted="w" in box, binary=box["y"].is_binary):
        step = step_for(reach_of(summand.factors, box))
        sensitivity = sensitivity_in_cells(summand.factors, box, step)
        measured.append((summand, CellSum(summand.factors, step, sensitivity)))
    return measured


def cells_of(row: Mapping[str, float], box: Mapping[str, Bounds]) -> list[int]:
    clipped = {factor: _clip(row[factor], bounds) for factor, bounds in box.items()}
    return list(_cells(clipped, [each for _, each in planned(box)]))


finite = st.floats(allow_nan=False, allow_infinity=False)
UNIT = {"s": Bounds(0, 1), "y": Bounds.binary()}
TIE = (2.0**24 + 0.5) * 2.0**-24


@settings(deadline=None, max_examples=400)
@given(box=boxes(), row=st.fixed_dictionaries(dict.fromkeys("syw", finite)))
@example(box=UNIT, row={"s": 1.0, "y": 1.0, "w": 1.0})
@example(box=UNIT, row={"s": 1e308, "y": -1e308, "w": 5e-324})
@example(box=UNIT, row={"s": -5e-324, "y": 0.5, "w": 0.0})
@example(
    box={"s": Bounds(-TIE, 0), "y": Bounds(-3, 2), "w": Bounds(0, 0.1)},
    row={"s": -1e9, "y": -1e9, "w": 1e9},
)
def test_no_row_moves_a_sum_further_than_its_sensitivity(
    box: dict[str, Bounds], row: dict[str, float]
) -> None:
    """Rows in or out of bounds; the half cell of rounding is included."""
    for cell, (_, each) in zip(cells_of(row, box), planned(box), strict=True):
        assert abs(cell) <= each.largest_cell


@settings(deadline=None, max_examples=200)
@given(box=boxes())
@example(box={"s": Bounds(-TIE, 0), "y": Bounds.binary()})
def test_the_sensitivity_is_reached_at_a_vertex_of_the_box(
    box: dict[str, Bounds],
) -> None:
    """It could not be smaller, except by the one cell of a negative tie."""
    corners = itertools.product(*((b.lower, b.upper) for b in box.values()))
    rows = [dict(zip(box, corner, strict=True)) for corner in corners]
    reached = zip(*(cells_of(row, box) for row in rows), strict=True)
    for cells, (summand, each) in zip(reached, planned(box), strict=True):
        size = Fraction(reach_of(summand.factors, box)) / Fraction(each.step)
        tie = size % 1 == Fraction(1, 2)
        furthest = max(abs(cell) for cell in cells)
        assert each.largest_cell - tie <= furthest <= each.largest_cell


@settings(deadline=None, max_examples=200)
@given(box=boxes())
def test_the_sensitivity_is_the_box_maximum_plus_at_most_half_a_cell(
    box: dict[str, Bounds],
) -> None:
    for summand, each in planned(box):
        exact = Fraction(1)
        for factor in summand.factors:
            exact *= Fraction(box[factor].reach)
        # Two or three products, each rounded by one part in 2^53.
        slack = Fraction(1, 2) + Fraction(3, 2**27)
        assert abs(each.largest_cell - exact / Fraction(each.step)) <= slack


def test_the_sum_of_squared_weights_moves_by_the_square_of_the_largest_weight() -> None:
    """The paper says u_w for every sum; Σw² has u_w²."""
    box = {"s": Bounds(0, 1), "y": Bounds.binary(), "w": Bounds(1 / 3, 3)}
    sizes = {
        summand.name: each.largest_cell * each.step for summand, each in planned(box)
    }
    assert sizes == {"w": 3, "wy": 3, "ws": 3, "ww": 9, "wss": 3, "wys": 3}


def test_negative_bounds_count_by_their_size() -> None:
    box = {"s": Bounds(-5, 2), "y": Bounds(-1, 0.5), "w": Bounds(0, 2)}
    sizes = {
        summand.name: each.largest_cell * each.step for summand, each in planned(box)
    }
    assert sizes == {
        "w": 2,
        "wy": 2,
        "ws": 10,
        "ww": 4,
        "wyy": 2,
        "wss": 50,
        "wys": 10,
    }


def test_a_row_without_weights_counts_as_one() -> None:
    [(summand, count), *_] = planned(UNIT)
    assert summand.factors == ()
    assert count.largest_cell == 2**24
    assert count.largest_cell * count.step == 1


def test_rounding_adds_up_to_half_a_cell() -> None:
    """On a coarse lattice that is a lot: 9 is 4.5 cells of 2, and counts as 5."""
    assert sensitivity_in_cells(("w", "w"), {"w": Bounds(0, 3)}, step=2.0) == 5


def test_a_rounded_product_at_the_bounds_is_what_is_priced() -> None:
    """0.1·0.1 in doubles is above 0.01; the price uses the double."""
    box = {"s": Bounds(0, 0.1), "y": Bounds.binary()}
    assert reach_of(("s", "s"), box) == 0.1 * 0.1 > 0.01
    assert reach_of((), box) == 1.0


@pytest.mark.parametrize("bounds", [Bounds(-3, 2), Bounds(0, 1), Bounds.binary()])
@pytest.mark.parametrize("value", [-math.inf, math.inf, -1e308, 0.5, 1e308, 5e-324])
def test_a_clipped_value_lies_in_its_bounds(bounds: Bounds, value: float) -> None:
    clipped = _clip(value, bounds)
    assert bounds.lower <= clipped <= bounds.upper
    assert abs(clipped) <= bounds.reach


@given(
    sizes=st.lists(st.floats(2.0**-100, 2.0**100), min_size=1, max_size=3),
    parts=st.lists(st.floats(-1, 1), min_size=3, max_size=3),
)
def test_rounded_products_grow_with_the_size_of_their_factors(
    sizes: list[float], parts: list[float]
) -> None:
    """Rounding is monotone and symmetric, so a product of maxima is the maximum."""
    largest, product = 1.0, 1.0
    for size, part in zip(sizes, parts, strict=False):
        largest *= size
        product *= part * size
    assert abs(product) <= largest
    step = step_for(largest)
    assert abs(to_cell(product, step)) <= to_cell(largest, step)
