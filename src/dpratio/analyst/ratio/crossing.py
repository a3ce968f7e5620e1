"""Where a test begins to reject: the one root-finder behind every interval.

From a value that is kept, the first value that is rejected is looked for in one
direction, row by row: by the secant method where the first guess is good, otherwise by
doubling the step outwards and closing in on the bracket.
"""

from collections.abc import Callable

import numpy as np

from dpratio.arrays import Flags, Floats, Integers

# How far beyond the quantile the test of a value is, in some of the rows.
Beyond = Callable[[Floats, Integers | slice], Floats]
Known = tuple[Floats, Floats]

_SECANTS = 8
_EXPANSIONS = 80
_REFINEMENTS = 60
_PRECISION = 1e-8
# A last step starts this near the crossing, and bends by no more than this; what is
# left once it was mended is far less.
_NEAR, _LEFT = 1e-5, 1e-7
_FARTHEST = 3.0  # First guesses; further out another crossing might have been found.
_ALL = slice(None)


def find_crossing(
    beyond: Beyond,
    start: Floats,
    start_value: Floats,
    step: Floats,
    seen: Known | None = None,
) -> Floats:
    """Find the first rejected value from a kept one, towards ``start + step``.

    Args:
        beyond: Negative where a value is kept, positive where it is rejected.
        start: Values that are kept.
        start_value: What ``beyond`` is there.
        step: To a first guess of the crossing; not 0.
        seen: Other values near it and what ``beyond`` is there, if known.
    """
    kept = (start, start_value)
    found, good = _secant(beyond, kept, seen or kept, step)
    if not good.all():
        rest = np.flatnonzero(~good)
        found[rest] = _bracketed(
            lambda at, rows: beyond(at, rest[rows]),
            start[rest],
            start_value[rest],
            step[rest],
        )
    return found


def _secant(
    beyond: Beyond, kept: Known, seen: Known, step: Floats
) -> tuple[Floats, Flags]:
    """Close in from the start; say where it worked.

    Three values tell how the test bends, and so what a step will leave over: where
    that is little, the step is mended by it and is the last one.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        (start, start_value), (behind, behind_value) = kept, seen
        origin, before = start, (behind_value - start_value) / (behind - start)
        at = start + step
        rows: Integers | slice = _ALL
        found, good = at.copy(), np.zeros(len(at), dtype=np.bool_)
        value = beyond(at, rows)
        for _ in range(_SECANTS):
            slope = (value - behind_value) / (at - behind)
            moved = at - value / slope
            left = (moved - at) * (moved - behind) * (slope - before) / (at - origin)
            off = np.abs(value)
            settled = (np.abs(left) <= _LEFT) & (off <= _NEAR)
            moved = np.where(settled, moved - left / slope, moved)
            settled |= off <= _PRECISION
            moved = np.where(np.isfinite(moved), moved, at)
            found[rows], good[rows] = moved, settled
            moving = np.flatnonzero(~settled)
            if not moving.size:
                break
            origin, before, behind, behind_value, at = behind, slope, at, value, moved
            if moving.size < settled.size:
                # What has settled stays, so that no answer depends on other rows.
                rows = moving if isinstance(rows, slice) else rows[moving]
                state = (origin, before, behind, behind_value, at)
                origin, before, behind, behind_value, at = (
                    each[moving] for each in state
                )
            value = beyond(at, rows)
        reach = (found - start) / step
        good &= (reach > 0) & (reach < _FARTHEST)
    return found, good


def _bracketed(
    beyond: Beyond, start: Floats, start_value: Floats, step: Floats
) -> Floats:
    """Find a bracket by doubling outwards, then close in on it."""
    kept, lost = start.copy(), start + step
    below, above = start_value, beyond(lost, _ALL)
    for _ in range(_EXPANSIONS):
        short = above <= 0
        if not short.any():
            break
        kept, below = np.where(short, lost, kept), np.where(short, above, below)
        step = np.where(short, 2 * step, step)
        lost = np.where(short, start + step, lost)
        above = _updated(beyond, lost, above, short)
    size = np.abs(step)
    for _ in range(_REFINEMENTS):
        wide = np.abs(lost - kept) > _PRECISION * size
        if not wide.any():
            break
        with np.errstate(divide="ignore", invalid="ignore"):
            guess = lost - above * (lost - kept) / (above - below)
        # A start that is not kept after all leaves no bracket: halve what there is.
        between = np.minimum(kept, lost) <= guess
        between &= guess <= np.maximum(kept, lost)
        guess = np.where(between, guess, (kept + lost) / 2)
        value = _updated(beyond, guess, np.zeros_like(guess), wide)
        is_in = value <= 0
        # Illinois: where the same end moved, the other end's value is halved.
        above = np.where(is_in, 0.5 * above, value)
        below = np.where(is_in, value, 0.5 * below)
        close = np.abs(value) <= _PRECISION
        kept = np.where(wide & (is_in | close), guess, kept)
        lost = np.where(wide & (close | ~is_in), guess, lost)
    return lost


def _updated(beyond: Beyond, at: Floats, value: Floats, moving: Flags) -> Floats:
    """Ask again only where a value moved."""
    changed, rows = value.copy(), np.flatnonzero(moving)
    if rows.size:
        changed[rows] = beyond(at[rows], rows)
    return changed
