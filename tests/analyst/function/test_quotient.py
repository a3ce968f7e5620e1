"""Functions that divide: the set of a ratio, its statuses, and what they promise."""

import math
from dataclasses import replace

import numpy as np
import pytest

from analyst.given import given_plan, given_release, noiseless, summed
from analyst.samples import paper_sums, plan_for, with_noise
from dpratio.analyst.function.estimate_function import estimate_function
from dpratio.analyst.function.function_of_sums import FunctionOfSums, above_zero
from dpratio.analyst.function.function_results import FUNCTION_STATUSES
from dpratio.analyst.function.functions import (
    calibration_intercept,
    correlation,
    difference_of_means,
    lift,
    mean,
    odds_ratio,
    ratio_of_ratios,
    relative_risk,
    slope,
    variance,
)
from dpratio.analyst.ratio.statistic import NoiseTerm
from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.arrays import Floats
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups

PEOPLE = 400
SLOPE, ERROR = 1 / 1.1, normal_quantile(0.95)


def columns() -> dict[str, Floats]:
    """A score and a value that rises with it."""
    rng = np.random.default_rng(4)
    score = rng.random(PEOPLE)
    return {
        "s": score,
        "y": np.clip(0.3 + 0.4 * score + rng.normal(0, 0.2, PEOPLE), 0, 1),
    }


def exact_release() -> Release:
    """The sums of these people, without noise."""
    bounds = {"s": Bounds(0, 1), "y": Bounds(0, 1)}
    plan = given_plan(bounds, strategy="joint", answers=("ratio", "spread"))
    return given_release(noiseless(plan), summed(plan, columns(), np.zeros(PEOPLE)))


def noisy_samples(people: int, epsilon: float, samples: int, seed: int = 3) -> Release:
    """Samples of the paper's population, with Laplace noise, under a joint plan."""
    plan = plan_for("joint", "laplace", epsilon, people, weighted=False)
    sums = paper_sums(plan, people, samples, seed)
    return with_noise(plan, sums, Groups("sample", range(samples)), seed)


def test_a_slope_without_noise_has_the_interval_of_fieller() -> None:
    """All b with (c − b·v)² ≤ z²·Σ(xy − b·x²)², by hand from the people."""
    given, found = columns(), estimate_function(exact_release(), slope())
    x = given["s"] - given["s"].mean()
    y = given["y"] - given["y"].mean()
    above, below = (x * y).mean(), (x * x).mean()
    # Each person's influence on both, over n.
    first, last = (x * y - above) / PEOPLE, (x * x - below) / PEOPLE
    z = ERROR**2
    quadratic = [
        below**2 - z * (last @ last),
        -2 * (above * below - z * (first @ last)),
        above**2 - z * (first @ first),
    ]
    ends = sorted(np.roots(quadratic))
    assert found.method == "pivot"
    assert found.status == ("ok",)
    assert [found.ci_lower[0], found.ci_upper[0]] == pytest.approx(ends, rel=1e-5)
    by_delta = estimate_function(exact_release(), slope(), method="delta")
    assert found.se[0] == pytest.approx(by_delta.se[0], rel=1e-6)
    assert found.estimate[0] == pytest.approx(above / below, rel=1e-6)


def test_arms_that_change_places_give_the_reciprocal() -> None:
    groups = Groups("arm", ["new", "old"])
    plan = given_plan(groups=groups, answers=("ratio", "means"))
    rng, cells = np.random.default_rng(2), np.arange(3000) % 2
    given = {"s": rng.random(3000), "y": np.rint(rng.random(3000) * 0.8)}
    release = given_release(plan, summed(plan, given, cells.astype(np.float64)))
    for function in (ratio_of_ratios(), relative_risk("per"), odds_ratio("per")):
        one = estimate_function(release, function, arms=("new", "old"))
        other = estimate_function(release, function, arms=("old", "new"))
        assert one.status == other.status == ("ok",)
        assert one.ci_lower[0] == pytest.approx(1 / other.ci_upper[0], rel=1e-6)
    lifted = estimate_function(release, lift("per"), arms=("new", "old"))
    risk = estimate_function(release, relative_risk("per"), arms=("new", "old"))
    assert lifted.ci_upper[0] == pytest.approx(risk.ci_upper[0] - 1, rel=1e-6)
    apart = difference_of_means("per")
    one = estimate_function(release, apart, arms=("new", "old"))
    other = estimate_function(release, apart, arms=("old", "new"))
    assert one.ci_lower[0] == pytest.approx(-other.ci_upper[0], rel=1e-6)


def test_a_divisor_near_zero_is_weak_and_one_lost_in_noise_unbounded() -> None:
    release = noisy_samples(1000, 1.0, 400)
    for function in (slope(), calibration_intercept(), correlation()):
        found = estimate_function(release, function)
        status = np.array(found.status)
        assert {"weak", "unbounded"} <= set(status)
        lost = status == "unbounded"
        assert (found.ci_lower[lost] == function.lowest).all()
        assert (found.ci_upper[lost] == function.highest).all()
        assert np.isinf(found.se[lost]).all()
        bounded = ~lost
        assert np.isfinite(found.se[bounded]).all()
        assert (found.ci_lower[bounded] <= found.estimate[bounded]).all()
        assert (found.estimate[bounded] <= found.ci_upper[bounded]).all()
    assert FUNCTION_STATUSES["weak"] in "\n".join(found.notes())


