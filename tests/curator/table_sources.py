"""Every way to hand a table to the curator: frames, files and relations."""

import gzip
import math
import struct
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from curator.tables_for_tests import ENGINES
from dpratio.terms.source import CsvFile

__all__ = [
    "CSV_DIALECTS",
    "READABLE",
    "SOURCES",
    "WRONG",
    "connection_of",
    "invalid_text",
    "mapping_of",
    "write_csv",
    "write_wrong_statistics",
]


def mapping_of(table: Any) -> dict[str, list[Any]]:  # noqa: ANN401
    """The table as lists of Python values: what the specification reads."""
    return dict(table.to_pydict())


def _pandas(table: Any, _: Path) -> object:  # noqa: ANN401
    columns = {
        name: _pandas_column(table[name], at)
        for at, name in enumerate(table.column_names)
    }
    return pd.DataFrame(columns)


def _pandas_column(column: Any, at: int) -> Any:  # noqa: ANN401
    """Use every way pandas has to hold such a column, those with nulls included."""
    kind, values = column.type, column.to_pylist()
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return pd.Series(values, dtype="datetime64[us]")
    if pa.types.is_decimal(kind) or pa.types.is_floating(kind):
        numbers = [math.nan if cell is None else float(cell) for cell in values]
        single = kind == pa.float32()
        return np.array(numbers, dtype=np.float32 if single else np.float64)
    if pa.types.is_integer(kind) and None not in values:
        return np.array(values, dtype=kind.to_pandas_dtype())
    nullable: dict[Any, Any] = {pa.bool_(): "boolean", pa.uint64(): "UInt64"}
    dtype: Any = ("str", "object", "string")[at % 3]
    if pa.types.is_dictionary(kind):
        dtype = "category"
    elif kind in nullable or pa.types.is_integer(kind):
        dtype = nullable.get(kind, "Int64")
    return pd.Series(values, dtype=dtype)


def _polars(table: Any, _: Path) -> pl.DataFrame:  # noqa: ANN401
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame


def _polars_lazy(table: Any, folder: Path) -> object:  # noqa: ANN401
    return _polars(table, folder).lazy()


def _arrow(table: Any, _: Path) -> object:  # noqa: ANN401
    half = table.num_rows // 2
    return pa.concat_tables([table.slice(0, half), table.slice(half)])


def _parquet(table: Any, folder: Path) -> object:  # noqa: ANN401
    pq.write_table(table, folder / "[rows] it's.parquet", row_group_size=3)
    return str(folder / "[rows] it's.parquet")


def _parquet_glob(table: Any, folder: Path) -> object:  # noqa: ANN401
    half = table.num_rows // 2
    (folder / "parts").mkdir(exist_ok=True)
    pq.write_table(table.slice(0, half), folder / "parts" / "[1].parquet")
    pq.write_table(table.slice(half), folder / "parts" / "[2].parquet")
    return folder / "parts" / "*.parquet"


@cache
def connection_of(threads: int) -> Any:  # noqa: ANN401
    """Open one connection for each number of threads; conftest closes them."""
    import duckdb

    return duckdb.connect(config={"threads": threads})


def _relation(table: Any, _: Path) -> object:  # noqa: ANN401
    return connection_of(1 + table.num_rows % 8).from_arrow(table)


SOURCES: dict[str, Callable[[Any, Path], object]] = {
    "pandas": _pandas,
    "polars": _polars,
    "polars_lazy": _polars_lazy,
    "arrow": _arrow,
    "parquet": _parquet,
    "parquet_glob": _parquet_glob,
    "relation": _relation,
}

READABLE = [
    (source, engine)
    for source in SOURCES
    for engine in ENGINES
    if (source, engine) != ("relation", "python")
]

# File name, delimiter, quote, whether every cell is quoted, whether there is a header,
# how a line ends.
CSV_DIALECTS = {
    "plain": ("rows.csv", ",", '"', False, True, "\n"),
    "windows": ("rows [2].csv", ",", '"', True, True, "\r\n"),
    "old_mac": ("it's.csv", ";", "'", False, True, "\r"),
    "gzip": ("rows.csv.gz", "|", "^", True, True, "\n"),
    "no_header": ("rows.txt", "\t", "\\", False, False, "\n"),
    "no_quote": ("rows.csv", "\x1f", "", False, False, "\r\n"),
}


def write_csv(table: Any, folder: Path, dialect: str) -> CsvFile:  # noqa: ANN401
    """Write a table as text in one of `CSV_DIALECTS`; missing cells stay empty."""
    name, delimiter, quote, always, header, ending = CSV_DIALECTS[dialect]
    lines = [table.column_names] if header else []
    lines += [list(row) for row in zip(*table.to_pydict().values(), strict=True)]

    def cell(value: object) -> str:
        text = "" if value is None else str(value)
        text = text.lower() if isinstance(value, bool) else text
        special = quote != "" and (always or delimiter in text or quote in text)
        return quote + text.replace(quote, quote * 2) + quote if special else text

    text = ending.join(delimiter.join(cell(value) for value in line) for line in lines)
    path = folder / name
    written = text.encode()
    path.write_bytes(gzip.compress(written) if name.endswith(".gz") else written)
    columns = None if header else table.column_names
    return CsvFile(path, columns=columns, delimiter=delimiter, quote=quote)


def invalid_text(*cells: bytes) -> object:
    """A text column of Arrow whose bytes nobody has looked at."""
    offsets = np.cumsum([0, *map(len, cells)]).astype(np.int32)
    buffers = [None, pa.py_buffer(offsets.tobytes()), pa.py_buffer(b"".join(cells))]
    return pa.Array.from_buffers(pa.string(), len(cells), buffers)


# How a value is stored, its type, and the two values of a column.
WRONG: dict[str, tuple[str, Any, list[Any]]] = {
    "double": ("<d", pa.float64(), [0.0, 0.125]),
    "float": ("<f", pa.float32(), [0.0, 0.125]),
    "whole": ("<q", pa.int64(), [0, 1]),
}


def write_wrong_statistics(
    path: Path, kind: str, column: str = "score", **columns: object
) -> None:
    """Write a file whose second value of a column is 10^15, unknown to statistics."""
    letter, arrow_type, few = WRONG[kind]
    size = struct.calcsize(letter)
    table = pa.table({column: pa.array(few, arrow_type), **columns})
    pq.write_table(table, path, compression="none", use_dictionary=False)
    written = bytearray(path.read_bytes())
    at = written.index(struct.pack(letter, few[0]) + struct.pack(letter, few[1])) + size
    written[at : at + size] = struct.pack(letter, 10**15)
    path.write_bytes(written)
