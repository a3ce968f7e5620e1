"""How often each status is given, and how often its intervals cover.

An interval that covers on the whole may owe it to those without an end. Here every
status answers for itself, and so do all bounded intervals together.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpratio.analyst.tables.estimates import STATUSES
from dpratio.analyst.tables.statuses import Codes
from dpratio.arrays import Flags, Floats
from dpratio.tabular import UNKNOWN, Tabular, columns_of, show_value

__all__ = ["StatusFigures", "StatusTable", "judge_statuses", "shown_statuses", "told"]

BOUNDED = "bounded"
_NAMES = (BOUNDED, *STATUSES)
_FIGURES = ("share", "share_error", "coverage", "coverage_error")
_Z = 1.96


@dataclass(frozen=True, slots=True)
class StatusFigures:
    """Repetitions of one status: their share of all, and the share that cover.

    Errors are half the width of a 95 % interval, of Wilson (1927): it knows that a few
    intervals which all cover do not show a coverage of 1.
    """

    repetitions: int
    given: int
    covering: int

    @property
    def share(self) -> float:
        """The share of all repetitions."""
        return self.given / self.repetitions

    @property
    def share_error(self) -> float:
        """How far the share may be off."""
        return _half_width(self.given, self.repetitions)

    @property
    def coverage(self) -> float:
        """The share of these intervals that cover; NaN where there are none."""
        return self.covering / self.given if self.given else math.nan

    @property
    def coverage_error(self) -> float:
        """How far the coverage may be off; NaN where there are none."""
        return _half_width(self.covering, self.given) if self.given else math.nan


@dataclass(frozen=True, slots=True)
class StatusTable(Tabular):
    """Rows whose figures by status are shown to people where the status occurs."""

    spare: ClassVar = (
        "*: share, coverage",
        "*_paper",
        "*_public",
        "*_fieller",
        "denominator_sds",
        "level",
        "coverage_error",
        "unbounded",
        "floor",
        "strategy",
        "weighted",
    )

    rows: tuple[dict[str, Any], ...]

    def columns(self) -> dict[str, list[Any]]:
        """Every figure of every row."""
        return columns_of(self.rows)

    def shown(self) -> dict[str, list[str]]:
        """Tell of the statuses that occur, each in one column."""
        return shown_statuses(self.columns())


def judge_statuses(
    lower: Floats, upper: Floats, status: Codes, truth: float
) -> dict[str, StatusFigures]:
    """Judge the intervals of each status, and all that have both ends."""
    with np.errstate(invalid="ignore"):
        covered = (lower <= truth) & (truth <= upper)
    chosen: dict[str, Flags] = {BOUNDED: np.isfinite(lower) & np.isfinite(upper)}
    chosen |= {name: status == code for code, name in enumerate(STATUSES)}
    return {
        name: StatusFigures(len(lower), int(rows.sum()), int(covered[rows].sum()))
        for name, rows in chosen.items()
    }


def told(statuses: Mapping[str, StatusFigures]) -> dict[str, float | None]:
    """Lay figures out as columns; intervals without noise have no status."""
    return {
        f"{name}_{figure}": getattr(statuses[name], figure) if statuses else None
        for name in _NAMES
        for figure in _FIGURES
    }


def shown_statuses(columns: Mapping[str, Sequence[Any]]) -> dict[str, list[str]]:
    """Write columns as text, the figures of each status that occurs in one.

    Where every interval is ``ok`` there is nothing to tell apart.
    """
    used = [name for name in STATUSES if any(columns[f"{name}_share"])]
    kept = [BOUNDED, *used] if set(used) - {"ok"} else []
    figures = {name: [f"{name}_{each}" for each in _FIGURES] for name in _NAMES}
    plain = set(columns) - {each for names in figures.values() for each in names}
    shown = {
        name: [show_value(cell) for cell in cells]
        for name, cells in columns.items()
        if name in plain
    }
    for name in kept:
        rows = zip(*(columns[each] for each in figures[name]), strict=True)
        shown[f"{name}: share, coverage"] = [_in_words(*row) for row in rows]
    return shown


def _in_words(
    share: float | None, share_error: float, coverage: float, coverage_error: float
) -> str:
    if not share:
        return UNKNOWN if share is None else "0"
    return f"{share:.3f} ± {share_error:.3f}, {coverage:.3f} ± {coverage_error:.3f}"


def _half_width(count: int, of: int) -> float:
    # Wilson (1927): the interval's ends are p̃ ± this.
    share = count / of
    inside = share * (1 - share) / of + _Z**2 / (4 * of**2)
    return _Z * math.sqrt(inside) / (1 + _Z**2 / of)
