"""Connections to MariaDB: how a session is set, and what its tables are.

Ibis writes statements for MariaDB without a driver; its own connection needs one that
has to be compiled. Ours is PyMySQL.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import ibis.expr.datatypes as dtypes
from ibis.backends.sql.compilers import mysql

from dpratio.checks import import_extra, require
from dpratio.curator.reading.statement import ColumnType
from dpratio.curator.warehouse.database.catalogues import OTHER, TABLE, Found
from dpratio.curator.warehouse.database.hosts import is_trusted
from dpratio.terms.database import DatabaseTable

__all__ = ["Server", "columns_of", "connect_server"]

# Whatever the server's own settings are: one way to read texts, days and zones; groups
# are told apart to their last byte, not to the first 1,024; no row is left out, and
# each step is worked out before the next. A statement sees one snapshot, and none
# writes. No transaction stays open, but where one is asked for: it would keep others
# from changing the table.
_VARIABLES = {
    "sql_mode": "''",
    "old_mode": "''",
    "time_zone": "'+00:00'",
    "sql_select_limit": "DEFAULT",
    "sql_big_selects": "1",
    "max_statement_time": "0",
    "max_sort_length": "262144",
    "sort_buffer_size": "33554432",
    "optimizer_switch": "'derived_merge=off,condition_pushdown_for_derived=off'",
}
_SETTINGS = (
    "SET NAMES utf8mb4 COLLATE utf8mb4_bin",
    f"SET {', '.join(f'{name} = {value}' for name, value in _VARIABLES.items())}",
    "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
)

_FIRST_STRICT = (1, 2)

# Tables of others are made of tables, files or servers.
_STORED = {"INNODB", "ARIA", "MYISAM"}
_WITH_SNAPSHOTS = "INNODB"
_OWN = {"information_schema", "mysql", "performance_schema", "sys"}

_INTEGERS: dict[str, tuple[Any, Any]] = {
    "tinyint": (dtypes.int8, dtypes.uint8),
    "smallint": (dtypes.int16, dtypes.uint16),
    "mediumint": (dtypes.int32, dtypes.uint32),
    "int": (dtypes.int32, dtypes.uint32),
    "bigint": (dtypes.int64, dtypes.uint64),
}
_PLAIN: dict[str, tuple[Any, str]] = {
    "float": (dtypes.float32, "number"),
    "double": (dtypes.float64, "number"),
    "decimal": (dtypes.Decimal(), "number"),
    "date": (dtypes.date, "date"),
    "timestamp": (dtypes.Timestamp(timezone="UTC"), "date"),
    "uuid": (dtypes.string, "text"),
}
# Texts that are sorted to their end, in sets whose every character is one of Unicode.
_TEXTS = {"char", "varchar", "tinytext", "text", "enum"}
_SETS = {"utf8mb4", "utf8mb3", "utf8", "ascii", "latin1"}


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Server:
    """A connection, with what Ibis wants to know of one, and the table it reads."""

    con: Any
    options: Mapping[str, Any] = field(repr=False)
    columns: dict[str, ColumnType] = field(default_factory=dict)
    native: dict[str, str] = field(default_factory=dict)
    engines: set[str] = field(default_factory=set)
    name: str = "mariadb"
    compiler: Any = mysql.compiler
    dialect: Any = mysql.compiler.dialect

    def rows(self, asked: str, given: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Ask, and give the rows."""
        with self.con.cursor() as cursor:
            cursor.execute(asked, given or None)
            return list(cursor.fetchall())

    @property
    def has_snapshots(self) -> bool:
        """Whether what was found keeps older rows for those who still read them."""
        return self.engines == {_WITH_SNAPSHOTS}

    def cancel(self) -> None:
        """End the query that runs, from a connection of its own."""
        with import_extra("pymysql", "engines").connect(**self.options) as other:
            other.query(f"KILL QUERY {self.con.thread_id()}")

    def find(self, names: Sequence[str]) -> Found | None:
        """Look a name up; views are not read."""
        *outer, name = names
        schema = outer[-1] if outer else self.options["database"]
        found = self.rows(
            "SELECT table_schema, table_name, table_type, engine FROM "
            "information_schema.tables WHERE table_schema = %s AND table_name = %s",
            (schema, name),
        )
        if not found:
            return None
        schema, name, kind, engine = found[0]
        is_own = schema.lower() in _OWN
        self.engines.add(str(engine).upper())
        stored = kind == "BASE TABLE" and str(engine).upper() in _STORED
        return Found(TABLE if stored and not is_own else OTHER, (schema, name))


def connect_server(source: DatabaseTable) -> Server:
    """Connect to the server of an address, and set the session."""
    driver = import_extra("pymysql", "engines")
    parts = urlsplit(source.url)
    password = unquote(parts.password or "")
    if not password and is_trusted(source):
        password = os.environ.get("MYSQL_PWD", "")
    options: dict[str, Any] = {
        "host": parts.hostname or "localhost",
        "port": parts.port or 3306,
        "user": unquote(parts.username or "") or None,
        "password": password,
        "database": unquote(parts.path.strip("/")) or None,
        "charset": "utf8mb4",
        "autocommit": True,
    }
    authority = parse_qs(parts.query).get("ssl_ca")
    if authority:
        # Before, a server that knows no TLS was told everything in the clear.
        is_strict = driver.VERSION[:2] >= _FIRST_STRICT
        require(is_strict, "TLS needs PyMySQL 1.2 or newer", "an older one")
        checked = {"ssl_verify_cert": True, "ssl_verify_identity": True}
        options |= {"ssl_ca": authority[0], **checked}
    server = Server(driver.connect(**options), options)
    for setting in _SETTINGS:
        server.rows(setting)
    return server


def columns_of(server: Server, schema: str, table: str) -> dict[str, Any]:
    """Read the types of the columns that may be read; note what each is."""
    found = server.rows(
        "SELECT column_name, data_type, column_type, character_set_name, "
        "datetime_precision, generation_expression IS NOT NULL AND extra NOT LIKE "
        "'%%STORED%%' FROM information_schema.columns WHERE table_schema = %s AND "
        "table_name = %s AND FIND_IN_SET('select', privileges) ORDER BY "
        "ordinal_position",
        (schema, table),
    )
    known = {}
    for name, native, written, letters, places, is_virtual in found:
        kind, group, shown = _type_of(native.lower(), written.lower(), letters, places)
        if is_virtual:
            # Worked out when it is read, and what works it out may stop.
            kind, group, shown = dtypes.unknown, "other", f"virtual {native}"
        known[name] = kind
        server.columns[name] = ColumnType(group, shown)
        server.native[name] = native.lower() if group != "other" else "other"
    return known


def _type_of(
    native: str, written: str, letters: str | None, places: int | None
) -> tuple[Any, str, str]:
    """Give the type for Ibis, the kind of a column, and its name in messages."""
    if native in _INTEGERS:
        # MariaDB's BOOLEAN is a TINYINT(1), which holds other numbers too.
        kind = "boolean" if written == "tinyint(1)" else "integer"
        return _INTEGERS[native]["unsigned" in written], kind, native
    if native in _TEXTS:
        if letters in _SETS:
            return dtypes.string, "text", native
        return dtypes.unknown, "other", f"{native} in {letters}"
    if native == "datetime":
        return dtypes.Timestamp(scale=places or None), "date", native
    # FLOAT(7, 4) rounds what is worked out from it.
    is_plain = native in _PLAIN and (native == "decimal" or "(" not in written)
    if is_plain:
        return *_PLAIN[native], native
    return dtypes.unknown, "other", written if native in _PLAIN else native
