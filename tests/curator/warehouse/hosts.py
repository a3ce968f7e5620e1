"""Where the suite runs: databases that take an Arrow table and give an Ibis table.

A host loads each column with the type that is its own for it. What it cannot hold (a
day of year five million in PostgreSQL) becomes what it would hold instead: an endless
date.
"""

import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import duckdb
import ibis
import numpy as np
import polars as pl
import psycopg
import pyarrow as pa
import pytest

__all__ = ["HOSTS", "DuckDb", "Host", "Polars", "Postgres"]

Table = Any


class Host(Protocol):
    """A place for tables, its name, and what the suite must know of it."""

    @property
    def name(self) -> str:
        """As the tests name it."""

    @property
    def pace(self) -> float:
        """How many of the examples of a law to run here."""

    @property
    def holds_unsigned(self) -> bool:
        """Whether whole numbers beyond 63 bits stay whole numbers here."""

    def table(self, rows: Table) -> Table:
        """Load an Arrow table; the one before it is forgotten."""


def quoted(name: str) -> str:
    """A name as an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


@dataclass
class DuckDb:
    """Ibis on DuckDB."""

    backend: Any
    name: str = "duckdb"
    pace: float = 1.0
    holds_unsigned: bool = True

    def table(self, rows: Table) -> Table:
        connection = self.backend.con
        connection.register("given_rows", _without_zoned_nanoseconds(rows))
        connection.execute("CREATE OR REPLACE TABLE rows AS FROM given_rows")
        connection.unregister("given_rows")
        return self.named("rows")

    def named(self, name: str) -> Table:
        """A table or view, without what Ibis hears from DuckDB meanwhile."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            return self.backend.table(name)


@dataclass
class Polars:
    """Ibis on Polars, which the DuckDB engine reads."""

    name: str = "polars"
    pace: float = 1.0
    holds_unsigned: bool = True

    def table(self, rows: Table) -> Table:
        return ibis.polars.connect({"rows": pl.DataFrame(rows).lazy()}).table("rows")


@dataclass
class Postgres:
    """Ibis on a real PostgreSQL server."""

    backend: Any
    name: str = "postgres"
    pace: float = 1.0
    holds_unsigned: bool = False
    _created: str = "rows"

    def table(self, rows: Table) -> Table:
        columns = {each.name: _postgres_type(each.type) for each in rows.schema}
        cells = [_postgres_cells(rows[name]) for name in columns]
        return self.cells(columns, zip(*cells, strict=True))

    def cells(self, columns: dict[str, str], rows: Any) -> Table:  # noqa: ANN401
        """Load rows of any cells that PostgreSQL can read into declared columns."""
        declared = ", ".join(
            f"{quoted(name)} {type_}" for name, type_ in columns.items()
        )
        name = self.create(f"({declared})")
        command = f"COPY {name} FROM STDIN".encode()
        with self.backend.con.cursor() as cursor, cursor.copy(command) as copy:
            for row in rows:
                copy.write_row(row)
        self.backend.con.commit()
        return self.backend.table(name)

    def create(self, what: str) -> str:
        """Create a table, without the one before it, and give its name.

        Other hosts may stand on the same server: no two tables share a name.
        """
        self.backend.con.rollback()  # Whatever failed before.
        name = f"rows_{uuid.uuid4().hex}"
        with self.backend.con.cursor() as cursor:
            cursor.execute(f"DROP TABLE IF EXISTS {self._created} CASCADE".encode())
            cursor.execute(f"CREATE TABLE {name} {what}".encode())
        self.backend.con.commit()
        self._created = name
        return name

    def query(self, query: str) -> Table:
        """The rows that a query of PostgreSQL makes."""
        return self.backend.table(self.create(f"AS {query}"))


@contextmanager
def _duckdb(_: pytest.FixtureRequest) -> Iterator[Host]:
    connection = duckdb.connect(config={"threads": 2})
    yield DuckDb(ibis.duckdb.from_connection(connection))
    connection.close()


@contextmanager
def _polars(_: pytest.FixtureRequest) -> Iterator[Host]:
    yield Polars()


@contextmanager
def _postgres(request: pytest.FixtureRequest) -> Iterator[Host]:
    url = request.getfixturevalue("postgres_server")
    connection = psycopg.connect(url)
    yield Postgres(ibis.postgres.from_connection(connection))
    connection.close()


# One more entry, and the whole suite runs there too.
HOSTS: dict[str, Callable[[pytest.FixtureRequest], Any]] = {
    "duckdb": _duckdb,
    "polars": _polars,
    "postgres": _postgres,
}


def _without_zoned_nanoseconds(rows: Table) -> Table:
    """Ibis knows no type of DuckDB for them, so that a schema with them is refused."""
    schema = rows.schema
    for at, each in enumerate(schema):
        if pa.types.is_timestamp(each.type) and each.type.tz and each.type.unit == "ns":
            schema = schema.set(at, each.with_type(pa.timestamp("us", each.type.tz)))
    return rows.cast(schema)


def _postgres_type(kind: Any) -> str:  # noqa: ANN401
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


def _postgres_cells(column: Any) -> list[Any]:  # noqa: ANN401
    kind = column.type
    if not (pa.types.is_date(kind) or pa.types.is_timestamp(kind)):
        return list(column.to_pylist())
    zone = "" if pa.types.is_date(kind) or kind.tz is None else "+00"
    most = 5_000_000 if pa.types.is_date(kind) else 290_000
    return [_postgres_time(cell, zone, most) for cell in times(column)]


def _postgres_time(cell: Any, zone: str, most: int) -> str | None:  # noqa: ANN401
    if cell is None:
        return None
    year = int(cell.astype("datetime64[Y]").astype(int)) + 1970
    if 0 < year < most:
        return f"{cell}{zone}"
    return "infinity" if year > 0 else "-infinity"


def times(column: Any) -> list[Any]:  # noqa: ANN401
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
