"""The Monte Carlo correction: how much the noise moves the ratio, by redrawing it.

Redrawing public noise is post-processing; a generator or seed may be given.
Floor: analyst. Imports: moments.
"""

import numpy as np

from dpratio.analyst.moments import Floats, Moments, NoiseTerm
from dpratio.plan.sums import MOMENTS

__all__ = ["extra_variance"]

_CELLS_AT_ONCE = 2**22


def extra_variance(
    moments: Moments, *, scale: str, draws: int, rng: np.random.Generator
) -> Floats:
    """Estimate the variance that noise adds to the ratio or its logarithm.

    Miao & Li (2022), section 2.4.2: noise of the same law and scale is added to the
    two noisy sums again, and the mean squared move of the ratio is taken. Draws that
    leave the logarithm undefined are left out.

    Args:
        moments: The noisy moments.
        scale: ``"ratio"`` or ``"log"``.
        draws: How many redraws.
        rng: Source of the redraws.

    Returns:
        One variance per group.
    """
    groups = len(moments.values)
    chunk = max(1, _CELLS_AT_ONCE // draws)
    parts = [
        _extra(moments, slice(start, start + chunk), scale, draws, rng)
        for start in range(0, groups, chunk)
    ]
    return np.concatenate(parts)


def _extra(
    moments: Moments, part: slice, scale: str, draws: int, rng: np.random.Generator
) -> Floats:
    numerator, denominator = moments["ws"][part], moments["wy"][part]
    moved_top = np.broadcast_to(numerator, (draws, len(numerator))).copy()
    moved_bottom = np.broadcast_to(denominator, (draws, len(numerator))).copy()
    for term in moments.noise:
        top, bottom = (term.loading[MOMENTS.index(name)] for name in ("ws", "wy"))
        if top or bottom:
            noise = _draw(term, moved_top.shape, rng)
            moved_top += top * noise
            moved_bottom += bottom * noise
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio, moved = numerator / denominator, moved_top / moved_bottom
        squared = (moved - ratio) ** 2
        if scale == "log":
            squared = (np.log(moved) - np.log(ratio)) ** 2
    defined = np.isfinite(squared)
    counted = np.maximum(defined.sum(axis=0), 1)
    mean: Floats = np.where(defined, squared, 0.0).sum(axis=0) / counted
    return mean


def _draw(term: NoiseTerm, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    if term.law == "laplace":
        return rng.laplace(scale=term.scale, size=shape)
    return rng.normal(scale=term.scale, size=shape)
