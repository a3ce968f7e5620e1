"""The budget goes where the answers need it, whatever the units of the data."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from dpratio.plan.calibration.calibrate import largest_ratio
from dpratio.plan.sensitivity.contrast import Contrast
from dpratio.plan.sensitivity.joint import Grid, is_convex
from dpratio.plan.strategy import shares
from dpratio.plan.strategy.expected import expected_of
from dpratio.plan.strategy.layout import sums_of
from dpratio.plan.strategy.shares import Shared, share_budget
from dpratio.terms.bounds import Bounds
from dpratio.terms.guess import ColumnGuess, Guess

UNIT = {"s": Bounds(0, 1), "y": Bounds.binary()}
WEIGHTED = {**UNIT, "w": Bounds(1 / 3, 3)}
LAWS = ["laplace", "analytic_gaussian"]
BOTH = ("ratio", "means")


def shared(  # noqa: PLR0913 (terms of a plan)
    law: str,
    box: dict[str, Bounds],
    *,
    epsilon: str = "0.2",
    n: int = 5000,
    nearness: float = 0.15,
    centre: float = 1.0,
    limit: float | None = None,
    answers: tuple[str, ...] = ("ratio",),
    guess: Guess | None = None,
) -> tuple[Shared, Grid]:
    contrast = Contrast(centre, limit)
    grid = sums_of("focused", box, contrast, answers)
    affordable = largest_ratio(law, Fraction(epsilon), Fraction("1e-6"))
    expected = expected_of(box, contrast, n, guess)
    made = share_budget(law, grid, affordable, contrast, expected, nearness)
    return made, grid


# Noise scales of Σz, Σh, Σz², Σzh and Σh², computed once with a program of its own: the
# same fixed point u ∝ (κ/p)^(1/3) or ^(1/2) in plain numpy, with four vertices at the
# largest weight, no lattice and μ by root finding.
RARE = Guess(ColumnGuess(0.02, 0.1), ColumnGuess(0.02), correlation=0.3)
ORACLE = [
    (
        ("laplace", UNIT, {}),
        [6.4703956, 37.518022, 69.241426, 254.48148, 2356.7834],
    ),
    (
        ("laplace", UNIT, {"epsilon": "1"}),
        [1.2972295, 7.5321043, 13.503064, 49.671664, 460.4245],
    ),
    (
        ("analytic_gaussian", UNIT, {}),
        [19.925878, 74.194497, 125.33475, 331.92243, 1758.0519],
    ),
    (
        ("laplace", WEIGHTED, {}),
        [20.133256, 116.3336, 464.99076, 1705.0571, 15754.581],
    ),
    (
        ("analytic_gaussian", WEIGHTED, {}),
        [60.136835, 221.66096, 957.67671, 2519.2118, 13253.801],
    ),
    (
        ("analytic_gaussian", WEIGHTED, {"epsilon": "1", "n": 10_000}),
        [13.373647, 50.314218, 207.5805, 553.45439, 2951.2576],
    ),
    (
        ("laplace", UNIT, {"nearness": 1.0}),
        [8.478196, 17.632469, 78.710077, 103.13938, 340.55872],
    ),
    (
        ("analytic_gaussian", WEIGHTED, {"epsilon": "1", "n": 300, "nearness": 1.0}),
        [15.952896, 27.55667, 127.32123, 157.18484, 388.10609],
    ),
    (
        (
            "laplace",
            {"s": Bounds(0, 4), "y": Bounds(0, 1.5)},
            {"epsilon": "0.5", "n": 2000, "centre": 2.0},
        ),
        [10.808231, 59.5804, 334.63771, 1188.7891, 10641.628],
    ),
    (
        (
            "analytic_gaussian",
            {"s": Bounds(-0.5, 3), "y": Bounds(0.5, 4)},
            {"epsilon": "0.5", "n": 2000, "centre": 0.5},
        ),
        [23.683629, 92.797217, 312.49628, 880.17351, 4958.1735],
    ),
    (
        ("laplace", UNIT, {"epsilon": "1", "n": 1000, "guess": RARE}),
        [2.0465249, 4.6531384, 5.9630856, 9.6675015, 39.493969],
    ),
]


@pytest.mark.parametrize(("terms", "scales"), ORACLE, ids=str)
def test_scales_are_those_of_an_independent_computation(
    terms: tuple[str, dict[str, Bounds], dict[str, object]], scales: list[float]
) -> None:
    law, box, options = terms
    found, _ = shared(law, box, **options)  # type: ignore[arg-type]
    assert found.scales == pytest.approx(scales, rel=1e-4)


BOXES = [
    UNIT,
    WEIGHTED,
    {"s": Bounds(-2, 1), "y": Bounds(1, 5)},
    {"s": Bounds(-1, 1.5), "y": Bounds(-1, 1), "w": Bounds(0, 2)},
]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("box", BOXES, ids=len)
@pytest.mark.parametrize("answers", [("ratio",), BOTH], ids=len)
@pytest.mark.parametrize("centre", [1.0, 0.0, -0.5])
def test_the_row_that_costs_most_costs_the_whole_budget(
    law: str, box: dict[str, Bounds], answers: tuple[str, ...], centre: float
) -> None:
    """But for the half cells of rounding, which are added when it is certified."""
    found, grid = shared(law, box, answers=answers, centre=centre)
    moves = np.array([[float(move) for move in row] for row in grid.moves])
    power = 1 if law == "laplace" else 2
    cost = ((moves * grid.steps / found.scales) ** power).sum(axis=1)
    budget = largest_ratio(law, Fraction("0.2"), Fraction("1e-6"))
    assert cost.max() == pytest.approx(budget**power, rel=1e-9)
    cells = (found.scales / grid.steps).tolist()
    assert is_convex(law, grid, cells)
    assert math.isfinite(found.log_width)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("box", [UNIT, WEIGHTED], ids=len)
@pytest.mark.parametrize("answers", [("ratio",), BOTH], ids=len)
@pytest.mark.parametrize("size", [2.0**-60, 1e-3, 1e3, 2.0**90])
def test_units_of_the_data_change_nothing(
    law: str, box: dict[str, Bounds], answers: tuple[str, ...], size: float
) -> None:
    """In other units every scale is the same number of those units."""
    once, grid = shared(law, box, answers=answers)
    scaled = {
        name: Bounds(each.lower * size, each.upper * size) for name, each in box.items()
    }
    again, _ = shared(law, scaled, answers=answers)
    # z and h hold the weight already: two columns each, where there is one.
    columns = {"w": 1, "z": len(box) - 1, "h": len(box) - 1}
    powers = [sum(columns[name] for name in each.factors) for each in grid.summands]
    wanted = [
        float(scale * size**power)
        for scale, power in zip(once.scales, powers, strict=True)
    ]
    assert again.scales == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("law", LAWS)
def test_a_ratio_near_its_guess_needs_little_of_h(law: str) -> None:
    close, _ = shared(law, UNIT)
    unknown, _ = shared(law, UNIT, nearness=1.0)
    assert close.scales[0] < unknown.scales[0]
    assert close.scales[1] > unknown.scales[1]
    # z alone would have the whole budget: a scale of 1/ε, or 1/μ.
    alone = 1 / largest_ratio(law, Fraction("0.2"), Fraction("1e-6"))
    assert alone < close.scales[0] < 1.35 * alone


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("box", [UNIT, WEIGHTED], ids=len)
def test_means_are_paid_for_only_where_they_are_wanted(
    law: str, box: dict[str, Bounds]
) -> None:
    ratio, few = shared(law, box)
    means, many = shared(law, box, answers=BOTH)
    assert len(many.summands) > len(few.summands)
    assert means.scales[0] > ratio.scales[0]


@pytest.mark.parametrize("law", LAWS)
def test_a_limit_on_z_lowers_its_noise(law: str) -> None:
    free, _ = shared(law, UNIT)
    bound, _ = shared(law, UNIT, limit=0.5)
    assert bound.scales[0] < 0.7 * free.scales[0]


def forecast_width(variances: NDArray[np.float64], n: int, nearness: float) -> float:
    """The log width of a pivot interval on the unit box around 1, to second order.

    T = λ₁D + λ₂H with λ₁ = 1 + d/2 and λ₂ = d/2 at a distance d from the guess, whose
    variance A is widened by (k² + 1)/4 · s²/(A + 1.5 s), over Y = (H − D)/2.
    """
    k, denominator = 1.959963984540054, n / 2
    on_z, on_h, on_zz, on_zh, on_hh = variances.tolist()
    spread, first, second = n / 4, 1.0, 0.0
    for _ in range(50):
        far = min(math.hypot(nearness, k * math.sqrt(spread) / denominator), 1.0)
        first, second = 1 + far / 2, far / 2
        spread = n / 4 + first**2 * on_z + second**2 * on_h
    unsure = first**4 * on_zz + 4 * (first * second) ** 2 * on_zh + second**4 * on_hh
    widened = spread + (k**2 + 1) / 4 * unsure / (spread + 1.5 * math.sqrt(unsure))
    curvature = (on_z + on_h) / (4 * denominator**2)
    return float(math.log(widened) / 2 - math.log(denominator) + curvature)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("n", [500, 5000, 50_000])
@pytest.mark.parametrize("nearness", [0.15, 0.5])
def test_no_other_split_of_the_budget_promises_much_less_width(
    law: str, n: int, nearness: float
) -> None:
    """Change one sum's noise, rescale all to the same price, forecast again."""
    found, grid = shared(law, UNIT, n=n, nearness=nearness)
    moves = np.array([[float(move) for move in row] for row in grid.moves])
    moves *= grid.steps
    power = 1 if law == "laplace" else 2
    budget = largest_ratio(law, Fraction("0.2"), Fraction("1e-6")) ** power

    def promised(scales: NDArray[np.float64]) -> float:
        cost = ((moves / scales) ** power).sum(axis=1).max()
        kept = scales * (cost / budget) ** (1 / power)
        return forecast_width(kept**2 * (3 - power), n, nearness)

    best = promised(found.scales)
    assert found.log_width == pytest.approx(best, abs=1e-6)
    for at, factor in product(range(5), (0.5, 0.8, 1.25, 2.0)):
        other = found.scales.copy()
        other[at] *= factor
        assert promised(other) > best - 0.005


