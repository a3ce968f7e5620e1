"""The tables, in plain SQLite without the triggers that keep them."""

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import pytest

from dpratio.curator.ledger.account.accounting import Charge
from dpratio.curator.ledger.account.entry import Entry, link
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.store.tables import TABLES, Rows, Tables, create_tables
from dpratio.errors import LedgerFailed
from dpratio.terms.budget import Budget

SCOPE = Scope("loans", Budget(3, "1e-5"), unit="customer", dataset="größe 😀")
ID, OTHER = "0" * 32, "1" * 32


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    made = sqlite3.connect(":memory:", isolation_level=None)
    made.execute("PRAGMA foreign_keys = ON")
    for statement in create_tables("INTEGER", "BLOB"):
        made.execute(statement)
    yield made
    made.close()


@pytest.fixture
def tables(connection: sqlite3.Connection) -> Tables:
    return Tables(lambda sql, values: connection.execute(sql, values).fetchall())


def lines(*kinds: str, subject: str = ID) -> list[Entry]:
    made: list[Entry] = []
    for kind in kinds:
        before = made[-1] if made else None
        last = ("loans", len(made), before.hash if before else SCOPE.hash)
        charge = Charge(Fraction(1, 3), Fraction(0)) if kind == "charge" else None
        made.append(
            link(last, time="t", subject=subject, kind=kind, charge=charge, event={})
        )
    return made


# --- Scopes ---------------------------------------------------------------------------


def test_all_scopes_are_locked_in_the_order_of_their_names(tables: Tables) -> None:
    for name in ("loans", "cards"):
        tables.add_scope(replace(SCOPE, name=name))
    asked: list[str] = []

    def run(sql: str, values: tuple[object, ...]) -> Rows:
        asked.append(sql)
        return tables.run(sql.removesuffix(" FOR UPDATE"), values)

    Tables(run, " FOR UPDATE").lock_scopes()
    assert asked == ["SELECT name FROM main.scope ORDER BY name FOR UPDATE"]
    tables.lock_scopes()


def test_a_scope_comes_back_as_it_was_written(tables: Tables) -> None:
    tables.add_scope(SCOPE)
    assert tables.scope("loans") == SCOPE
    assert tables.scope("loans", to_write=True) == SCOPE
    assert tables.scope("cards") is None


def test_scopes_are_listed_by_name(tables: Tables) -> None:
    for name in ("b", "a", "c"):
        tables.add_scope(Scope(name, Budget(1)))
    assert tables.scope_names() == ["a", "b", "c"]


def test_only_a_scope_that_is_written_to_is_locked() -> None:
    said: list[str] = []

    def run(sql: str, _values: tuple[object, ...]) -> Rows:
        said.append(sql)
        return []

    tables = Tables(run, " FOR UPDATE")
    tables.scope("loans")
    tables.scope("loans", to_write=True)
    assert [sql.endswith("name = ? FOR UPDATE") for sql in said] == [False, True]


@pytest.mark.parametrize(
    "document",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        json.dumps(SCOPE.to_document() | {"epsilon": "4"}),
        json.dumps(SCOPE.to_document() | {"epsilon": "-4"}),
        json.dumps(SCOPE.to_document() | {"name": "cards"}),
        json.dumps(SCOPE.to_document() | {"more": 1}),
        b"\x00",
        7,
    ],
)
def test_edited_terms_are_refused(
    document: object, tables: Tables, connection: sqlite3.Connection
) -> None:
    tables.add_scope(SCOPE)
    connection.execute("UPDATE scope SET document = ?", (document,))
    with pytest.raises(LedgerFailed) as refused:
        tables.scope("loans")
    assert str(refused.value) == (
        "the terms of scope 'loans' were edited or damaged. Release nothing, and find "
        "the last sound copy of the ledger."
    )


@pytest.mark.parametrize("edit", ["hash = 'x'", "name = 'other'"])
def test_terms_under_another_name_or_hash_are_refused(
    edit: str, tables: Tables, connection: sqlite3.Connection
) -> None:
    tables.add_scope(SCOPE)
    connection.execute(f"UPDATE scope SET {edit}")  # noqa: S608 (fixed words)
    (name,) = tables.scope_names()
    with pytest.raises(LedgerFailed, match=f"the terms of scope '{name}' were edited"):
        tables.scope(name)


# --- Entries --------------------------------------------------------------------------


def test_entries_come_back_in_order_from_a_number_on(tables: Tables) -> None:
    tables.add_scope(SCOPE)
    written = lines("charge", "opened", "sealed")
    for entry in reversed(written):
        tables.add_entry(entry)
    assert tables.entries("loans", 0) == written
    assert tables.entries("loans", 2) == written[1:]
    assert tables.entries("loans", 4) == []
    assert tables.entries("cards", 0) == []


