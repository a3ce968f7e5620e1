"""SQLite: any cell may hold anything, and text is not read as the nearest double.

Our own functions inside SQLite do what it cannot do exactly; none can fail.
"""

import hashlib
import operator
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import ibis
import ibis.common.exceptions as com
import ibis.expr.operations as ops
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.eliminate_subqueries import eliminate_subqueries

from dpratio.curator.reading.days import day_in_text
from dpratio.curator.reading.keys import number_of_id
from dpratio.curator.reading.read_once import require_once
from dpratio.curator.reading.statement import ColumnType
from dpratio.curator.stopping import stoppable
from dpratio.curator.warehouse.database.reads import tables_of
from dpratio.curator.warehouse.dialect import (
    Backend,
    Dialect,
    Value,
    by_name,
    date_of,
    day_number,
    require_utf8,
)
from dpratio.curator.warehouse.functions import builtin
from dpratio.errors import InvalidInput

__all__ = ["Sqlite"]

_double = builtin("dpratio_double", "string", "float64")
_as_day = builtin("dpratio_written", "string", "date")
_as_time = builtin("dpratio_written", "string", "timestamp")
_utf8 = builtin("dpratio_utf8", "binary", "binary")
_day = builtin("dpratio_day", "binary", "int64")
_iso = builtin("dpratio_iso", "int64", "binary")
_number = builtin("dpratio_number", "binary", "int64")
_remainder = builtin("dpratio_remainder", "int64 int64", "int64")
_digest = builtin("dpratio_digest", "string binary binary", "string")

# Ibis itself replaces this one, which we do not call.
_IBIS = {"like"}


class Sqlite(Dialect):
    """SQLite: each cell says itself what it is."""

    times_are_text = True
    decimals_are_doubles = True

    def check(self, backend: Backend) -> None:
        if backend.con.in_transaction:
            raise InvalidInput(
                "a table is read outside of transactions, got a connection with one "
                "that is open. Commit it first, or roll it back."
            )
        [encoding] = backend.con.execute("PRAGMA encoding").fetchone()
        require_utf8(encoding.replace("UTF-8", "UTF8"))
        functions: dict[str, tuple[int, Any]] = {
            "dpratio_double": (1, float),
            "dpratio_written": (1, str),
            "dpratio_utf8": (1, _as_utf8),
            "dpratio_day": (1, _day_of),
            "dpratio_iso": (1, lambda day: date_of(day).isoformat().encode()),
            "dpratio_number": (1, lambda text: number_of_id(text.decode())),
            "dpratio_remainder": (2, operator.mod),
            "dpratio_digest": (3, _digest_of),
        }
        for name, (takes, function) in functions.items():
            backend.con.create_function(name, takes, function, deterministic=True)

    def check_given(self, backend: Backend, rows: Value) -> None:
        _require_own_functions(backend)
        require_once(tables_of(backend, rows))

    def find(self, backend: Backend, names: Sequence[str]) -> Value:
        # Ibis would look at the first row for the type of a column without one.
        *outer, name = names
        schema = outer[0] if outer else "main"
        declared = _declared(backend, schema, name)
        known = {column: _known(backend, given) for column, given in declared.items()}
        namespace = ops.Namespace(catalog=None, database=schema)
        table = ops.DatabaseTable(name, ibis.schema(known), backend, namespace)
        return table.to_expr()

    def types(self, rows: Value) -> dict[str, ColumnType]:
        types = super().types(rows)
        table = rows.op()
        if not isinstance(table, ops.DatabaseTable):
            return types
        schema = table.namespace.database or "main"
        declared = _declared(table.source, schema, table.name)
        untyped = {
            name: ColumnType("any", "of no declared type")
            for name, given in declared.items()
            if not given
        }
        return {**types, **untyped}

    @contextmanager
    def snapshot(self, backend: Backend) -> Iterator[None]:
        @contextmanager
        def part() -> Iterator[sqlite3.Cursor]:
            with closing(backend.con.cursor()) as cursor:
                yield cursor

        backend.con.execute("BEGIN")
        # Ibis hands keys over in a transaction, and would end this one with it.
        backend.begin = part
        try:
            yield
        finally:
            del backend.begin
            backend.con.commit()

    def ask(self, backend: Backend, asked: Value) -> dict[str, list[Any]]:
        def work() -> dict[str, list[Any]]:
            return self.fetch(backend, asked)

        # A connection of others may be bound to the thread that made it.
        is_free = stoppable(lambda: _may_cross(backend.con), None)
        return stoppable(work, backend.con.interrupt) if is_free else work()

    def fetch(self, backend: Backend, asked: Value) -> dict[str, list[Any]]:
        # Its parser gives up on selects within selects; those in a row it takes.
        backend._run_pre_execute_hooks(asked)  # noqa: SLF001
        query = eliminate_subqueries(backend.compiler.to_sqlglot(asked.unbind()))
        found = backend.con.execute(query.sql("sqlite"))
        return by_name([each[0] for each in found.description], found.fetchall())

    def double(self, value: float) -> Value:
        return _double(repr(value))

    def constant(self, written: str) -> Value:
        # Left as digits: its parser does not round as ours does.
        return ibis.literal(float(written), "float64")

    def moment(self, written: str, kind: Any) -> Value:  # noqa: ANN401
        return _as_day(written) if kind.is_date() else _as_time(written)

    def number(self, column: Value) -> Value:
        is_number = column.typeof().isin(["integer", "real"])
        return ibis.cases((is_number, column.cast("float64")))

    def floor(self, value: Value) -> Value:
        # Cut towards zero, and one less where that was up.
        cut = value.cast("int64").cast("float64")
        return ibis.cases((value < cut, cut - self.double(1.0)), else_=cut)

    def encoded(self, column: Value) -> Value:
        return ibis.cases((column.typeof() == "text", column.cast("binary")))

    def text(self, column: Value) -> Value:
        return _utf8(self.encoded(column))

    def whole(self, column: Value) -> Value:
        return ibis.cases((column.typeof() == "integer", column.cast("int64")))

    def truth(self, column: Value) -> Value:
        return ibis.cases((self.whole(column) == 1, 1), (self.whole(column) == 0, 0))

    def day(self, column: Value) -> Value:
        return _day(self.text(column))

    def unit(self, column: Value) -> Value:
        is_id = column.typeof().isin(["integer", "text"])
        return ibis.cases((is_id, _utf8(column.cast("string").cast("binary"))))

    def text_number(self, text: Value, hashed: Value) -> Value:  # noqa: ARG002
        return _number(text)

    def remainder(self, number: Value, by: int) -> Value:
        # MOD of SQLite works in doubles.
        return _remainder(number, by)

    def digest(self, key: str, place: Value, unit: Value) -> Value:
        return _digest(key, place, unit)

    def iso_day(self, day: Value) -> Value:
        return _iso(day)


