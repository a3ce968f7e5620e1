"""Tables opened as rows of Python values, for the engine in plain loops.

Floor: curator. Imports: errors, checks, terms, csv_lines, days, engine, files, frames,
read_once, tables.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any

from dpratio.checks import import_extra
from dpratio.curator.csv_lines import line_cells, read_header
from dpratio.curator.days import arrow_days, polars_days
from dpratio.curator.engine import ColumnType
from dpratio.curator.files import find_files
from dpratio.curator.frames import (
    arrow_types,
    pandas_cells,
    pandas_types,
    polars_types,
)
from dpratio.curator.read_once import lazy_reads, require_once
from dpratio.curator.tables import kind_of, refuse_kind
from dpratio.errors import FileRefused, SchemaRefused
from dpratio.terms.source import CsvFile

__all__ = ["RowTable", "open_rows", "same_headers"]


@dataclass(frozen=True, slots=True)
class RowTable:
    """A table with its public schema; rows are read only when asked for."""

    types: Mapping[str, ColumnType]
    read: Callable[[Sequence[str]], Iterator[tuple[Any, ...]]]


def open_rows(source: object) -> RowTable:
    """Open any source that Python can read row by row.

    Raises:
        FileRefused: When a file, its header or its footer cannot be read.
        SchemaRefused: When files of one glob differ in their schema.
        InvalidInput: When the source belongs to another engine.
    """
    openers: dict[str, Callable[[Any], RowTable]] = {
        "csv": _open_csv,
        "parquet": _open_parquet,
        "mapping": _open_mapping,
        "pandas": _open_pandas,
        "polars": _open_polars,
        "arrow": _open_arrow,
    }
    kind = kind_of(source)
    if kind not in openers:
        refuse_kind("python", kind)
    return openers[kind](source)


def _open_csv(source: CsvFile) -> RowTable:
    files = find_files(source.path)
    header = same_headers(source, files)

    def read(columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        wanted = [header.index(column) for column in columns]
        for file in files:
            for cells in line_cells(source, file):
                yield tuple(cells[index] for index in wanted)

    return RowTable({name: ColumnType("csv", "CSV text") for name in header}, read)


def same_headers(source: CsvFile, files: Sequence[str]) -> tuple[str, ...]:
    """Read the header that all files of a glob share.

    Raises:
        SchemaRefused: When they differ.
    """
    headers = {file: read_header(source, file) for file in files}
    first = headers[files[0]]
    for file, header in headers.items():
        if header != first:
            raise SchemaRefused(
                f"the header of '{file}' differs from that of '{files[0]}'. "
                "Files of one glob must share their columns."
            )
    return first


def _open_parquet(path: str) -> RowTable:
    parquet = import_extra("pyarrow.parquet", "arrow")
    files = find_files(path)
    schemas = []
    for file in files:
        readable = True
        try:
            schemas.append(parquet.read_schema(file))
        except Exception:  # noqa: BLE001 (PyArrow's own words are not shown)
            readable = False
        if not readable:
            raise FileRefused(f"the Parquet footer of '{file}' cannot be read.")
        if not schemas[0].equals(schemas[-1]):
            raise SchemaRefused(
                f"the schema of '{file}' differs from that of '{files[0]}'. "
                "Files of one glob must share their columns and types."
            )

    def read(columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        for file in files:
            yield from _arrow_rows(parquet.ParquetFile(file).read(), columns)

    return RowTable(arrow_types(schemas[0]), read)


def _open_mapping(source: Mapping[str, Sequence[Any]]) -> RowTable:
    for name, values in source.items():
        if not isinstance(values, Sized):
            raise SchemaRefused(
                f"column '{name}' of the mapping has no length. Give it as a list."
            )
    lengths = {len(values) for values in source.values()}
    if len(lengths) > 1:
        raise SchemaRefused(
            "the columns of the mapping differ in length. Give each the same length."
        )
    named = {str(name): values for name, values in source.items()}
    types = {name: ColumnType("any", "a list") for name in named}
    return RowTable(
        types, lambda columns: zip(*(named[c] for c in columns), strict=True)
    )


def _open_pandas(frame: Any) -> RowTable:  # noqa: ANN401 (pandas is optional)
    return RowTable(
        pandas_types(frame),
        lambda columns: zip(
            *(pandas_cells(frame, name) for name in columns), strict=True
        ),
    )


def _open_polars(frame: Any) -> RowTable:  # noqa: ANN401 (Polars is optional)
    def read(columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        chosen = frame.lazy().select(list(columns)).collect()
        yield from zip(*(_polars_values(each) for each in chosen), strict=True)

    require_once(lazy_reads(frame))
    return RowTable(polars_types(frame), read)


def _polars_values(column: Any) -> list[Any]:  # noqa: ANN401
    """Read the cells of a column, dates and times as days."""
    if column.dtype.is_temporal() and str(column.dtype).startswith("Date"):
        return list(polars_days(column))
    return list(column.to_list())


def _open_arrow(table: Any) -> RowTable:  # noqa: ANN401 (PyArrow is optional)
    return RowTable(
        arrow_types(table.schema), lambda columns: _arrow_rows(table, columns)
    )


def _arrow_rows(table: Any, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:  # noqa: ANN401
    for batch in table.select(list(columns)).to_batches():
        yield from zip(*(_arrow_values(each) for each in batch.columns), strict=True)


def _arrow_values(column: Any) -> list[Any]:  # noqa: ANN401
    """Read the cells of a column; text that is not UTF-8 is no cell."""
    types = import_extra("pyarrow", "arrow").types
    if types.is_date(column.type) or types.is_timestamp(column.type):
        return list(arrow_days(column))
    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        return [_arrow_value(each) for each in column]


def _arrow_value(cell: Any) -> Any:  # noqa: ANN401
    try:
        return cell.as_py()
    except UnicodeDecodeError:
        return None
