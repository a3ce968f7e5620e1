"""How far gaps vary if a score is calibrated, estimated from all bins together.

In a calibrated bin Σw(s − y) of labels 0 and 1 varies by V = Σw²s(1 − s). Noise hides
the sums of squares of one bin long before it hides Σws, so V is taken as ω·Σws·(1 − m):
the edges of a bin give its mean score m. ω depends on the weights. It is one number for
all bins of a curve, or follows the score if the squares clearly show it. A bin's own
sums of squares are mixed in by how well they are known.
docs/methods/calibration_curve.md derives and maps it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.sums.moments import Moments
from dpratio.arrays import Floats

__all__ = ["CalibratedVariance", "Cells", "calibrated_variance", "spread_out"]

# How much of the pull towards 0 of an exponential law is believed.
_PULL = 0.75
# How far ω may differ between bins of a curve, relative.
_APART = 0.25
# How far ω may follow the score along a curve, relative; and by how many standard
# errors it must do so before it is believed.
_TILT, _CLEAR = 0.5, 2.0
# How many standard deviations of its noise Σw of a bin must be for its mean score.
_KNOWN = 3.0
# By how much a curve's labels may be too frequent before that says little of ω.
_OFF = 0.5
_TINY = np.finfo(np.float64).tiny
_NOTHING = 1e200  # The variance of an estimate that says nothing.
_TWELVE = 12.0  # A uniform law has a twelfth of its squared width as variance.

Estimate = tuple[Floats, Floats]


@dataclass(frozen=True, slots=True)
class Cells:
    """The sums of all bins, in which curve each is, and what bounds say of it.

    ``edges`` hold the scores of every bin; ``weights`` are the bounds of the weight,
    or None where there is none.
    """

    moments: Moments
    codes: NDArray[np.int64]
    curves: int
    edges: tuple[Floats, Floats]
    weights: tuple[float, float] | None
    is_kish: bool

    def add(self, values: Floats) -> Floats:
        """Add up over the bins of each curve, and give the total to every bin."""
        total = np.zeros(self.curves)
        np.add.at(total, self.codes, values)
        return total[self.codes]

    def combined(self, parts: dict[str, float]) -> Estimate:
        """Give a combination of sums and the variance of its noise."""
        value = np.sum([by * self.moments[name] for name, by in parts.items()], axis=0)
        loads = np.sum(
            [by * self.moments.loading(name) for name, by in parts.items()], axis=0
        )
        noise = (self.moments.noise.variance * loads**2).sum(axis=1)
        return value, noise + np.zeros(len(value))


@dataclass(frozen=True, slots=True)
class CalibratedVariance:
    """V of every bin, by how much it may be off in all bins alike, and its labels.

    ``shared`` is the variance of what all bins of a curve have in common; ``label`` is
    the square that one label more or less adds, ``peaked`` how much more often than a
    normal variable the labels of a bin go far out.
    """

    value: Floats
    shared: Floats
    label: Floats
    peaked: Floats


def calibrated_variance(cells: Cells) -> CalibratedVariance:
    """Give the variance of Σw(s − y) for binary labels that the score foretells."""
    first = _variance(cells, cells.combined({"ws": 1.0}))
    return _variance(cells, _apart_from_gaps(cells, first.value))


def _variance(cells: Cells, measured: Estimate) -> CalibratedVariance:
    """Give the variance, with Σws as measured."""
    lower, upper = cells.edges
    middle = _mean_scores(cells)
    scores, unsure = spread_out(cells, *measured)
    profile = scores * (1 - middle)
    omega, doubt = _omega(cells, scores, unsure, profile, middle)
    guessed = omega * profile
    reach = 1.0 if cells.weights is None else cells.weights[1]
    own, noise = _own(cells, omega, omega * reach * guessed)
    possible = ((upper - lower) * omega * scores) ** 2 / _TWELVE
    loose = 1.0
    if cells.weights is not None:
        possible = possible + (_APART * guessed) ** 2
        loose = 2.0
    part = possible / (possible + noise + _TINY)
    least, most = (omega * scores * (1 - each) for each in (upper, lower))
    value = np.clip(guessed + part * (own - guessed), least / loose, most * loose)
    return CalibratedVariance(
        value=value,
        shared=doubt * (value / omega) ** 2,
        label=omega**2,
        peaked=omega**2 * value * np.maximum(1 - 6 * middle * (1 - middle), 0.0),
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


def _omega(
    cells: Cells, scores: Floats, unsure: Floats, profile: Floats, middle: Floats
) -> Estimate:
    """Estimate Σw²s(1 − s)/Σws(1 − s) of every bin, and the variance of its level.

    Nothing is known of it but what weights are possible, so half of their range stands
    for two standard deviations around its middle, or down to one above it.
    """
    if cells.weights is None:
        return np.ones_like(scores), np.zeros_like(scores)
    least, most = cells.weights
    centre, width = (least + most) / 2, (most - least) / 4
    found = (
        [_by_weights(cells)]
        if cells.is_kish
        else _by_squares(cells, scores, unsure, profile)
    )
    value, variance = _mixed(found)
    # Weights that are heavier than thought make the test reject too often: more is
    # possible above the middle, as far as squares say anything.
    heavier = np.where(value > centre, (2 * width) ** 2, 0.0)
    possible = (width * (1 + heavier / (heavier + variance + _TINY))) ** 2
    part = possible / (possible + variance)
    omega = np.clip(centre + part * (value - centre), least, most)
    if not cells.is_kish:
        tilted = omega + _tilt(cells, scores, profile, middle, omega)
        omega = np.clip(
            tilted, np.maximum(least, omega / 2), np.minimum(most, 2 * omega)
        )
    return omega, part * variance


def _tilt(
    cells: Cells, scores: Floats, profile: Floats, middle: Floats, omega: Floats
) -> Floats:
    """Say by how much ω of every bin differs from that of its curve.

    Weights that follow the score move it along a straight line. Its slope is what sums
    of squares say beyond ω, where they say it clearly.
    """
    square = cells.add(profile**2) + _TINY
    along = middle - cells.add(profile**2 * middle) / square
    reach = cells.add((profile * along) ** 2) + _TINY
    found = []
    for each in _squares(cells, scores, profile):
        turned = each.times * along
        spread = cells.add(turned**2) + _TINY
        slope = cells.add(turned * (each.value - omega * each.times)) / spread
        # One bin alone has no slope; a square of its spread would be 0.
        found.append((slope, cells.add(turned**2 * each.variance) / spread / spread))
    slope, variance = _mixed(found)
    clear = np.maximum(slope**2 - _CLEAR**2 * variance, 0.0)
    possible = np.minimum(clear, (_TILT * omega) ** 2 * square / reach)
    moved: Floats = possible / (possible + variance + _TINY) * slope * along
    return moved


def _by_weights(cells: Cells) -> Estimate:
    """Estimate ω by Σw²/Σw, for weights that say nothing about values."""
    squares, squares_noise = map(cells.add, cells.combined({"ww": 1.0}))
    weight, weight_noise = map(cells.add, cells.combined({"w": 1.0}))
    known = weight > np.sqrt(weight_noise)
    whole = np.where(known, weight, 1.0)
    value = np.where(known, squares / whole, 0.0)
    noise = (squares_noise + value**2 * weight_noise) / whole**2
    return value, np.where(known, noise, _NOTHING)


def _by_squares(
    cells: Cells, scores: Floats, unsure: Floats, profile: Floats
) -> list[Estimate]:
    """Estimate ω from sums of squares by regression on what ω multiplies."""
    least, most = cells.weights or (1.0, 1.0)
    centre = (least + most) / 2
    found = []
    for each in _squares(cells, scores, profile):
        square = cells.add(each.times**2) + _TINY
        slope = cells.add(each.times * each.value) / square
        blurred = (centre * each.times**2 / np.maximum(scores, _TINY)) ** 2 * unsure
        noise = cells.add(each.times**2 * each.variance + blurred)
        found.append((slope, noise / square**2))
    return found


@dataclass(frozen=True, slots=True)
class _Squares:
    """A sum of squares of every bin, its variance, and what ω multiplies in it."""

    value: Floats
    variance: Floats
    times: Floats


def _squares(cells: Cells, scores: Floats, profile: Floats) -> list[_Squares]:
    """Give sums of squares that weights decide.

    Squares of w(s − y) grow with the frequency of labels, which need not be that of
    the scores; it is taken off. Where a plan has Σw²s, it says the most of weights.
    """
    least, most = cells.weights or (1.0, 1.0)
    gap, gap_noise = map(cells.add, cells.combined({"wy": 1.0, "ws": -1.0}))
    total = cells.add(scores) + _TINY
    part = _OFF**2 / (_OFF**2 + gap_noise / total**2)
    labels = np.clip(1 + part * gap / total, 0.5, 2.0)
    sampled = (most - least) ** 2 / 16 * (least + most) * profile
    gaps = cells.combined({"aa": 1.0, "ab": -2.0, "bb": 1.0})
    found = [_Squares(gaps[0], gaps[1] + sampled, labels * profile)]
    if "wa" in cells.moments.names:
        free = cells.combined({"wa": 1.0, "aa": -1.0})
        found.append(_Squares(*free, profile))
        found.append(_Squares(*cells.combined({"wa": 1.0}), scores))
    return found


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
