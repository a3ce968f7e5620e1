"""Where a test begins to reject: the one root-finder behind every interval.

From a value that is kept, the first value that is rejected is looked for in one
direction, row by row: by the secant method where the first guess is good, otherwise by
doubling the step outwards and closing in on the bracket.
"""

from collections.abc import Callable

import numpy as np

from dpratio.arrays import Flags, Floats

__all__ = ["Beyond", "find_crossing"]

# How far beyond the quantile the test of a value is, in some of the rows.
Beyond = Callable[[Floats, Flags | slice], Floats]

_SECANTS = 8
_EXPANSIONS = 80
_REFINEMENTS = 60
_PRECISION = 1e-8
_FARTHEST = 3.0  # First guesses; further out another crossing might have been found.
_ALL = slice(None)


def find_crossing(
    beyond: Beyond, start: Floats, start_value: Floats, step: Floats
) -> Floats:
    """Find the first rejected value from a kept one, towards ``start + step``.

    Args:
        beyond: Negative where a value is kept, positive where it is rejected.
        start: Values that are kept.
        start_value: What ``beyond`` is there.
        step: To a first guess of the crossing; not 0.
    """
    found, good = _secant(beyond, start, start_value, step)
    if not good.all():
        rest = ~good
        found[rest] = _bracketed(
            lambda at, rows: beyond(at, _within(rest, rows)),
            start[rest],
            start_value[rest],
            step[rest],
        )
    return found


def _within(rest: Flags, rows: Flags | slice) -> Flags:
    """Tell rows among the rest by their place among all."""
    places = np.flatnonzero(rest)[rows]
    chosen = np.zeros_like(rest)
    chosen[places] = True
    return chosen


def _secant(
    beyond: Beyond, start: Floats, start_value: Floats, step: Floats
) -> tuple[Floats, Flags]:
    """Close in from the start; say where it worked."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        usable = np.isfinite(start) & np.isfinite(step) & (step != 0)
        behind, behind_value = start, start_value
        at = np.where(usable, start + step, 0.0)
        value = beyond(at, _ALL)
        for _ in range(_SECANTS):
            moving = usable & (np.abs(value) > _PRECISION)
            if not moving.any():
                break
            moved = at - value * (at - behind) / (value - behind_value)
            moving &= np.isfinite(moved)
            behind, behind_value = at, value
            at = np.where(moving, moved, at)
            value = _updated(beyond, at, value, moving)
        reach = (at - start) / step
        near = (reach > 0) & (reach < _FARTHEST)
    return at, usable & (np.abs(value) <= _PRECISION) & near


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
        kept = np.where(is_in | close, guess, kept)
        lost = np.where(is_in & ~close, lost, guess)
    return lost


def _updated(beyond: Beyond, at: Floats, value: Floats, moving: Flags) -> Floats:
    """Ask again only where a value moved."""
    if moving.all():
        return beyond(at, _ALL)
    changed = value.copy()
    if moving.any():
        changed[moving] = beyond(at[moving], moving)
    return changed
