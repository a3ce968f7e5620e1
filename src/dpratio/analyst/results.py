"""The answer: one row per group.

Floor: analyst. Imports: tabular.
"""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.label_columns import label_columns
from dpratio.analyst.moments import Floats
from dpratio.analyst.stamps import stamps
from dpratio.tabular import Tabular

__all__ = ["STATUSES", "Estimates"]

STATUSES = {
    "ok": "the interval holds at its level",
    "variance_floored": (
        "noise hid the sampling variance; one standard deviation of that noise "
        "stands in for it"
    ),
    "unbounded": (
        "the noisy denominator cannot be told from zero; no finite interval is honest"
    ),
    "half_line": "the ratio has a smallest plausible value and no largest",
    "disconnected": (
        "all ratios are plausible except a stretch between; the ends span all of them"
    ),
}


@dataclass(frozen=True, slots=True, eq=False)
class Estimates(Tabular):
    """Ratios with confidence intervals, one row per declared key.

    ``se`` is the standard error on the scale of the interval; ``se_sampling`` and
    ``se_privacy`` are its two parts, whose squares add up. ``status`` is one of
    `STATUSES`. An unbounded interval has infinite ends, and its ratio is NaN where
    the denominator is not positive.
    """

    labels: Mapping[str, Sequence[Any]]
    ratio: Floats
    ci_lower: Floats
    ci_upper: Floats
    se: Floats
    se_sampling: Floats
    se_privacy: Floats
    codes: NDArray[np.int8]
    method: str
    scale: str
    level: float
    variance: str
    is_simulated: bool
    log_ratio: Floats | None = None
    log_ci_lower: Floats | None = None
    log_ci_upper: Floats | None = None
    origin: str | None = None

    @property
    def status(self) -> tuple[str, ...]:
        """The status of every row, one of `STATUSES`."""
        names = np.array(list(STATUSES), dtype=object)
        return tuple(names[self.codes].tolist())

    def columns(self) -> dict[str, list[Any]]:
        """One row per cell, in declared order."""
        names = ["ratio", "ci_lower", "ci_upper"]
        if self.scale == "log":
            names += ["log_ratio", "log_ci_lower", "log_ci_upper"]
        names += ["se", "se_sampling", "se_privacy"]
        table = label_columns(self.labels, {*names, "status"})
        for name in names:
            table[name] = getattr(self, name).tolist()
        table["status"] = list(self.status)
        return table

    def precision(self) -> dict[str, list[float]]:
        """Ratios and their ends are rounded to their standard error."""
        on_ratio = ("ratio", "ci_lower", "ci_upper")
        on_log = ("log_ratio", "log_ci_lower", "log_ci_upper")
        names = on_log if self.scale == "log" else on_ratio
        return dict.fromkeys(
            (*names, "se", "se_sampling", "se_privacy"), self.se.tolist()
        )

    def notes(self) -> list[str]:
        """Say how the intervals were made and what their statuses mean."""
        lines = stamps(self.origin, is_simulated=self.is_simulated)
        lines.append(
            f"Intervals at level {self.level:g}, method {self.method}, "
            f"scale {self.scale}, variance {self.variance}."
        )
        if self.method == "no_correction":
            lines.append("These intervals ignore the noise and are too narrow.")
        counts = np.bincount(self.codes, minlength=len(STATUSES))
        seen = [status for at, status in enumerate(STATUSES) if counts[at]]
        lines += [f"{status}: {STATUSES[status]}." for status in seen if status != "ok"]
        return lines

    def __str__(self) -> str:
        return "\n".join([*self.notes(), "", self.to_text()])

    def _repr_html_(self) -> str:
        said = "".join(f"<p>{html.escape(line)}</p>" for line in self.notes())
        return said + self.to_html()

    def __len__(self) -> int:
        return len(self.ratio)
