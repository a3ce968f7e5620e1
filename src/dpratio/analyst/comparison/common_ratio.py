"""One ratio for all cells: which fits best, and how badly it fits.

Q is the least, over ratios, of Σ T²/Ã: Cochran's Q with the test of each cell in place
of an estimate and its weight. Ã leans on all cells together where noise hides a cell's
own variance, so that weights do not follow that noise. Q is then not quite a
chi-square: its mean and variance are worked out, Laplace noise included.
docs/methods/comparisons.md derives it.
"""

from dataclasses import dataclass, replace

import numpy as np

from dpratio.analyst.ratio.statistic import Point, Scored, Statistic
from dpratio.arrays import Floats
from dpratio.plan.strategy.allowance import wobble

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


def common_ratio(statistic: Statistic, count: int) -> CommonRatio:
    """Fit one ratio to every family of so many cells, which follow each other.

    Returns:
        Per family the best ratio, the p-value, and Q over its mean.
    """
    from scipy.special import chdtrc, fdtrc

    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        unit = _unit(statistic, count)
        smooth = _smoothed(statistic, count)
        angle = _fit(smooth, unit, count)
        at, along = _points(unit, angle, count)
        fitted, plain = smooth.score(at, along), statistic.score(at, along)
        squares = _sum(fitted.squared, count)
        sampled, floor, variance, noise = _moments(statistic, at, fitted, plain, count)
        mean = sampled + floor
        freedom = np.minimum(2 * mean**2 / variance, count - 1.0)
        excess = squares / mean
        steady = noise <= 1e-9 * mean**2
        # Satterthwaite (1946): a mean known up to noise is a chi-square below the line.
        below = 2 / wobble(sampled, floor, np.where(steady, 1.0, noise))
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
    statistic: Statistic, at: Point, fitted: Scored, plain: Scored, count: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """Give both parts of the mean of Q, its variance, and the mean's noise variance.

    Q = TᵀMT with M = W − WỸỸᵀW/ỸᵀWỸ and W = 1/Ã, for T of variance A.
    """
    weight = 1 / fitted.variance
    told = weight * fitted.slope**2
    whole = np.repeat(_sum(told, count), count)
    # Where no cell tells anything, fitting takes nothing off.
    lever = np.where(whole > 0, told / np.where(whole > 0, whole, 1.0), 0.0)
    blur = statistic.sampling.doubt_at(at) * weight**2
    noise = weight * plain.noise
    sampled = weight * plain.sampling
    own = sampled + noise
    floor = _sum(noise * (1 - lever), count)
    known = np.maximum(_sum(sampled * (1 - lever), count), 0.0)
    mean = known + floor
    variance = 2 * (
        _sum((own**2 - blur) * (1 - 2 * lever), count) + _sum(own * lever, count) ** 2
    )
    # The fourth cumulant of a Laplace variable of scale b is 12 b⁴.
    for scale in statistic.laplace(at):
        fourth = (scale**2 * weight * (1 - lever)) ** 2
        variance = variance + _sum(12 * fourth, count)
    variance = np.maximum(variance, 2 * mean**2 / (count - 1))
    return known, floor, variance, _sum(blur * (1 - lever) ** 2, count)


def _smoothed(statistic: Statistic, count: int) -> Statistic:
    """Let noisy second moments lean on those of all cells, by size of denominator."""
    top, bottom = _sum(statistic.numerator, count), _sum(statistic.denominator, count)
    ratio = np.repeat(np.where(bottom != 0, top / bottom, 0.0), count)
    at = (np.ones_like(ratio), np.maximum(ratio, statistic.lowest))
    still, own = np.zeros_like(ratio), statistic.sampling
    size = np.hypot(statistic.denominator, np.sqrt(statistic.noise_of_sums()[1]))
    share = size / np.repeat(_sum(size, count), count)
    pooled = np.stack(
        [share * np.repeat(_sum(each, count), count) for each in own.values]
    )
    shared = replace(statistic, sampling=replace(own, values=pooled))
    variance = shared.score(at, (still, still)).variance
    blur = own.doubt_at(at) / variance**2
    lean = blur / (blur + _TRUSTED**2)
    leaning = (1 - lean) * own.values + lean * pooled
    return replace(statistic, sampling=replace(own, values=leaning))


def _fit(statistic: Statistic, unit: Floats, count: int) -> Floats:
    """Find the best angle on a grid, then between its neighbours by Gauss–Newton."""
    smallest = 0.0 if np.isfinite(statistic.lowest) else -_QUARTER
    angles = np.linspace(smallest, _QUARTER, _GRID)
    squares = np.stack([_squares(statistic, unit, each, count) for each in angles])
    place = np.argmin(squares, axis=0)
    low = angles[np.maximum(place - 1, 0)]
    high = angles[np.minimum(place + 1, _GRID - 1)]
    at = angles[place]
    for _ in range(_STEPS):
        scored = statistic.score(*_points(unit, at, count))
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


def _squares(statistic: Statistic, unit: Floats, angle: float, count: int) -> Floats:
    at, along = _points(unit, np.full_like(unit, angle), count)
    return _sum(statistic.score(at, along).squared, count)


def _points(unit: Floats, angle: Floats, count: int) -> tuple[Point, Point]:
    """Give a family's ratio to each of its cells, and its motion."""
    cosine, sine = np.repeat(np.cos(angle), count), np.repeat(np.sin(angle), count)
    wide = np.repeat(unit, count)
    return (cosine, wide * sine), (-sine, wide * cosine)


def _unit(statistic: Statistic, count: int) -> Floats:
    """Give a size of ratios at which angles tell them apart."""
    on_top, below = statistic.noise_of_sums()
    top = np.hypot(statistic.numerator, np.sqrt(on_top))
    bottom = np.hypot(statistic.denominator, np.sqrt(below))
    unit: Floats = _sum(top, count) / _sum(bottom, count)
    return unit


def _sum(values: Floats, count: int) -> Floats:
    added: Floats = values.reshape(-1, count).sum(axis=1)
    return added
