"""Comparing groups whose shared people were measured: the covariance of two ratios.

For a declared pair of groups a release holds Σ over people of products of what they did
in the one and in the other. With T = s − r·y of each side, Cov(T₁, T₂) is a bilinear
form of these sums at (r₁, r₂). The contrast a₁T₁ − a₂T₂ has the sampling variance a₁²V₁
+ a₂²V₂ − 2a₁a₂Cov. The reduction by Cov is split between the two sides, so that each
keeps a quadratic form in its own ratio. Everything else is done as if they were
independent. docs/methods/comparisons.md derives and simulates it.
"""

from dataclasses import dataclass, replace

import numpy as np

from dpratio.analyst.comparison.hypothesis import Between
from dpratio.analyst.comparison.shared_people import bounded_between, spread_of
from dpratio.analyst.ratio.at_estimate import AtEstimate
from dpratio.analyst.ratio.statistic import Statistic
from dpratio.analyst.sums.noise import noise_of
from dpratio.analyst.sums.variance import SamplingVariance
from dpratio.arrays import Flags, Floats, Integers
from dpratio.plan.plan import Plan
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.release.noisy_sums import NoiseLayer
from dpratio.release.release import Release, ReleasedQuestion

__all__ = [
    "CrossMoments",
    "cross_moments",
    "measured_between",
    "moments_of_products",
]

# Where s·s′ and so on stand, and where once the two groups are swapped.
_STRAIGHT, _SWAPPED = [0, 1, 2, 3], [0, 2, 1, 3]


@dataclass(frozen=True, slots=True)
class CrossMoments:
    """Σss′, Σsy′, Σys′ and Σyy′ of some rows of a comparison, and their noise.

    ``rows`` are those that a declared pair answers; ``noise`` is a covariance of each.
    """

    rows: Integers
    values: Floats
    noise: Floats


def cross_moments(
    release: Release, question: ReleasedQuestion, first: Integers, second: Integers
) -> CrossMoments | None:
    """Reconstruct the moments across two groups; None where no pair was declared."""
    pairs, products = question.asked.pairs, question.products
    if pairs is None or products is None:
        return None
    values, covariance = moments_of_products(release.measured, question.asked, products)
    places = {pair: at for at, pair in enumerate(pairs.places)}
    both = zip(first.tolist(), second.tolist(), strict=True)
    found = [
        (row, places[min(pair), max(pair)], pair[0] > pair[1])
        for row, pair in enumerate(both)
        if (min(pair), max(pair)) in places
    ]
    rows, at, turned = (
        np.array([each[nth] for each in found], dtype=np.int64) for nth in range(3)
    )
    # Where the later group is named first, its factor comes first.
    order = np.array([_STRAIGHT, _SWAPPED])[turned]
    noise = covariance[order[:, :, None], order[:, None, :]]
    return CrossMoments(rows, np.take_along_axis(values[at], order, axis=1), noise)


def moments_of_products(
    plan: Plan, question: PlannedQuestion, products: Integers
) -> tuple[Floats, Floats]:
    """Turn products in lattice cells, rows × 4, into moments and their noise."""
    pairs = question.pairs
    sums = () if pairs is None else pairs.sums
    steps = np.array([each.step for each in sums])
    scales = tuple(each.scale for each in sums)
    contrast = plan.contrast(question)
    within = np.eye(2) if contrast is None else np.array(contrast.inverse())
    matrix = np.kron(within, within)
    layer = NoiseLayer(plan.mechanism, scales, np.ones(1, dtype=np.int64))
    variance = noise_of((layer,), steps).variance[0]
    return (products * steps) @ matrix.T, (matrix * variance) @ matrix.T


def measured_between(contest: Between, cross: CrossMoments) -> tuple[Between, Flags]:
    """Give the comparison of groups that may share people, row by row.

    A row whose pair was not declared has the bound, and so has one with a weak
    denominator: what is measured here holds near the estimates.

    Returns:
        The comparison, and which rows have a measured covariance.
    """
    bounded = bounded_between(contest)
    first = contest.first.only(contest.places[0][cross.rows])
    second = contest.second.only(contest.places[1][cross.rows])
    with np.errstate(all="ignore"):
        weak = (AtEstimate.of(each).is_weak() for each in (first, second))
        strong = ~np.logical_or(*weak)
        own, other = (spread_of(each, contest.link) for each in (first, second))
        one, two = (each.numerator / each.denominator for each in (first, second))
        share = own / (own + other)
        # How T₁ and T₂ fall along the ratios that the hypothesis ties together.
        tied = 1.0 if contest.link == "difference" else one / two
        lean = tied * first.denominator / second.denominator
        apart = two - one
        # Both sides hold the same noise: independent parts must add up to all of it.
        same = 1 / (share**2 + (1 - share) ** 2)
        swapped = _form(-apart)[:, :, _SWAPPED]
        sides = (
            _less(first, cross, _form(apart), 2 * share * lean, same),
            _less(second, cross, swapped, 2 * (1 - share) / lean, same),
        )
    finite = [np.isfinite(each.values).all(axis=0) for each in sides]
    kept = strong & finite[0] & finite[1]
    used = np.zeros(len(contest.places[0]), dtype=np.bool_)
    used[cross.rows[kept]] = True
    chosen = [
        replace(each, sampling=_chosen(used, side.only(kept), each.sampling))
        for each, side in zip((bounded.first, bounded.second), sides, strict=True)
    ]
    return replace(bounded, first=chosen[0], second=chosen[1]), used


def _form(apart: Floats) -> Floats:
    """Give Cov at (r, r + δ) as a quadratic form in r, out of the four moments.

    It is (ss′ − δsy′) − r(ys′ + sy′ − δyy′) + r²yy′.
    """
    one, none = np.ones_like(apart), np.zeros_like(apart)
    rows = (
        (one, -apart, none, none),
        (none, one / 2, one / 2, -apart / 2),
        (none, none, none, one),
    )
    return np.moveaxis(np.array(rows), 2, 0)


def _less(
    side: Statistic, cross: CrossMoments, form: Floats, times: Floats, same: Floats
) -> SamplingVariance:
    """Take so much of the covariance off a side's variance, and add its doubt."""
    taken = np.einsum("gij,gj->ig", form, cross.values)
    doubt = np.einsum("gij,gjk,glk->gil", form, cross.noise, form)
    squared = (times * times * same)[:, None, None]
    sampling = side.sampling
    return SamplingVariance(
        sampling.values - times * taken, sampling.noise + squared * doubt
    )


def _chosen(
    used: Flags, measured: SamplingVariance, bound: SamplingVariance
) -> SamplingVariance:
    """Put what was measured in place of the bound, in the rows that use it."""
    values = bound.values.copy()
    noise = np.broadcast_to(bound.noise, (len(used), 3, 3)).copy()
    values[:, used], noise[used] = measured.values, measured.noise
    return SamplingVariance(values, noise)
