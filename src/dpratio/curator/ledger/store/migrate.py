"""Bringing a ledger on a server up to date: the same lines in the tables of today.

Lines keep their numbers and hashes, so that anchors and releases still find them. The
old schema is kept under another name, for its owner to drop.
"""

from typing import Any

from dpratio.curator.ledger.account.account import new_account, unfollowed
from dpratio.curator.ledger.account.entry import Entry
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.store.postgres import PostgresStore, make_schema
from dpratio.curator.ledger.store.server import ask, transaction
from dpratio.curator.ledger.store.server_schema import SERVER_VERSION
from dpratio.curator.ledger.store.tables import Tables
from dpratio.errors import DocumentRefused, LedgerFailed


def migrate(store: PostgresStore) -> bool:
    """Move a ledger of an earlier version to the tables of today, in one transaction.

    Lines that nobody can follow, but that are linked to those beside them, move along:
    only then can their owner set them aside.

    Returns:
        Whether there was something to do.

    Raises:
        LedgerFailed: When there is no such ledger, or its lines are not sound.
    """
    with transaction(store.address, to_write=True) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(7237121)")
        version = _version(connection)
        is_old = version != SERVER_VERSION
        if is_old:
            # Nobody writes to the old tables from here on.
            connection.execute(
                "LOCK TABLE dpratio.scope, dpratio.entry, dpratio.artifact"
            )
            old = f"dpratio_version_{version}"
            connection.execute(f"ALTER SCHEMA dpratio RENAME TO {old}")
            connection.execute("CREATE SCHEMA dpratio")
            make_schema(connection)
            _copy(connection, old)
    with store.reading():
        return is_old


def _version(connection: Any) -> int:  # noqa: ANN401 (psycopg is optional)
    ((is_there,),) = ask(connection, "SELECT to_regclass('dpratio.ledger') IS NOT NULL")
    rows = ask(connection, "SELECT version FROM dpratio.ledger") if is_there else []
    versions = [version for (version,) in rows]
    if versions not in [[each] for each in range(1, SERVER_VERSION + 1)]:
        raise LedgerFailed(
            "this database holds no ledger that could be brought up to date. Name "
            "another database, or make a ledger with `dpratio ledger init`."
        )
    return int(str(versions[0]))


def _copy(connection: Any, schema: str) -> None:  # noqa: ANN401
    def run(sql: str, values: tuple[object, ...]) -> Any:  # noqa: ANN401
        return ask(connection, sql, values)

    old = Tables(run, schema=f"{schema}.")
    new = Tables(run, schema="dpratio.", is_checked=True)
    scopes = [scope for name in old.scope_names() if (scope := old.scope(name))]
    if old.charged_scopes() - {scope.name for scope in scopes}:
        raise LedgerFailed("scopes of this ledger were removed. Find its newest copy.")
    for scope in scopes:
        entries = old.entries(scope.name, 0)
        _require_chain(scope, entries)
        new.add_scope(scope)
        try:
            new.add_lines(entries, scope.cap)
        except (KeyError, DocumentRefused):
            raise LedgerFailed(
                f"the lines of scope '{scope.name}' cannot be added up. Find the last "
                "sound copy."
            ) from None
    rows = f"SELECT release_id, content, sha256 FROM {schema}.artifact"  # noqa: S608 (a name of ours)
    connection.execute(f"INSERT INTO dpratio.artifact {rows}")


def _require_chain(scope: Scope, entries: list[Entry]) -> None:
    """Refuse lines that were edited or removed; what cannot be read may stay."""
    unfollowed(new_account(scope), entries)
    heads = [scope.hash, *(each.hash for each in entries)]
    for entry, head in zip(entries, heads, strict=False):
        if (entry.previous, entry.hash) != (head, entry.wanted_hash):
            raise LedgerFailed(
                f"entry {entry.seq} of scope '{scope.name}' was edited. Find the last "
                "sound copy."
            )
