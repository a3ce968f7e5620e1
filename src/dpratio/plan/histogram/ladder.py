"""A public grid, and the cell of it on which a number lies.

How many cells there are, and where, is said before anyone sees the data. Every number
has one cell, and so has what is no number. Edges are doubles of three bits, which every
engine compares alike.
"""

import bisect
import itertools
import math
from dataclasses import dataclass

from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.plan.sensitivity.box import Total
from dpratio.terms.bounds import Bounds

__all__ = ["Ladder"]

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
        """What rows are clipped to: beyond the last edge, and no further."""
        reach = 1.5 * 2.0**self.highest
        return Bounds(-reach, reach)

    @property
    def total(self) -> Total:
        """How a person's rows are added up, in whole cells that doubles hold."""
        most = 3 * 2 ** (_TOTAL_BITS - 1)
        return Total(2.0 ** (self.highest - _TOTAL_BITS), -most, most)


def _written(size: float) -> str:
    """Write an edge so that its double is read again."""
    return repr(size).removesuffix(".0")
