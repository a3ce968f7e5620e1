"""What weights do to the variance of gaps: ω = Σw²s(1 − s)/Σws(1 − s) of every bin.

Without weights ω is 1. With weights it is a straight line along the score, one for all
bins of a curve, fitted to sums of squares. Before they are seen it is level, at the
middle of the bounds of the weight, give or take most of their range. Noise in the
squares is noise in ω; the test of calibration allows for it.
docs/methods/calibration_curve.md derives it.
"""

from dataclasses import dataclass

import numpy as np

from dpratio.analyst.curve.cells import Cells, Estimate
from dpratio.arrays import Floats

# How far ω lies from the middle of the bounds of the weight, in parts of their range;
# and how far it follows the score, in parts of the middle.
_REACH, _TILT = 0.7, 0.3
# By how much a curve's labels may be too frequent before that says little of ω.
_OFF = 0.5
# How much is heeded of the noise in ω, and of that one reach above the middle; less
# where noise is most of ω, as in the allowance of an interval. Fitted:
# docs/methods/calibration_curve.md has the sizes.
_HEEDED, _HEEDED_ABOVE, _TEMPER = 0.75, 2.0, 2.2
_TOLD = 0.3  # In standard deviations of its noise: ω is not taken for less.
_SURE = 1e-12  # Squares are never believed more than a million times the bounds.
_TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True, slots=True)
class Profile:
    """Σws of every bin with its variance, the mean score, and Σws(1 − s)."""

    scores: Floats
    unsure: Floats
    middle: Floats

    @property
    def free(self) -> Floats:
        """Σws(1 − s), which ω multiplies."""
        free: Floats = self.scores * (1 - self.middle)
        return free


@dataclass(frozen=True, slots=True)
class Omega:
    """ω of every bin, and its errors.

    Each of ``errors`` is by how much ω of every bin is off if a standard normal
    variable, one for each curve, is 1. The variables are independent. ``guessed`` is
    the part of the variance of its level that squares leave: 1 if they say nothing.
    """

    value: Floats
    errors: tuple[Floats, ...]
    guessed: Floats


@dataclass(frozen=True, slots=True)
class _Squares:
    """A sum of squares of every bin, its variance, and what ω multiplies in it."""

    value: Floats
    variance: Floats
    times: Floats


@dataclass(frozen=True, slots=True)
class _Equations:
    """Two normal equations for each curve: (1 + G)(u, v) = r.

    ``level``, ``both`` and ``slope`` are G, ``up`` and ``along`` are r.
    """

    level: Floats
    both: Floats
    slope: Floats
    up: Floats
    along: Floats

    def solved(self) -> tuple[Floats, Floats]:
        """Give u and v."""
        first, mixed, second = self.inverse()
        u = first * self.up + mixed * self.along
        return u, mixed * self.up + second * self.along

    def inverse(self) -> tuple[Floats, Floats, Floats]:
        """Give (1 + G)⁻¹."""
        whole = (1 + self.level) * (1 + self.slope) - self.both**2
        return (1 + self.slope) / whole, -self.both / whole, (1 + self.level) / whole

    def noise(self) -> tuple[Floats, Floats, Floats]:
        """Give the covariance of u and v that noise makes: H − H², H = (1 + G)⁻¹."""
        first, mixed, second = self.inverse()
        return (
            np.maximum(first - first**2 - mixed**2, 0.0),
            mixed * (1 - first - second),
            np.maximum(second - second**2 - mixed**2, 0.0),
        )


def omega_of(cells: Cells, profile: Profile) -> Omega:
    """Estimate ω of every bin: middle + u·reach + v·turned.

    u and v are standard normal before squares are seen.
    """
    if cells.weights is None:
        one = np.ones_like(profile.scores)
        return Omega(one, (), 0 * one)
    least, most = cells.weights
    middle, reach = (least + most) / 2, _REACH * (most - least)
    turned = _turned(cells, profile, _TILT * middle)
    equations = _equations(cells, _squares(cells, profile), middle, reach, turned)
    u, v = equations.solved()
    first, mixed, second = equations.noise()
    told = np.maximum(middle + u * reach, _TOLD * reach * np.sqrt(first))
    centre = np.clip(told, least, most)
    relative = first * (reach / np.maximum(centre, _TINY)) ** 2
    heeded = _HEEDED + (_HEEDED_ABOVE - _HEEDED) * np.clip(u, 0.0, 1.0)
    heeded = np.sqrt(heeded / np.sqrt(1 + _TEMPER**2 * relative))
    # Two independent variables with this covariance.
    own = np.sqrt(first)
    shared = mixed / np.maximum(own, _TINY)
    rest = np.sqrt(np.maximum(second - shared**2, 0.0))
    return Omega(
        value=np.clip(
            centre + v * turned,
            np.maximum(least, centre / 2),
            np.minimum(most, 2 * centre),
        ),
        errors=(heeded * (reach * own + turned * shared), heeded * turned * rest),
        guessed=equations.inverse()[0],
    )


