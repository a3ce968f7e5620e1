"""Numbers, clips and lattice cells in DuckDB's SQL."""

import re
import sys
from collections.abc import Sequence

from dpratio.curator.duckdb.table import DuckTable, identifier, literal
from dpratio.curator.reading.csv_lines import number_pattern
from dpratio.curator.reading.exact import LARGEST_SUM
from dpratio.terms.bounds import Bounds


def number_of(table: DuckTable, column: str) -> str:
    """Read a column as doubles; what cannot be read is missing."""
    name, type_ = table.columns[column]
    name = identifier(name)
    decimal = table.types[column].decimal
    if decimal is not None:
        is_number = f"regexp_full_match({name}, {literal(number_pattern(decimal))})"
        text = f"trim({name}, {literal(' ' + chr(9))})"
        text = text if decimal == "." else f"replace({text}, {literal(decimal)}, '.')"
        return (
            f"CASE WHEN {is_number} THEN TRY_CAST({text} AS DOUBLE) "
            f"WHEN lower({name}) = 'true' THEN 1::DOUBLE "
            f"WHEN lower({name}) = 'false' THEN 0::DOUBLE END"
        )
    if type_.startswith(("DECIMAL", "HUGEINT", "UHUGEINT", "VARCHAR")):
        # Through text: correctly rounded, which their own casts are not.
        number = f"TRY_CAST(CAST({name} AS VARCHAR) AS DOUBLE)"
        return _within_precision(name, type_, number)
    return f"CAST({name} AS DOUBLE)"


def _within_precision(name: str, type_: str, number: str) -> str:
    """Keep a decimal that has no more digits than its type: DuckDB stops at others."""
    shape = re.fullmatch(r"DECIMAL\(([0-9]+), *([0-9]+)\)", type_)
    if shape is None:
        return number
    precision, scale = map(int, shape.groups())
    most = f"{'9' * (precision - scale) or '0'}.{'9' * scale}"
    ends = f"'-{most}'::{type_} AND '{most}'::{type_}"
    return f"CASE WHEN {name} BETWEEN {ends} THEN {number} END"


def clip(number: str, bounds: Bounds, inside: str = "") -> str:
    """Clip a number to its bounds; one that is missing or not finite is missing.

    Whether it lies inside may have been worked out before, which is cheaper. DuckDB
    puts NaN above infinity, so neither lies between two finite numbers.
    """
    lower, upper = double(bounds.lower), double(bounds.upper)
    least, most = double(-sys.float_info.max), double(sys.float_info.max)
    inside = inside or is_inside(number, bounds)
    return (
        f"CASE WHEN {inside} THEN {number} "
        f"WHEN {number} BETWEEN {upper} AND {most} THEN {upper} "
        f"WHEN {number} BETWEEN {least} AND {lower} THEN {lower} END"
    )


def is_inside(number: str, bounds: Bounds) -> str:
    """Tell whether a number that is there lies within its bounds."""
    return f"{number} BETWEEN {double(bounds.lower)} AND {double(bounds.upper)}"


def is_outside(value: str, lowest: float, highest: float) -> str:
    """Tell whether a number that is there lies outside a range."""
    return f"{value} NOT BETWEEN {double(lowest)} AND {double(highest)}"


def cell_of(factors: Sequence[str], step: float) -> str:
    """Count a product in whole cells, as a double."""
    product = " * ".join(factors) or "1::DOUBLE"
    # Multiplying by 1/step is dividing by step: both are powers of two.
    return f"floor(({product}) * {double(1 / step)} + 0.5::DOUBLE)"


def sum_of(cell: str, *, in_doubles: bool) -> str:
    """Add cells up, in doubles or in 128-bit integers."""
    return f"sum({cell})" if in_doubles else f"sum(CAST({cell} AS BIGINT))"


def total_of(cell: str, *, in_doubles: bool, unclamped: bool = False) -> str:
    """Add cells up into 64 bits, or into text of any length; no rows add up to zero."""
    total = f"coalesce({sum_of(cell, in_doubles=in_doubles)}, 0)"
    if in_doubles:
        return total
    if unclamped:
        return f"CAST({total} AS VARCHAR)"
    limit = f"{LARGEST_SUM}::HUGEINT"
    return f"CAST(greatest(least({total}, {limit}), -{limit}) AS BIGINT)"


def double(value: float) -> str:
    """Write a double so that it is read back as it is."""
    return f"({value!r})::DOUBLE"
