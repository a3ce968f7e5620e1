"""No row, whatever it holds, moves a sum or all sums further than planned."""

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dpratio.curator.engine import CellSum
from dpratio.curator.engine_python import _cells, _clip, _with_contrast
from dpratio.plan.contrast import Contrast
from dpratio.plan.joint import Grid, grid_of, is_convex, joint_ratio, root_above
from dpratio.plan.lattice import step_for, to_cell
from dpratio.plan.sums import Summand, focused_summands, summands_for
from dpratio.terms.bounds import Bounds

LAWS = ["laplace", "analytic_gaussian"]
LARGEST = 2.0**100
UNIT = {"s": Bounds(0, 1), "y": Bounds.binary()}
WEIGHTED = {**UNIT, "w": Bounds(1 / 3, 3)}
TIE = (2.0**24 + 0.5) * 2.0**-24
NARROW = {"s": Bounds(1e6, 1e6 + 1), "y": Bounds(1e6, 1e6 + 1)}

Box = Mapping[str, Bounds]


# Any box, any guess, any row.


@st.composite
def any_bounds(draw: st.DrawFn, least: float = -LARGEST) -> Bounds:
    """Wide, narrow, huge and tiny ranges; some around zero, some far from it."""
    wide = st.floats(least, LARGEST) | st.integers(max(-99, int(least)), 99).map(float)
    lower, upper = sorted(draw(st.tuples(wide, wide)))
    if draw(st.booleans()):
        lower = draw(st.floats(2.0**-99, 2.0**99))
        upper = lower * (1 + 2.0 ** draw(st.integers(-52, 0)))
        if least < 0 and draw(st.booleans()):
            lower, upper = -upper, -lower
    assume(lower < upper and max(abs(lower), abs(upper)) >= 1 / LARGEST)
    return Bounds(lower, upper)


binary = st.just(Bounds.binary())


@st.composite
def boxes(draw: st.DrawFn) -> dict[str, Bounds]:
    box = {"s": draw(any_bounds()), "y": draw(any_bounds() | binary)}
    if draw(st.booleans()):
        box["y"] = box["s"]
    return box | draw(st.just({}) | st.builds(dict, w=any_bounds(0.0) | binary))


guess_sizes = st.floats(2.0**-50, 2.0**50)
guesses = (
    st.sampled_from([0.0, 1.0, -1.0, 1 / 3, -math.pi])
    | guess_sizes
    | guess_sizes.map(lambda size: -size)
)
limits = st.none() | st.sampled_from([0.999, 0.6, 0.1, 1e-3])


def focused_grid(
    box: Box, guess: float, part: float | None = None, *, means: bool = False
) -> tuple[Grid, Contrast]:
    """Lay out a focused plan; a limit is a part of the largest z."""
    contrast = Contrast(guess)
    weighted = "w" in box
    summands = focused_summands(weighted=weighted, means=means)
    if part is not None:
        largest = max(row[0] for row in grid_of(summands[:1], box, contrast).moves)
        step = grid_of(summands[:1], box, contrast).steps[0]
        limit = float(largest * Fraction(step)) * part
        assume(2.0**-50 <= limit <= 2.0**50)
        contrast = Contrast(guess, limit)
    return grid_of(summands, box, contrast), contrast


def paper_grid(box: Box) -> Grid:
    summands = summands_for(weighted="w" in box, binary=box["y"].is_binary)
    return grid_of(summands, box, None)


def cells_of(
    row: Mapping[str, float], box: Box, grid: Grid, contrast: Contrast | None
) -> list[int]:
    """Count a row as the specification of all engines does."""
    factors = {factor: _clip(row[factor], bounds) for factor, bounds in box.items()}
    if contrast is not None:
        factors = _with_contrast(factors, contrast)
    sums = [
        CellSum(each.factors, step, 0)
        for each, step in zip(grid.summands, grid.steps, strict=True)
    ]
    return list(_cells(factors, sums))


def exact_cells(
    row: Mapping[str, float], box: Box, grid: Grid, contrast: Contrast | None
) -> list[Fraction]:
    """Where the row lies on the lattices before anything is rounded."""
    factors = {
        factor: Fraction(_clip(row[factor], bounds)) for factor, bounds in box.items()
    }
    factors.setdefault("w", Fraction(1))
    if contrast is not None:
        z, h = contrast.of(factors["s"], factors["y"])
        factors["z"], factors["h"] = factors["w"] * z, factors["w"] * h
        if contrast.limit is not None:
            limit = Fraction(contrast.limit)
            factors["z"] = max(-limit, min(limit, factors["z"]))
    return [
        math.prod((factors[each] for each in summand.factors), start=Fraction(1))
        / Fraction(step)
        for summand, step in zip(grid.summands, grid.steps, strict=True)
    ]


