"""A ledger on a real PostgreSQL server: same tables, same rules, words of our own."""

import hashlib
import sys
import uuid
from typing import Any

import psycopg
import pytest

from curator.ledger.loans import ID, PLAN, SCOPE
from curator.ledger.stores import refusal
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store.address import Address
from dpratio.curator.ledger.store.postgres import PostgresStore
from dpratio.curator.ledger.store.server import _failure
from dpratio.errors import LedgerFailed, MissingExtra
from dpratio.terms.budget import Budget
from postgres_server import fresh_database

NO_LEDGER = (
    "this database holds no ledger of this version of dpratio. Make one with `dpratio "
    "ledger init`, or name another database."
)


UNREACHED = (
    "the server cannot be reached, does not let this user in, or has no such database. "
    "Check address, name, password, certificate and network"
)


POOLED = (
    "a pooler does not keep its transactions together. Set it to transaction or "
    "session pooling, not statement pooling, or connect past it"
)
BUSY = "others wrote at the same moment, again and again. Try again later"


@pytest.fixture
def store(postgres_url: str) -> PostgresStore:
    return PostgresStore(Address(postgres_url))


def run(store: PostgresStore, words: str) -> None:
    with psycopg.connect(store.address.reveal(), autocommit=True) as connection:
        connection.execute(words)


# --- Transactions ---------------------------------------------------------------------


def test_a_reader_sees_one_state_and_cannot_write(store: PostgresStore) -> None:
    store.create()
    with store.reading() as tables:
        assert tables.scope_names() == []
        with store.writing() as others:
            others.add_scope(SCOPE)
        assert tables.scope_names() == []
    with (
        pytest.raises(LedgerFailed, match="it is read-only"),
        store.reading() as tables,
    ):
        tables.add_scope(Scope("cards", Budget(1)))


