"""The specification: every rule of `engine` in plain loops.

Other engines must equal it to the last integer.
Floor: curator. Imports: plan.lattice, terms, csv_lines, engine, exact, rows.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from dpratio.curator.csv_lines import NUMBER
from dpratio.curator.engine import CellSum, Statement
from dpratio.curator.exact import LARGEST_SUM, ExactSums
from dpratio.curator.frames import key_text
from dpratio.curator.rows import RowTable
from dpratio.plan.contrast import Contrast
from dpratio.plan.lattice import to_cell
from dpratio.terms.bounds import Bounds

if TYPE_CHECKING:
    from dpratio.terms.question import Key

__all__ = ["aggregate", "to_number"]

_NUMBERS = (bool, int, float, Decimal, np.bool_, np.integer, np.floating)


def aggregate(table: RowTable, statement: Statement) -> ExactSums:
    """Add up the cells of every declared key."""
    keys: Sequence[Key | None] = statement.keys or (None,)
    totals: dict[object, list[int]] = {
        None if key is None else key_text(key): [0] * len(statement.sums)
        for key in keys
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
    elif isinstance(value, _NUMBERS) and not isinstance(value, np.timedelta64):
        try:
            number = float(value)
        except (OverflowError, ValueError):
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
    if statement.contrast is not None:
        factors["z"], factors["h"] = _contrast(factors, statement.contrast)
    return factors


def _contrast(factors: Mapping[str, float], contrast: Contrast) -> tuple[float, float]:
    weight = factors.get("w", 1.0)
    scaled = contrast.centre * factors["y"]
    z = weight * (factors["s"] - scaled)
    h = weight * (factors["s"] + scaled if contrast.centre else factors["y"])
    limit = math.inf if contrast.limit is None else contrast.limit
    return min(max(z, -limit), limit), h


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


def _key_of(row: tuple[Any, ...], statement: Statement, table: RowTable) -> object:
    if statement.group_column is None:
        return None
    kind = table.types[statement.group_column].kind
    value = row[-1]
    if kind == "any":
        # Python's own rule: a text "1", a number 1 and a truth are three keys.
        wanted = {str: str, int: int | np.integer, bool: bool | np.bool_}
        declared = type(statement.keys[0])
        is_truth = isinstance(value, bool | np.bool_)
        fits = isinstance(value, wanted[declared]) and is_truth == (declared is bool)
        return key_text(value) if fits else None
    if kind == "csv" and isinstance(statement.keys[0], bool):
        return str(value).lower()
    return key_text(value)
