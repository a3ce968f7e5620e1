"""The answer to a comparison: one row per pair of groups and link."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpratio.analyst.comparison.adjust import ADJUSTMENTS
from dpratio.analyst.tables.digits import rounded_to
from dpratio.analyst.tables.provenance import stamps
from dpratio.analyst.tables.sentence import (
    chance_in_words,
    compared_in_words,
    interval_in_words,
    percent,
    short,
)
from dpratio.analyst.tables.statuses import FLOORED, Codes, meanings_of, words_of
from dpratio.arrays import Floats
from dpratio.tabular import Tabular

ALTERNATIVES = ("two-sided", "greater", "less")

COMPARISON_STATUSES = {
    "ok": "the interval holds at its level",
    "variance_floored": FLOORED,
    "weak": (
        "the sums of a group lie within 4.5 standard deviations of zero, or somewhat "
        "further out where noise hides the variance, or its denominator alone within "
        "three, and the interval may be bounded by luck; its level is not promised: "
        "where few answers of its kind are bounded, they cover less"
    ),
    "half_line": (
        "one end is open: a denominator, or the ratio compared with, cannot be told "
        "from zero; the level is not promised: where few answers of its kind are half "
        "lines, they cover less"
    ),
    "unbounded": (
        "a noisy denominator cannot be told from zero; no finite interval is honest"
    ),
    "disconnected": (
        "all values are plausible except a stretch around the null; the ends span all "
        "of them"
    ),
}

_NOWHERE = ("unbounded", "disconnected")


@dataclass(frozen=True, slots=True, eq=False)
class Comparison(Tabular):
    """Ratios compared with each other or with a value, one row for each.

    ``statistic`` is the normal deviate that says the same as ``pvalue``: positive
    where the first ratio seems larger. A ``pvalue`` below 1 − ``level`` goes with an
    interval that leaves the null out. ``pvalue_adjusted`` and the intervals allow for
    the number of comparisons as ``adjust`` says. ``status`` is one of
    `COMPARISON_STATUSES`; ``asked`` is what was compared, as in "revenue per visit",
    and ``column`` what the groups are groups of, where their keys alone say little.
    ``shared_groups`` is in how many groups one person may lie; above 1 the variance
    is a bound, and the column ``people`` says so.

    Example:
        >>> import dpratio as dpr
        >>> release = dpr.example_release()
        >>> found = dpr.compare_ratios(release, "west", "north")
        >>> found.estimate.round(3), found.ci_lower.round(3), found.status
        (array([0.207]), array([0.16]), ('ok',))
    """

    spare: ClassVar = (
        "alternative",
        "level",
        "adjust",
        "statistic",
        "se",
        "reference",
        "people",
        "link",
    )

    first: Sequence[Any]
    second: Sequence[Any] | None
    reference: float | None
    link: Sequence[str]
    estimate: Floats
    ci_lower: Floats
    ci_upper: Floats
    se: Floats
    statistic: Floats
    pvalue: Floats
    pvalue_adjusted: Floats
    codes: Codes
    null: float
    alternative: str
    level: float
    interval_level: float
    adjust: str
    variance: str
    is_simulated: bool
    origin: str | None = None
    release_id: str = ""
    asked: str = ""
    column: str = ""
    shared_groups: int = 1

    @property
    def status(self) -> tuple[str, ...]:
        """The status of every row, one of `COMPARISON_STATUSES`."""
        return words_of(self.codes, COMPARISON_STATUSES)

    def status_of(self, row: int) -> str:
        """Give the status of one row."""
        return list(COMPARISON_STATUSES)[int(self.codes[row])]

    def columns(self) -> dict[str, list[Any]]:
        """One row per comparison and link."""
        count = len(self)
        table: dict[str, list[Any]] = {"first": list(self.first)}
        if self.second is None:
            table["reference"] = [self.reference] * count
        else:
            table["second"] = list(self.second)
        table["link"] = list(self.link)
        for name in ("estimate", "ci_lower", "ci_upper", "se", "statistic", "pvalue"):
            table[name] = getattr(self, name).tolist()
        if self.adjust != "none":
            table["pvalue_adjusted"] = self.pvalue_adjusted.tolist()
            table["adjust"] = [self.adjust] * count
        table["alternative"] = [self.alternative] * count
        table["level"] = [self.level] * count
        table["status"] = list(self.status)
        if self.shared_groups > 1:
            table["people"] = ["may be shared"] * count
        return table

    def precision(self) -> dict[str, list[float]]:
        """An estimate without an interval says nothing."""
        places = [list(COMPARISON_STATUSES).index(each) for each in _NOWHERE]
        unsure = np.where(np.isin(self.codes, places), np.inf, np.nan)
        return rounded_to(unsure, values=("estimate",))

    def notes(self) -> list[str]:
        """Say how the comparison was made and what its statuses mean."""
        lines = stamps(self.origin, is_simulated=self.is_simulated)
        against = "" if self.null == 0 else f" against {self.null:g}"
        lines.append(
            f"Tests are {self.alternative}{against}, intervals at level "
            f"{self.level:g}, variance {self.variance}."
        )
        if self.shared_groups > 1:
            lines.append(
                f"One person may be in {self.shared_groups:,} groups, and nobody knows "
                "in which: the variance is bounded by (√V₁ + √V₂)², V being that of "
                "each side. Intervals and p-values hold whatever is shared, and are "
                "wider and larger than needed where the same people do alike in both."
            )
        family = len(self) // len(set(self.link)) if len(self) else 0
        if self.adjust != "none":
            lines.append(
                f"Adjusted over {family:,} comparisons: {ADJUSTMENTS[self.adjust]}. "
                f"Each interval by itself is at level {self.interval_level:.6g}."
            )
        elif family > 1:
            lines.append(
                f"{family:,} comparisons, not adjusted: {ADJUSTMENTS['none']}. "
                "Some will seem to differ by chance; see adjust."
            )
        return lines + meanings_of(self.codes, COMPARISON_STATUSES)

    def summary(self) -> str:
        """Say the answer in a sentence.

        Example:
            "north is 9.8 % above south, 95 % interval 6.1 % to 13.7 %; p = 0.00021"
        """
        if len(self) == 0:
            return "nothing was compared"
        one_link = [at for at, each in enumerate(self.link) if each == self.link[0]]
        if len(one_link) == 1:
            return self._row_in_words(0)
        chosen = self.pvalue_adjusted[one_link]
        found = int((chosen < 1 - self.level).sum())
        clearest = one_link[int(np.argmin(self.pvalue[one_link]))]
        verb = "shows" if found == 1 else "show"
        after = "" if self.adjust == "none" else f" after adjusting ({self.adjust})"
        return (
            f"{found:,} of {len(one_link):,} comparisons {verb} a difference at level "
            f"{self.level:g}{after}; the clearest: {self._row_in_words(clearest)}"
        )

    def _row_in_words(self, at: int) -> str:
        link = self.link[at]
        second = f"{self.reference:g}" if self.second is None else self.second[at]
        value = float(self.estimate[at])
        ends = (float(self.ci_lower[at]), float(self.ci_upper[at]))
        if self.status_of(at) in _NOWHERE:
            value, ends = math.nan, (-math.inf, math.inf)
        first = f"{self.column} {self.first[at]}" if self.column else self.first[at]
        words = compared_in_words(first, second, value, link)
        show = percent if link == "lift" else short
        chance = chance_in_words(float(self.pvalue_adjusted[at]))
        return f"{words}, {interval_in_words(ends, self.level, show)}; {chance}"

    def said(self) -> list[str]:
        """The summary, then the notes."""
        return [self.summary(), *self.notes()]

    def __len__(self) -> int:
        return len(self.estimate)
