"""The budget goes where the answers need it, whatever the units of the data."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from dpratio.plan.laws import GAUSSIAN, LAPLACE, NoiseLaw
from dpratio.plan.sensitivity.joint import Grid, is_convex
from dpratio.plan.sensitivity.sums import BASES, Contrast
from dpratio.plan.strategy import shares
from dpratio.plan.strategy.people import (
    People,
    family_of,
    likely_counts,
    likely_ratios,
    units_of,
)
from dpratio.plan.strategy.shares import Shared, share_budget
from dpratio.terms.bounds import Bounds
from plan.boxes_for_tests import sums_of
from tiers import quick_first

UNIT = {"s": Bounds(0, 1), "y": Bounds.binary()}
WEIGHTED = {**UNIT, "w": Bounds(1 / 3, 3)}
PLAIN = {"s": Bounds(0, 1), "y": Bounds(0, 1)}
LAWS = [LAPLACE, GAUSSIAN]
BOTH = ("ratio", "means")


def shared(  # noqa: PLR0913 (terms of a plan)
    law: NoiseLaw,
    box: dict[str, Bounds],
    *,
    epsilon: str = "0.2",
    n: int | None = 5000,
    guess_is: str = "close",
    centre: float = 1.0,
    limit: float | None = None,
    answers: tuple[str, ...] = ("ratio",),
    basis: str = "sum",
) -> tuple[Shared, Grid, tuple[People, ...]]:
    contrast = Contrast(centre, limit, basis)
    grid = sums_of("focused", box, contrast, answers)
    affordable = law.about_largest_ratio(Fraction(epsilon), Fraction("1e-6"))
    units = units_of(box, contrast)
    family = family_of(units, likely_ratios(units, guess_is), likely_counts(n), None)
    return share_budget(law, grid, affordable, units, family), grid, family


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
    law: NoiseLaw, box: dict[str, Bounds], answers: tuple[str, ...], centre: float
) -> None:
    """But for the half cells of rounding, which are added when it is certified."""
    found, grid, _ = shared(law, box, answers=answers, centre=centre)
    moves = np.array([[float(move) for move in row] for row in grid.moves])
    power = 1 if law == LAPLACE else 2
    cost = ((moves * grid.steps / found.scales) ** power).sum(axis=1)
    budget = law.about_largest_ratio(Fraction("0.2"), Fraction("1e-6"))
    assert cost.max() == pytest.approx(budget**power, rel=1e-9)
    cells = (found.scales / grid.steps).tolist()
    assert is_convex(law, grid, cells)
    assert math.isfinite(found.log_width)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("box", [PLAIN, {**PLAIN, "w": Bounds(1 / 3, 3)}], ids=len)
@pytest.mark.parametrize("answers", [("ratio",), BOTH], ids=len)
@pytest.mark.parametrize("size", [2.0**-60, 1e-3, 1e3, 2.0**90])
def test_units_of_the_data_change_nothing(
    law: NoiseLaw, box: dict[str, Bounds], answers: tuple[str, ...], size: float
) -> None:
    """In other units every scale is the same number of those units."""
    once, grid, _ = shared(law, box, answers=answers)
    scaled = {
        name: Bounds(each.lower * size, each.upper * size) for name, each in box.items()
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
@pytest.mark.parametrize("n", quick_first([5000, 500, 50_000, None]))
@pytest.mark.parametrize(
    ("box", "centre", "basis"),
    [
        (UNIT, 1.0, "sum"),
        (UNIT, 0.5, "denominator"),
        ({"s": Bounds(0, 1.5), "y": Bounds(0.5, 1)}, 0.25, "denominator"),
        ({"s": Bounds(-1, 1.5), "y": Bounds(0.5, 1)}, 0.0, "sum"),
    ],
    ids=["equal", "half", "small", "zero"],
)
def test_no_other_split_of_the_budget_promises_much_less_width(
    law: NoiseLaw, n: int | None, box: dict[str, Bounds], centre: float, basis: str
) -> None:
    """Change one sum's noise, rescale all to the same price, forecast again."""
    found, grid, family = shared(law, box, n=n, centre=centre, basis=basis)
    moves = np.array([[float(move) for move in row] for row in grid.moves])
    moves *= grid.steps
    power = 1 if law == LAPLACE else 2
    ratio = law.about_largest_ratio(Fraction("0.2"), Fraction("1e-6"))
    contrast = Contrast(centre, None, basis)
    assert units_of(box, contrast).factors == dict.fromkeys("sywczh", 1.0)

    def promised(scales: NDArray[np.float64]) -> float:
        cost = ((moves / scales) ** power).sum(axis=1).max()
        kept = scales * (cost / ratio**power) ** (1 / power)
        variances, alone = kept**2 * (3 - power), (3 - power) / ratio**2
        over = [excess(each, variances, contrast, alone) for each in family]
        widths = [log_one_query(each, alone) for each in family]
        lost = [-math.log(math.exp(-each) + 0.1) for each in over]
        return (math.fsum(lost) + math.fsum(widths)) / len(over)

    best = promised(found.scales)
    assert found.log_width == pytest.approx(best, abs=1e-3)
    for at, factor in product(range(5), (0.5, 0.8, 1.25, 2.0)):
        other = found.scales.copy()
        other[at] *= factor
        if is_convex(law, grid, (other / grid.steps).tolist()):
            assert promised(other) > best - 0.005


def test_more_budget_or_more_people_promise_less_width() -> None:
    for law in LAWS:
        widths = [
            shared(law, UNIT, epsilon=epsilon, n=n)[0].log_width
            for epsilon, n in (("0.1", 1000), ("1", 1000), ("1", 10_000))
        ]
        assert widths == sorted(widths, reverse=True)
        assert len(set(widths)) == 3


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("box", [UNIT, WEIGHTED], ids=["plain", "weighted"])
@pytest.mark.parametrize("answers", [("ratio",), BOTH], ids=["ratio", "both"])
def test_stopping_when_weights_settle_changes_little(
    law: NoiseLaw,
    box: dict[str, Bounds],
    answers: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settled = shared(law, box, answers=answers)[0]
    monkeypatch.setattr(shares, "_shared", shares._shared.__wrapped__)
    monkeypatch.setattr(shares, "_SETTLED", 0.0)
    longest = shared(law, box, answers=answers)[0]
    assert settled.scales == pytest.approx(longest.scales, rel=1e-2)
    assert settled.log_width == pytest.approx(longest.log_width, abs=1e-4)


def test_the_denominator_is_chosen_where_the_numerator_reaches_further() -> None:
    """And the sum where both reach equally far: by the promised width."""
    spend = {"s": Bounds(0, 150), "y": Bounds(1, 6)}
    for box, centre, better in ((spend, 0.6, "denominator"), (UNIT, 1.0, "sum")):
        widths = {
            basis: shared(LAPLACE, box, centre=centre, basis=basis)[0].log_width
            for basis in BASES
        }
        assert min(widths, key=lambda basis: widths[basis]) == better
