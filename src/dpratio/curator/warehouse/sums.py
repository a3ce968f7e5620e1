"""The whole statement as one expression: read, drop, clip, place, count, add up."""

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import and_, or_
from typing import Any

from dpratio.curator.reading.statement import Reading, Statement
from dpratio.curator.warehouse.dialect import Dialect, Value, double
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
    cut,
    only_where,
    pieces_of,
    place_on,
    settled,
    whole_total,
)
from dpratio.curator.warehouse.units import unit_totals
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Keys

_LARGEST = 1.7976931348623157e308


def group_sums(
    dialect: Dialect, table: Value, reading: Reading, *, in_doubles: bool
) -> Value:
    """Write what is asked: code, rows and the sums of every group that has rows.

    The letters of a statement are numbered with it: s0, y0, s1, y1. Where a row may
    count in some statements alone, its letters are missing in the others, and so is
    all that is made of them; a missing cell is not added.
    """
    late = _late_texts(dialect, reading.first)
    rows = _clipped(dialect, table, reading, late)
    rows = place_without_join(dialect, rows, reading.first)
    if late is not None:
        return _added_by_keys(dialect, rows, reading, late, in_doubles=in_doubles)
    rows = _placed(dialect, rows, reading)
    unit, numbers = reading.unit, range(len(reading.statements))
    if unit is not None:
        rows = unit_totals(dialect, rows, reading, unit, in_doubles=in_doubles)
    code = ["code"] if reading.first.dimensions else []
    if reading.first.ladder is not None:
        code = ["code"]
        rows = rows.mutate(code=place_on(reading.first.ladder, rows.s0))
    kept = [f"n_rows{nth}" for nth in numbers] if unit is not None else []
    counted, names = _counted(dialect, rows, reading, [*code, *kept])
    sums = _rows(counted, reading, names)
    if unit is not None:
        sums |= {f"unit_rows{nth}": counted[f"n_rows{nth}"].max() for nth in numbers}
    terms = _terms(dialect, counted, names, in_doubles=in_doubles)
    totals = {name: each.sum() for name, each in terms.items()}
    sums |= _named(totals, names, in_doubles=in_doubles)
    return (counted.group_by("code") if code else counted).aggregate(**sums)


def _late_texts(dialect: Dialect, statement: Statement) -> list[int] | None:
    """List the text keys that are read late; None where rows are placed first."""
    joined = [
        at for at, each in enumerate(statement.dimensions) if is_joined(dialect, each)
    ]
    if statement.unit is not None or not joined:
        return None
    if not dialect.text_is_bytes:
        return []
    keys = [(at, statement.dimensions[at]) for at in joined]
    return [at for at, each in keys if isinstance(each, Keys) and each.kind is str]


def _added_by_keys(
    dialect: Dialect,
    rows: Value,
    reading: Reading,
    late: Sequence[int],
    *,
    in_doubles: bool,
) -> Value:
    """Add rows up by their keys, and let these find their groups.

    A period has the sums of its days, which are added up where they arrive.
    """
    dimensions = reading.first.dimensions
    by = [
        f"k{at}" if is_joined(dialect, each) else f"place{at}"
        for at, each in enumerate(dimensions)
    ]
    counted, names = _counted(dialect, _less(dialect, rows, reading), reading, by)
    terms = _terms(dialect, counted, names, in_doubles=in_doubles)
    many = _rows(counted, reading, names)
    added = counted.group_by(*by).aggregate(
        **many, **{name: each.sum() for name, each in terms.items()}
    )
    read = {
        f"k{at}": text_of(dialect, added[f"k{at}"], dimensions[at])  # type: ignore[arg-type]
        for at in late
    }
    kept = [*many, *terms]
    placed = place_rows(dialect, added.mutate(**read), reading.first, kept)
    many_texts = any(None in dimensions[at].values for at in late)
    if many_texts or not dialect.text_is_bytes:
        # Texts that are no UTF-8 are one key, and may be many; and a period many days.
        placed = placed.group_by("code").aggregate(
            **{name: placed[name].sum() for name in kept}
        )
    sums = _named({each: placed[each] for each in terms}, names, in_doubles=in_doubles)
    return placed.select("code", *many, **sums)


