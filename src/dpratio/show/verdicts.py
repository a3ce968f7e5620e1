"""What an interval says about a reference value, in words."""

import math
from dataclasses import dataclass

import numpy as np

from dpratio.analyst.tables.estimates import Estimates

__all__ = ["VERDICTS", "View", "in_view", "names_of", "verdicts_of"]

VERDICTS = (
    "above",
    "below",
    "not told apart",
    "no finite interval",
    "finite interval",
)


@dataclass(frozen=True, slots=True)
class View:
    """The stretch of ratios that a picture shows."""

    lower: float
    upper: float

    def cut(self, value: float) -> float:
        """Move a value into view; NaN stays."""
        return value if math.isnan(value) else min(max(value, self.lower), self.upper)

    def place(self, value: float) -> float | None:
        """Give the place of a value on a line from 0 to 1000; None for NaN."""
        if math.isnan(value):
            return None
        share = (self.cut(value) - self.lower) / (self.upper - self.lower)
        return round(1000 * share, 1)


def verdicts_of(estimates: Estimates, reference: float | None) -> list[str]:
    """Say of each interval where it lies beside the reference, if there is one."""
    lower, upper = estimates.ci_lower, estimates.ci_upper
    endless = ~np.isfinite(lower) | ~np.isfinite(upper)
    apart = np.array([each == "disconnected" for each in estimates.status])
    if reference is None:
        return [VERDICTS[3 if each else 4] for each in (apart | endless).tolist()]
    chosen = np.select(
        [
            apart | (endless & ~(lower > reference)),
            lower > reference,
            upper < reference,
        ],
        [3, 0, 1],
        default=2,
    )
    return [VERDICTS[at] for at in chosen.tolist()]


def names_of(estimates: Estimates) -> list[str]:
    """Name each row by its labels; rows of the same name get numbers."""
    columns = [[str(cell) for cell in cells] for cells in estimates.labels.values()]
    names = [" · ".join(row) for row in zip(*columns, strict=True)] or ["all"]
    seen: dict[str, int] = {}
    told = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        told.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return told


def in_view(estimates: Estimates, reference: float | None) -> View:
    """Choose what a picture shows: all that is not far off most of the rest."""
    bounded = np.isfinite(estimates.ci_lower) & np.isfinite(estimates.ci_upper)
    if not bounded.any():
        middle = 1.0 if reference is None else reference
        return View(middle - 1, middle + 1)
    lower, upper = estimates.ci_lower[bounded], estimates.ci_upper[bounded]
    middle, width = np.median((lower + upper) / 2), np.median(upper - lower)
    apart = np.quantile(np.abs((lower + upper) / 2 - middle), 0.95)
    reach = apart + 2.5 * width
    left = max(float(lower.min()), float(middle - reach))
    right = min(float(upper.max()), float(middle + reach))
    if reference is None:
        # Intervals of no width leave a view of none.
        return View(left, right) if left < right else View(left - 1, right + 1)
    return View(min(left, reference), max(right, reference))
