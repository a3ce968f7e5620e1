"""Ends of ratios without cuts, and in words on what they rest."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpratio.analyst.tables.sentence import interval_in_words, short
from dpratio.arrays import Floats

__all__ = ["WithoutCuts"]


@dataclass(frozen=True, slots=True, eq=False)
class WithoutCuts:
    """Confidence intervals of the ratios of columns that no bound cut.

    They hold where no number of a column lies beyond its ``reach``: noise hides who
    does. An end of a reach is infinite where people are seen further out, or many may
    hide there; the interval is open on that side. ``kept`` are columns whose cuts stay,
    since no histogram counted them. ``is_part`` says that rows share one histogram. NaN
    where nothing was counted.
    """

    lower: Floats
    upper: Floats
    level: float
    reach: Mapping[str, tuple[float, float]]
    kept: tuple[str, ...] = ()
    is_part: bool = False

    def columns(self) -> dict[str, list[float]]:
        """Columns of a table."""
        return {"uncut_lower": self.lower.tolist(), "uncut_upper": self.upper.tolist()}

    def said(self) -> list[str]:
        """Say what the ratio may be without cuts, and if what."""
        lines = [f"Without cuts: {self._interval()}{self._condition()}."]
        for name, ends in self.reach.items():
            if np.isinf(ends).any():
                lines.append(
                    f"Some {name} may lie far beyond the bounds: the histogram shows "
                    "it, or is too noisy to exclude it. That side has no end."
                )
        if self.is_part:
            lines.append(
                "The histogram is of all rows together: of each answer as much may "
                "have been cut as of all."
            )
        if self.kept:
            names = " and ".join(self.kept)
            lines.append(f"No histogram tells what the bounds of {names} cut.")
        return lines

    def _interval(self) -> str:
        if len(self.lower) > 1:
            return "uncut_lower to uncut_upper"
        ends = float(self.lower[0]), float(self.upper[0])
        return interval_in_words(ends, self.level, short)

    def _condition(self) -> str:
        """Say what nobody can see, and what is taken for granted."""
        within = [
            f"every {name} lies {_between(*ends)}"
            for name, ends in self.reach.items()
            if np.isfinite(ends).any()
        ]
        if not within:
            return ""
        return f", if {' and '.join(within)}; noise hides what lies beyond"


def _between(low: float, high: float) -> str:
    if np.isinf(low):
        return f"below {_plain(high)}"
    if np.isinf(high):
        return f"above {_plain(low)}"
    return f"within {_plain(low)} to {_plain(high)}"


def _plain(number: float) -> str:
    said = f"{number:,.0f}" if float(number).is_integer() else f"{number:g}"
    return said.replace("-", "−")