def _counted(
    dialect: Dialect, rows: Value, reading: Reading, kept: Sequence[str]
) -> tuple[Value, list[list[str]]]:
    """Count rows in cells; give them, and which cell each sum of a statement adds."""
    statements = list(enumerate(reading.statements))
    contrasts: dict[str, Value] = {}
    for nth, each in statements:
        contrasts |= _contrast(dialect, rows, nth, each)
    made = rows.mutate(**contrasts)
    cells: dict[str, Value] = {}
    names = []
    for nth, each in statements:
        own, added = _cells(dialect, made, nth, each, is_masked=reading.is_masked)
        cells |= own
        names.append(added)
    return made.select(*kept, **cells), names


def _rows(
    counted: Value, reading: Reading, names: Sequence[Sequence[str]]
) -> dict[str, Value]:
    """Count the rows of each statement."""
    return {
        f"rows{nth}": counted[added[0]].count()
        if reading.is_masked
        else counted.count()
        for nth, added in enumerate(names)
    }


def _terms(
    dialect: Dialect,
    counted: Value,
    names: Sequence[Sequence[str]],
    *,
    in_doubles: bool,
) -> dict[str, Value]:
    """Give what is added up: cells, or their pieces."""
    cells = dict.fromkeys(name for added in names for name in added)
    if in_doubles:
        return {name: counted[name] for name in cells}
    return {
        f"{name}_{part}": piece
        for name in cells
        for part, piece in enumerate(pieces_of(dialect, counted[name]))
    }


def _named(
    totals: Mapping[str, Value],
    names: Sequence[Sequence[str]],
    *,
    in_doubles: bool,
) -> dict[str, Value]:
    """Give totals, as whole numbers, under the names of the sums."""
    added = {
        f"sum{nth}_{at}": name
        for nth, each in enumerate(names)
        for at, name in enumerate(each)
    }
    if in_doubles:
        return {given: whole_total(totals[name]) for given, name in added.items()}
    return {
        f"{given}_{part}": totals[f"{name}_{part}"]
        for given, name in added.items()
        for part in range(PIECES)
    }


def _clipped(
    dialect: Dialect, table: Value, reading: Reading, late: Sequence[int] | None
) -> Value:
    """Read the columns, keep rows that some statement counts, and clip numbers."""
    names = {column: f"n{at}" for at, column in enumerate(reading.numbers)}
    read = {name: dialect.number(table[column]) for column, name in names.items()}
    passed = {}
    for at, column in reading.first.key_columns.items():
        keys: Any = reading.first.dimensions[at]
        is_late = at in (late or ())
        passed[f"k{at}"] = table[column] if is_late else key_of(dialect, table, keys)
    if reading.unit is not None:
        passed["u"] = dialect.unit(table[reading.unit.column])
    rows = table.select(**read, **passed)
    tests = [
        reduce(and_, (_is_finite(rows[names[column]]) for column in columns))
        for columns in (each.factor_columns.values() for each in reading.statements)
    ]
    if reading.is_masked or reading.keeps_missing:
        rows = rows.mutate(**{f"is{nth}": test for nth, test in enumerate(tests)})
        tests = [reduce(or_, (rows[f"is{nth}"] for nth in range(len(tests))))]
    has_unit = [] if reading.unit is None else [rows.u.notnull()]
    if not reading.keeps_missing:
        rows = rows.filter(dialect.condition(reduce(and_, [tests[0], *has_unit])))
    return rows.select(*passed, **_numbers(dialect, rows, reading, names))


def _is_finite(number: Value) -> Value:
    """Tell where a number is finite; NaN is beyond every number, or is missing."""
    # Named once: a database may work a number out as often as it is named.
    return number.abs() <= double(_LARGEST)


