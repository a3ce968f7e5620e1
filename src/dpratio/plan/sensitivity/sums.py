"""Which sums a plan measures, and the public integer grids that they are counted on.

A summand is a product of clipped values of one row, multiplied from left to right
in double precision: ``w`` weight, ``y`` denominator, ``s`` numerator; ``z`` and ``h``
are the two columns of `contrast`, which hold the weight already. ``c`` says whether a
bound cut anything of the unit. Sums of integers do not depend on row order, threads or
engine, and how far one row moves them is an integer fact.
Proof: docs/proofs/lattice.md.
"""

import math
from dataclasses import dataclass

LEAST_CELLS = 2**24


def step_for(reach: float) -> float:
    """Choose the widest power-of-two step with at least 2^24 cells up to a reach.

    Args:
        reach: Largest size of the summand, positive.

    Example:
        >>> step_for(1.0) == 2.0**-24, step_for(3.0) == 2.0**-23
        (True, True)
    """
    _, exponent = math.frexp(reach)
    return math.ldexp(1.0, exponent - 25)


def to_cell(value: float, step: float) -> int:
    """Count a finite value in whole cells.

    Guarantee:
        The result is monotone in the value: a value between two others lies between
        their cells. Proof: docs/proofs/lattice.md.

    Example:
        >>> to_cell(0.75, 0.5), to_cell(-0.75, 0.5)
        (2, -1)
    """
    return math.floor(value / step + 0.5)


@dataclass(frozen=True, slots=True)
class Summand:
    """A named product of factors.

    Example:
        >>> Summand("wys", ("w", "y", "s")).label
        'Σ w·y·s'
    """

    name: str
    factors: tuple[str, ...]

    @property
    def label(self) -> str:
        """The sum as it is written for a reader."""
        return f"Σ {'·'.join(self.factors)}" if self.factors else "Σ 1"


@dataclass(frozen=True, slots=True)
class MeasuredSum:
    """One sum that will be released, and its noise.

    ``sensitivity`` and ``scale`` count lattice cells of width ``step``.
    """

    summand: Summand
    step: float
    sensitivity: int
    scale: float


# c is 1 for a unit that a bound cut, and 0 for any other.
CUT = Summand("c", ("c",))

# The moments of Miao & Li (2022), section 2.3.1, in the order of the paper.
MOMENTS = ("w", "wy", "ws", "ww", "wyy", "wss", "wys")

# Third and fourth orders: how sums of squares vary from sample to sample.
_SPREAD = tuple(
    "w" + "y" * (order - at) + "s" * at
    for order in (3, 4)
    for at in reversed(range(order + 1))
)

_RATIO = ("z", "h", "zz", "zh", "hh")
_MEANS = ("w",)
_WEIGHTED_MEANS = ("w", "ww", "wz", "wh")


def summands_for(
    *, weighted: bool, binary: bool, spread: bool = False
) -> tuple[Summand, ...]:
    """List the paper's sums: 7, 6 or 5; with their spread 9 or 4 more.

    Args:
        weighted: Whether a weight column is used; without it w = 1 and w² = w.
        binary: Whether the denominator is 0 or 1, so that y² = y.
        spread: Whether products of three and four values are summed as well.

    Example:
        >>> [sum_.name for sum_ in summands_for(weighted=False, binary=True)]
        ['w', 'wy', 'ws', 'wss', 'wys']
    """
    names = MOMENTS + (_SPREAD if spread else ())
    kept = [
        name
        for name in names
        if not (binary and "yy" in name) and (weighted or name != "ww")
    ]
    return tuple(Summand(name, tuple(name if weighted else name[1:])) for name in kept)


def focused_summands(*, weighted: bool, means: bool) -> tuple[Summand, ...]:
    """List the sums of the focused strategy.

    Five do for the ratio. Means need Σw as well; with weights their variances also
    need Σw², Σwz and Σwh.

    Example:
        >>> [each.name for each in focused_summands(weighted=False, means=True)]
        ['z', 'h', 'zz', 'zh', 'hh', 'w']
    """
    extra = (_WEIGHTED_MEANS if weighted else _MEANS) if means else ()
    return tuple(
        Summand(name, tuple(name) if weighted or name != "w" else ())
        for name in (*_RATIO, *extra)
    )
