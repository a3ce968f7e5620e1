"""Whether histograms of bounds keep their claims.

Every cell is a sample: units in each of them, or in none. An odd number of counts more
lies evenly around a half, so that whole counts tell the tables apart as well as the
noise did before it was rounded. One unit moves one cell, two where it is changed; the
noise of each is its own, so that their losses add up.
"""

from dataclasses import dataclass

import numpy as np

from dpratio.arrays import Integers
from dpratio.plan.histograms import HistogramPlan, plan_bounds
from dpratio.plan.ladder import Ladder
from dpratio.simulation.audit.bound import Counts, least_epsilon
from dpratio.simulation.audit.draw import Door, counts_by
from dpratio.simulation.audit.invent import Columns
from dpratio.simulation.audit.question import PERSON, SAMPLE
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

# Where a test of two Laplace laws is right 88 times out of 100.
_FAR = 2.94
_ROWS, _TOTALS = Ladder(-60, 60), Ladder(-20, 20)
# People are in one group more than are counted: of them one must be left out.
_MOST_GROUPS = 3
_GROUPS = range(_MOST_GROUPS + 1)
_UNITS = {
    "row": PrivacyUnit(),
    "changed-row": PrivacyUnit(neighbours="change-one"),
    "person": PrivacyUnit(PERSON, most_groups=_MOST_GROUPS),
}


@dataclass(frozen=True, slots=True)
class HistogramAudit:
    """A histogram, and how many ``units`` two tables are apart in each of its cells.

    One unit moves ``cells`` of them, each by ``moved``.
    """

    plan: HistogramPlan
    ladder: Ladder
    units: int
    cells: int
    moved: int

    @property
    def planned(self) -> float:
        """How far one unit moves the counts, in units of the noise that is planned."""
        return self.cells * self.moved / self.plan.measurements[0].scales[0]

    def least_epsilon(self, door: Door, samples: int) -> float:
        """Bound from below the epsilon of one unit."""
        middle = self.units * self.moved / 2
        more, less = (noisy > middle for noisy in self._tables(door, samples))
        counts = Counts(0.0, int(more.sum()), int(less.sum()), samples)
        return self.cells * least_epsilon([1.0], [counts]) / self.units

    def _tables(self, door: Door, samples: int) -> tuple[Integers, Integers]:
        """Give noisy counts of cells that hold the units, and of those that do not."""
        values = np.array(_values(self.ladder))
        times = -(-samples // len(values))
        # A changed unit leaves one cell for another: half of them are filled in turn.
        first = np.arange(len(values)) % self.cells == 0
        second = ~first if self.cells > 1 else np.zeros_like(first)
        one, other = (
            counts_by(door, self.plan, self._table(values[each]), times)[:, :-1]
            for each in (first, second)
        )
        held = np.where(first, one, other).ravel()[:samples]
        empty = np.where(first, other, one).ravel()[:samples]
        return held, empty

    def _table(self, values: Integers) -> Columns:
        """Write units with these numbers; those of a person are totals of two rows."""
        score = np.repeat(values, self.units)
        if self.plan.unit.column is None:
            return {"score": score}
        people = np.arange(len(score), dtype=np.int64)
        groups = np.tile(np.repeat(np.array(_GROUPS, dtype=np.int64), 2), len(score))
        rows = 2 * len(_GROUPS)
        return {
            PERSON: np.repeat(people, rows),
            SAMPLE: groups,
            "score": np.repeat(score / 2, rows),
        }


def histogram_audit(unit: str, epsilon: str) -> HistogramAudit:
    """Choose the histogram of a unit, and how many of it are told apart best."""
    protected = _UNITS[unit]
    is_person = protected.column is not None
    ladder = _TOTALS if is_person else _ROWS
    study = Study(
        Ratio("score", per="label"),
        bounds={},
        budget=Budget(epsilon),
        unit=protected,
        groups=Groups(SAMPLE, _GROUPS) if is_person else None,
    )
    limits = (2.0**ladder.lowest, 2.0**ladder.highest)
    plan = plan_bounds(study, budget=Budget(epsilon), columns=["score"], limits=limits)
    moved = plan.unit.most_groups
    cells = 2 if plan.unit.neighbours == "change-one" else 1
    each = moved / plan.measurements[0].scales[0]
    units = 2 * max(0, round((_FAR / each - 1) / 2)) + 1
    return HistogramAudit(plan, ladder, units, cells, moved)


def _values(ladder: Ladder) -> list[float]:
    """Give a number for each cell but the last: the edge that it begins with, or 0."""
    edges = list(ladder.edges)
    middle = len(edges) // 2
    return [*edges[:middle], 0.0, *edges[middle:]]
