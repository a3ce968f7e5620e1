"""Tables opened as rows of Python values, for the engine in plain loops."""

from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any

from dpratio.checks import import_extra
from dpratio.curator.reading.arrow_cells import arrow_values
from dpratio.curator.reading.csv_lines import line_cells, read_header
from dpratio.curator.reading.days import polars_days
from dpratio.curator.reading.files import find_files, shown
from dpratio.curator.reading.frames import (
    arrow_types,
    pandas_cells,
    pandas_types,
    polars_types,
)
from dpratio.curator.reading.lazy_frames import lazy_reads, require_same_files
from dpratio.curator.reading.parquet_cells import parquet_batches, parquet_types
from dpratio.curator.reading.partitions import find_parquet, require_apart
from dpratio.curator.reading.read_once import require_once
from dpratio.curator.reading.statement import ColumnType
from dpratio.curator.reading.tables import kind_of, refuse_kind
from dpratio.errors import InvalidInput, SchemaRefused
from dpratio.terms.source import CsvFile, ParquetFiles


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
    if isinstance(source, CsvFile | ParquetFiles) and source.where:
        raise InvalidInput(
            "engine 'python' keeps no rows by where. Use engine 'duckdb', which does.",
            field="engine",
        )
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

    return RowTable(csv_types(source, header), read)


def csv_types(source: CsvFile, header: Sequence[str]) -> dict[str, ColumnType]:
    """Give the schema of files of text: names that were declared, or were read."""
    kind = ColumnType(
        "csv",
        "CSV text",
        is_read_off=source.columns is None,
        decimal=source.decimal,
        dates=source.dates,
    )
    return dict.fromkeys(header, kind)


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
                f"the header of '{shown(file)}' differs from that of "
                f"'{shown(files[0])}'. "
                "Files of one glob must share their columns."
            )
    return first


def _open_parquet(source: ParquetFiles) -> RowTable:
    files = find_parquet(source.path)
    types = require_apart(parquet_types(files), source.partitions)

    def read(columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        for batch in parquet_batches(files, columns, source.partitions):
            yield from zip(*map(arrow_values, batch), strict=True)

    return RowTable(types, read)


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
    import_extra("pyarrow", "arrow")

    def read(columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        chosen = frame.lazy().select(list(columns)).collect()
        yield from zip(*(_polars_values(each) for each in chosen), strict=True)

    require_once(lazy_reads(frame))
    require_same_files(frame)
    return RowTable(polars_types(frame), read)


def _polars_values(column: Any) -> list[Any]:  # noqa: ANN401
    """Read the cells of a column, dates and times as days."""
    name = str(column.dtype)
    if name.startswith("Date"):
        return list(polars_days(column))
    if name.startswith(("Categorical", "Decimal", "Enum", "String")):
        # Polars prints where it stops, and it does at text that is not UTF-8.
        return arrow_values(column.to_arrow())
    return list(column.to_list())


def _open_arrow(table: Any) -> RowTable:  # noqa: ANN401 (PyArrow is optional)
    return RowTable(
        arrow_types(table.schema), lambda columns: _arrow_rows(table, columns)
    )


def _arrow_rows(table: Any, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:  # noqa: ANN401
    for batch in table.select(list(columns)).to_batches():
        yield from zip(*map(arrow_values, batch.columns), strict=True)