def _may_cross(connection: sqlite3.Connection) -> bool:
    """Tell whether a connection may be used in the thread that asks."""
    try:
        connection.cursor().close()
    except sqlite3.ProgrammingError:
        return False
    return True


def _require_own_functions(backend: Backend) -> None:
    """Refuse a connection with a function in the place of one of SQLite's own."""
    listed = backend.con.execute("SELECT name, builtin FROM pragma_function_list")
    functions = [(name.lower(), is_own) for name, is_own in listed.fetchall()]
    own = {name for name, is_own in functions if is_own}
    others = sorted({name for name, is_own in functions if not is_own} & own - _IBIS)
    if others:
        raise InvalidInput(
            f"a function means what SQLite says, got a connection with a function "
            f"'{others[0]}' of its own in its place. Give that another name, or open "
            "the table on another connection."
        )


def _declared(backend: Backend, schema: str, table: str) -> dict[str, str]:
    """Give the declared type of every column, empty where it has none."""
    found = backend.con.execute(
        "SELECT name, type FROM pragma_table_info(?, ?)", (table, schema)
    )
    return dict(found.fetchall())


def _known(backend: Backend, declared: str) -> Any:  # noqa: ANN401 (Ibis is not typed)
    """Translate a declared type; text stands for any."""
    try:
        return backend.compiler.type_mapper.from_string(declared or "text")
    except (com.IbisError, SqlglotError, ValueError):
        return ibis.dtype("string")


def _as_utf8(text: bytes | None) -> bytes | None:
    try:
        return None if text is None else text.decode().encode()
    except UnicodeDecodeError:
        return None


def _day_of(text: bytes | None) -> int | None:
    day = None if text is None else day_in_text(text.decode())
    return None if day is None else day_number(day)


def _digest_of(key: str, place: bytes, unit: bytes) -> str:
    text = key.encode() + b":" + place + b":" + unit
    return hashlib.md5(text, usedforsecurity=False).hexdigest()
