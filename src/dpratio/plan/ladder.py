"""A ladder: the public cells in which sizes of unknown scale are counted.

Every number has one cell, and so has what is no number. Edges are doubles of three
bits, which every engine compares alike.
"""

import bisect
import itertools
import math
from dataclasses import dataclass

from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.plan.sensitivity.sums import Total
from dpratio.terms.bounds import Bounds, to_float

# Bounds end at 2^100, and a grid that a person looks at holds some hundred cells.
_LEAST, _MOST = -90, 90
_WIDEST = 120
_STEPS = (4, 1)
# A person's totals are whole cells below 2^52: doubles hold them on every engine.
_TOTAL_BITS = 51


@dataclass(frozen=True, slots=True)
class Ladder:
    """Cells of sizes, on each side of zero.

    Args:
        lowest: Sizes below 2^lowest lie around 0.
        highest: Sizes from 2^highest on lie beyond.
        steps: The number of cells, equally wide, from one power of two to the next: 4,
            or 1 for groups of people, which are whole numbers.

    Example:
        >>> Ladder(0, 1).labels[5:]
        ('around 0', '1 to 1.25', '1.25 to 1.5', '1.5 to 1.75', '1.75 to 2', \
'2 or above', 'not finite')
        >>> Ladder(0, 1).place(1.6), Ladder(0, 1).place(None)
        (8, 11)
    """

    lowest: int = -20
    highest: int = 40
    steps: int = 4

    def __post_init__(self) -> None:
        terms = low, high, steps = self.lowest, self.highest, self.steps
        is_whole = {*map(type, terms)} == {int} and steps in _STEPS
        if not is_whole or not _LEAST <= low < high <= min(_MOST, low + _WIDEST):
            raise InvalidInput(
                "a ladder lies between 2^-90 and 2^90, has 120 powers of two at most, "
                f"and 1 or 4 cells from one to the next, got {show_given(terms)}.",
                field="limits",
            )

    @property
    def sizes(self) -> tuple[float, ...]:
        """The edges above zero, rising: doubles of three bits, alike on all engines."""
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
        # The shortest text that is read as the same double.
        ends = [repr(size).removesuffix(".0") for size in self.sizes]
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


def ladder_between(limits: object, usual: tuple[float, float]) -> Ladder:
    """Return the ladder whose outer limits hold two sizes; None is the usual one.

    Example:
        >>> ladder_between((0.01, None), (1.0, 5000.0))
        Ladder(lowest=-7, highest=13, steps=4)
    """
    sizes = [math.nan, math.nan]
    if isinstance(limits, tuple | list) and len(limits) == len(usual):
        pairs = zip(limits, usual, strict=True)
        sizes = [default if size is None else to_float(size) for size, default in pairs]
    if not 0 < sizes[0] < sizes[1] < math.inf:
        raise InvalidInput(
            "outer limits are two positive numbers, the smaller first, got "
            f"{show_given(limits)}. Write limits=(0.01, 1e6).",
            field="limits",
        )
    mantissa, exponent = math.frexp(sizes[1])
    highest = exponent - 1 if mantissa == 0.5 else exponent  # noqa: PLR2004
    return Ladder(math.frexp(sizes[0])[1] - 1, highest)
