"""A histogram: what is counted, in which public cells, and with how much noise.

A histogram counts rows, or the totals of people in each group, on a `Ladder`; or rows,
or people, by the bins of one column; or people by how many groups they are in. It is
released as a question is: its groups are its cells, and its one sum is Σ 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dpratio.plan.histogram.ladder import Ladder
from dpratio.plan.sensitivity.sums import MeasuredSum, Summand
from dpratio.terms.bounds import Bounds
from dpratio.terms.dimensions import ScoreBins
from dpratio.terms.groups import Groups
from dpratio.terms.question import Partition
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

__all__ = ["COUNT", "Histogram", "called", "groups_called", "ladder_of_groups"]

# Rows are counted one by one: no lattice is finer than a person.
COUNT = Summand("w", ())


@dataclass(frozen=True, slots=True)
class Histogram:
    """What is counted, in which public cells, and with how much noise.

    Args:
        name: What the histogram is called.
        ratio: The ratio whose columns are counted.
        column: The column or the total that is counted, or the column of bins; people
            by their groups are called by `groups_called`.
        cells: The ladder, or the bins.
        scale: The scale of the Laplace noise on every count.
        within: The groups in which totals are made, or of which people are counted by
            how many they are in; None for the whole table.
        counts_groups: Whether a person is in one cell, by the number of their groups.
    """

    name: str
    ratio: Ratio
    column: str
    cells: Ladder | ScoreBins
    scale: float
    within: Groups | None = None
    counts_groups: bool = False

    @property
    def groups(self) -> Groups:
        """The cells as groups, each answered on its own."""
        if isinstance(self.cells, Ladder):
            return Groups(self.column, self.cells.labels)
        return Groups.cross(self.cells)

    @property
    def sums(self) -> tuple[MeasuredSum, ...]:
        """The one sum: the number of those in a cell."""
        return (MeasuredSum(COUNT, 1.0, 1, self.scale),)

    @property
    def scales(self) -> list[float]:
        """The scale of its noise."""
        return [self.scale]

    @property
    def totals(self) -> Mapping[str, Bounds]:
        """No totals of its own: they reach the outer limits."""
        return {}

    def counts_numbers(self) -> bool:
        """Whether a column or a total is counted on a ladder."""
        return isinstance(self.cells, Ladder) and not self.counts_groups

    def letters(self, unit: PrivacyUnit) -> dict[str, str]:
        """Return the columns that are read: s, and w and m of a total that has them."""
        if not self.counts_numbers():
            return {"s": self.ratio.numerator}
        if unit.column is None:
            return {"s": self.column}
        is_numerator = self.column == self.ratio.totals[0]
        letters = {
            "s": self.ratio.numerator if is_numerator else self.ratio.per,
            "w": self.ratio.weight,
            "m": self.ratio.minus if is_numerator else None,
        }
        return {key: column for key, column in letters.items() if column is not None}

    def counted_in(self, unit: PrivacyUnit) -> PrivacyUnit:
        """Return the unit as the histogram counts it.

        A row has one bin, and a person counts in as many of them as in groups. Counted
        by their groups, a person is in one cell, however many groups there are.
        """
        return replace(unit, most_groups=1) if self.counts_groups else unit

    def binned_columns(self) -> list[str]:
        """Return the columns of bins, of its cells or of the groups of totals."""
        within = () if self.within is None else self.within.score_bins
        own = (self.cells,) if isinstance(self.cells, ScoreBins) else ()
        return [bins.column for bins in (*own, *within)]


def called(name: str, weight: str | None, within: Partition) -> list[str]:
    """List what a histogram may be called, from short to long: all of it is true."""
    columns = " and ".join(getattr(within, "columns", ()))
    weighted = [""] if weight is None else ["", f" weighted by {weight}"]
    grouped = [f" by {columns}"] if columns else []
    return [f"{name}{one}{other}" for other in ["", *grouped] for one in weighted]


def groups_called(column: str) -> str:
    """Return what counts of people by their groups are called."""
    return f"groups per {column}"


def ladder_of_groups(groups: Groups) -> Ladder:
    """Return the cells 1, 2 to 3, 4 to 7 and so on, as far as there are groups."""
    return Ladder(0, max(2, groups.count.bit_length()), steps=1)
