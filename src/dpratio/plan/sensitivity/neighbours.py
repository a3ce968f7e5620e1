"""How far one unit moves a release: through its groups, and when it is changed.

Adding or removing a unit moves at most g cells by Δ each. Changing one moves a cell by
the difference of two rows, or takes one out of a cell and puts one into another.
Proof: docs/proofs/neighbours.md.
"""

from collections.abc import Sequence
from fractions import Fraction

from dpratio.plan.laws import NoiseLaw
from dpratio.plan.sensitivity.joint import Grid, joint_ratio, spread_ratio
from dpratio.terms.unit import PrivacyUnit

__all__ = ["is_one_row", "pooled_ratio", "unit_ratio"]


def is_one_row(unit: PrivacyUnit) -> bool:
    """Tell whether one unit moves one cell, once."""
    return unit.most_groups == 1 and unit.neighbours == "add-or-remove-one"


def unit_ratio(
    law: NoiseLaw,
    grid: Grid,
    scales: Sequence[float],
    unit: PrivacyUnit,
    cells: int | None,
) -> Fraction:
    """Bound how far one unit moves all cells, in units of their noise.

    Args:
        law: How moves add up.
        grid: The sums of one cell.
        scales: Their noise scales, in lattice cells.
        unit: Who is protected, and in how many groups.
        cells: How many groups there are; None where that is not known.

    Guarantee:
        No unit moves the released cells further under the declared neighbour
        relation, provided that `is_convex` holds. Proof: docs/proofs/neighbours.md.
    """
    once = joint_ratio(law, grid, scales)
    groups = unit.most_groups if cells is None else min(unit.most_groups, cells)
    moved = once
    if unit.neighbours == "change-one":
        within = min(2 * once, max(once, spread_ratio(law, grid, scales)))
        across = law.root(Fraction(2)) * once
        moved = within if cells == 1 else max(within, across)
    return moved * (law.root(Fraction(groups)))


def pooled_ratio(
    law: NoiseLaw,
    grid: Grid,
    scales: Sequence[float],
    unit: PrivacyUnit,
    cells: int | None,
) -> Fraction:
    """Bound how far one unit moves totals over all cells, in units of their noise.

    What a unit puts into several cells comes together in a total, so it adds up in
    either norm. A unit that is changed differs in each of its cells from what it was
    before, in the same cell or in another.

    Guarantee:
        No unit moves the totals further under the declared neighbour relation,
        provided that `is_convex` holds. Proof: docs/proofs/staged.md.
    """
    moved = joint_ratio(law, grid, scales)
    if unit.neighbours == "change-one":
        moved = min(2 * moved, max(moved, spread_ratio(law, grid, scales)))
    groups = unit.most_groups if cells is None else min(unit.most_groups, cells)
    return moved * groups
