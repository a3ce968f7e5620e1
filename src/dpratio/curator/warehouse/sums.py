"""The whole statement as one expression: read, drop, clip, place, count, add up.

Floor: curator. Imports: terms, engine, and the rest of this room.
"""

from dpratio.curator.engine import Statement
from dpratio.curator.warehouse.dialect import Dialect, Value
from dpratio.curator.warehouse.keys import key_of, place_rows
from dpratio.curator.warehouse.numbers import (
    LEAST_CONTRAST,
    LEAST_FACTOR,
    LEAST_TERM,
    cell_of,
    clip,
    is_finite,
    pieces_of,
    whole_sum,
)
from dpratio.curator.warehouse.units import unit_totals
from dpratio.terms.bounds import Bounds

__all__ = ["group_sums"]


def group_sums(
    dialect: Dialect, table: Value, statement: Statement, *, in_doubles: bool
) -> Value:
    """Write what is asked: code, n_rows and the sums of every group that has rows."""
    rows = _placed(dialect, _clipped(dialect, table, statement), statement)
    if statement.unit is not None:
        rows = unit_totals(
            dialect, rows, statement, statement.unit, in_doubles=in_doubles
        )
    made = rows.mutate(**_contrast(dialect, rows, statement))
    code = ["code"] if statement.dimensions else []
    unit = ["n_rows"] if statement.unit is not None else []
    cells, names = _cells(dialect, made, statement)
    counted = made.select(*code, *unit, **cells)
    sums = {"rows": counted.count()}
    if unit:
        sums["unit_rows"] = counted.n_rows.max()
    for at, name in enumerate(names):
        if in_doubles:
            sums[f"sum{at}"] = whole_sum(dialect, counted[name])
            continue
        for nth, piece in enumerate(pieces_of(dialect, counted[name])):
            sums[f"sum{at}_{nth}"] = piece.sum()
    return (counted.group_by("code") if code else counted).aggregate(**sums)


def _clipped(dialect: Dialect, table: Value, statement: Statement) -> Value:
    """Read the columns, keep rows whose numbers are all there, and clip those."""
    read = {
        letter: dialect.number(table[column])
        for letter, column in statement.factor_columns.items()
    }
    for at in statement.key_columns:
        each = statement.dimensions[at]
        read[f"k{at}"] = key_of(dialect, table, each)  # type: ignore[arg-type]
    tests = []
    if statement.unit is not None:
        read["u"] = dialect.unit(table[statement.unit.column])
        tests.append("u")
    rows = table.select(**read)
    finite = [is_finite(dialect, rows[letter]) for letter in statement.factor_columns]
    rows = rows.filter(*finite, *(rows[name].notnull() for name in tests))
    clipped = {
        letter: clip(dialect, rows[letter], bounds)
        for letter, bounds in statement.factor_bounds.items()
    }
    passed = [name for name in read if name not in clipped]
    return rows.select(*passed, **clipped)


def _placed(dialect: Dialect, rows: Value, statement: Statement) -> Value:
    """Take m off s, and give each row its group; rows of no group are dropped."""
    if "m" in statement.factor_bounds:
        rows = rows.mutate(s=rows.s - rows.m)
    kept = [letter for letter in "syw" if letter in statement.factor_bounds]
    if statement.unit is not None:
        kept.append("u")
    if not statement.dimensions:
        return rows.select(*kept)
    return place_rows(dialect, rows, statement, kept)


def _contrast(dialect: Dialect, rows: Value, statement: Statement) -> dict[str, Value]:
    """Make the columns of the contrast."""
    contrast = statement.contrast
    if contrast is None:
        return {}
    s, y = (dialect.settled(rows[each], LEAST_TERM) for each in "sy")
    scaled = dialect.double(contrast.centre) * y
    z, h = s - scaled, (s + scaled if contrast.centre else y)
    if "w" in statement.factor_bounds and statement.unit is None:
        weight = dialect.settled(rows.w, LEAST_TERM)
        z, h = weight * z, weight * h
    if contrast.limit is not None:
        z = clip(dialect, z, Bounds(-contrast.limit, contrast.limit))
    return {"z": z, "h": h}


def _cells(
    dialect: Dialect, rows: Value, statement: Statement
) -> tuple[dict[str, Value], list[str]]:
    """Count each distinct product once; give the cells, and which each sum adds."""
    least = LEAST_FACTOR if statement.contrast is None else LEAST_CONTRAST
    named: dict[tuple[tuple[str, ...], float], str] = {}
    cells: dict[str, Value] = {}
    added = []
    for each in statement.sums:
        name = named.setdefault((each.factors, each.step), f"cell{len(named)}")
        if name not in cells:
            factors = [dialect.settled(rows[f], least) for f in each.factors]
            cells[name] = cell_of(dialect, factors, each.step)
        added.append(name)
    return cells, added
