"""Where the suite runs: a PostgreSQL server that takes Arrow tables.

Each column is loaded with the type that is PostgreSQL's own for it. What it cannot hold
(a day of year five million) becomes what it would hold instead: an endless date.
"""

import uuid
from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg
import pyarrow as pa

from dpratio.terms.source import DatabaseTable

__all__ = ["Postgres", "quoted"]

Table = Any


def quoted(name: str) -> str:
    """A name as an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


@dataclass
class Postgres:
    """A real PostgreSQL server, whose tables are read by their address."""

    url: str
    connection: psycopg.Connection[Any]
    _created: str = "rows"

    def table(self, rows: Table) -> DatabaseTable:
        """Load an Arrow table; the one before it is forgotten."""
        columns = {each.name: _type(each.type) for each in rows.schema}
        cells = [_cells(rows[name]) for name in columns]
        return self.cells(columns, zip(*cells, strict=True))

    def cells(self, columns: dict[str, str], rows: Any) -> DatabaseTable:  # noqa: ANN401
        """Load rows of any cells that PostgreSQL can read into declared columns."""
        declared = ", ".join(
            f"{quoted(name)} {type_}" for name, type_ in columns.items()
        )
        name = self.create(f"({declared})")
        command = f"COPY {name} FROM STDIN".encode()
        with self.connection.cursor() as cursor, cursor.copy(command) as copy:
            for row in rows:
                copy.write_row(row)
        return DatabaseTable(self.url, table=name)

    def create(self, what: str) -> str:
        """Create a table, without the one before it, and give its name.

        Others may stand on the same server: no two tables share a name.
        """
        name = f"rows_{uuid.uuid4().hex}"
        self.connection.execute(f"DROP TABLE IF EXISTS {self._created}".encode())
        self.connection.execute(f"CREATE TABLE {name} {what}".encode())
        self._created = name
        return name

    def query(self, query: str) -> DatabaseTable:
        """The rows that a query of PostgreSQL makes."""
        return DatabaseTable(self.url, table=self.create(f"AS {query}"))


def _type(kind: Any) -> str:  # noqa: ANN401
    tests = pa.types
    if tests.is_decimal(kind):
        return f"numeric({kind.precision}, {kind.scale})"
    if tests.is_timestamp(kind):
        return "timestamp" if kind.tz is None else "timestamptz"
    names = {
        pa.bool_(): "boolean",
        pa.uint64(): "numeric(20)",
        pa.float32(): "real",
        pa.float64(): "double precision",
    }
    if tests.is_date(kind):
        return "date"
    small = tests.is_integer(kind) and kind.bit_width < 32
    whole = "smallint" if small else "bigint"
    return names.get(kind, whole if tests.is_integer(kind) else "text")


def _cells(column: Any) -> list[Any]:  # noqa: ANN401
    kind = column.type
    if not (pa.types.is_date(kind) or pa.types.is_timestamp(kind)):
        return list(column.to_pylist())
    zone = "" if pa.types.is_date(kind) or kind.tz is None else "+00"
    most = 5_000_000 if pa.types.is_date(kind) else 290_000
    return [_time(cell, zone, most) for cell in _times(column)]


def _time(cell: Any, zone: str, most: int) -> str | None:  # noqa: ANN401
    if cell is None:
        return None
    year = int(cell.astype("datetime64[Y]").astype(int)) + 1970
    if 0 < year < most:
        return f"{cell}{zone}"
    return "infinity" if year > 0 else "-infinity"


def _times(column: Any) -> list[Any]:  # noqa: ANN401
    """Dates and times of any size as numpy has them, in UTC."""
    kind = column.type
    if pa.types.is_date(kind):
        # A date of 64 bits is a time at midnight.
        days = column.cast(pa.date32()).cast(pa.int32())
        return _numpy(days, "D")
    return _numpy(column.cast(pa.int64()), kind.unit)


def _numpy(numbers: Any, unit: Any) -> list[Any]:  # noqa: ANN401
    return [
        None if each is None else np.datetime64(each, unit)
        for each in numbers.to_pylist()
    ]
