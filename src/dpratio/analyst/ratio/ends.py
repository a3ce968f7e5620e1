"""Both ends of bounded sets, outwards from the estimate.

At a distance d from the estimate T² is Y²d², and it is held against the variance A
times a factor that changes little: by what the tail and the allowance add. Three values
of the factor tell an end, except where they do not lie on a parabola; only there the
test is looked at again (docs/methods/pivot.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpratio.analyst.ratio.at_estimate import AtEstimate
from dpratio.analyst.ratio.crossing import find_crossing
from dpratio.analyst.ratio.tail import Distance
from dpratio.arrays import Floats, Integers

# An end is told if it lies this near the value that was looked at, relative to the
# step, and if a line through two factors tells it to so many deviations.
_FAR, _BENT = 1e-2, 3e-5
_LOPSIDED = 2.0
_SIDES = (-1.0, 1.0)


@dataclass(frozen=True, slots=True)
class _Look:
    """A guess of each end: its step from the estimate, and what T is held against."""

    step: Floats
    held: Distance
    reach: Floats
    factor: Floats

    @classmethod
    def of(cls, near: AtEstimate, step: Floats, quantile: float) -> "_Look":
        """Look at the test so far from the estimate."""
        held = near.statistic.distance((np.ones(1), near.ratio + step))
        reach = held.reach(quantile)
        return cls(step, held, reach, reach * reach / held.variance)

    def beyond(self, rows: Integers, quantile: float) -> Floats:
        """Give how far beyond the quantile the test is, in some rows."""
        return quantile * (self.held.size[rows] / self.reach[rows] - 1)


@dataclass(frozen=True, slots=True)
class _Fieller:
    """Fieller's ends (1954): Y²d² is a factor times A, which is a₀ + 2a₁d + a₂d²."""

    squared: Floats
    whole: Floats
    lean: Floats
    lean_squared: Floats
    bent: Floats

    @classmethod
    def of(cls, near: AtEstimate) -> "_Fieller":
        """Expand A around each estimate."""
        whole, lean, bent = near.expanded()
        return cls(near.statistic.denominator**2, whole, lean, lean * lean, bent)

    def step(self, factor: Floats, side: float) -> Floats:
        """Give d on one side: no number, or of the wrong sign, if there is none."""
        flat = self.squared / factor - self.bent
        root = np.sqrt(self.lean_squared + flat * self.whole)
        end: Floats = (self.lean + side * root) / flat
        return end


def ends_of(near: AtEstimate, quantile: float) -> tuple[Floats, Floats]:
    """Find the lower and the upper end of sets that have both.

    Args:
        near: The statistic, and what is known at its estimate.
        quantile: The normal quantile beyond which a ratio is rejected.
    """
    fieller = _Fieller.of(near)
    middle = near.held.reach(quantile) ** 2 / near.held.variance
    looks = [_Look.of(near, fieller.step(middle, side), quantile) for side in _SIDES]
    slopes = [(each.factor - middle) / each.step for each in looks]
    bend = (slopes[1] - slopes[0]) / (looks[1].step - looks[0].step)
    # A variance that is cut off at 0 has a kink there; that of a test of one side has
    # one at the estimate.
    smooth = (near.held.sampling > 0) & (not near.statistic.is_one_sided)
    for each in looks:
        smooth &= each.held.sampling > 0
    # Over a lopsided stretch three factors say little of one side.
    short, long = -looks[0].step, looks[1].step
    smooth &= (short < _LOPSIDED * long) & (long < _LOPSIDED * short)
    steps, rest = [], []
    for side, look, slope in zip(_SIDES, looks, slopes, strict=True):
        further = fieller.step(look.factor, side)
        moved = further - look.step
        straight = look.factor + slope * moved
        bent = bend * further * moved
        step = fieller.step(straight + bent, side)
        told = smooth & (np.abs(moved) <= _FAR * np.abs(look.step))
        # A factor that is off by a share takes an end off by half of it.
        told &= (quantile / 2) * np.abs(bent) <= _BENT * straight
        steps.append(step)
        rest.append(np.flatnonzero(~told))
    below, above = (near.ratio + step for step in steps)
    below[rest[0]], above[rest[1]] = _searched(near, looks, steps, rest, quantile)
    return below, above


def _searched(
    near: AtEstimate,
    looks: Sequence[_Look],
    steps: Sequence[Floats],
    rest: Sequence[Integers],
    quantile: float,
) -> tuple[Floats, Floats]:
    """Look for the other ends on both sides at once, from Fieller's or Wald's guess."""
    rows = np.concatenate(rest)
    statistic, centre = near.statistic.only(rows), near.ratio[rows]
    side = np.repeat(_SIDES, [len(each) for each in rest])
    size = side * _both(steps, rest)
    wald = np.sqrt(near.held.variance[rows]) / np.abs(statistic.denominator)
    size = np.where((size > 0) & np.isfinite(size), size, quantile * wald)
    size = np.maximum(size, 1e-12 * np.maximum(np.abs(centre), 1e-300))

    def beyond(ratio: Floats, chosen: Integers | slice) -> Floats:
        some = statistic if isinstance(chosen, slice) else statistic.only(chosen)
        told = some.distance((np.ones(1), ratio)).against(quantile)
        excess: Floats = told - quantile
        return excess

    kept = np.full_like(centre, -quantile)
    behind = centre + _both([each.step for each in looks], rest)
    pairs = zip(looks, rest, strict=True)
    behind_value = np.concatenate([each.beyond(some, quantile) for each, some in pairs])
    seen = (behind, behind_value)
    found = find_crossing(beyond, centre, kept, side * size, seen)
    return found[: len(rest[0])], found[len(rest[0]) :]


def _both(columns: Sequence[Floats], rest: Sequence[Integers]) -> Floats:
    pairs = zip(columns, rest, strict=True)
    return np.concatenate([column[rows] for column, rows in pairs])
