"""Whether whole doubles were added exactly: they are, below 2^53, in any order."""

import numpy as np
from numpy.typing import ArrayLike

from dpratio.curator.reading.statement import Statement

_EXACT_DOUBLES = 2.0**53


def are_exact(rows: ArrayLike, unit_rows: ArrayLike, statement: Statement) -> bool:
    """Tell whether no partial sum of cells can have reached 2^53.

    Args:
        rows: How many rows, or totals of units, each group has.
        unit_rows: The most rows of one unit in each group, where units have ids.
        statement: What was added up.
    """
    largest = max(each.largest_cell for each in statement.sums)
    if np.max(np.asarray(rows), initial=0) * float(largest) >= _EXACT_DOUBLES:
        return False
    if statement.unit is None:
        return True
    row_cell = max(
        row_reach(statement, letter) / total.step + 1
        for letter, total in statement.unit.totals.items()
    )
    most = np.max(np.asarray(unit_rows), initial=0)
    return bool(most * row_cell < _EXACT_DOUBLES)


def may_be_exact(claimed_rows: float, statement: Statement) -> bool:
    """Guess whether doubles will do: rows spread evenly would not reach 2^53."""
    if statement.unit is not None:
        # Totals on a ladder have nearly 2^53 cells by themselves.
        return statement.ladder is None
    largest = max(each.largest_cell for each in statement.sums)
    return claimed_rows * largest < _EXACT_DOUBLES * statement.cells


def row_reach(statement: Statement, letter: str) -> float:
    """Give the furthest that one row can move a total of its unit."""
    bounds = statement.factor_bounds
    reach = bounds[letter].reach
    if letter == "s" and "m" in bounds:
        reach += bounds["m"].reach
    return reach * (bounds["w"].reach if "w" in bounds else 1.0)
