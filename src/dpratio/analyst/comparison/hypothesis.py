"""Comparisons by their link: estimates, deviates of a hypothesis, and intervals.

Two kinds: a ratio against a value (`AgainstValue`) and a ratio against another one
(`Between`). Both are worked on for all rows at once, in chunks that fit the cache.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpratio.analyst.comparison.two_ratios import Pairs
from dpratio.analyst.ratio.at_estimate import AtEstimate
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


LINKS = {
    "difference": "the first ratio less the second",
    "lift": "the first ratio per the second, less 1",
    "log_ratio": "the logarithm of the first ratio per the second",
}

_PAIRS_AT_ONCE = 2**13


@dataclass(frozen=True, slots=True)
class Ends:
    """Both ends of every interval, and whether each is one that the data give."""

    lower: Floats
    upper: Floats
    has_lower: Flags
    has_upper: Flags


@dataclass(frozen=True, slots=True)
class Doubts:
    """Where noise drowned the variance, and where a denominator is weak."""

    hidden: Flags
    weak: Flags


@dataclass(frozen=True, slots=True)
class AgainstValue:
    """Each group's ratio against a value."""

    statistic: Statistic
    value: float
    link: str

    def estimates(self) -> tuple[Floats, Floats]:
        """Give estimates and standard errors."""
        ratio, variance = _ratios(self.statistic)
        with np.errstate(divide="ignore", invalid="ignore"):
            unit = {"difference": 1.0, "lift": self.value, "log_ratio": ratio}
            return self._scaled(ratio), np.sqrt(variance) / unit[self.link]

    def doubts(self) -> Doubts:
        """Say what else there is to know of the intervals."""
        return _doubts(self.statistic)

    def deviates(self, null: float) -> Floats:
        """Test a hypothesis: positive deviates speak for more."""
        if self.link == "difference":
            at = self.value + null
        else:
            at = self.value * (1 + null if self.link == "lift" else np.exp(null))
        return self.statistic.deviates(at)

    def ends(self, quantile: float) -> Ends:
        """Find the interval of every row."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            found = confidence_set(self.statistic, quantile)
            has_lower = found.has_lower
            lower = np.where(has_lower, found.lower, self.statistic.lowest)
            lower, upper = self._scaled(lower), self._scaled(found.upper)
        if self.link == "log_ratio":
            has_lower = has_lower & (found.lower > 0)
        return Ends(lower, upper, has_lower, found.is_interval)

    def _scaled(self, ratio: Floats) -> Floats:
        if self.link == "difference":
            return ratio - self.value
        per = ratio / self.value
        changed: Floats = per - 1 if self.link == "lift" else np.log(per)
        return changed


@dataclass(frozen=True, slots=True)
class Between:
    """Groups against other groups, by place."""

    first: Statistic
    second: Statistic
    places: tuple[Integers, Integers]
    link: str

    def estimates(self) -> tuple[Floats, Floats]:
        """Give estimates and standard errors."""
        here, there = self.places
        one, own = (each[here] for each in _ratios(self.first))
        two, other = (each[there] for each in _ratios(self.second))
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.link == "difference":
                return one - two, np.sqrt(own + other)
            relative = np.sqrt(own / one**2 + other / two**2)
            if self.link == "lift":
                return one / two - 1, one / two * relative
            return np.log(one / two), relative

    def doubts(self) -> Doubts:
        """Say what else there is to know of the intervals: one weak side is enough."""
        here, there = self.places
        one, two = _doubts(self.first), _doubts(self.second)
        return Doubts(
            hidden=one.hidden[here] & two.hidden[there],
            weak=one.weak[here] | two.weak[there],
        )

    def deviates(self, null: float) -> Floats:
        """Test a hypothesis: positive deviates speak for more."""
        x = np.log1p(null) if self.link == "lift" else null

        def work(pairs: Pairs, _: slice) -> tuple[Floats, ...]:
            sign, distance = pairs.test(np.full(len(pairs.first.numerator), float(x)))
            return (sign * distance.deviate(),)

        return self._in_chunks(work)[0]

    def ends(self, quantile: float) -> Ends:
        """Find the interval of every row."""
        one, two = (singles_of(each, quantile) for each in (self.first, self.second))
        here, there = self.places

        def work(pairs: Pairs, rows: slice) -> tuple[Floats, ...]:
            own, other = one.only(here[rows]), two.only(there[rows])
            return (
                lower_ends(pairs, own, other, quantile),
                -lower_ends(pairs.swapped(), other, own, quantile),
            )

        lower, upper = self._in_chunks(work)
        if self.link != "lift":
            return Ends(lower, upper, np.isfinite(lower), np.isfinite(upper))
        with np.errstate(over="ignore"):  # Against nearly nothing a lift has no end.
            lower, upper = np.expm1(lower), np.expm1(upper)
        # One ratio has a smallest value, and the other a largest.
        has_lower = one.held.has_lower[here] & two.held.is_interval[there]
        has_upper = two.held.has_lower[there] & one.held.is_interval[here]
        return Ends(lower, upper, has_lower, has_upper & np.isfinite(upper))

    def _in_chunks(
        self, work: Callable[[Pairs, slice], tuple[Floats, ...]]
    ) -> list[Floats]:
        joined = "difference" if self.link == "difference" else "quotient"
        starts = range(0, max(len(self.places[0]), 1), _PAIRS_AT_ONCE)
        chunks = (slice(at, at + _PAIRS_AT_ONCE) for at in starts)
        done = [
            work(
                Pairs(
                    self.first.only(self.places[0][rows]),
                    self.second.only(self.places[1][rows]),
                    joined,
                ),
                rows,
            )
            for rows in chunks
        ]
        return [np.concatenate(each) for each in zip(*done, strict=True)]


Hypothesis = AgainstValue | Between


def _doubts(statistic: Statistic) -> Doubts:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        here = AtEstimate.of(statistic)
        return Doubts(here.is_drowned(), here.is_weak())


def _ratios(statistic: Statistic) -> tuple[Floats, Floats]:
    """Give ratios, NaN where there is none, and their variances."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        bottom, lowest = statistic.denominator, statistic.lowest
        here = AtEstimate.of(statistic)
        sampling, privacy = here.variances()
        is_positive = statistic.denominator_is_positive or np.isfinite(lowest)
        undefined = bottom <= 0 if is_positive else bottom == 0
        ratio = np.where(undefined, np.nan, np.maximum(here.ratio, lowest))
    return ratio, sampling + privacy
