"""Inverting the test of two ratios: how far apart they may be.

The lower end of r₁ − r₂ (or of the log quotient) is where the first ratio seems too
large by just the quantile. It lies between what the two single sets allow: near the
ends by MOVER (Zou & Donner 2008), from which the secant method starts. An upper end is
the lower one of the swapped pair.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.comparison.two_ratios import Pairs
from dpratio.analyst.ratio.cells import Cells, Places
from dpratio.analyst.ratio.pivot_set import pivot_set
from dpratio.analyst.sums.moments import Floats

__all__ = ["Singles", "lower_ends", "singles_of"]

Flags = NDArray[np.bool_]

_SECANTS = 8
_EXPANSIONS = 60
_HALVINGS = 80
_PRECISION = 1e-8


@dataclass(frozen=True, slots=True)
class Singles:
    """Each cell's ratio, and the ends and shape of its own set."""

    ratio: Floats
    lower: Floats
    upper: Floats
    is_interval: Flags
    has_lower: Flags

    def only(self, chosen: Places | Flags | slice) -> "Singles":
        """Keep some cells, perhaps repeatedly."""
        return Singles(
            self.ratio[chosen],
            self.lower[chosen],
            self.upper[chosen],
            self.is_interval[chosen],
            self.has_lower[chosen],
        )


def singles_of(cells: Cells) -> Singles:
    """Find the set of every cell by itself."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found = pivot_set(cells.pivot, cells.lowest)
        ratio = cells.numerator / cells.denominator
    is_interval = found.shape == "interval"
    return Singles(
        ratio=np.maximum(ratio, cells.lowest),
        lower=found.lower,
        upper=found.upper,
        is_interval=is_interval,
        has_lower=is_interval | (found.shape == "half_line"),
    )


def lower_ends(pairs: Pairs, first: Singles, second: Singles) -> Floats:
    """Find the lower end of every pair; −∞ where there is none.

    There is one where the first ratio has a smallest plausible value and the second
    a largest; of a quotient the first's must be above 0.
    """
    ends = np.full(len(first.ratio), -np.inf)
    bounded = first.has_lower & second.is_interval
    if pairs.link == "quotient":
        bounded = bounded & (first.lower > 0) & (second.upper > 0)
    if bounded.any():
        chosen = slice(None) if bounded.all() else bounded
        ends[chosen] = _found(
            pairs.only(chosen), first.only(chosen), second.only(chosen)
        )
    return ends


def _found(pairs: Pairs, first: Singles, second: Singles) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        scale = np.log if pairs.link == "quotient" else np.array
        centres = (scale(first.ratio), scale(second.ratio))
        low, high = scale(first.lower), scale(second.upper)
        centre = centres[0] - centres[1]
        # Zou & Donner (2008): variances recovered from the ends that matter.
        guess = centre - np.hypot(centres[0] - low, high - centres[1])
        inside = np.minimum(low - centres[1], centres[0] - high)
    ends, good = _secant(pairs, centre, guess)
    if not good.all():
        rest = ~good
        outside = low - high
        ends[rest] = _bracketed(
            pairs.only(rest), centre[rest], inside[rest], outside[rest]
        )
    return ends


def _excess(pairs: Pairs, x: Floats) -> Floats:
    """Say by how much the first ratio seems too large, beyond the quantile."""
    quantile = pairs.first.pivot.quantile
    sign, made = pairs.test(x, may_be_weak=False)
    return sign * made.at(quantile) - quantile


def _secant(pairs: Pairs, centre: Floats, guess: Floats) -> tuple[Floats, Flags]:
    """Close in from the estimate, where the deviate is 0; say where it worked."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        behind, behind_value = centre, np.full_like(centre, -pairs.first.pivot.quantile)
        at, step = guess, centre - guess
        usable = np.isfinite(at) & np.isfinite(centre) & (step > 0)
        at = np.where(usable, at, 0.0)
        value = _excess(pairs, at)
        for _ in range(_SECANTS):
            moving = usable & (np.abs(value) > _PRECISION)
            if not moving.any():
                break
            moved = at - value * (at - behind) / (value - behind_value)
            moving &= np.isfinite(moved)
            behind, behind_value = at, value
            at, value = np.where(moving, moved, at), value.copy()
            value[moving] = _excess(pairs.only(moving), at[moving])
        reach = (centre - at) / step
    # Further out than three first guesses another crossing might have been found.
    good = usable & (np.abs(value) <= _PRECISION) & (reach > 0) & (reach < 3)  # noqa: PLR2004
    return at, good


def _bracketed(pairs: Pairs, centre: Floats, inside: Floats, outside: Floats) -> Floats:
    """Halve the stretch between a value that is kept and one that is not."""
    kept = np.where(_excess(pairs, inside) <= 0, inside, centre)
    kept = np.where(np.isfinite(kept), kept, inside)
    step = np.maximum(kept - outside, _PRECISION * np.maximum(np.abs(outside), 1e-12))
    lost = kept - step
    for _ in range(_EXPANSIONS):
        short = _excess(pairs, lost) <= 0
        if not short.any():
            break
        kept = np.where(short, lost, kept)
        step = np.where(short, 2 * step, step)
        lost = np.where(short, lost - step, lost)
    for _ in range(_HALVINGS):
        middle = (kept + lost) / 2
        out = _excess(pairs, middle) > 0
        lost, kept = np.where(out, middle, lost), np.where(out, kept, middle)
        if np.all(kept - lost <= 1e-13 * np.maximum(np.abs(kept), np.abs(lost))):
            break
    return kept
