"""Each form of condition that is taken keeps the rows that the database itself keeps.

`condition_forms` lists forms and hostile rows. Run with another sqlglot on PYTHONPATH,
this file tries that one: the forms stay the same, its trees do not.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import duckdb
import psycopg
import pytest

from curator.warehouse.condition_forms import COLUMNS, REFUSED, forms_of, rows_for
from dpratio.curator.silence import silence
from dpratio.curator.warehouse.database.connect import connect_to, find_table
from dpratio.curator.warehouse.tables import dialect_of
from dpratio.errors import SchemaRefused
from dpratio.terms.database import DatabaseTable
from postgres_server import fresh_database

_TYPES = {
    "postgres": (
        *("integer", "smallint", "bigint", "double precision", "real"),
        *("numeric(9, 2)", "text", "character(4)", "boolean", "date", "timestamp"),
    ),
    "duckdb": (
        *("INTEGER", "SMALLINT", "BIGINT", "DOUBLE", "FLOAT", "DECIMAL(9, 2)"),
        *("VARCHAR", "VARCHAR", "BOOLEAN", "DATE", "TIMESTAMP"),
    ),
}
_MORE = {
    "postgres": [
        (
            "ALTER TABLE people ADD huge numeric, ADD name varchar(9), ADD other json, "
            "ADD seen_in timestamptz, ADD pair pair, ADD label citext, ADD mood mood, "
            "ADD part part"
        ),
        (
            "UPDATE people SET name = region, seen_in = seen_at AT TIME ZONE 'UTC', "
            "label = region, huge = CASE WHEN id % 9 = 0 THEN 'NaN' WHEN id % 9 = 1 "
            "THEN '-Infinity' WHEN id % 9 = 2 THEN NULL ELSE score::numeric END "
            "WHERE abs(score) < 'Infinity' AND length(region) < 10"
        ),
        "UPDATE people SET other = '{}', pair = ROW(1, NULL) WHERE id % 3 = 0",
    ],
    "duckdb": [
        "ALTER TABLE people ADD COLUMN mood mood",
        "UPDATE people SET mood = 'sad' WHERE id % 3 = 0",
        "UPDATE people SET mood = 'glad' WHERE id % 3 = 1",
        "ALTER TABLE people ADD COLUMN seen_ns TIMESTAMP_NS",
    ],
}
_BEFORE = {
    "postgres": [
        "CREATE TYPE pair AS (a integer, b integer)",
        "CREATE TYPE mood AS ENUM ('sad', 'glad')",
        "CREATE DOMAIN part AS integer",
        "CREATE EXTENSION IF NOT EXISTS citext",
    ],
    "duckdb": ["CREATE TYPE mood AS ENUM ('sad', 'glad')"],
}

# Settings that change how constants are written down.
_ODD = "-cDateStyle=SQL,DMY -cTimeZone=Asia/Tokyo -cextra_float_digits=-9"
_SCHEMAS = {"postgres": "public", "duckdb": "main"}


@dataclass(frozen=True)
class Place:
    """A database with hostile rows: its name, its address, and how to write there."""

    name: str
    address: str
    connect: Callable[[], Any]


@pytest.fixture(scope="module", params=list(_TYPES))
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    name: str = request.param
    with ExitStack() as stack:
        if name == "postgres":
            server = request.getfixturevalue("postgres_server")
            url = stack.enter_context(fresh_database(server))
            place = Place(
                name,
                f"{url}&options={quote(_ODD)}",
                lambda: psycopg.connect(url, autocommit=True),
            )
        else:
            path = tmp_path_factory.mktemp("forms") / "people.db"
            place = Place(name, f"{name}:///{path}", lambda: duckdb.connect(str(path)))
        _fill(place)
        yield place


def _fill(place: Place) -> None:
    name = place.name
    kinds = zip(COLUMNS, _TYPES[name], strict=True)
    columns = ", ".join(f"{column} {kind}" for column, kind in kinds)
    with closing(place.connect()) as connection:
        for statement in _BEFORE[name]:
            connection.execute(statement)
        connection.execute(f"CREATE TABLE people (id integer, {columns})")
        for row in rows_for():
            marks = ", ".join(["%s" if name == "postgres" else "?"] * len(row))
            connection.execute(f"INSERT INTO people VALUES ({marks})", list(row))  # noqa: S608
        for statement in _MORE[name]:
            connection.execute(statement)
        connection.commit()


def _found(sources: list[DatabaseTable]) -> list[list[int] | str]:
    given: list[list[int] | str] = []
    with silence():
        connected = connect_to(sources[0])
        backend, dialect = connected.backend, dialect_of(connected.backend)
        dialect.prepare(backend)
        for source in sources:
            try:
                rows = find_table(backend, source)
            except SchemaRefused as error:
                given.append(str(error))
                continue
            given.append(sorted(rows.select("id").to_pyarrow()["id"].to_pylist()))
        connected.close()
    return given


def test_every_form_keeps_the_rows_that_the_database_keeps(place: Place) -> None:
    """What a user writes is read as the database reads it, or is refused."""
    forms, refused = forms_of(place.name), REFUSED[place.name]
    own: list[list[int]] = []
    with closing(place.connect()) as connection:
        for form in forms:
            found = connection.execute(f"SELECT id FROM people WHERE {form}")  # noqa: S608
            own.append(sorted(row[0] for row in found.fetchall()))
    table = f"{_SCHEMAS[place.name]}.people"
    sources = [
        DatabaseTable(place.address, table=table, where=form)
        for form in (*forms, *refused)
    ]
    read = _found(sources)
    differ = [
        (form, len(one), two if isinstance(two, str) else len(two))
        for form, one, two in zip(forms, own, read, strict=False)
        if one != two
    ]
    assert differ == []
    assert len(set(map(tuple, own))) > len(forms) / 3  # They choose different rows.
    taken = [
        form
        for form, each in zip(refused, read[len(forms) :], strict=True)
        if "this one holds" not in str(each)
    ]
    assert taken == []
