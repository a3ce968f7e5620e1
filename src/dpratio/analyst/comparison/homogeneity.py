"""Is there one ratio for all groups? Cochran's question, asked of noisy sums."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpratio.analyst.comparison.common_ratio import common_ratio
from dpratio.analyst.comparison.comparison_target import ComparisonTarget
from dpratio.analyst.comparison.designs import places_of, require_disjoint
from dpratio.analyst.comparison.hypothesis import AgainstValue, Between
from dpratio.analyst.ratio.statistic import Statistic
from dpratio.analyst.ratio.tail import pvalues_of, quantile_of
from dpratio.analyst.tables.provenance import stamps
from dpratio.analyst.tables.sentence import chance_in_words
from dpratio.arrays import Flags, Integers
from dpratio.checks import require
from dpratio.plan.strategy.allowance import QUANTILE
from dpratio.release.release import Release
from dpratio.tabular import Tabular
from dpratio.terms.groups import GroupKey

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
