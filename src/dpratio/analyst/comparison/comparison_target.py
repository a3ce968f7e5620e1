"""What a comparison is about: a part of a release, its groups, and both sides."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpratio.analyst.comparison.complement import rest_of
from dpratio.analyst.comparison.designs import (
    REST,
    names_of,
    part_of,
    places_of,
    sides_of,
)
from dpratio.analyst.comparison.hypothesis import AgainstValue, Between, Contest
from dpratio.analyst.ratio.cells import Cells, cells_of
from dpratio.analyst.ratio.interval import Range
from dpratio.analyst.sums.moments import moments_of
from dpratio.analyst.sums.variance import choose_variance
from dpratio.analyst.tables.options import is_finite_number
from dpratio.checks import require
from dpratio.release.release import Release, require_release

__all__ = ["Asked"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A part of a release, its cells as tests, and the groups that were named."""

    release: Release
    part: int
    groups: tuple[Any, ...]
    cells: Cells
    variance: str

    @classmethod
    def of(
        cls,
        release: Release,
        groups: Sequence[Any],
        *,
        part: int | None,
        variance: str | None,
    ) -> "Asked":
        """Find the part that is asked about, and test its ratios."""
        require_release(release)
        at = part_of(release, groups, part)
        moments = moments_of(release, at)
        form = choose_variance(moments, variance)
        lowest = Range.of(release.plan.box(release.plan.parts[at])).lowest
        cells = cells_of(moments, form, level=0.95, lowest=lowest)
        return cls(release, at, tuple(groups), cells, form)

    @property
    def names(self) -> list[Any]:
        """The names of all cells of the part."""
        return names_of(self.release.parts[self.part])

    def contest(
        self, design: str, reference: float | None, scale: str
    ) -> tuple[Contest, tuple[list[Any], list[Any] | None]]:
        """Set up what is compared with what, and name both sides."""
        names = self.names
        if reference is not None:
            _require_reference(reference, scale)
            require(
                design == "pairs", "a reference takes the place of a design", design
            )
            places = places_of(self.release.parts[self.part], self.groups)
            value = AgainstValue(self.cells.only(places), float(reference), scale)
            return value, ([names[at] for at in places.tolist()], None)
        sides = sides_of(self.release, self.part, self.groups, design)
        first = [names[at] for at in sides.first.tolist()]
        if not sides.is_rest:
            second = [names[at] for at in sides.second.tolist()]
            both = (sides.first, sides.second)
            return Between(self.cells, self.cells, both, scale), (first, second)
        rest = rest_of(self.release, self.part, sides.second)
        others = cells_of(rest, self.variance, level=0.95, lowest=self.cells.lowest)
        both = (sides.first, np.arange(len(first)))
        return Between(self.cells, others, both, scale), (first, [REST] * len(first))


def _require_reference(reference: float, scale: str) -> None:
    usable = is_finite_number(reference)
    require(usable, "reference must be a finite number", reference, "1 is usual.")
    positive = scale == "difference" or reference > 0
    rule = f"scale '{scale}' needs a reference above 0"
    require(positive, rule, reference, "Use scale 'difference'.")
