"""Is every ratio within margins? Two one-sided tests, with a verdict."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpratio.analyst.comparison.adjust import ADJUSTMENTS, adjusted, family_level
from dpratio.analyst.comparison.comparison_target import ComparisonTarget, places_of
from dpratio.analyst.comparison.hypothesis import AgainstValue
from dpratio.analyst.ratio.tail import pvalues_of, quantile_of
from dpratio.analyst.tables.options import is_finite_number, require_level
from dpratio.analyst.tables.provenance import stamps
from dpratio.arrays import Floats
from dpratio.checks import require, require_one_of
from dpratio.release.release import Release
from dpratio.tabular import Tabular
from dpratio.terms.groups import GroupKey

VERDICTS = {
    "within": "the ratio lies within the margins",
    "outside": "the ratio lies outside the margins",
    "undecided": "the ratio may lie within the margins or outside",
}


@dataclass(frozen=True, slots=True, eq=False)
class Equivalence(Tabular):
    """Whether ratios lie within margins, one row per group.

    ``pvalue`` is that of the two one-sided tests: small if the ratio is within. The
    interval, at level 2·``level`` − 1 where there are two margins, says the same: it
    lies within the margins if the verdict is ``"within"``.

    Example:
        >>> import dpratio as dpr
        >>> release = dpr.example_release()
        >>> found = dpr.assess_equivalence(release, lower=0.9, upper=1.1, question=1)
        >>> found.verdicts, found.overall
        (('within', 'within', 'undecided', 'outside'), 'outside')
    """

    spare: ClassVar = ("level", "adjust", "pvalue")

    group: Sequence[Any]
    ratio: Floats
    ci_lower: Floats
    ci_upper: Floats
    pvalue: Floats
    pvalue_adjusted: Floats
    verdicts: Sequence[str]
    overall: str
    lower: float | None
    upper: float | None
    level: float
    adjust: str
    variance: str
    is_simulated: bool
    origin: str | None = None
    release_id: str = ""
    asked: str = ""

    def columns(self) -> dict[str, list[Any]]:
        """One row per group."""
        count = len(self.ratio)
        table: dict[str, list[Any]] = {"group": list(self.group)}
        for name in ("ratio", "ci_lower", "ci_upper", "pvalue"):
            table[name] = getattr(self, name).tolist()
        if self.adjust != "none":
            table["pvalue_adjusted"] = self.pvalue_adjusted.tolist()
            table["adjust"] = [self.adjust] * count
        table["level"] = [self.level] * count
        return table | {"verdict": list(self.verdicts)}

    def notes(self) -> list[str]:
        """Say how the verdicts were reached and what they mean."""
        lines = stamps(self.origin, is_simulated=self.is_simulated)
        lines.append(
            f"One-sided tests against {self.margins} at level {self.level:g}, "
            f"variance {self.variance}."
        )
        single = family_level(self.pvalue, self.adjust, self.level)
        lines.append(
            f"The intervals are {100 * (2 * single - 1):.4g} % intervals: each end "
            f"belongs to a one-sided test at {100 * (1 - single):.4g} %."
        )
        if self.adjust == "none":
            lines.append("A verdict says where the interval lies.")
        else:
            lines.append(
                f"Adjusted over {len(self.ratio):,} groups: {ADJUSTMENTS[self.adjust]}."
            )
        lines.append(
            "Overall 'within' needs no adjustment: all tests must say so (Berger 1982)."
        )
        seen = set(self.verdicts)
        return lines + [
            f"{name}: {VERDICTS[name]}." for name in VERDICTS if name in seen
        ]

    def summary(self) -> str:
        """Say the answer in a sentence."""
        counts = Counter(self.verdicts)
        said = ", ".join(
            f"{counts[name]:,} {name}" for name in VERDICTS if counts[name]
        )
        return (
            f"overall {self.overall}: of {len(self.ratio):,} ratios {said}; margins "
            f"{self.margins}"
        )

    @property
    def margins(self) -> str:
        """The margins in words, as in "0.9 to 1.1"."""
        if self.lower is not None and self.upper is not None:
            return f"{self.lower:g} to {self.upper:g}"
        if self.lower is not None:
            return f"{self.lower:g} or more"
        return f"{self.upper:g} or less"

    def said(self) -> list[str]:
        """The summary, then the notes."""
        return [self.summary(), *self.notes()]

    def __len__(self) -> int:
        return len(self.ratio)


def assess_equivalence(
    release: Release,
    *groups: GroupKey,
    lower: float | None = None,
    upper: float | None = None,
    level: float = 0.95,
    adjust: str = "none",
    question: str | int | None = None,
    variance: str | None = None,
) -> Equivalence:
    """Judge whether ratios lie within margins.

    Args:
        release: Noisy sums; no data and no budget are needed.
        groups: The groups, by key; by default all of them.
        lower: The lower margin; with None, only the upper one counts.
        upper: The upper margin; with None, only the lower one counts, as in a test of
            non-inferiority.
        level: Confidence level of each one-sided test.
        adjust: For verdicts on single groups, as in `compare_ratios`; the overall
            verdict "within" needs none.
        question: Which question, if several hold the groups: its name, or its number
            from 1.
        variance: ``"linearised"`` or ``"kish"``; by default what the release holds.

    Returns:
        A verdict per group and one overall: ``"within"`` if every ratio is,
        ``"outside"`` if one is not, even after Bonferroni, else ``"undecided"``.

    Raises:
        InvalidInput: When no margin is given, or an option breaks a rule.

    Example:
        >>> import dpratio as dpr
        >>> release = dpr.example_release()
        >>> found = dpr.assess_equivalence(release, lower=0.9, upper=1.1, question=1)
        >>> print(found.summary())
        overall outside: of 4 ratios 2 within, 1 outside, ...
    """
    require_one_of(adjust, ADJUSTMENTS, "adjustment")
    require_level(level)
    require(level > 0.5, "level must be above 0.5", level, "0.95 is usual.")  # noqa: PLR2004
    _require_margins(lower, upper)
    target = ComparisonTarget.of(
        release, groups, question=question, variance=variance, is_one_sided=True
    )
    places = places_of(target.question, groups)
    require(len(places), "there is no group to judge", len(places))
    hypothesis = AgainstValue(target.statistic.only(places), 0.0, "difference")
    rises = [] if lower is None else [hypothesis.deviates(lower)]
    falls = [] if upper is None else [-hypothesis.deviates(upper)]
    # Schuirmann (1987): within where both one-sided tests say so.
    deviate = np.minimum.reduce([*rises, *falls])
    pvalue = pvalues_of(deviate, "greater")
    single = family_level(pvalue, adjust, level)
    ends = hypothesis.ends(quantile_of(single, "greater"))
    ratio, _ = hypothesis.estimates()
    changed = adjusted(pvalue, adjust)
    away = pvalues_of(
        np.maximum.reduce([-each for each in (*rises, *falls)]), "greater"
    )
    within, outside = changed < 1 - level, adjusted(away, adjust) < 1 - level
    verdicts = np.where(within, "within", np.where(outside, "outside", "undecided"))
    overall = "undecided"
    if bool((pvalue < 1 - level).all()):
        overall = "within"
    elif bool((adjusted(away, "bonferroni") < 1 - level).any()):
        overall = "outside"
    return Equivalence(
        group=target.named(places),
        ratio=ratio,
        ci_lower=ends.lower,
        ci_upper=ends.upper,
        pvalue=pvalue,
        pvalue_adjusted=changed,
        verdicts=tuple(verdicts.tolist()),
        overall=overall,
        lower=lower,
        upper=upper,
        level=level,
        adjust=adjust,
        variance=target.variance,
        is_simulated=release.is_simulated,
        origin=release.origin,
        release_id=release.id,
        asked=target.asked,
    )


def _require_margins(lower: float | None, upper: float | None) -> None:
    for margin in (lower, upper):
        usable = margin is None or is_finite_number(margin)
        require(usable, "a margin must be a finite number", margin)
    hint = "Give lower=0.95 and upper=1.05 for instance, or one of them."
    given = lower is not None or upper is not None
    require(given, "at least one margin is needed", None, hint)
    ordered = lower is None or upper is None or lower < upper
    require(ordered, "margins must be in order", (lower, upper))
