"""The budget goes where the answers of the likely people need it, in any unit."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from dpratio.plan.laws import GAUSSIAN, LAPLACE, NoiseLaw
from dpratio.plan.sensitivity.joint import Grid, is_convex
from dpratio.plan.sensitivity.sums import BASES, Contrast
from dpratio.plan.strategy.shares import (
    Box,
    People,
    Shared,
    family_of,
    likely_ratios,
    share_budget,
    units_of,
)
from dpratio.terms.bounds import Bounds
from dpratio.terms.population import MeanSd, Population
from plan.boxes_for_tests import sums_of
from tiers import quick_first

UNIT = {"s": Bounds(0, 1), "y": Bounds.binary()}
WEIGHTED = {**UNIT, "w": Bounds(1 / 3, 3)}
PLAIN = {"s": Bounds(0, 1), "y": Bounds(0, 1)}
SPEND = {"s": Bounds(0, 150), "y": Bounds(1, 6)}
LAWS = [LAPLACE, GAUSSIAN]
BOTH = ("ratio", "means")
EVERY_ANSWER = pytest.mark.parametrize("answers", [("ratio",), BOTH], ids=len)
EVERY_LAW = pytest.mark.parametrize("law", LAWS)


def family(
    box: Box, guess: float = 1.0, population: Population | None = None
) -> tuple[People, ...]:
    ratios = likely_ratios(box, guess, "close")
    return family_of(box, guess, ratios, (5.0, 9.0), population)


# The people to plan for.


# Joint probabilities of s and y in {0, 1}.
TABLE = {(0, 0): 0.4, (0, 1): 0.1, (1, 0): 0.2, (1, 1): 0.3}


@pytest.mark.parametrize("guess", [0.0, 1.0, -1.0, 0.5, 3.0])
def test_a_population_gives_the_moments_of_the_people_it_describes(
    guess: float,
) -> None:
    """Against a table of probabilities, added up at the ratio of the population."""
    s, y = (sum(p * row[i] for row, p in TABLE.items()) for i in range(2))
    s_sd, y_sd = math.sqrt(s * (1 - s)), math.sqrt(y * (1 - y))
    population = Population(
        MeanSd(s, s_sd * 0.999_999),
        MeanSd(y),
        correlation=(TABLE[1, 1] - s * y) / (s_sd * y_sd),
    )
    wanted = sum(p * (a - s / y * b) ** 2 for (a, b), p in TABLE.items())
    for people in family(UNIT, guess, population):
        assert (people.numerator, people.denominator) == pytest.approx((s, y))
        assert people.residual == pytest.approx(wanted, rel=1e-5)
        assert people.numerator_square == pytest.approx(s * (1 - s), rel=1e-5)
        assert people.denominator_square == pytest.approx(y * (1 - y))
        assert abs(people.off) >= abs(s / y - guess)


@pytest.mark.parametrize(
    ("weight", "mean", "square"),
    [
        (MeanSd(1.0, 0.6), 1.0, 1.36),
        # A weight that nobody guessed lies in the middle, and varies as much.
        (None, 5 / 3, 25 / 9),
    ],
)
def test_guessed_weights_spread_as_they_are_guessed(
    weight: MeanSd | None, mean: float, square: float
) -> None:
    population = Population(MeanSd(0.5, 0.2), MeanSd(0.5), weight=weight)
    people = family(WEIGHTED, population=population)[0]
    assert (people.weight, people.weight_square) == pytest.approx((mean, square))
    # Of a ratio without any they are left aside.
    unweighted = family(UNIT, population=population)[0]
    assert (unweighted.weight, unweighted.weight_square) == (1.0, 1.0)


def test_guessed_weights_that_go_with_a_column_move_its_mean() -> None:
    columns = MeanSd(0.5, 0.2), MeanSd(0.5), MeanSd(1.0, 0.6)
    population = Population(*columns, weight_with_numerator=0.25, weight_with_per=0.5)
    people = family(WEIGHTED, population=population)[0]
    assert (people.numerator, people.denominator) == pytest.approx((0.53, 0.65))
    # E(s − r·y)² around zero: both variances, and the mean that is left.
    ratio = 0.53 / 0.65
    wanted = 0.04 + ratio**2 / 4 + (0.5 - ratio / 2) ** 2
    assert people.residual == pytest.approx(wanted)


def test_every_expectation_is_positive_where_it_must_be() -> None:
    """Sizes are divided by; no box and no guess makes one of them zero."""
    ends = [(-3.0, -1.0), (-1.0, 1.0), (0.0, 1.0), (2.0, 2.5), (-0.5, 4.0)]
    for s, y, guess in product(ends, ends, (0.0, 1.0, -2.0)):
        for people in family(
            {"s": Bounds(*s), "y": Bounds(*y), "w": Bounds(0, 1)}, guess
        ):
            assert people.denominator != 0
            sizes = (people.residual, people.weight, people.numerator_square)
            assert min(*sizes, people.denominator_square) > 0


# Shares of the budget.


def shared(
    law: NoiseLaw,
    box: Box,
    *,
    epsilon: str = "0.2",
    n: int = 5000,
    guess: float = 1.0,
    answers: tuple[str, ...] = ("ratio",),
    basis: str = "sum",
) -> tuple[Shared, Grid, tuple[People, ...]]:
    contrast = Contrast(guess, None, basis)
    grid = sums_of("focused", box, contrast, answers)
    affordable = law.about_largest_ratio(Fraction(epsilon), Fraction("1e-6"))
    ratios = likely_ratios(box, guess, "close")
    likely = family_of(box, guess, ratios, (0.8 * n, 1.3 * n), None)
    split = share_budget(law, grid, affordable, units_of(box, contrast), likely)
    return split, grid, likely


@EVERY_LAW
@EVERY_ANSWER
@pytest.mark.parametrize("guess", [1.0, 0.0, -0.5])
@pytest.mark.parametrize(
    "box",
    [
        UNIT,
        WEIGHTED,
        {"s": Bounds(-2, 1), "y": Bounds(1, 5)},
        {"s": Bounds(-1, 1.5), "y": Bounds(-1, 1), "w": Bounds(0, 2)},
    ],
    ids=len,
)
def test_the_row_that_costs_most_costs_the_whole_budget(
    law: NoiseLaw, box: Box, answers: tuple[str, ...], guess: float
) -> None:
    """But for the half cells of rounding, which are added when it is certified."""
    split, grid, _ = shared(law, box, answers=answers, guess=guess)
    moves = np.array([[float(move) for move in row] for row in grid.moves])
    cost = ((moves * grid.steps / split.scales) ** law.power).sum(axis=1)
    budget = law.about_largest_ratio(Fraction("0.2"), Fraction("1e-6"))
    assert cost.max() == pytest.approx(budget**law.power, rel=1e-9)
    cells = (split.scales / grid.steps).tolist()
    assert is_convex(law, grid, cells)
    assert math.isfinite(split.log_width)


@EVERY_LAW
@EVERY_ANSWER
@pytest.mark.parametrize("box", [PLAIN, {**PLAIN, "w": Bounds(1 / 3, 3)}], ids=len)
@pytest.mark.parametrize("size", [2.0**-60, 1e-3, 1e3, 2.0**90])
def test_units_of_the_data_change_nothing(
    law: NoiseLaw, box: Box, answers: tuple[str, ...], size: float
) -> None:
    """In other units every scale is the same number of those units."""
    once, grid, _ = shared(law, box, answers=answers)
    scaled = {
        name: Bounds(bounds.lower * size, bounds.upper * size)
        for name, bounds in box.items()
    }
    again, *_ = shared(law, scaled, answers=answers)
    # z and h hold the weight already: two columns each, where there is one.
    columns = {"w": 1, "z": len(box) - 1, "h": len(box) - 1}
    powers = [sum(columns[name] for name in each.factors) for each in grid.summands]
    wanted = [
        float(scale * size**power)
        for scale, power in zip(once.scales, powers, strict=True)
    ]
    assert again.scales == pytest.approx(wanted, rel=1e-3)


def excess(
    people: People, variances: NDArray[np.float64], contrast: Contrast, alone: float
) -> float:
    """The log width of a pivot interval over that of one query, to second order.

    T = Z − d·Y at a distance d = hypot(off, half-width) from the guess. Its variance
    A = V + N is widened by (k² + 1)/4 · s²/√(A² + B²), over Y, with
    B = 2.2 s + 1.8 N s/(V + s).
    """
    k, size = 1.959963984540054, people.count * people.weight * people.denominator
    on_z, on_h, on_zz, on_zh, on_hh = variances.tolist()
    sampled = people.count * people.weight_square * people.residual
    _, (by_z, by_h) = contrast.inverse()
    spread = sampled
    for _ in range(200):
        known = max(abs(people.off + contrast.centre), abs(people.off))
        half = min(k * math.sqrt(spread) / abs(size), 3 * known)
        far = math.copysign(math.hypot(people.off, half), people.off)
        first, second = 1 - far * by_z, far * by_h
        spread = sampled + first**2 * on_z + second**2 * on_h
    doubt = first**4 * on_zz + 4 * (first * second) ** 2 * on_zh + second**4 * on_hh
    s = math.sqrt(doubt)
    temper = 2.2 * s + 1.8 * (spread - sampled) * s / (sampled + s)
    widened = spread + (k**2 + 1) / 4 * doubt / math.hypot(spread, temper)
    curvature = (by_z**2 * on_z + by_h**2 * on_h) / size**2
    limit = sampled + people.reach**2 * alone
    return float(math.log(widened / limit) / 2 + curvature)


def log_one_query(people: People, alone: float) -> float:
    """The log width of one query at the whole budget, but for a constant."""
    sampled = people.count * people.weight_square * people.residual
    size = people.count * people.weight * abs(people.denominator)
    return math.log(sampled + people.reach**2 * alone) / 2 - math.log(size)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("n", quick_first([5000, 500, 50_000]))
@pytest.mark.parametrize(
    ("box", "guess", "basis"),
    [
        (UNIT, 1.0, "sum"),
        (UNIT, 0.5, "denominator"),
        ({"s": Bounds(0, 1.5), "y": Bounds(0.5, 1)}, 0.25, "denominator"),
        ({"s": Bounds(-1, 1.5), "y": Bounds(0.5, 1)}, 0.0, "sum"),
    ],
    ids=["equal", "half", "small", "zero"],
)
def test_no_other_split_of_the_budget_promises_much_less_width(
    law: NoiseLaw, n: int, box: Box, guess: float, basis: str
) -> None:
    """Change one sum's noise, rescale all to the same price, forecast again."""
    split, grid, likely = shared(law, box, n=n, guess=guess, basis=basis)
    moves = np.array([[float(move) for move in row] for row in grid.moves])
    moves *= grid.steps
    power = 1 if law == LAPLACE else 2
    ratio = law.about_largest_ratio(Fraction("0.2"), Fraction("1e-6"))
    contrast = Contrast(guess, None, basis)

    def promised(scales: NDArray[np.float64]) -> float:
        cost = ((moves / scales) ** power).sum(axis=1).max()
        kept = scales * (cost / ratio**power) ** (1 / power)
        variances, alone = kept**2 * (3 - power), (3 - power) / ratio**2
        over = [excess(each, variances, contrast, alone) for each in likely]
        widths = [log_one_query(each, alone) for each in likely]
        lost = [-math.log(math.exp(-each) + 0.1) for each in over]
        return (math.fsum(lost) + math.fsum(widths)) / len(over)

    best = promised(split.scales)
    assert split.log_width == pytest.approx(best, abs=1e-3)
    for at, factor in product(range(5), (0.5, 0.8, 1.25, 2.0)):
        other = split.scales.copy()
        other[at] *= factor
        if is_convex(law, grid, (other / grid.steps).tolist()):
            assert promised(other) > best - 0.005


def test_the_denominator_is_chosen_where_the_numerator_reaches_further() -> None:
    """And the sum where both reach equally far: by the promised width."""
    for box, guess, better in ((SPEND, 0.6, "denominator"), (UNIT, 1.0, "sum")):
        widths = {
            basis: shared(LAPLACE, box, guess=guess, basis=basis)[0].log_width
            for basis in BASES
        }
        assert min(widths, key=lambda basis: widths[basis]) == better
