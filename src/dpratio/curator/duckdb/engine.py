"""The embedded engine: one SQL statement over files, frames and relations.

Cells are kept as whole doubles, which add up exactly in any order as long as no
partial sum reaches 2^53. The same query counts rows, so that bound is checked; where
it fails the sums are taken again in 128-bit integers, and where the files claim so many
rows that it must, in those at once. The integers are the same.
"""

import numpy as np

from dpratio.curator.duckdb.keys import Keyed, id_of, key_tables
from dpratio.curator.duckdb.numbers import cell_of, clip, double, number_of, total_of
from dpratio.curator.duckdb.table import DuckTable
from dpratio.curator.duckdb.units import count_keys, unit_steps
from dpratio.curator.reading.exact import ExactSums
from dpratio.curator.reading.statement import Statement
from dpratio.curator.reading.whole_doubles import are_exact, may_be_exact
from dpratio.terms.bounds import Bounds

__all__ = ["aggregate", "count_keys"]


def aggregate(table: DuckTable, statement: Statement) -> ExactSums:
    """Add up the cells of every group."""
    keyed = key_tables(table, statement)
    sums = None
    if may_be_exact(table.claimed_rows(), statement):
        query = _query(table, statement, keyed, in_doubles=True)
        sums = table.fetch(query, keyed.tables)
    if sums is None or not _is_exact(sums, statement):
        query = _query(table, statement, keyed, in_doubles=False)
        sums = table.fetch(query, keyed.tables)
    held = object if statement.unclamped else np.int64
    cells = np.zeros((statement.cells, len(statement.sums)), dtype=held)
    code = np.asarray(sums["code"]).astype(np.int64)
    for index in range(len(statement.sums)):
        cells[code, index] = _whole(np.asarray(sums[f"sum{index}"]))
    return ExactSums(cells)


def _whole(column: np.ndarray) -> np.ndarray:
    """Read totals as whole numbers; those that come as text may be long."""
    if column.dtype == object:
        return np.array([int(each) for each in column], dtype=object)
    return column.astype(np.int64)


def _is_exact(sums: dict[str, np.ndarray], statement: Statement) -> bool:
    unit_rows = np.ma.filled(sums.get("unit_rows", 0), 0)
    return are_exact(sums["rows"], unit_rows, statement)


def _query(
    table: DuckTable, statement: Statement, keyed: Keyed, *, in_doubles: bool
) -> str:
    """Write the statement: read, drop, clip, place, add up units, count in cells.

    On a foreign connection every number passes through TRY, past which DuckDB does
    not carry a file's statistics: they may be wrong, and a clip that they call
    needless must stay.
    """
    hide = "TRY({})" if table.is_foreign else "{}"
    unit, unclamped = statement.unit, statement.unclamped
    read = [
        f"{hide.format(number_of(table, column))} AS {letter}"
        for letter, column in statement.factor_columns.items()
    ]
    read += keyed.read
    passed = list(keyed.names)
    if unit is not None:
        read.append(f"{id_of(table, unit.column)} AS u")
        passed.append("u")
    clipped = [
        f"{clip(letter, bounds)} AS {letter}"
        for letter, bounds in statement.factor_bounds.items()
    ]
    steps = {
        "given_rows": f"SELECT {', '.join(read)} FROM {table.source}",
        "kept": (
            f"SELECT {', '.join(clipped + passed)} FROM given_rows "
            f"WHERE {_is_counted(table, statement)}"
        ),
        "placed": _placed(statement, keyed),
    }
    rows = "placed"
    if unit is not None:
        steps |= unit_steps(statement, unit, in_doubles=in_doubles)
        rows = "units"
    letters = ["s", "y"] if unit is not None else _letters(statement)
    code = ["code"] if statement.dimensions else []
    kept = [*letters, *code, *(["n_rows"] if unit is not None else [])]
    steps["made"] = f"SELECT {', '.join(kept + _made(statement))} FROM {rows}"
    cells, added = _cells(statement)
    gates = [g for g in letters if _is_gate(g, statement) and _is_used(g, statement)]
    extra = ["n_rows"] if unit is not None else []
    steps["counted"] = f"SELECT {', '.join(cells + gates + code + extra)} FROM made"
    sums = [
        f"{total_of(cell, in_doubles=in_doubles, unclamped=unclamped)} AS sum{at}"
        for at, cell in enumerate(added)
    ]
    sums += ["max(n_rows) AS unit_rows"] if unit is not None else []
    once = {"totals", "ranked"}  # Read twice, worked out once.
    written = ", ".join(
        f"{name} AS {'MATERIALIZED ' if name in once else ''}({step})"
        for name, step in steps.items()
    )
    place, grouped = ("code", " GROUP BY code") if code else ("0 AS code", "")
    return (
        f'WITH {written} SELECT {place}, count(*) AS "rows", {", ".join(sums)} '
        f"FROM counted{grouped}"
    )


def _letters(statement: Statement) -> list[str]:
    return [letter for letter in "syw" if letter in statement.factor_bounds]


def _is_counted(table: DuckTable, statement: Statement) -> str:
    """Keep rows whose numbers are all there and finite.

    x − x is 0 for a finite x and NaN for any other, so one test does for all.
    """
    columns = statement.factor_columns.items()
    whole = [
        letter
        for letter, column in columns
        if table.types[column].kind in {"integer", "boolean"}
        and table.columns[column][1] != "DOUBLE"  # As pandas hands missing ones over.
    ]
    zeros = [f"({f} - {f})" for f, _ in columns if f not in whole]
    tests = [f"{f} IS NOT NULL" for f in whole]
    if zeros:
        tests.append(f"isfinite({' + '.join(zeros)})")
    if statement.unit is not None:
        tests.append("u IS NOT NULL")
    return " AND ".join(tests)


def _placed(statement: Statement, keyed: Keyed) -> str:
    """Give each row its group; rows of no group find none."""
    letters = _letters(statement)
    taken = {"s": "s - m AS s"} if "m" in statement.factor_bounds else {}
    columns = [taken.get(letter, letter) for letter in letters]
    columns += ["u"] if statement.unit is not None else []
    if statement.dimensions:
        columns.append(f"{keyed.code} AS code")
    where = f" WHERE {' AND '.join(keyed.tests)}" if keyed.tests else ""
    return f"SELECT {', '.join(columns)} FROM kept{keyed.joins}{where}"


def _made(statement: Statement) -> list[str]:
    """Make the columns of the contrast."""
    contrast = statement.contrast
    if contrast is None:
        return []
    weighted = "w" in statement.factor_bounds and statement.unit is None
    times = "w * " if weighted else ""
    centre = double(contrast.centre)
    z = f"{times}(s - {centre} * y)"
    if contrast.limit is not None:
        limit = Bounds(-contrast.limit, contrast.limit)
        z = clip(f"({z})", limit)
    h = f"{times}(s + {centre} * y)" if contrast.has_numerator else f"{times}y"
    return [f"{z} AS z", f"{h} AS h"]


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
        f"{cell_of(factors, step)} AS {name}" for (factors, step), name in cells.items()
    ]
    return named, added


def _is_gate(factor: str, statement: Statement) -> bool:
    """Tell whether a factor is 0 or 1: not s, where a column was taken off it."""
    bounds = statement.factor_bounds
    is_less = factor == "s" and "m" in bounds
    known = statement.unit is None and factor in bounds and not is_less
    return known and bounds[factor].is_binary


def _is_used(factor: str, statement: Statement) -> bool:
    return any(factor in each.factors for each in statement.sums)
