"""Spark: what it writes differently, in ANSI mode or not.

Spark tells files to leave out rows by their statistics, which may be wrong. It cannot
say a test to them that stands behind NANVL or GREATEST, so every number is read through
one of them.
"""

import re

from dpratio.curator.reading.keys import LARGEST_ID
from dpratio.curator.reading.statement import ColumnType
from dpratio.curator.sql.dialect import Column, Comparison, Dialect
from dpratio.terms.groups import Keys

# Of the years 1 to 9999, which Python has, in days since 1970.
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896


# The kinds of Spark's types, and how a condition compares them. Times are not: the zone
# of a session decides what they are.
_TYPES = {
    **dict.fromkeys(["tinyint", "smallint", "int", "bigint"], ("integer", "integer")),
    **dict.fromkeys(["float", "double"], ("number", "float")),
    **dict.fromkeys(["string", "char", "varchar"], ("text", "text")),
    **dict.fromkeys(["timestamp", "timestamp_ntz"], ("date", "none")),
    "decimal": ("number", "decimal"),
    "boolean": ("boolean", "boolean"),
    "date": ("date", "date"),
}


def column_of(name: str, native: str) -> Column:
    """Return a column of a type that Spark names: ``"decimal(9,2)"``."""
    word, *digits = re.findall(r"\w+", native.lower())
    kind, compared = _TYPES.get(word, ("other", "none"))
    comparison = Comparison(compared)
    if compared == "decimal":
        precision, scale = map(int, digits or (10, 0))
        comparison = Comparison(compared, precision, scale)
    given = ColumnType(kind, word)
    return Column(identifier(name), given, word, kind == "text", comparison)


def identifier(name: str) -> str:
    """Quote a name, whatever it holds."""
    return "`" + name.replace("`", "``") + "`"


def literal(text: str) -> str:
    """Quote a text, whatever it holds; Spark reads backslashes and ``${…}`` in it."""
    for sign, written in (("\\", "\\\\"), ("'", "\\'"), ("$", "\\u0024")):
        text = text.replace(sign, written)
    return f"'{text}'"


def _number(column: Column) -> str:
    number = f"CAST({column.name} AS DOUBLE)"
    if column.given.kind == "boolean":
        number = (
            f"CASE WHEN {column.name} THEN 1.0D WHEN NOT {column.name} THEN 0.0D END"
        )
    return f"nanvl({number}, double('NaN'))"


def _key(column: Column, keys: Keys) -> str:
    name = column.name
    if column.given.kind == "boolean":
        return _hidden(f"CASE WHEN {name} THEN 1L WHEN NOT {name} THEN 0L END")
    if column.is_text and keys.values and None not in keys.values:
        return _bytewise(name)  # What is no UTF-8 equals no declared key.
    return _unit(column)


def _unit(column: Column) -> str:
    if not column.is_text:
        return _hidden(f"CAST({column.name} AS BIGINT)")
    text = _bytewise(column.name)  # Spark keeps text that is no UTF-8.
    return f"CASE WHEN is_valid_utf8({text}) THEN {text} END"


def _bytewise(text: str) -> str:
    """Return a text that is compared by its bytes; no test of it reaches a file."""
    return f"({text} COLLATE UTF8_BINARY)"


def _hidden(number: str) -> str:
    return f"greatest({number}, {number})"


def _day(column: Column) -> str:
    """Return the days since 1970 by functions that no day stops and no zone changes."""
    day = f"unix_date(CAST({column.name} AS DATE))"
    if column.native == "timestamp":
        day = f"floor(unix_seconds({column.name}) / 86400.0D)"
    return f"CASE WHEN {day} BETWEEN {_FIRST_DAY} AND {_LAST_DAY} THEN {day} END"


def _date(day: str) -> str:
    return f"date_from_unix_date(CAST({day} AS INT))"


def _is_whole(text: str) -> str:
    number = f"try_cast({text} AS BIGINT)"
    is_small = f"{number} BETWEEN -{LARGEST_ID} AND {LARGEST_ID}"
    return f"CAST({number} AS STRING) = {text} AND {is_small}"


def _md5(text: str) -> str:
    return f"md5(CAST({text} AS BINARY))"


def _total(cell: str, is_wide: bool) -> str:  # noqa: FBT001
    return f"sum(CAST({cell} AS DECIMAL(38, 0)))" if is_wide else f"sum({cell})"


DIALECT = Dialect(
    name="spark",
    identifier=identifier,
    literal=literal,
    double=lambda value: f"{value!r}D",
    number=_number,
    is_finite=lambda number: f"abs({number}) <= 1.7976931348623157e+308D",
    one_if=lambda test: f"CASE WHEN {test} THEN 1.0D ELSE 0.0D END",
    cell=lambda scaled, _is_wide: f"floor({scaled})",
    total=_total,
    result=lambda total, _is_wide: total,
    count_if=lambda test: f"count_if({test})",
    as_double=lambda number: f"CAST({number} AS DOUBLE)",
    key=_key,
    unit=_unit,
    cell_text=lambda column: _bytewise(column.name),
    as_text=literal,
    text=lambda value, is_text: value if is_text else f"CAST({value} AS STRING)",
    day=_day,
    months=lambda day: f"(year({_date(day)}) * 12 + month({_date(day)}))",
    iso_day=lambda day: f"CAST({_date(day)} AS STRING)",
    is_whole=_is_whole,
    whole=lambda text: f"try_cast({text} AS BIGINT)",
    hash=lambda text: f"CAST(conv(left({_md5(text)}, 15), 16, 10) AS BIGINT)",
    digest=lambda texts: _md5(f"concat({', '.join(texts)})"),
    hexed=lambda text: f"hex({text})",
    split=lambda text: f"(SELECT posexplode(split({text}, ',')) AS (place, part))",
    unhex=lambda part: f"CAST(unhex({part}) AS STRING)",
    gather="DISTRIBUTE BY u",
)
