"""When a ratio changed: bets on every period from which it might have.

For each drift λ the bets that begin at each period add up to one number, which a look
multiplies (Shiryaev and Roberts). Without a change the sum is a nonnegative
supermartingale that begins with at most 1, so the chance that it ever reaches 1/α is at
most α (Ville 1939), however many looks there are. docs/methods/watching.md derives it.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from dpratio.analyst.ratio.statistic import Statistic
from dpratio.analyst.watch.boundary import Boundary
from dpratio.arrays import Floats, Integers

# Shifts in standard deviations of one period, on which bets are made alike.
SHIFTS = 2.0 ** np.arange(-3, 2.5, 0.5)
_MOST_OF_SCALE = 0.9  # Of 1, where the cumulant of Laplace noise has its pole.
_LARGEST = 1e200


@dataclass(frozen=True, slots=True)
class Period:
    """T of one period at the ratio that is held, and how it varies, for every group.

    ``laplace`` holds the scales of its Laplace noises, which the variance includes;
    ``doubt`` is the variance of the noise in that variance.
    """

    value: Floats
    variance: Floats
    doubt: Floats
    laplace: tuple[Floats, ...]

    @classmethod
    def of(cls, statistic: Statistic, ratio: Floats) -> "Period":
        """Hold one ratio for each group."""
        at = (np.ones_like(ratio), ratio)
        return cls(
            statistic.value(at),
            statistic.variance(at),
            statistic.sampling.doubt_at(at),
            tuple(statistic.laplace(at)),
        )

    def beside(self, size: Floats, variance: Floats, denominator: Floats) -> "Period":
        """Add what a ratio varies by that was estimated from earlier periods.

        Args:
            size: Y of this period.
            variance: A of the earlier ones, and
            denominator: their Y.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            more = size**2 * variance / denominator**2
        told = (denominator > 0) & np.isfinite(more)
        whole = self.variance + np.where(told, more, np.inf)
        return replace(self, variance=whole)

    def log_bet(self, drift: Floats) -> Floats:
        """Give λT − log E exp(λT), drifts × groups, where λ suits the noise."""
        rate = np.abs(drift)
        normal = self.variance - 2 * sum(each**2 for each in self.laplace)
        spent = rate**2 * normal / 2 + rate**4 * self.doubt / 8
        for scale in self.laplace:
            spent = spent - np.log1p(-np.minimum((rate * scale) ** 2, _MOST_OF_SCALE))
        bet: Floats = drift * self.value - spent
        return bet

    @property
    def steepest(self) -> Floats:
        """The largest λ that the Laplace noises allow."""
        scale = np.maximum.reduce([np.zeros_like(self.value), *self.laplace])
        with np.errstate(divide="ignore"):
            steepest: Floats = math.sqrt(_MOST_OF_SCALE) / scale
        return steepest


@dataclass(frozen=True, slots=True)
class Bets:
    """What bets in one direction have come to, shifts × groups.

    ``whole`` adds up those from all periods; ``best`` is the largest of them, and
    ``since`` the period where it began. ``spread`` adds up variances of periods.
    """

    sign: int
    whole: Floats
    best: Floats
    since: Integers
    spread: Floats
    periods: int = 0

    @classmethod
    def none(cls, sign: int, groups: int) -> "Bets":
        """Begin before the first period."""
        shape = (len(SHIFTS), groups)
        return cls(
            sign,
            np.zeros(shape),
            np.zeros(shape),
            np.zeros(shape, dtype=np.int64),
            np.zeros(groups),
        )

    def after(self, period: Period, stake: float, number: int) -> "Bets":
        """Bet a stake from this period on, and on all that were begun."""
        known = np.isfinite(period.variance) & (period.variance > 0)
        spread = self.spread + np.where(known, period.variance, 0.0)
        # The scale of λ is that of earlier periods: known before this one is seen.
        usual = self.spread / self.periods if self.periods else period.variance
        with np.errstate(divide="ignore", invalid="ignore"):
            drift = SHIFTS[:, None] / np.sqrt(usual)
            drift = np.minimum(drift, period.steepest)
            gained = np.where(known, period.log_bet(self.sign * drift), 0.0)
        times = np.exp(np.clip(np.nan_to_num(gained), -700.0, 400.0))
        fresh = stake > self.best
        best = np.where(fresh, stake, self.best) * times
        return Bets(
            self.sign,
            np.minimum((self.whole + stake) * times, _LARGEST),
            np.minimum(best, _LARGEST),
            np.where(fresh, number, self.since),
            spread,
            self.periods + 1,
        )


@dataclass(frozen=True, slots=True)
class Detector:
    """Both directions, and what each group has shown so far.

    ``seen`` is the look at which a change was first visible, −1 before; ``since`` the
    period where it seems to have begun, and ``way`` its direction.
    """

    boundary: Boundary
    ways: tuple[Bets, Bets]
    seen: Integers
    since: Integers
    way: Integers
    number: int = 0

    @classmethod
    def of(cls, groups: int, boundary: Boundary) -> "Detector":
        """Begin before the first period; of the boundary α and the looks are taken."""
        nothing = np.full(groups, -1)
        ways = (Bets.none(1, groups), Bets.none(-1, groups))
        return cls(boundary, ways, nothing, nothing, 0 * nothing)

    def after(self, upward: Period, downward: Period) -> "Detector":
        """Look at a period: is it above one ratio, or below another?"""
        stake = self.stake(self.number) / 2
        ways = (
            self.ways[0].after(upward, stake, self.number),
            self.ways[1].after(downward, stake, self.number),
        )
        whole = sum(each.whole for each in ways).sum(axis=0) / len(SHIFTS)  # type: ignore[union-attr]
        now = (whole >= 1 / self.boundary.alpha) & (self.seen < 0)
        best = np.stack([each.best for each in ways]).reshape(-1, len(now))
        since = np.stack([each.since for each in ways]).reshape(-1, len(now))
        place = best.argmax(axis=0)
        begun = since[place, np.arange(len(now))]
        way = np.where(place < len(SHIFTS), 1, -1)
        return replace(
            self,
            ways=ways,
            seen=np.where(now, self.number, self.seen),
            since=np.where(now, begun, self.since),
            way=np.where(now, way, self.way),
            number=self.number + 1,
        )

    def stake(self, number: int) -> float:
        """Give the share of what is bet from one period on; all shares add up to 1."""
        looks = self.boundary.looks
        if self.boundary.is_last:
            return 1 / looks
        half = max(looks / 2, 1.0)
        return half / ((number + half) * (number + half + 1))
