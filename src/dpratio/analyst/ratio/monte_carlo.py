"""The Monte Carlo correction: how much the noise moves the ratio, by redrawing it.

Redrawing public noise is post-processing; a generator or seed may be given.
"""

from collections.abc import Sequence

import numpy as np

from dpratio.analyst.sums.moments import Moments
from dpratio.analyst.sums.noise import take
from dpratio.arrays import Floats

_CELLS_AT_ONCE = 2**15


def extra_variances(
    moments: Moments, links: Sequence[str], *, draws: int, rng: np.random.Generator
) -> dict[str, Floats]:
    """Estimate the variance that noise adds to the ratio, its logarithm, or both.

    Miao & Li (2022), section 2.4.2: noise of the same law and scale is added to the
    two noisy sums again, and the mean squared move of the ratio is taken.

    Args:
        moments: The noisy moments.
        links: ``"ratio"``, ``"log"``, or both from the same redraws.
        draws: How many redraws.
        rng: Source of the redraws.

    Returns:
        By link, one variance per group; NaN where a redraw leaves the logarithm
        undefined, so that the noise alone could turn the sign of the ratio.
    """
    groups = len(moments.values)
    chunk = max(1, _CELLS_AT_ONCE // draws)
    parts = [
        _extra(moments, slice(start, start + chunk), links, draws, rng)
        for start in range(0, max(groups, 1), chunk)
    ]
    return {link: np.concatenate([part[link] for part in parts]) for link in links}


def redrawn_sums(
    moments: Moments, part: slice, draws: int, rng: np.random.Generator
) -> Floats:
    """Draw the noise of every released sum again: draws × cells × sums."""
    cells = len(moments.values[part])
    noise = [
        _draw(
            take(moments.noise.laplace[:, at], part),
            take(moments.noise.normal[:, at], part),
            (draws, cells),
            rng,
        )
        for at in range(moments.matrix.shape[1])
    ]
    return np.stack(noise, axis=2)


def _extra(
    moments: Moments,
    part: slice,
    links: Sequence[str],
    draws: int,
    rng: np.random.Generator,
) -> dict[str, Floats]:
    numerator, denominator = moments["ws"][part], moments["wy"][part]
    top, bottom = _redraw(moments, part, (draws, len(numerator)), rng)
    top += numerator
    bottom += denominator
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        moved, ratio = np.divide(top, bottom, out=top), numerator / denominator
        moves = {}
        if "log" in links:
            moves["log"] = np.log(moved, out=bottom) - np.log(ratio)
        if "ratio" in links:
            moves["ratio"] = np.subtract(moved, ratio, out=moved)
        return {
            link: np.einsum("dg,dg->g", move, move) / draws
            for link, move in moves.items()
        }


def _redraw(
    moments: Moments, part: slice, shape: tuple[int, int], rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw the noise of numerator and denominator again."""
    top, bottom = np.zeros(shape), np.zeros(shape)
    for at, loadings in enumerate(
        zip(moments.loading("ws"), moments.loading("wy"), strict=True)
    ):
        if any(loadings):
            laplace = take(moments.noise.laplace[:, at], part)
            normal = take(moments.noise.normal[:, at], part)
            noise = _draw(laplace, normal, shape, rng)
            if loadings[0]:
                top += loadings[0] * noise
            if loadings[1]:
                bottom += loadings[1] * noise
    return top, bottom


def _draw(
    laplace: Floats, normal: Floats, shape: tuple[int, int], rng: np.random.Generator
) -> Floats:
    """Draw Laplace noise, normal noise, or their sum."""
    noise = np.zeros(shape)
    if laplace.any():
        # The difference of two exponentials, which numpy draws faster.
        noise = rng.standard_exponential(shape)
        noise -= rng.standard_exponential(shape)
        noise *= laplace
    if (normal > 1e-9 * laplace**2).any():
        noise += np.sqrt(normal) * rng.standard_normal(shape)
    return noise
