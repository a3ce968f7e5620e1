"""The pivot interval: every ratio that a test does not reject."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpratio as dpr
from analyst.given import given_plan, given_release
from dpratio.analyst.ratio.confidence_set import ConfidenceSet, confidence_set
from dpratio.analyst.ratio.noisy_tail import normal_laplace_tail
from dpratio.analyst.ratio.statistic import NoiseTerm, Statistic, statistic_of
from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.analyst.sums.moments import moments_of
from dpratio.analyst.sums.variance import SamplingVariance
from dpratio.analyst.tables.estimates import STATUSES
from dpratio.arrays import Floats
from dpratio.plan.plan import Plan
from dpratio.plan.sensitivity.sums import Contrast
from dpratio.simulation.coverage.coverage import measure_coverage
from dpratio.simulation.population import PaperPopulation

LEVEL = 0.95
QUANTILE = normal_quantile(LEVEL)


def plan_of(
    mechanism: str = "laplace", epsilon: float = 1, lower: float = 0.0, keys: int = 1
) -> Plan:
    ends = dpr.Bounds(lower, 1)
    return given_plan(
        {"s": ends, "y": ends, "w": dpr.Bounds(1 / 3, 3)},
        dpr.Budget(epsilon, 1e-6),
        strategy="even",
        mechanism=mechanism,
        groups=dpr.Groups("key", range(keys)),
    )


@cache
def focused_plan(mechanism: str, lower: float, guess: float) -> Plan:
    return given_plan(
        {"s": dpr.Bounds(lower, 1.25), "y": dpr.Bounds(lower, 1)},
        dpr.Budget(1, 1e-6),
        guess=guess,
        mechanism=mechanism,
        groups=dpr.Groups("key", range(3)),
    )


def one(value: float) -> Floats:
    return np.array([value])


def term(law: str, scale: float, *weights: float) -> NoiseTerm:
    """One noise of one law; a normal one has no Laplace part."""
    heavy = law == "laplace"
    variance = one((2 if heavy else 1) * scale**2)
    return NoiseTerm(variance, one(scale if heavy else 0.0), *weights)


@pytest.mark.parametrize(
    ("deviation", "first", "second"),
    [
        (1.0, 1.0, 0.0),
        (1.0, 2.0, 0.3),
        (1.0, 1.0, 1.0),
        (1.0, 1.0, 0.996),
        (0.05, 3.0, 2.0),
        (10.0, 0.01, 0.02),
    ],
)
def test_the_tail_is_that_of_a_normal_plus_two_laplace_variables(
    deviation: float, first: float, second: float
) -> None:
    """Against the characteristic function, inverted numerically."""
    from scipy.integrate import quad

    def density(t: float) -> float:
        laplace = (1 + (first * t) ** 2) * (1 + (second * t) ** 2)
        return math.exp(-((deviation * t) ** 2) / 2) / laplace

    spread = math.sqrt(deviation**2 + 2 * first**2 + 2 * second**2)
    for distance in (0.0, 0.5 * spread, 1.96 * spread, 4 * spread):
        integral, _ = quad(
            lambda t, x=distance: density(t) * math.sin(x * t) / t if t else 0.0,
            0,
            40 / min(deviation, 1.0),
            limit=2000,
        )
        expected = 0.5 - integral / math.pi
        found = normal_laplace_tail(
            one(distance), one(deviation), one(first), one(second)
        )[0]
        assert found == pytest.approx(expected, abs=2e-6)


def made(
    top: Floats, bottom: Floats, sampling: SamplingVariance, *noise: NoiseTerm
) -> Statistic:
    return Statistic(top, bottom, sampling, noise, 0.0)


def pivot_set(statistic: Statistic, lowest: float) -> ConfidenceSet:
    return confidence_set(replace(statistic, lowest=lowest), QUANTILE)


def distance(statistic: Statistic, ratio: Floats) -> float:
    return float(statistic.distance((np.ones_like(ratio), ratio)).at(QUANTILE)[0])


def fieller(statistic: Statistic) -> tuple[float, float]:
    """Solve the quadratic of Fieller (1954) by hand."""
    top, bottom = statistic.numerator[0], statistic.denominator[0]
    second = statistic.sampling.values[:, 0]
    a = bottom**2 - QUANTILE**2 * second[2]
    b = -2 * (top * bottom - QUANTILE**2 * second[1])
    c = top**2 - QUANTILE**2 * second[0]
    root = math.sqrt(b * b - 4 * a * c)
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def without_noise(top: float, bottom: float, second: list[float]) -> Statistic:
    estimated = SamplingVariance(np.array([second]).T, np.zeros((1, 3, 3)))
    return made(one(top), one(bottom), estimated)


def test_without_noise_the_set_is_fiellers_interval() -> None:
    pivot = without_noise(11.0, 10.0, [4.0, 1.0, 3.0])
    found = pivot_set(pivot, -math.inf)
    assert found.shape[0] == "interval"
    assert (found.lower[0], found.upper[0]) == pytest.approx(fieller(pivot), rel=1e-7)


def test_a_weak_denominator_leaves_a_half_line_or_more() -> None:
    half_line = pivot_set(without_noise(11.0, 3.0, [4.0, 1.0, 3.0]), 0.0)
    assert half_line.shape[0] == "half_line"
    assert 0 < half_line.lower[0] < 11 / 3
    assert half_line.upper[0] == math.inf
    around = pivot_set(without_noise(11.0, 3.0, [4.0, 1.0, 3.0]), -math.inf)
    assert around.shape[0] == "disconnected"
    assert (around.lower[0], around.upper[0]) == (-math.inf, math.inf)
    everything = pivot_set(without_noise(1.0, 1.0, [4.0, 1.0, 3.0]), 0.0)
    assert everything.shape[0] == "everything"
    assert (everything.lower[0], everything.upper[0]) == (0.0, math.inf)


def test_the_end_of_a_half_line_is_where_the_test_stops_rejecting() -> None:
    pivot = without_noise(11.0, 3.0, [4.0, 1.0, 3.0])
    end = pivot_set(pivot, 0.0).lower
    assert distance(pivot, end) == pytest.approx(QUANTILE, rel=1e-6)


@pytest.mark.parametrize("law", ["laplace", "analytic_gaussian"])
def test_ends_are_where_the_p_value_is_five_percent(law: str) -> None:
    terms = (term(law, 0.4, 1.0, 0.0), term(law, 0.3, 0.0, 1.0))
    second = SamplingVariance(
        np.array([[40.0], [10.0], [30.0]]), np.diag([0.2, 0.1, 0.2])[None]
    )
    pivot = made(one(110.0), one(100.0), second, *terms)
    found = pivot_set(pivot, 0.0)
    for end in (found.lower, found.upper):
        assert distance(pivot, end) == pytest.approx(QUANTILE, rel=1e-6)


def test_a_tail_too_small_for_a_double_is_still_far_out() -> None:
    terms = (term("laplace", 0.1, 1.0, 0.0), term("laplace", 0.1, 0.0, 1.0))
    second = SamplingVariance(np.ones((3, 1)), np.zeros((1, 3, 3)))
    pivot = made(one(1e5), one(1e5), second, *terms)
    near, far = (distance(pivot, one(at)) for at in (0.9, 0.5))
    assert 33 < near < far < math.inf


def test_noise_in_the_variance_widens_the_interval() -> None:
    widths = []
    for size in (0.0, 5.0, 20.0):
        noise = np.diag([size**2, 0.0, size**2])[None]
        second = SamplingVariance(np.array([[40.0], [10.0], [30.0]]), noise)
        pivot = made(one(110.0), one(100.0), second)
        found = pivot_set(pivot, 0.0)
        widths.append(float(found.upper[0] - found.lower[0]))
    assert widths == sorted(widths)
    assert widths[2] > 1.02 * widths[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strategy", "mechanism"),
    [
        *(("even", "laplace"), ("even", "classical_gaussian")),
        ("joint", "analytic_gaussian"),
        *(("focused", "laplace"), ("focused", "analytic_gaussian")),
    ],
)
def test_pivot_intervals_cover_where_noise_is_large(
    strategy: str, mechanism: str
) -> None:
    plan = dpr.make_plan(
        dpr.Ratio("score", per="label", weight="weight"),
        bounds={
            "score": dpr.Bounds(0, 1),
            "label": dpr.Bounds.binary(),
            "weight": dpr.Bounds(1 / 3, 3),
        },
        budget=dpr.Budget(0.2, 1e-6),
        strategy=strategy,
        mechanism=mechanism,
    )
    table = measure_coverage(
        PaperPopulation(),
        plan,
        n=5_000,
        methods=["pivot"],
        links=["ratio", "log"],
        repetitions=4_000,
        rng=8,
    )
    for row in table.rows:
        # Five standard errors of 4,000 repetitions are 0.017.
        assert row.judged.coverage == pytest.approx(0.95, abs=0.017)


def test_the_noise_of_z_and_h_enters_the_test_as_one_of_each() -> None:
    """With y = p·z + q·h, T has noise (1 − (r − r₀)p)·b_z and (r − r₀)q·b_h alone."""
    plan = focused_plan("laplace", 0.0, 1.0)
    values = np.array([[2**30, 2**34, 2**30, 2**30, 2**34]] * 3)
    held = moments_of(given_release(plan, values))
    pivot = statistic_of(held, "linearised", lowest=0.0)
    on_z, on_h = (each.scale * each.step for each in plan.measurements[0].sums[:2])
    assert [term.laplace[0] for term in pivot.noise] == [on_z, on_h]
    assert [term.variance[0] for term in pivot.noise] == [2 * on_z**2, 2 * on_h**2]
    _, (p, q) = Contrast(1.0, None, plan.measurements[0].basis).inverse()
    for ratio in (0.5, 1.0, 1.7):
        parts = np.array([(1 + (1 - ratio) * p) * on_z, (1 - ratio) * q * on_h])
        found = pivot.noise_variance((np.ones(3), np.full(3, ratio)))
        assert found == pytest.approx([2 * parts @ parts] * 3)


def test_pivot_and_analytical_agree_where_noise_is_small() -> None:
    plan = plan_of(epsilon=1000)
    steps = np.array([each.step for each in plan.measurements[0].sums])
    sums = np.array([5000.0, 2300, 2500, 8100, 2000, 1500, 1250])
    release = given_release(plan, np.rint(sums / steps).astype(int)[None])
    pivot, wald = (
        dpr.estimate_ratios(release, method=method)
        for method in ("pivot", "analytical")
    )
    assert pivot.ratio[0] == wald.ratio[0]
    assert pivot.se[0] == pytest.approx(wald.se[0], rel=1e-6)
    assert pivot.ci_lower[0] == pytest.approx(wald.ci_lower[0], rel=2e-3)
    assert pivot.ci_upper[0] == pytest.approx(wald.ci_upper[0], rel=2e-3)
    log = dpr.estimate_ratios(release, method="pivot", link="log")
    assert log.ci_upper[0] == pytest.approx(pivot.ci_upper[0])
    assert log.log_ci_upper is not None
    assert log.log_ci_upper[0] == pytest.approx(math.log(pivot.ci_upper[0]))


INTEGERS = st.integers(-(2**63) + 1, 2**63 - 1) | st.integers(-(2**40), 2**40)


@settings(deadline=None, derandomize=True, max_examples=150)
@given(
    numbers=st.lists(INTEGERS, min_size=21, max_size=21),
    mechanism=st.sampled_from(["laplace", "analytic_gaussian"]),
    lower=st.sampled_from([0.0, -1.0]),
    level=st.sampled_from([0.5, 0.95, 0.999]),
    guess=st.sampled_from([None, 0.0, 1.0, -0.3]),
)
def test_every_release_has_a_set(
    numbers: list[int],
    mechanism: str,
    lower: float,
    level: float,
    guess: float | None,
) -> None:
    """Never an error, never a warning, and always a status that is true."""
    plan = (
        plan_of(mechanism, lower=lower, keys=3)
        if guess is None
        else focused_plan(mechanism, lower, guess)
    )
    count = len(plan.measurements[0].sums)
    values = np.array(numbers[: 3 * count], dtype=np.int64).reshape(3, count)
    found = dpr.estimate_ratios(
        given_release(plan, values), method="pivot", level=level
    )
    smallest = 0.0 if lower >= 0 else -math.inf
    for row in found.to_dicts():
        assert row["status"] in STATUSES
        assert smallest <= row["ci_lower"] <= row["ci_upper"]
        is_endless = row["ci_upper"] == math.inf
        assert is_endless == (row["status"] not in {"ok", "variance_floored", "weak"})


def test_groups_do_not_mix() -> None:
    """A weak group beside strong ones changes none of them."""
    tops, bottoms = np.array([11.0, 1.0, 12.0]), np.array([10.0, 1.0, 10.0])
    second = SamplingVariance(np.array([[4.0, 1.0, 3.0]] * 3).T, np.zeros((1, 3, 3)))
    pivot = made(tops, bottoms, second)
    together = pivot_set(pivot, 0.0)
    alone = pivot_set(without_noise(12.0, 10.0, [4.0, 1.0, 3.0]), 0.0)
    assert together.upper[2] == pytest.approx(alone.upper[0], rel=1e-6)
    assert together.shape.tolist() == ["interval", "everything", "interval"]


def test_cells_with_noise_of_their_own_are_answered_as_if_alone() -> None:
    """Cells may be made of different numbers of draws."""
    variances, scales = np.array([2.0, 50.0, 8.0]), np.array([1.0, 3.0, 0.0])
    values = np.array([[40.0, 10.0, 30.0]] * 3).T
    second = SamplingVariance(
        values, np.stack([np.eye(3) * size for size in (0, 4.0, 9.0)])
    )
    tops, bottoms = np.array([110.0, 115.0, 3.0]), np.array([100.0, 100.0, 2.0])
    terms = (
        NoiseTerm(variances, scales, 0.5, -0.5),
        NoiseTerm(variances[:1], scales[:1], 0.5, 0.5),
    )
    together = pivot_set(made(tops, bottoms, second, *terms), 0.0)
    for at in range(3):
        own = (
            NoiseTerm(variances[[at]], scales[[at]], 0.5, -0.5),
            NoiseTerm(variances[:1], scales[:1], 0.5, 0.5),
        )
        kept = SamplingVariance(second.values[:, [at]], second.noise[[at]])
        pivot = made(tops[[at]], bottoms[[at]], kept, *own)
        alone = pivot_set(pivot, 0.0)
        assert together.shape[at] == alone.shape[0]
        assert together.lower[at] == pytest.approx(alone.lower[0], rel=1e-6)
        assert together.upper[at] == pytest.approx(alone.upper[0], rel=1e-6)


def test_a_statistic_is_cut_into_rows_with_their_own_noise() -> None:
    own, shared = np.array([1.0, 2.0, 3.0]), np.array([5.0])
    terms = (NoiseTerm(own, own, 1.0, 0.0), NoiseTerm(shared, shared, 0.0, 1.0))
    second = SamplingVariance(np.ones((3, 3)), np.zeros((1, 3, 3)))
    pivot = made(own, own, second, *terms).only(np.array([True, False, True]))
    assert pivot.numerator.tolist() == [1, 3]
    assert [term.variance.tolist() for term in pivot.noise] == [[1, 3], [5]]
    assert [term.laplace.tolist() for term in pivot.noise] == [[1, 3], [5]]
    found = pivot.noise_variance((np.ones(2), np.full(2, 2.0)))
    assert found.tolist() == [1 + 4 * 5, 3 + 4 * 5]
