"""Opening files, frames and relations for DuckDB, by their public schema alone.

Columns of files and frames get names of our own (c0, c1, …): DuckDB takes "Score" and
"score" for the same column. Only the columns that were asked for are handed over.
Floor: curator. Imports: errors, checks, terms, and the rest of this room.
"""

import contextlib
import glob
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb

from dpratio.checks import import_extra
from dpratio.curator.csv_lines import LONGEST_LINE, cell_pattern
from dpratio.curator.days import arrow_days, polars_days
from dpratio.curator.duck import DuckTable, connect, literal, run_on
from dpratio.curator.duck_functions import require_own_functions
from dpratio.curator.duck_reads import reads_of
from dpratio.curator.engine import ColumnType, KeyCount, Statement
from dpratio.curator.entropy import fresh_id
from dpratio.curator.files import find_files
from dpratio.curator.frames import (
    arrow_types,
    pandas_ids,
    pandas_keys,
    pandas_numbers,
    pandas_types,
    polars_types,
)
from dpratio.curator.read_once import lazy_reads, require_once
from dpratio.curator.rows import same_headers
from dpratio.curator.tables import kind_of, refuse_kind
from dpratio.errors import FileRefused, SchemaRefused
from dpratio.terms.source import CsvFile

__all__ = ["open_duck"]

Asked = Statement | KeyCount


def open_duck(source: object, statement: Asked) -> DuckTable:
    """Open any source that DuckDB can read.

    Args:
        source: A path, `CsvFile`, frame or relation.
        statement: What will be asked; it names the columns.

    Raises:
        FileRefused: When a file, its header or its footer cannot be read.
        SchemaRefused: When files of one glob differ in their schema.
        InvalidInput: When the source belongs to another engine.
    """
    opener: dict[str, Callable[[Any, Asked], DuckTable]] = {
        "csv": _open_csv,
        "parquet": _open_parquet,
        "pandas": _open_pandas,
        "polars": _open_polars,
        "arrow": _open_arrow,
        "relation": _open_relation,
    }
    kind = kind_of(source)
    if kind not in opener:
        refuse_kind("duckdb", kind)
    return opener[kind](source, statement)


def _open_parquet(path: str, statement: Asked) -> DuckTable:
    files = find_files(path)
    connection = connect()
    schemas = [_parquet_schema(connection, file) for file in files]
    for file, schema in zip(files, schemas, strict=True):
        if list(schema.items()) != list(schemas[0].items()):
            raise SchemaRefused(
                f"the schema of '{file}' differs from that of '{files[0]}'. "
                "Files of one glob must share their columns and types."
            )
    run, source = run_on(connection), _read_parquet(files)
    footers = (
        "SELECT CAST(sum(num_rows) AS DOUBLE) AS claimed "
        f"FROM parquet_file_metadata({_file_list(files)})"
    )
    return replace(_as_named(schemas[0], statement, source, run), footers=footers)


def _parquet_schema(connection: duckdb.DuckDBPyConnection, file: str) -> dict[str, str]:
    schema = None
    with contextlib.suppress(duckdb.Error):
        described = connection.sql(f"SELECT * FROM {_read_parquet([file])}")
        schema = _schema_of(described)
    if schema is None:
        raise FileRefused(f"the Parquet footer of '{file}' cannot be read.")
    return schema


def _read_parquet(files: Iterable[str]) -> str:
    return f"read_parquet({_file_list(files)}, hive_partitioning = false)"


def _file_list(files: Iterable[str]) -> str:
    # Absolute, because DuckDB gives "~" a meaning; escaped, because it globs.
    full = (glob.escape(str(Path(file).absolute())) for file in files)
    return "[" + ", ".join(literal(name) for name in full) + "]"


def _open_relation(relation: Any, statement: Asked) -> DuckTable:  # noqa: ANN401
    schema = None
    with contextlib.suppress(duckdb.Error):
        schema = _schema_of(relation)
    if schema is None:
        raise SchemaRefused("the relation cannot be read: its connection is closed.")
    # A name nobody has: tables of the same connection must not stand in.
    name = f"dpratio_{fresh_id()}"
    require_own_functions(lambda query: relation.query(name, query))
    require_once(
        reads_of(relation.sql_query(), lambda query: relation.query(name, query))
    )
    opened = _as_named(
        schema, statement, name, lambda query, _: relation.query(name, query)
    )
    return replace(opened, is_foreign=True)


def _as_named(
    schema: dict[str, str],
    statement: Asked,
    source: str,
    ask: Callable[[str, Any], Any],
) -> DuckTable:
    """Describe a source whose columns keep their names."""
    types = {
        name: ColumnType(_kind(type_), _shown(type_)) for name, type_ in schema.items()
    }
    columns = {
        name: (name, schema[name]) for name in statement.columns if name in schema
    }
    return DuckTable(types, columns, source, ask)


def _schema_of(relation: Any) -> dict[str, str]:  # noqa: ANN401 (typed by DuckDB)
    types = [str(each) for each in relation.types]
    return dict(zip(relation.columns, types, strict=True))


def _kind(type_: str) -> str:
    patterns = {
        "integer": "U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER",
        "number": r"FLOAT|DOUBLE|DECIMAL\([0-9, ]*\)",
        "boolean": "BOOLEAN",
        "text": r"VARCHAR|ENUM\((?s:.*)\)",
        "date": r"DATE|TIMESTAMP.*",
    }
    fitting = [kind for kind, each in patterns.items() if re.fullmatch(each, type_)]
    return fitting[0] if fitting else "other"


