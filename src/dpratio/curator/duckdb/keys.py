"""Keys, bins, periods and ids in DuckDB's SQL."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from operator import eq
from typing import Any

import numpy as np

from dpratio.curator.duckdb.numbers import double
from dpratio.curator.duckdb.table import DuckTable, identifier, literal
from dpratio.curator.reading.days import day_groups, day_pattern
from dpratio.curator.reading.frames import key_text
from dpratio.curator.reading.keys import KEY_FORMS
from dpratio.curator.reading.statement import ColumnType, Statement
from dpratio.terms.groups import Dimension, Key, Keys, Periods, ScoreBins

# No key can be declared as this number.
UNDECLARED = "(-9223372036854775808)::BIGINT"

# More keys than these are handed over as a table, where the connection is ours: their
# text takes longer to read. No key is written as what stands for a missing one.
_MOST_WRITTEN = 1_000
_MISSING = "none"


@dataclass(slots=True)
class Keyed:
    """How rows are placed: what is read, joined, tested, and the code that results."""

    read: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    joins: str = ""
    tests: list[str] = field(default_factory=list)
    code: str = "0"
    tables: dict[str, Mapping[str, Any]] = field(default_factory=dict)


def key_tables(table: DuckTable, statement: Statement) -> Keyed:
    """Write how a row finds its group."""
    keyed = Keyed()
    places = [
        _place(keyed, table, at, each) for at, each in enumerate(statement.dimensions)
    ]
    code = "0"
    for each, place in zip(statement.dimensions, places, strict=True):
        code = place if code == "0" else f"({code}) * {len(each.values)} + {place}"
    keyed.code = code
    if statement.listed is not None:
        _list_cells(keyed, table, statement, code)
    return keyed


def _place(keyed: Keyed, table: DuckTable, at: int, each: Dimension) -> str:
    """Give the place of a row in one dimension, and join what that needs."""
    if isinstance(each, ScoreBins):
        edges, value = each.edges, f"b{at}"
        keyed.names.append(value)
        ends = f"{double(edges[0])} AND {double(edges[-1])}"
        keyed.tests.append(f"{value} BETWEEN {ends}")
        # One CASE: DuckDB reads no sum of a thousand terms.
        below = [
            f"WHEN {value} < {double(edge)} THEN {place}"
            for place, edge in enumerate(edges[1:-1])
        ]
        last = f"{len(below)}::BIGINT"
        return f"(CASE {' '.join(below)} ELSE {last} END)" if below else f"({last})"
    name = f"k{at}"
    keyed.read.append(f"{key_of(table, each)} AS {name}")
    keyed.names.append(name)
    start = _start_of_range(table, each)
    if start is not None:
        # Whole numbers in a row are their own places.
        keyed.tests.append(f"{name} BETWEEN {start} AND {start + len(each.values) - 1}")
        return f"({name} - {start})"
    declared = _declared(keyed, table, at, each)
    same = "IS NOT DISTINCT FROM" if None in each.values else "="
    keyed.joins += f" JOIN ({declared}) ON {name} {same} declared{at}"
    return f"place{at}"


def key_of(table: DuckTable, each: Keys | Periods) -> str:
    """Read the key of a row; text is compared by its bytes, under any collation."""
    name, type_ = table.columns[each.column]
    name, kind = identifier(name), table.types[each.column].kind
    if isinstance(each, Periods) or each.kind is dt.date:
        day = _on_calendar(_day(name, table.types[each.column], type_))
        if isinstance(each, Periods) and each.every != "day":
            return f"TRY_CAST(TRY(date_trunc('{each.every}', {day})) AS DATE)"
        return day
    if _is_text(table, each.column):
        text = f"CAST({name} AS VARCHAR)"
        text = f"lower({text})" if each.kind is bool else text
        if kind == "csv":
            text = _csv_key(text, each)
        return _bytes(table, text)
    if kind == "integer" and each.values:
        # One too large for a declared key is another key, not a missing one.
        return f"CASE WHEN {name} IS NOT NULL THEN {_whole(name)} END"
    return name


def id_of(table: DuckTable, column: str) -> str:
    """Read an id: whole numbers as they are, text by its bytes."""
    name = identifier(table.columns[column][0])
    if _is_text(table, column):
        text = f"CAST({name} AS VARCHAR)"
        if table.types[column].kind == "csv":
            text = f"nullif({text}, '')"
        return _bytes(table, text)
    return name


def _bytes(table: DuckTable, text: str) -> str:
    """Give the bytes of a text; those of a frame may be no text at all."""
    if table.source != "given":
        return f"encode({text})"
    return f"CASE WHEN TRY(decode(encode({text}))) IS NOT NULL THEN encode({text}) END"


def _whole(name: str) -> str:
    return f"coalesce(TRY_CAST({name} AS BIGINT), {UNDECLARED})"


def _on_calendar(day: str) -> str:
    """Keep days that Python has: those of the years 1 to 9999."""
    first, last = "DATE '0001-01-01'", "DATE '9999-12-31'"
    return f"CASE WHEN {day} BETWEEN {first} AND {last} THEN {day} END"


def _csv_key(text: str, each: Keys) -> str:
    """Read the text of a key; missing if it is not of its type."""
    if None in each.values or not each.values:
        text = f"nullif({text}, '')"
    if each.kind not in KEY_FORMS:
        return text
    readable = f"regexp_full_match({text}, {literal(KEY_FORMS[each.kind])})"
    return f"CASE WHEN {readable} THEN {text} END"


def _day(name: str, given: ColumnType, type_: str) -> str:
    if given.dates is not None:
        # Bytes and back: what is no UTF-8 is missing, and no collation has a say.
        text = f"TRY(decode(encode(CAST({name} AS VARCHAR))))"
        text = name if given.kind == "csv" else text
        pattern = literal(f"^{day_pattern(given.dates)}$")
        iso = "-".join(f"\\{at}" for at in day_groups(given.dates))
        written = f"regexp_replace({text}, {pattern}, {literal(iso)})"
        is_date = f"regexp_full_match({text}, {pattern})"
        return f"CASE WHEN {is_date} THEN TRY_CAST({written} AS DATE) END"
    if "_NS" in type_:
        return _floor_of(f"nullif(epoch_ns({name}), {UNDECLARED})", 86_400 * 10**9)
    if "TIME ZONE" in type_:
        # A cast would give the day in the time zone of the session.
        return _floor_of(f"epoch_us({name})", 86_400 * 10**6)
    return f"TRY_CAST({name} AS DATE)"


def _floor_of(ticks: str, day: int) -> str:
    """Give the day of ticks since 1970, in UTC; casts cut those before towards it."""
    number = f"{ticks} // {day} - CASE WHEN {ticks} % {day} < 0 THEN 1 ELSE 0 END"
    return f"TRY(DATE '1970-01-01' + TRY_CAST({number} AS INTEGER))"


def _start_of_range(table: DuckTable, each: Keys | Periods) -> int | None:
    """Give the first key where keys are whole numbers in a row, in a number column."""
    if not isinstance(each, Keys) or each.kind is not int:
        return None
    if table.types[each.column].kind != "integer" or _is_text(table, each.column):
        return None
    first = each.values[0]
    # None equals no number, wherever it stands.
    in_a_row = all(map(eq, each.values, count(first or 0)))  # type: ignore[type-var]
    return first if in_a_row else None  # type: ignore[return-value]


def _declared(keyed: Keyed, table: DuckTable, at: int, each: Keys | Periods) -> str:
    """Give the declared keys with their places, as a table."""
    as_text = not _is_day(each) and _is_text(table, each.column)
    many = len(each.values) > _MOST_WRITTEN and None not in each.values
    if many and not table.is_foreign:
        name = f"keys{at}"
        keyed.tables[name] = {"key": _array(each.values, as_text=as_text)}
        key = (
            "encode(key)"
            if as_text
            else "CAST(key AS DATE)"
            if _is_day(each)
            else "key"
        )
        places = f"row_number() OVER () - 1 AS place{at}"
        return f"SELECT {key} AS declared{at}, {places} FROM {name}"
    written = ",".join(_written(key, as_text=as_text) for key in each.values)
    held = dt.date if isinstance(each, Periods) else each.kind
    kind = {dt.date: "DATE", int: "BIGINT"}.get(held, "BOOLEAN")
    key = f"nullif(each, {literal(_MISSING)})" if None in each.values else "each"
    key = f"unhex({key})" if as_text else f"CAST({key} AS {kind})"
    return (
        f"SELECT {key} AS declared{at}, place{at} FROM "
        f"({_listed(written, len(each.values), f'place{at}')})"
    )


def _listed(written: str, count: int, place: str) -> str:
    """Give a list with its places, from one text: DuckDB takes long over many."""
    return (
        f"SELECT unnest(string_split({literal(written)}, ',')) AS each, "
        f"unnest(range({count})) AS {place}"
    )


def _is_day(each: Keys | Periods) -> bool:
    return isinstance(each, Periods) or each.kind is dt.date


def _array(keys: Sequence[Key], *, as_text: bool) -> np.ndarray:
    if as_text:
        return np.array([key_text(key) for key in keys], dtype=object)
    if isinstance(keys[0], dt.date):
        return np.array([str(key) for key in keys], dtype=object)
    return np.array(keys)


def _written(key: Key, *, as_text: bool) -> str:
    if key is None:
        return _MISSING
    if as_text:
        return str(key_text(key)).encode().hex()
    return str(key).lower()


def _list_cells(
    keyed: Keyed, table: DuckTable, statement: Statement, code: str
) -> None:
    """Join the listed cells: the places of their keys, taken together."""
    wanted = statement.listed_codes
    if len(wanted) > _MOST_WRITTEN and not table.is_foreign:
        keyed.tables["cells"] = {"combined": np.array(wanted, dtype=np.int64)}
        source = "SELECT combined, row_number() OVER () - 1 AS place FROM cells"
    else:
        listed = _listed(",".join(map(str, wanted)), len(wanted), "place")
        source = f"SELECT CAST(each AS BIGINT) AS combined, place FROM ({listed})"
    keyed.joins += f" JOIN ({source}) ON ({code}) = combined"
    keyed.code = "place"


def _is_text(table: DuckTable, column: str) -> bool:
    handed_over = table.columns[column][1]
    return table.types[column].kind in {"text", "csv"} or handed_over == "VARCHAR"
