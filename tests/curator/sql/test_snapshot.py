"""A release reads one snapshot of a server, whatever others do there meanwhile."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import psycopg
import pytest

import dpratio as dpr
from curator.people_for_tests import people
from curator.tables_for_tests import asked, plan_of
from dpratio.curator.choose_engine import connected, open_table
from dpratio.errors import SchemaRefused
from dpratio.terms.groups import Key
from dpratio.terms.source import DatabaseTable

TWO = "AS SELECT 0.5::float8 AS score, 1 AS label, 'a' AS region FROM (VALUES (1), (2))"

Server = psycopg.Connection[Any]


@pytest.fixture
def server(postgres_url: str) -> Iterator[Server]:
    """A connection to a database with a table of two rows."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE loans {TWO} AS two".encode())
        yield connection


def opened(source: object, keys: list[Key] | None = None) -> Callable[[], int]:
    """How many rows a plan's first group has; they are counted when it is called."""
    plan = plan_of(keys=keys)
    ask = open_table(source, asked(plan))
    nothing = np.zeros((len(keys or [None]), 5), dtype=np.int64)
    return lambda: int(ask().plus(nothing)[0, 0]) // 2**24


@pytest.mark.parametrize(
    "change",
    [
        "DROP TABLE loans; CREATE VIEW loans AS SELECT 0.5::float8 score, 1 label",
        "DROP TABLE loans; CREATE TABLE loans AS SELECT 0.5::float8 score, 1 label",
        "ALTER TABLE loans ALTER score TYPE text",
        "ALTER TABLE loans RENAME region TO regions",
    ],
    ids=["a view", "another table", "a type", "a name"],
)
def test_a_table_that_was_changed_while_it_was_opened_is_not_read(
    change: str, server: Server, postgres_url: str
) -> None:
    ask = opened(DatabaseTable(postgres_url, table="loans"))
    server.execute(change.encode())
    with pytest.raises(SchemaRefused, match="was changed while it was opened"):
        ask()


def test_what_others_write_between_two_questions_is_in_neither(
    server: Server, postgres_url: str
) -> None:
    source = connected(DatabaseTable(postgres_url, table="loans"))
    first, second = opened(source), opened(source, ["a", "b"])
    assert first() == 2
    server.execute("DELETE FROM loans")
    assert second() == 2
    assert opened(DatabaseTable(postgres_url, table="loans"))() == 0


def test_how_long_a_question_takes_does_not_decide_whether_it_ends(
    server: Server, postgres_url: str
) -> None:
    """It waits for a lock of others for longer than the server allows a statement."""
    url = f"{postgres_url}&options=-cstatement_timeout%3D250"
    ask = opened(DatabaseTable(url, table="loans"))
    server.execute("BEGIN; LOCK TABLE loans IN ACCESS EXCLUSIVE MODE")
    timer = threading.Timer(1, server.rollback)
    timer.start()
    assert ask() == 2
    timer.join()


def test_a_printed_statement_is_the_same_however_backslashes_are_read(
    server: Server,
) -> None:
    keys = ["a", "\\", "\\'", "' OR true --\\", "\\\\'; --"]
    types = {"score": "float8", "label": "int4", "region": "text"}
    plan = plan_of(keys=keys)
    written = dpr.plan_sql(plan, "postgres", source="loans", schema=types)
    for reading in ("on", "off"):
        server.execute(f"SET standard_conforming_strings = {reading}".encode())
        rows = server.execute(written.encode()).fetchall()
        assert [row[:2] for row in rows] == [(0, 2 * 2**24)]


def test_text_is_compared_by_its_bytes() -> None:
    """Collations of a server may take two texts for one: none of these has a say."""
    schema = {"score": "float8", "label": "int4", "region": "citext", "id": "varchar"}
    plan = people(weighted=False, keys=["north", "south"])
    written = dpr.plan_sql(plan, "postgres", source="loans", schema=schema)
    for text in ('"region"::text', '"id"::text', "'north'::text", "'south'::text"):
        assert written.count(text) == written.count(f'{text} COLLATE "C"') > 0
