"""The embedded engine: one SQL statement over files, frames and relations.

Cells are kept as whole doubles, which add up exactly in any order as long as no
partial sum reaches 2^53. The same query counts rows, so that bound is checked; where
it fails the sums are taken again in 128-bit integers. The integers are the same.
Floor: curator. Imports: terms, csv_lines, duck, engine, exact.
"""

from collections.abc import Sequence

import numpy as np

from dpratio.curator.csv_lines import NUMBER
from dpratio.curator.duck import DuckTable, identifier, literal
from dpratio.curator.engine import Statement
from dpratio.curator.exact import LARGEST_SUM, ExactSums
from dpratio.curator.frames import key_text
from dpratio.terms.bounds import Bounds
from dpratio.terms.question import Key

__all__ = ["aggregate"]

_EXACT_DOUBLES = 2.0**53


def aggregate(table: DuckTable, statement: Statement) -> ExactSums:
    """Add up the cells of every declared key."""
    sums = table.fetch(_query(table, statement, in_doubles=True))
    largest = max(each.largest_cell for each in statement.sums)
    if np.max(sums["rows"], initial=0) * float(largest) >= _EXACT_DOUBLES:
        sums = table.fetch(_query(table, statement, in_doubles=False))
    cells = np.zeros((len(statement.keys) or 1, len(statement.sums)), dtype=np.int64)
    for index in range(len(statement.sums)):
        cells[sums["code"], index] = np.asarray(sums[f"sum{index}"]).astype(np.int64)
    return ExactSums(cells)


def _query(table: DuckTable, statement: Statement, *, in_doubles: bool) -> str:
    """Write the statement: read, drop, clip, count in cells, add up.

    On a foreign connection every number passes through TRY, past which DuckDB does
    not carry a file's statistics: they may be wrong, and a clip that they call
    needless must stay.
    """
    factors = statement.factor_columns.items()
    hide = "TRY({})" if table.is_foreign else "{}"
    read = [
        f"{hide.format(_number(table, column))} AS {factor}"
        for factor, column in factors
    ]
    key: list[str] = []
    if statement.group_column is not None:
        read.append(f"{_key(table, statement)} AS given_key")
        key = ["given_key"]
    clipped = [
        f"{_clip(factor, bounds)} AS {factor}"
        for factor, bounds in statement.factor_bounds.items()
    ]
    cells, gated = _cells(statement)
    gates = [
        factor
        for factor in statement.factor_bounds
        if _is_gate(factor, statement)
        and any(factor in each.factors for each in statement.sums)
    ]
    sums = [
        f"{_add(cell, in_doubles=in_doubles)} AS sum{at}"
        for at, cell in enumerate(gated)
    ]
    code, grouped = "0 AS code", ""
    if statement.group_column is not None:
        code, grouped = "code", f"{_join_keys(table, statement)} GROUP BY code"
    return (
        f"WITH given_rows AS (SELECT {', '.join(read)} FROM {table.source}), "
        f"kept AS (SELECT {', '.join(clipped + key)} FROM given_rows "
        f"WHERE {_is_counted(table, statement)}), "
        f"made AS (SELECT {', '.join(_made(statement) + key)} FROM kept), "
        f"counted AS (SELECT {', '.join(cells + gates + key)} FROM made) "
        f'SELECT {code}, count(*) AS "rows", {", ".join(sums)} '
        f"FROM counted{grouped}"
    )


def _is_counted(table: DuckTable, statement: Statement) -> str:
    """Keep rows whose numbers are all there and finite.

    x − x is 0 for a finite x and NaN for any other, so one test does for all.
    """
    columns = statement.factor_columns.items()
    whole = [
        factor
        for factor, column in columns
        if table.types[column].kind in {"integer", "boolean"}
        and table.columns[column][1] != "DOUBLE"  # As pandas hands missing ones over.
    ]
    zeros = [f"({f} - {f})" for f, _ in columns if f not in whole]
    tests = [f"{f} IS NOT NULL" for f in whole]
    if zeros:
        tests.append(f"isfinite({' + '.join(zeros)})")
    return " AND ".join(tests)


def _join_keys(table: DuckTable, statement: Statement) -> str:
    """Give each declared key its place; rows of other keys find none."""
    keys = ", ".join(_key_literal(each, table, statement) for each in statement.keys)
    places = f"unnest(range({len(statement.keys)})) AS code"
    declared = f"SELECT unnest([{keys}]) AS declared, {places}"
    return f" JOIN ({declared}) ON given_key = declared"


