"""A ledger on a PostgreSQL server, for a team; needs the extra ``postgres``.

The tables lie in the schema ``dpratio`` of the database that the address names. A write
locks its scope's row, so scopes do not wait for each other.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from dpratio.curator.ledger.account.entry import exact_text
from dpratio.curator.ledger.account.totals import totals_after
from dpratio.curator.ledger.store.address import Address
from dpratio.curator.ledger.store.catalogue import changed_objects
from dpratio.curator.ledger.store.server import ask, transaction
from dpratio.curator.ledger.store.server_schema import SERVER_VERSION, STATEMENTS
from dpratio.curator.ledger.store.tables import Tables
from dpratio.errors import DocumentRefused, LedgerFailed

_NO_LEDGER = (
    "this database holds no ledger of this version of dpratio. Make one with `dpratio "
    "ledger init`, or name another database."
)
_MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class PostgresStore:
    """Transactions on a ledger in a PostgreSQL database."""

    address: Address

    def create(self) -> None:
        """Make the tables, unless they are there.

        Raises:
            LedgerFailed: When the server cannot be reached or does not allow it.
        """
        with transaction(self.address, to_write=True) as connection:
            # Two curators may open the first scope at once.
            connection.execute("SELECT pg_advisory_xact_lock(7237121)")
            if changed_objects(connection) is None:
                connection.execute("CREATE SCHEMA IF NOT EXISTS dpratio")
                make_schema(connection)
        with self.reading():
            pass

    @contextmanager
    def writing(self) -> Iterator[Tables]:
        """Open a transaction; reading a scope to write locks it; commit at the end."""
        with transaction(self.address, to_write=True) as connection:
            _require_ledger(connection)
            ((writer,),) = ask(connection, "SELECT session_user")
            yield Tables(
                lambda sql, values: ask(connection, sql, values),
                lock=" FOR UPDATE",
                schema="dpratio.",
                is_checked=True,
                writer=str(writer),
            )

    @contextmanager
    def reading(self) -> Iterator[Tables]:
        """Open a transaction that sees one state of the ledger."""
        with transaction(self.address, to_write=False) as connection:
            _require_ledger(connection)
            yield Tables(
                lambda sql, values: ask(connection, sql, values), schema="dpratio."
            )

    def damages(self) -> list[str]:
        """Say what of the schema was changed, and which totals are not what they sum.

        Raises:
            LedgerFailed: When there is no ledger, or it is of another version.
        """
        with transaction(self.address, to_write=False) as connection:
            changed = _changes(connection)
            return [f"{each}." for each in changed] or _wrong_totals(connection)


def make_schema(connection: Any) -> None:  # noqa: ANN401 (psycopg is optional)
    """Make the tables and all that keeps them, in a schema that is there."""
    for statement in STATEMENTS:
        connection.execute(statement)
    connection.execute("INSERT INTO dpratio.ledger VALUES (%s)", (SERVER_VERSION,))


def _changes(connection: Any) -> list[str]:  # noqa: ANN401
    """List what was changed in a ledger of this version."""
    changed = changed_objects(connection)
    if changed is None:
        raise LedgerFailed(_NO_LEDGER)
    found = [
        tuple(row) for row in ask(connection, "SELECT version FROM dpratio.ledger")
    ]
    if found != [(SERVER_VERSION,)]:
        raise LedgerFailed(_NO_LEDGER)
    return changed


def _require_ledger(connection: Any) -> None:  # noqa: ANN401
    changed = _changes(connection)
    if changed:
        more = f" and {len(changed) - _MOST_NAMED} more"
        named = "; ".join(changed[:_MOST_NAMED])
        raise LedgerFailed(
            f"the tables of the ledger were changed: {named}"
            f"{more if len(changed) > _MOST_NAMED else ''}. Release nothing until the "
            "owner has mended them."
        )


def _wrong_totals(connection: Any) -> list[str]:  # noqa: ANN401
    """Find scopes whose caps or totals on the server are not what they must be.

    Its functions check charges against them, so they must be what terms and lines say.
    A scope whose chain is broken is left to those who follow chains.
    """
    tables = Tables(lambda sql, values: ask(connection, sql, values), schema="dpratio.")
    wrong = []
    caps = ask(connection, "SELECT name, loss, delta FROM dpratio.scope")
    for scope in filter(None, [tables.scope(str(name)) for name, _, _ in caps]):
        name, cap = scope.name, scope.cap
        wanted = (name, exact_text(cap.loss), exact_text(cap.delta))
        if wanted not in [tuple(row) for row in caps]:
            wrong.append(f"the caps of scope '{name}' on the server are not its terms.")
        query = (
            "SELECT spent_loss, spent_delta FROM dpratio.entry WHERE scope = ?"
            " ORDER BY seq"
        )
        kept = [tuple(row) for row in ask(connection, query, (name,))]
        try:
            summed = list(totals_after(tables.entries(name, 0), cap))
        except (KeyError, DocumentRefused):
            continue
        if kept != summed:
            wrong.append(f"what scope '{name}' has spent is not the sum of its lines.")
    return wrong
