"""Keys, bins, periods and ids as expressions; declared keys are joined as a table."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

import ibis

from dpratio.curator.reading.statement import Statement
from dpratio.curator.warehouse.dialect import (
    LAST_DAY,
    Dialect,
    Value,
    date_of,
    day_number,
    double,
)
from dpratio.terms.groups import Dimension, Keys, Periods, ScoreBins, period_of

_LONGEST_PERIOD = 92  # days of a quarter


def key_of(dialect: Dialect, table: Value, each: Keys | Periods) -> Value:
    """Read the key of a row: the bytes of text, and whole numbers for all others."""
    column = table[each.column]
    kind = dt.date if isinstance(each, Periods) else each.kind
    if kind is dt.date:
        # Off the calendar it equals no declared day, and matters where none is one.
        return dialect.any_day(column) if _is_declared(each) else dialect.day(column)
    if kind is str:
        return text_of(dialect, column, each)  # type: ignore[arg-type]
    if kind is bool:
        return ibis.cases((column, 1), (~column, 0)).cast("int64")
    return dialect.whole(column)


def text_of(dialect: Dialect, column: Value, each: Keys) -> Value:
    """Read the bytes of a text key."""
    # What is no UTF-8 equals no declared key, and matters where none is one.
    return dialect.encoded(column) if _is_declared(each) else dialect.text(column)


def _is_declared(each: Keys | Periods) -> bool:
    return bool(each.values) and None not in each.values


def is_joined(dialect: Dialect, each: Dimension) -> bool:
    """Tell whether keys find their places in a table, and not by a formula."""
    if isinstance(each, ScoreBins) or _is_counted(each, dialect):
        return False
    return _start_of_range(_places(each)) is None


def place_without_join(dialect: Dialect, rows: Value, statement: Statement) -> Value:
    """Give each row its places, as place0, place1 and so on, where formulas do."""
    for at, each in enumerate(statement.dimensions):
        if not is_joined(dialect, each):
            rows = _with_place(dialect, rows, at, each)
    return rows


def place_rows(
    dialect: Dialect, rows: Value, statement: Statement, kept: Sequence[str]
) -> Value:
    """Give each row the code of its group, and drop those that belong to none.

    Args:
        dialect: Of the database.
        rows: With places that formulas gave, and keys in k0, k1 … that are joined.
        statement: What is asked.
        kept: Columns to keep beside the code.
    """
    for at, each in enumerate(statement.dimensions):
        if is_joined(dialect, each):
            rows = _with_place(dialect, rows, at, each)
    code = rows.place0
    for at, each in enumerate(statement.dimensions[1:], start=1):
        code = code * len(each.values) + rows[f"place{at}"]
    columns = {name: rows[name] for name in kept}
    if statement.listed is None:
        return rows.select(**columns, code=code.cast("int64"))
    wanted = statement.listed_codes
    listed = _table({"combined": wanted, "listed": range(len(wanted))})
    rows = rows.select(**columns, combined=code.cast("int64"))
    found = rows.join(listed, rows.combined == listed.combined)
    return found.select(*(found[name] for name in kept), code=found.listed)


def _with_place(dialect: Dialect, rows: Value, at: int, each: Dimension) -> Value:
    """Add the place of a row in one dimension, as place0, place1 and so on."""
    name = f"place{at}"
    if isinstance(each, ScoreBins):
        return _with_bin(dialect, rows, rows[f"b{at}"], each).rename({name: "bin"})
    key = rows[f"k{at}"]
    places = _places(each)
    if _is_counted(each, dialect):
        days = list(places)
        on_time = key.between(days[0], days[-1])
        # Given to the calendar only where it is in range, whatever is tested first.
        month = dialect.month(ibis.cases((on_time, key)))
        start = 12 * each.first.year + each.first.month
        placed = rows.mutate(**{name: (month - start).cast("int64")})
        return placed.filter(dialect.condition(on_time))
    first = _start_of_range(places)
    if first is not None:
        in_range = key.between(first, first + len(places) - 1)
        inside = rows.filter(dialect.condition(in_range))
        return inside.mutate(**{name: (inside[f"k{at}"] - first).cast("int64")})
    missing = places.pop(None, None)
    kind = "string" if _is_text(each) else "int64"
    declared = _table({"key": list(places), "place": list(places.values())}, key=kind)
    named = dialect.encoded(declared.key) if _is_text(each) else declared.key
    declared = declared.select(key=named, place=declared.place)
    how = "inner" if missing is None else "left"
    found = rows.join(declared, key == declared.key, how=how)
    place = found.place
    if missing is not None:
        place = ibis.cases((found[f"k{at}"].isnull(), missing), else_=place)
    placed = found.select(*rows.columns, **{name: place.cast("int64")})
    return placed if missing is None else placed.filter(placed[name].notnull())


def _with_bin(dialect: Dialect, rows: Value, value: Value, each: ScoreBins) -> Value:
    edges = [double(edge) for edge in each.edges]
    below = [(value < edge, at) for at, edge in enumerate(edges[1:-1])]
    last = ibis.literal(len(below))
    place = ibis.cases(*below, else_=last) if below else last
    inside = dialect.condition(value.between(edges[0], edges[-1]))
    return rows.mutate(bin=place.cast("int64")).filter(inside)


def _is_counted(each: Dimension, dialect: Dialect) -> TypeGuard[Periods]:
    """Tell whether periods are months that the database counts, without their days."""
    is_month = isinstance(each, Periods) and each.every == "month"
    return is_month and dialect.counts_months


def _is_text(each: Keys | Periods) -> bool:
    return isinstance(each, Keys) and each.kind is str


def _places(each: Keys | Periods) -> dict[Any, int]:
    """Give the place of every declared key; of a period, of each of its days."""
    if isinstance(each, Periods):
        places = {day: at for at, day in enumerate(each.values)}
        last = min(day_number(each.values[-1]) + _LONGEST_PERIOD, LAST_DAY + 1)
        starts = {
            day: period_of(date_of(day), each.every)
            for day in range(day_number(each.first), last)
        }
        return {day: places[start] for day, start in starts.items() if start in places}
    return {_plain(key): at for at, key in enumerate(each.values)}


def _plain(key: object) -> object:
    if isinstance(key, dt.date):
        return day_number(key)
    return int(key) if isinstance(key, int) else key


def _start_of_range(places: Mapping[Any, int]) -> int | None:
    """Give the first key where keys are whole numbers in a row, each its own place."""
    keys = list(places)
    if not all(isinstance(key, int) for key in keys):
        return None
    in_a_row = keys == list(range(keys[0], keys[0] + len(keys)))
    return (
        keys[0]
        if in_a_row and list(places.values()) == list(range(len(keys)))
        else None
    )


def _table(columns: Mapping[str, Sequence[Any]], **kinds: str) -> Value:
    """Hand over a public table, of whole numbers where no other kind is named."""
    schema = ibis.schema({name: kinds.get(name, "int64") for name in columns})
    plain = {name: list(cells) for name, cells in columns.items()}
    return ibis.memtable(plain, schema=schema)
