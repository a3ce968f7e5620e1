"""How far gaps vary if a score is calibrated, estimated from all bins together.

In a calibrated bin Σw(s − y) of labels 0 and 1 varies by V = Σw²s(1 − s). Noise hides
the sums of squares of one bin long before it hides Σws, so V is taken as ω·Σws·(1 − m):
the edges of a bin give its mean score m, and `omega` what weights do. A bin's own sums
of squares are mixed in by how well they are known.
docs/methods/calibration_curve.md derives and maps it.
"""

from dataclasses import dataclass

import numpy as np

from dpratio.analyst.curve.cells import Cells, Estimate
from dpratio.analyst.curve.omega import Profile, omega_of
from dpratio.arrays import Floats

# How much of the pull towards 0 of an exponential law is believed.
_PULL = 0.75
# How far ω may differ between bins of a curve, relative.
_APART = 0.25
# How many standard deviations of its noise Σw of a bin must be for its mean score.
_KNOWN = 3.0
# How much is heeded of what the noise in a bin's own squares does to V.
_HEEDED = 0.5
_TINY = np.finfo(np.float64).tiny
_TWELVE = 12.0  # A uniform law has a twelfth of its squared width as variance.


@dataclass(frozen=True, slots=True)
class CalibratedVariance:
    """V of every bin, by how much it may be off, and its labels.

    ``errors`` and ``guessed`` are those of `Omega`, which bins of a curve share;
    ``own`` is the variance of an error of each bin alone. ``label`` is the square that
    one label more or less adds, ``peaked`` how much more often than a normal variable
    the labels of a bin go far out.
    """

    value: Floats
    errors: tuple[Floats, ...]
    own: Floats
    label: Floats
    peaked: Floats
    guessed: Floats


def calibrated_variance(cells: Cells) -> CalibratedVariance:
    """Give the variance of Σw(s − y) for binary labels that the score foretells."""
    first = _variance(cells, cells.combined({"ws": 1.0}))
    return _variance(cells, _apart_from_gaps(cells, first.value))


def _variance(cells: Cells, measured: Estimate) -> CalibratedVariance:
    """Give the variance, with Σws as measured."""
    lower, upper = cells.edges
    middle = _mean_scores(cells)
    profile = Profile(*spread_out(cells, *measured), middle)
    found = omega_of(cells, profile)
    omega, scores = found.value, profile.scores
    guessed = omega * profile.free
    reach = 1.0 if cells.weights is None else cells.weights[1]
    squares, noise = _own(cells, omega, omega * reach * guessed)
    possible = ((upper - lower) * omega * scores) ** 2 / _TWELVE
    loose, heeded = 1.0, 0.0
    if cells.weights is not None:
        possible = possible + (_APART * guessed) ** 2
        loose, heeded = 2.0, _HEEDED
    part = possible / (possible + noise + _TINY)
    least, most = (omega * scores * (1 - each) for each in (upper, lower))
    value = np.clip(guessed + part * (squares - guessed), least / loose, most * loose)
    return CalibratedVariance(
        value=value,
        errors=tuple(value / np.maximum(omega, _TINY) * each for each in found.errors),
        own=heeded * part**2 * noise,
        label=omega**2,
        peaked=omega**2 * value * np.maximum(1 - 6 * middle * (1 - middle), 0.0),
        guessed=found.guessed,
    )


def _apart_from_gaps(cells: Cells, variance: Floats) -> Estimate:
    """Give Σws without what its noise shares with that of the gap.

    Bins whose noise is large would be heard more, just because it is.
    """
    value, noise = cells.combined({"ws": 1.0})
    gap, gap_noise = cells.combined({"ws": 1.0, "wy": -1.0})
    moments = cells.moments
    both = moments.noise_covariance("ws", "ws") - moments.noise_covariance("ws", "wy")
    part = both / (gap_noise + variance + _TINY)
    return value - part * gap, np.maximum(noise - part * both, 0.0)


