"""The test of two ratios of different people: do they differ by this much?

Whatever the ratio r₂ is, the hypothesis fixes r₁ (a `Link`). The statistic is the least
of T₁²/A₁ + T₂²/A₂ along that path: Fieller's test for two groups, which stays right
where denominators are weak, as long as r₂ may be any point of the projective line: also
a ratio that cannot be. Its law is that of the contrast of T₁ and T₂ which is left
when r₂ is fitted: normal, plus a Laplace noise from each side.
docs/methods/comparisons.md derives it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from dpratio.analyst.ratio.noisy_tail import as_one
from dpratio.analyst.ratio.statistic import Point, Scored, Statistic
from dpratio.analyst.ratio.tail import Distance
from dpratio.arrays import Flags, Floats, Integers

Angles = Floats
Zeros = tuple[Angles, Angles]
Points = tuple[Point, Point, Point, Point]

# How r₁ follows from r₂ under the hypothesis x: r₁ = r₂ + x, or r₁ = exp(x)·r₂.
LINKS = ("difference", "quotient")

_STEPS = 12
_PRECISION = 1e-9
_QUARTER = np.pi / 2


@dataclass(frozen=True, slots=True)
class _Found:
    """The least sum of squares, with what was found there on both sides."""

    squared: Floats
    first: Scored
    second: Scored
    first_at: Point
    second_at: Point
    sign: Floats


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of groups with different people: first against second, row by row."""

    first: Statistic
    second: Statistic
    link: str

    def only(self, chosen: Flags | Integers | slice) -> "Pairs":
        """Keep some pairs."""
        return Pairs(self.first.only(chosen), self.second.only(chosen), self.link)

    def swapped(self) -> "Pairs":
        """Give the second against the first."""
        return Pairs(self.second, self.first, self.link)

    def test(self, x: Floats, *, may_be_weak: bool = True) -> tuple[Floats, Distance]:
        """Test a difference, or a log quotient, in every pair.

        Args:
            x: The hypothesis.
            may_be_weak: Whether ratios beyond infinity are looked at as well; they need
                not be where one of two ratios is known to be bounded.

        Returns:
            Signs, 1 where the first ratio seems larger than the hypothesis says, and
            sizes of the statistic.
        """
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            found = self._least(x, may_be_weak=may_be_weak)
            return found.sign, self._distance(found)

    def _distance(self, found: _Found) -> Distance:
        """Put the statistic beside the law of the contrast that it is made of."""
        first, second = found.first, found.second
        # The contrast that fitting r₂ leaves over weighs T₁ with the slope of T₂.
        own = second.slope**2 * first.variance
        other = first.slope**2 * second.variance
        whole = own + other
        share = np.where(whole > 0, own / np.where(whole > 0, whole, 1.0), 0.5)
        sides = (
            (self.first, found.first_at, first, share),
            (self.second, found.second_at, second, 1 - share),
        )
        doubt, sampling, noise = (np.zeros_like(share) for _ in range(3))
        heavy = []
        for side, at, scored, part in sides:
            per = part / scored.variance
            doubt += per**2 * side.sampling.doubt_at(at)
            sampled = (scored.value, scored.sampling, scored.noise)
            sampling += per * side.cautious(at, *sampled)
            noise += per * scored.noise
            # Several Laplace variables as one: docs/decisions/README.md.
            heavy.append(per * as_one([2 * scale**2 for scale in side.laplace(at)]))
        # What noise took off one V it may have put on the other: only their sum is
        # kept above 0. Doing so on each side made the test conservative.
        return Distance(
            size=np.sqrt(found.squared),
            sampling=sampling,
            noise=noise,
            doubt=doubt,
            heavy=[each for each in heavy if each.any()],
        )

    def _least(self, x: Floats, *, may_be_weak: bool) -> _Found:
        """Fit r₂ under the hypothesis."""
        unit = self._unit()
        zeros = self._zeros(x, unit)
        start, one, two = self._start(x, unit, zeros)
        fitted = self._fit(x, unit, zeros, start)
        points = self._points(x, unit, fitted)
        first, second = self._scored(points)
        squared = first.squared + second.squared
        # The other side alone says at least how bad an estimate itself would fit.
        doubt = (one.squared < squared) | (two.squared < squared)
        if doubt.any():
            fitted[doubt] = self.only(doubt)._refit(  # noqa: SLF001 (its own kind)
                x[doubt], unit[doubt], (zeros[0][doubt], zeros[1][doubt]), fitted[doubt]
            )
        if may_be_weak:
            fitted = self._beyond_infinity(x, unit, zeros, fitted)
        if may_be_weak or doubt.any():
            points = self._points(x, unit, fitted)
            first, second = self._scored(points)
        # C lies above 0 as often as below. The ratios of the sums do not tell: noise
        # that takes a denominator below 0 turns its ratio around.
        contrast = first.value * second.slope - second.value * first.slope
        sign = np.sign(contrast) * self.first.facing() * self.second.facing()
        squared = first.squared + second.squared
        return _Found(squared, first, second, points[0], points[1], sign)

    def _start(
        self, x: Floats, unit: Floats, zeros: Zeros
    ) -> tuple[Angles, Scored, Scored]:
        """Give the mean of both estimates, weighted by how sharply they are told.

        And the second side at the estimate of the first, and the other way round.
        """
        first, two = self._scored(self._points(x, unit, zeros[0]))
        one, second = self._scored(self._points(x, unit, zeros[1]))
        own = first.information
        whole = own + second.information
        lean = np.where(whole > 0, own / np.where(whole > 0, whole, 1.0), 0.5)
        return zeros[1] + lean * (zeros[0] - zeros[1]), two, one

    def _refit(self, x: Floats, unit: Floats, zeros: Zeros, fitted: Angles) -> Angles:
        """Fit again from both estimates, where the first fit may not be the best."""
        one, two = (self._fit(x, unit, zeros, start) for start in zeros)
        return self._best(x, unit, fitted, (zeros[0], one, zeros[1], two))

    def _best(
        self, x: Floats, unit: Floats, best: Angles, others: Iterable[Angles]
    ) -> Angles:
        """Choose what fits best in every row, the earlier one of two that fit alike."""
        least = self._squares(x, unit, best)
        for at in others:
            squares = self._squares(x, unit, at)
            best = np.where(squares < least, at, best)
            least = np.minimum(squares, least)
        return best

    def _fit(self, x: Floats, unit: Floats, zeros: Zeros, start: Angles) -> Angles:
        """Find the least sum of squares between the two estimates.

        Gauss–Newton steps, kept within a bracket by the sign of the derivative.
        """
        low, high = np.minimum(*zeros), np.maximum(*zeros)
        at = start
        behind, behind_pull = at, np.full_like(at, np.nan)
        settled = np.zeros(at.shape, dtype=np.bool_)
        for _ in range(_STEPS):
            one, two = self._scored(self._points(x, unit, at))
            pull = one.value * one.slope / one.variance
            pull = pull + two.value * two.slope / two.variance
            told = np.maximum(one.information + two.information, 1e-300)
            # The slope of the pull since the last step is truer than its first guess.
            seen = (behind_pull - pull) / (at - behind)
            told = np.where((seen > told / 4) & (seen < 4 * told), seen, told)
            low = np.where(pull > 0, at, low)
            high = np.where(pull > 0, high, at)
            moved = at + pull / told
            inside = (moved >= low) & (moved <= high)
            moved = np.where(inside, moved, (low + high) / 2)
            # What has settled stays, so that no answer depends on other rows.
            moved = np.where(settled, at, moved)
            # The sum of squares is flat at its least: what is left is below 1e-12.
            settled |= (moved - at) ** 2 * told <= _PRECISION
            behind, behind_pull, at = at, pull, moved
            if settled.all():
                break
        return at

    def _beyond_infinity(
        self, x: Floats, unit: Floats, zeros: Zeros, best: Angles
    ) -> Angles:
        """Fit on the other way from one estimate to the other, past infinity.

        T²/A falls from infinity towards its own estimate only. So nothing fits better
        there where at infinity each side alone fits worse than what was found.
        """
        infinity = np.full_like(x, _QUARTER)
        first, second = self._scored(self._points(x, unit, infinity))
        least = self._squares(x, unit, best)
        weak = (first.squared < least) | (second.squared < least)
        if weak.any():
            some, x, unit = self.only(weak), x[weak], unit[weak]
            around = tuple(each[weak] for each in zeros)
            around = (np.maximum(*around), np.minimum(*around) + np.pi)
            starts = (infinity[weak], *around)
            fits = [some._fit(x, unit, around, start) for start in starts]  # noqa: SLF001
            best[weak] = some._best(x, unit, best[weak], fits)  # noqa: SLF001
        return best

    def _unit(self) -> Floats:
        """Give a size of ratios at which angles tell them apart."""
        held = self.second
        on_top, below = held.noise_of_sums()
        top, bottom = held.numerator**2 + on_top, held.denominator**2 + below
        tiny = np.finfo(np.float64).tiny
        unit: Floats = np.sqrt(np.maximum(top, tiny) / np.maximum(bottom, tiny))
        return unit

    def _zeros(self, x: Floats, unit: Floats) -> Zeros:
        """Give where T₁ and T₂ vanish, as angles of r₂."""
        top, bottom = self.first.numerator, self.first.denominator
        if self.link == "difference":
            top = top - x * bottom
        else:
            bottom = bottom * np.exp(x)
        return (
            _angle(top, unit * bottom),
            _angle(self.second.numerator, unit * self.second.denominator),
        )

    def _points(self, x: Floats, unit: Floats, angle: Angles) -> Points:
        """Give the two ratios as points of the projective line, and their motion."""
        cosine, sine = np.cos(angle), np.sin(angle)
        second, moving = (cosine, unit * sine), (-sine, unit * cosine)
        if self.link == "difference":
            first = (cosine, unit * sine + x * cosine)
            first_moving = (-sine, unit * cosine - x * sine)
        else:
            times = np.exp(x)
            first = (cosine, times * unit * sine)
            first_moving = (-sine, times * unit * cosine)
        return first, second, first_moving, moving

    def _scored(self, points: Points) -> tuple[Scored, Scored]:
        first, second, first_moving, moving = points
        return self.first.score(first, first_moving), self.second.score(second, moving)

    def _squares(self, x: Floats, unit: Floats, angle: Angles) -> Floats:
        first, second = self._scored(self._points(x, unit, angle))
        return first.squared + second.squared


def _angle(top: Floats, bottom: Floats) -> Angles:
    """Give the angle of a ratio, between −π/2 and π/2."""
    angle = np.arctan2(top, bottom)
    angle = np.where(angle > _QUARTER, angle - np.pi, angle)
    return np.where(angle <= -_QUARTER, angle + np.pi, angle)
