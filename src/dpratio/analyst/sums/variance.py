"""Two estimates of how Σ(a − r·b) varies from sample to sample.

Both are α²·A − 2αβ·C + β²·B for the ratio r = β/α, with A, C and B estimated from noisy
sums. ``linearised`` takes Σa², Σab and Σb² of units: right whatever the weights depend
on. ``kish`` is Miao & Li's: Σw²/Σw times Σws², Σwys and Σwy², for weights that say
nothing about the values.
"""

from dataclasses import dataclass

import numpy as np

from dpratio.analyst.sums.moments import Moments
from dpratio.analyst.sums.noise import take
from dpratio.arrays import Flags, Floats, Integers
from dpratio.checks import require, require_one_of

Point = tuple[Floats, Floats]

VARIANCES = ("linearised", "kish")

_KISH = ("wss", "wys", "wyy")
_LINEARISED = ("aa", "ab", "bb")
_PLANS = {
    "kish": "strategy='joint' or 'even', which measure the sums it needs",
    "linearised": "strategy='focused', which measures the sums it needs",
}


@dataclass(frozen=True, slots=True)
class SamplingVariance:
    """Estimates of A, C and B (3 × rows) and the covariance of their noise.

    ``noise`` is rows × 3 × 3, or 1 × 3 × 3 where it is the same in every row.
    """

    values: Floats
    noise: Floats

    def only(self, chosen: Flags | Integers | slice) -> "SamplingVariance":
        """Keep some rows, perhaps repeatedly."""
        return SamplingVariance(self.values[:, chosen], take(self.noise, chosen))

    def times(self, factor: Floats) -> "SamplingVariance":
        """Give the variances of every row times a number."""
        squared = (factor * factor)[:, None, None]
        return SamplingVariance(self.values * factor, self.noise * squared)

    def at(self, point: Point) -> Floats:
        """Estimate the variance of αΣa − βΣb; noise may make it negative."""
        (alpha, beta), (first, mixed, last) = point, self.values
        bent = beta * last - 2 * alpha * mixed
        variance: Floats = alpha * alpha * first + beta * bent
        return variance

    def slope(self, point: Point, along: Point) -> Floats:
        """Give the derivative of that variance along a path of points."""
        (alpha, beta), (first, mixed, last) = point, self.values
        moved: Floats = 2 * (
            along[0] * (alpha * first - beta * mixed)
            + along[1] * (beta * last - alpha * mixed)
        )
        return moved

    def doubt_at(self, point: Point) -> Floats:
        """Give the variance of that estimate's own noise."""
        alpha, beta = point
        own = self.noise.T
        squared = alpha * alpha
        # A polynomial in β, by Horner's rule: few passes where α is one for all.
        variance: Floats = own[2, 2] * beta - 4 * alpha * own[1, 2]
        variance = variance * beta + squared * (4 * own[1, 1] + 2 * own[0, 2])
        variance = variance * beta - 4 * alpha * squared * own[0, 1]
        variance = variance * beta + squared * squared * own[0, 0]
        return np.maximum(variance, 0.0)


def choose_variance(moments: Moments, wanted: str | None) -> str:
    """Give the variance form to use: the wanted one, or the one the release holds.

    Raises:
        InvalidInput: When the release does not hold what the wanted form needs.
    """
    needs = {"kish": ("w", "ww", *_KISH), "linearised": _LINEARISED}
    held = [
        name
        for name in ("kish", "linearised")
        if all(each in moments.names for each in needs[name])
    ]
    if wanted is None:
        return held[0]
    require_one_of(wanted, VARIANCES, "variance")
    rule = f"this release does not hold the sums of variance '{wanted}'"
    hint = f"It answers with '{held[0]}'. Make a plan with {_PLANS[wanted]}."
    require(wanted in held, rule, held, hint)
    return wanted


def weights_are_lost(moments: Moments, variance: str) -> Flags:
    """Tell where the sums of weights, by which kish divides, are lost in noise."""
    if variance == "linearised":
        return np.zeros(len(moments.values), dtype=np.bool_)
    return ~((moments["w"] > 0) & (moments["ww"] > 0))


def sampling_variance(moments: Moments, variance: str) -> SamplingVariance:
    """Estimate A, C and B, and how their noise varies together."""
    noise = moments.noise.variance
    if variance == "linearised":
        values = np.stack([moments[name] for name in _LINEARISED])
        own = np.stack([moments.loading(name) for name in _LINEARISED])
        return SamplingVariance(values, np.einsum("gj,aj,bj->gab", noise, own, own))
    share = moments["ww"] / moments["w"]
    values = np.stack([share * moments[name] for name in _KISH])
    own = np.stack([moments.loading(name) for name in _KISH])
    by_share = (
        moments.loading("ww") / moments["ww"][:, None]
        - moments.loading("w") / moments["w"][:, None]
    )
    covariance = np.zeros((len(share), 3, 3))
    for at in range(moments.matrix.shape[1]):
        moved = share * own[:, at, None] + values * by_share[:, at]
        outer = np.einsum("ig,jg->gij", moved, moved)
        covariance += noise[:, at, None, None] * outer
    return SamplingVariance(values, covariance)
