"""The box that one unit's values lie in: of a row, or of a person's totals."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from dpratio.errors import InvalidInput
from dpratio.plan.sensitivity.sums import step_for
from dpratio.terms.bounds import Bounds
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

# Rows that add up to a bound may come out some cells beyond it, and nothing was cut:
# 16 are a millionth of the reach, and the rounding of 30 rows.
_ROUNDED = 16


@dataclass(frozen=True, slots=True)
class Total:
    """How a person's rows are added up: in cells of a step, clipped to whole cells.

    ``can_cut`` says whether a total that is clipped is counted as cut.
    """

    step: float
    lowest: int
    highest: int
    can_cut: bool = True

    @property
    def uncut(self) -> tuple[int, int]:
        """The cells from which to which a total is not counted as cut."""
        return self.lowest - _ROUNDED, self.highest + _ROUNDED

    @property
    def bounds(self) -> Bounds:
        """The exact range of a clipped total."""
        low, high = self.lowest * self.step, self.highest * self.step
        return Bounds(low, high, natural=not self.can_cut)


def row_box(ratio: Ratio, bounds: Mapping[str, Bounds]) -> dict[str, Bounds]:
    """Return the bounds of a row's s, y and, where there is one, w."""
    numerator = bounds[ratio.numerator]
    if ratio.minus is not None:
        other = bounds[ratio.minus]
        low, high = numerator.lower - other.upper, numerator.upper - other.lower
        natural = numerator.natural and other.natural
        numerator = Bounds(low, high, natural=natural)
    box = {"s": numerator, "y": bounds[ratio.per]}
    if ratio.weight is not None:
        box["w"] = bounds[ratio.weight]
    return box


def totals_of(ratio: Ratio, unit: PrivacyUnit) -> dict[str, Total]:
    """Return how the numerator and the denominator of a person are added up."""
    names = zip("sy", ratio.totals, strict=True)
    return {letter: _total(unit.totals[name], name) for letter, name in names}


def box_of(
    ratio: Ratio, bounds: Mapping[str, Bounds], unit: PrivacyUnit
) -> dict[str, Bounds]:
    """Return the box of one unit: its row's, or that of its clipped totals."""
    if unit.column is None:
        return row_box(ratio, bounds)
    return {letter: each.bounds for letter, each in totals_of(ratio, unit).items()}


def can_cut(ratio: Ratio, bounds: Mapping[str, Bounds], unit: PrivacyUnit) -> bool:
    """Whether a bound of a row's numbers or of a person's totals may cut."""
    totals = {} if unit.column is None else totals_of(ratio, unit)
    of_rows = any(bounds[name].can_cut for name in ratio.columns)
    return of_rows or any(each.can_cut for each in totals.values())


def _total(bounds: Bounds, name: str) -> Total:
    step = step_for(bounds.reach)
    lowest, highest = math.ceil(bounds.lower / step), math.floor(bounds.upper / step)
    if lowest >= highest:
        raise InvalidInput(
            f"the totals of '{name}' have too narrow a range, got {bounds.lower!r} to "
            f"{bounds.upper!r}.",
            field="totals",
        )
    # Rows of 0 and 1 may add up to more than 1: a binary total is not natural.
    return Total(step, lowest, highest, bounds.can_cut or bounds.is_binary)
