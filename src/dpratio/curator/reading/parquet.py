"""Parquet files, so that no cell of them stops DuckDB.

DuckDB stops at text that is not UTF-8, and at times in milliseconds that it cannot
count in microseconds. If it stops, text is read again, and broken cells are missing.
PyArrow reads columns of such times, and of the old times of 96 bits. How a column is
stored decides more than its type: what could stop a reader at a single cell, decimals
of any length for instance, is refused by what the footer says.
"""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb

from dpratio.checks import import_extra
from dpratio.curator.noise.entropy import fresh_id
from dpratio.curator.reading.arrow import (
    UNFIT,
    arrow_plain,
    kind_of_arrow,
    stored_as,
)
from dpratio.curator.reading.files import (
    find_parquet,
    require_same_schema,
    shown,
    values_of,
)
from dpratio.curator.reading.statement import ColumnType
from dpratio.curator.reading.table import (
    Asked,
    Columns,
    DuckTable,
    as_named,
    connect,
    file_list,
    identifier,
    literal,
    run_on,
    schema_of,
)
from dpratio.errors import FileRefused, SchemaRefused
from dpratio.terms.groups import Key
from dpratio.terms.source import ParquetFiles, Partitions

# A name that nobody has: the file of a row, by its full name.
_FILE = f"file_{fresh_id()}"

# What folders say is read as these.
_TYPES = {"text": "VARCHAR", "integer": "BIGINT", "boolean": "BOOLEAN", "date": "DATE"}

_UUID = ("FIXED_LEN_BYTE_ARRAY", 16)
_MOST_DIGITS = 38
_MOST_BYTES = 16


@dataclass(frozen=True, slots=True)
class _Stored:
    """The type of a column for DuckDB, why it is refused, and who reads it."""

    type_: str
    refused_as: str  # A kind of ColumnType; empty for a column that is read.
    is_for_arrow: bool


def open_parquet(source: ParquetFiles, asked: Asked) -> DuckTable:
    """Open a Parquet file, or all files of a glob or a folder.

    Raises:
        FileRefused: When a footer cannot be read.
        SchemaRefused: When files differ in their schema.
    """
    files, partitions = find_parquet(source.path), source.partitions
    connection = connect()
    schemas = [_schema(connection, file) for file in files]
    require_same_schema(files, [list(schema.items()) for schema in schemas])
    stored = schemas[0]
    _require_apart(stored, partitions)
    types = {name: column.type_ for name, column in stored.items()}
    types |= {name: _TYPES[kind] for name, kind in partitions}
    named = [name for name in asked.columns if name in stored]
    texts = [name for name in named if types[name] == "VARCHAR"]
    ask = _ask(connection, files, named, texts, partitions)
    refused = {
        name: ColumnType(column.refused_as, column.type_)
        for name, column in stored.items()
        if column.refused_as
    }
    opened = as_named(types, asked, "given_files", ask)
    opened = replace(opened, types={**opened.types, **refused})
    if any(stored[name].is_for_arrow for name in named):
        return _through_arrow(files, opened.types, asked, partitions)
    return opened


def is_whole_decimal(physical: str, length: int, precision: int) -> bool:
    """Whether every cell of a decimal column fits what readers keep it in.

    Example:
        >>> is_whole_decimal("INT64", 0, 18), is_whole_decimal("BYTE_ARRAY", 0, 18)
        (True, False)
    """
    is_fixed = physical == "FIXED_LEN_BYTE_ARRAY" and length <= _MOST_BYTES
    return (physical in {"INT32", "INT64"} or is_fixed) and precision <= _MOST_DIGITS


def _require_apart(types: Mapping[str, object], partitions: Partitions) -> None:
    """Raise SchemaRefused if files hold a column that their folders are to tell."""
    # Some engines take "Year" and "year" for one column.
    taken = {name.lower() for name in types}
    for name, _ in partitions:
        if name.lower() in taken:
            raise SchemaRefused(
                f"column '{name}' is declared under partitions, and the files hold a "
                "column of that name. Leave it out there."
            )


