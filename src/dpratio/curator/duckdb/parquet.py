"""Opening Parquet files for DuckDB, so that no cell of them stops it.

DuckDB stops at text that is not UTF-8, and at times in milliseconds that it cannot
count in microseconds. If it stops, text is read again, and broken cells are missing.
PyArrow reads columns of such times, and of the old times of 96 bits.
"""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb

from dpratio.checks import import_extra
from dpratio.curator.duckdb.frames import open_frame
from dpratio.curator.duckdb.table import (
    Asked,
    Columns,
    DuckTable,
    Tables,
    connect,
    file_list,
    identifier,
    literal,
    run_on,
)
from dpratio.curator.duckdb.types import as_named, schema_of
from dpratio.curator.noise.entropy import fresh_id
from dpratio.curator.reading.arrow_cells import arrow_plain
from dpratio.curator.reading.files import require_same_schema, shown
from dpratio.curator.reading.parquet_cells import (
    is_whole_decimal,
    parquet_batches,
    parquet_types,
)
from dpratio.curator.reading.partitions import (
    find_parquet,
    require_apart,
    values_of,
)
from dpratio.curator.reading.statement import ColumnType
from dpratio.errors import FileRefused
from dpratio.terms.groups import Key
from dpratio.terms.source import ParquetFiles, Partitions

# A name that nobody has: the file of a row, by its full name.
_FILE = f"file_{fresh_id()}"

# What folders say is read as these.
_TYPES = {"text": "VARCHAR", "integer": "BIGINT", "boolean": "BOOLEAN", "date": "DATE"}

_UUID = ("FIXED_LEN_BYTE_ARRAY", "16")


@dataclass(frozen=True, slots=True)
class _Stored:
    """The type of a column for DuckDB, and whether its cells may stop it."""

    type_: str
    is_refused: bool
    is_for_arrow: bool

    @classmethod
    def of(cls, type_: str, *element: object) -> "_Stored":
        """Judge a column by what the footer says of it."""
        physical, length, precision, logical = map(str, element)
        is_decimal = "decimal" in logical.lower()
        whole = type_.startswith("DECIMAL") and is_whole_decimal(
            physical, int(length), int(precision)
        )
        # Text of a fixed length is none to PyArrow.
        is_fixed = physical == "FIXED_LEN_BYTE_ARRAY" and type_ == "VARCHAR"
        millis = "TIMESTAMP_MILLIS" in logical or (
            "TimestampType" in logical and "MILLIS=<null>" not in logical
        )
        # A footer may call bytes of any length so, and DuckDB stops at others.
        is_odd = type_ == "UUID" and (physical, length) != _UUID
        is_refused = is_fixed or is_odd or (is_decimal and not whole)
        return cls(type_, is_refused, millis or physical == "INT96")


def open_parquet(source: ParquetFiles, statement: Asked) -> DuckTable:
    """Open a Parquet file, or all files of a glob or a folder.

    Raises:
        FileRefused: When a footer cannot be read.
        SchemaRefused: When files differ in their schema.
    """
    files, partitions = find_parquet(source.path), source.partitions
    connection = connect()
    schemas = [_schema(connection, file) for file in files]
    require_same_schema(files, [list(each.items()) for each in schemas])
    stored = schemas[0]
    asked = [name for name in statement.columns if name in stored]
    if any(stored[name].is_for_arrow for name in asked):
        return _through_arrow(files, statement, partitions)
    types = {name: each.type_ for name, each in stored.items()}
    texts = [name for name in asked if types[name] == "VARCHAR"]
    ask = _ask(connection, files, asked, texts, partitions)
    require_apart(dict.fromkeys(types, ColumnType("other", "")), partitions)
    types |= {name: _TYPES[kind] for name, kind in partitions}
    opened = as_named(types, statement, "given_files", ask)
    refused = {
        name: ColumnType("other", each.type_)
        for name, each in stored.items()
        if each.is_refused
    }
    return replace(opened, types={**opened.types, **refused})


def _schema(connection: duckdb.DuckDBPyConnection, file: str) -> dict[str, _Stored]:
    schema = None
    with contextlib.suppress(duckdb.Error):
        types = schema_of(connection.sql(f"SELECT * FROM {_read([file])}"))
        elements = _elements(connection, file)
        schema = {
            name: _Stored.of(type_, *element)
            for (name, type_), element in zip(types.items(), elements, strict=True)
        }
    if schema is None:
        raise FileRefused(f"the Parquet footer of '{shown(file)}' cannot be read.")
    return schema


