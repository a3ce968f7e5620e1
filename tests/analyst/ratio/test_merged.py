"""Ratios of releases around different guesses: T, V and the noise add up.

The oracle works in loops from docs/methods/merging.md: it knows nothing of matrices.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr, ndtri

from analyst.given import given_release, noiseless, summed
from analyst.merged_people import WAYS, covering, merged_release, plan_around
from dpratio.analyst.comparison.compare import compare_ratios
from dpratio.analyst.comparison.equivalence import assess_equivalence
from dpratio.analyst.comparison.homogeneity import assess_homogeneity
from dpratio.analyst.curve.curve import calibration_curve
from dpratio.analyst.function.estimate_function import estimate_function
from dpratio.analyst.function.functions import mean
from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.arrays import Floats
from dpratio.curator.release_sums import release_sums
from dpratio.plan.laws import LAPLACE
from dpratio.plan.make_plan import make_plan
from dpratio.plan.sensitivity.sums import Contrast
from dpratio.release.combine import merge, roll_up
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, ScoreBins
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from tiers import quick_first

pytestmark = pytest.mark.usefixtures("fixed_noise")

BOUNDS = {"s": Bounds(0, 4), "y": Bounds(0, 5)}
TRUTH = 0.6
LEVEL = 0.025  # of each tail
QUANTILE = float(ndtri(1 - LEVEL))


def people(count: int, seed: int) -> dict[str, Floats]:
    """The mean of s − 0.6·y is zero, and nothing is clipped."""
    chance = np.random.default_rng(seed)
    y = chance.integers(1, 5, count).astype(float)
    return {"y": y, "s": TRUTH * y * chance.uniform(0, 2, count) ** 0.5 / 0.9428090415}


def merged(ways: int, cells: int = 1, each: int = 400, **terms: Any) -> Release:  # noqa: ANN401
    plans = [
        plan_around(round(TRUTH * part, 3), basis, bounds=BOUNDS, **terms)
        for part, basis in WAYS[:ways]
    ]
    given = [people(each * cells, seed) for seed in range(ways)]
    return merged_release(plans, given, cells, seed=7)


def weights(contrast: Contrast, ratio: float) -> tuple[float, float]:
    """Give λ₁ and λ₂ with s − r·y = λ₁z + λ₂h."""
    guess = contrast.centre
    p, q = (0.0, 1.0)
    if contrast.basis == "sum":
        p, q = -1 / (2 * guess), 1 / (2 * guess)
    return 1 - (ratio - guess) * p, -(ratio - guess) * q


def told(release: Release, ratio: float) -> tuple[float, float, float, float, float]:
    """Give T, V, N, the noise of V, and Σ(λb)⁴ of the Laplace noise in T."""
    value = sampling = noise = doubt = fourth = 0.0
    for sums in release.questions[0].sums:
        assert sums.contrast is not None
        (layer,) = sums.noise
        d, h, dd, dh, hh = (
            int(each) * step
            for each, step in zip(sums.values[0], sums.steps, strict=True)
        )
        scales = [
            scale * step for scale, step in zip(layer.scales, sums.steps, strict=True)
        ]
        laplace = layer.law == LAPLACE
        v = [(2 if laplace else 1) * scale**2 for scale in scales]
        one, two = weights(sums.contrast, ratio)
        value += one * d + two * h
        sampling += one**2 * dd + 2 * one * two * dh + two**2 * hh
        noise += one**2 * v[0] + two**2 * v[1]
        doubt += one**4 * v[2] + (2 * one * two) ** 2 * v[3] + two**4 * v[4]
        if laplace:
            fourth += (one * scales[0]) ** 4 + (two * scales[1]) ** 4
    return value, sampling, noise, doubt, fourth


def holds(release: Release, ratio: float) -> bool:
    """Test a ratio at level 0.95, with the allowance of docs/methods/pivot.md."""
    value, sampling, noise, doubt, fourth = told(release, ratio)
    below, sampling = min(sampling, 0.0), max(sampling, 0.0)
    deviation, scale = math.sqrt(doubt), fourth**0.25
    temper = 2.2 * deviation + 1.8 * noise * deviation / (sampling + deviation)
    allowed = (QUANTILE**2 + 1) / 4 * doubt / math.hypot(sampling + noise, temper)
    far = below**2 / (below**2 + doubt)
    whole = sampling + noise + allowed - far * min(noise, allowed)
    if not scale:
        return abs(value) <= QUANTILE * math.sqrt(whole)
    rest = math.sqrt(whole - 2 * scale**2)

    def beyond(noise: float) -> float:
        density = math.exp(-abs(noise) / scale) / (2 * scale)
        return float(density * ndtr((noise - abs(value)) / rest))

    left, right = (
        float(quad(beyond, low, high, limit=200)[0])
        for low, high in ((-40 * scale, 0.0), (0.0, 40 * scale))
    )
    return left + right >= LEVEL


def edge(inside: float, outside: float, kept: Callable[[float], bool]) -> float:
    """Find where a ratio is no longer kept."""
    for _ in range(40):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if kept(middle) else (inside, middle)
    return inside


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
@pytest.mark.parametrize("ways", [2, 5])
def test_the_interval_is_that_of_all_sums_together(ways: int, mechanism: str) -> None:
    release = merged(ways, mechanism=mechanism, epsilon=0.4)
    assert len(release.questions[0].sums) == ways
    found = estimate_ratios(release)
    ratio = float(found.ratio[0])
    assert told(release, ratio)[0] == pytest.approx(0, abs=1e-6)
    ends = [edge(ratio, end, lambda each: holds(release, each)) for end in (0.05, 3.0)]
    assert found.ci_lower[0] == pytest.approx(ends[0], rel=1e-5)
    assert found.ci_upper[0] == pytest.approx(ends[1], rel=1e-5)


@pytest.mark.parametrize("epsilon", quick_first([0.2, 1]))
def test_intervals_cover_around_whatever_guesses(epsilon: float) -> None:
    """2,000 times two and five releases: 0.95 ± 0.005, by this seed."""
    for ways in (2, 5):
        found = estimate_ratios(merged(ways, cells=2000, each=100, epsilon=epsilon))
        often = covering(found.ci_lower, found.ci_upper, TRUTH)
        assert 0.935 < often < 0.98


def test_a_merge_of_many_guesses_is_as_narrow_as_one_of_the_same_guess() -> None:
    """The noise of each part is its own; nothing is lost by keeping them apart."""
    same = [plan_around(TRUTH, "sum", bounds=BOUNDS, epsilon=0.4) for _ in range(2)]
    near = [
        plan_around(guess, "sum", bounds=BOUNDS, epsilon=0.4) for guess in (0.6, 0.61)
    ]
    given = [people(400 * 500, seed) for seed in range(2)]
    widths = []
    for plans in (same, near):
        found = estimate_ratios(merged_release(plans, given, 500, seed=3))
        widths.append(float(np.median(found.ci_upper - found.ci_lower)))
    assert widths[1] == pytest.approx(widths[0], rel=0.03)


def test_every_answer_adds_up_what_each_guess_tells() -> None:
    """With hardly any noise answers are those of all people around one guess."""
    ways = [*WAYS[:3], (1.0, "sum")]
    groups = Groups.cross(ScoreBins("s", [0, 0.25, 0.5, 1]))
    chance = np.random.default_rng(5)
    s = chance.beta(2, 3, 6000)
    table = {"s": s, "y": (chance.random(6000) < s).astype(float)}
    bins = np.searchsorted([0.25, 0.5], s, side="right").astype(float)
    given, bounds = [], {"s": Bounds(0, 1), "y": Bounds.binary()}
    for at, (part, basis) in enumerate(ways):
        plan = noiseless(
            plan_around(
                part, basis, bounds=bounds, groups=groups, answers=("ratio", "means")
            )
        )
        own = slice(None) if at == 3 else slice(2000 * at, 2000 * (at + 1))
        columns = {name: values[own] for name, values in table.items()}
        sums = summed(plan, {**columns, "w": np.ones(len(columns["s"]))}, bins[own])
        given.append(given_release(plan, sums, id=f"{at:032x}"))
    *parts, whole = given
    merged_parts = merge(parts, units_are_disjoint=True)
    assert len(merged_parts.questions[0].sums) == 3

    def answers(release: Release) -> list[dict[str, list[Any]]]:
        return [
            estimate_ratios(release).columns(),
            estimate_ratios(roll_up(release)).columns(),
            *(
                estimate_ratios(release, method=method).columns()
                for method in ("analytical", "no_correction")
            ),
            compare_ratios(release).columns(),
            compare_ratios(release, design="rest").columns(),
            compare_ratios(release, reference=1.0).columns(),
            assess_equivalence(release, lower=0.8, upper=1.2).columns(),
            assess_homogeneity(release).columns(),
            estimate_function(release, mean()).columns(),
            calibration_curve(release).columns(),
        ]

    for found, wanted in zip(answers(merged_parts), answers(whole), strict=True):
        assert found.keys() == wanted.keys()
        for name, column in found.items():
            numbers = all(isinstance(each, float) for each in column)
            expected: Any = wanted[name]
            if numbers:
                expected = pytest.approx(expected, rel=1e-4, abs=1e-6, nan_ok=True)
            assert column == expected, name


TOTALS = {"s": Bounds(0, 9), "y": Bounds(0, 9)}
TERMS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "weights": ({"weight": "w"}, {"answers": ("ratio", "means")}),
    "a difference": ({"minus": "other"}, {}),
    "people": ({}, {"unit": PrivacyUnit("id", totals=TOTALS)}),
}


@pytest.mark.parametrize("what", TERMS)
def test_halves_around_two_guesses_tell_what_the_whole_does(what: str) -> None:
    """Through the door, with a budget that leaves hardly any noise."""
    asked, terms = TERMS[what]
    chance = np.random.default_rng(3)
    table = {
        "s": chance.uniform(0, 1, 900),
        "y": chance.uniform(0, 2, 900),
        "w": chance.exponential(1, 900),
        "other": chance.uniform(0, 0.3, 900),
        "id": np.arange(900) // 3,
    }
    bounds = {"s": Bounds(0, 1), "y": Bounds(0, 2)}
    for name in asked.values():
        bounds[name] = Bounds(0, 4)

    def released(rows: slice, guess: float) -> Release:
        plan = make_plan(
            Ratio("s", per="y", guess=guess, **asked),
            bounds=bounds,
            budget=Budget(10**5),
            mechanism="laplace",
            **terms,
        )
        part = {name: values[rows] for name, values in table.items()}
        return release_sums(part, plan, ledger=None)

    whole = estimate_ratios(released(slice(None), 0.5))
    halves = [released(slice(450), 0.0), released(slice(450, None), 0.75)]
    both = merge(halves, units_are_disjoint=True)
    assert len(both.questions[0].sums) == 2
    found = estimate_ratios(both)
    for name in ("ratio", "ci_lower", "ci_upper", "se"):
        assert getattr(found, name) == pytest.approx(getattr(whole, name), rel=1e-3)