def _schema(connection: duckdb.DuckDBPyConnection, file: str) -> dict[str, _Stored]:
    schema = None
    with contextlib.suppress(duckdb.Error):
        types = schema_of(connection.sql(f"SELECT * FROM {_read([file])}"))
        elements = _elements(connection, file)
        # Of two columns of one name DuckDB gives the second another.
        repeated = Counter(name for name, *_ in elements)
        schema = {
            name: _stored(type_, *element, is_repeated=repeated[own_name] > 1)
            for (name, type_), (own_name, *element) in zip(
                types.items(), elements, strict=True
            )
        }
    if schema is None:
        raise FileRefused(f"the Parquet footer of '{shown(file)}' cannot be read.")
    return schema


def _elements(connection: duckdb.DuckDBPyConnection, file: str) -> list[Any]:
    """Return what the footer says of each column; of nested ones, of the whole."""
    listed = connection.execute(
        "SELECT coalesce(num_children, 0), name, coalesce(type, ''), "
        "CAST(coalesce(type_length, '0') AS INTEGER), "
        "CAST(coalesce(precision, 0) AS INTEGER), concat(converted_type, logical_type) "
        f"FROM parquet_schema({file_list([file])})"
    ).fetchall()
    columns: list[Any] = []
    parts = 0
    for children, *element in listed[1:]:
        if parts == 0:
            columns.append(element)
        else:
            parts -= 1
        parts += children
    return columns


def _stored(
    type_: str,
    physical: str,
    length: int,
    precision: int,
    logical: str,
    *,
    is_repeated: bool,
) -> _Stored:
    """Judge a column by what the footer says of it."""
    is_whole = type_.startswith("DECIMAL") and is_whole_decimal(
        physical, length, precision
    )
    # Text of a fixed length is none to PyArrow.
    is_fixed = physical == "FIXED_LEN_BYTE_ARRAY" and type_ == "VARCHAR"
    is_millis = "TIMESTAMP_MILLIS" in logical or (
        "TimestampType" in logical and "MILLIS=<null>" not in logical
    )
    # A footer may call bytes of any length so, and DuckDB stops at others.
    is_odd = type_ == "UUID" and (physical, length) != _UUID
    is_unfit = is_fixed or is_odd or ("decimal" in logical.lower() and not is_whole)
    refused_as = "repeated" if is_repeated else "other" if is_unfit else ""
    return _Stored(type_, refused_as, is_millis or physical == "INT96")


def _ask(
    connection: duckdb.DuckDBPyConnection,
    files: Sequence[str],
    names: Sequence[str],
    texts: Sequence[str],
    partitions: Partitions,
) -> Callable[[str], Columns]:
    """Return what asks the files, and asks them again where text stops DuckDB."""
    run, view = run_on(connection), "CREATE OR REPLACE TEMP VIEW given_files AS"

    def ask(query: str) -> Columns:
        read = f"SELECT * FROM {_read(files, named=bool(partitions))}"
        connection.execute(f"{view} {_with_partitions(read, files, partitions)}")
        with contextlib.suppress(duckdb.InvalidInputException):
            return run(query)
        read = _mended(files, names, texts, named=bool(partitions))
        connection.execute(f"{view} {_with_partitions(read, files, partitions)}")
        return run(query)

    return ask


def _with_partitions(read: str, files: Sequence[str], partitions: Partitions) -> str:
    """Put what folders say of its rows beside each file; no row is lost or doubled."""
    if not partitions:
        return read
    values = [values_of(file, partitions) for file in files]
    names = [str(Path(file).absolute()) for file in files]
    columns = [f"unnest([{', '.join(map(literal, names))}]) AS file"]
    for place, (name, kind) in enumerate(partitions):
        cells = ", ".join(_literal(row[place]) for row in values)
        columns.append(f"unnest([{cells}]::{_TYPES[kind]}[]) AS {identifier(name)}")
    chosen = ", ".join(f"folders.{identifier(name)}" for name, _ in partitions)
    return (
        f"SELECT inner_rows.*, {chosen} FROM ({read}) AS inner_rows "
        f"LEFT JOIN (SELECT {', '.join(columns)}) AS folders "
        f"ON inner_rows.{_FILE} = folders.file"
    )


def _literal(value: Key) -> str:
    return "NULL" if value is None else literal(str(value))


