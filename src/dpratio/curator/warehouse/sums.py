"""The whole statement as one expression: read, drop, clip, place, count, add up."""

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import and_

from dpratio.curator.reading.statement import Statement
from dpratio.curator.warehouse.dialect import Dialect, Value
from dpratio.curator.warehouse.keys import (
    is_joined,
    key_of,
    place_rows,
    place_without_join,
    text_of,
)
from dpratio.curator.warehouse.numbers import (
    LEAST_CONTRAST,
    LEAST_FACTOR,
    LEAST_TERM,
    PIECES,
    cell_of,
    clip,
    pieces_of,
    settled,
    whole_total,
)
from dpratio.curator.warehouse.units import unit_totals
from dpratio.terms.bounds import Bounds
from dpratio.terms.dimensions import Keys

__all__ = ["group_sums"]


def group_sums(
    dialect: Dialect, table: Value, statement: Statement, *, in_doubles: bool
) -> Value:
    """Write what is asked: code, rows and the sums of every group that has rows."""
    late = _late_texts(dialect, statement)
    rows = _clipped(dialect, table, statement, late)
    rows = place_without_join(dialect, rows, statement)
    if late is not None:
        return _added_by_keys(dialect, rows, statement, late, in_doubles=in_doubles)
    rows = _placed(dialect, rows, statement)
    if statement.unit is not None:
        rows = unit_totals(
            dialect, rows, statement, statement.unit, in_doubles=in_doubles
        )
    code = ["code"] if statement.dimensions else []
    unit = ["n_rows"] if statement.unit is not None else []
    counted, names = _counted(dialect, rows, statement, [*code, *unit])
    sums = {"rows": counted.count()}
    if unit:
        sums["unit_rows"] = counted.n_rows.max()
    terms = _terms(dialect, counted, names, in_doubles=in_doubles)
    totals = {name: each.sum() for name, each in terms.items()}
    sums |= _named(dialect, totals, names, in_doubles=in_doubles)
    return (counted.group_by("code") if code else counted).aggregate(**sums)


def _late_texts(dialect: Dialect, statement: Statement) -> list[int] | None:
    """List the text keys that are read late; None where rows are placed first."""
    joined = [at for at, each in enumerate(statement.dimensions) if is_joined(each)]
    if not dialect.adds_before_joins or statement.unit is not None or not joined:
        return None
    if not dialect.text_is_bytes:
        return []
    keys = [(at, statement.dimensions[at]) for at in joined]
    return [at for at, each in keys if isinstance(each, Keys) and each.kind is str]


def _added_by_keys(
    dialect: Dialect,
    rows: Value,
    statement: Statement,
    late: Sequence[int],
    *,
    in_doubles: bool,
) -> Value:
    """Add rows up by their keys, and let these find their groups.

    A period has the sums of its days, which are added up where they arrive.
    """
    by = [
        f"k{at}" if is_joined(each) else f"place{at}"
        for at, each in enumerate(statement.dimensions)
    ]
    counted, names = _counted(dialect, _less(dialect, rows, statement), statement, by)
    terms = _terms(dialect, counted, names, in_doubles=in_doubles)
    added = counted.group_by(*by).aggregate(
        many=counted.count(), **{name: each.sum() for name, each in terms.items()}
    )
    read = {
        f"k{at}": text_of(dialect, added[f"k{at}"], statement.dimensions[at])  # type: ignore[arg-type]
        for at in late
    }
    placed = place_rows(dialect, added.mutate(**read), statement, ["many", *terms])
    many_texts = any(None in statement.dimensions[at].values for at in late)
    if many_texts or not dialect.text_is_bytes:
        # Texts that are no UTF-8 are one key, and may be many; and a period many days.
        found = {name: placed[name].sum() for name in ("many", *terms)}
        placed = placed.group_by("code").aggregate(**found)
    sums = _named(
        dialect, {each: placed[each] for each in terms}, names, in_doubles=in_doubles
    )
    return placed.select("code", rows=placed.many, **sums)


