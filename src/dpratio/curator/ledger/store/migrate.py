"""Bringing a ledger on a server up to date: the same lines in the tables of today.

Lines keep their numbers and hashes, so that anchors and releases still find them. The
old schema is kept under another name, for its owner to drop.
"""

from typing import Any

from dpratio.curator.ledger.account.account import follow, new_account
from dpratio.curator.ledger.store.postgres import PostgresStore, make_schema
from dpratio.curator.ledger.store.server import ask, transaction
from dpratio.curator.ledger.store.server_schema import SERVER_VERSION
from dpratio.curator.ledger.store.server_totals import totals_after
from dpratio.curator.ledger.store.tables import Tables
from dpratio.errors import LedgerFailed

__all__ = ["migrate"]

_OLD = "dpratio_version_1"
_LINE = """INSERT INTO dpratio.entry
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"""


def migrate(store: PostgresStore) -> bool:
    """Move a ledger of version 1 to the tables of today, in one transaction.

    Returns:
        Whether there was something to do.

    Raises:
        LedgerFailed: When there is no such ledger, or its lines are not sound.
    """
    with transaction(store.address, to_write=True) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(7237121)")
        is_old = _version(connection) == 1
        if is_old:
            # Nobody writes to the old tables from here on.
            connection.execute(
                "LOCK TABLE dpratio.scope, dpratio.entry, dpratio.artifact"
            )
            connection.execute(f"ALTER SCHEMA dpratio RENAME TO {_OLD}")
            connection.execute("CREATE SCHEMA dpratio")
            make_schema(connection)
            _copy(connection)
    with store.reading():
        return is_old


def _version(connection: Any) -> int:  # noqa: ANN401 (psycopg is optional)
    ((is_there,),) = ask(connection, "SELECT to_regclass('dpratio.ledger') IS NOT NULL")
    rows = ask(connection, "SELECT version FROM dpratio.ledger") if is_there else []
    versions = [version for (version,) in rows]
    if versions not in ([1], [SERVER_VERSION]):
        raise LedgerFailed(
            "this database holds no ledger that could be brought up to date. Name "
            "another database, or make a ledger with `dpratio ledger init`."
        )
    return int(str(versions[0]))


def _copy(connection: Any) -> None:  # noqa: ANN401
    def run(sql: str, values: tuple[object, ...]) -> Any:  # noqa: ANN401
        return ask(connection, sql, values)

    old = Tables(run, schema=f"{_OLD}.")
    new = Tables(run, schema="dpratio.", is_checked=True)
    scopes = [scope for name in old.scope_names() if (scope := old.scope(name))]
    if old.charged_scopes() - {scope.name for scope in scopes}:
        raise LedgerFailed("scopes of this ledger were removed. Find its newest copy.")
    for scope in scopes:
        entries = old.entries(scope.name, 0)
        follow(new_account(scope), entries)
        new.add_scope(scope)
        rows = [
            (*entry.row, *spent)
            for entry, spent in zip(entries, totals_after(entries), strict=True)
        ]
        with connection.cursor() as cursor:
            cursor.executemany(_LINE, rows)
    connection.execute(
        "INSERT INTO dpratio.artifact (release_id, content, sha256)"
        " SELECT release_id, content, sha256 FROM dpratio_version_1.artifact"
    )
