"""Opening files, frames and relations for DuckDB, by their public schema alone.

Columns of files of text and of frames get names of our own (c0, c1, …): DuckDB takes
"Score" and "score" for the same column.
"""

import contextlib
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import duckdb
import numpy as np

from dpratio.curator.duckdb.frames import open_arrow, open_pandas, open_polars
from dpratio.curator.duckdb.parquet import open_parquet
from dpratio.curator.duckdb.reads import reads_of
from dpratio.curator.duckdb.table import (
    Asked,
    Columns,
    DuckTable,
    Tables,
    connect,
    file_list,
    literal,
    run_on,
)
from dpratio.curator.duckdb.types import as_named, schema_of
from dpratio.curator.noise.entropy import fresh_id
from dpratio.curator.python.rows import csv_types, same_headers
from dpratio.curator.reading.csv_lines import (
    LONGEST_LINE,
    MARK,
    cell_pattern,
    first_line,
)
from dpratio.curator.reading.files import find_files
from dpratio.curator.reading.read_once import require_once
from dpratio.curator.reading.tables import kind_of, refuse_kind
from dpratio.curator.stopping import stoppable
from dpratio.errors import FileRefused, InvalidInput, SchemaRefused
from dpratio.terms.source import CsvFile

Signature = tuple[str, ...]

# By its own full name, and without an operator or function that could be replaced.
_LISTED = (
    "SELECT function_name, database_name, schema_name, function_type, "
    "CAST(parameter_types AS VARCHAR), return_type, varargs "
    "FROM system.main.duckdb_functions()"
)


def require_own_functions(ask: Callable[[str], Any]) -> None:
    """Refuse a connection on which other functions could stand in for DuckDB's own.

    Whether they are on its search path does not matter: that may change.

    Args:
        ask: Runs a statement on the connection, and gives what can be fetched.

    Raises:
        InvalidInput: When a macro or function has the name of one of DuckDB.

    Guarantee:
        On a connection that passes, a function that DuckDB has means what it means on
        a fresh one. Proof: docs/proofs/warehouse.md.
    """
    own = _own()
    names = {name.lower() for name, *_ in own}
    others = {each[0].lower() for each in ask(_LISTED).fetchall() if each not in own}
    if others & names:
        raise InvalidInput(
            "a function means what DuckDB says, got a connection with another one "
            f"named '{min(others & names)}', which could stand in for DuckDB's own. "
            "Drop it, give it another name, or open the table on another connection."
        )


@cache
def _own() -> frozenset[Signature]:
    """List the functions of a fresh connection: they are the same for each."""
    with connect() as fresh:
        return frozenset(fresh.execute(_LISTED).fetchall())


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
        "parquet": open_parquet,
        "pandas": open_pandas,
        "polars": open_polars,
        "arrow": open_arrow,
        "relation": _open_relation,
    }
    kind = kind_of(source)
    if kind not in opener:
        refuse_kind("duckdb", kind)
    return opener[kind](source, statement)


def open_given(
    relation: Any,  # noqa: ANN401 (typed by DuckDB)
    statement: Asked,
    cancel: Callable[[], object] | None,
) -> DuckTable:
    """Open a relation on a connection whose functions and reads were checked.

    Args:
        relation: Of a connection that may be anybody's.
        statement: What will be asked; it names the columns.
        cancel: Stops its connection's query; None where nothing can.
    """
    # A name nobody has: tables of the same connection must not stand in.
    name = f"dpratio_{fresh_id()}"

    def ask(query: str, _: Tables) -> Columns:
        def work() -> Columns:
            return dict(relation.query(name, query).fetchnumpy())

        return work() if cancel is None else stoppable(work, cancel)

    opened = as_named(schema_of(relation), statement, name, ask)
    return replace(opened, is_foreign=True)


def _open_relation(relation: Any, statement: Asked) -> DuckTable:  # noqa: ANN401
    opened = None
    with contextlib.suppress(duckdb.Error):
        opened = open_given(relation, statement, None)
    if opened is None:
        raise SchemaRefused("the relation cannot be read: its connection is closed.")

    def look(query: str) -> Any:  # noqa: ANN401
        return relation.query(opened.source, query)

    require_own_functions(look)
    require_once(reads_of(relation.sql_query(), look))
    return opened


def _open_csv(source: CsvFile, statement: Asked) -> DuckTable:
    files = find_files(source.path)
    header = same_headers(source, files)
    columns = {
        name: (f"c{index}", "VARCHAR")
        for index, name in enumerate(header)
        if name in statement.columns
    }
    cells = _csv_cells(source, files, len(header))
    run = run_on(connect())

    def ask(query: str, tables: Tables) -> Columns:
        read = map(first_line, files) if source.columns is not None else ()
        lines = [line for line in read if line is not None]
        first = {"line": np.array(lines, dtype=object)}
        return run(query, {**tables, "first_lines": first})

    return DuckTable(csv_types(source, header), columns, cells, ask)


def _csv_cells(source: CsvFile, files: Sequence[str], width: int) -> str:
    """Split lines into cells by the rule of `csv_lines`, in SQL.

    DuckDB skips the first line of every file, the header or not: it drops a mark there
    and nowhere else. First lines that are rows are handed over beside the files.
    """
    lines = (
        f"read_csv({file_list(files)}, auto_detect = false, header = false, "
        "skip = 1, columns = {'line': 'VARCHAR', 'rest': 'VARCHAR'}, "
        "delim = '\x01', quote = '', escape = '', comment = '', nullstr = '\n', "
        "new_line = '\\n', ignore_errors = true, strict_mode = false, "
        f"null_padding = true, max_line_size = {4 * (LONGEST_LINE + 2)}, "
        f"compression = '{_compression(files)}')"
    )
    without_mark = (
        f"SELECT CASE WHEN starts_with(line, '{MARK}') THEN line[2:] ELSE line END "
        f"AS line FROM (SELECT line FROM {lines} WHERE rest IS NULL "
        "UNION ALL SELECT CAST(line AS VARCHAR) FROM first_lines)"
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
        f"(SELECT {named} FROM (SELECT {split} AS cells FROM ({without_mark}) "
        f"WHERE line <> '' AND length(line) <= {LONGEST_LINE}) "
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
