"""A histogram: what is counted, in which public cells, and with how much noise.

A histogram counts rows, or the totals of people in each group, on a `Ladder`; or rows,
or people, by the bins of one column; or people by how many groups they are in. It is
released as a question is: its groups are its cells, and its one sum is Σ 1. How many
cells there are, and where, is said before anyone sees the data. Every number has one
cell, and so has what is no number. Edges are doubles of three bits, which every engine
compares alike.
"""

import bisect
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.plan.sensitivity.sums import MeasuredSum, Summand, Total
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Groups, ScoreBins
from dpratio.terms.question import Partition
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

# Bounds end at 2^100, and a grid that a person looks at holds some hundred cells.
_LEAST, _MOST = -90, 90
_WIDEST = 120
# Cells between one power of two and the next; groups of people are whole numbers.
_STEPS = (4, 1)
# A person's totals are whole cells below 2^52: doubles hold them on every engine.
_TOTAL_BITS = 51


@dataclass(frozen=True, slots=True)
class Ladder:
    """Cells of sizes, on each side of zero.

    Args:
        lowest: Sizes below 2^lowest lie around 0.
        highest: Sizes from 2^highest on lie beyond.
        steps: How many cells, equally wide, lie between a power of two and the next.

    Example:
        >>> Ladder(0, 1).labels[5:]
        ('around 0', '1 to 1.25', '1.25 to 1.5', '1.5 to 1.75', '1.75 to 2', \
'2 or above', 'not finite')
        >>> Ladder(0, 1).place(1.6), Ladder(0, 1).place(None)
        (8, 11)
    """

    lowest: int = -20
    highest: int = 40
    steps: int = _STEPS[0]

    def __post_init__(self) -> None:
        low, high = self.lowest, self.highest
        are_whole = type(low) is int and type(high) is int
        if not are_whole or not _LEAST <= low < high <= _MOST:
            raise InvalidInput(
                "the outer limits of a histogram must lie between 2^-90 and 2^90, got "
                f"{show_given((low, high))}.",
                field="limits",
            )
        if high - low > _WIDEST:
            raise InvalidInput(
                f"a histogram must hold {_WIDEST} powers of two at most, got "
                f"{high - low}.",
                field="limits",
            )
        if type(self.steps) is not int or self.steps not in _STEPS:
            raise InvalidInput(
                f"a power of two has 1 or 4 cells, got {show_given(self.steps)}.",
                field="steps",
            )

    @classmethod
    def between(cls, smallest: float, largest: float) -> "Ladder":
        """Return the ladder whose outer limits hold two sizes between them.

        Example:
            >>> Ladder.between(0.01, 5000)
            Ladder(lowest=-7, highest=13, steps=4)
        """
        sizes = (smallest, largest)
        are_numbers = not any(
            isinstance(size, bool) or not isinstance(size, int | float)
            for size in sizes
        )
        if not are_numbers or not 0 < smallest < largest < math.inf:
            raise InvalidInput(
                "outer limits are two positive numbers, the smaller first, got "
                f"{show_given(sizes)}. Write limits=(0.01, 1e6).",
                field="limits",
            )
        mantissa, exponent = math.frexp(largest)
        top = exponent - 1 if mantissa == 0.5 else exponent  # noqa: PLR2004
        return cls(math.frexp(smallest)[1] - 1, top)

    @property
    def sizes(self) -> tuple[float, ...]:
        """The edges above zero, rising: exact doubles of few bits."""
        powers, steps = range(self.lowest, self.highest), range(self.steps)
        sizes = [
            2.0**power * (1 + step / self.steps) for power in powers for step in steps
        ]
        return (*sizes, 2.0**self.highest)

    @property
    def edges(self) -> tuple[float, ...]:
        """The edges between the cells, rising."""
        return (*(-size for size in reversed(self.sizes)), *self.sizes)

    @property
    def labels(self) -> tuple[str, ...]:
        """The cells in words, rising; the last holds what is not finite."""
        ends = [_written(size) for size in self.sizes]
        pairs = list(itertools.pairwise(ends))
        below = [f"-{high} to -{low}" for low, high in reversed(pairs)]
        above = [f"{low} to {high}" for low, high in pairs]
        first, last = f"-{ends[-1]} or below", f"{ends[-1]} or above"
        return (first, *below, "around 0", *above, last, "not finite")

    def place(self, number: float | None) -> int:
        """Return the cell of a number; None is what is not finite.

        An edge belongs to the cell that is further from zero.

        Guarantee:
            Every number has one cell of those that are declared.
            Proof: docs/proofs/histogram.md.
        """
        if number is None:
            return len(self.edges) + 1
        if number < 0:
            return bisect.bisect_left(self.edges, number)
        return bisect.bisect_right(self.edges, number)

    @property
    def outer(self) -> Bounds:
        """The bounds of rows: beyond the last edge, and no further."""
        reach = 1.5 * 2.0**self.highest
        return Bounds(-reach, reach)

    @property
    def total(self) -> Total:
        """The sum of a person's rows, in whole cells that doubles hold."""
        most = 3 * 2 ** (_TOTAL_BITS - 1)
        return Total(2.0 ** (self.highest - _TOTAL_BITS), -most, most)


def _written(size: float) -> str:
    """Write an edge so that its double is read again."""
    return repr(size).removesuffix(".0")


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
