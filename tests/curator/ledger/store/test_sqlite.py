"""A ledger in a file: made once, append-only, and refused in words of our own."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from curator.ledger import stores
from curator.ledger.loans import SCOPE
from dpratio.curator.ledger.store.lock import name_of_lock
from dpratio.curator.ledger.store.sqlite import _WORDS, SqliteStore
from dpratio.curator.ledger.store.tables import VERSION
from dpratio.errors import LedgerFailed

NOT_A_LEDGER = (
    "'FILE' is not a ledger of this version of dpratio, or its tables were edited. "
    "Name another file, or find the last sound copy."
)


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return SqliteStore(tmp_path / "budget.db")


def script(path: Path, words: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(words)


def refusal(store: SqliteStore) -> str:
    return stores.refusal(store).replace(str(store.path), "FILE")


def said_of(error: Exception) -> str:
    with pytest.raises(LedgerFailed) as refused:
        SqliteStore(Path("FILE"))._refuse(error)
    assert refused.value.__cause__ is None
    return str(refused.value)


# --- Transactions ---------------------------------------------------------------------


def test_a_writer_waits_for_readers_and_readers_for_nobody_else(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpratio.curator.ledger.store.sqlite._PATIENCE", 0.01)
    store.create()
    with store.reading() as tables:
        before = tables.scope_names()
        with store.reading() as others:
            assert others.scope_names() == before
        with pytest.raises(LedgerFailed, match="kept it locked"), store.writing():
            pass
        assert tables.scope_names() == before


def test_a_second_writer_waits_for_its_turn(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpratio.curator.ledger.store.sqlite._PATIENCE", 0.01)
    store.create()
    with (
        store.writing(),
        pytest.raises(LedgerFailed, match="others have kept it locked for a minute"),
        store.writing(),
    ):
        pass


def test_every_commit_is_synced_with_its_folder(store: SqliteStore) -> None:
    store.create()
    with store._connected() as (connection, _):
        assert connection.execute("PRAGMA synchronous").fetchone() == (3,)
        assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)


@pytest.mark.parametrize("table", ["ledger", "scope", "entry", "artifact"])
@pytest.mark.parametrize("change", ["UPDATE {} SET {} = {}", "DELETE FROM {}"])
def test_lines_are_neither_changed_nor_removed(
    table: str, change: str, store: SqliteStore
) -> None:
    column = {"scope": "name", "entry": "kind", "artifact": "release_id"}
    name = column.get(table, "version")
    store.create()
    rows = {
        "scope": "INSERT INTO scope VALUES ('s', '{}', 'h')",
        "entry": (
            "INSERT INTO scope VALUES ('s', '{}', 'h');"
            "INSERT INTO entry VALUES ('s', 1, '', '', '', '', '', '', '', '')"
        ),
        "artifact": "INSERT INTO artifact VALUES ('r', x'00', 'h')",
    }
    script(store.path, rows.get(table, ""))
    with pytest.raises(sqlite3.IntegrityError, match="the ledger is append-only"):
        script(store.path, change.format(table, name, name))


# --- Files that are something else ----------------------------------------------------


def test_a_missing_file_is_not_made_by_reading(store: SqliteStore) -> None:
    assert refusal(store).startswith(
        "the ledger 'FILE' cannot be used: it cannot be opened."
    )
    assert not store.path.exists()


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "none" / "budget.db")
    with pytest.raises(LedgerFailed, match="it cannot be opened"):
        store.create()


def test_a_folder_is_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(LedgerFailed, match="it cannot be opened"):
        SqliteStore(tmp_path).create()


def test_a_file_that_is_no_database_is_left_as_it_was(store: SqliteStore) -> None:
    store.path.write_text("score,label\n0.5,1\n" * 100, encoding="utf-8")
    before = store.path.read_bytes()
    assert not name_of_lock(store.path).exists()
    said = "the ledger 'FILE' cannot be used: it is not a ledger. Name another file."
    assert refusal(store) == said
    with pytest.raises(LedgerFailed, match="it is not a ledger"):
        store.create()
    assert store.path.read_bytes() == before
    assert not name_of_lock(store.path).exists()
    name_of_lock(store.path).touch()  # Once it is there, SQLite is asked.
    assert refusal(store) == said


def test_another_database_is_left_as_it_was(store: SqliteStore) -> None:
    script(store.path, "CREATE TABLE loans (id)")
    assert refusal(store) == NOT_A_LEDGER
    with pytest.raises(LedgerFailed, match="is not a ledger of this version"):
        store.create()
    with closing(sqlite3.connect(store.path)) as connection:
        found = connection.execute("SELECT name FROM sqlite_master").fetchall()
    assert found == [("loans",)]


def test_an_empty_file_becomes_a_ledger_when_a_scope_is_opened(
    store: SqliteStore,
) -> None:
    store.path.touch()
    assert refusal(store) == NOT_A_LEDGER
    store.create()
    with store.reading() as tables:
        assert tables.scope_names() == []


@pytest.mark.parametrize(
    "edit",
    [
        "DROP TRIGGER entry_keeps_update",
        "DROP INDEX one_release",
        "CREATE TABLE more (id)",
        "CREATE TRIGGER more AFTER INSERT ON entry BEGIN SELECT 1; END",
        "ALTER TABLE scope ADD COLUMN more",
        "DROP TABLE artifact",
        "DROP TRIGGER ledger_keeps_update; UPDATE ledger SET version = 2",
        "INSERT INTO ledger SELECT version FROM ledger",
    ],
)
def test_a_ledger_whose_tables_were_edited_is_refused(
    edit: str, store: SqliteStore
) -> None:
    store.create()
    script(store.path, edit)
    assert refusal(store) == NOT_A_LEDGER


def test_a_ledger_of_another_version_is_refused(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpratio.curator.ledger.store.sqlite.VERSION", VERSION + 1)
    store.create()
    monkeypatch.undo()
    assert refusal(store) == NOT_A_LEDGER


@pytest.mark.parametrize("name", ["a?b#c%20d.db", "größe 😀.db", "it's.db", ":memory:"])
def test_a_file_may_have_any_name(name: str, tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / name)
    store.create()
    assert {path.name for path in tmp_path.iterdir()} == {name, f"{name}.lock"}


def test_a_relative_path_is_in_this_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    SqliteStore(Path("budget.db")).create()
    assert (tmp_path / "budget.db").is_file()


# --- The lock file, the log and other names -------------------------------------------


def test_nothing_is_committed_once_the_lock_file_was_replaced(
    store: SqliteStore,
) -> None:
    store.create()
    lock = name_of_lock(store.path)

    def write() -> None:
        with store.writing() as tables:
            tables.add_scope(SCOPE)
            lock.rename(lock.with_name("moved"))
            lock.touch()

    with pytest.raises(LedgerFailed, match=r"lock file '.*' was removed or replaced"):
        write()
    with store.reading() as tables:
        assert tables.scope_names() == []


def test_a_ledger_in_a_missing_folder_leaves_no_lock_file(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "budget.db")
    assert "cannot be opened" in refusal(store)
    assert list(tmp_path.iterdir()) == []


def test_a_lock_file_that_is_a_link_is_refused(store: SqliteStore) -> None:
    store.create()
    lock = name_of_lock(store.path)
    lock.unlink()
    lock.symlink_to(store.path)
    assert refusal(store) == (
        "the ledger 'FILE' cannot be used: its lock file 'budget.db.lock' cannot be "
        "made, opened or locked. Allow writing to its folder, and keep the ledger on a "
        "local disk."
    )


def test_a_link_to_a_ledger_has_the_lock_of_the_ledger(store: SqliteStore) -> None:
    store.create()
    link = store.path.with_name("link.db")
    link.symlink_to(store.path)
    assert SqliteStore(link).files() == store.files()
    with SqliteStore(link).reading() as tables:
        assert tables.scope_names() == []


def test_a_ledger_with_two_names_is_refused(store: SqliteStore) -> None:
    store.create()
    other = store.path.with_name("other.db")
    other.hardlink_to(store.path)
    for each in (store, SqliteStore(other)):
        assert "has two names (hard links)" in refusal(each)
    other.unlink()
    with store.reading():
        pass


def test_a_ledger_with_a_write_ahead_log_is_refused(store: SqliteStore) -> None:
    store.create()
    script(store.path, "PRAGMA journal_mode = WAL")
    assert refusal(store) == (
        "the ledger 'FILE' was switched to a write-ahead log: a copy of the file would "
        "miss what is in the log. Switch it back with `PRAGMA journal_mode = DELETE`, "
        "and verify it."
    )
    with pytest.raises(LedgerFailed, match="write-ahead log"):
        store.create()
    script(store.path, "PRAGMA journal_mode = DELETE")
    with store.reading():
        pass


# --- Damages and words ----------------------------------------------------------------


def test_a_damaged_page_is_told_by_the_database(store: SqliteStore) -> None:
    store.create()
    with store.writing() as tables:
        tables.add_artifact("r", os.urandom(100_000), "h")
    content = bytearray(store.path.read_bytes())
    content[-5000:-4096] = bytes(904)
    content[20 * 4096 : 20 * 4096 + 4] = b"\xff" * 4
    store.path.write_bytes(content)
    assert store.damages()


@pytest.mark.parametrize("name", _WORDS)
def test_every_failure_has_words_of_our_own(name: str) -> None:
    for extended in (name, f"{name}_SOMETHING"):
        error = sqlite3.OperationalError("SECRET words of the database")
        error.sqlite_errorname = extended
        said = said_of(error)
        assert said == f"the ledger 'FILE' cannot be used: {_WORDS[name]}."


@pytest.mark.parametrize(
    "error",
    [
        sqlite3.OperationalError("Could not decode to UTF-8 column"),
        OverflowError("too large"),
        UnicodeDecodeError("utf-8", b"SECRET", 0, 1, "bad"),
    ],
)
def test_a_failure_without_a_name_is_damage(error: Exception) -> None:
    assert said_of(error) == (
        "the ledger 'FILE' cannot be used: it is damaged. Find the last sound copy."
    )


def test_text_that_is_no_text_is_damage(store: SqliteStore) -> None:
    store.create()
    script(store.path, "INSERT INTO scope VALUES (CAST(x'ff' AS TEXT), '', '')")
    with (
        pytest.raises(LedgerFailed, match="it is damaged") as refused,
        store.reading() as tables,
    ):
        tables.scope_names()
    assert refused.value.__cause__ is None


def test_a_file_with_other_tables_is_not_checked_by_the_database(
    store: SqliteStore,
) -> None:
    """A check evaluates what tables ask for: here, as much memory as there is."""
    store.create()
    script(
        store.path,
        "CREATE TABLE more (x, y AS (zeroblob(x))); INSERT INTO more VALUES (9e8)",
    )
    with pytest.raises(LedgerFailed, match="is not a ledger of this version"):
        store.damages()
