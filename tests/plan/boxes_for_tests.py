"""Any box, any guess, any row: where it lies on the grid, and what it costs."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from curator.oracle import clip, to_cells, with_contrast
from dpratio.curator.reading.statement import CellSum
from dpratio.plan.laws import GAUSSIAN, LAPLACE, NoiseLaw
from dpratio.plan.sensitivity.joint import Grid, is_convex
from dpratio.plan.sensitivity.joint import grid_of as kept_grid_of
from dpratio.plan.sensitivity.sums import Contrast, focused_summands, summands_for
from dpratio.terms.bounds import Bounds

LAWS = [LAPLACE, GAUSSIAN]
LARGEST = 2.0**100
UNIT = {"s": Bounds(0, 1), "y": Bounds.binary()}
WEIGHTED = {**UNIT, "w": Bounds(1 / 3, 3)}
TIE = (2.0**24 + 0.5) * 2.0**-24
NARROW = {"s": Bounds(1e6, 1e6 + 1), "y": Bounds(1e6, 1e6 + 1)}

Box = Mapping[str, Bounds]


def grid_of(summands: Any, box: Box, contrast: Contrast | None) -> Grid:  # noqa: ANN401
    return kept_grid_of(tuple(summands), tuple(box.items()), contrast)


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
    """Bounds of s and y, at times the same, and perhaps of w."""
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
    box: Box,
    guess: float,
    part: float | None = None,
    *,
    means: bool = False,
    basis: str = "sum",
) -> tuple[Grid, Contrast]:
    """Lay out a focused plan; a limit is a part of the largest z."""
    contrast = Contrast(guess, None, basis)
    weighted = "w" in box
    summands = focused_summands(weighted=weighted, means=means)
    if part is not None:
        largest = max(row[0] for row in grid_of(summands[:1], box, contrast).moves)
        step = grid_of(summands[:1], box, contrast).steps[0]
        limit = float(largest * Fraction(step)) * part
        assume(2.0**-50 <= limit <= 2.0**50)
        contrast = Contrast(guess, limit, basis)
    return grid_of(summands, box, contrast), contrast


def paper_grid(box: Box) -> Grid:
    """Lay out a plan of the paper's sums."""
    summands = summands_for(weighted="w" in box, binary=box["y"].is_binary)
    return grid_of(summands, box, None)


def cells_of(
    row: Mapping[str, float], box: Box, grid: Grid, contrast: Contrast | None
) -> list[int]:
    """Count a row as the specification of all engines does."""
    factors = {factor: clip(row[factor], bounds) for factor, bounds in box.items()}
    if contrast is not None:
        factors = with_contrast(factors, contrast)
    sums = [
        CellSum(each.factors, step, 0)
        for each, step in zip(grid.summands, grid.steps, strict=True)
    ]
    return list(to_cells(factors, sums))


def exact_cells(
    row: Mapping[str, float], box: Box, grid: Grid, contrast: Contrast | None
) -> list[Fraction]:
    """Where the row lies on the lattices before anything is rounded."""
    factors = {
        factor: Fraction(clip(row[factor], bounds)) for factor, bounds in box.items()
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


def cost_of(
    law: NoiseLaw, cells: Sequence[int | Fraction], scales: Sequence[float]
) -> Any:  # noqa: ANN401
    """What a row costs: epsilon for Laplace noise, μ² for Gaussian noise."""
    return sum(
        (abs(Fraction(cell)) / Fraction(scale)) ** law.power
        for cell, scale in zip(cells, scales, strict=True)
    )


def within(law: NoiseLaw, cost: Fraction, ratio: Fraction) -> bool:
    """Tell whether a cost, squared for Gaussian noise, is covered by a ratio."""
    return cost <= ratio**law.power


def made_convex(law: NoiseLaw, grid: Grid, scales: Sequence[float]) -> list[float]:
    """Raise the noise of mixed products until extreme rows surely cost most."""
    raised = list(scales)
    for _ in range(400):
        if is_convex(law, grid, raised):
            return raised
        for at, each in enumerate(grid.summands):
            if len(set(each.factors) & set(grid.curved)) > 1:
                raised[at] *= 2
    raise AssertionError


def drawn_scales(grid: Grid, law: NoiseLaw, data: st.DataObject) -> list[float]:
    """Draw scales of noise under which the price of a grid is convex."""
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


def sums_of(
    strategy: str, box: Box, contrast: Contrast, answers: Sequence[str]
) -> Grid:
    """Lay out the sums of a strategy over any box."""
    if strategy == "focused":
        focused = focused_summands(weighted="w" in box, means="means" in answers)
        return grid_of(focused, box, contrast)
    summands = summands_for(
        weighted="w" in box, binary=box["y"].is_binary, spread="spread" in answers
    )
    return grid_of(summands, box, None)
