"""The pivot of a release, from its moments: the paper's (Kish) form of the variance.

Floor: analyst. Imports: moments, pivot.
"""

import numpy as np

from dpratio.analyst.moments import Floats, Moments
from dpratio.analyst.pivot import Pivot, TermOfT
from dpratio.plan.sums import MOMENTS

__all__ = ["pivot_of", "variances_at"]

_SECOND = ("wss", "wys", "wyy")


def pivot_of(moments: Moments, quantile: float) -> Pivot:
    """Give the test of every ratio.

    Under the ratio r the weighted mean of s − r y is zero, so the variance of
    Σw(s − r y) is Σw²/Σw · (Σws² − 2r Σwys + r² Σwy²); its three parts carry noise of
    their own and that of Σw²/Σw.
    """
    share = moments["ww"] / moments["w"]
    second = np.stack([share * moments[name] for name in _SECOND], axis=1)
    noise = np.zeros((len(share), 3, 3))
    for term in moments.noise:
        at = dict(zip(MOMENTS, term.loading.tolist(), strict=True))
        by_share = at["ww"] / moments["ww"] - at["w"] / moments["w"]
        own = share[:, None] * np.array([at[name] for name in _SECOND])
        moved = own + second * by_share[:, None]
        noise += term.variance * np.einsum("gi,gj->gij", moved, moved)
    return Pivot(
        numerator=moments["ws"],
        denominator=moments["wy"],
        terms=_terms_of(moments),
        second=second,
        second_noise=noise,
        quantile=quantile,
    )


def _terms_of(moments: Moments) -> tuple[TermOfT, ...]:
    """List the noises that enter the numerator or the denominator."""
    places = [MOMENTS.index("ws"), MOMENTS.index("wy")]
    return tuple(
        TermOfT(term.law, term.scale, *term.loading[places].tolist())
        for term in moments.noise
        if term.loading[places].any()
    )


def variances_at(pivot: Pivot, ratio: Floats) -> tuple[Floats, Floats]:
    """Give the sampling and the noise variance of a ratio, by the delta method."""
    one = np.ones_like(ratio)
    squared = pivot.denominator**2
    sampling = np.maximum(pivot.sampling_variance(one, ratio), 0.0) / squared
    return sampling, pivot.noise_variance(one, ratio) / squared
