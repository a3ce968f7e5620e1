"""What expressions of Ibis read in PostgreSQL, and names that stand in."""

import re
from collections.abc import Iterator
from typing import Any

import ibis
import psycopg
import pyarrow as pa
import pytest
from ibis.backends.postgres import Backend as PostgresBackend

from curator.statements_for_tests import key_counts, readings
from curator.tables_for_tests import asked, exact, plan_of
from dpratio.curator.choose_engine import open_table
from dpratio.curator.warehouse.database.on_postgres import Postgres
from dpratio.curator.warehouse.database.postgres_names import (
    FUNCTIONS,
    OPERATORS,
    require_own_names,
)
from dpratio.curator.warehouse.database.postgres_statement import write
from dpratio.curator.warehouse.sums import group_sums
from dpratio.curator.warehouse.units import counted_keys
from dpratio.errors import InvalidInput, SchemaRefused

Backend = Any

TABLES = (
    "CREATE TABLE loans (score double precision, label integer)",
    "INSERT INTO loans VALUES (0.5, 1)",
    "CREATE TABLE others (score double precision, label integer)",
    "CREATE VIEW chosen AS WITH w AS (SELECT * FROM loans) SELECT * FROM w",
)


@pytest.fixture
def in_postgres(postgres_url: str) -> Iterator[Backend]:
    with psycopg.connect(postgres_url) as connection:
        for each in TABLES:
            connection.execute(each.encode())
        connection.commit()
        yield ibis.postgres.from_connection(connection)


def refused(rows: Any) -> None:  # noqa: ANN401
    with pytest.raises(SchemaRefused, match="reads a file or a table more than once"):
        open_table(rows, asked(plan_of()), "ibis")


def test_a_table_that_is_read_again_is_refused(in_postgres: Backend) -> None:
    loans, chosen = in_postgres.table("loans"), in_postgres.table("chosen")
    others = in_postgres.table("others")
    for rows in (loans, chosen, loans.union(others), loans.filter(loans.score > 0)):
        assert exact(rows, plan_of(), "ibis")[0][0] == 1 << 24
        refused(rows.union(rows))
    refused(loans.union(chosen))
    refused(loans.filter(loans.score.isin(chosen.score)))
    refused(loans.join(chosen, "score").select("score", "label"))
    refused(in_postgres.sql("SELECT * FROM loans UNION ALL SELECT * FROM chosen"))


def test_rows_that_python_hands_over_are_seen_too(in_postgres: Backend) -> None:
    rows = ibis.memtable(pa.table({"score": [0.5], "label": [1]}))
    loans = in_postgres.table("loans").cast({"label": "int64"})
    assert exact(loans.union(rows), plan_of(), "ibis")[0][0] == 2 << 24
    refused(loans.union(rows).union(rows))


def test_a_table_and_its_parts_are_one(in_postgres: Backend) -> None:
    with in_postgres.begin() as cursor:
        cursor.execute("CREATE TABLE heirs () INHERITS (loans)")
        cursor.execute("INSERT INTO heirs VALUES (0.25, 1)")
    loans, heirs = in_postgres.table("loans"), in_postgres.table("heirs")
    assert exact(loans, plan_of(), "ibis")[0][0] == 2 << 24
    assert exact(heirs, plan_of(), "ibis")[0][0] == 1 << 24
    refused(loans.union(heirs))


TYPES = {
    "score": "float64",
    "label": "float64",
    "weight": "float32",
    "other": "float64",
    "money": "decimal(20, 3)",
    "huge": "decimal(38, 0)",
    "region": "string",
    "sex": "boolean",
    "code": "int16",
    "wide": "int64",
    "seen": "date",
    "at": "timestamp",
    "at_ns": "timestamp",
    "at_utc": "timestamp('UTC')",
    "id": "string",
    "number": "int64",
}


def test_every_name_that_postgres_is_left_to_find_is_known() -> None:
    """What is called by name alone: all else names its schema."""
    rows, dialect = ibis.table(TYPES, name="every"), Postgres()
    questions = [
        group_sums(dialect, rows, each, in_doubles=at % 2 == 0)
        for at, each in enumerate(readings())
    ]
    questions += [counted_keys(dialect, rows, each) for each in key_counts()]
    functions, operators = set(), set()
    for each in questions:
        written = _without_texts(write(PostgresBackend(), each)[0])
        functions |= set(re.findall(r'(?<![."\w])([A-Za-z_]\w*)\(', written))
        operators |= set(re.findall(r"(?<=\s)([-+*/<>=~!@#%^&|`?]+)(?=\s)", written))
    words = {"CAST", "OVER", "COALESCE", "IN", "EXISTS"}
    assert {name.lower() for name in functions - words} <= FUNCTIONS
    assert operators <= OPERATORS
    assert {"%", "*", "<="} <= operators
    assert {"SUM", "ABS", "FLOOR", "COUNT"} <= functions


def _without_texts(written: str) -> str:
    return re.sub(r"'(?:[^']|'')*'", "''", written)


STAND_INS = {
    "an operator": "CREATE OPERATOR % (LEFTARG = bigint, RIGHTARG = integer, "
    "FUNCTION = given)",
    "a function": "CREATE FUNCTION abs(date) RETURNS bigint LANGUAGE sql AS 'SELECT 1'",
    "an aggregate": "CREATE AGGREGATE max(boolean) (SFUNC = either, STYPE = boolean)",
    "any type": "CREATE FUNCTION floor(anyelement) RETURNS anyelement LANGUAGE sql "
    "AS 'SELECT $1'",
    "one side": "CREATE OPERATOR - (RIGHTARG = boolean, FUNCTION = turned)",
}
FUNCTIONS_OF_OTHERS = (
    "given(bigint, integer) RETURNS bigint LANGUAGE sql AS 'SELECT 77'",
    "either(boolean, boolean) RETURNS boolean LANGUAGE sql AS 'SELECT $1 OR $2'",
    "turned(boolean) RETURNS boolean LANGUAGE sql AS 'SELECT NOT $1'",
)


@pytest.mark.parametrize("stand_in", STAND_INS.values(), ids=STAND_INS)
def test_a_name_of_another_schema_that_postgres_would_prefer_is_refused(
    stand_in: str, in_postgres: Backend
) -> None:
    loans = in_postgres.table("loans")
    with in_postgres.begin() as cursor:
        for each in FUNCTIONS_OF_OTHERS:
            cursor.execute(f"CREATE FUNCTION {each}")
    open_table(loans, asked(plan_of()), "ibis")
    with in_postgres.begin() as cursor:
        cursor.execute(stand_in)
    with pytest.raises(InvalidInput, match="of another schema, which could stand in"):
        open_table(loans, asked(plan_of()), "ibis")


def test_names_for_other_types_and_off_the_path_are_no_harm(
    in_postgres: Backend,
) -> None:
    with in_postgres.begin() as cursor:
        cursor.execute("CREATE EXTENSION citext")
        cursor.execute("CREATE EXTENSION btree_gist")
        cursor.execute("CREATE SCHEMA elsewhere")
        cursor.execute(
            "CREATE FUNCTION elsewhere.abs(date) RETURNS int LANGUAGE sql AS 'SELECT 1'"
        )
        cursor.execute("CREATE FUNCTION sum() RETURNS int LANGUAGE sql AS 'SELECT 1'")
    require_own_names(in_postgres)
