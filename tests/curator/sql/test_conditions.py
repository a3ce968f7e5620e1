"""Every condition keeps the same rows of a table of every database, or is refused."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import duckdb
import psycopg
import pytest

from curator.warehouse.condition_forms import (
    COLUMNS,
    CONDITIONS,
    REFUSED,
    ROWS,
    rows_kept,
)
from dpratio.curator.choose_engine import connected
from dpratio.curator.sql.conditions import write_conditions
from dpratio.curator.sql.table import Table
from dpratio.errors import SchemaRefused
from dpratio.terms.source import DatabaseTable
from postgres_server import fresh_database

_TYPES = {
    "postgres": (
        *("integer", "smallint", "bigint", "double precision", "real"),
        *("numeric(9, 2)", "text", "character(4)", "boolean"),
        *("date", "timestamp"),
    ),
    "duckdb": (
        *("INTEGER", "SMALLINT", "BIGINT", "DOUBLE", "FLOAT", "DECIMAL(9, 2)"),
        *("VARCHAR COLLATE NOCASE", "VARCHAR", "BOOLEAN", "DATE", "TIMESTAMP"),
    ),
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
# Columns of a database's own types; each has a cell where it has one below.
_MORE = {
    "postgres": [
        (
            "ALTER TABLE people ADD huge numeric, ADD name varchar(9), ADD other json, "
            "ADD seen_in timestamptz, ADD pair pair, ADD label citext, ADD mood mood, "
            "ADD part part"
        ),
        (
            "UPDATE people SET name = 'north', seen_in = '2026-01-01 00:00:00+00', "
            "huge = 'NaN', other = '{}', pair = ROW(1, NULL), label = 'x' WHERE id = 7"
        ),
        "UPDATE people SET huge = 1e30 WHERE id = 8",
    ],
    "duckdb": [
        "ALTER TABLE people ADD COLUMN mood mood",
        "UPDATE people SET mood = 'sad' WHERE id = 7",
        "ALTER TABLE people ADD COLUMN seen_ns TIMESTAMP_NS",
    ],
}
_OWN: dict[str, list[tuple[list[Any], list[int]]]] = {
    "postgres": [
        (["huge", ">", 5], [7, 8]),  # NaN is above all numbers.
        (["huge", "<", 1e300], [8]),
        (["huge", "=", 1e30], [8]),
        (["name", "=", "north"], [7]),
        (["other", "not null"], [7]),
        (["seen_in", "<", "2026-01-01 00:00:01+00"], [7]),
        (["price", "=", 1.499], []),
    ],
    "duckdb": [(["mood", "=", "sad"], [7])],
}
_REFUSED: dict[str, list[list[Any]]] = {
    "postgres": [
        *(["label", "=", "x"], ["mood", "=", "sad"], ["other", "=", "{}"]),
        *(["part", ">", 5], ["part", "is null"], ["pair", "is null"]),
        *(["pair", "not null"], ["seen_in", "<", "2026-01-01"]),
        *(["seen_in", "<", "2026-01-01 00:00:00"],),
    ],
    "duckdb": [
        *(["price", "=", 1.499], ["price", ">", 1e30], ["price", "<", 12345678]),
        ["seen_ns", ">", "2026-01-01"],
    ],
}
# Settings that change how constants are written down and read.
_ODD = (
    "-cDateStyle=SQL,DMY -cTimeZone=Asia/Tokyo -cextra_float_digits=-9 "
    "-cstandard_conforming_strings=off"
)
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
        for row in ROWS:
            marks = ", ".join(["%s" if name == "postgres" else "?"] * len(row))
            connection.execute(
                f"INSERT INTO people VALUES ({marks})",  # noqa: S608
                list(row.values()),
            )
        for statement in _MORE[name]:
            connection.execute(statement)
        connection.commit()


def _kept(place: Place, wheres: list[list[list[Any]]]) -> list[list[int] | str]:
    """The ids of the rows that conditions keep, or why they are refused."""
    source = DatabaseTable(place.address, table=f"{_SCHEMAS[place.name]}.people")
    table = connected(source)
    assert isinstance(table, Table)
    kept: list[list[int] | str] = []
    for where in wheres:
        given = DatabaseTable(place.address, table="people", where=where).where
        try:
            (test,) = write_conditions(table.dialect, table.columns, given)
        except SchemaRefused as error:
            kept.append(str(error))
            continue
        found = table.ask(f"SELECT id FROM {table.source} WHERE {test}")  # noqa: S608
        kept.append(sorted(map(int, found["id"])))
    return kept


def test_every_condition_keeps_the_rows_that_it_names(place: Place) -> None:
    wanted = list(_OWN[place.name])
    wanted += [(condition, rows_kept(condition)) for condition in CONDITIONS]
    kept = _kept(place, [[condition] for condition, _ in wanted])
    differ = [
        (condition, rows, ids)
        for (condition, rows), ids in zip(wanted, kept, strict=True)
        if ids != rows
    ]
    assert differ == []
    assert len(set(map(str, kept))) > len(kept) / 3


def test_a_row_meets_all_conditions(place: Place) -> None:
    where: list[list[Any]]
    where = [["whole", ">", 0], ["score", ">", 0.1], ["region", "not null"]]
    wanted = set.intersection(*(set(rows_kept(condition)) for condition in where))
    assert _kept(place, [where]) == [sorted(wanted)]


def test_what_is_not_of_the_type_of_its_column_is_refused(place: Place) -> None:
    conditions = [*REFUSED, *_REFUSED[place.name]]
    kept = _kept(place, [[condition] for condition in conditions])
    for condition, words in zip(conditions, kept, strict=True):
        assert str(words).startswith("where "), (condition, words)