def test_more_budget_or_more_people_promise_less_width() -> None:
    for law in LAWS:
        widths = [
            shared(law, UNIT, epsilon=epsilon, n=n)[0].log_width
            for epsilon, n in (("0.1", 1000), ("1", 1000), ("1", 10_000))
        ]
        assert widths == sorted(widths, reverse=True)
        assert len(set(widths)) == 3


def test_the_promised_width_is_the_limit_s_where_noise_is_small() -> None:
    """log of √V/Y for large budgets: half a quarter of n, and half of n."""
    for law in LAWS:
        found, _ = shared(law, UNIT, epsilon="1000")
        wanted = math.log(math.sqrt(5000 * 0.25) / 2500)
        assert found.log_width == pytest.approx(wanted, abs=1e-3)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("box", [UNIT, WEIGHTED], ids=["plain", "weighted"])
@pytest.mark.parametrize("answers", [("ratio",), BOTH], ids=["ratio", "both"])
def test_stopping_when_weights_settle_changes_no_bit(
    law: str,
    box: dict[str, Bounds],
    answers: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settled, _ = shared(law, box, answers=answers)
    monkeypatch.setattr(shares, "_is_settled", lambda *_: False)
    longest, _ = shared(law, box, answers=answers)
    assert settled.scales.tolist() == longest.scales.tolist()
    assert settled.log_width == longest.log_width