def _equations(
    cells: Cells,
    found: list[_Squares],
    middle: float,
    reach: float,
    turned: Floats,
) -> _Equations:
    """Add up the normal equations over bins and kinds of squares."""
    parts = []
    for each in found:
        first, second = reach * each.times, turned * each.times
        length = cells.add(each.times**2) + _TINY
        noise = cells.add(each.times**2 * each.variance) / length
        noise = np.maximum(noise, _SURE * (reach**2 + middle**2) * length) + _TINY
        left = each.value - middle * each.times
        products = (
            first**2,
            first * second,
            second**2,
            first * left,
            second * left,
        )
        parts.append([cells.add(product) / noise for product in products])
    return _Equations(*np.sum(parts, axis=0))


def _turned(cells: Cells, profile: Profile, tilt: float) -> Floats:
    """Give a line along the score with the mean 0 and this deviation."""
    if cells.is_kish:  # Σw²/Σw is one number for each curve.
        return np.zeros_like(profile.scores)
    weight = profile.free**2
    total = cells.add(weight) + _TINY
    along = profile.middle - cells.add(weight * profile.middle) / total
    deviation = np.sqrt(cells.add(weight * along**2) / total)
    # One bin alone has no slope.
    known = deviation > np.sqrt(_TINY)
    return np.where(known, tilt * along / np.where(known, deviation, 1.0), 0.0)


def _squares(cells: Cells, profile: Profile) -> list[_Squares]:
    """Give sums of squares that weights decide, with what noise of Σws does to them.

    Squares of w(s − y) grow with the frequency of labels, which need not be that of
    the scores; it is taken off. Where a plan has Σw²s, it says the most of weights.
    """
    least, most = cells.weights or (1.0, 1.0)
    if cells.is_kish:
        return [_by_weights(cells, (least + most) / 2)]
    gap, gap_noise = map(cells.add, cells.combined({"wy": 1.0, "ws": -1.0}))
    total = cells.add(profile.scores) + _TINY
    part = _OFF**2 / (_OFF**2 + gap_noise / total**2)
    labels = np.clip(1 + part * gap / total, 0.5, 2.0)
    sampled = (most - least) ** 2 / 16 * (least + most) * profile.free
    value, noise = cells.combined({"aa": 1.0, "ab": -2.0, "bb": 1.0})
    found = [_blurred(cells, profile, (value, noise + sampled), labels * profile.free)]
    if "wa" in cells.moments.names:
        scores = cells.combined({"wa": 1.0})
        found.append(_blurred(cells, profile, scores, profile.scores))
    return found


def _by_weights(cells: Cells, middle: float) -> _Squares:
    """Give Σw² and Σw of a curve, for weights that say nothing about values.

    Every bin has an equal part of them: the noise of one bin would take ω down.
    """
    count = cells.add(np.ones(len(cells.codes)))
    squares, squares_noise = map(cells.add, cells.combined({"ww": 1.0}))
    weight, weight_noise = map(cells.add, cells.combined({"w": 1.0}))
    known = weight > np.sqrt(weight_noise)
    return _Squares(
        np.where(known, squares, 0.0) / count,
        (squares_noise + middle**2 * weight_noise) / count,
        np.where(known, weight, 0.0) / count,
    )


def _blurred(
    cells: Cells, profile: Profile, found: Estimate, times: Floats
) -> _Squares:
    """Add to the variance of squares what the noise of Σws does to ``times``."""
    least, most = cells.weights or (1.0, 1.0)
    by = (least + most) / 2 * times / np.maximum(profile.scores, _TINY)
    return _Squares(found[0], found[1] + by**2 * profile.unsure, times)
