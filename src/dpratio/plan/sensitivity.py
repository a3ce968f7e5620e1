"""How far one row can move a sum, in whole lattice cells.

Floor: plan. Imports: lattice.
"""

from collections.abc import Mapping, Sequence

from dpratio.plan.lattice import to_cell
from dpratio.terms.bounds import Bounds

__all__ = ["reach_of", "sensitivity_in_cells"]


def reach_of(factors: Sequence[str], bounds: Mapping[str, Bounds]) -> float:
    """Give the largest size of a product of factors over the box of their bounds.

    The product is evaluated in doubles, from left to right, as every engine does:
    rounding is monotone and symmetric, so no row's rounded product is larger.

    Example:
        >>> reach_of(("w", "s"), {"w": Bounds(0, 3), "s": Bounds(-2, 1)})
        6.0
    """
    product = 1.0
    for factor in factors:
        product *= bounds[factor].reach
    return product


def sensitivity_in_cells(
    factors: Sequence[str], bounds: Mapping[str, Bounds], step: float
) -> int:
    """Price the furthest move of a sum when one row is added or removed.

    Guarantee:
        No row that engines count, whatever it holds, has a cell larger in size; the
        half cell that rounding can add is included. Proof: docs/proofs/sensitivity.md.

    Example:
        >>> sensitivity_in_cells(("w", "w"), {"w": Bounds(0, 3)}, step=2.0)
        5
    """
    return to_cell(reach_of(factors, bounds), step)
