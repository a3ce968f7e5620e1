"""A ledger in one SQLite file: the embedded default.

Each transaction has a connection of its own, so that nothing is shared by threads or
inherited by forks.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from dpratio.curator.ledger.tables import TABLES, VERSION, Tables, create_tables
from dpratio.errors import LedgerFailed

__all__ = ["SqliteStore"]

_PATIENCE = 60.0  # seconds that a writer waits for others
_KEPT = tuple(
    f"""CREATE TRIGGER {table}_keeps_{what.lower()} BEFORE {what} ON {table}
        BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"""
    for table in TABLES
    for what in ("UPDATE", "DELETE")
)
_SCHEMA = (*create_tables("INTEGER", "BLOB"), *_KEPT)

_WORDS = {
    "SQLITE_BUSY": "others have kept it locked for a minute. Try again later",
    "SQLITE_LOCKED": "others have kept it locked. Try again later",
    "SQLITE_READONLY": "it is read-only. Allow writing to the file and its folder",
    "SQLITE_FULL": "the disk is full. Make room and try again",
    "SQLITE_IOERR": "the disk failed or is full. Make room, check it, and try again",
    "SQLITE_CANTOPEN": (
        "it cannot be opened. Check the name, or open a first scope with `dpratio "
        "ledger init` or Ledger.open_scope"
    ),
    "SQLITE_NOTADB": "it is not a ledger. Name another file",
    "SQLITE_CORRUPT": "it is damaged. Find the last sound copy",
    "SQLITE_CONSTRAINT": "it is append-only, and the line is there already",
}


@dataclass(frozen=True, slots=True)
class SqliteStore:
    """Transactions on a ledger file."""

    path: Path

    def create(self) -> None:
        """Make the tables, unless they are there.

        Raises:
            LedgerFailed: When the file is something else, or cannot be written.
        """
        with self._connected(must_exist=False) as connection:
            connection.execute("BEGIN IMMEDIATE")
            if not connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
                for statement in _SCHEMA:
                    connection.execute(statement)
                connection.execute("INSERT INTO ledger VALUES (?)", (VERSION,))
            connection.execute("COMMIT")
        with self.reading():
            pass

    @contextmanager
    def writing(self) -> Iterator[Tables]:
        """Open a transaction that nobody else writes beside; commit it at the end."""
        with self._connected() as connection:
            connection.execute("BEGIN IMMEDIATE")
            self._require_ledger(connection)
            yield Tables(lambda sql, values: connection.execute(sql, values).fetchall())
            connection.execute("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[Tables]:
        """Open a transaction that sees one state of the ledger."""
        with self._connected() as connection:
            connection.execute("BEGIN")
            self._require_ledger(connection)
            yield Tables(lambda sql, values: connection.execute(sql, values).fetchall())

    def damages(self) -> list[str]:
        """Say what the database itself finds wrong with its file."""
        with self._connected() as connection:
            # A check runs what tables ask for, so they must be those of a ledger.
            self._require_ledger(connection)
            found = connection.execute("PRAGMA integrity_check(10)").fetchall()
        said = [str(each) for (each,) in found]
        return [] if said == ["ok"] else said

    @contextmanager
    def _connected(self, *, must_exist: bool = True) -> Iterator[sqlite3.Connection]:
        mode = "rw" if must_exist else "rwc"
        try:
            address = f"{self.path.absolute().as_uri()}?mode={mode}"
            connection = sqlite3.connect(
                address, uri=True, timeout=_PATIENCE, isolation_level=None
            )
            with closing(connection):
                # EXTRA also syncs the folder: a commit survives the loss of power.
                connection.execute("PRAGMA synchronous = EXTRA")
                connection.execute("PRAGMA foreign_keys = ON")
                yield connection
        except (sqlite3.Error, OverflowError, UnicodeDecodeError) as error:
            self._refuse(error)

    def _require_ledger(self, connection: sqlite3.Connection) -> None:
        """Refuse a file whose tables or triggers are not those of a ledger."""
        query = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"
        found = {sql for (sql,) in connection.execute(query)}
        versions: list[object] = []
        if found == set(_SCHEMA):
            versions = [
                each for (each,) in connection.execute("SELECT version FROM ledger")
            ]
        if versions != [VERSION]:
            raise LedgerFailed(
                f"'{self.path}' is not a ledger of this version of dpratio, or its "
                "tables were edited. Name another file, or find the last sound copy."
            )

    def _refuse(self, error: Exception) -> NoReturn:
        """Say in our words what went wrong, without the database's own."""
        name = str(getattr(error, "sqlite_errorname", ""))
        known = (words for start, words in _WORDS.items() if name.startswith(start))
        words = next(known, "it is damaged. Find the last sound copy")
        raise LedgerFailed(
            f"the ledger '{self.path}' cannot be used: {words}."
        ) from None
