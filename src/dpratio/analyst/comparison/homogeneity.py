"""Is there one ratio for all groups? Cochran's question, asked of noisy sums."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dpratio.analyst.comparison.comparison_target import (
    ComparisonTarget,
    places_of,
    require_disjoint,
)
from dpratio.analyst.comparison.hypothesis import AgainstValue, Between
from dpratio.analyst.ratio.statistic import Point, Scored, Statistic
from dpratio.analyst.ratio.tail import pvalues_of, quantile_of
from dpratio.analyst.tables.provenance import stamps
from dpratio.analyst.tables.sentence import chance_in_words
from dpratio.arrays import Flags, Floats, Integers
from dpratio.checks import require
from dpratio.plan.strategy.allowance import QUANTILE, wobble
from dpratio.release.release import Release
from dpratio.tabular import Tabular
from dpratio.terms.groups import GroupKey

# A cell's own variance counts less where noise moves it by more than this share.
_TRUSTED = 0.1
_GRID = 64
_STEPS = 40
_PRECISION = 1e-12
_QUARTER = np.pi / 2


@dataclass(frozen=True, slots=True)
class CommonRatio:
    """The ratio that fits best and the chance of a worse fit, for every family."""

    ratio: Floats
    pvalue: Floats
    excess: Floats


def common_ratio(statistic: Statistic, count: int) -> CommonRatio:
    """Fit one ratio to every family of so many cells, which follow each other.

    Returns:
        Per family the best ratio, the p-value, and Q over its mean.
    """
    from scipy.special import chdtrc, fdtrc

    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        unit = _unit(statistic, count)
        smooth = _smoothed(statistic, count)
        angle = _fit(smooth, unit, count)
        at, along = _points(unit, angle, count)
        fitted, plain = smooth.score(at, along), statistic.score(at, along)
        squares = _sum(fitted.squared, count)
        sampled, floor, variance, noise = _moments(statistic, at, fitted, plain, count)
        mean = sampled + floor
        freedom = np.minimum(2 * mean**2 / variance, count - 1.0)
        excess = squares / mean
        steady = noise <= 1e-9 * mean**2
        # Satterthwaite (1946): a mean known up to noise is a chi-square below the line.
        below = 2 / wobble(sampled, floor, np.where(steady, 1.0, noise))
        pvalue = np.where(
            steady,
            chdtrc(freedom, excess * freedom),
            fdtrc(freedom, below, excess),
        )
        # Sums that are all zero, without noise, speak against no ratio.
        pvalue = np.where(np.isnan(pvalue), 1.0, pvalue)
    ratio = unit * np.tan(angle)
    return CommonRatio(np.where(angle >= _QUARTER, np.inf, ratio), pvalue, excess)


def _moments(
    statistic: Statistic, at: Point, fitted: Scored, plain: Scored, count: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """Give both parts of the mean of Q, its variance, and the mean's noise variance.

    Q = TᵀMT with M = W − WỸỸᵀW/ỸᵀWỸ and W = 1/Ã, for T of variance A.
    """
    weight = 1 / fitted.variance
    told = weight * fitted.slope**2
    whole = np.repeat(_sum(told, count), count)
    # Where no cell tells anything, fitting takes nothing off.
    lever = np.where(whole > 0, told / np.where(whole > 0, whole, 1.0), 0.0)
    blur = statistic.sampling.doubt_at(at) * weight**2
    noise = weight * plain.noise
    sampled = weight * plain.sampling
    own = sampled + noise
    floor = _sum(noise * (1 - lever), count)
    known = np.maximum(_sum(sampled * (1 - lever), count), 0.0)
    mean = known + floor
    variance = 2 * (
        _sum((own**2 - blur) * (1 - 2 * lever), count) + _sum(own * lever, count) ** 2
    )
    # The fourth cumulant of a Laplace variable of scale b is 12 b⁴.
    for scale in statistic.laplace(at):
        fourth = (scale**2 * weight * (1 - lever)) ** 2
        variance = variance + _sum(12 * fourth, count)
    variance = np.maximum(variance, 2 * mean**2 / (count - 1))
    return known, floor, variance, _sum(blur * (1 - lever) ** 2, count)


def _smoothed(statistic: Statistic, count: int) -> Statistic:
    """Let noisy second moments lean on those of all cells, by size of denominator."""
    top, bottom = _sum(statistic.numerator, count), _sum(statistic.denominator, count)
    ratio = np.repeat(np.where(bottom != 0, top / bottom, 0.0), count)
    at = (np.ones_like(ratio), np.maximum(ratio, statistic.lowest))
    still, own = np.zeros_like(ratio), statistic.sampling
    size = np.hypot(statistic.denominator, np.sqrt(statistic.noise_of_sums()[1]))
    share = size / np.repeat(_sum(size, count), count)
    pooled = np.stack(
        [share * np.repeat(_sum(each, count), count) for each in own.values]
    )
    shared = replace(statistic, sampling=replace(own, values=pooled))
    variance = shared.score(at, (still, still)).variance
    blur = own.doubt_at(at) / variance**2
    lean = blur / (blur + _TRUSTED**2)
    leaning = (1 - lean) * own.values + lean * pooled
    return replace(statistic, sampling=replace(own, values=leaning))


def _fit(statistic: Statistic, unit: Floats, count: int) -> Floats:
    """Find the best angle on a grid, then between its neighbours by Gauss–Newton."""
    smallest = 0.0 if np.isfinite(statistic.lowest) else -_QUARTER
    angles = np.linspace(smallest, _QUARTER, _GRID)
    squares = np.stack([_squares(statistic, unit, each, count) for each in angles])
    place = np.argmin(squares, axis=0)
    low = angles[np.maximum(place - 1, 0)]
    high = angles[np.minimum(place + 1, _GRID - 1)]
    at = angles[place]
    for _ in range(_STEPS):
        scored = statistic.score(*_points(unit, at, count))
        pull = _sum(scored.value * scored.slope / scored.variance, count)
        low, high = np.where(pull > 0, at, low), np.where(pull > 0, high, at)
        moved = at + pull / np.maximum(_sum(scored.information, count), 1e-300)
        inside = (moved >= low) & (moved <= high)
        moved = np.where(inside, moved, (low + high) / 2)
        done = np.all(np.abs(moved - at) <= _PRECISION)
        at = moved
        if done:
            break
    best: Floats = at
    return best


def _squares(statistic: Statistic, unit: Floats, angle: float, count: int) -> Floats:
    at, along = _points(unit, np.full_like(unit, angle), count)
    return _sum(statistic.score(at, along).squared, count)


def _points(unit: Floats, angle: Floats, count: int) -> tuple[Point, Point]:
    """Give a family's ratio to each of its cells, and its motion."""
    cosine, sine = np.repeat(np.cos(angle), count), np.repeat(np.sin(angle), count)
    wide = np.repeat(unit, count)
    return (cosine, wide * sine), (-sine, wide * cosine)


