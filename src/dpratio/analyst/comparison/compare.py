"""Comparing the ratios of a release: with each other, or with a value."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.comparison.adjust import ADJUSTMENTS, adjusted, family_level
from dpratio.analyst.comparison.comparison import (
    ALTERNATIVES,
    COMPARISON_STATUSES,
    Comparison,
)
from dpratio.analyst.comparison.comparison_target import ComparisonTarget
from dpratio.analyst.comparison.hypothesis import LINKS, Doubts, Ends, Hypothesis
from dpratio.analyst.ratio.tail import pvalues_of, quantile_of
from dpratio.analyst.tables.options import is_finite_number, require_level
from dpratio.analyst.tables.statuses import Codes, codes_of
from dpratio.checks import require, require_one_of
from dpratio.release.release import Release
from dpratio.terms.groups import GroupKey

_CODES = codes_of(COMPARISON_STATUSES)


def compare_ratios(  # noqa: PLR0913 (keyword-only options of one answer)
    release: Release,
    *groups: GroupKey,
    design: str = "pairs",
    reference: float | None = None,
    link: str | Sequence[str] | None = None,
    null: float = 0.0,
    alternative: str = "two-sided",
    level: float = 0.95,
    adjust: str = "none",
    question: str | int | None = None,
    variance: str | None = None,
) -> Comparison:
    """Compare ratios of groups, with intervals and p-values.

    If one person may be in several groups, nobody knows who is in both: the variance is
    bounded by (√V₁ + √V₂)², whatever they share, and the answer says so.

    Args:
        release: Noisy sums; no data and no budget are needed.
        groups: The groups to compare, by key; by default all of them.
        design: ``"pairs"`` compares every pair, the earlier group first;
            ``"baseline"`` compares each other group with the one named; ``"rest"``
            compares each group with all others together.
        reference: A value: each ratio is compared with it, not with another ratio.
        link: ``"difference"`` r₁ − r₂, ``"lift"`` r₁/r₂ − 1 or ``"log_ratio"``
            log(r₁/r₂); or several of them. By default the lift, or the difference if
            ratios may be negative.
        null: The hypothesis, on the scale: 0 says that both are equal.
        alternative: ``"two-sided"``, ``"greater"`` or ``"less"``; one-sided tests have
            one-sided intervals.
        level: Confidence level, between 0 and 1.
        adjust: For many comparisons: ``"none"``, ``"bonferroni"``, ``"holm"`` or
            ``"benjamini_hochberg"``; the intervals are widened with the p-values.
        question: Which question, if several hold the groups: its name, or its number
            from 1.
        variance: ``"linearised"`` or ``"kish"``; by default what the release holds.

    Returns:
        One row per comparison and link. If a denominator cannot be told from zero, the
        interval is open and the status says so.

    Raises:
        InvalidInput: When an option breaks a rule, or groups that may share people
            would be added up; the message names the plan that would answer.

    Example:
        >>> import dpratio as dpr
        >>> release = dpr.example_release()
        >>> print(dpr.compare_ratios(release, "west", "north").summary())
        west is 20.7 % above north, 95 % interval 16.0 % to 25.7 %; p < 0.0001
        >>> options = {"question": 1, "adjust": "holm"}
        >>> from_one = dpr.compare_ratios(release, reference=1, **options)
        >>> from_one.pvalue_adjusted < 0.05
        array([False,  True,  True,  True])
    """
    require_one_of(alternative, ALTERNATIVES, "alternative")
    require_one_of(adjust, ADJUSTMENTS, "adjustment")
    require_level(level)
    target = ComparisonTarget.of(
        release,
        groups,
        question=question,
        variance=variance,
        is_one_sided=alternative != "two-sided",
    )
    if link is None:
        link = "lift" if np.isfinite(target.statistic.lowest) else "difference"
    links = [link] if isinstance(link, str) else list(link)
    require(links, "at least one link is needed", links)
    for each in links:
        _require_link(each, target, null)
    alone = null == 0 or len(links) == 1
    require(alone, "a null other than 0 belongs to one link", links)
    answers, levels = [], []
    for each in links:
        hypothesis, sides, is_shared = target.hypothesis(design, reference, each)
        columns, single = _answer(hypothesis, null, alternative, level, adjust)
        answers.append(columns)
        levels.append(single)
    joined = {
        name: np.concatenate([each[name] for each in answers]) for name in answers[0]
    }
    first, second = sides
    return Comparison(
        first=first * len(links),
        second=None if second is None else second * len(links),
        reference=reference,
        link=[each for each in links for _ in first],
        null=null,
        alternative=alternative,
        level=level,
        interval_level=levels[0],
        adjust=adjust,
        variance=target.variance,
        is_simulated=release.is_simulated,
        origin=release.origin,
        release_id=release.id,
        asked=target.asked,
        column=target.column,
        shared_groups=release.measured.unit.most_groups if is_shared else 1,
        **joined,
    )


def _answer(
    hypothesis: Hypothesis, null: float, alternative: str, level: float, adjust: str
) -> tuple[dict[str, Any], float]:
    """Give the columns of one link, and the level of its intervals."""
    estimate, se = hypothesis.estimates()
    statistic = hypothesis.deviates(null)
    pvalue = pvalues_of(statistic, alternative)
    single = family_level(pvalue, adjust, level)
    quantile = quantile_of(single, alternative)
    ends = hypothesis.ends(quantile)
    rejected = pvalue < 1 - single
    # Without an estimate a set has two ends only by luck: noise turned a sign around.
    lost = np.isnan(estimate) & ends.has_lower & ends.has_upper
    codes = _statuses(ends, alternative, hypothesis.doubts(), rejected, lost)
    open_ended = np.isin(codes, [_CODES["unbounded"], _CODES["disconnected"]])
    natural = -1.0 if hypothesis.link == "lift" else -np.inf
    lower = np.where(open_ended, natural, ends.lower)
    upper = np.where(open_ended, np.inf, ends.upper)
    columns = {
        "estimate": estimate,
        "ci_lower": np.full_like(lower, natural) if alternative == "less" else lower,
        "ci_upper": np.full_like(upper, np.inf) if alternative == "greater" else upper,
        "se": np.where(open_ended | ~np.isfinite(se), np.inf, se),
        "statistic": statistic,
        "pvalue": pvalue,
        "pvalue_adjusted": adjusted(pvalue, adjust),
        "codes": codes,
    }
    return columns, single


def _statuses(
    ends: Ends,
    alternative: str,
    doubts: Doubts,
    rejected: NDArray[np.bool_],
    lost: NDArray[np.bool_],
) -> Codes:
    """Say what kind of set each row has."""
    wanted = {
        "two-sided": (ends.has_lower, ends.has_upper),
        "greater": (ends.has_lower, ends.has_lower),
        "less": (ends.has_upper, ends.has_upper),
    }[alternative]
    codes = np.where(doubts.hidden, _CODES["variance_floored"], _CODES["ok"])
    codes = np.where(doubts.weak, _CODES["weak"], codes)
    codes = np.where(wanted[0] ^ wanted[1], _CODES["half_line"], codes)
    neither = lost | ~(wanted[0] | wanted[1])
    codes = np.where(neither, _CODES["unbounded"], codes)
    return np.where(neither & rejected, _CODES["disconnected"], codes).astype(np.int8)


def _require_link(link: str, target: ComparisonTarget, null: float) -> None:
    require_one_of(link, LINKS, "link")
    require(is_finite_number(null), "null must be a finite number", null)
    above = link != "lift" or null > -1
    require(above, "a lift is above −1, where the first ratio would be 0", null)
    positive = np.isfinite(target.statistic.lowest) or link == "difference"
    rule = f"link '{link}' needs ratios that cannot be negative"
    require(positive, rule, link, "Use link 'difference'.")
