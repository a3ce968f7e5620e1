"""Tables in files of DuckDB: found as elsewhere, added up by `curator/duckdb`.

An expression becomes a relation of its connection when rows are asked for, after the
charge.
"""

from dpratio.curator.duckdb.sources import open_given
from dpratio.curator.reading.exact import ExactSums
from dpratio.curator.reading.statement import KeyCount, Reading
from dpratio.curator.reading.table import Asked
from dpratio.curator.silence import silence
from dpratio.curator.sql import ask
from dpratio.curator.sql.duckdb import duckdb_table
from dpratio.curator.sql.table import Table
from dpratio.curator.warehouse.tables import WarehouseTable
from dpratio.terms.groups import Key


def aggregate(table: WarehouseTable, reading: Reading) -> list[ExactSums]:
    """Add up the cells of every group, for each statement."""
    with silence():
        return ask.aggregate(_bound(table, reading), reading)


def count_keys(table: WarehouseTable, asked: KeyCount) -> dict[Key, int]:
    """Count the units of every key that a column holds."""
    with silence():
        return ask.count_keys(_bound(table, asked), asked)


def _bound(table: WarehouseTable, asked: Asked) -> Table:
    relation = table.backend._to_duckdb_relation(table.rows)  # noqa: SLF001
    return duckdb_table(open_given(relation, asked, table.backend.con.interrupt))
