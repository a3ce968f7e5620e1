"""A ledger in one SQLite file: the embedded default.

Each transaction has a connection of its own, so that nothing is shared by threads or
inherited by forks, and holds the lock file beside the ledger: alone to write, with
others to read.
"""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from dpratio.curator.ledger.store.lock import Lock, locked, name_of_lock
from dpratio.curator.ledger.store.tables import TABLES, VERSION, Tables, create_tables
from dpratio.errors import LedgerFailed

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
_CODES = {
    errno.ETIMEDOUT: _WORDS["SQLITE_BUSY"],
    errno.ENOENT: _WORDS["SQLITE_CANTOPEN"],
    errno.ENOTDIR: _WORDS["SQLITE_CANTOPEN"],
    errno.ENOSPC: _WORDS["SQLITE_FULL"],
}
_MAGIC = b"SQLite format 3\0"
_OTHERS = ("-journal", "-wal", "-shm")  # what SQLite may put beside its file


@dataclass(frozen=True, slots=True)
class SqliteStore:
    """Transactions on a ledger file."""

    path: Path

    def files(self) -> list[Path]:
        """The ledger's file and what may lie beside it: for nobody else to write."""
        real = self.path.resolve()
        beside = [real.with_name(f"{real.name}{end}") for end in _OTHERS]
        return [real, *beside, name_of_lock(self.path)]

    def create(self) -> None:
        """Make the tables, unless they are there.

        Raises:
            LedgerFailed: When the file is something else, or cannot be written.
        """
        with self._connected(must_exist=False) as (connection, lock):
            connection.execute("BEGIN IMMEDIATE")
            if not connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
                for statement in _SCHEMA:
                    connection.execute(statement)
                connection.execute("INSERT INTO ledger VALUES (?)", (VERSION,))
            self._commit(connection, lock)
        with self.reading():
            pass

    @contextmanager
    def writing(self) -> Iterator[Tables]:
        """Open a transaction that nobody else writes beside; commit it at the end."""
        with self._connected() as (connection, lock):
            connection.execute("BEGIN IMMEDIATE")
            self._require_ledger(connection)
            yield Tables(lambda sql, values: connection.execute(sql, values).fetchall())
            self._commit(connection, lock)

    @contextmanager
    def reading(self) -> Iterator[Tables]:
        """Open a transaction that sees one state of the ledger."""
        with self._connected(is_shared=True) as (connection, _):
            connection.execute("BEGIN")
            self._require_ledger(connection)
            yield Tables(lambda sql, values: connection.execute(sql, values).fetchall())

    def damages(self) -> list[str]:
        """Say what the database itself finds wrong with its file."""
        with self._connected(is_shared=True) as (connection, _):
            # A check runs what tables ask for, so they must be those of a ledger.
            self._require_ledger(connection)
            found = connection.execute("PRAGMA integrity_check(10)").fetchall()
        said = [str(each) for (each,) in found]
        return [] if said == ["ok"] else said

    @contextmanager
    def copied_to(self, path: Path) -> Iterator[None]:
        """Write one state of the ledger into a new file; nobody writes meanwhile.

        Raises:
            LedgerFailed: When the ledger cannot be read, or the file not written.
        """
        with self._connected(is_shared=True) as (connection, _):
            self._require_ledger(connection)
            with closing(sqlite3.connect(path)) as target:
                connection.backup(target)
            yield

    @contextmanager
    def _connected(
        self, *, must_exist: bool = True, is_shared: bool = False
    ) -> Iterator[tuple[sqlite3.Connection, Lock]]:
        """Open the file while its lock is held."""
        mode = "rw" if must_exist else "rwc"
        with ExitStack() as held:
            lock = self._lock(held, must_exist=must_exist, is_shared=is_shared)
            try:
                address = f"{self.path.absolute().as_uri()}?mode={mode}"
                connection = sqlite3.connect(
                    address, uri=True, timeout=_PATIENCE, isolation_level=None
                )
                with closing(connection):
                    # EXTRA also syncs the folder: a commit survives the loss of power.
                    connection.execute("PRAGMA synchronous = EXTRA")
                    connection.execute("PRAGMA foreign_keys = ON")
                    self._require_no_log(connection)
                    yield connection, lock
            except (sqlite3.Error, OverflowError, UnicodeDecodeError) as error:
                self._refuse(error)

    def _lock(self, held: ExitStack, *, must_exist: bool, is_shared: bool) -> Lock:
        """Lock a ledger that is a plain file under one name, or not there yet."""
        place = self.path if must_exist else self.path.parent
        try:
            place.stat()
            self._require_database()
            lock = held.enter_context(
                locked(self.path, is_shared=is_shared, patience=_PATIENCE)
            )
            names = self.path.stat().st_nlink if self.path.is_file() else 1
        except OSError as error:
            self._refuse_lock(error)
        if names > 1:
            raise LedgerFailed(
                f"the ledger '{self.path}' has two names (hard links), and each would "
                "have a lock of its own. Remove one; copy with `dpratio ledger backup`."
            )
        return lock

    def _require_database(self) -> None:
        """Refuse what is no database, before a lock file is put beside it.

        Only where there is no lock file yet: once there is one, someone may be writing,
        and closing the file would drop SQLite's own locks.
        """
        if name_of_lock(self.path).exists() or not self.path.is_file():
            return
        with self.path.open("rb") as file:
            head = file.read(len(_MAGIC))
        if head and head != _MAGIC:
            raise LedgerFailed(
                f"the ledger '{self.path}' cannot be used: {_WORDS['SQLITE_NOTADB']}."
            )

    def _commit(self, connection: sqlite3.Connection, lock: Lock) -> None:
        """Commit what nobody else can have written beside."""
        if not lock.is_whole():
            raise LedgerFailed(
                f"the lock file '{lock.path}' was removed or replaced while the ledger "
                "was in use, and nothing was written. Leave that file alone, and try "
                "again."
            )
        connection.execute("COMMIT")

    def _require_no_log(self, connection: sqlite3.Connection) -> None:
        """Refuse a ledger that does not lie in its one file."""
        ((journal,),) = connection.execute("PRAGMA journal_mode").fetchall()
        if journal != "delete":
            raise LedgerFailed(
                f"the ledger '{self.path}' was switched to a write-ahead log: a copy "
                "of the file would miss what is in the log. Switch it back with "
                "`PRAGMA journal_mode = DELETE`, and verify it."
            )

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

    def _refuse_lock(self, error: OSError) -> NoReturn:
        words = _CODES.get(
            error.errno or 0,
            f"its lock file '{name_of_lock(self.path).name}' cannot be made, opened or "
            "locked. Allow writing to its folder, and keep the ledger on a local disk",
        )
        raise LedgerFailed(
            f"the ledger '{self.path}' cannot be used: {words}."
        ) from None