def spread_out(cells: Cells, values: Floats, noise: Floats) -> Estimate:
    """Estimate what is positive in every bin from noisy values, with its variance.

    Values are pulled towards 0 as if they were exponential around the mean of their
    curve, and what lies below 0 is folded into what lies above: the mean of a normal
    law that is cut off at 0.
    """
    count = cells.add(np.ones_like(values))
    mean, _ = _folded(cells.add(values) / count, cells.add(noise) / count**2)
    return _folded(values - _PULL * noise / np.maximum(mean, _TINY), noise)


def _folded(centre: Floats, variance: Floats) -> Estimate:
    """Give mean and variance of a normal variable of which only x > 0 is left."""
    from scipy.special import log_ndtr

    deviation = np.sqrt(variance) + _TINY
    # Far below 0 the law is exponential, and its parts cancel.
    at = np.maximum(centre / deviation, -1e4)
    tilt = np.exp(-(at**2) / 2 - 0.5 * np.log(2 * np.pi) - log_ndtr(at))
    mean = deviation * np.maximum(at + tilt, 0.0)
    return mean, variance * np.clip(1 - tilt * (tilt + at), 0.0, 1.0)


def _likely_mean(lower: Floats, upper: Floats) -> Floats:
    """Guess the mean score of a bin: as if scores were the rarer the larger."""
    inner = np.maximum(lower, _TINY)
    spread = np.log(np.maximum(upper / inner, 1 + 1e-9))
    return np.where(lower > 0, np.maximum((upper - inner) / spread, lower), lower)


def _mean_scores(cells: Cells) -> Floats:
    """Give the mean score of every bin, weighted by score: Σws²/Σws.

    Where a plan tells Σw, the guess moves as far as the mean Σws/Σw lies from what
    scores that are the rarer the larger would have.
    """
    lower, upper = cells.edges
    guess = _likely_mean(lower, upper)
    if "w" not in cells.moments.names:
        return guess
    scores, noise = cells.combined({"ws": 1.0})
    weight, weight_noise = cells.combined({"w": 1.0})
    known = weight > _KNOWN * np.sqrt(weight_noise)
    whole = np.where(known, weight, 1.0)
    mean = np.clip(scores / whole, lower, upper)
    unsure = (noise + mean**2 * weight_noise) / whole**2
    spread = (upper - lower) ** 2 / _TWELVE
    part = np.where(known, spread / (spread + unsure + _TINY), 0.0)
    usual = lower * upper / np.maximum(guess, _TINY)
    least = np.maximum(part * mean, lower)
    moved: Floats = np.clip(guess + part * (mean - usual), least, upper)
    return moved


def _own(cells: Cells, omega: Floats, sampled: Floats) -> Estimate:
    """Estimate V of every bin by its own sums of squares: of gaps, and of scores.

    Labels move the first from sample to sample, by ``sampled``.
    """
    names = ("aa", "ab", "bb")
    first, times = ("ws" if cells.weights is None else "wa"), np.ones_like(omega)
    if cells.is_kish:
        names, first, times = ("wss", "wys", "wyy"), "ws", omega
    squares, mixed, labels = names
    gaps = cells.combined({squares: 1.0, mixed: -2.0, labels: 1.0})
    found = [(times * gaps[0], times**2 * gaps[1] + sampled)]
    if first in cells.moments.names:
        free = cells.combined({first: 1.0, squares: -1.0})
        found.append((times * free[0], times**2 * free[1]))
    return _mixed(found)


def _mixed(found: list[Estimate]) -> Estimate:
    """Weigh estimates by their precision; their errors may agree."""
    precision = [1 / (noise + _TINY) for _, noise in found]
    # Precise beyond all others, or all alike: never a ratio of infinities.
    most = np.maximum.reduce(precision) + _TINY
    share = [each / most for each in precision]
    whole = np.sum(share, axis=0) + _TINY
    value = np.sum(
        [by * one for by, (one, _) in zip(share, found, strict=True)], axis=0
    )
    deviation = np.sum(
        [by * np.sqrt(noise) for by, (_, noise) in zip(share, found, strict=True)],
        axis=0,
    )
    return value / whole, (deviation / whole) ** 2
