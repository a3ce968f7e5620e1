"""Release histograms of a study's columns through the same door as any sums."""

from collections.abc import Sequence
from typing import Any

from dpratio.curator.release_sums import release_sums
from dpratio.plan.histograms import CELLS, plan_bins, plan_bounds
from dpratio.release.release import Release
from dpratio.terms.budget import Budget
from dpratio.terms.study import Study


def release_bins(
    table: object,
    study: Study,
    column: str,
    *,
    budget: Budget,
    cells: int = CELLS,
    **door: Any,  # noqa: ANN401 (the options of the door, which checks them)
) -> Release:
    """Count a score on a fine public grid and release the noisy counts.

    Args:
        table: As `release_sums` takes it.
        study: What will be asked; it must give bounds of the column.
        column: The column that will be binned.
        budget: What the histogram may cost: an epsilon, apart from the study's own.
        cells: How many equal cells lie between the bounds of the column.
        door: What else `release_sums` takes: ``ledger``, which must be said, ``scope``,
            ``source``, ``release_id``, ``out``, ``by``, ``engine`` and so on.

    Returns:
        A release for `propose_bins`: safe to write, print and publish.

    Raises:
        InvalidInput: When a term breaks a rule. The rest is as for `release_sums`.

    Guarantee:
        The release is epsilon-differentially private for the unit and the neighbour
        relation of the study, at the epsilon of the budget.
        Proof: docs/proofs/histogram.md.
    """
    plan = plan_bins(study, column, budget=budget, cells=cells)
    return release_sums(table, plan, **door)


def release_bounds(
    table: object,
    study: Study,
    *,
    budget: Budget,
    columns: Sequence[str] | None = None,
    limits: tuple[float | None, float | None] = (None, None),
    most_groups: bool = False,
    **door: Any,  # noqa: ANN401 (the options of the door, which checks them)
) -> Release:
    """Count a study's numbers on a public grid and release the noisy counts.

    Args:
        table: As `release_sums` takes it.
        study: What will be asked; it may lack bounds.
        budget: What the histograms may cost: an epsilon, apart from the study's own.
        columns: Which columns, or with ids which totals; by default those without
            bounds.
        limits: The sizes between which cells are told apart, on each side of zero.
            For None as `plan_bounds` has them.
        most_groups: Whether to count people by how many groups they are in, too.
        door: What else `release_sums` takes: ``ledger``, which must be said, ``scope``,
            ``source``, ``release_id``, ``out``, ``by``, ``engine`` and so on.

    Returns:
        A release for `propose_bounds`: safe to write, print and publish.

    Raises:
        InvalidInput: When a term breaks a rule. The rest is as for `release_sums`.

    Guarantee:
        The release is epsilon-differentially private for the unit and the neighbour
        relation of the study, at the epsilon of the budget.
        Proof: docs/proofs/histogram.md.
    """
    plan = plan_bounds(
        study, budget=budget, columns=columns, limits=limits, most_groups=most_groups
    )
    return release_sums(table, plan, **door)
