"""A schema that is not what was made is found, whatever was done to it."""

from collections.abc import Iterator
from typing import Any

import pytest

from curator.ledger.owner_edits import OWNER_EDITS
from dpratio.curator.ledger.store.address import Address
from dpratio.curator.ledger.store.catalogue import changed_objects
from dpratio.curator.ledger.store.postgres import PostgresStore
from dpratio.curator.ledger.store.server import transaction
from postgres_server import fresh_database


@pytest.fixture(scope="module")
def connection(postgres_server: str) -> Iterator[Any]:
    """A ledger in a transaction; what a test does to it is undone."""
    with fresh_database(postgres_server) as place:
        PostgresStore(Address(place)).create()
        with transaction(Address(place), to_write=True) as opened:
            opened.execute("SAVEPOINT sound")
            yield opened


@pytest.fixture
def ledger(connection: Any) -> Iterator[Any]:  # noqa: ANN401
    yield connection
    connection.execute("ROLLBACK TO SAVEPOINT sound")


def test_what_was_just_made_is_sound(ledger: Any) -> None:  # noqa: ANN401
    assert changed_objects(ledger) == []


@pytest.mark.parametrize("edit", OWNER_EDITS.values(), ids=OWNER_EDITS)
def test_an_edit_of_the_owner_is_found(edit: str, ledger: Any) -> None:  # noqa: ANN401
    ledger.execute(edit)
    found = changed_objects(ledger)
    # A ledger that has become a view is none.
    assert found or found is None, edit


@pytest.mark.parametrize(
    "allowed",
    [
        "GRANT SELECT ON ALL TABLES IN SCHEMA dpratio TO pg_monitor",
        "GRANT USAGE ON SCHEMA dpratio TO pg_monitor",
        "GRANT UPDATE (name) ON dpratio.scope TO pg_monitor",
        "GRANT EXECUTE ON FUNCTION dpratio.keep TO pg_monitor",
        "ALTER TABLE dpratio.entry SET (autovacuum_enabled = off)",
        "ANALYZE dpratio.entry",
        "COMMENT ON TABLE dpratio.entry IS 'what was spent'",
        "CREATE TABLE public.entry (LIKE dpratio.entry)",
    ],
)
def test_what_changes_no_rule_is_left_alone(allowed: str, ledger: Any) -> None:  # noqa: ANN401
    ledger.execute(allowed)
    assert changed_objects(ledger) == []


def test_a_database_without_the_schema_has_no_ledger(ledger: Any) -> None:  # noqa: ANN401
    ledger.execute("DROP SCHEMA dpratio CASCADE")
    assert changed_objects(ledger) is None
