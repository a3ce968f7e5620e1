"""The model that a parametric bootstrap draws from: units whose sums are normal.

Miao & Li's model: the two columns are jointly normal, and weights say nothing of them.
Noisy sums need not belong to any people, so variances are taken as at least 0 and the
correlation as between −1 and 1.
"""

from dataclasses import dataclass

import numpy as np

from dpratio.analyst.ratio.delta import Spread, sampling_spread
from dpratio.analyst.ratio.monte_carlo import redrawn_sums
from dpratio.analyst.sums.moments import Moments
from dpratio.analyst.sums.variance import choose_variance
from dpratio.arrays import Floats

__all__ = ["Root", "possible", "redraw", "redraw_ratios", "root_of"]

_KISH = ("w", "ww", "ws", "wy", "wss", "wys", "wyy")
_LINEARISED = ("ws", "wy", "aa", "ab", "bb")
_FEWEST = 3.0


@dataclass(frozen=True, slots=True)
class Root:
    """The lower triangle whose square is a covariance matrix."""

    top: Floats
    mixed: Floats
    last: Floats

    def times(self, first: Floats, second: Floats) -> tuple[Floats, Floats]:
        """Give normal variables with that covariance from two independent ones."""
        return self.top * first, self.mixed * first + self.last * second


def possible(spread: Spread) -> Spread:
    """Give a covariance matrix that some people could have."""
    numerator = np.maximum(spread.numerator, 0.0)
    denominator = np.maximum(spread.denominator, 0.0)
    most = np.sqrt(numerator * denominator)
    return Spread(numerator, denominator, np.clip(spread.covariance, -most, most))


def redraw_ratios(moments: Moments, draws: int, rng: np.random.Generator) -> Floats:
    """Draw people and noise anew and divide: draws × rows.

    Only the two sums of the ratio are drawn; the others do not enter it.
    """
    spread = possible(sampling_spread(moments, choose_variance(moments, None)))
    shape = (draws, len(moments.values))
    moved = root_of(spread).times(*rng.standard_normal((2, *shape)))
    noise = redrawn_sums(moments, slice(None), draws, rng)
    sums = (
        moments[name] + own + noise @ moments.loading(name)
        for name, own in zip(("ws", "wy"), moved, strict=True)
    )
    top, bottom = sums
    ratios: Floats = top / bottom
    return ratios


def redraw(moments: Moments, draws: int, rng: np.random.Generator) -> Moments:
    """Draw all sums anew, with their noise; the rows of one draw lie together."""
    is_kish = choose_variance(moments, None) == "kish"
    names = _KISH if is_kish else _LINEARISED
    drawn = (_draw_sizes if is_kish else _draw_units)(moments, draws, rng)
    matrix = np.stack([moments.loading(name) for name in names])
    noise = redrawn_sums(moments, slice(None), draws, rng) @ matrix.T
    values = np.stack([drawn[name] for name in names], axis=2) + noise
    flat = values.reshape(-1, len(names))
    return Moments(names, flat, matrix, moments.noise)


def root_of(spread: Spread) -> Root:
    """Factor a possible covariance matrix."""
    top = np.sqrt(spread.numerator)
    mixed = np.divide(
        spread.covariance, top, out=np.zeros_like(top * 1.0), where=top > 0
    )
    last = np.sqrt(np.maximum(spread.denominator - mixed**2, 0.0))
    return Root(top, mixed, last)


def _draw_sizes(
    moments: Moments, draws: int, rng: np.random.Generator
) -> dict[str, Floats]:
    """Draw means and the matrix of squares (Wishart, by Bartlett's decomposition)."""
    # Without a positive number of people there is no model.
    there = (moments["w"] > 0) & (moments["ww"] > 0)
    weight, squared = (np.where(there, moments[name], np.nan) for name in ("w", "ww"))
    size = np.where(there, np.maximum(weight**2 / squared, _FEWEST), _FEWEST)
    whole = possible(sampling_spread(moments, "kish"))
    root = root_of(Spread(*(each / squared for each in _parts(whole))))
    shape = (draws, len(weight))
    first, second, below = rng.standard_normal((3, *shape))
    means = root.times(first / np.sqrt(size), second / np.sqrt(size))
    left, right = (np.sqrt(rng.chisquare(size - less, shape)) for less in (1, 2))
    score = moments["ws"] / weight + means[0]
    label = moments["wy"] / weight + means[1]
    # The rows of L·A, for the factor L and Bartlett's triangle A.
    above = root.top * left
    under = (root.mixed * left + root.last * below, root.last * right)
    drawn = {
        "w": np.broadcast_to(weight, shape),
        "ww": np.broadcast_to(squared, shape),
        "ws": weight * score,
        "wy": weight * label,
        "wss": weight * (above**2 / size + score**2),
        "wys": weight * (above * under[0] / size + score * label),
        "wyy": weight * ((under[0] ** 2 + under[1] ** 2) / size + label**2),
    }
    if np.array_equal(moments.loading("wyy"), moments.loading("wy")):
        drawn["wyy"] = drawn["wy"]  # Labels of 0 and 1: nothing else was released.
    return drawn


def _draw_units(
    moments: Moments, draws: int, rng: np.random.Generator
) -> dict[str, Floats]:
    """Draw the two sums; how many units there are is not known here."""
    spread = possible(sampling_spread(moments, "linearised"))
    shape = (draws, len(moments.values))
    moved = root_of(spread).times(*rng.standard_normal((2, *shape)))
    squares = zip(("aa", "bb", "ab"), _parts(spread), strict=True)
    return {
        "ws": moments["ws"] + moved[0],
        "wy": moments["wy"] + moved[1],
    } | {name: np.broadcast_to(each, shape) for name, each in squares}


def _parts(spread: Spread) -> tuple[Floats, Floats, Floats]:
    return spread.numerator, spread.denominator, spread.covariance