def test_the_other_methods_are_weak_in_the_same_places() -> None:
    release = noisy_samples(2000, 1.0, 300)
    found = estimate_function(release, slope())
    weak = np.array(found.status) == "weak"
    assert weak.any()
    for method in ("delta", "monte_carlo"):
        other = estimate_function(release, slope(), method=method, draws=50, rng=1)
        assert other.method == method
        assert not (weak & (np.array(other.status) == "ok")).any()


def test_a_correlation_is_weak_where_a_slope_is() -> None:
    """It is the geometric mean of both slopes, and rests on each."""
    release = noisy_samples(4000, 1.0, 300)
    along = np.array(estimate_function(release, slope()).status) == "ok"
    both = np.array(estimate_function(release, correlation()).status) == "ok"
    assert both.any()
    assert not (both & ~along).any()
    alone = replace(correlation(), rests_on=())
    more = np.array(estimate_function(release, alone).status) == "ok"
    assert more.sum() > both.sum()


def test_a_set_that_noise_took_out_of_the_range_says_nothing() -> None:
    """A correlation above 1 at both ends is all noise."""
    rng = np.random.default_rng(1)
    size = 4000
    score = rng.random(size)
    plan = given_plan(
        {"s": Bounds(0, 1), "y": Bounds(0, 1)},
        Budget(4),
        strategy="joint",
        answers=("ratio", "spread"),
        groups=Groups("sample", range(300)),
    )
    (one,) = summed(plan, {"s": score, "y": score}, np.zeros(size)).astype(float)
    steps = [each.step for each in plan.measurements[0].sums]
    sums = np.tile(one * steps, (300, 1))
    release = with_noise(plan, sums, Groups("sample", range(300)), 5)
    found = estimate_function(release, correlation())
    beyond = np.array(found.status) == "unbounded"
    assert 0 < beyond.sum() < 30
    assert (found.ci_upper[~beyond] == 1).mean() > 0.9
    assert (found.ci_lower >= -1).all()
    assert (found.estimate <= 1).all()


def test_the_variance_of_labels_comes_from_the_set_of_their_share() -> None:
    release = noisy_samples(2000, 1.0, 200)
    share, spread = (
        estimate_function(release, each) for each in (mean("per"), variance("per"))
    )
    p, ends = share.estimate, (share.ci_lower, share.ci_upper)
    assert spread.estimate == pytest.approx(p * (1 - p))
    images = [end * (1 - end) for end in ends]
    holds_half = (ends[0] <= 0.5) & (ends[1] >= 0.5)
    assert spread.ci_lower == pytest.approx(np.minimum(*images))
    highest = np.where(holds_half, 0.25, np.maximum(*images))
    assert spread.ci_upper == pytest.approx(highest)
    assert spread.se == pytest.approx(np.abs(1 - 2 * p) * share.se)
    assert spread.codes.tolist() == share.codes.tolist()


def test_a_function_of_one_s_own_may_say_what_it_divides_by() -> None:
    own = FunctionOfSums(
        "each",
        ("ws", "w"),
        lambda sums: sums["ws"] / sums["w"],
        divisor=lambda sums: above_zero(sums["w"]),
    )
    release = noisy_samples(1000, 1.0, 50)
    mine, ready = (estimate_function(release, each) for each in (own, mean()))
    assert mine.ci_lower.tolist() == ready.ci_lower.tolist()
    without = estimate_function(release, replace(own, divisor=None))
    assert without.method == "delta"
    with np.errstate(invalid="ignore"):
        assert math.isnan(above_zero(np.array([-1.0]))[0])


def test_noise_with_weights_by_row_keeps_those_of_the_rows() -> None:
    one = np.ones(1)
    term = NoiseTerm(one, one, np.array([1.0, 2.0, 3.0]), 0.5)
    kept = term.only(np.array([False, True, True]))
    assert np.asarray(kept.in_numerator).tolist() == [2.0, 3.0]
    assert (kept.in_denominator, len(kept.variance)) == (0.5, 1)


@pytest.mark.parametrize(
    ("function", "truth"),
    [(slope(), SLOPE), (calibration_intercept(), 0.0), (correlation(), 0.4082)],
    ids=["slope", "intercept", "correlation"],
)
def test_all_answers_cover_and_so_do_those_that_are_ok(
    function: FunctionOfSums, truth: float
) -> None:
    """Where some are weak and some are ok: three standard errors of 3,000 samples."""
    release = noisy_samples(4000, 1.0, 3000)
    found = estimate_function(release, function)
    covered = (found.ci_lower <= truth) & (truth <= found.ci_upper)
    ok = np.array(found.status) == "ok"
    assert ok.mean() > 0.02
    assert covered.mean() > 0.95 - 3 * math.sqrt(0.95 * 0.05 / 3000)
    assert covered[ok].mean() > 0.90 - 3 * math.sqrt(0.9 * 0.1 / ok.sum())
