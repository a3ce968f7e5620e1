"""The public integer grid on which a summand is counted.

Sums of integers do not depend on row order, threads or engine, and how far one row
moves them is an integer fact. Proof: docs/proofs/lattice.md.
"""

import math

__all__ = ["LEAST_CELLS", "step_for", "to_cell"]

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
