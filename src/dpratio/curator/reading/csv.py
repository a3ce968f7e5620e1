r"""CSV files: the rule by which a line becomes cells, and the table that DuckDB reads.

A file is split at every ``\n`` and ``\r``; each line is read on its own. A byte-order
mark at the start of a line, of any line, is skipped. A line that is not UTF-8, holds
``\x01``, is longer than a million characters, is not made of whole cells or has another
number of cells than the header is dropped. A broken quote therefore spoils its own row
and no other, and no row depends on being the first.
"""

import contextlib
import gzip
import re
import zlib
from collections.abc import Sequence
from typing import Any

import duckdb
import numpy as np

from dpratio.curator.reading.files import find_files, shown
from dpratio.curator.reading.statement import ColumnType
from dpratio.curator.reading.table import (
    Asked,
    Columns,
    DuckTable,
    connect,
    file_list,
    literal,
    run_on,
)
from dpratio.errors import FileRefused, SchemaRefused
from dpratio.terms.source import CsvFile

Connection = duckdb.DuckDBPyConnection

LONGEST_LINE = 1_000_000
_MARK = "\ufeff"  # The byte-order mark that some programs put first.
_MOST_BYTES = 4 * (LONGEST_LINE + 2)  # Of a line and its mark, and one more.
# What counts as a number in text, besides true and false in any case. Engines
# differ on everything else ("1_000").
_NUMBER = r"[ \t]*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t]*"


def open_csv(source: CsvFile, asked: Asked) -> DuckTable:
    """Open a CSV file, or all files of a glob.

    Raises:
        FileRefused: When there is none, or a header cannot be read.
        SchemaRefused: When the headers of the files differ.
    """
    files, connection = find_files(source.path), connect()
    header = _same_header(source, files, connection)
    kind = ColumnType(
        "csv",
        "CSV text",
        is_read_off=source.columns is None,
        decimal=source.decimal,
        dates=source.dates,
    )
    columns = {
        name: (f"c{index}", "VARCHAR")
        for index, name in enumerate(header)
        if name in asked.columns
    }
    rows = _rows(source, files, len(header))

    def ask(query: str) -> Columns:
        lines = map(_first_line, files) if source.columns is not None else ()
        first = np.array([line for line in lines if line is not None], dtype=object)
        connection.register("first_lines", {"line": first})
        return run_on(connection)(query)

    return DuckTable(dict.fromkeys(header, kind), columns, rows, ask)


def number_pattern(decimal: str) -> str:
    """Return the pattern of a number, in the syntax that re and RE2 share."""
    return _NUMBER.replace(r"\.", re.escape(decimal))


def _same_header(
    source: CsvFile, files: Sequence[str], connection: Connection
) -> tuple[str, ...]:
    headers = [_header(source, file, connection) for file in files]
    for file, header in zip(files, headers, strict=True):
        if header != headers[0]:
            raise SchemaRefused(
                f"the header of '{shown(file)}' differs from that of "
                f"'{shown(files[0])}'. "
                "Files of one glob must share their columns."
            )
    return headers[0]


def _header(source: CsvFile, file: str, connection: Connection) -> tuple[str, ...]:
    """Return the columns of one file, declared or named by its first line: public."""
    if source.columns is not None:
        return source.columns
    line = b""
    with contextlib.suppress(OSError, EOFError, zlib.error):
        line = _first_bytes(file)
    text = _decoded(line)
    if text is None:
        raise FileRefused(
            f"the header of '{file}' is not UTF-8. Rewrite the file, for instance "
            "with: iconv -f latin1 -t utf-8 OLD.csv > NEW.csv"
        )
    text = text.removeprefix(_MARK)
    split = f"SELECT {_split(source)} FROM (SELECT CAST($1 AS VARCHAR) AS line)"
    [(names,)] = connection.execute(split, [text]).fetchall()
    if not text or names is None or len(set(names)) != len(names):
        raise FileRefused(
            f"the header of '{file}' cannot be read. The first line must name each "
            "column once, in UTF-8 and the declared dialect."
        )
    return tuple(names)


def _split(source: CsvFile) -> str:
    """Return the SQL that splits a line; NULL for one not made of whole cells."""
    delimiter, quote = literal(source.delimiter), literal(source.quote)
    split = f"string_split(line, {delimiter})"
    if not source.quote:
        return split
    mark, between = re.escape(source.quote), re.escape(source.delimiter)
    cell = f"{mark}(?:[^{mark}]|{mark}{mark})*{mark}|[^{between}{mark}]*"
    whole = literal(f"(?s:(?:{cell})(?:{between}(?:{cell}))*)")
    return (
        f"CASE WHEN NOT contains(line, {quote}) THEN {split} "
        f"WHEN regexp_full_match(line, {whole}) THEN list_transform("
        f"regexp_extract_all({delimiter} || line, "
        f"{literal(f'(?s:{between}({cell}))')}, 1), lambda c: "
        f"replace(CASE WHEN starts_with(c, {quote}) THEN c[2:-2] ELSE c END, "
        f"{literal(source.quote * 2)}, {quote})) END"
    )


def _rows(source: CsvFile, files: Sequence[str], width: int) -> str:
    """Return the SQL that splits lines into cells by the rule of this module.

    DuckDB skips the first line of every file, the header or not: it drops a mark there
    and nowhere else. First lines that are rows are handed over beside the files.
    """
    lines = (
        f"read_csv({file_list(files)}, auto_detect = false, header = false, "
        "skip = 1, columns = {'line': 'VARCHAR', 'rest': 'VARCHAR'}, "
        "delim = '\x01', quote = '', escape = '', comment = '', nullstr = '\n', "
        "new_line = '\\n', ignore_errors = true, strict_mode = false, "
        f"null_padding = true, max_line_size = {_MOST_BYTES}, "
        f"compression = '{_compression(files)}')"
    )
    without_mark = (
        f"SELECT CASE WHEN starts_with(line, '{_MARK}') THEN line[2:] ELSE line END "
        f"AS line FROM (SELECT line FROM {lines} WHERE rest IS NULL "
        "UNION ALL SELECT CAST(line AS VARCHAR) FROM first_lines)"
    )
    named = ", ".join(f"cells[{index + 1}] AS c{index}" for index in range(width))
    return (
        f"(SELECT {named} FROM (SELECT {_split(source)} AS cells FROM ({without_mark}) "
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


def _first_line(file: str) -> str | None:
    """Return the first line of a file as it is; None where it cannot be a row."""
    text = _decoded(_first_bytes(file))
    return None if text is None or "\x01" in text else text


def _first_bytes(file: str) -> bytes:
    opener: Any = gzip.open if file.endswith(".gz") else open
    with opener(file, "rb") as content:
        start: bytes = content.read(_MOST_BYTES)
    return re.split(rb"[\r\n]", start, maxsplit=1)[0]


def _decoded(line: bytes) -> str | None:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return None