def _unit(statistic: Statistic, count: int) -> Floats:
    """Give a size of ratios at which angles tell them apart."""
    on_top, below = statistic.noise_of_sums()
    top = np.hypot(statistic.numerator, np.sqrt(on_top))
    bottom = np.hypot(statistic.denominator, np.sqrt(below))
    unit: Floats = _sum(top, count) / _sum(bottom, count)
    return unit


def _sum(values: Floats, count: int) -> Floats:
    added: Floats = values.reshape(-1, count).sum(axis=1)
    return added


_UNLIKELY, _LEVEL = 0.05, 0.95
_MOST_BESIDE = 5_000  # Nobody looks at more of them, and their intervals take time.


@dataclass(frozen=True, slots=True)
class Homogeneity(Tabular):
    """The test of one ratio for all groups: ``statistic``, ``df`` and ``pvalue``.

    ``statistic`` is the chi-square with ``df`` degrees that says the same as
    ``pvalue``; without noise it is Σ T²/A at the ``ratio`` that fits best. ``beside``
    holds up to 5,000 groups, each with its ratio and the ends of its 95 % interval.

    Example:
        >>> import dpratio as dpr
        >>> release = dpr.example_release()
        >>> found = dpr.assess_homogeneity(release, question=1)
        >>> found.df, round(found.ratio, 3)
        (3, 1.088)
    """

    groups: int
    ratio: float
    statistic: float
    df: int
    pvalue: float
    variance: str
    is_simulated: bool
    left_out: int = 0
    origin: str | None = None
    release_id: str = ""
    asked: str = ""
    beside: tuple[tuple[Any, float, float, float], ...] = field(default=(), repr=False)

    def columns(self) -> dict[str, list[Any]]:
        """One row: the test."""
        names = ("groups", "left_out", "ratio", "statistic", "df", "pvalue")
        return {name: [getattr(self, name)] for name in names}

    def notes(self) -> list[str]:
        """Say how the test was made."""
        lines = stamps(self.origin, is_simulated=self.is_simulated)
        lines.append(
            f"The hypothesis: all {self.groups:,} groups have one ratio; variance "
            f"{self.variance}."
        )
        if self.left_out:
            lines.append(
                f"Left out: {self.left_out:,} more, whose denominators cannot be told "
                "from zero; they say nothing about a ratio."
            )
        if not np.isfinite(self.ratio):
            lines.append("No finite ratio fits best: the denominators are weak.")
        return lines

    def summary(self) -> str:
        """Say the answer in a sentence."""
        fits = "does not fit" if self.pvalue < _UNLIKELY else "fits"
        degrees = "degree" if self.df == 1 else "degrees"
        chance = chance_in_words(self.pvalue)
        return (
            f"one ratio, {self.ratio:.4g}, {fits} {self.groups:,} groups: chi-square "
            f"{self.statistic:.4g} on {self.df} {degrees}, {chance}"
        )

    def said(self) -> list[str]:
        """The summary, then the notes."""
        return [self.summary(), *self.notes()]


