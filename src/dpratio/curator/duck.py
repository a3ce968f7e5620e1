"""Everything that speaks to DuckDB: opening tables and asking them one question.

DuckDB's error texts quote cells: here and at the door none is shown or chained.
Floor: curator. Imports: errors, checks, terms, engine, csv_lines, rows, tables.
"""

import contextlib
import glob
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np

from dpratio.curator.csv_lines import LONGEST_LINE, cell_pattern
from dpratio.curator.engine import ColumnType
from dpratio.curator.rows import pandas_types, same_headers
from dpratio.curator.tables import find_files, kind_of
from dpratio.errors import (
    FileRefused,
    InvalidInput,
    MissingExtra,
    SchemaRefused,
)
from dpratio.terms.source import CsvFile

__all__ = ["DuckTable", "identifier", "literal", "open_duck", "write_parquet"]


@dataclass(frozen=True, slots=True)
class DuckTable:
    """A table DuckDB can read: its public schema and how to ask it."""

    types: Mapping[str, ColumnType]
    source: str
    ask: Callable[[str], Any]

    def fetch(self, query: str) -> dict[str, Any]:
        """Run one query and give its columns as arrays."""
        return dict(self.ask(query).fetchnumpy())


def open_duck(source: object) -> DuckTable:
    """Open any source that DuckDB can read.

    Raises:
        FileRefused: When a file, its header or its footer cannot be read.
        SchemaRefused: When files of one glob differ in their schema.
        InvalidInput: When the source belongs to another engine.
    """
    opener: dict[str, Callable[[Any], DuckTable]] = {
        "csv": _open_csv,
        "parquet": _open_parquet,
        "pandas": _open_pandas,
        "polars": _open_frame,
        "arrow": _open_frame,
        "relation": _open_relation,
    }
    kind = kind_of(source)
    if kind not in opener:
        raise InvalidInput(
            "engine 'duckdb' does not read mappings of lists, got one. "
            "Use engine 'python'."
        )
    return opener[kind](source)


def identifier(name: str) -> str:
    """Quote a column name, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Quote a text, whatever it holds."""
    return "'" + text.replace("'", "''") + "'"


