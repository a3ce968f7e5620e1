"""Turning the test of each ratio into a set: an interval, a half-line, or more.

A set is bounded just where infinity is rejected; its ends are then found by the secant
method on each side of the estimate, and by a bracketed one where that fails. The few
other sets are walked around the projective line on a grid, and their end is bisected.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.ratio.pivot import Pivot

__all__ = ["PivotSet", "pivot_set"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_GROUPS_AT_ONCE = 2**13
_SECANTS = 8
_EXPANSIONS = 80
_REFINEMENTS = 60
_PRECISION = 1e-8
_GRID = 256
_BISECTIONS = 50


@dataclass(frozen=True, slots=True)
class PivotSet:
    """The smallest interval around each set, and the shape of the set."""

    lower: Floats
    upper: Floats
    shape: NDArray[np.str_]


def pivot_set(pivot: Pivot, lowest: float) -> PivotSet:
    """Find all ratios that are not rejected.

    Args:
        pivot: The test of each ratio.
        lowest: Smallest ratio there can be: 0 or −∞.

    Returns:
        For each group the hull of its set. Shapes are ``interval``, ``half_line`` (no
        upper end), ``disconnected`` (all but a stretch between) and ``everything``.
    """
    groups = len(pivot.numerator)
    if groups > _GROUPS_AT_ONCE:
        return _joined(
            [
                pivot_set(pivot.only(slice(start, start + _GROUPS_AT_ONCE)), lowest)
                for start in range(0, groups, _GROUPS_AT_ONCE)
            ]
        )
    lower, upper = np.full(groups, lowest), np.full(groups, np.inf)
    shape = np.full(groups, "everything", dtype="<U12")
    zero, one = np.zeros(groups), np.ones(groups)
    bounded = pivot.distance(zero, one) > pivot.quantile
    if bounded.any():
        part = pivot.only(bounded)
        lower[bounded] = np.maximum(_end(part, -1.0), lowest)
        upper[bounded] = np.maximum(_end(part, 1.0), lowest)
        shape[bounded] = "interval"
    if not bounded.all():
        part = pivot.only(~bounded)
        lower[~bounded], shape[~bounded] = _walk(part, lowest)
    return PivotSet(lower, upper, shape)


def _joined(parts: Sequence[PivotSet]) -> PivotSet:
    return PivotSet(
        np.concatenate([part.lower for part in parts]),
        np.concatenate([part.upper for part in parts]),
        np.concatenate([part.shape for part in parts]),
    )


def _end(pivot: Pivot, side: float) -> Floats:
    """Find one end of bounded sets, outwards from the estimate."""
    one = np.ones_like(pivot.numerator)
    centre = pivot.numerator / pivot.denominator
    spread = np.maximum(pivot.second.variance_at(one, centre), 0.0)
    spread += pivot.noise_variance(one, centre)
    step = pivot.quantile * np.sqrt(spread) / np.abs(pivot.denominator)
    step = np.maximum(step, 1e-12 * np.maximum(np.abs(centre), 1e-300))
    found, good = _secant(pivot, centre, side * step)
    if not good.all():
        rest = ~good
        found[rest] = _bracketed(pivot.only(rest), centre[rest], side * step[rest])
    return found


def _secant(pivot: Pivot, centre: Floats, step: Floats) -> tuple[Floats, Flags]:
    """Close in from the estimate, where the distance is zero; say where it worked."""
    one = np.ones_like(centre)
    behind, behind_value = centre, np.full_like(centre, -pivot.quantile)
    at = centre + step
    value = pivot.distance(one, at) - pivot.quantile
    for _ in range(_SECANTS):
        if np.all(np.abs(value) <= _PRECISION):
            break
        with np.errstate(divide="ignore", invalid="ignore"):
            guess = at - value * (at - behind) / (value - behind_value)
        behind, behind_value = at, value
        at = np.where(np.abs(value) <= _PRECISION, at, guess)
        value = pivot.distance(one, at) - pivot.quantile
    # Further out than three first guesses another crossing might have been found.
    reach = (at - centre) / step
    good: Flags = (np.abs(value) <= _PRECISION) & (reach > 0) & (reach < 3)  # noqa: PLR2004
    return at, good


def _bracketed(pivot: Pivot, centre: Floats, step: Floats) -> Floats:
    """Find the first crossing by doubling outwards, then close in on it."""
    one = np.ones_like(centre)

    def beyond(ratio: Floats) -> Floats:
        return pivot.distance(one, ratio) - pivot.quantile

    inside, outside = centre.copy(), centre + step
    below, above = np.full_like(centre, -pivot.quantile), beyond(outside)
    for _ in range(_EXPANSIONS):
        short = above <= 0
        if not short.any():
            break
        inside = np.where(short, outside, inside)
        below = np.where(short, above, below)
        step = np.where(short, 2 * step, step)
        outside = np.where(short, centre + step, outside)
        above = np.where(short, beyond(outside), above)
    return _between(beyond, (inside, outside), (below, above), np.abs(step))


def _between(
    beyond: Callable[[Floats], Floats],
    brackets: tuple[Floats, Floats],
    values: tuple[Floats, Floats],
    size: Floats,
) -> Floats:
    """Close in on a crossing by regula falsi, halving the end that lags behind."""
    (inside, outside), (below, above) = brackets, values
    for _ in range(_REFINEMENTS):
        if np.all(np.abs(outside - inside) <= _PRECISION * size):
            break
        guess = outside - above * (outside - inside) / (above - below)
        value = beyond(guess)
        is_in = value <= 0
        # Illinois: where the same end moved, the other end's value is halved.
        above = np.where(is_in, 0.5 * above, value)
        below = np.where(is_in, value, 0.5 * below)
        inside = np.where(is_in, guess, inside)
        outside = np.where(is_in, outside, guess)
        close = np.abs(value) <= _PRECISION
        inside = np.where(close, guess, inside)
        outside = np.where(close, guess, outside)
    return outside


def _walk(pivot: Pivot, lowest: float) -> tuple[Floats, NDArray[np.str_]]:
    """Walk unbounded sets around the projective line, past what is left out."""
    angles = (np.arange(_GRID) + 0.5) / _GRID * np.pi - np.pi / 2
    one, zero = np.ones_like(pivot.numerator), np.zeros_like(pivot.numerator)
    top = pivot.numerator**2 + pivot.noise_variance(one, zero)
    bottom = pivot.denominator**2 + pivot.noise_variance(zero, one)
    unit = np.sqrt(top / bottom)
    rejected = np.stack(
        [
            pivot.distance(np.full_like(unit, np.cos(a)), unit * np.sin(a))
            > pivot.quantile
            for a in angles
        ],
        axis=1,
    )
    some = rejected.any(axis=1)
    last = _GRID - 1 - np.argmax(rejected[:, ::-1], axis=1)
    first = np.argmax(rejected, axis=1)
    after = np.minimum(last + 1, _GRID - 1)
    low = _bisect(pivot, unit, angles[last], angles[after])
    start = unit * np.tan(angles[first])
    estimate = pivot.numerator / pivot.denominator
    half_line = some & (start <= lowest) & (estimate > low)
    shape = np.where(some, "disconnected", "everything")
    shape = np.where(half_line, "half_line", shape)
    return np.where(half_line, np.maximum(low, lowest), lowest), shape


def _bisect(pivot: Pivot, unit: Floats, rejected: Floats, kept: Floats) -> Floats:
    """Find where rejection ends, between two angles."""
    for _ in range(_BISECTIONS):
        middle = (rejected + kept) / 2
        out = pivot.distance(np.cos(middle), unit * np.sin(middle)) > pivot.quantile
        rejected = np.where(out, middle, rejected)
        kept = np.where(out, kept, middle)
    low: Floats = unit * np.tan(kept)
    return low
