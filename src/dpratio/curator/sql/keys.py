"""Groups in SQL: how a row's keys are read, and the place of each among its groups."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count

from dpratio.curator.reading.keys import key_text
from dpratio.curator.reading.statement import Statement
from dpratio.curator.sql.dialect import Dialect
from dpratio.curator.sql.numbers import between, place_between
from dpratio.curator.sql.table import Table
from dpratio.terms.groups import Dimension, Key, Keys, Periods, ScoreBins

# More keys than these are written as one text: a database takes long over many values.
MOST_VALUES = 1_000
_NONE = "none"  # Stands for a missing key there; no digits are written so.

_EPOCH = dt.date(1970, 1, 1).toordinal()
_PERIOD = {"day": 1, "week": 7, "month": 1, "quarter": 3}  # Of days, or of months.


@dataclass(slots=True)
class Placing:
    """How rows are placed: what is read and joined, which are kept, and the code."""

    read: dict[str, str] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)
    joins: str = ""
    tests: list[str] = field(default_factory=list)
    code: str = "0"


def day_number(day: dt.date) -> int:
    """Return the number of days since 1970-01-01.

    Example:
        >>> day_number(dt.date(1970, 1, 31))
        30
    """
    return day.toordinal() - _EPOCH


def placing_of(table: Table, statement: Statement) -> Placing:
    """Return how a row finds its group."""
    placing = Placing()
    for index, dimension in enumerate(statement.dimensions):
        place = _place(placing, table, index, dimension)
        if index == 0:
            placing.code = place
        else:
            placing.code = f"({placing.code}) * {len(dimension.values)} + {place}"
    if statement.listed is not None:
        cells = statement.listed_codes
        placing.tables["listed"] = _key_table(table.dialect, cells, is_text=False)
        placing.joins += f"\n    JOIN listed ON {placing.code} = listed.key"
        placing.code = "listed.place"
    return placing


def key_of(table: Table, dimension: Keys | Periods) -> str:
    """Return the key of a row: text by its bytes, a number for every other kind."""
    column = table.columns[dimension.column]
    if isinstance(dimension, Periods) or dimension.kind is dt.date:
        return table.dialect.day(column)
    return table.dialect.key(column, dimension)


def is_text_key(table: Table, dimension: Keys | Periods) -> bool:
    """Whether the keys of a dimension are compared as text."""
    if isinstance(dimension, Periods) or dimension.kind is dt.date:
        return False
    return table.columns[dimension.column].is_text


def _place(placing: Placing, table: Table, index: int, dimension: Dimension) -> str:
    """Return the place of a row in one dimension; add what that needs."""
    dialect = table.dialect
    if isinstance(dimension, ScoreBins):
        edges, value = dimension.edges, f"b{index}"
        placing.tests.append(between(dialect, value, edges[0], edges[-1]))
        return place_between(dialect, value, edges[1:-1])
    key = f"k{index}"
    placing.read[key] = key_of(table, dimension)
    if isinstance(dimension, Periods):
        return _period(placing, dialect, key, dimension)
    is_text = is_text_key(table, dimension)
    keys = [key_text(part) if is_text else _plain(part) for part in dimension.values]
    first = keys[0]
    if not is_text and isinstance(first, int) and all(map(_same, keys, count(first))):
        # Whole numbers in a row are their own places.
        placing.tests.append(f"{key} BETWEEN {first} AND {first + len(keys) - 1}")
        return f"({key} - {first})"
    name = f"keys{index}"
    placing.tables[name] = _key_table(dialect, keys, is_text=is_text)
    place = f"{name}.place"
    if None not in keys:
        placing.joins += f"\n    JOIN {name} ON {key} = {name}.key"
        return place
    placing.joins += f"\n    LEFT JOIN {name} ON {key} = {name}.key"
    place = f"CASE WHEN {key} IS NULL THEN {keys.index(None)} ELSE {place} END"
    placing.tests.append(f"{place} IS NOT NULL")
    return place


def _same(key: object, number: int) -> bool:
    return key == number and key is not None


def _period(placing: Placing, dialect: Dialect, key: str, dimension: Periods) -> str:
    """Return the number of a day's period after the first one."""
    first, size = dimension.first, _PERIOD[dimension.every]
    if dimension.every in {"day", "week"}:
        number, start = key, day_number(first)
    else:
        number, start = dialect.months(key), 12 * first.year + first.month
    after = f"({number} - {start})"
    placing.tests.append(f"{after} BETWEEN 0 AND {size * dimension.size - 1}")
    if size == 1:
        return after
    return f"CAST(({after} - {after} % {size}) / {size} AS BIGINT)"


def _plain(key: Key) -> Key:
    """Return a key as it is compared: a day or a truth by its number."""
    if isinstance(key, dt.date):
        return day_number(key)
    return int(key) if isinstance(key, bool) else key


def _key_table(dialect: Dialect, keys: Sequence[Key], *, is_text: bool) -> str:
    """Return declared keys with their places, as a relation."""
    if len(keys) > MOST_VALUES:
        texts = [_digits(key, is_text=is_text) for key in keys]
        part = f"nullif(part, '{_NONE}')" if None in keys else "part"
        key = dialect.unhex(part) if is_text else f"CAST({part} AS BIGINT)"
        split = dialect.split(dialect.literal(",".join(texts)))
        return f"  SELECT {key} AS key, place FROM {split}"
    rows = [
        f"({_written(dialect, key, is_text=is_text)}, {place})"
        for place, key in enumerate(keys)
    ]
    listed = ",\n    ".join(rows)
    values = f"(VALUES\n    {listed}\n  ) AS declared (key, place)"
    return f"  SELECT key, place FROM {values}"


def _digits(key: Key, *, is_text: bool) -> str:
    if key is None:
        return _NONE
    return str(key).encode().hex() if is_text else str(key)


def _written(dialect: Dialect, key: Key, *, is_text: bool) -> str:
    if key is None:
        return "NULL"
    if is_text:
        return dialect.as_text(str(key))
    return f"CAST({key} AS BIGINT)"
