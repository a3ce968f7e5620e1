"""The condition of a study over files: rows are kept by DuckDB, each by its own cells.

It is read as over a table, and written anew. DuckDB must not use it to
skip parts of a file: the statistics in a file may be wrong, and ignore NaN. A row would
then be kept or dropped by what other rows hold. Proof: docs/proofs/warehouse.md.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import ibis
from sqlglot import expressions as sql

from dpratio.curator.duckdb.sources import open_duck
from dpratio.curator.duckdb.table import Asked, Columns, DuckTable, Tables
from dpratio.curator.reading.statement import UnitRule
from dpratio.curator.warehouse.database.conditions import (
    NotPlainError,
    condition_over,
    read_where,
    refuse_where,
    require_plain,
)
from dpratio.curator.warehouse.dialect import Dialect
from dpratio.terms.source import CsvFile, ParquetFiles

__all__ = ["open_kept"]

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
    """Open files of which a condition keeps some rows.

    Raises:
        SchemaRefused: When the condition does more than compare columns with constants
            of their type, beside what `open_duck` refuses.

    Guarantee:
        A row is kept or dropped by its own cells. Proof: docs/proofs/warehouse.md.
    """
    what = ""
    try:
        condition = read_where(str(source.where), "duckdb")
        named = [each.name for each in condition.find_all(sql.Column)]
        reading = _Reading(
            list(dict.fromkeys([*asked.columns, *named])),
            asked.numbers,
            asked.unit,
        )
        opened = open_duck(source, reading)  # type: ignore[arg-type]  # read alike
        return _kept(opened, condition)
    except NotPlainError as error:
        what = str(error)
    return refuse_where(what)


def _kept(opened: DuckTable, condition: sql.Expression) -> DuckTable:
    is_text = any(each.kind == "csv" for each in opened.types.values())
    has_null = condition.find(sql.Is) is not None
    require_plain(not (is_text and has_null), "IS NULL of text files, which have none")
    # Others are handed over by PyArrow, which makes days of times.
    is_own = is_text or opened.source == _OF_FILES
    require_plain(is_own, "times in milliseconds or of 96 bits beside it")
    own = {
        name: (short, _TYPES[type_])
        for name, (short, type_) in opened.columns.items()
        if type_ in _TYPES and opened.types[name].kind != "other"
    }
    for each in condition.find_all(sql.Column):
        name = opened.types[each.name].name if each.name in opened.types else ""
        is_known = not name or each.name in own
        require_plain(is_known, f"a comparison of a column of {name}")
    rows = ibis.table(dict(own.values()), name=_ROWS)
    columns = {name: rows[short] for name, (short, _) in own.items()}
    kept = rows.filter(condition_over(Dialect(), columns, {}, condition))
    written = ibis.to_sql(kept, dialect="duckdb", pretty=False)
    whole = f"SELECT * FROM {opened.source}"  # noqa: S608 (a source of ours)
    source = f"(WITH {_ROWS} AS ({whole}) {written})"
    return replace(opened, source=source, ask=_each_row(opened.ask), footers="")


def _each_row(
    ask: Callable[[str, Tables], Columns],
) -> Callable[[str, Tables], Columns]:
    return lambda query, tables: ask(f"{_EACH_ROW}{query}", tables)
