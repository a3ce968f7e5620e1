"""A CSV file and the dialect it is declared in; nothing is sniffed."""

from collections.abc import Sequence
from dataclasses import dataclass

from dpratio.checks import require

__all__ = ["CsvFile"]

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