def test_one_hash_is_read_by_its_number(tables: Tables) -> None:
    tables.add_scope(SCOPE)
    (entry,) = lines("charge")
    tables.add_entry(entry)
    assert tables.hash_at("loans", 1) == entry.hash
    assert tables.hash_at("loans", 2) is None
    assert tables.hash_at("cards", 1) is None


def test_a_release_is_found_by_its_charge(tables: Tables) -> None:
    tables.add_scope(SCOPE)
    assert tables.scope_of(ID) is None
    for entry in lines("charge", "opened"):
        tables.add_entry(entry)
    assert tables.scope_of(ID) == "loans"
    assert tables.scope_of(OTHER) is None


@pytest.mark.parametrize(
    "edit",
    ["time = x'00'", "loss = x'ff'", "event = zeroblob(3)"],
)
def test_an_entry_of_other_types_is_refused(
    edit: str, tables: Tables, connection: sqlite3.Connection
) -> None:
    tables.add_scope(SCOPE)
    tables.add_entry(lines("charge")[0])
    connection.execute(f"UPDATE entry SET {edit}")  # noqa: S608 (fixed words)
    with pytest.raises(LedgerFailed, match="a line of the ledger was edited"):
        tables.entries("loans", 0)


def test_a_number_is_given_once_in_a_scope(tables: Tables) -> None:
    tables.add_scope(SCOPE)
    tables.add_entry(lines("charge")[0])
    with pytest.raises(sqlite3.IntegrityError):
        tables.add_entry(lines("charge", subject=OTHER)[0])


def test_a_release_takes_each_step_once(tables: Tables) -> None:
    tables.add_scope(SCOPE)
    written = lines("opened", "opened")
    tables.add_entry(written[0])
    with pytest.raises(sqlite3.IntegrityError):
        tables.add_entry(written[1])


def test_a_release_is_charged_to_one_scope(tables: Tables) -> None:
    tables.add_scope(SCOPE)
    tables.add_scope(Scope("cards", Budget(1)))
    tables.add_entry(lines("charge")[0])
    elsewhere = link(("cards", 0, ""), time="t", subject=ID, kind="charge", event={})
    with pytest.raises(sqlite3.IntegrityError):
        tables.add_entry(elsewhere)


def test_an_entry_belongs_to_a_scope(tables: Tables) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        tables.add_entry(lines("charge")[0])


# --- Bytes ----------------------------------------------------------------------------


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("content", [b"", b"\x00\xff", b"x" * 10**6])
def test_bytes_come_back_as_they_were_sealed(content: bytes, tables: Tables) -> None:
    tables.add_artifact(ID, content, digest(content))
    assert tables.artifact(ID, digest(content)) == content
    assert tables.artifact_ids() == [ID]


def test_bytes_may_come_as_a_view() -> None:
    tables = Tables(lambda _sql, _values: [(memoryview(b"abc"), digest(b"abc"))])
    assert tables.artifact(ID, digest(b"abc")) == b"abc"


@pytest.mark.parametrize("content", [b"abd", b"", "abc", 7])
def test_other_bytes_than_those_that_were_sealed_are_refused(
    content: object, tables: Tables, connection: sqlite3.Connection
) -> None:
    tables.add_artifact(ID, b"abc", digest(b"abc"))
    connection.execute("UPDATE artifact SET content = ?", (content,))
    with pytest.raises(LedgerFailed) as refused:
        tables.artifact(ID, digest(b"abc"))
    assert str(refused.value) == (
        f"the bytes of release {ID} are not in the ledger as they were sealed. Find "
        "the last sound copy of the ledger. A new draw is charged, and must be asked "
        "for: new_draw=True."
    )


def test_missing_bytes_are_refused(tables: Tables) -> None:
    assert tables.artifact_ids() == []
    with pytest.raises(LedgerFailed, match=f"the bytes of release {ID} are not in"):
        tables.artifact(ID, digest(b"abc"))


def test_bytes_are_kept_once(tables: Tables) -> None:
    tables.add_artifact(ID, b"abc", digest(b"abc"))
    with pytest.raises(sqlite3.IntegrityError):
        tables.add_artifact(ID, b"abd", digest(b"abd"))


def test_the_statements_make_all_tables(connection: sqlite3.Connection) -> None:
    query = "SELECT name FROM sqlite_master WHERE type = 'table'"
    assert {name for (name,) in connection.execute(query)} == set(TABLES)
