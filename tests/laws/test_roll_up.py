"""Do intervals cover after cells were added up? Noise was added up with them.

Sums of many people are drawn as normal vectors with the moments of the paper's
population, so that thousands of repetitions of fifty groups take seconds.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

import dpratio as dpr
from dpratio.analyst.ratio.interval import Options, Signs, intervals
from dpratio.analyst.sums.moments import Moments, moments_of
from dpratio.analyst.sums.noise import Noise
from dpratio.plan.plan import Plan
from dpratio.release.release import Release, fresh_question
from dpratio.simulation.population import PaperPopulation
from dpratio.simulation.simulate import clip_people, simulate_release, sum_products
from planned import plan_scores

Floats = NDArray[np.float64]

LEVEL = 0.95
USUAL = Options("pivot", "ratio", LEVEL, "linearised", 2, None)


def plan_of(epsilon: float, groups: dpr.Groups | None = None) -> Plan:
    return plan_scores(dpr.Budget(epsilon), groups=groups)


@cache
def one_person() -> tuple[Floats, Floats, float]:
    """Mean and covariance of what one person adds to the five sums, and the truth."""
    people = PaperPopulation()(np.random.default_rng(5), 300_000, 1)
    plan = plan_of(1)
    clipped = clip_people(people, plan.box(plan.measurements[0]))
    products = [each.summand.factors for each in plan.measurements[0].sums]
    sums = sum_products(clipped, products, plan.layout(plan.measurements[0]).contrast)
    truth = float(people.score.mean(dtype=float) / people.label.mean(dtype=float))
    return sums.mean(axis=0), np.cov(sums.T), truth


def people_for(epsilon: float, per_sampling: float) -> int:
    """How many people make the noise variance of Σz so many times the sampling one."""
    z = plan_of(epsilon).measurements[0].sums[0]
    squared = float(one_person()[1][0, 0] + one_person()[0][0] ** 2)
    return round(2 * (z.scale * z.step) ** 2 / squared / per_sampling)


def split_release(
    parts: int, epsilon: float, *, people: int, repetitions: int, noisy: int = 5
) -> Release:
    """Release every repetition in so many groups, each with noise of its own.

    Noise lies on the first of the five sums, as many as are said.
    """
    groups = dpr.Groups.cross(
        dpr.Keys("repetition", range(repetitions)), dpr.Keys("part", range(parts))
    )
    plan = plan_of(epsilon, groups)
    rng = np.random.default_rng([7, parts])
    mean, covariance, _ = one_person()
    sums = rng.multivariate_normal(
        people * mean, people * covariance, size=repetitions * parts
    )
    steps = np.array([each.step for each in plan.measurements[0].sums])
    noise = rng.laplace(scale=np.array(plan.measurements[0].scales), size=sums.shape)
    noise[:, noisy:] = 0.0
    cells = np.rint(sums / steps + noise).astype(np.int64)
    released = fresh_question(plan.law, plan.measurements[0], groups, cells)
    return Release("0" * 32, plan, (released,), "a simulation", is_simulated=True)


def coverage(lower: Floats, upper: Floats, truth: float) -> float:
    return float(((lower <= truth) & (truth <= upper)).mean())


def coverage_under(moments: Moments, noise: Noise, release: Release) -> float:
    """How often intervals cover when the noise is taken to be this."""
    taken, plan = replace(moments, noise=noise), release.plan
    assert isinstance(plan, Plan)
    found = intervals(taken, Signs.of(plan.box(plan.measurements[0])), USUAL)
    return coverage(found.lower, found.upper, one_person()[2])


def five_sigma(repetitions: int) -> float:
    return 5 * float(np.sqrt(LEVEL * (1 - LEVEL) / repetitions))


@pytest.mark.parametrize("parts", [5, 50])
def test_intervals_cover_after_groups_were_rolled_up(parts: int) -> None:
    """Noise as large as sampling; one Laplace draw in its place covers too little."""
    repetitions = 4_000
    people = people_for(0.1, 1.0)
    split = split_release(parts, 0.1, people=people, repetitions=repetitions)
    rolled = dpr.roll_up(split, ["repetition"])
    found = dpr.estimate_ratios(rolled)
    truth = one_person()[2]
    assert found.status.count("ok") > 0.99 * repetitions
    noise, sampling = np.median(found.se_privacy), np.median(found.se_sampling)
    assert 0.8 < float(noise / sampling) < 1.25
    sure = five_sigma(repetitions)
    held = coverage(found.ci_lower, found.ci_upper, truth)
    assert held == pytest.approx(LEVEL, abs=sure)
    moments = moments_of(rolled)
    scales = np.array(split.questions[0].noise[0].scales)
    one = scales[None] * np.array(
        [each.step for each in split.plan.measurements[0].sums]
    )
    assert coverage_under(moments, moments.noise, rolled) == held
    as_one_draw = coverage_under(moments, Noise(2 * one**2, one), rolled)
    assert as_one_draw < LEVEL - 2 * sure


def test_many_draws_are_not_taken_for_one_laplace_draw_of_their_variance() -> None:
    """Where noise is nearly all there is, Laplace tails make intervals too wide.

    Squares are released without noise here, so that nothing else widens intervals.
    """
    repetitions = 20_000
    split = split_release(
        20, 0.1, people=people_for(0.1, 12.0), repetitions=repetitions, noisy=2
    )
    rolled = dpr.roll_up(split, ["repetition"])
    moments = moments_of(rolled)
    is_noisy = np.arange(5) < 2
    variance = moments.noise.variance * is_noisy
    right = Noise(variance, moments.noise.laplace * is_noisy)
    sure = five_sigma(repetitions)
    held = coverage_under(moments, right, rolled)
    assert held == pytest.approx(LEVEL, abs=sure)
    one_laplace = Noise(variance, np.sqrt(variance / 2))
    assert coverage_under(moments, one_laplace, rolled) > LEVEL + sure
    normal = Noise(variance, np.zeros_like(variance))
    assert coverage_under(moments, normal, rolled) < held


def test_a_split_that_is_rolled_up_covers_like_the_whole() -> None:
    """The same people in one cell or in five: the noise alone is another."""
    repetitions, parts, people = 2_000, 5, 2_000
    whole = plan_of(0.5)
    drawn = PaperPopulation()(np.random.default_rng(2), repetitions, people)
    clipped = clip_people(drawn, whole.box(whole.measurements[0]))
    products = [each.summand.factors for each in whole.measurements[0].sums]
    contrast = whole.layout(whole.measurements[0]).contrast

    def sums_of(at: slice) -> Floats:
        chosen = replace(
            clipped,
            score=clipped.score[:, at],
            label=clipped.label[:, at],
        )
        return sum_products(chosen, products, contrast)

    rng = np.random.default_rng(3)
    (question,) = whole.measurements
    exact = sums_of(slice(None))
    once = dpr.estimate_ratios(simulate_release(exact, whole, question, rng))
    size = people // parts
    pieces = [sums_of(slice(at * size, (at + 1) * size)) for at in range(parts)]
    released = [simulate_release(piece, whole, question, rng) for piece in pieces]
    cells = np.stack([each.questions[0].values for each in released], axis=1)
    groups = dpr.Groups.cross(
        dpr.Keys("repetition", range(repetitions)), dpr.Keys("part", range(parts))
    )
    plan = plan_of(0.5, groups)
    values = cells.reshape(-1, len(plan.measurements[0].sums))
    split = Release(
        "1" * 32,
        plan,
        (fresh_question(plan.law, plan.measurements[0], groups, values),),
        "a simulation",
        is_simulated=True,
    )
    rolled = dpr.estimate_ratios(dpr.roll_up(split, ["repetition"]))
    merged = dpr.estimate_ratios(dpr.merge(released, units_are_disjoint=True))
    for found in (once, rolled, merged):
        held = coverage(found.ci_lower, found.ci_upper, 1.1)
        assert held == pytest.approx(LEVEL, abs=five_sigma(repetitions))
    assert merged.ci_lower == pytest.approx(rolled.ci_lower, rel=1e-9)
    assert merged.ci_upper == pytest.approx(rolled.ci_upper, rel=1e-9)
    sampling, noise = (
        [float(np.median(getattr(each, name))) for each in (once, rolled)]
        for name in ("se_sampling", "se_privacy")
    )
    assert sampling[1] == pytest.approx(sampling[0], rel=0.02)
    assert noise[1] == pytest.approx(noise[0] * parts**0.5, rel=0.02)
