"""A function that divides by what noise may take near zero, as a ratio of two sums.

A slope is a covariance over a variance. Both are smooth functions of sums, and nearly
linear within their noise, so C − b·V is the statistic that every ratio is answered with
(docs/methods/functions.md). Its set of values and its statuses are those of ratios.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpratio.analyst.function.function_of_sums import FunctionOfSums
from dpratio.analyst.function.gradient import gradient_of
from dpratio.analyst.ratio.at_estimate import AtEstimate
from dpratio.analyst.ratio.confidence_set import confidence_set
from dpratio.analyst.ratio.statistic import NoiseTerm, Statistic
from dpratio.analyst.sums.moments import Moments
from dpratio.analyst.sums.sampling import Sampling
from dpratio.analyst.sums.variance import SamplingVariance
from dpratio.arrays import Flags, Floats

# In standard deviations. Further out than for ratios: the variances here are mostly
# known noise, and no allowance hides what luck costs (docs/methods/functions.md).
_FAR = 6.0


@dataclass(frozen=True, slots=True)
class QuotientSet:
    """Values that are not rejected, within the range of the function.

    ``is_lost`` tells where noise leaves the whole range. Variances are those of the
    estimate, by the delta method.
    """

    estimate: Floats
    lower: Floats
    upper: Floats
    sampling: Floats
    privacy: Floats
    is_lost: Flags
    is_weak: Flags
    is_drowned: Flags


def quotient_set(
    function: FunctionOfSums,
    arms: Sequence[Moments],
    samplings: Sequence[Sampling],
    quantile: float,
) -> QuotientSet:
    """Keep the values that the test of a ratio does not reject."""
    statistic = quotient_statistic(function, arms, samplings)
    lowest, highest = function.lowest, function.highest
    # A share within 0 and 1 is turned into what the function makes of it.
    is_share = function.link == "share"
    low, high = (0.0, 1.0) if is_share else (lowest, highest)
    is_told = np.isfinite(statistic.denominator)
    found = confidence_set(statistic.only(is_told), quantile)
    # Noise took the whole set out of the range: it says nothing about what is in it.
    is_held = found.is_interval & (found.upper >= low) & (found.lower <= high)
    is_lost = ~is_told
    is_lost[is_told] = ~is_held
    lower, upper = np.full(len(is_lost), low), np.full(len(is_lost), high)
    lower[~is_lost] = np.maximum(found.lower[is_held], low)
    upper[~is_lost] = np.minimum(found.upper[is_held], high)
    here = AtEstimate.of(statistic)
    sampling, privacy = here.variances()
    unit = (1 - 2 * here.ratio) ** 2 if is_share else 1.0
    value = np.clip(here.ratio, low, high)
    if is_share:
        lower, upper = function.ends(lower, upper)
        value = function.back(value)
    is_weak = here.is_weak(_FAR)
    for each in function.rests_on:
        other = quotient_statistic(each, arms, samplings)
        is_weak |= AtEstimate.of(other).is_weak(_FAR)
    return QuotientSet(
        value,
        np.where(is_lost, lowest, lower),
        np.where(is_lost, highest, upper),
        sampling * unit,
        privacy * unit,
        is_lost,
        is_weak,
        here.is_drowned(),
    )


def quotient_statistic(
    function: FunctionOfSums, arms: Sequence[Moments], samplings: Sequence[Sampling]
) -> Statistic:
    """Linearise what is above and below the line, with the noise of every sum."""
    values = [arm[name] for arm in arms for name in function.needs]
    parts = [
        np.asarray(each(values), dtype=np.float64)
        for each in (function.above, function.below)
    ]
    above, below = (
        gradient_of(each, values) for each in (function.above, function.below)
    )
    size = len(function.needs)
    noise: list[NoiseTerm] = []
    spread, doubt = np.zeros((3, len(parts[0]))), np.zeros((len(parts[0]), 3, 3))
    for at, (arm, own) in enumerate(zip(arms, samplings, strict=True)):
        mine = slice(at * size, (at + 1) * size)
        variances, weights = _spread(own, function.needs, above[mine], below[mine])
        spread += variances
        doubt += np.einsum("agj,bgj,gj->gab", weights, weights, _by_cell(arm))
        loadings = np.stack([arm.loading(name) for name in function.needs])
        entering = [np.stack(each[mine], axis=1) @ loadings for each in (above, below)]
        noise += [
            NoiseTerm(
                arm.noise.variance[:, place],
                arm.noise.laplace[:, place],
                entering[0][:, place],
                entering[1][:, place],
            )
            for place in np.flatnonzero(loadings.any(axis=0))
        ]
    sampling = SamplingVariance(spread, doubt)
    return Statistic(parts[0], parts[1], sampling, tuple(noise), -np.inf)


def _spread(
    own: Sampling,
    needs: Sequence[str],
    above: Sequence[Floats],
    below: Sequence[Floats],
) -> tuple[Floats, Floats]:
    """Estimate how both vary, alone and together, and the weights of sums in that."""
    both = [up + down for up, down in zip(above, below, strict=True)]
    first, last, whole = (own.variance(needs, each) for each in (above, below, both))
    mixed = [(w - a - b) / 2 for a, b, w in zip(first, last, whole, strict=True)]
    variances, weights = zip(first, mixed, last, strict=True)
    return np.stack(variances), np.stack(weights)


def _by_cell(arm: Moments) -> Floats:
    variance = arm.noise.variance
    by_cell: Floats = np.broadcast_to(variance, (len(arm.values), variance.shape[1]))
    return by_cell
