"""The conditions of a source over files: DuckDB keeps each row by its own cells.

DuckDB must not use them to skip parts of a file: the statistics in a file may be wrong,
and ignore NaN. A row would then be kept or dropped by what other rows hold. Proof:
docs/proofs/warehouse.md.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import ibis

from dpratio.curator.duckdb.sources import open_duck
from dpratio.curator.reading.statement import UnitRule
from dpratio.curator.reading.table import Asked, Columns, DuckTable, Tables
from dpratio.curator.warehouse.conditions import write_condition
from dpratio.curator.warehouse.dialect import Dialect
from dpratio.errors import SchemaRefused
from dpratio.terms.source import CsvFile, ParquetFiles

# Types of DuckDB that are compared as every engine compares them.
_TYPES = {
    "BOOLEAN": "boolean",
    "TINYINT": "int8",
    "SMALLINT": "int16",
    "INTEGER": "int32",
    "BIGINT": "int64",
    "UTINYINT": "uint8",
    "USMALLINT": "uint16",
    "UINTEGER": "uint32",
    "FLOAT": "float32",
    "DOUBLE": "float64",
    "VARCHAR": "string",
    "DATE": "date",
    "TIMESTAMP": "timestamp(6)",
    "TIMESTAMP WITH TIME ZONE": "timestamp('UTC', 6)",
}
_OF_FILES = "given_files"  # The source of a table that DuckDB reads itself.
_ROWS = "given_rows"
_EACH_ROW = "SET disabled_optimizers = 'statistics_propagation, filter_pushdown'; "


@dataclass(frozen=True, slots=True)
class _Reading:
    """A question that reads the columns of a condition, too."""

    columns: list[str]
    numbers: list[str]
    unit: UnitRule | None


def open_kept(source: CsvFile | ParquetFiles, asked: Asked) -> DuckTable:
    """Open files of which conditions keep some rows.

    Raises:
        SchemaRefused: When a condition does more than compare columns with constants of
            their type, beside what `open_duck` refuses.

    Guarantee:
        A row is kept or dropped by its own cells. Proof: docs/proofs/warehouse.md.
    """
    named = [condition[0] for condition in source.where]
    columns = list(dict.fromkeys([*asked.columns, *named]))
    reading = _Reading(columns, asked.numbers, asked.unit)
    opened = open_duck(source, reading)  # type: ignore[arg-type]  # read alike
    # Others are handed over by PyArrow, which makes days of times.
    if isinstance(source, ParquetFiles) and opened.source != _OF_FILES:
        raise SchemaRefused(
            "where is not for files of which a column that is read has times in "
            "milliseconds or of 96 bits.",
            field="where",
        )
    own = {
        name: (short, _TYPES[type_])
        for name, (short, type_) in opened.columns.items()
        if type_ in _TYPES and opened.types[name].kind != "other"
    }
    for name in named:
        if name in opened.types and name not in own:
            raise SchemaRefused(
                f"where does not compare columns of {opened.types[name].name} in "
                f"files, got '{name}'.",
                field=name,
            )
    rows = ibis.table(dict(own.values()), name=_ROWS)
    cells = {name: rows[short] for name, (short, _) in own.items()}
    dialect = Dialect()
    tests = [
        write_condition(dialect, cells, {}, condition) for condition in source.where
    ]
    kept = rows.filter(*tests)
    written = ibis.to_sql(kept, dialect="duckdb", pretty=False)
    whole = f"SELECT * FROM {opened.source}"  # noqa: S608 (a source of ours)
    held = f"(WITH {_ROWS} AS ({whole}) {written})"
    return replace(opened, source=held, ask=_each_row(opened.ask))


def _each_row(
    ask: Callable[[str, Tables], Columns],
) -> Callable[[str, Tables], Columns]:
    return lambda query, tables: ask(f"{_EACH_ROW}{query}", tables)
