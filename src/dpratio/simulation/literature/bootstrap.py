"""Intervals from people and noise that are drawn anew from an estimated model.

Ferrando, Wang & Sheldon (2022): estimate the model from noisy sums, draw people from it
and put them through the same mechanism. The interval is the estimate less the quantiles
of the drawn errors (pivotal), or the quantiles of the drawn estimates (percentile).

Wang, Chang & Awan (2025): match the released sums with those that the model would give
on average (the indirect estimate), and divide the drawn errors by their own standard
errors. Where nothing is clamped, the sums are unbiased and the match is the possible
model whose sums are those released.
"""

import numpy as np

from dpratio.analyst.sums.moments import Moments
from dpratio.arrays import Floats, Integers
from dpratio.simulation.literature.interval import Interval
from dpratio.simulation.literature.model import redraw, redraw_ratios
from dpratio.simulation.literature.plug_in import estimate

__all__ = ["DRAWS", "debiased", "ends_of", "percentile", "pivotal"]

DRAWS = 499
_ROWS_AT_ONCE = 250

Rng = np.random.Generator


def pivotal(moments: Moments, level: float, draws: int, rng: Rng) -> Interval:
    """Give the estimate less the quantiles of drawn errors."""
    low, high, ratio = _drawn(moments, level, draws, rng)
    return Interval(ratio, 2 * ratio - high, 2 * ratio - low)


def percentile(moments: Moments, level: float, draws: int, rng: Rng) -> Interval:
    """Give the quantiles of drawn estimates."""
    low, high, ratio = _drawn(moments, level, draws, rng)
    return Interval(ratio, low, high)


def debiased(moments: Moments, level: float, draws: int, rng: Rng) -> Interval:
    """Give the estimate less the quantiles of drawn errors in standard errors."""
    centre, se = estimate(moments, corrected=True)
    ends = []
    for rows in _chunks(len(centre)):
        part = moments.only(rows)
        again, own = estimate(redraw(part, draws, rng), corrected=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            errors = (again.reshape(draws, -1) - centre[rows]) / own.reshape(draws, -1)
        ends.append(ends_of(errors, level))
    low, high = np.concatenate(ends, axis=1)
    return Interval(centre, centre - high * se, centre - low * se)


def ends_of(drawn: Floats, level: float) -> Floats:
    """Give both quantiles of what was drawn, draws × rows; NaN where one is NaN.

    With B draws they are the (B + 1)·α/2 and (B + 1)·(1 − α/2) smallest, by linear
    interpolation.
    """
    outside = (1 - level) / 2
    quantiles: Floats = np.quantile(
        drawn, [outside, 1 - outside], axis=0, method="weibull"
    )
    return quantiles


def _drawn(
    moments: Moments, level: float, draws: int, rng: Rng
) -> tuple[Floats, Floats, Floats]:
    with np.errstate(invalid="ignore", divide="ignore"):
        ends = [
            ends_of(redraw_ratios(moments.only(rows), draws, rng), level)
            for rows in _chunks(len(moments.values))
        ]
        low, high = np.concatenate(ends, axis=1)
        return low, high, moments["ws"] / moments["wy"]


def _chunks(rows: int) -> list[Integers]:
    every = np.arange(rows)
    return [every[at : at + _ROWS_AT_ONCE] for at in range(0, rows, _ROWS_AT_ONCE)]
