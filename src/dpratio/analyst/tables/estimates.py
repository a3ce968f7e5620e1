"""The answer: one row per group."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.sums.effective import EffectiveSize
from dpratio.analyst.tables.clipping import Clipping
from dpratio.analyst.tables.digits import rounded_to
from dpratio.analyst.tables.facets import Facet
from dpratio.analyst.tables.labels import labelled, name_of
from dpratio.analyst.tables.provenance import stamps
from dpratio.analyst.tables.sentence import (
    interval_in_words,
    percent,
    range_in_words,
    short,
)
from dpratio.analyst.tables.statuses import (
    FLOORED,
    Codes,
    codes_of,
    meanings_of,
    words_of,
)
from dpratio.arrays import Floats
from dpratio.tabular import Tabular

STATUSES = {
    "ok": "the interval holds at its level",
    "variance_floored": FLOORED,
    "weak": (
        "the sums lie within 4.5 standard deviations of zero, or somewhat further out "
        "where noise hides the variance, or the denominator alone within three, and "
        "the interval may be bounded by luck; its level is not promised: where few "
        "answers of its kind are bounded, they cover less"
    ),
    "unbounded": (
        "the noisy denominator cannot be told from zero; no finite interval is honest. "
        "Epsilon may be too small for so small a group; where more was expected, "
        "the data holder should check how keys, decimals and dates are written"
    ),
    "half_line": (
        "the ratio has a smallest plausible value and no largest; its level is not "
        "promised: where few answers of its kind are half lines, they cover less"
    ),
    "disconnected": (
        "all ratios are plausible except a stretch between; the ends span all of them"
    ),
}
_CODES = codes_of(STATUSES)
_UNSURE = 1.96  # Standard deviations of noise.
_MEDIAN = 1.2533  # √(π/2): how much more a median of many varies than their mean.


@dataclass(frozen=True, slots=True, eq=False)
class Estimates(Tabular):
    """Ratios with confidence intervals, one row per declared key.

    ``se`` is the standard error on the scale of the interval; ``se_sampling`` and
    ``se_privacy`` are its two parts, whose squares add up. ``status`` is one of
    `STATUSES`. An unbounded interval has infinite ends, and its ratio is NaN where
    the denominator is not positive. ``totals`` names what is above and below the line
    where one thing was asked. ``public_squared`` is the squared width that an interval
    would have without noise, estimated, and ``public_doubt`` the standard deviation of
    that estimate's noise; they price privacy in `summary`. ``reference`` is the ratio
    at which they agree, 1 for columns of the same range and 0 for differences, or None
    where the question has none; ``around_one`` says that it is 1. ``within`` says to
    what values are clipped. ``facets`` say which rows belong to which question, and
    what gives them an order. ``clipping`` says how many people the bounds cut, where
    that was measured, and ``effective`` how many people of equal weight would say as
    much as the weighted ones.

    Example:
        >>> import dpratio as dpr
        >>> estimates = dpr.estimate_ratios(dpr.example_release())
        >>> len(estimates), estimates.ci_upper[:4].round(3), set(estimates.status)
        (9, array([1.034, 1.078, 1.138, 1.255]), {'ok'})
    """

    spare: ClassVar = (
        "effective_people",
        "clipped_people",
        "clipped_lower",
        "clipped_upper",
        "clipped_share",
        "clipping",
        "se_privacy",
        "se_sampling",
        "se",
        "log_ci_lower",
        "log_ci_upper",
        "log_ratio",
    )

    labels: Mapping[str, Sequence[Any]]
    ratio: Floats
    ci_lower: Floats
    ci_upper: Floats
    se: Floats
    se_sampling: Floats
    se_privacy: Floats
    codes: Codes
    method: str
    link: str
    level: float
    variance: str
    is_simulated: bool
    log_ratio: Floats | None = None
    log_ci_lower: Floats | None = None
    log_ci_upper: Floats | None = None
    origin: str | None = None
    totals: tuple[str, str] | None = None
    around_one: bool = False
    reference: float | None = None
    public_squared: Floats | None = None
    public_doubt: Floats | None = None
    within: tuple[str, ...] = ()
    facets: tuple[Facet, ...] = ()
    clipping: Clipping | None = None
    effective: EffectiveSize | None = None

    @property
    def clipped_people(self) -> Floats | None:
        """How many people the bounds cut, of every row; None if not measured."""
        return None if self.clipping is None else self.clipping.people

    @property
    def status(self) -> tuple[str, ...]:
        """The status of every row, one of `STATUSES`."""
        return words_of(self.codes, STATUSES)

    @property
    def is_located(self) -> NDArray[np.bool_]:
        """Whether an interval says where a ratio lies; elsewhere none is shown."""
        nowhere = (_CODES["unbounded"], _CODES["disconnected"])
        located: NDArray[np.bool_] = ~np.isin(self.codes, nowhere)
        return located

    def columns(self) -> dict[str, list[Any]]:
        """One row per cell, in declared order."""
        names = ["ratio", "ci_lower", "ci_upper"]
        if self.link == "log":
            names += ["log_ratio", "log_ci_lower", "log_ci_upper"]
        names += ["se", "se_sampling", "se_privacy"]
        answers = {name: getattr(self, name).tolist() for name in names}
        answers |= {"status": list(self.status)}
        if self.clipping is not None:
            answers |= self.clipping.columns()
        if self.effective is not None:
            answers["effective_people"] = self.effective.people.tolist()
        return labelled(self.labels, answers)

    def shown(self) -> dict[str, list[str]]:
        """The table for people; of cuts it has columns where any was seen.

        Elsewhere a sentence of the notes says how many people may have been cut.
        """
        table = Tabular.shown(self)
        if self.clipping is None or self.clipping.is_clipped.any():
            return table
        return {
            name: cells
            for name, cells in table.items()
            if name not in self.clipping.columns()
        }

    def precision(self) -> dict[str, list[float]]:
        """Ratios and their ends are rounded to their standard error.

        A half line has none: the distance from its end to the ratio is used instead.
        """
        errors = rounded_to(self.se, values=("se", "se_sampling", "se_privacy"))
        if self.effective is not None:
            # Parts of people say nothing, whatever the noise.
            lost = np.isnan(self.effective.noise)
            unsure = np.where(lost, np.inf, np.maximum(self.effective.noise, 10.0))
            errors |= rounded_to(unsure, values=("effective_people",))
        ends = ("ci_lower", "ci_upper")
        known = np.isfinite(self.se)
        on_ratio = np.where(known, self.se, np.abs(self.ratio - self.ci_lower) / 2)
        if self.link == "ratio":
            unsure = np.where(self.is_located, on_ratio, np.inf)
            return errors | rounded_to(unsure, values=("ratio",), ends=ends)
        unsure = np.where(self.is_located, np.where(known, np.nan, on_ratio), np.inf)
        on_log = np.where(self.is_located, self.se, np.inf)
        on_link = ("log_ci_lower", "log_ci_upper")
        return (
            errors
            | rounded_to(unsure, values=("ratio",), ends=ends)
            | rounded_to(on_log, values=("log_ratio",), ends=on_link)
        )

    def notes(self) -> list[str]:
        """Say how the intervals were made and what their statuses mean."""
        lines = stamps(self.origin, is_simulated=self.is_simulated)
        lines.append(
            f"Intervals at level {self.level:g}, method {self.method}, "
            f"link {self.link}, variance {self.variance}."
        )
        lines += self.within
        if self.clipping is not None:
            lines += self.clipping.said(self.labels)
        if self.effective is not None:
            lines.append(
                "effective_people is Kish's effective sample size (Σw)²/Σw², from "
                "noisy sums: so many of equal weight would say as much."
            )
        if self.method == "no_correction":
            lines.append("These intervals ignore the noise and are too narrow.")
        return lines + meanings_of(self.codes, STATUSES)

    def summary(self) -> str:
        """Say the answer in a sentence.

        Example:
            "score is 9.8 % above label, 95 % interval 6.1 % to 13.7 %; privacy widens
            it by 2.0 % to 6.0 %"
        """
        cut = "" if self.clipping is None else self.clipping.briefly()
        return self._in_words() + cut

    def _in_words(self) -> str:
        above, below = self.totals or ("the numerator", "the denominator")
        if len(self) == 1:
            return self._one_in_words(above, below)
        bounded = np.isfinite(self.ci_upper) & np.isfinite(self.ratio)
        missing = len(self) - int(bounded.sum())
        open_ended = ""
        if missing:
            verb = "has" if missing == 1 else "have"
            open_ended = (
                f"; {missing:,} of {len(self):,} {verb} no bounded interval: "
                "too little budget for their size"
            )
        if not bounded.any():
            return f"{len(self):,} ratios of {above} per {below}{open_ended}"
        known = np.where(bounded, self.ratio, np.nan)
        ends = [
            f"{short(float(self.ratio[at]))} ({name_of(self.labels, at)})"
            for at in (int(np.nanargmin(known)), int(np.nanargmax(known)))
        ]
        where = f"one of them known: {ends[0]}"
        if bounded.sum() > 1:
            where = f"from {' to '.join(ends)}"
        said = f"{len(self):,} ratios of {above} per {below}, {where}"
        if self.around_one:
            apart = int(((self.ci_lower > 1) | (self.ci_upper < 1)).sum())
            verb = "leave" if apart > 1 else "leaves"
            many = f"{apart:,}" if apart else "none"
            said += f"; {many} of their {100 * self.level:.4g} % intervals {verb} 1 out"
        return said + open_ended + self._price_in_words()

    def _one_in_words(self, above: str, below: str) -> str:
        ratio = float(self.ratio[0])
        ends = (float(self.ci_lower[0]), float(self.ci_upper[0]))
        if np.isnan(ratio) or not np.isfinite(ends[1]):
            known = self.is_located[0] and not np.isnan(ratio)
            shown = short(ratio) if known else "unknown"
            return (
                f"{above} per {below} is {shown}, with no bounded "
                f"{100 * self.level:.4g} % interval: the denominator is weak"
            )
        price = self._price_in_words()
        if not self.around_one:
            said = interval_in_words(ends, self.level, short)
            return f"{above} per {below} is {short(ratio)}, {said}{price}"
        side = "above" if ratio >= 1 else "below"
        said = interval_in_words((ends[0] - 1, ends[1] - 1), self.level, percent)
        return f"{above} is {percent(abs(ratio - 1))} {side} {below}, {said}{price}"

    def privacy_widens(self) -> tuple[float, float] | None:
        """Give by which shares privacy widens the median bounded interval, at 0.95.

        The median over all bounded rows. The noise in the width without privacy, which
        is not known, is counted: of many rows the median has less of it. None where
        nothing is bounded, the method does not tell, or noise hides it altogether.
        """
        if self.public_squared is None or self.public_doubt is None:
            return None
        widths = self.ci_upper - self.ci_lower
        told = np.isfinite(widths) & (widths > 0) & np.isfinite(self.public_squared)
        if not told.any():
            return None
        unsure = _UNSURE * min(1.0, _MEDIAN / np.sqrt(told.sum()))
        width, public = widths[told], self.public_squared[told]
        doubt = unsure * self.public_doubt[told]
        with np.errstate(divide="ignore"):
            least, most = (
                float(np.median(width / np.sqrt(np.maximum(each, 0.0)))) - 1
                for each in (public + doubt, public - doubt)
            )
        return None if least <= 0 and np.isinf(most) else (least, most)

    def _price_in_words(self) -> str:
        """Say what privacy adds to the width, as far as the release tells."""
        widened = self.privacy_widens()
        if widened is None:
            return ""
        whose = "it" if len(self) == 1 else "the median interval"
        return f"; privacy widens {whose} {range_in_words(widened)}"

    def said(self) -> list[str]:
        """The summary, then the notes."""
        return [self.summary(), *self.notes()]

    def __len__(self) -> int:
        return len(self.ratio)
