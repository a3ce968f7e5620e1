"""The embedded engine: one SQL statement over files, frames and relations.

Cells are kept as whole doubles, which add up exactly in any order as long as no partial
sum reaches 2^53. The same query counts rows, so that bound is checked. If it fails, the
sums are taken again in 128-bit integers. If the files claim so many rows that it must
fail, 128-bit integers are used at once. The sums are the same.
"""

import math
import sys
from collections.abc import Mapping

import numpy as np

from dpratio.curator.duckdb.kept import (
    kept_steps,
    letters_of,
    masked_letters,
    written_letters,
)
from dpratio.curator.duckdb.keys import Keyed, id_of, key_tables
from dpratio.curator.duckdb.numbers import (
    cell_of,
    clip,
    double,
    is_outside,
    number_of,
    total_of,
)
from dpratio.curator.duckdb.table import DuckTable
from dpratio.curator.duckdb.units import count_keys, unit_steps
from dpratio.curator.reading.exact import ExactSums
from dpratio.curator.reading.statement import Reading, Statement
from dpratio.curator.reading.whole_doubles import are_exact, may_be_exact
from dpratio.plan.ladder import Ladder
from dpratio.plan.sensitivity.sums import Contrast
from dpratio.terms.bounds import Bounds


def count_on(ladder: Ladder, rows: str, *, has_ids: bool) -> str:
    """Count the s of rows, or of people, on a ladder, as `Ladder.place` places it.

    Gives one line for each cell: its code, and how many are there.
    """
    last = ladder.place(None)
    counts = "histogram(s0, [" + ", ".join(map(double, _largest(ladder))) + "])"
    found = [f"map_values({counts}) AS found", "count(*) - count(s0) AS missing"]
    told = ["code"]
    if has_ids:
        found.append("max(n_rows0) AS unit_rows0")
        told.append("unit_rows0")
    # Of no numbers there is no list.
    count = (
        f"CASE WHEN code < {last} THEN coalesce(found[code + 1], 0) ELSE missing END"
    )
    told += [f"CAST({count} AS BIGINT) AS {name}" for name in ("rows0", "sum0_0")]
    return (
        f"SELECT {', '.join(told)} FROM range({last + 1}) AS cells(code), "
        f"(SELECT {', '.join(found)} FROM {rows})"
    )


def _largest(ladder: Ladder) -> list[float]:
    """Give the largest number of each cell, rising.

    An edge belongs to the cell that is further from zero: a negative one ends
    its own cell, and the double below a positive one ends the cell below.
    """
    ends = [at if at < 0 else math.nextafter(at, -math.inf) for at in ladder.edges]
    return [*ends, sys.float_info.max]


__all__ = ["aggregate", "count_keys"]


def aggregate(table: DuckTable, reading: Reading) -> list[ExactSums]:
    """Add up the cells of every group, for each statement."""
    keyed = key_tables(table, reading.first)
    claimed, sums = table.claimed_rows(), None
    if all(may_be_exact(claimed, each) for each in reading.statements):
        query = _query(table, reading, keyed, in_doubles=True)
        sums = table.fetch(query, keyed.tables)
    if sums is None or not _is_exact(sums, reading):
        query = _query(table, reading, keyed, in_doubles=False)
        sums = table.fetch(query, keyed.tables)
    code = np.asarray(sums["code"]).astype(np.int64)
    found = []
    for nth, each in enumerate(reading.statements):
        held = object if each.unclamped else np.int64
        cells = np.zeros((each.cells, len(each.sums)), dtype=held)
        for at in range(len(each.sums)):
            cells[code, at] = _whole(np.asarray(sums[f"sum{nth}_{at}"]))
        found.append(ExactSums(cells))
    return found


def _whole(column: np.ndarray) -> np.ndarray:
    """Read totals as whole numbers; those that come as text may be long."""
    if column.dtype == object:
        return np.array([int(each) for each in column], dtype=object)
    return column.astype(np.int64)


def _is_exact(sums: dict[str, np.ndarray], reading: Reading) -> bool:
    return all(
        are_exact(
            sums[f"rows{nth}"], np.ma.filled(sums.get(f"unit_rows{nth}", 0), 0), each
        )
        for nth, each in enumerate(reading.statements)
    )