def _number(table: DuckTable, column: str) -> str:
    name, type_ = table.columns[column]
    name = identifier(name)
    if table.types[column].kind == "csv":
        is_number = f"regexp_full_match({name}, {literal(NUMBER)})"
        text = f"trim({name}, {literal(' ' + chr(9))})"
        return (
            f"CASE WHEN {is_number} THEN TRY_CAST({text} AS DOUBLE) "
            f"WHEN lower({name}) = 'true' THEN 1::DOUBLE "
            f"WHEN lower({name}) = 'false' THEN 0::DOUBLE END"
        )
    if type_.upper().startswith(("DECIMAL", "HUGEINT", "UHUGEINT")):
        # Through text: correctly rounded, which their own casts are not.
        return f"TRY_CAST(CAST({name} AS VARCHAR) AS DOUBLE)"
    return f"CAST({name} AS DOUBLE)"


def _key(table: DuckTable, statement: Statement) -> str:
    """Give the key of a row; text is compared by its bytes, under any collation."""
    column = str(statement.group_column)
    name = identifier(table.columns[column][0])
    if _is_text(table, column):
        text = f"CAST({name} AS VARCHAR)"
        is_truth = isinstance(statement.keys[0], bool)
        return f"encode({f'lower({text})' if is_truth else text})"
    is_integer = table.types[column].kind == "integer"
    return f"TRY_CAST({name} AS BIGINT)" if is_integer else name


def _key_literal(key: Key, table: DuckTable, statement: Statement) -> str:
    if _is_text(table, str(statement.group_column)):
        return f"encode({literal(str(key_text(key)))})"
    return f"{key}::BIGINT" if type(key) is int else str(key).lower()


def _is_text(table: DuckTable, column: str) -> bool:
    handed_over = table.columns[column][1]
    return table.types[column].kind in {"text", "csv"} or handed_over == "VARCHAR"


def _clip(factor: str, bounds: Bounds) -> str:
    if bounds.is_binary:
        return f"CAST({factor} >= 0.5::DOUBLE AS DOUBLE)"
    lower, upper = _double(bounds.lower), _double(bounds.upper)
    return (
        f"CASE WHEN {factor} BETWEEN {lower} AND {upper} THEN {factor} "
        f"WHEN {factor} > {upper} THEN {upper} ELSE {lower} END"
    )


def _made(statement: Statement) -> list[str]:
    """Pass factors on, or make the columns of the contrast from them."""
    given = list(statement.factor_bounds)
    contrast = statement.contrast
    if contrast is None:
        return given
    times = "w * " if "w" in given else ""
    centre = _double(contrast.centre)
    z = f"{times}(s - {centre} * y)"
    if contrast.limit is not None:
        limit = Bounds(-contrast.limit, contrast.limit)
        z = _clip(f"({z})", limit)
    h = f"{times}(s + {centre} * y)" if contrast.centre else f"{times}y"
    return [*given, f"{z} AS z", f"{h} AS h"]


def _cells(statement: Statement) -> tuple[list[str], list[str]]:
    """Count each distinct product once; give the cells and what each sum adds.

    A factor that is 0 or 1 may multiply the cell instead of the value: zero has cell
    zero, and one changes nothing.
    """
    cells: dict[tuple[tuple[str, ...], float], str] = {}
    added = []
    for each in statement.sums:
        rest = tuple(f for f in each.factors if not _is_gate(f, statement))
        gates = [f for f in each.factors if _is_gate(f, statement)]
        name = cells.setdefault((rest, each.step), f"cell{len(cells)}")
        added.append(" * ".join([name, *gates]))
    named = [
        f"{_cell(factors, step)} AS {name}" for (factors, step), name in cells.items()
    ]
    return named, added


def _is_gate(factor: str, statement: Statement) -> bool:
    bounds = statement.factor_bounds
    return factor in bounds and bounds[factor].is_binary


def _cell(factors: Sequence[str], step: float) -> str:
    product = " * ".join(factors) or "1::DOUBLE"
    # Multiplying by 1/step is dividing by step: both are powers of two.
    return f"floor(({product}) * {_double(1 / step)} + 0.5::DOUBLE)"


def _add(cell: str, *, in_doubles: bool) -> str:
    if in_doubles:
        return f"coalesce(sum({cell}), 0)"
    total = f"coalesce(sum(CAST({cell} AS BIGINT)), 0)"
    limit = f"{LARGEST_SUM}::HUGEINT"
    return f"CAST(greatest(least({total}, {limit}), -{limit}) AS BIGINT)"


def _double(value: float) -> str:
    return f"({value!r})::DOUBLE"