def assess_homogeneity(
    release: Release,
    *groups: GroupKey,
    question: str | int | None = None,
    variance: str | None = None,
) -> Homogeneity:
    """Test whether groups have one ratio.

    Args:
        release: Noisy sums; no data and no budget are needed.
        groups: The groups, by key; by default all of them.
        question: Which question, if several hold the groups: its name, or its number
            from 1.
        variance: ``"linearised"`` or ``"kish"``; by default what the release holds.

    Returns:
        The ratio that fits best, and how badly it fits. Of two groups the p-value is
        that of `compare_ratios`.

    Raises:
        InvalidInput: When groups may share people, or there is just one.

    Example:
        >>> import dpratio as dpr
        >>> release = dpr.example_release()
        >>> print(dpr.assess_homogeneity(release, question=1).summary())
        one ratio, 1.088, does not fit 4 groups: chi-square 95.41 on 3 ...
    """
    from scipy.special import chdtri

    target = ComparisonTarget.of(release, groups, question=question, variance=variance)
    require_disjoint(release)
    places = places_of(target.question, groups)
    rule = "homogeneity needs two groups or more"
    require(len(places) > 1, rule, len(places))
    told = places[_is_told(target.statistic.only(places))]
    # If fewer than two denominators are reliable, all groups are used.
    left_out = len(places) - len(told) if len(told) > 1 else 0
    places = told if left_out else places
    count = len(places)
    fitted = common_ratio(target.statistic.only(places), count)
    pvalue = float(fitted.pvalue[0])
    if count == 2:  # noqa: PLR2004
        # The contrast of two has a law of its own, which is known exactly.
        both = (places[:1], places[1:])
        pair = Between(target.statistic, target.statistic, both, "difference")
        pvalue = float(pvalues_of(pair.deviates(0.0), "two-sided")[0])
    deep = pvalue < 1e-300  # noqa: PLR2004
    statistic = (count - 1) * float(fitted.excess[0])
    return Homogeneity(
        groups=count,
        ratio=float(fitted.ratio[0]),
        statistic=statistic if deep else float(chdtri(count - 1, pvalue)),
        df=count - 1,
        pvalue=pvalue,
        variance=target.variance,
        is_simulated=release.is_simulated,
        left_out=left_out,
        origin=release.origin,
        release_id=release.id,
        asked=target.asked,
        beside=_beside(target, places),
    )


def _beside(
    target: ComparisonTarget, places: Integers
) -> tuple[tuple[Any, float, float, float], ...]:
    """Give the groups with their ratios and intervals, each on its own."""
    if len(places) > _MOST_BESIDE:
        return ()
    each = AgainstValue(target.statistic.only(places), 0.0, "difference")
    ends = each.ends(quantile_of(_LEVEL, "two-sided"))
    rows = (each.estimates()[0].tolist(), ends.lower.tolist(), ends.upper.tolist())
    return tuple(zip(target.named(places), *rows, strict=True))


def _is_told(statistic: Statistic) -> Flags:
    """Tell which denominators are above zero beyond doubt, at level 0.95."""
    one = np.ones_like(statistic.denominator)
    still = 0 * one
    endless = statistic.score((still, one), (still, still))
    told: Flags = endless.squared > QUANTILE**2
    return told
