"""A ledger on a PostgreSQL server, for a team; needs the extra ``postgres``.

The tables lie in the schema ``dpratio`` of the database that the address names. A write
locks its scope's row, so scopes do not wait for each other.
Floor: curator. Imports: errors, server, tables.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from dpratio.curator.ledger.server import ask, transaction
from dpratio.curator.ledger.tables import TABLES, VERSION, Rows, Tables, create_tables
from dpratio.errors import LedgerFailed

__all__ = ["PostgresStore"]

_KEPT = (
    """CREATE FUNCTION dpratio.refuse_change() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$""",
    *(
        f"""CREATE TRIGGER {table}_keeps_{what.lower()} BEFORE {what} ON dpratio.{table}
            FOR EACH STATEMENT EXECUTE FUNCTION dpratio.refuse_change()"""
        for table in TABLES
        for what in ("UPDATE", "DELETE", "TRUNCATE")
    ),
)
_SCHEMA = (*create_tables("BIGINT", "BYTEA", "dpratio."), *_KEPT)
_TRIGGERS = """SELECT count(*) FROM pg_catalog.pg_trigger t
    JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
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
        with transaction(self.address, to_write=True) as connection:
            # Two curators may open the first scope at once.
            connection.execute("SELECT pg_advisory_xact_lock(7237121)")
            if not self._is_there(connection):
                connection.execute("CREATE SCHEMA IF NOT EXISTS dpratio")
                for statement in _SCHEMA:
                    connection.execute(statement)
                connection.execute("INSERT INTO dpratio.ledger VALUES (%s)", (VERSION,))
        with self.reading():
            pass

    @contextmanager
    def writing(self) -> Iterator[Tables]:
        """Open a transaction; reading a scope to write locks it; commit at the end."""
        with transaction(self.address, to_write=True) as connection:
            self._require_ledger(connection)
            yield Tables(
                lambda sql, values: ask(connection, sql, values),
                lock=" FOR UPDATE",
                schema="dpratio.",
            )

    @contextmanager
    def reading(self) -> Iterator[Tables]:
        """Open a transaction that sees one state of the ledger."""
        with transaction(self.address, to_write=False) as connection:
            self._require_ledger(connection)
            yield Tables(
                lambda sql, values: ask(connection, sql, values), schema="dpratio."
            )

    def damages(self) -> list[str]:
        """Say whether the triggers that keep the tables append-only are in force."""
        with transaction(self.address, to_write=False) as connection:
            ((found,),) = ask(connection, _TRIGGERS)
        wanted = len(_KEPT) - 1
        return [] if found == wanted else ["triggers that keep the ledger are missing."]

    def _is_there(self, connection: Any) -> bool:  # noqa: ANN401 (psycopg is optional)
        ((found,),) = ask(
            connection, "SELECT to_regclass('dpratio.ledger') IS NOT NULL"
        )
        return bool(found)

    def _require_ledger(self, connection: Any) -> None:  # noqa: ANN401
        versions: Rows = []
        if self._is_there(connection):
            versions = ask(connection, "SELECT version FROM dpratio.ledger")
        if [tuple(row) for row in versions] != [(VERSION,)]:
            raise LedgerFailed(
                "this database holds no ledger of this version of dpratio. Make one "
                "with `dpratio ledger init`, or name another database."
            )
