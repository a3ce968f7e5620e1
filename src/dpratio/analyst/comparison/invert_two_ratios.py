"""Inverting the test of two ratios: how far apart they may be.

The lower end of r₁ − r₂ (or of the log quotient) is where the first ratio seems too
large by just the quantile. It lies between what the two single sets allow: near the
ends by MOVER (Zou & Donner 2008), from which the secant method starts. An upper end is
the lower one of the swapped pair.
"""

from dataclasses import dataclass

import numpy as np

from dpratio.analyst.comparison.two_ratios import Pairs
from dpratio.analyst.ratio.confidence_set import ConfidenceSet, confidence_set
from dpratio.analyst.ratio.crossing import find_crossing
from dpratio.analyst.ratio.statistic import Statistic
from dpratio.arrays import Flags, Floats, Integers


@dataclass(frozen=True, slots=True)
class Singles:
    """Each group's ratio, and its own set."""

    ratio: Floats
    held: ConfidenceSet

    def only(self, chosen: Integers | Flags | slice) -> "Singles":
        """Keep some groups, perhaps repeatedly."""
        return Singles(self.ratio[chosen], self.held.only(chosen))


def singles_of(statistic: Statistic, quantile: float) -> Singles:
    """Find the set of every group by itself."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        held = confidence_set(statistic, quantile)
        ratio = statistic.numerator / statistic.denominator
    return Singles(np.maximum(ratio, statistic.lowest), held)


def lower_ends(
    pairs: Pairs, first: Singles, second: Singles, quantile: float
) -> Floats:
    """Find the lower end of every pair; −∞ if it has none.

    There is one where the first ratio has a smallest plausible value and the second
    a largest; of a quotient the first's must be above 0.
    """
    ends = np.full(len(first.ratio), -np.inf)
    bounded = first.held.has_lower & second.held.is_interval
    if pairs.link == "quotient":
        bounded = bounded & (first.held.lower > 0) & (second.held.upper > 0)
    if bounded.any():
        chosen = slice(None) if bounded.all() else bounded
        ends[chosen] = _found(
            pairs.only(chosen), first.only(chosen), second.only(chosen), quantile
        )
    if pairs.link == "quotient":
        # No quotient is rejected that a float can hold: the search ran on to the end.
        ends[np.exp(ends) == 0] = -np.inf
    return ends


def _found(pairs: Pairs, first: Singles, second: Singles, quantile: float) -> Floats:
    def beyond(x: Floats, rows: Integers | slice) -> Floats:
        """Say by how much the first ratio seems too large, beyond the quantile."""
        chosen = pairs if isinstance(rows, slice) else pairs.only(rows)
        sign, distance = chosen.test(x, may_be_weak=False)
        excess: Floats = sign * distance.against(quantile) - quantile
        return excess

    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        scale = np.log if pairs.link == "quotient" else np.array
        centres = (scale(first.ratio), scale(second.ratio))
        low, high = scale(first.held.lower), scale(second.held.upper)
        centre = centres[0] - centres[1]
        # Zou & Donner (2008): variances recovered from the ends that matter.
        step = -np.hypot(centres[0] - low, high - centres[1])
        # Where an estimate is 0 or infinite, begin where one of the two is kept.
        inside = np.minimum(low - centres[1], centres[0] - high)
        is_known = np.isfinite(centre)
        start = np.where(is_known, centre, inside)
        least = 1e-8 * np.maximum(np.abs(low - high), 1e-12)
        step = np.where(np.isfinite(step), np.minimum(step, -least), low - high - start)
        step = np.where(step < 0, step, -least)
        value = np.full_like(start, -quantile)
        if not is_known.all():
            lost = np.flatnonzero(~is_known)
            value[lost] = beyond(start[lost], lost)
    return find_crossing(beyond, start, value, step)