def _shown(type_: str) -> str:
    """Name a type without what it lists: the values of an ENUM are cells."""
    return re.split(r"[(\[]", type_, maxsplit=1)[0]


def _open_csv(source: CsvFile, statement: Asked) -> DuckTable:
    files = find_files(source.path)
    header = same_headers(source, files)
    types = {name: ColumnType("csv", "CSV text") for name in header}
    columns = {
        name: (f"c{index}", "VARCHAR")
        for index, name in enumerate(header)
        if name in statement.columns
    }
    cells = _csv_cells(source, files, len(header))
    return DuckTable(types, columns, cells, run_on(connect()))


def _csv_cells(source: CsvFile, files: Sequence[str], width: int) -> str:
    """Split lines into cells by the rule of `csv_lines`, in SQL."""
    skipped = 0 if source.columns is not None else 1
    lines = (
        f"read_csv({_file_list(files)}, auto_detect = false, header = false, "
        f"skip = {skipped}, columns = {{'line': 'VARCHAR', 'rest': 'VARCHAR'}}, "
        "delim = '\x01', quote = '', escape = '', comment = '', nullstr = '\n', "
        "new_line = '\\n', ignore_errors = true, strict_mode = false, "
        f"null_padding = true, max_line_size = {4 * LONGEST_LINE}, "
        f"compression = '{_compression(files)}')"
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
    named = ", ".join(f"cells[{index + 1}] AS c{index}" for index in range(width))
    return (
        f"(SELECT {named} FROM (SELECT {split} AS cells FROM {lines} "
        f"WHERE rest IS NULL AND line <> '' AND length(line) <= {LONGEST_LINE}) "
        f"WHERE len(cells) = {width})"
    )


def _compression(files: Sequence[str]) -> str:
    packed = {file.endswith(".gz") for file in files}
    if len(packed) > 1:
        raise FileRefused(
            "some files of the glob are compressed and some are not. "
            "Release them apart, or compress all of them."
        )
    return "gzip" if packed == {True} else "none"


def _open_pandas(frame: Any, statement: Asked) -> DuckTable:  # noqa: ANN401
    types = pandas_types(frame)
    chosen = [name for name in statement.columns if name in types]
    names = {name: f"c{index}" for index, name in enumerate(chosen)}
    numbers = set(statement.factor_columns.values())
    ids = None if statement.unit is None else statement.unit.column
    columns = {
        name: (short, "DOUBLE" if name in numbers else "VARCHAR")
        for name, short in names.items()
    }

    def ask(query: str, tables: Any) -> Any:  # noqa: ANN401
        connection = connect()
        connection.execute("SET pandas_analyze_sample = 0")
        plain = {
            short: pandas_numbers(frame, name)
            if name in numbers
            else pandas_ids(frame, name)
            if name == ids
            else pandas_keys(frame, name, types[name].kind)
            for name, short in names.items()
        }
        connection.register("given", type(frame)(plain))
        return run_on(connection)(query, tables)

    return DuckTable(types, columns, "given", ask)


def _open_polars(frame: Any, statement: Asked) -> DuckTable:  # noqa: ANN401
    import_extra("pyarrow", "arrow")
    require_once(lazy_reads(frame))
    unknown = {"Float16", "Int128", "UInt128"}
    return _open_frame(
        polars_types(frame),
        unknown,
        statement,
        lambda names: _polars_columns(frame, names),
    )


def _polars_columns(frame: Any, names: dict[str, str]) -> Any:  # noqa: ANN401
    """Hand over the columns that were asked for, dates and times as days."""
    polars = import_extra("polars", "polars")
    chosen = frame.lazy().select(list(names)).collect()
    columns = [
        polars.Series(names[each.name], polars_days(each), dtype=polars.Date)
        if str(each.dtype).startswith("Date")
        else each.rename(names[each.name])
        for each in chosen
    ]
    return polars.DataFrame(columns)


def _open_arrow(table: Any, statement: Asked) -> DuckTable:  # noqa: ANN401
    return _open_frame(
        arrow_types(table.schema),
        {"halffloat", "decimal256"},
        statement,
        lambda names: _arrow_columns(table, names),
    )


def _arrow_columns(table: Any, names: dict[str, str]) -> Any:  # noqa: ANN401
    """Hand over the columns that were asked for, dates and times as days."""
    arrow = import_extra("pyarrow", "arrow")

    def made(name: str) -> Any:  # noqa: ANN401
        column = table.column(name)
        tests = arrow.types
        if tests.is_date(column.type) or tests.is_timestamp(column.type):
            return arrow.array(arrow_days(column.combine_chunks()), arrow.date32())
        return column

    return arrow.table({short: made(name) for name, short in names.items()})


def _open_frame(
    types: dict[str, ColumnType],
    unknown: set[str],
    statement: Asked,
    hand_over: Callable[[dict[str, str]], Any],
) -> DuckTable:
    """Describe a frame that DuckDB reads through Arrow; it knows not every type."""
    known = {
        name: ColumnType("other", each.name)
        if each.name.split("(", maxsplit=1)[0] in unknown or ", -" in each.name
        else each
        for name, each in types.items()
    }
    names = {
        name: f"c{index}"
        for index, name in enumerate(statement.columns)
        if name in known and known[name].kind not in {"other", "repeated"}
    }
    columns = {
        name: (short, "DATE" if known[name].kind == "date" else known[name].name)
        for name, short in names.items()
    }

    def ask(query: str, tables: Any) -> Any:  # noqa: ANN401
        connection = connect()
        connection.register("given", hand_over(names))
        return run_on(connection)(query, tables)

    return DuckTable(known, columns, "given", ask)