def _counted(
    dialect: Dialect, rows: Value, statement: Statement, kept: Sequence[str]
) -> tuple[Value, list[str]]:
    """Count rows in cells; give them, and which cell each sum adds."""
    made = rows.mutate(**_contrast(dialect, rows, statement))
    cells, names = _cells(dialect, made, statement)
    return made.select(*kept, **cells), names


def _terms(
    dialect: Dialect, counted: Value, names: Sequence[str], *, in_doubles: bool
) -> dict[str, Value]:
    """Give what is added up: cells, or their pieces."""
    if in_doubles:
        return {name: counted[name] for name in names}
    return {
        f"{name}_{nth}": piece
        for name in dict.fromkeys(names)
        for nth, piece in enumerate(pieces_of(dialect, counted[name]))
    }


def _named(
    dialect: Dialect,
    totals: Mapping[str, Value],
    names: Sequence[str],
    *,
    in_doubles: bool,
) -> dict[str, Value]:
    """Give totals, as whole numbers, under the names of the sums."""
    if in_doubles:
        return {
            f"sum{at}": whole_total(dialect, totals[name])
            for at, name in enumerate(names)
        }
    return {
        f"sum{at}_{nth}": totals[f"{name}_{nth}"]
        for at, name in enumerate(names)
        for nth in range(PIECES)
    }


def _clipped(
    dialect: Dialect, table: Value, statement: Statement, late: Sequence[int] | None
) -> Value:
    """Read the columns, keep rows whose numbers are all there, and clip those."""
    read = {
        letter: dialect.number(table[column])
        for letter, column in statement.factor_columns.items()
    }
    for at in statement.key_columns:
        each = statement.dimensions[at]
        read[f"k{at}"] = (
            table[each.column] if at in (late or ()) else key_of(dialect, table, each)  # type: ignore[arg-type]
        )
    tests = []
    if statement.unit is not None:
        read["u"] = dialect.unit(table[statement.unit.column])
        tests.append("u")
    rows = table.select(**read)
    finite = dialect.finite([rows[letter] for letter in statement.factor_columns])
    kept = [*finite, *(rows[name].notnull() for name in tests)]
    rows = rows.filter(dialect.condition(reduce(and_, kept)))
    factors = "yw" if "m" in statement.factor_bounds else "syw"
    clipped = {
        letter: clip(
            dialect,
            rows[letter],
            bounds,
            _least_of(statement) if letter in factors else 0.0,
        )
        for letter, bounds in statement.factor_bounds.items()
    }
    passed = [name for name in read if name not in clipped]
    return rows.select(*passed, **clipped)


def _placed(dialect: Dialect, rows: Value, statement: Statement) -> Value:
    """Give each row its group; rows of no group are dropped."""
    kept = [letter for letter in "syw" if letter in statement.factor_bounds]
    if statement.unit is not None:
        kept.append("u")
    rows = _less(dialect, rows, statement)
    if not statement.dimensions:
        return rows.select(*kept)
    return place_rows(dialect, rows, statement, kept)


def _less(dialect: Dialect, rows: Value, statement: Statement) -> Value:
    """Take m off s."""
    if "m" not in statement.factor_bounds:
        return rows
    return rows.mutate(s=settled(dialect, rows.s - rows.m, _least_of(statement)))


def _least_of(statement: Statement) -> float:
    """Give the least of s, y and w that is not taken for zero."""
    is_term = statement.contrast is not None or statement.unit is not None
    return LEAST_TERM if is_term else LEAST_FACTOR


def _contrast(dialect: Dialect, rows: Value, statement: Statement) -> dict[str, Value]:
    """Make the columns of the contrast."""
    contrast = statement.contrast
    if contrast is None:
        return {}
    scaled = dialect.double(contrast.centre) * rows.y
    z, h = rows.s - scaled, (rows.s + scaled if contrast.has_numerator else rows.y)
    # Without a weight both are zero or far from vanishing.
    if "w" in statement.factor_bounds and statement.unit is None:
        z, h = (settled(dialect, rows.w * each, LEAST_CONTRAST) for each in (z, h))
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
            factors = [rows[letter] for letter in each.factors]
            cells[name] = cell_of(dialect, factors, each.step, least)
        added.append(name)
    return cells, added