def _query(
    table: DuckTable, reading: Reading, keyed: Keyed, *, in_doubles: bool
) -> str:
    """Write the query: read, clip, drop, place, add up units, count in cells.

    The letters of a statement are numbered with it: s0, y0, s1, y1. Where a row does
    not count in a statement, letters of it are missing there, and so is all that is
    made of them; a missing cell is not added.

    On a foreign connection every number passes through TRY, past which DuckDB does
    not carry a file's statistics: they may be wrong, and a clip that they call
    needless must stay.
    """
    hide = "TRY({})" if table.is_foreign else "{}"
    unit, statements = reading.unit, list(enumerate(reading.statements))
    read = [
        f"{hide.format(number_of(table, column))} AS n{at}"
        for at, column in enumerate(reading.numbers)
    ]
    read += keyed.read
    passed = list(keyed.names)
    if unit is not None:
        read.append(f"{id_of(table, unit.column)} AS u")
        passed.append("u")
    steps = {
        "given_rows": f"SELECT {', '.join(read)} FROM {table.source}",
        **kept_steps(table, reading, passed),
        "placed": _placed(reading, keyed),
    }
    rows = "placed"
    if unit is not None:
        steps |= unit_steps(reading, unit, in_doubles=in_doubles)
        rows = "units"
    if reading.first.ladder is not None:
        return _with(steps) + count_on(
            reading.first.ladder, rows, has_ids=unit is not None
        )
    code = ["code"] if reading.first.dimensions else []
    made, counted, sums = list(code), list(code), []
    for nth, each in statements:
        letters = letters_of(each) if each.unit is None else list(each.unit.totals)
        made += [*(f"{letter}{nth}" for letter in letters), *_made(nth, each)]
        made += _cut(nth, each)
        cells, added = _cells(nth, each)
        gates = [g for g in letters if _is_gate(g, each) and _is_used(g, each)]
        counted += [*cells, *(f"{letter}{nth}" for letter in gates)]
        sums.append(f"count({added[0]}) AS rows{nth}")
        sums += [
            f"{total_of(cell, in_doubles=in_doubles, unclamped=each.unclamped)} "
            f"AS sum{nth}_{at}"
            for at, cell in enumerate(added)
        ]
        if unit is not None:
            made.append(f"n_rows{nth}")
            counted.append(f"n_rows{nth}")
            sums.append(f"max(n_rows{nth}) AS unit_rows{nth}")
    steps["made"] = f"SELECT {', '.join(made)} FROM {rows}"
    steps["counted"] = f"SELECT {', '.join(counted)} FROM made"
    place, grouped = ("code", " GROUP BY code") if code else ("0 AS code", "")
    return f"{_with(steps)}SELECT {place}, {', '.join(sums)} FROM counted{grouped}"


def _with(steps: Mapping[str, str]) -> str:
    """Write steps; ranks, which are read twice, are worked out once."""
    written = ", ".join(
        f"{name} AS {'MATERIALIZED ' if name == 'ranked' else ''}({step})"
        for name, step in steps.items()
    )
    return f"WITH {written} "


def _placed(reading: Reading, keyed: Keyed) -> str:
    """Give each row its group; rows of no group find none."""
    columns = []
    written = masked_letters if reading.unit is None else written_letters
    for nth, each in enumerate(reading.statements):
        columns += [f"{text} AS {a}{nth}" for a, text in written(nth, each).items()]
    columns += ["u"] if reading.unit is not None else []
    if reading.first.dimensions:
        columns.append(f"{keyed.code} AS code")
    where = f" WHERE {' AND '.join(keyed.tests)}" if keyed.tests else ""
    return f"SELECT {', '.join(columns)} FROM kept{keyed.joins}{where}"


def _made(nth: int, statement: Statement) -> list[str]:
    """Make the columns of the contrast."""
    contrast = statement.contrast
    if contrast is None:
        return []
    times = _times(nth, statement)
    z = _contrast(nth, statement)
    if contrast.limit is not None:
        limit = Bounds(-contrast.limit, contrast.limit)
        z = clip(f"({z})", limit)
    around = _around(nth, contrast)
    total = f"(s{nth} + {around})" if contrast.has_numerator else f"y{nth}"
    return [f"{z} AS z{nth}", f"{times}{total} AS h{nth}"]


def _cut(nth: int, statement: Statement) -> list[str]:
    """Say whether a unit was cut; a limit on z cuts too."""
    if not statement.counts_cuts:
        return []
    contrast = statement.contrast
    if contrast is None or contrast.limit is None:
        return [f"c{nth}"]
    beyond = is_outside(
        f"({_contrast(nth, statement)})", -contrast.uncut, contrast.uncut
    )
    return [f"CASE WHEN {beyond} THEN 1::DOUBLE ELSE c{nth} END AS c{nth}"]


def _contrast(nth: int, statement: Statement) -> str:
    """Write z before it is clipped."""
    around = _around(nth, statement.contrast)  # type: ignore[arg-type]
    return f"{_times(nth, statement)}(s{nth} - {around})"


def _around(nth: int, contrast: Contrast) -> str:
    """Write r₀·y; once y is y, to the last bit."""
    return f"y{nth}" if contrast.centre == 1 else f"{double(contrast.centre)} * y{nth}"


def _times(nth: int, statement: Statement) -> str:
    weighted = "w" in statement.factor_bounds and statement.unit is None
    return f"w{nth} * " if weighted else ""


def _cells(nth: int, statement: Statement) -> tuple[list[str], list[str]]:
    """Count each distinct product once; give the cells and what each sum adds.

    A factor that is 0 or 1 may multiply the cell instead of the value: zero has cell
    zero, and one changes nothing.
    """
    cells: dict[tuple[tuple[str, ...], float], str] = {}
    added = []
    for each in statement.sums:
        rest = tuple(f for f in each.factors if not _is_gate(f, statement))
        gates = [f"{f}{nth}" for f in each.factors if _is_gate(f, statement)]
        name = cells.setdefault((rest, each.step), f"cell{nth}_{len(cells)}")
        added.append(" * ".join([name, *gates]))
    named, counts_rows = [], any(not each.factors for each in statement.sums)
    for (factors, step), name in cells.items():
        cell = cell_of([f"{factor}{nth}" for factor in factors], step)
        if counts_rows and not factors:
            cell = f"CASE WHEN s{nth} IS NOT NULL THEN {cell} END"
        named.append(f"{cell} AS {name}")
    return named, added


def _is_gate(factor: str, statement: Statement) -> bool:
    """Tell whether a factor is 0 or 1: not s, where a column was taken off it."""
    bounds = statement.factor_bounds
    is_less = factor == "s" and "m" in bounds
    known = statement.unit is None and factor in bounds and not is_less
    return known and bounds[factor].is_binary


def _is_used(factor: str, statement: Statement) -> bool:
    return any(factor in each.factors for each in statement.sums)
