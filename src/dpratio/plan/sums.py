"""Which sums a ratio needs: the seven of the paper, or fewer.

A summand is a product of clipped values of one row, multiplied from left to right
in double precision: ``w`` weight, ``y`` denominator, ``s`` numerator.
Floor: plan. Imports: nothing.
"""

from dataclasses import dataclass

__all__ = ["MOMENTS", "Summand", "summands_for"]


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
        """How the sum is written for a reader."""
        return f"Σ {'·'.join(self.factors)}" if self.factors else "Σ 1"


# The moments of Miao & Li (2022), section 2.3.1, in the order of the paper.
MOMENTS = ("w", "wy", "ws", "ww", "wyy", "wss", "wys")


def summands_for(*, weighted: bool, binary: bool) -> tuple[Summand, ...]:
    """List the sums to release: 7, 6 or 5.

    Args:
        weighted: Whether a weight column is used; without it w = 1 and w² = w.
        binary: Whether the denominator is 0 or 1, so that y² = y.

    Example:
        >>> [sum_.name for sum_ in summands_for(weighted=False, binary=True)]
        ['w', 'wy', 'ws', 'wss', 'wys']
    """
    left_out = ({"wyy"} if binary else set()) | (set() if weighted else {"ww"})
    kept = [name for name in MOMENTS if name not in left_out]
    return tuple(Summand(name, tuple(name if weighted else name[1:])) for name in kept)
