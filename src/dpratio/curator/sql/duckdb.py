"""DuckDB: what it writes differently, and how its cells are read."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

from dpratio.curator.reading.csv import number_pattern
from dpratio.curator.reading.keys import KEY_FORMS, WHOLE_ID, day_groups, day_pattern
from dpratio.curator.reading.sources import open_duck
from dpratio.curator.reading.statement import ColumnType
from dpratio.curator.reading.table import (
    Asked,
    DuckTable,
    identifier,
    literal,
    types_of,
)
from dpratio.curator.sql.conditions import write_conditions
from dpratio.curator.sql.dialect import (
    UNDECLARED,
    Column,
    Comparison,
    Dialect,
)
from dpratio.curator.sql.table import Table
from dpratio.errors import SchemaRefused
from dpratio.terms.groups import Keys
from dpratio.terms.source import CsvFile, ParquetFiles

_FIRST_DAY, _LAST_DAY = "DATE '0001-01-01'", "DATE '9999-12-31'"
_EPOCH = "DATE '1970-01-01'"
_DECIMAL = r"DECIMAL\(([0-9]+), *([0-9]+)\)"


def duckdb_table(given: DuckTable) -> Table:
    """Return a table of DuckDB as the generator takes it."""
    columns = {
        name: _column(short, given.types[name], native)
        for name, (short, native) in given.columns.items()
    }
    hide = "TRY({})" if given.is_foreign else "{}"
    return Table(
        given.types,
        columns,
        given.source,
        _FRAMES if given.source == "given" else DIALECT,
        given.ask,
        hide=hide,
    )


def open_kept(source: CsvFile | ParquetFiles, asked: Asked) -> Table:
    """Open files of which conditions keep some rows.

    Raises:
        SchemaRefused: When a condition does more than compare columns with constants of
            their type, beside what `open_duck` refuses.
    """
    named = [condition[0] for condition in source.where]
    columns = list(dict.fromkeys([*asked.columns, *named]))
    reading: Any = SimpleNamespace(
        columns=columns, numbers=asked.numbers, unit=asked.unit
    )
    opened = open_duck(source, reading)
    # Others are handed over by PyArrow, which makes days of times.
    if isinstance(source, ParquetFiles) and opened.source != "given_files":
        raise SchemaRefused(
            "where is not for files of which a column that is read has times in "
            "milliseconds or of 96 bits.",
            field="where",
        )
    table = duckdb_table(opened)
    # What a file holds in a decimal may have more digits than its type.
    compared = {
        name: column
        if column.native in _COMPARISONS and column.given.kind != "other"
        else replace(column, comparison=None)
        for name, column in table.columns.items()
    }
    where = write_conditions(table.dialect, compared, source.where)
    return replace(table, where=where)


def column_of(name: str, native: str) -> Column:
    """Return a column of a type that DuckDB names."""
    (given,) = types_of({name: native}).values()
    return _column(name, given, native)


def _column(name: str, given: ColumnType, native: str) -> Column:
    is_text = given.kind in {"text", "csv"} or native.upper() in _AS_TEXT
    return Column(identifier(name), given, native, is_text, _comparison(native))


def _comparison(native: str) -> Comparison:
    shape = re.fullmatch(_DECIMAL, native)
    if shape is not None:
        precision, scale = map(int, shape.groups())
        return Comparison("decimal", precision, scale)
    return _COMPARISONS.get(native.partition("(")[0], Comparison("none"))


# Handed over as text; and whole numbers that may not fit 64 bits, by their names in
# DuckDB, and in Polars and Arrow.
_AS_TEXT = {"VARCHAR", "UBIGINT", "HUGEINT", "UHUGEINT", "UINT64"}


def _double(value: float) -> str:
    """Write a double with its exponent: without one it would be a decimal."""
    written = repr(value)
    return written if "e" in written else f"{written}e0"


def _number(column: Column) -> str:
    name, native, decimal = column.name, column.native, column.given.decimal
    if decimal is not None:
        is_number = f"regexp_full_match({name}, {literal(number_pattern(decimal))})"
        text = f"trim({name}, {literal(' ' + chr(9))})"
        text = text if decimal == "." else f"replace({text}, {literal(decimal)}, '.')"
        return (
            f"CASE WHEN {is_number} THEN TRY_CAST({text} AS DOUBLE) "
            f"WHEN lower({name}) = 'true' THEN CAST(1 AS DOUBLE) "
            f"WHEN lower({name}) = 'false' THEN CAST(0 AS DOUBLE) END"
        )
    if native.startswith(("DECIMAL", "HUGEINT", "UHUGEINT", "VARCHAR")):
        # Through text: correctly rounded, which their own casts are not.
        number = f"TRY_CAST(CAST({name} AS VARCHAR) AS DOUBLE)"
        return _within_precision(name, native, number)
    return f"CAST({name} AS DOUBLE)"


def _within_precision(name: str, native: str, number: str) -> str:
    """Keep a decimal that has no more digits than its type: DuckDB stops at others."""
    shape = re.fullmatch(_DECIMAL, native)
    if shape is None:
        return number
    precision, scale = map(int, shape.groups())
    most = f"{'9' * (precision - scale) or '0'}.{'9' * scale}"
    ends = f"'-{most}'::{native} AND '{most}'::{native}"
    return f"CASE WHEN {name} BETWEEN {ends} THEN {number} END"


def _cell(scaled: str, is_wide: bool) -> str:  # noqa: FBT001
    return f"CAST(floor({scaled}) AS {'BIGINT' if is_wide else 'INTEGER'})"


def _total(cell: str, _is_wide: bool) -> str:  # noqa: FBT001
    return f"sum({cell})"  # Of 128 bits.


def _result(total: str, is_wide: bool) -> str:  # noqa: FBT001
    return f"CAST(coalesce({total}, 0) AS {'VARCHAR' if is_wide else 'BIGINT'})"


def _key(column: Column, keys: Keys, encode: Callable[[str], str]) -> str:
    name, kind = column.name, column.given.kind
    if column.is_text:
        text = f"CAST({name} AS VARCHAR)"
        text = f"lower({text})" if keys.kind is bool else text
        if kind == "csv":
            text = _csv_key(text, keys)
        return encode(text)
    if kind == "boolean":
        return f"CASE WHEN {name} THEN 1 WHEN NOT {name} THEN 0 END"
    return f"CAST({name} AS BIGINT)"


def _csv_key(text: str, keys: Keys) -> str:
    """Read the text of a key; missing if it is not of its type."""
    if None in keys.values or not keys.values:
        text = f"nullif({text}, '')"
    if keys.kind not in KEY_FORMS:
        return text
    readable = f"regexp_full_match({text}, {literal(KEY_FORMS[keys.kind])})"
    return f"CASE WHEN {readable} THEN {text} END"


def _encode(text: str) -> str:
    return f"encode({text})"


def _encode_checked(text: str) -> str:
    """Return the bytes of a text of a frame, which may be no text at all."""
    return f"CASE WHEN TRY(decode(encode({text}))) IS NOT NULL THEN encode({text}) END"


def _unit(column: Column, encode: Callable[[str], str]) -> str:
    if not column.is_text:
        return f"CAST({column.name} AS BIGINT)"
    text = f"CAST({column.name} AS VARCHAR)"
    return encode(f"nullif({text}, '')" if column.given.kind == "csv" else text)


def _text(value: str, is_text: bool) -> str:  # noqa: FBT001
    return f"decode({value})" if is_text else f"CAST({value} AS VARCHAR)"


def _day(column: Column) -> str:
    name, dates = column.name, column.given.dates
    if dates is not None:
        # Bytes and back: what is no UTF-8 is missing, and no collation has a say.
        text = f"TRY(decode(encode(CAST({name} AS VARCHAR))))"
        text = name if column.given.kind == "csv" else text
        pattern = literal(f"^{day_pattern(dates)}$")
        iso = "-".join(f"\\{group}" for group in day_groups(dates))
        written = f"regexp_replace({text}, {pattern}, {literal(iso)})"
        is_date = f"regexp_full_match({text}, {pattern})"
        return _days(f"CASE WHEN {is_date} THEN TRY_CAST({written} AS DATE) END")
    if "_NS" in column.native:
        ticks = f"nullif(epoch_ns({name}), CAST({UNDECLARED} AS BIGINT))"
        return _days(_floor_of(ticks, 86_400 * 10**9))
    if "TIME ZONE" in column.native:
        # A cast would give the day in the time zone of the session.
        return _days(_floor_of(f"epoch_us({name})", 86_400 * 10**6))
    return _days(f"TRY_CAST({name} AS DATE)")


def _days(day: str) -> str:
    """Return the number of a day that Python has, of the years 1 to 9999."""
    is_there = f"{day} BETWEEN {_FIRST_DAY} AND {_LAST_DAY}"
    return f"CASE WHEN {is_there} THEN {day} - {_EPOCH} END"


def _floor_of(ticks: str, day: int) -> str:
    """Return the day of ticks since 1970, in UTC; casts round those before up."""
    number = f"{ticks} // {day} - CASE WHEN {ticks} % {day} < 0 THEN 1 ELSE 0 END"
    return f"TRY({_EPOCH} + TRY_CAST({number} AS INTEGER))"


def _date(day: str) -> str:
    return f"({_EPOCH} + CAST({day} AS INTEGER))"


def _split(text: str) -> str:
    return (
        "(SELECT unnest(parts) AS part, unnest(range(len(parts))) AS place "
        f"FROM (SELECT string_split({text}, ',') AS parts))"
    )


_COMPARISONS = {
    **dict.fromkeys(
        ["TINYINT", "SMALLINT", "INTEGER", "BIGINT"], Comparison("integer")
    ),
    **dict.fromkeys(["UTINYINT", "USMALLINT", "UINTEGER"], Comparison("integer")),
    **dict.fromkeys(["FLOAT", "DOUBLE"], Comparison("float")),
    "BOOLEAN": Comparison("boolean"),
    **dict.fromkeys(["VARCHAR", "ENUM"], Comparison("text")),
    "DATE": Comparison("date"),
    "TIMESTAMP": Comparison("time"),
    "TIMESTAMP WITH TIME ZONE": Comparison("time", has_zone=True),
}


DIALECT = Dialect(
    name="duckdb",
    identifier=identifier,
    literal=literal,
    double=_double,
    number=_number,
    is_finite=lambda number: f"isfinite({number})",
    one_if=lambda test: f"CAST({test} AS DOUBLE)",
    cell=_cell,
    total=_total,
    result=_result,
    count_if=lambda test: f"CAST(coalesce(count_if({test}), 0) AS BIGINT)",
    as_double=lambda number: f"CAST({number} AS DOUBLE)",
    key=partial(_key, encode=_encode),
    unit=partial(_unit, encode=_encode),
    cell_text=lambda column: f"encode(CAST({column.name} AS VARCHAR))",
    as_text=lambda text: f"encode({literal(text)})",
    text=_text,
    day=_day,
    months=lambda day: f"(year({_date(day)}) * 12 + month({_date(day)}))",
    iso_day=lambda day: f"strftime({_date(day)}, '%Y-%m-%d')",
    is_whole=lambda text: f"regexp_full_match({text}, {literal(WHOLE_ID)})",
    hash=lambda text: f"CAST('0x' || md5({text})[1:15] AS BIGINT)",
    digest=lambda texts: f"md5({' || '.join(texts)})",
    hexed=lambda text: f"hex(encode({text}))",
    split=_split,
    unhex=lambda part: f"unhex({part})",
    tests_first=True,
)
_FRAMES = replace(
    DIALECT,
    key=partial(_key, encode=_encode_checked),
    unit=partial(_unit, encode=_encode_checked),
)