def write_parquet(path: str, columns: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Write arrays as a Parquet file; for invented data only."""
    connection = _connect()
    connection.register("invented", dict(columns))
    connection.execute(
        f"COPY (SELECT * FROM invented) TO {literal(path)} (FORMAT parquet)"
    )


def _connect() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
    )
    connection.execute("SET enable_progress_bar = false")
    return connection


def _open_parquet(path: str) -> DuckTable:
    files = find_files(path)
    connection = _connect()
    schemas = [_parquet_types(connection, file) for file in files]
    for file, schema in zip(files, schemas, strict=True):
        if schema != schemas[0]:
            raise SchemaRefused(
                f"the schema of '{file}' differs from that of '{files[0]}'. "
                "Files of one glob must share their columns and types."
            )
    return DuckTable(schemas[0], _read_parquet(files), connection.execute)


def _parquet_types(
    connection: duckdb.DuckDBPyConnection, file: str
) -> dict[str, ColumnType]:
    described = None
    with contextlib.suppress(duckdb.Error):
        described = connection.sql(f"SELECT * FROM {_read_parquet([file])}")
    if described is None:
        raise FileRefused(f"the Parquet footer of '{file}' cannot be read.")
    return _relation_types(described)


def _read_parquet(files: Iterable[str]) -> str:
    return f"read_parquet({_file_list(files)}, hive_partitioning = false)"


def _file_list(files: Iterable[str]) -> str:
    return "[" + ", ".join(literal(glob.escape(file)) for file in files) + "]"


def _open_csv(source: CsvFile) -> DuckTable:
    files = find_files(source.path)
    header = same_headers(source, files)
    types = {name: ColumnType("csv", "CSV text") for name in header}
    return DuckTable(types, _csv_cells(source, files, header), _connect().execute)


def _csv_cells(source: CsvFile, files: Sequence[str], header: Sequence[str]) -> str:
    """Split lines into cells by the rule of `csv_lines`, in SQL."""
    skipped = 0 if source.columns is not None else 1
    lines = (
        f"read_csv({_file_list(files)}, auto_detect = false, header = false, "
        f"skip = {skipped}, columns = {{'line': 'VARCHAR'}}, delim = '\x01', "
        "quote = '', escape = '', comment = '', nullstr = '', new_line = '\\n', "
        "ignore_errors = true, strict_mode = false, null_padding = false, "
        f"max_line_size = {4 * LONGEST_LINE})"
    )
    delimiter, quote = literal(source.delimiter), literal(source.quote)
    split = f"string_split(line, {delimiter})"
    if source.quote:
        cell, between = cell_pattern(source), re.escape(source.delimiter)
        whole = literal(f"(?s:(?:{cell})(?:{between}(?:{cell}))*)")
        each = literal(f"(?s:{between}({cell}))")
        twice = literal(source.quote * 2)
        split = (
            f"CASE WHEN NOT contains(line, {quote}) THEN {split} "
            f"WHEN regexp_full_match(line, {whole}) THEN list_transform("
            f"regexp_extract_all({delimiter} || line, {each}, 1), lambda c: "
            f"replace(CASE WHEN starts_with(c, {quote}) THEN c[2:-2] ELSE c END, "
            f"{twice}, {quote})) END"
        )
    named = ", ".join(
        f"cells[{index}] AS {identifier(name)}" for index, name in enumerate(header, 1)
    )
    return (
        f"(SELECT {named} FROM (SELECT {split} AS cells FROM {lines} "
        f"WHERE length(line) <= {LONGEST_LINE}) WHERE len(cells) = {len(header)})"
    )


def _open_pandas(frame: Any) -> DuckTable:  # noqa: ANN401 (pandas is optional)
    """Register a pandas frame; object columns become text without being sampled."""
    if not frame.columns.is_unique:
        raise SchemaRefused("the columns of the frame must have different names.")
    types = pandas_types(frame)
    columns = {
        name: frame[name].map(_text_or_none, na_action=None).astype(object)
        if types[name].kind == "text"
        else frame[name]
        for name in types
        if types[name].kind != "other"
    }
    clean = type(frame)(columns)
    connection = _connect()
    connection.execute("SET pandas_analyze_sample = 0")
    connection.register("given", clean)
    seen = _relation_types(connection.table("given"))
    merged = {name: seen[name] if name in seen else types[name] for name in types}
    return DuckTable(merged, "given", connection.execute)


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _open_frame(frame: object) -> DuckTable:
    connection = _connect()
    registered = False
    with contextlib.suppress(duckdb.Error):
        connection.register("given", frame)
        registered = True
    if not registered:
        raise MissingExtra(
            "reading this table needs PyArrow, which is not installed. "
            "Install it with: pip install 'dpratio[arrow]'"
        )
    types = _relation_types(connection.table("given"))
    return DuckTable(types, "given", connection.execute)


def _open_relation(relation: Any) -> DuckTable:  # noqa: ANN401 (typed by DuckDB)
    name = "dpratio_rows"
    return DuckTable(
        _relation_types(relation), name, lambda query: relation.query(name, query)
    )


def _relation_types(relation: Any) -> dict[str, ColumnType]:  # noqa: ANN401
    names = [str(each) for each in relation.types]
    return {
        column: ColumnType(_kind(name), name)
        for column, name in zip(relation.columns, names, strict=True)
    }


def _kind(name: str) -> str:
    if re.fullmatch("U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER", name):
        return "integer"
    if re.fullmatch(r"FLOAT|DOUBLE|DECIMAL\(.*\)", name):
        return "number"
    return (
        "boolean"
        if name == "BOOLEAN"
        else "text"
        if name[:4] in {"VARC", "ENUM"}
        else "other"
    )
