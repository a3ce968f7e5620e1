"""How a study writes its source: CSV files with their dialect, and variables.

Nothing is sniffed. ``${NAME}`` stands for a whole address, or begins a path: anywhere
else a study could send what a variable holds to a host of its own choice. Nothing here
reads a value.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dpratio.checks import require

__all__ = ["CsvFile", "variable_of_address", "variable_of_path"]

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]{0,99})\}")
_UNUSABLE = {"\n", "\r", "\x00", "\x01"}  # \x01 marks lines inside the engines.


@dataclass(frozen=True, slots=True, init=False)
class CsvFile:
    r"""A CSV file, or a glob of them, with its dialect.

    One physical line is one row: a quoted cell may hold the delimiter but no line
    break, so one broken row cannot swallow its neighbours. Text is UTF-8.

    Args:
        path: File name or glob; names that end in ``.gz`` are decompressed.
        columns: Column names of a file without a header line. Without them the
            first line is the header.
        delimiter: One character between cells.
        quote: One character around cells, or ``""`` where quoting is not used.

    Raises:
        InvalidInput: When the dialect is not usable.

    Example:
        >>> CsvFile("loans.csv", delimiter=";").delimiter
        ';'
    """

    path: str
    columns: tuple[str, ...] | None
    delimiter: str
    quote: str

    def __init__(
        self,
        path: object,
        *,
        columns: Sequence[str] | None = None,
        delimiter: str = ",",
        quote: str = '"',
    ) -> None:
        _require_character(delimiter, "delimiter")
        if quote != "":
            _require_character(quote, "quote")
        require(delimiter != quote, "delimiter and quote must differ", delimiter)
        names = None if columns is None else _read_names(columns)
        object.__setattr__(self, "path", str(path))
        object.__setattr__(self, "columns", names)
        object.__setattr__(self, "delimiter", delimiter)
        object.__setattr__(self, "quote", quote)


def variable_of_address(url: object) -> str | None:
    """Name the variable that holds an address; None where there is none.

    Raises:
        InvalidInput: When a variable is only a part of the address.

    Example:
        >>> variable_of_address("${ORDERS_DB}"), variable_of_address("sqlite:///a.db")
        ('ORDERS_DB', None)
    """
    if not isinstance(url, str) or "${" not in url:
        return None
    found = _VARIABLE.fullmatch(url)
    hint = 'Put the whole address into the variable: url = "${ORDERS_DB}".'
    # What was given is not shown: an address may hold a password.
    require(found is not None, "a variable must hold a whole address", "less", hint)
    return None if found is None else found[1]


def variable_of_path(path: str) -> str | None:
    """Name the variable that a path begins with; None where there is none.

    Raises:
        InvalidInput: When a variable stands anywhere else.

    Example:
        >>> variable_of_path("${LAKE}/orders/*.parquet")
        'LAKE'
    """
    if "${" not in path:
        return None
    found = _VARIABLE.match(path)
    begins = found is not None and path.count("${") == 1
    hint = 'Write for instance path = "${LAKE}/orders/*.parquet".'
    require(begins, "a path must begin with its one variable", path, hint)
    return None if found is None else found[1]


def _read_names(columns: object) -> tuple[str, ...]:
    listed = isinstance(columns, Sequence) and not isinstance(columns, str | bytes)
    names = tuple(columns) if isinstance(columns, Sequence) and listed else ()
    texts = bool(names) and all(isinstance(name, str) and name for name in names)
    distinct = texts and len(set(names)) == len(names)
    require(distinct, "CSV columns must be named, each once", columns)
    return names


def _require_character(given: object, what: str) -> None:
    usable = isinstance(given, str) and len(given) == 1 and given.isascii()
    hint = "Use one ASCII character such as ',' or ';' or a tab."
    require(
        usable and given not in _UNUSABLE, f"{what} must be one character", given, hint
    )
