"""All ratios that a test does not reject: an interval, a half-line, or more.

A set is bounded exactly if infinity is rejected; it has two ends then. The few other
sets are walked around the projective line on a grid, and their end is bisected.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.ratio.at_estimate import AtEstimate
from dpratio.analyst.ratio.crossing import find_crossing
from dpratio.analyst.ratio.noisy_reach import reach_between
from dpratio.analyst.ratio.statistic import Point, Statistic
from dpratio.analyst.ratio.tail import Distance
from dpratio.arrays import Flags, Floats, Integers

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


SHAPES = ("interval", "half_line", "disconnected", "everything")
ROWS_AT_ONCE = 2**15  # A column of them fits a processor's cache.
_INTERVAL, _HALF_LINE, _DISCONNECTED, _EVERYTHING = range(4)
_GRID = 256
_CELLS_AT_ONCE = 2**13
_BISECTIONS = 50
_MARGIN = 1e-6


@dataclass(frozen=True, slots=True)
class ConfidenceSet:
    """The smallest interval around each set, and its shape by place in `SHAPES`."""

    lower: Floats
    upper: Floats
    kind: NDArray[np.int8]

    @property
    def shape(self) -> NDArray[np.str_]:
        """The shape of each set in a word."""
        return np.array(SHAPES)[self.kind]

    @property
    def is_interval(self) -> Flags:
        """Whether a set has both ends."""
        told: Flags = self.kind == _INTERVAL
        return told

    @property
    def has_lower(self) -> Flags:
        """Whether a set has a lower end."""
        told: Flags = self.kind <= _HALF_LINE
        return told

    def only(self, chosen: Integers | Flags | slice) -> "ConfidenceSet":
        """Keep some rows, perhaps repeatedly."""
        return ConfidenceSet(self.lower[chosen], self.upper[chosen], self.kind[chosen])


def confidence_set(statistic: Statistic, quantile: float) -> ConfidenceSet:
    """Find all ratios that are not rejected.

    Args:
        statistic: The test of each ratio.
        quantile: The normal quantile beyond which a ratio is rejected.

    Returns:
        For each row the hull of its set. Shapes are ``interval``, ``half_line`` (no
        upper end), ``disconnected`` (all but a stretch between) and ``everything``.
    """
    starts = range(0, max(len(statistic.numerator), 1), ROWS_AT_ONCE)
    parts = (statistic.only(slice(at, at + ROWS_AT_ONCE)) for at in starts)
    return _joined([set_around(AtEstimate.of(part), quantile) for part in parts])


def set_around(near: AtEstimate, quantile: float) -> ConfidenceSet:
    """Find the sets of few enough rows, whose estimates were looked at."""
    statistic, lowest = near.statistic, near.statistic.lowest
    rows = len(statistic.numerator)
    lower, upper = np.full(rows, lowest), np.full(rows, np.inf)
    kind = np.full(rows, _INTERVAL, dtype=np.int8)
    bounded = near.alone.exceeds(quantile)
    weak = ~bounded
    if bounded.any():
        strong = near.only(bounded) if weak.any() else near
        ends = ends_of(strong, quantile)
        lower[bounded], upper[bounded] = (np.maximum(each, lowest) for each in ends)
    if weak.any():
        kind[weak] = _EVERYTHING
        weak[weak] = _may_reject(statistic.only(weak), quantile)
    if weak.any():
        lower[weak], kind[weak] = _walk(statistic.only(weak), quantile)
    return ConfidenceSet(lower, upper, kind)


def _joined(parts: Sequence[ConfidenceSet]) -> ConfidenceSet:
    return ConfidenceSet(
        np.concatenate([part.lower for part in parts]),
        np.concatenate([part.upper for part in parts]),
        np.concatenate([part.kind for part in parts]),
    )


def _is_rejected(statistic: Statistic, at: Point, quantile: float) -> Flags:
    return statistic.distance(at).exceeds(quantile)


def _may_reject(statistic: Statistic, quantile: float) -> Flags:
    """Tell where some ratio may be rejected, by the largest T² over its noise.

    By Cauchy and Schwarz that is (S, Y) N⁻¹ (S, Y)ᵀ, and the variance is never below N.
    """
    numerator, denominator = statistic.numerator, statistic.denominator
    above, below = statistic.noise_of_sums()
    apart = statistic.noise_variance((np.ones(1), np.ones(1)))
    mixed = (above + below - apart) / 2
    largest = (
        numerator * numerator * below
        - 2 * numerator * denominator * mixed
        + denominator * denominator * above
    )
    least = _least_reach(statistic, quantile) ** 2 * (1 - _MARGIN)
    # Where noise enters one sum alone, or none, nothing is excluded.
    whole = above * below - mixed * mixed
    return ~((whole > _MARGIN * above * below) & (largest <= least * whole))


def _least_reach(statistic: Statistic, quantile: float) -> float:
    """Give how many standard deviations are rejected at the least."""
    if not any(term.laplace.any() for term in statistic.noise):
        return quantile
    return reach_between(quantile)[0]


def _walk(statistic: Statistic, quantile: float) -> tuple[Floats, NDArray[np.int8]]:
    """Walk unbounded sets around the projective line, past what is left out."""
    lowest = statistic.lowest
    angles = (np.arange(_GRID) + 0.5) / _GRID * np.pi - np.pi / 2
    above, below = statistic.noise_of_sums()
    unit = np.sqrt(
        (statistic.numerator**2 + above) / (statistic.denominator**2 + below)
    )
    rejected = _rejected_at(statistic, angles, unit, quantile)
    some = rejected.any(axis=1)
    last = _GRID - 1 - np.argmax(rejected[:, ::-1], axis=1)
    first = np.argmax(rejected, axis=1)
    after = np.minimum(last + 1, _GRID - 1)
    half_line = some & (unit * np.tan(angles[first]) <= lowest)
    low = np.full_like(unit, np.inf)
    if half_line.any():
        between = angles[last[half_line]], angles[after[half_line]]
        part = statistic.only(half_line)
        low[half_line] = _bisect(part, quantile, unit[half_line], between)
    half_line &= statistic.numerator / statistic.denominator > low
    kind = np.where(some, _DISCONNECTED, _EVERYTHING)
    kind = np.where(half_line, _HALF_LINE, kind).astype(np.int8)
    return np.where(half_line, np.maximum(low, lowest), lowest), kind


def _rejected_at(
    statistic: Statistic, angles: Floats, unit: Floats, quantile: float
) -> NDArray[np.bool_]:
    """Tell for each row which angles are rejected, as many at once as fit a cache."""
    rows, at_once = len(unit), max(1, _CELLS_AT_ONCE // len(unit))
    each = np.tile(np.arange(rows), at_once)
    many = statistic.only(each)
    found = []
    for start in range(0, len(angles), at_once):
        some = np.repeat(angles[start : start + at_once], rows)
        here = slice(len(some))
        at = np.cos(some), unit[each[here]] * np.sin(some)
        found.append(_is_rejected(many.only(here), at, quantile))
    return np.concatenate(found).reshape(len(angles), rows).T


def _bisect(
    statistic: Statistic, quantile: float, unit: Floats, between: Point
) -> Floats:
    """Find where rejection ends, between two angles."""
    rejected, kept = between
    for _ in range(_BISECTIONS):
        middle = (rejected + kept) / 2
        out = _is_rejected(statistic, (np.cos(middle), unit * np.sin(middle)), quantile)
        rejected = np.where(out, middle, rejected)
        kept = np.where(out, kept, middle)
    low: Floats = unit * np.tan(kept)
    return low
