"""A ledger on a PostgreSQL server, for a team; needs the extra ``postgres``.

The tables lie in the schema ``dpratio`` of the database that the address names. A write
locks its scope's row, so scopes do not wait for each other.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

from dpratio.checks import import_extra
from dpratio.curator.ledger.tables import TABLES, VERSION, Rows, Tables, create_tables
from dpratio.errors import LedgerFailed

__all__ = ["PostgresStore"]

_PATIENCE = "60s"
_KEPT = (
    """CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$""",
    *(
        f"""CREATE TRIGGER {table}_keeps_{what.lower()} BEFORE {what} ON {table}
            FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"""
        for table in TABLES
        for what in ("UPDATE", "DELETE", "TRUNCATE")
    ),
)
_SCHEMA = (*create_tables("BIGINT", "BYTEA"), *_KEPT)
_TRIGGERS = """SELECT count(*) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'dpratio' AND NOT t.tgisinternal AND t.tgenabled = 'O'
    AND t.tgname LIKE '%\\_keeps\\_%'"""


@dataclass(frozen=True, slots=True)
class PostgresStore:
    """Transactions on a ledger in a PostgreSQL database."""

    # The address may hold a password.
    address: str = field(repr=False)

    def create(self) -> None:
        """Make the tables, unless they are there.

        Raises:
            LedgerFailed: When the server cannot be reached or does not allow it.
        """
        with self._connected() as connection:
            # Two curators may open the first scope at once.
            connection.execute("SELECT pg_advisory_xact_lock(7237121)")
            if not self._is_there(connection):
                connection.execute("CREATE SCHEMA IF NOT EXISTS dpratio")
                for statement in _SCHEMA:
                    connection.execute(statement)
                connection.execute("INSERT INTO ledger VALUES (%s)", (VERSION,))
        with self.reading():
            pass

    @contextmanager
    def writing(self) -> Iterator[Tables]:
        """Open a transaction; reading a scope to write locks it; commit at the end."""
        with self._connected() as connection:
            self._require_ledger(connection)
            yield Tables(
                lambda sql, values: _run(connection, sql, values), " FOR UPDATE"
            )

    @contextmanager
    def reading(self) -> Iterator[Tables]:
        """Open a transaction that sees one state of the ledger."""
        with self._connected() as connection:
            connection.execute(
                "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"
            )
            self._require_ledger(connection)
            yield Tables(lambda sql, values: _run(connection, sql, values))

    def damages(self) -> list[str]:
        """Say whether the triggers that keep the tables append-only are in force."""
        with self._connected() as connection:
            ((found,),) = _run(connection, _TRIGGERS, ())
        wanted = len(_KEPT) - 1
        return [] if found == wanted else ["triggers that keep the ledger are missing."]

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        psycopg = import_extra("psycopg", "postgres")
        try:
            with psycopg.connect(self.address, connect_timeout=20) as connection:
                connection.execute("SET search_path TO dpratio")
                connection.execute("SET synchronous_commit TO on")
                connection.execute(f"SET lock_timeout TO '{_PATIENCE}'")
                yield connection
        except psycopg.Error as error:
            _refuse(error)

    def _is_there(self, connection: Any) -> bool:  # noqa: ANN401 (psycopg is optional)
        ((found,),) = _run(
            connection, "SELECT to_regclass('dpratio.ledger') IS NOT NULL", ()
        )
        return bool(found)

    def _require_ledger(self, connection: Any) -> None:  # noqa: ANN401
        versions: Rows = []
        if self._is_there(connection):
            versions = _run(connection, "SELECT version FROM ledger", ())
        if [tuple(row) for row in versions] != [(VERSION,)]:
            raise LedgerFailed(
                "this database holds no ledger of this version of dpratio. Make one "
                "with `dpratio ledger init`, or name another database."
            )


def _run(connection: Any, sql: str, values: tuple[object, ...]) -> Rows:  # noqa: ANN401
    """Execute a statement written with question marks; none has any other use here."""
    cursor = connection.execute(
        sql.replace("?", "%s") if values else sql, values or None
    )
    return cursor.fetchall() if cursor.description else []


def _refuse(error: Exception) -> NoReturn:
    """Say in our words what went wrong; the server's may hold its address."""
    state = str(getattr(error, "sqlstate", None) or "")
    words = {
        "": (
            "the server cannot be reached, does not let this user in, or has no such "
            "database. Check address, name, password and network"
        ),
        "28": "the server does not let this user in. Check name and password",
        "3D": "there is no such database. Check the address",
        "42501": "this user may not do that. Ask the owner of the database",
        "53": "the server is out of room or connections. Try again later",
        "55P03": "others have kept it locked for a minute. Try again later",
        "25006": "it is read-only. Name the primary server",
        "23505": "it is append-only, and the line is there already",
        "P0001": "it is append-only",
    }
    known = (said for start, said in words.items() if start and state.startswith(start))
    said = next(known, words[""] if not state else f"the server refused ({state})")
    raise LedgerFailed(f"the PostgreSQL ledger cannot be used: {said}.") from None
