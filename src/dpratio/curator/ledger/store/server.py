"""A transaction on a PostgreSQL server, whatever state its session was left in.

A pooler gives sessions that others used before: with their search path, isolation,
role, time limits and temporary tables. All that matters is set or checked anew inside
each transaction, and undone at its end.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from dpratio.checks import import_extra
from dpratio.curator.ledger.store.address import Address
from dpratio.curator.ledger.store.patience import Conflict
from dpratio.curator.ledger.store.tables import Rows
from dpratio.errors import LedgerFailed

_UNDONE = {"40001", "40P01"}  # a serialization failure, a deadlock

_CONNECT = 20  # seconds for each host of the address
_PATIENCE = "60s"  # that a writer waits for others
# A writer that stops is put out before those who wait for it lose patience.
_IDLE_WRITER, _IDLE_READER = "30s", "600s"
_STATEMENT = "90s"
# A server that stops says nothing, which is noticed here: after so many intervals.
_INTERVAL, _SILENCE = 0.1, 1200
_LINK = {
    "keepalives": 1,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
_SETTINGS = {
    # Temporary tables come last, so that none stands in front of a name of ours.
    "search_path": "pg_catalog, pg_temp",
    "role": "none",
    # A policy that hides rows is an error then, not an answer.
    "row_security": "off",
    "client_encoding": "UTF8",
    "standard_conforming_strings": "on",
    "transform_null_equals": "off",
    "quote_all_identifiers": "off",
    "check_function_bodies": "on",
    "default_tablespace": "",
    "bytea_output": "hex",
    "timezone": "UTC",
    "synchronous_commit": "on",
}
_STATE = (
    "SELECT current_setting('session_replication_role'),"
    " current_setting('server_encoding')"
)
_TEMPORARY = """SELECT
    EXISTS (SELECT FROM pg_catalog.pg_class WHERE relnamespace = pg_my_temp_schema()
        AND relname IN ('ledger', 'scope', 'entry', 'artifact'))
    OR EXISTS (SELECT FROM pg_catalog.pg_type WHERE typnamespace = pg_my_temp_schema()
        AND typrelid = 0 AND typelem = 0)
    OR EXISTS (SELECT FROM pg_catalog.pg_proc WHERE pronamespace = pg_my_temp_schema())
    OR EXISTS (
        SELECT FROM pg_catalog.pg_operator WHERE oprnamespace = pg_my_temp_schema())"""


@contextmanager
def transaction(address: Address, *, to_write: bool) -> Iterator[Any]:
    """Open a connection and one transaction on it; commit at the end.

    Raises:
        LedgerFailed: When the server cannot be reached, refuses, or gives a session
            that cannot be trusted.
    """
    psycopg = import_extra("psycopg", "postgres")
    levels = psycopg.IsolationLevel
    opened = _connect(psycopg, address)
    wait = opened.wait
    opened.wait = lambda answers: wait(_limited(psycopg, opened, answers), _INTERVAL)
    try:
        # A commit that fails leaves the connection open, so it is closed in any case.
        with closing(opened), opened as connection:
            connection.isolation_level = (
                levels.READ_COMMITTED if to_write else levels.REPEATABLE_READ
            )
            if not to_write:
                connection.read_only = True
            _settle(connection, _IDLE_WRITER if to_write else _IDLE_READER)
            yield connection
    except psycopg.Error as error:
        raise _failure(error) from None


def _connect(psycopg: Any, address: Address) -> Any:  # noqa: ANN401 (it is optional)
    """Connect; the driver's error knows the address, so nothing of it is kept."""
    try:
        # Prepared statements have names, and a pooler's sessions share them.
        return psycopg.connect(
            address.reveal(),
            connect_timeout=_CONNECT,
            prepare_threshold=None,
            **_LINK,
        )
    except (psycopg.Error, ValueError, UnicodeError) as error:
        failure = _failure(error)
    raise failure


def ask(connection: Any, sql: str, values: tuple[object, ...] = ()) -> Rows:  # noqa: ANN401 (psycopg is optional)
    """Execute a statement written with question marks; none has any other use here."""
    cursor = connection.execute(
        sql.replace("?", "%s") if values else sql, values or None
    )
    return cursor.fetchall() if cursor.description else []


def _limited(psycopg: Any, opened: Any, answers: Any) -> Any:  # noqa: ANN401
    """Pass on what a driver waits for, unless the server says nothing for too long."""
    silent, ready = 0, None
    while True:
        try:
            wanted = answers.send(ready)
        except StopIteration as ended:
            return ended.value
        ready = yield wanted
        silent = 0 if ready else silent + 1
        if silent > _SILENCE:
            opened.close()  # Or the driver would wait once more, to roll back.
            raise psycopg.OperationalError


def _settle(connection: Any, idle: str) -> None:  # noqa: ANN401
    """Set what a session may have been left with, and check what cannot be set."""
    settings = _SETTINGS | {
        "lock_timeout": _PATIENCE,
        "statement_timeout": _STATEMENT,
        "idle_in_transaction_session_timeout": idle,
    }
    said = ", ".join("pg_catalog.set_config(%s, %s, true)" for _ in settings)
    values = [word for pair in settings.items() for word in pair]
    connection.execute(f"SELECT {said}", values)
    ((role, encoding),) = ask(connection, _STATE)
    if encoding != "UTF8":
        raise LedgerFailed(
            f"the encoding of this database is {encoding}; a ledger needs UTF8. Make "
            "the database with ENCODING 'UTF8' TEMPLATE template0."
        )
    if role != "origin":
        raise LedgerFailed(
            "this session runs as a replica, and triggers do not: "
            "session_replication_role must be origin. Connect past the pooler, or "
            "reset its sessions with DISCARD ALL."
        )
    ((is_shadowed,),) = ask(connection, _TEMPORARY)
    if is_shadowed:
        raise LedgerFailed(
            "this session holds temporary tables, types, functions or operators in "
            "front of the ledger's own. Connect past the pooler, or reset its sessions "
            "with DISCARD ALL."
        )


def _failure(error: Exception) -> LedgerFailed:
    """Say in our words what went wrong; the server's may hold its address."""
    state = str(getattr(error, "sqlstate", None) or "")
    words = {
        "": (
            "the server cannot be reached, does not let this user in, or has no such "
            "database. Check address, name, password, certificate and network"
        ),
        "08P01": (
            "a pooler does not keep its transactions together. Set it to transaction "
            "or session pooling, not statement pooling, or connect past it"
        ),
        "28": "the server does not let this user in. Check name and password",
        "3D": "there is no such database. Check the address",
        "42501": "this user may not do that. Ask the owner of the database",
        "53": "the server is out of room or connections. Try again later",
        "55P03": "others have kept it locked for a minute. Try again later",
        "57014": "it took too long. Try again later",
        "25P03": "this side said nothing for too long, and was put out. Try again",
        "25006": "it is read-only. Name the primary server",
        "23505": "it is append-only, and the line is there already",
        "P0001": "it is append-only",
        "DP001": (
            "the server's own check refused the line. Look the ledger over with "
            "`dpratio ledger verify`"
        ),
    }
    if state in _UNDONE:
        return Conflict(
            "the PostgreSQL ledger cannot be used: others wrote at the same moment, "
            "again and again. Try again later."
        )
    known = (said for start, said in words.items() if start and state.startswith(start))
    said = next(known, words[""] if not state else f"the server refused ({state})")
    return LedgerFailed(f"the PostgreSQL ledger cannot be used: {said}.")
