"""One ratio for all cells: which fits best, and how badly it fits.

Q is the least, over ratios, of Σ T²/Ã: Cochran's Q with the test of each cell in place
of an estimate and its weight. Ã leans on all cells together where noise hides a cell's
own variance, so that weights do not follow that noise. Q is then not quite a
chi-square: its mean and variance are worked out, Laplace noise included.
docs/methods/comparisons.md derives it.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.ratio.cells import Cells, Point, Scored
from dpratio.analyst.ratio.pivot import TEMPER
from dpratio.analyst.sums.moments import Floats

__all__ = ["CommonRatio", "common_ratio"]

# A cell's own variance counts less where noise moves it by more than this share.
_TRUSTED = 0.1
_GRID = 64
_STEPS = 40
_PRECISION = 1e-12
_QUARTER = np.pi / 2


@dataclass(frozen=True, slots=True)
class CommonRatio:
    """The ratio that fits best and the chance of a worse fit, for every family."""

    ratio: Floats
    pvalue: Floats
    excess: Floats


def common_ratio(cells: Cells, count: int) -> CommonRatio:
    """Fit one ratio to every family of so many cells, which follow each other.

    Returns:
        Per family the best ratio, the p-value, and Q over its mean.
    """
    from scipy.special import chdtrc, fdtrc

    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        unit = _unit(cells, count)
        smooth = _smoothed(cells, count)
        angle = _fit(smooth, unit, count)
        at, along = _points(unit, angle, count)
        fitted, plain = smooth.score(at, along), cells.score(at, along)
        squares = _sum(fitted.squared, count)
        mean, variance, noise = _moments(cells, at, fitted, plain, count)
        freedom = np.minimum(2 * mean**2 / variance, count - 1.0)
        excess = squares / mean
        steady = noise <= 1e-9 * mean**2
        # Satterthwaite (1946): a mean known up to noise is a chi-square below the line.
        blur = np.where(steady, 1.0, np.sqrt(noise) / mean)
        below = 2 * (1 + TEMPER * blur) / blur**2
        pvalue = np.where(
            steady,
            chdtrc(freedom, excess * freedom),
            fdtrc(freedom, below, excess),
        )
        # Sums that are all zero, without noise, speak against no ratio.
        pvalue = np.where(np.isnan(pvalue), 1.0, pvalue)
    ratio = unit * np.tan(angle)
    return CommonRatio(np.where(angle >= _QUARTER, np.inf, ratio), pvalue, excess)


def _moments(
    cells: Cells, at: Point, fitted: Scored, plain: Scored, count: int
) -> tuple[Floats, Floats, Floats]:
    """Give mean and variance of Q, and the noise variance of that mean.

    Q = TᵀMT with M = W − WỸỸᵀW/ỸᵀWỸ and W = 1/Ã, for T of variance A.
    """
    weight = 1 / fitted.variance
    told = weight * fitted.slope**2
    whole = np.repeat(_sum(told, count), count)
    # Where no cell tells anything, fitting takes nothing off.
    lever = np.where(whole > 0, told / np.where(whole > 0, whole, 1.0), 0.0)
    blur = cells.wobble(at, fitted.variance) ** 2
    noise = weight * plain.noise
    sampled = weight * plain.sampling
    own = sampled + noise
    floor = _sum(noise * (1 - lever), count)
    mean = np.maximum(_sum(sampled * (1 - lever), count), 0.0) + floor
    variance = 2 * (
        _sum((own**2 - blur) * (1 - 2 * lever), count) + _sum(own * lever, count) ** 2
    )
    one, two = cells.laplace(at, fitted.variance)
    # The fourth cumulant of a Laplace variable of scale b is 12 b⁴.
    variance = variance + _sum(12 * (one**4 + two**4) * (1 - lever) ** 2, count)
    variance = np.maximum(variance, 2 * mean**2 / (count - 1))
    return mean, variance, _sum(blur * (1 - lever) ** 2, count)


def _smoothed(cells: Cells, count: int) -> Cells:
    """Let noisy second moments lean on those of all cells, by size of denominator."""
    top, bottom = _sum(cells.numerator, count), _sum(cells.denominator, count)
    ratio = np.repeat(np.where(bottom != 0, top / bottom, 0.0), count)
    at = (np.ones_like(ratio), np.maximum(ratio, cells.lowest))
    still = np.zeros_like(ratio)
    size = np.hypot(cells.denominator, np.sqrt(cells.noise[2]))
    share = size / np.repeat(_sum(size, count), count)
    pooled = np.stack(
        [share * np.repeat(_sum(each, count), count) for each in cells.sampling]
    )
    shared = replace(cells, sampling=pooled)
    blur = cells.wobble(at, shared.score(at, (still, still)).variance) ** 2
    lean = blur / (blur + _TRUSTED**2)
    return replace(cells, sampling=(1 - lean) * cells.sampling + lean * pooled)


def _fit(cells: Cells, unit: Floats, count: int) -> Floats:
    """Find the best angle on a grid, then between its neighbours by Gauss–Newton."""
    smallest = 0.0 if np.isfinite(cells.lowest) else -_QUARTER
    angles = np.linspace(smallest, _QUARTER, _GRID)
    squares = np.stack([_squares(cells, unit, each, count) for each in angles])
    place = np.argmin(squares, axis=0)
    low = angles[np.maximum(place - 1, 0)]
    high = angles[np.minimum(place + 1, _GRID - 1)]
    at = angles[place]
    for _ in range(_STEPS):
        scored = cells.score(*_points(unit, at, count))
        pull = _sum(scored.value * scored.slope / scored.variance, count)
        low, high = np.where(pull > 0, at, low), np.where(pull > 0, high, at)
        moved = at + pull / np.maximum(_sum(scored.information, count), 1e-300)
        inside = (moved >= low) & (moved <= high)
        moved = np.where(inside, moved, (low + high) / 2)
        done = np.all(np.abs(moved - at) <= _PRECISION)
        at = moved
        if done:
            break
    best: Floats = at
    return best


def _squares(cells: Cells, unit: Floats, angle: float, count: int) -> Floats:
    at, along = _points(unit, np.full_like(unit, angle), count)
    return _sum(cells.score(at, along).squared, count)


def _points(unit: Floats, angle: Floats, count: int) -> tuple[Point, Point]:
    """Give a family's ratio to each of its cells, and its motion."""
    cosine, sine = np.repeat(np.cos(angle), count), np.repeat(np.sin(angle), count)
    wide = np.repeat(unit, count)
    return (cosine, wide * sine), (-sine, wide * cosine)


def _unit(cells: Cells, count: int) -> Floats:
    """Give a size of ratios at which angles tell them apart."""
    top = np.hypot(cells.numerator, np.sqrt(cells.noise[0]))
    bottom = np.hypot(cells.denominator, np.sqrt(cells.noise[2]))
    unit: Floats = _sum(top, count) / _sum(bottom, count)
    return unit


def _sum(values: NDArray[np.float64], count: int) -> Floats:
    added: Floats = values.reshape(-1, count).sum(axis=1)
    return added