def cost_of(law: str, cells: Sequence[int | Fraction], scales: Sequence[float]) -> Any:  # noqa: ANN401
    """What a row costs: epsilon for Laplace noise, μ² for Gaussian noise."""
    power = 1 if law == "laplace" else 2
    return sum(
        (abs(Fraction(cell)) / Fraction(scale)) ** power
        for cell, scale in zip(cells, scales, strict=True)
    )


def within(law: str, cost: Fraction, ratio: Fraction) -> bool:
    return cost <= (ratio if law == "laplace" else ratio * ratio)


def made_convex(law: str, grid: Grid, scales: Sequence[float]) -> list[float]:
    """Raise the noise of mixed products until extreme rows surely cost most."""
    raised = list(scales)
    for _ in range(400):
        if is_convex(law, grid, raised):
            return raised
        for at, each in enumerate(grid.summands):
            if len(set(each.factors) & set(grid.curved)) > 1:
                raised[at] *= 2
    raise AssertionError


def drawn_scales(grid: Grid, law: str, data: st.DataObject) -> list[float]:
    powers = data.draw(
        st.lists(st.floats(-10, 20), min_size=len(grid.steps), max_size=len(grid.steps))
    )
    scales = [
        2.0**power * max(1.0, size / 2**24)
        for power, size in zip(powers, grid.sensitivities, strict=True)
    ]
    return made_convex(law, grid, scales)


finite = st.floats(allow_nan=False, allow_infinity=False)
parts = st.sampled_from([0.0, 1.0, 0.5]) | st.floats(0, 1)
inside = st.fixed_dictionaries(dict.fromkeys("syw", parts))


def placed(part: Mapping[str, float], box: Box) -> dict[str, float]:
    """A row some part of the way through its bounds; one half means zero."""
    return {
        name: 0.0
        if part[name] == 0.5
        else bounds.lower + part[name] * (bounds.upper - bounds.lower)
        for name, bounds in box.items()
    }


# One sum.


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
    box: dict[str, Bounds],
    guess: float,
    part: float | None,
    means: bool,  # noqa: FBT001
    at: dict[str, float],
) -> None:
    """z·h may be largest inside the box, where s or y is zero."""
    grid, contrast = focused_grid(box, guess, part, means=means)
    cells = cells_of(placed(at, box), box, grid, contrast)
    for cell, largest in zip(cells, grid.sensitivities, strict=True):
        assert abs(cell) <= largest


@settings(max_examples=250)
@given(box=boxes(), guess=guesses, part=limits, at=inside, focused=st.booleans())
@example(
    box=NARROW, guess=1.0, part=None, at={"s": 0.3, "y": 0.7, "w": 1.0}, focused=True
)
def test_a_cell_lies_no_further_from_its_exact_place_than_is_allowed_for(
    box: dict[str, Bounds],
    guess: float,
    part: float | None,
    at: dict[str, float],
    focused: bool,  # noqa: FBT001
) -> None:
    contrast = None
    grid = paper_grid(box)
    if focused:
        grid, contrast = focused_grid(box, guess, part, means=True)
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


@pytest.mark.parametrize("power", [-300, -60, 0, 60, 300])
def test_roots_have_forty_digits_whatever_their_size(power: int) -> None:
    square = Fraction(2) * Fraction(10) ** power
    root = root_above(square)
    assert square <= root**2 <= square * (1 + Fraction(1, 10**40))


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


# All sums together.


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
def test_no_row_costs_more_than_the_focused_sums_are_priced_at(
    box: dict[str, Bounds],
    guess: float,
    part: float | None,
    means: bool,  # noqa: FBT001
    at: dict[str, float],
    law: str,
    data: st.DataObject,
) -> None:
    grid, contrast = focused_grid(box, guess, part, means=means)
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
        columns["h"] = w * (s + contrast.centre * y if contrast.centre else y)
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


near = st.integers(-12, 12).map(lambda end: end / 4)
near_bounds = (
    st.tuples(near, near)
    .filter(lambda pair: pair[0] != pair[1])
    .map(lambda pair: Bounds(min(pair), max(pair)))
)
near_boxes = st.builds(
    lambda s, y, w: {"s": s, "y": y, **w},
    near_bounds,
    near_bounds | binary,
    st.just({}) | st.integers(0, 3).map(lambda low: {"w": Bounds(low / 2, 2)}),
)
near_guesses = st.sampled_from([0.0, 1.0, -1.0, 0.3, -2.5, 1.75])


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
    box: dict[str, Bounds],
    guess: float,
    part: float | None,
    means: bool,  # noqa: FBT001
    law: str,
    data: st.DataObject,
) -> None:
    """Never less; and no more, but where weights and a limit meet."""
    grid, contrast = focused_grid(box, guess, part, means=means)
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
    s: Bounds,
    y: Bounds,
    guess: float,
    part: float,
    law: str,
    data: st.DataObject,
) -> None:
    """Corners where z just reaches the limit are rows, found exactly on each edge."""
    box = {"s": s, "y": y}
    grid, contrast = focused_grid(box, guess, part)
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


# Where extreme rows are enough.


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
