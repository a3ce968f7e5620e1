"""Every type of PostgreSQL at its ends, in every role: none stops a release."""

from collections.abc import Iterator

import psycopg
import pytest

from curator.roles import fates, stopped
from dpratio.curator.choose_engine import connected
from dpratio.terms.source import DatabaseTable
from postgres_server import fresh_database

_INTEGERS = {"smallint": 15, "integer": 31, "bigint": 63}
_TIMES = ["infinity", "-infinity", "2026-01-01", "4713-01-01 BC", "0001-01-01"]

# What each type can hold at its ends, as PostgreSQL reads it.
ENDS: dict[str, list[str]] = {
    **{
        name: [str(2**bits - 1), str(-(2**bits)), "0", "1", "-1"]
        for name, bits in _INTEGERS.items()
    },
    "numeric": [
        *("NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1e-400", "0", "-0"),
        *("9" * 1000, "0." + "0" * 999 + "1", "1e131071", "1e-16383"),
    ],
    "numeric(38, 20)": ["9" * 18, "1e-20", "-1e-20", "NaN"],
    "numeric(9, -3)": ["1000", "0"],
    "numeric(3, 9)": ["0.000000999", "NaN"],
    "real": ["NaN", "Infinity", "-Infinity", "3.4028235e38", "1e-45", "-0"],
    "double precision": [
        *("NaN", "Infinity", "-Infinity", "1.7976931348623157e308", "5e-324", "-0"),
    ],
    "money": ["92233720368547758.07", "-92233720368547758.08", "0"],
    "boolean": ["true", "false"],
    "text": ["", " ", "a", "é", "\u0130", "1" * 40, "-0", "\x01", "9" * 18, "😀" * 50],
    "varchar(9)": ["", "a   ", "é"],
    "char(4)": ["", "a", "é"],
    '"char"': ["a", ""],
    "name": ["a", "é" * 20],
    "citext": ["A", "a", "É"],
    "bytea": ["\\x00ff", "\\x"],
    "uuid": ["00000000-0000-0000-0000-000000000000"],
    "date": [*_TIMES, "5874897-12-31", "9999-12-31", "10000-01-01"],
    "timestamp": [*_TIMES, "294276-12-31 23:59:59.999999", "9999-12-31 23:59:59"],
    "timestamp(0)": [*_TIMES, "294276-12-31 23:59:59"],
    "timestamptz": [*_TIMES, "294276-12-31 23:59:59.999999+00", "0001-01-01 00:00+14"],
    "time": ["00:00", "24:00"],
    "timetz": ["00:00+15:59", "24:00-15:59"],
    "interval": ["178000000 years", "-178000000 years", "infinity"],
    "json": ['{"a": 1}', "1", "null"],
    "jsonb": ["[1e400]", '"a"'],
    "inet": ["0.0.0.0/0", "::/0"],
    "cidr": ["::/0"],
    "macaddr": ["ff:ff:ff:ff:ff:ff"],
    "bit(3)": ["101"],
    "varbit": [""],
    "int[]": ["{1,NULL}", "{}"],
    "text[]": ["{a}"],
    "int4range": ["empty", "[1,)"],
    "int4multirange": ["{}"],
    "oid": ["4294967295"],
    "xid8": ["18446744073709551615"],
    "pg_lsn": ["FFFFFFFF/FFFFFFFF"],
    "point": ["(1,NaN)"],
    "box": ["(1,1),(0,0)"],
    "tsvector": ["a"],
    "regclass": ["pg_class"],
    "mood": ["sad", "Glad é"],
    '"Odd mood"': ["a"],
    "whole": ["2147483647", "1"],
    "word": ["a", ""],
    "moment": ["infinity", "2026-01-01"],
    "pair": ["(1,)", "(,)"],
}
MAKING = [
    "CREATE EXTENSION IF NOT EXISTS citext",
    "CREATE TYPE mood AS ENUM ('sad', 'Glad é')",
    "CREATE TYPE \"Odd mood\" AS ENUM ('a')",
    "CREATE DOMAIN whole AS integer CHECK (VALUE > 0)",
    "CREATE DOMAIN word AS citext",
    "CREATE DOMAIN moment AS timestamp",
    "CREATE TYPE pair AS (a integer, b integer)",
]


@pytest.fixture(scope="module")
def server(postgres_server: str) -> Iterator[str]:
    """A database with types of its own, and a table for each type."""
    with (
        fresh_database(postgres_server) as url,
        psycopg.connect(url, autocommit=True) as connection,
    ):
        for statement in MAKING:
            connection.execute(statement.encode())
        for at, (name, cells) in enumerate(ENDS.items()):
            connection.execute(
                f"CREATE TABLE t{at} (cell {name}, score float8, label int, "
                "region text, id text)".encode()
            )
            for nth, cell in enumerate([*cells, None]):
                row = (cell, 0.5, 1, "ab"[nth % 2], f"p{nth}")
                marks = f"(%s::text::{name}, %s, %s, %s, %s)"
                connection.execute(f"INSERT INTO t{at} VALUES {marks}".encode(), row)  # noqa: S608
        yield url


def test_no_cell_of_any_type_stops_a_release(server: str) -> None:
    found = {}
    for at, name in enumerate(ENDS):
        try:
            opened = connected(DatabaseTable(server, table=f"public.t{at}"))
        except Exception as error:  # noqa: BLE001
            found[name] = {"all": repr(error)}
            continue
        all_ = fates(opened)
        found[name] = stopped(all_)
    wrong = {name: fate for name, fate in found.items() if fate}
    assert wrong == {}, wrong
