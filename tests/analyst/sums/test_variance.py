"""Both estimates of the sampling variance, and the noise that each has itself."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from analyst.given import NoiseTerm, given_moments, given_plan, given_release, noise_on
from analyst.ten_rows import BY_HAND, ROWS
from dpratio.analyst.ratio.delta import ratio_variance, sampling_spread
from dpratio.analyst.sums.moments import Moments, moments_of
from dpratio.analyst.sums.variance import (
    VARIANCES,
    SamplingVariance,
    choose_variance,
    sampling_variance,
)
from dpratio.arrays import Floats
from dpratio.errors import InvalidInput
from dpratio.plan.plan import Plan
from dpratio.plan.sensitivity.sums import MOMENTS
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Groups

RATIO = Fraction(13) / Fraction("13.75")
FOCUSED = ("ws", "wy", "aa", "ab", "bb")
ONE, AT = np.ones(1), np.array([float(RATIO)])


def kish_moments(*noise: NoiseTerm, rows: list[list[float]] | None = None) -> Moments:
    return given_moments(MOMENTS, rows or [BY_HAND], *noise)


def unit_moments(*noise: NoiseTerm) -> Moments:
    units = [(w * s, w * y) for w, y, s in ROWS]
    sums = [
        sum(a for a, _ in units),
        sum(b for _, b in units),
        sum(a * a for a, _ in units),
        sum(a * b for a, b in units),
        sum(b * b for _, b in units),
    ]
    return given_moments(FOCUSED, [[float(each) for each in sums]], *noise)


# Values.


def test_the_linearised_variance_is_a_sum_of_squared_residuals() -> None:
    second = sampling_variance(unit_moments(), "linearised")
    wanted = sum((w * (s - RATIO * y)) ** 2 for w, y, s in ROWS)
    assert second.at((ONE, AT)) == pytest.approx([float(wanted)])


def test_the_kish_variance_is_equation_1_at_the_estimate() -> None:
    held = kish_moments()
    second = sampling_variance(held, "kish")
    wanted = ratio_variance(held, sampling_spread(held, "kish")) * 13.75**2
    assert second.at((ONE, AT)) == pytest.approx(wanted, rel=1e-12)


def test_the_two_forms_differ_where_weights_do() -> None:
    """Kish takes weights as saying nothing of the values; here they do."""
    kish = sampling_variance(kish_moments(), "kish").at((ONE, AT))
    linearised = sampling_variance(unit_moments(), "linearised").at((ONE, AT))
    assert linearised != pytest.approx(kish, rel=0.05)


@pytest.mark.parametrize("alpha", [1.0, 2.0, -3.0])
def test_a_ratio_is_a_point_of_the_projective_line(alpha: float) -> None:
    """Only β/α counts: the variance of αΣa − βΣb grows with α²."""
    second = sampling_variance(
        unit_moments(noise_on("ab", 0.5, names=FOCUSED)), "linearised"
    )
    scaled = second.at((alpha * ONE, alpha * AT))
    assert scaled == pytest.approx(alpha**2 * second.at((ONE, AT)))
    moved = second.doubt_at((alpha * ONE, alpha * AT))
    assert moved == pytest.approx(alpha**4 * second.doubt_at((ONE, AT)))


def test_at_infinity_only_the_denominator_is_left() -> None:
    second = sampling_variance(
        unit_moments(noise_on("bb", 0.5, names=FOCUSED)), "linearised"
    )
    wanted = sum((w * y) ** 2 for w, y, _ in ROWS)
    assert second.at((0 * ONE, ONE)) == [float(wanted)]
    assert second.doubt_at((0 * ONE, ONE)) == pytest.approx([0.25])


def test_noise_may_make_the_variance_negative() -> None:
    second = SamplingVariance(np.array([[-1.0], [0.0], [0.0]]), np.zeros((1, 3, 3)))
    assert second.at((ONE, AT)) == [-1.0]


# Their noise.


def kish_variance(sums: list[Fraction]) -> Fraction:
    """Σw²/Σw · (Σws² − 2r Σwys + r² Σwy²) at a fixed r, as all seven sums move."""
    w, _, _, ww, wyy, wss, wys = sums
    return ww / w * (wss - 2 * RATIO * wys + RATIO**2 * wyy)


def slope(function: Callable[[list[Fraction]], Fraction], index: int) -> float:
    """A central difference in exact arithmetic."""
    step = Fraction(1, 10**9)
    ends = []
    for move in (step, -step):
        sums = [Fraction(each) for each in BY_HAND]
        sums[index] += move
        ends.append(function(sums))
    return float((ends[0] - ends[1]) / (2 * step))


@pytest.mark.parametrize("name", MOMENTS)
def test_the_noise_of_the_kish_variance_follows_its_slope_in_each_sum(
    name: str,
) -> None:
    wanted = (slope(kish_variance, MOMENTS.index(name)) * 0.25) ** 2
    second = sampling_variance(kish_moments(noise_on(name, 0.25)), "kish")
    assert second.doubt_at((ONE, AT)) == pytest.approx([wanted], rel=1e-6, abs=1e-18)


@pytest.mark.parametrize(
    ("name", "weight"),
    [
        ("aa", 1.0),
        ("ab", -2 * float(RATIO)),
        ("bb", float(RATIO) ** 2),
        ("ws", 0.0),
        ("wy", 0.0),
    ],
)
def test_the_noise_of_the_linearised_variance_is_linear(
    name: str, weight: float
) -> None:
    second = sampling_variance(
        unit_moments(noise_on(name, 0.25, names=FOCUSED)), "linearised"
    )
    wanted = (weight * 0.25) ** 2
    assert second.doubt_at((ONE, AT)) == pytest.approx([wanted], rel=1e-12, abs=0)


def test_noise_of_two_sums_adds_and_noise_in_two_sums_does_not() -> None:
    apart = [noise_on("aa", 0.5, names=FOCUSED), noise_on("bb", 0.25, names=FOCUSED)]
    second = sampling_variance(unit_moments(*apart), "linearised")
    wanted = 0.25 + float(RATIO) ** 4 / 16
    assert second.doubt_at((ONE, AT)) == pytest.approx([wanted])
    # One noise in both: it moves V by (1 + r²) of itself, or by 1 − r².
    for sign in (1.0, -1.0):
        shared = NoiseTerm("gaussian", 0.5, np.array([0, 0, 1.0, 0, sign]))
        second = sampling_variance(unit_moments(shared), "linearised")
        wanted = ((1 + sign * float(RATIO) ** 2) * 0.5) ** 2
        assert second.doubt_at((ONE, AT)) == pytest.approx([wanted])


def test_noise_shared_by_moments_that_stand_in_for_each_other_is_counted_once() -> None:
    """Without weights w² is w: their noise cancels in Σw²/Σw."""
    shared = NoiseTerm("gaussian", 0.5, np.array([1.0, 0, 0, 1.0, 0, 0, 0]))
    row = [10.0, 4.0, 4.5, 10.0, 4.0, 2.6, 2.2]
    second = sampling_variance(kish_moments(shared, rows=[row]), "kish")
    assert second.doubt_at((ONE, AT)) == [0.0]


def test_the_noise_is_a_number_even_where_large_slopes_cancel() -> None:
    """Without weights the slopes in w and w² are opposite and may be huge."""
    shared = NoiseTerm("laplace", 1.0, np.array([1.0, 0, 0, 1.0, 0, 0, 0]))
    rng = np.random.default_rng(7)
    for count in rng.uniform(0.1, 0.2, size=500).tolist():
        row = [count, 1.0, 1.0, count, 1.0, 1e14, 1.0]
        second = sampling_variance(kish_moments(shared, rows=[row]), "kish")
        (found,) = second.doubt_at((ONE, ONE)).tolist()
        assert math.isfinite(found)
        assert 0 <= found < 1e3


def test_rounding_never_makes_a_noise_variance_negative() -> None:
    """αβ-terms may cancel to a hair below zero; a root is taken of it."""
    loading = np.array([1.0, 1.0, 1.0]) * 1e8 / 3
    noise = np.outer(loading, loading)[None]
    second = SamplingVariance(np.ones((3, 1)), noise)
    for beta in np.linspace(0.9, 1.1, 2001).tolist():
        assert second.doubt_at((ONE, beta * ONE))[0] >= 0


def plan_of(strategy: str, keys: int) -> Plan:
    bounds = {"s": Bounds(0, 1), "y": Bounds(0, 1), "w": Bounds(1 / 3, 3)}
    return given_plan(bounds, groups=Groups("key", range(keys)), strategy=strategy)


@pytest.mark.parametrize(
    ("strategy", "form", "sums"),
    [
        ("even", "kish", [5000.0, 2300, 2500, 8100, 2000, 1500, 1250]),
        ("focused", "linearised", [200.0, 4800, 1200, 150, 5000]),
    ],
)
def test_the_noise_is_what_redrawing_shows(
    strategy: str, form: str, sums: list[float]
) -> None:
    """Add the planned noise 40,000 times, estimate A, C and B, take covariances."""
    plan, many = plan_of(strategy, 1), plan_of(strategy, 40_000)
    steps = np.array([each.step for each in plan.measurements[0].sums])
    scales = np.array([each.scale for each in plan.measurements[0].sums])
    exact = np.array(sums) / steps
    rng = np.random.default_rng(4)
    noisy = np.rint(exact + rng.laplace(scale=scales, size=(40_000, len(sums))))

    def second(plan: Plan, cells: Floats) -> SamplingVariance:
        values = np.rint(cells).astype(np.int64)
        return sampling_variance(moments_of(given_release(plan, values)), form)

    spread = np.cov(second(many, noisy).values)
    planned = second(plan, exact[None]).noise[0]
    largest = np.sqrt(np.outer(np.diag(planned), np.diag(planned)))
    assert np.abs(spread - planned) / largest == pytest.approx(
        np.zeros((3, 3)), abs=0.05
    )


# Which form.


def test_groups_are_kept_with_their_own_noise() -> None:
    values = np.arange(9.0).reshape(3, 3)
    own = np.arange(27.0).reshape(3, 3, 3)
    chosen = np.array([True, False, True])
    kept = SamplingVariance(values, own).only(chosen)
    assert kept.values.tolist() == values[:, chosen].tolist()
    assert kept.noise.tolist() == own[chosen].tolist()
    shared = SamplingVariance(values, own[:1]).only(chosen)
    assert shared.values.tolist() == values[:, chosen].tolist()
    assert shared.noise.tolist() == own[:1].tolist()


def test_the_form_is_the_one_the_release_holds() -> None:
    assert VARIANCES == ("linearised", "kish")
    assert choose_variance(kish_moments(), None) == "kish"
    assert choose_variance(unit_moments(), None) == "linearised"
    for moments, name in ((kish_moments(), "kish"), (unit_moments(), "linearised")):
        assert choose_variance(moments, name) == name


@pytest.mark.parametrize("left_out", ["w", "ww", "wss", "wys", "wyy"])
def test_the_kish_form_needs_all_of_its_sums(left_out: str) -> None:
    names = tuple(name for name in MOMENTS if name != left_out)
    held = given_moments((*names, "aa", "ab", "bb"), np.ones((1, 9)).tolist())
    assert choose_variance(held, None) == "linearised"
    with pytest.raises(InvalidInput, match=r"strategy='joint' or 'even'"):
        choose_variance(held, "kish")


def test_the_linearised_form_needs_all_of_its_sums() -> None:
    with pytest.raises(InvalidInput, match=r"Make a plan with strategy='focused'"):
        choose_variance(kish_moments(), "linearised")


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"Did you mean 'linearised'"):
        choose_variance(kish_moments(), "linearized")