def _elements(
    connection: duckdb.DuckDBPyConnection, file: str
) -> list[tuple[object, ...]]:
    """List what the footer says of each column; of nested ones, of the whole."""
    listed = connection.execute(
        "SELECT coalesce(num_children, 0), type, coalesce(type_length, '0'), "
        "coalesce(precision, 0), concat(converted_type, logical_type) "
        f"FROM parquet_schema({file_list([file])})"
    ).fetchall()
    columns, parts = [], 0
    for children, *element in listed[1:]:
        if parts == 0:
            columns.append(tuple(element))
        else:
            parts -= 1
        parts += children
    return columns


def _ask(
    connection: duckdb.DuckDBPyConnection,
    files: Sequence[str],
    asked: Sequence[str],
    texts: Sequence[str],
    partitions: Partitions,
) -> Callable[[str, Tables], Columns]:
    """Make the function that asks the files, again where text stops DuckDB."""
    run, view = run_on(connection), "CREATE OR REPLACE TEMP VIEW given_files AS"

    def ask(query: str, tables: Tables) -> Columns:
        read = f"SELECT * FROM {_read(files, named=bool(partitions))}"
        connection.execute(f"{view} {_with_partitions(read, files, partitions)}")
        with contextlib.suppress(duckdb.InvalidInputException):
            return run(query, tables)
        read = _mended(files, asked, texts, named=bool(partitions))
        connection.execute(f"{view} {_with_partitions(read, files, partitions)}")
        return run(query, tables)

    return ask


def _with_partitions(read: str, files: Sequence[str], partitions: Partitions) -> str:
    """Put what folders say of its rows beside each file; no row is lost or doubled."""
    if not partitions:
        return read
    told = [values_of(file, partitions) for file in files]
    names = [str(Path(file).absolute()) for file in files]
    columns = [f"unnest([{', '.join(map(literal, names))}]) AS file"]
    for at, (name, kind) in enumerate(partitions):
        cells = ", ".join(_literal(row[at]) for row in told)
        columns.append(f"unnest([{cells}]::{_TYPES[kind]}[]) AS {identifier(name)}")
    chosen = ", ".join(f"told.{identifier(name)}" for name, _ in partitions)
    return (
        f"SELECT inner_rows.*, {chosen} FROM ({read}) AS inner_rows "
        f"LEFT JOIN (SELECT {', '.join(columns)}) AS told "
        f"ON inner_rows.{_FILE} = told.file"
    )


def _literal(value: Key) -> str:
    return "NULL" if value is None else literal(str(value))


def _mended(
    files: Sequence[str],
    asked: Sequence[str],
    texts: Sequence[str],
    *,
    named: bool = False,
) -> str:
    """Read text twice: a broken cell is another one with marks than without."""
    asked = [*asked, *([_FILE] if named else [])]
    names = {name: identifier(name) for name in asked}
    cells = [
        f"CASE WHEN marked.{short} = cut.{short} THEN cut.{short} END AS {short}"
        if name in texts
        else f"marked.{short}"
        for name, short in names.items()
    ]
    chosen = ", ".join(names.values())
    marked, cut = (
        f"(SELECT {chosen} FROM {_read(files, text, named=named)})"
        for text in ("replace", "ignore")
    )
    return f"SELECT {', '.join(cells)} FROM {marked} marked POSITIONAL JOIN {cut} cut"


def _read(files: Sequence[str], text: str = "strict", *, named: bool = False) -> str:
    """Write how files are read; folders give DuckDB no columns."""
    name = f"filename = '{_FILE}', " if named else ""
    return (
        f"read_parquet({file_list(files)}, hive_partitioning = false, {name}"
        f"utf8_validation = '{text}')"
    )


def _through_arrow(
    files: Sequence[str], statement: Asked, partitions: Partitions
) -> DuckTable:
    """Let PyArrow read the files, and hand its columns over, some rows at a time."""
    arrow = import_extra("pyarrow", "arrow")

    def hand_over(names: dict[str, str]) -> Any:  # noqa: ANN401
        batches = (
            arrow.RecordBatch.from_arrays(
                [arrow_plain(each) for each in batch], names=list(names.values())
            )
            for batch in parquet_batches(files, list(names), partitions)
        )
        return arrow.RecordBatchReader.from_batches(next(batches).schema, batches)

    types = require_apart(parquet_types(files), partitions)
    return open_frame(types, statement, hand_over)
