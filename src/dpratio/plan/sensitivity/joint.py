"""What one row costs in all sums together: one vector, one price.

A row with y = 0 moves neither Σwy nor Σwys: the largest joint move may be less than the
largest moves added up. Everything here is exact.

In two stages, sums of any contrast are exact mixtures of raw ones, those of the
contrast 0, where z = w·s and h = w·y: a table need not be read again.
Proof: docs/proofs/staged.md.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

from dpratio.plan.laws import NoiseLaw
from dpratio.plan.sensitivity.sums import (
    Contrast,
    MeasuredSum,
    Point,
    Summand,
    corners_of,
    step_for,
)
from dpratio.terms.bounds import Bounds
from dpratio.terms.unit import PrivacyUnit

# Doubles lose at most this part of a summand's size: docs/proofs/joint_cost.md.
_ROUNDING = Fraction(1, 2**49)
_HALF_CELL = Fraction(1, 2) + Fraction(1, 2**26)
# Whether a unit is cut is not told by its clipped values: any row may be.
_MAY_BE_CUT = {"c": Fraction(1)}


@dataclass(frozen=True, slots=True)
class Grid:
    """The sums of a plan on their lattices, and what extreme rows put into them.

    ``moves`` holds, for each extreme row, its size in each sum, in cells; ``rounding``
    how many cells a row's counted cell may lie from its exact place; ``ranges`` how far
    apart two rows, one of which may not be there, can lie in each sum.
    """

    summands: tuple[Summand, ...]
    steps: tuple[float, ...]
    moves: tuple[tuple[Fraction, ...], ...]
    rounding: tuple[Fraction, ...]
    ranges: tuple[Fraction, ...]
    curved: tuple[str, ...]

    def __getitem__(self, part: slice) -> "Grid":
        """Return the grid of some of the sums alone."""
        return Grid(
            self.summands[part],
            self.steps[part],
            tuple(row[part] for row in self.moves),
            self.rounding[part],
            self.ranges[part],
            self.curved,
        )

    def measured(self, scales: Sequence[float]) -> tuple[MeasuredSum, ...]:
        """Return the sums with noise of these scales, in cells."""
        return tuple(
            MeasuredSum(*terms)
            for terms in zip(
                self.summands, self.steps, self.sensitivities, scales, strict=True
            )
        )

    @property
    def sensitivities(self) -> tuple[int, ...]:
        """The largest cell that any row has in each sum.

        Guarantee:
            No row that engines count has a cell larger in size.
            Proof: docs/proofs/joint_cost.md.
        """
        return tuple(
            math.floor(max(column) + slack)
            for column, slack in zip(
                zip(*self.moves, strict=True), self.rounding, strict=True
            )
        )


@lru_cache(maxsize=256)  # A plan asks for the same grids at every step.
def grid_of(
    summands: tuple[Summand, ...],
    box: tuple[tuple[str, Bounds], ...],
    contrast: Contrast | None,
) -> Grid:
    """Lay sums on their lattices.

    Args:
        summands: What is added up.
        box: Bounds of ``s``, ``y`` and, where there is one, ``w``.
        contrast: Where the factors are ``z`` and ``h``.
    """
    bounds = dict(box)
    points = [{**corner, **_MAY_BE_CUT} for corner in corners_of(bounds, contrast)]
    sizes = {**_sizes(bounds, contrast), **_MAY_BE_CUT}
    values = [[abs(_product(sum_, point)) for sum_ in summands] for point in points]
    steps = [step_for(float(max(column))) for column in zip(*values, strict=True)]
    cells = [Fraction(step) for step in steps]
    laid = list(zip(summands, cells, strict=True))
    # The factors whose products `is_convex` is asked about.
    curved = ("s",) if bounds["y"].is_binary else ("s", "y")
    return Grid(
        summands=summands,
        steps=tuple(steps),
        moves=tuple(
            tuple(value / cell for value, cell in zip(row, cells, strict=True))
            for row in values
        ),
        rounding=tuple(
            _HALF_CELL + _ROUNDING * _product(sum_, sizes) / cell for sum_, cell in laid
        ),
        ranges=tuple(_range(sum_, points) / cell for sum_, cell in laid),
        curved=curved if contrast is None else ("w", "z", "h"),
    )


def joint_ratio(law: NoiseLaw, grid: Grid, scales: Sequence[float]) -> Fraction:
    """Bound how far one row moves all sums together, in units of their noise.

    Args:
        law: How moves add up.
        grid: The sums.
        scales: Their noise scales, in cells.

    Returns:
        For Laplace noise the cost epsilon, for Gaussian noise μ = ‖Δ/σ‖.

    Guarantee:
        No row that engines count moves the released vector further, provided that
        `is_convex` holds. Proof: docs/proofs/joint_cost.md.
    """
    exact = [Fraction(scale) for scale in scales]
    moved = [
        [move / scale for move, scale in zip(row, exact, strict=True)]
        for row in grid.moves
    ]
    slack = [cell / scale for cell, scale in zip(grid.rounding, exact, strict=True)]
    return law.root(max(law.total(row) for row in moved)) + law.compose(slack)


def spread_ratio(law: NoiseLaw, grid: Grid, scales: Sequence[float]) -> Fraction:
    """Bound how far two rows of one cell lie apart, in units of the sums' noise.

    Either may be missing: a row that is dropped counts as zero in every sum.
    """
    apart = [
        (width + 2 * slack) / Fraction(scale)
        for width, slack, scale in zip(grid.ranges, grid.rounding, scales, strict=True)
    ]
    return law.compose(apart)


def is_convex(law: NoiseLaw, grid: Grid, scales: Sequence[float]) -> bool:
    """Prove that the cost of a row is convex, so that extreme rows cost most.

    The prices of products of two factors form a symmetric matrix; the cost is convex
    if it is positive semidefinite. Proof: docs/proofs/joint_cost.md.
    """
    price = {
        tuple(sorted(factor for factor in sum_.factors if factor in grid.curved)): (
            1 / Fraction(scale) / Fraction(step)
        )
        ** law.power
        for sum_, scale, step in zip(grid.summands, scales, grid.steps, strict=True)
    }
    matrix = [
        [
            price.get(tuple(sorted((row, column))), Fraction(0))
            / (1 if row == column else 2)
            for column in grid.curved
        ]
        for row in grid.curved
    ]
    places = range(len(matrix))
    return all(
        _determinant([[matrix[i][j] for j in chosen] for i in chosen]) >= 0
        for size in range(1, len(matrix) + 1)
        for chosen in combinations(places, size)
    )


def _range(summand: Summand, points: Sequence[Point]) -> Fraction:
    """Enclose a product of factors and zero, factor by factor."""
    low, high = Fraction(1), Fraction(1)
    factors = summand.factors
    if len(factors) == 2 and factors[0] == factors[1]:  # noqa: PLR2004
        most = max(abs(point[factors[0]]) for point in points)
        return most * most
    for factor in factors:
        ends = [min(p[factor] for p in points), max(p[factor] for p in points)]
        products = [low * ends[0], low * ends[1], high * ends[0], high * ends[1]]
        low, high = min(products), max(products)
    return max(high, Fraction(0)) - min(low, Fraction(0))


def _sizes(bounds: Mapping[str, Bounds], contrast: Contrast | None) -> Point:
    """Return the largest size of each factor before anything cancels."""
    reach = {name: Fraction(pair.reach) for name, pair in bounds.items()}
    reach.setdefault("w", Fraction(1))
    if contrast is None:
        return reach
    z = reach["w"] * (reach["s"] + abs(Fraction(contrast.centre)) * reach["y"])
    h = z if contrast.has_numerator else reach["w"] * reach["y"]
    return {"w": reach["w"], "z": z, "h": h}


def _product(summand: Summand, point: Point) -> Fraction:
    return math.prod((point[factor] for factor in summand.factors), start=Fraction(1))


def _determinant(matrix: Sequence[Sequence[Fraction]]) -> Fraction:
    """Expand along the first row; matrices here are 3 × 3 at most."""
    if not matrix:
        return Fraction(1)
    total = Fraction(0)
    for column, value in enumerate(matrix[0]):
        minor = [[*row[:column], *row[column + 1 :]] for row in matrix[1:]]
        total += (-1) ** column * value * _determinant(minor)
    return total


def unit_ratio(
    law: NoiseLaw,
    grid: Grid,
    scales: Sequence[float],
    unit: PrivacyUnit,
    cells: int | None,
) -> Fraction:
    """Bound how far one unit moves all cells, in units of their noise.

    Args:
        law: How moves add up.
        grid: The sums of one cell.
        scales: Their noise scales, in lattice cells.
        unit: Who is protected, and in how many groups.
        cells: How many groups there are; None where that is not known.

    Guarantee:
        No unit moves the released cells further under the declared neighbour
        relation, provided that `is_convex` holds. Proof: docs/proofs/neighbours.md.
    """
    once = joint_ratio(law, grid, scales)
    groups = unit.most_groups if cells is None else min(unit.most_groups, cells)
    moved = once
    if unit.neighbours == "change-one":
        within = min(2 * once, max(once, spread_ratio(law, grid, scales)))
        across = law.root(Fraction(2)) * once
        moved = within if cells == 1 else max(within, across)
    return moved * (law.root(Fraction(groups)))


def pooled_ratio(
    law: NoiseLaw,
    grid: Grid,
    scales: Sequence[float],
    unit: PrivacyUnit,
    cells: int | None,
) -> Fraction:
    """Bound how far one unit moves totals over all cells, in units of their noise.

    What a unit puts into several cells comes together in a total, so it adds up in
    either norm. A unit that is changed differs in each of its cells from what it was
    before, in the same cell or in another.

    Guarantee:
        No unit moves the totals further under the declared neighbour relation,
        provided that `is_convex` holds. Proof: docs/proofs/staged.md.
    """
    moved = joint_ratio(law, grid, scales)
    if unit.neighbours == "change-one":
        moved = min(2 * moved, max(moved, spread_ratio(law, grid, scales)))
    groups = unit.most_groups if cells is None else min(unit.most_groups, cells)
    return moved * groups


RAW = Contrast(0.0)

# A total is rounded to a whole cell, and one unit may carry it over the edge.
_ROUNDING_OF_TOTAL = Fraction(1)


@dataclass(frozen=True, slots=True)
class Mixture:
    """One sum in its own cells: raw sums, in theirs, by place; divided and rounded.

    The sum is ⌊(Σ weight · raw) / divisor + ½⌋.
    """

    weights: Mapping[int, int]
    divisor: int


def mixture_of(grid: Grid, raw: Grid, contrast: Contrast) -> tuple[Mixture, ...]:
    """Return how each sum of a contrast is mixed of raw sums.

    Args:
        grid: The sums of the contrast.
        raw: The same sums of the contrast 0.
        contrast: What z and h of the first are.
    """
    mixtures = []
    for parts in _parts(grid, raw, contrast):
        divisor = math.lcm(*(part.denominator for part in parts.values()))
        weights = {place: int(part * divisor) for place, part in parts.items()}
        mixtures.append(Mixture(weights, divisor))
    return tuple(mixtures)


def mixed_grid(grid: Grid, raw: Grid, contrast: Contrast) -> Grid:
    """Lay out sums that are mixed of raw ones: they are rounded more often.

    Guarantee:
        No unit moves a mixed and rounded sum further from its exact place than
        ``rounding`` of the result says. Proof: docs/proofs/staged.md.
    """
    rounding = [
        [abs(part) * raw.rounding[place] for place, part in parts.items()]
        for parts in _parts(grid, raw, contrast)
    ]
    return replace(
        grid, rounding=tuple(sum(parts, _ROUNDING_OF_TOTAL) for parts in rounding)
    )


def _parts(grid: Grid, raw: Grid, contrast: Contrast) -> list[dict[int, Fraction]]:
    """Return each sum as raw sums by place, both in their own cells."""
    places = {summand.name: place for place, summand in enumerate(raw.summands)}
    columns = {
        letter: dict(zip("zh", map(Fraction, row), strict=True))
        for letter, row in zip("zh", contrast.rows, strict=True)
    }
    return [
        {
            places[name]: part * Fraction(raw.steps[places[name]]) / Fraction(step)
            for name, part in _expanded(summand.name, columns).items()
        }
        for summand, step in zip(grid.summands, grid.steps, strict=True)
    ]


def _expanded(
    name: str, columns: Mapping[str, Mapping[str, Fraction]]
) -> dict[str, Fraction]:
    """Multiply out a product of z and h into products of raw ones."""
    products = {"": Fraction(1)}
    for letter in name:
        grown: dict[str, Fraction] = {}
        for before, part in products.items():
            for raw, weight in columns.get(letter, {letter: Fraction(1)}).items():
                # As sums are named: w first, then z, then h; c stands alone.
                longer = "".join(sorted(before + raw, key="wzhc".index))
                grown[longer] = grown.get(longer, Fraction(0)) + part * weight
        products = grown
    return {product: part for product, part in products.items() if part}
