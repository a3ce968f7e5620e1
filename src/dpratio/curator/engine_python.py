"""The specification: every rule of `engine` in plain loops.

Other engines must equal it to the last integer.
Floor: curator. Imports: plan.lattice, terms, csv_lines, engine, exact, rows.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from dpratio.curator.csv_lines import NUMBER
from dpratio.curator.engine import CellSum, Statement
from dpratio.curator.exact import LARGEST_SUM, ExactSums
from dpratio.curator.rows import RowTable
from dpratio.plan.lattice import to_cell
from dpratio.terms.bounds import Bounds
from dpratio.terms.question import Key

__all__ = ["aggregate", "to_number"]


def aggregate(table: RowTable, statement: Statement) -> ExactSums:
    """Add up the cells of every declared key."""
    keys: Sequence[Key | None] = statement.keys or (None,)
    totals: dict[tuple[type, object], list[int]] = {
        (type(key), key): [0] * len(statement.sums) for key in keys
    }
    for row in table.read(statement.columns):
        factors = _read_factors(row, statement, table)
        total = totals.get(_key_of(row, statement, table))
        if factors is not None and total is not None:
            for index, cell in enumerate(_cells(factors, statement.sums)):
                total[index] += cell
    clamped = [
        [max(-LARGEST_SUM, min(LARGEST_SUM, each)) for each in total]
        for total in totals.values()
    ]
    return ExactSums(np.array(clamped, dtype=np.int64))


def to_number(value: object, *, from_text: bool = False) -> float | None:
    """Read a cell as a finite double, or None where it is none.

    Example:
        >>> to_number(True), to_number("0.5"), to_number("0.5", from_text=True)
        (1.0, None, 0.5)
    """
    if from_text:
        number = _parse(str(value))
    elif isinstance(value, bool | int | float | Decimal | np.generic):
        try:
            number = float(value)
        except (OverflowError, ValueError, TypeError):
            return None
    else:
        return None
    return number if math.isfinite(number) else None


def _parse(text: str) -> float:
    words = {"true": 1.0, "false": 0.0}
    readable = re.fullmatch(NUMBER, text)
    return float(text) if readable else words.get(text.lower(), math.nan)


def _read_factors(
    row: tuple[Any, ...], statement: Statement, table: RowTable
) -> dict[str, float] | None:
    factors: dict[str, float] = {}
    columns = statement.factor_columns.items()
    for value, (factor, column) in zip(row, columns, strict=False):
        is_text = table.types[column].kind == "csv"
        number = to_number(value, from_text=is_text)
        if number is None:
            return None
        factors[factor] = _clip(number, statement.factor_bounds[factor])
    return factors


def _clip(number: float, bounds: Bounds) -> float:
    if bounds.is_binary:
        return 1.0 if number >= 0.5 else 0.0  # noqa: PLR2004
    return min(max(number, bounds.lower), bounds.upper)


def _cells(factors: Mapping[str, float], sums: Sequence[CellSum]) -> Iterator[int]:
    for each in sums:
        product = 1.0
        for factor in each.factors:
            product *= factors[factor]
        yield to_cell(product, each.step)


def _key_of(
    row: tuple[Any, ...], statement: Statement, table: RowTable
) -> tuple[type, object]:
    if statement.group_column is None:
        return (type(None), None)
    value = row[-1].item() if isinstance(row[-1], np.generic) else row[-1]
    if table.types[statement.group_column].kind != "csv":
        return (type(value), value) if isinstance(value, str | int) else (object, None)
    by_text = {_text_of(key): key for key in statement.keys}
    return (type(statement.keys[0]), by_text.get(value))


def _text_of(key: Key) -> str:
    return str(key).lower() if isinstance(key, bool) else str(key)
