r"""The rule by which a CSV line becomes cells, shared by every engine.

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
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from dpratio.errors import FileRefused
from dpratio.terms.source import CsvFile

LONGEST_LINE = 1_000_000
MARK = "\ufeff"  # The byte-order mark that some programs put first.
_MOST_BYTES = 4 * (LONGEST_LINE + 2)  # Of a line and its mark, and one more.
# What counts as a number in text, besides true and false in any case. Engines
# differ on everything else ("1_000").
_NUMBER = r"[ \t]*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t]*"


def cell_pattern(source: CsvFile) -> str:
    """Give the pattern of one cell, in the syntax that re and RE2 share."""
    delimiter, quote = re.escape(source.delimiter), re.escape(source.quote)
    if not quote:
        return f"[^{delimiter}]*"
    return f"{quote}(?:[^{quote}]|{quote}{quote})*{quote}|[^{delimiter}{quote}]*"


def number_pattern(decimal: str) -> str:
    """Give the pattern of a number, in the syntax that re and RE2 share."""
    return _NUMBER.replace(r"\.", re.escape(decimal))


def split_line(line: str, source: CsvFile) -> list[str] | None:
    """Split one line into cells, or give None for a line not made of whole cells.

    Example:
        >>> split_line('0.5,"a,b",1', CsvFile("f.csv")), split_line('"a', CsvFile("f"))
        (['0.5', 'a,b', '1'], None)
    """
    if not source.quote or source.quote not in line:
        return line.split(source.delimiter)
    cell, delimiter = cell_pattern(source), re.escape(source.delimiter)
    if not re.fullmatch(f"(?s:(?:{cell})(?:{delimiter}(?:{cell}))*)", line):
        return None
    cells = re.findall(f"(?s:{delimiter}({cell}))", source.delimiter + line)
    return [_unquote(each, source.quote) for each in cells]


def read_header(source: CsvFile, path: str) -> tuple[str, ...]:
    """Read the declared header of one file: public, like any schema.

    Raises:
        FileRefused: When the first line cannot be read as a header.
    """
    if source.columns is not None:
        return source.columns
    line = b""
    with contextlib.suppress(OSError, EOFError, zlib.error):
        line = _first_bytes(path)
    text = _decode(line)
    if text is None:
        raise FileRefused(
            f"the header of '{path}' is not UTF-8. Rewrite the file, for instance "
            "with: iconv -f latin1 -t utf-8 OLD.csv > NEW.csv"
        )
    text = text.removeprefix(MARK)
    names = split_line(text, source) if text else None
    if names is None or len(set(names)) != len(names):
        raise FileRefused(
            f"the header of '{path}' cannot be read. The first line must name each "
            "column once, in UTF-8 and the declared dialect."
        )
    return tuple(names)


def first_line(path: str) -> str | None:
    """Read the first line of a file as it is; None where it cannot be a row."""
    text = _decode(_first_bytes(path))
    return None if text is None or "\x01" in text else text


def line_cells(source: CsvFile, path: str) -> Iterator[list[str]]:
    """Read the rows of one file as lists of cells."""
    width = len(read_header(source, path))
    with _open(path) as file:
        lines = re.split(rb"\r\n|\r|\n", file.read())
    for line in lines[0 if source.columns is not None else 1 :]:
        cells = _read_line(line, source)
        if cells is not None and len(cells) == width:
            yield cells


def _read_line(line: bytes, source: CsvFile) -> list[str] | None:
    text = (_decode(line) or "").removeprefix(MARK)
    if not text or len(text) > LONGEST_LINE or "\x01" in text:
        return None
    return split_line(text, source)


def _first_bytes(path: str) -> bytes:
    with _open(path) as file:
        start = file.read(_MOST_BYTES)
    return re.split(rb"[\r\n]", start, maxsplit=1)[0]


def _decode(line: bytes) -> str | None:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _unquote(cell: str, quote: str) -> str:
    inside = cell[1:-1] if cell.startswith(quote) else cell
    return inside.replace(quote + quote, quote)


def _open(path: str) -> BinaryIO:
    if path.endswith(".gz"):
        return cast("BinaryIO", gzip.open(path, "rb"))
    return Path(path).open("rb")
