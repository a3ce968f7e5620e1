"""Tables in files of DuckDB: conditions as elsewhere, sums by `curator/duckdb`.

An expression becomes a relation of its connection when rows are asked for, after the
charge.
"""

from contextlib import AbstractContextManager

from dpratio.curator.duckdb import engine
from dpratio.curator.duckdb.sources import open_given
from dpratio.curator.duckdb.table import Asked, DuckTable
from dpratio.curator.reading.exact import ExactSums
from dpratio.curator.reading.files import unchanged
from dpratio.curator.reading.statement import KeyCount, Reading
from dpratio.curator.silence import silence
from dpratio.curator.warehouse.dialect import Backend, Dialect
from dpratio.curator.warehouse.tables import WarehouseTable
from dpratio.terms.dimensions import Key

__all__ = ["DuckDb", "aggregate", "count_keys"]

_ATTACHED = "SELECT path FROM duckdb_databases() WHERE path IS NOT NULL"
# Of a database: the file, and what was written since it was last put in order.
_ENDS = ("", ".wal")


class DuckDb(Dialect):
    """Files of DuckDB, whose rows `curator/duckdb` adds up."""

    def snapshot(self, backend: Backend) -> AbstractContextManager[None]:
        # Attached for reading, a file keeps other processes from writing to it, unless
        # its file system has no locks or this process closes it somewhere else.
        attached = backend.con.execute(_ATTACHED).fetchall()
        return unchanged(
            lambda: [f"{path}{end}" for (path,) in attached for end in _ENDS]
        )


def aggregate(table: WarehouseTable, reading: Reading) -> list[ExactSums]:
    """Add up the cells of every group, for each statement."""
    with silence():
        return engine.aggregate(_bound(table, reading), reading)


def count_keys(table: WarehouseTable, asked: KeyCount) -> dict[Key, int]:
    """Count the units of every key that a column holds."""
    with silence():
        return engine.count_keys(_bound(table, asked), asked)


def _bound(table: WarehouseTable, asked: Asked) -> DuckTable:
    relation = table.backend._to_duckdb_relation(table.rows)  # noqa: SLF001
    return open_given(relation, asked, table.backend.con.interrupt)