def _numbers(
    dialect: Dialect, rows: Value, reading: Reading, names: Mapping[str, str]
) -> dict[str, Value]:
    """Clip the numbers of every statement, and say whether a bound cut one."""
    clipped = {}
    for nth, each in enumerate(reading.statements):
        factors = "yw" if "m" in each.factor_bounds else "syw"
        for letter, bounds in each.factor_bounds.items():
            least = _least_of(each) if letter in factors else 0.0
            number = rows[names[each.factor_columns[letter]]]
            within = clip(dialect, number, bounds, least)
            if letter.startswith("b"):  # A bin is the same in all statements.
                clipped[letter] = within
            elif reading.is_masked or reading.keeps_missing:
                clipped[f"{letter}{nth}"] = only_where(rows[f"is{nth}"], within)
            else:
                clipped[f"{letter}{nth}"] = within
        if each.counts_cuts:
            is_cut = cut(_outside(rows, each, names))
            if reading.is_masked:
                is_cut = only_where(rows[f"is{nth}"], is_cut)
            clipped[f"c{nth}"] = is_cut
    return clipped


def _outside(
    rows: Value, statement: Statement, names: Mapping[str, str]
) -> list[Value]:
    """Tell where a bound that is watched moves a number of a row."""
    watched = [
        (rows[names[statement.factor_columns[each]]], statement.factor_bounds[each])
        for each in statement.cut_letters
    ]
    return [
        (number < double(bounds.lower)) | (number > double(bounds.upper))
        for number, bounds in watched
    ]


def _placed(dialect: Dialect, rows: Value, reading: Reading) -> Value:
    """Give each row its group; rows of no group are dropped."""
    kept = [
        f"{letter}{nth}"
        for nth, each in enumerate(reading.statements)
        for letter in "sywc"
        if letter in each.factor_bounds or (letter == "c" and each.counts_cuts)
    ]
    if reading.unit is not None:
        kept.append("u")
    rows = _less(dialect, rows, reading)
    if not reading.first.dimensions:
        return rows.select(*kept)
    return place_rows(dialect, rows, reading.first, kept)


def _less(dialect: Dialect, rows: Value, reading: Reading) -> Value:
    """Take m off s."""
    less = {
        f"s{nth}": settled(dialect, rows[f"s{nth}"] - rows[f"m{nth}"], _least_of(each))
        for nth, each in enumerate(reading.statements)
        if "m" in each.factor_bounds
    }
    return rows.mutate(**less) if less else rows


def _least_of(statement: Statement) -> float:
    """Give the least of s, y and w that is not taken for zero."""
    is_term = statement.contrast is not None or statement.unit is not None
    return LEAST_TERM if is_term else LEAST_FACTOR


def _contrast(
    dialect: Dialect, rows: Value, nth: int, statement: Statement
) -> dict[str, Value]:
    """Make the columns of the contrast."""
    contrast = statement.contrast
    if contrast is None:
        return {}
    s, y = rows[f"s{nth}"], rows[f"y{nth}"]
    scaled = double(contrast.centre) * y
    z, h = s - scaled, (s + scaled if contrast.has_numerator else y)
    # Without a weight both are zero or far from vanishing.
    if "w" in statement.factor_bounds and statement.unit is None:
        weight = rows[f"w{nth}"]
        z, h = (settled(dialect, weight * each, LEAST_CONTRAST) for each in (z, h))
    if contrast.limit is None:
        return {f"z{nth}": z, f"h{nth}": h}
    made = {f"z{nth}": clip(dialect, z, Bounds(-contrast.limit, contrast.limit))}
    if statement.counts_cuts:
        beyond = z.abs() > double(contrast.uncut)
        made[f"c{nth}"] = cut([beyond], rows[f"c{nth}"])
    return {**made, f"h{nth}": h}


def _cells(
    dialect: Dialect, rows: Value, nth: int, statement: Statement, *, is_masked: bool
) -> tuple[dict[str, Value], list[str]]:
    """Count each distinct product once; give the cells, and which each sum adds."""
    least = LEAST_FACTOR if statement.contrast is None else LEAST_CONTRAST
    named: dict[tuple[tuple[str, ...], float], str] = {}
    cells: dict[str, Value] = {}
    added = []
    for each in statement.sums:
        name = named.setdefault((each.factors, each.step), f"cell{nth}_{len(named)}")
        if name not in cells:
            factors = [rows[f"{letter}{nth}"] for letter in each.factors]
            cell = cell_of(dialect, factors, each.step, least)
            if is_masked and not factors:
                cell = only_where(rows[f"s{nth}"].notnull(), cell)
            cells[name] = cell
        added.append(name)
    return cells, added