def test_a_scope_that_is_written_to_is_locked_and_others_are_not(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpratio.curator.ledger.store.server._PATIENCE", "50ms")
    store.create()
    with store.writing() as tables:
        tables.add_scope(SCOPE)
        tables.add_scope(Scope("cards", Budget(1)))
    with store.writing() as tables:
        tables.scope("loans", to_write=True)
        with store.writing() as others:
            assert others.scope("cards", to_write=True) is not None
        with store.reading() as others:
            assert others.scope("loans") == SCOPE
        with (
            pytest.raises(LedgerFailed, match="others have kept it locked"),
            store.writing() as others,
        ):
            others.scope("loans", to_write=True)


def test_bytes_come_back_as_they_were_sealed(postgres_url: str) -> None:
    ledger, content = Ledger(postgres_url), b"\x00\xff?%s"
    ledger.open_scope(SCOPE)
    ledger.charge(ID, PLAN)
    ledger.open(ID)
    ledger.seal(ID, content)
    digest = hashlib.sha256(content).hexdigest()
    with ledger.watch.store.reading() as tables:
        assert tables.artifact(ID, digest) == content
        assert tables.artifact_ids() == [ID]
        with pytest.raises(LedgerFailed, match="not in the ledger as they were sealed"):
            tables.artifact(ID, digest[::-1])


@pytest.mark.parametrize("table", ["ledger", "scope", "entry", "artifact"])
@pytest.mark.parametrize("change", ["UPDATE {0} SET {1} = {1}", "DELETE FROM {0}"])
def test_lines_are_neither_changed_nor_removed(
    table: str, change: str, store: PostgresStore
) -> None:
    names = {"scope": "name", "entry": "kind", "artifact": "release_id"}
    store.create()
    words = change.format(f"dpratio.{table}", names.get(table, "version"))
    with pytest.raises(psycopg.errors.RaiseException, match="is append-only"):
        run(store, words)
    with pytest.raises(psycopg.errors.RaiseException, match="is append-only"):
        run(store, f"TRUNCATE dpratio.{table} CASCADE")
    with (
        pytest.raises(LedgerFailed, match=r"cannot be used: it is append-only\."),
        store.writing() as tables,
    ):
        tables.run(words, ())


def test_a_line_that_is_there_already_is_told(store: PostgresStore) -> None:
    store.create()
    with store.writing() as tables:
        tables.add_scope(SCOPE)
    with (
        pytest.raises(LedgerFailed, match="append-only, and the line is there already"),
        store.writing() as tables,
    ):
        tables.add_scope(SCOPE)


# --- Databases that are something else ------------------------------------------------


def test_an_empty_database_holds_no_ledger(store: PostgresStore) -> None:
    assert refusal(store) == NO_LEDGER


@pytest.mark.parametrize(
    "edit",
    [
        "INSERT INTO dpratio.ledger VALUES (2)",
        (
            "ALTER TABLE dpratio.ledger DISABLE TRIGGER USER;"
            "UPDATE dpratio.ledger SET version = 9"
        ),
        ("ALTER TABLE dpratio.ledger DISABLE TRIGGER USER;DELETE FROM dpratio.ledger"),
    ],
)
def test_a_ledger_of_another_version_is_refused(
    edit: str, store: PostgresStore
) -> None:
    store.create()
    run(store, edit)
    assert refusal(store) == NO_LEDGER


def test_what_was_changed_is_told_by_name(store: PostgresStore) -> None:
    store.create()
    run(store, "DROP TRIGGER entry_keeps_delete ON dpratio.entry")
    assert refusal(store) == (
        "the tables of the ledger were changed: trigger O CREATE TRIGGER "
        "entry_keeps_delete BEFORE is missing or changed. Release nothing until the "
        "owner has mended them."
    )
    run(store, "DROP FUNCTION dpratio.refuse_change CASCADE")
    assert " and 9 more. Release nothing" in refusal(store)
    assert len(store.damages()) == 13


def test_an_encoding_that_loses_letters_is_refused_by_name(postgres_url: str) -> None:
    for encoding in ("SQL_ASCII", "LATIN1"):
        made = f"ENCODING '{encoding}' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
        with fresh_database(postgres_url, made) as place:
            store = PostgresStore(Address(place))
            with pytest.raises(LedgerFailed) as refused:
                store.create()
            assert str(refused.value) == (
                f"the encoding of this database is {encoding}; a ledger needs UTF8. "
                "Make the database with ENCODING 'UTF8' TEMPLATE template0."
            )
            assert refusal(store) == str(refused.value)


def test_a_database_that_is_not_there_is_told_without_its_address(
    store: PostgresStore,
) -> None:
    address, _, options = store.address.reveal().partition("?")
    said = refusal(PostgresStore(Address(f"{address}_missing?{options}")))
    assert said.startswith("the PostgreSQL ledger cannot be used: ")
    assert "Check address" in said
    assert "_missing" not in said


# --- Addresses and words --------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://curator:SECRET@127.0.0.1:1/budget",
        "postgresql://curator:SECRET@nowhere.invalid/budget?connect_timeout=2",
        "postgresql://curator:SECRET@127.0.0.1:port/budget",
    ],
)
def test_a_server_that_is_not_there_is_told_without_its_address(address: str) -> None:
    store = PostgresStore(Address(address))
    assert "SECRET" not in repr(store)
    assert refusal(store) == f"the PostgreSQL ledger cannot be used: {UNREACHED}."


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with (
        pytest.raises(MissingExtra, match=r"pip install '\.\[postgres\]'"),
        PostgresStore(Address("postgresql://host/budget")).reading(),
    ):
        pass


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (
            None,
            UNREACHED,
        ),
        ("28000", "the server does not let this user in. Check name and password"),
        ("28P01", "the server does not let this user in. Check name and password"),
        ("08P01", POOLED),
        ("3D000", "there is no such database. Check the address"),
        ("42501", "this user may not do that. Ask the owner of the database"),
        ("53100", "the server is out of room or connections. Try again later"),
        ("53300", "the server is out of room or connections. Try again later"),
        ("55P03", "others have kept it locked for a minute. Try again later"),
        ("25006", "it is read-only. Name the primary server"),
        ("23505", "it is append-only, and the line is there already"),
        ("P0001", "it is append-only"),
        ("40001", BUSY),
        ("40P01", BUSY),
        ("42P01", "the server refused (42P01)"),
        ("57P01", "the server refused (57P01)"),
    ],
)
def test_every_failure_has_words_of_our_own(state: Any, said: str) -> None:  # noqa: ANN401
    error = psycopg.Error("SECRET words of the server")
    error.sqlstate = state
    failure = _failure(error)
    assert str(failure) == f"the PostgreSQL ledger cannot be used: {said}."
    assert failure.__cause__ is None


def test_a_user_without_rights_is_told(store: PostgresStore) -> None:
    store.create()
    role = f"stranger_{uuid.uuid4().hex}"
    run(store, f"CREATE ROLE {role}; GRANT USAGE ON SCHEMA dpratio TO {role}")
    try:
        with (
            pytest.raises(LedgerFailed, match="this user may not do that"),
            store.writing() as tables,
        ):
            tables.run(f"SET ROLE {role}; TABLE dpratio.scope", ())
    finally:
        run(store, f"DROP OWNED BY {role}; DROP ROLE {role}")