def _mended(
    files: Sequence[str], names: Sequence[str], texts: Sequence[str], *, named: bool
) -> str:
    """Read text twice: a broken cell is another one with marks than without."""
    cells, chosen = [], []
    for name in [*names, *([_FILE] if named else [])]:
        short = identifier(name)
        chosen.append(short)
        both = f"CASE WHEN marked.{short} = cut.{short} THEN cut.{short} END AS {short}"
        cells.append(both if name in texts else f"marked.{short}")
    marked, cut = (
        f"(SELECT {', '.join(chosen)} FROM {_read(files, text, named=named)})"
        for text in ("replace", "ignore")
    )
    return f"SELECT {', '.join(cells)} FROM {marked} marked POSITIONAL JOIN {cut} cut"


def _read(files: Sequence[str], text: str = "strict", *, named: bool = False) -> str:
    """Return the SQL that reads files; folders give DuckDB no columns."""
    name = f"filename = '{_FILE}', " if named else ""
    return (
        f"read_parquet({file_list(files)}, hive_partitioning = false, {name}"
        f"utf8_validation = '{text}')"
    )


def _through_arrow(
    files: Sequence[str],
    types: Mapping[str, ColumnType],
    asked: Asked,
    partitions: Partitions,
) -> DuckTable:
    """Let PyArrow read the files, and hand its columns over, some rows at a time."""
    arrow = import_extra("pyarrow", "arrow")
    schemas = [_arrow_schema(file) for file in files]
    require_same_schema(files, schemas)
    empty = {
        field.name: _as_text(arrow.array([], field.type))
        for field in schemas[0]
        if field.name in asked.columns and types[field.name].kind not in UNFIT
    }
    # A type that PyArrow reads from notes of its own is not what DuckDB reads.
    types = dict(types) | {
        name: ColumnType("other", types[name].name)
        for name, column in empty.items()
        if kind_of_arrow(column.type) != types[name].kind
    }
    names = {name: f"{_FILE}_{place}" for place, name in enumerate(empty)}
    columns = {name: (short, stored_as(types[name])) for name, short in names.items()}
    columns |= {name: (name, _TYPES[kind]) for name, kind in partitions}
    fields = {names[name]: arrow_plain(column).type for name, column in empty.items()}
    fields |= {_FILE: arrow.string()} if partitions else {}

    def batches() -> Iterator[Any]:
        for file in files:
            path = str(Path(file).absolute())
            for batch in _parquet_file(file).iter_batches(columns=list(names)):
                read = [arrow_plain(_as_text(batch.column(name))) for name in names]
                read += [arrow.repeat(path, batch.num_rows)] if partitions else []
                yield arrow.RecordBatch.from_arrays(read, names=list(fields))

    def ask(query: str) -> Columns:
        connection = connect()
        reader = arrow.RecordBatchReader.from_batches(arrow.schema(fields), batches())
        connection.register("given_batches", reader)
        rows = _with_partitions("SELECT * FROM given_batches", files, partitions)
        connection.execute(f"CREATE TEMP VIEW given AS {rows}")
        return run_on(connection)(query)

    return DuckTable(types, columns, "given", ask)


def _parquet_file(file: str) -> Any:  # noqa: ANN401 (PyArrow is optional)
    # Old times as microseconds: nanoseconds would hold but few years.
    parquet = import_extra("pyarrow.parquet", "arrow")
    return parquet.ParquetFile(file, coerce_int96_timestamp_unit="us")


def _arrow_schema(file: str) -> Any:  # noqa: ANN401
    schema = None
    with contextlib.suppress(Exception), _parquet_file(file) as opened:
        schema = opened.schema_arrow
    if schema is None:
        raise FileRefused(f"the Parquet footer of '{shown(file)}' cannot be read.")
    return schema


def _as_text(column: Any) -> Any:  # noqa: ANN401
    """Return bytes that Parquet calls text or UUIDs as these."""
    arrow = import_extra("pyarrow", "arrow")
    if arrow.types.is_fixed_size_binary(column.type) and hasattr(arrow, "uuid"):
        return arrow.ExtensionArray.from_storage(arrow.uuid(), column)
    is_bytes = arrow.types.is_binary(column.type)
    return column.view(arrow.string()) if is_bytes else column
