"""The files of a study, and how they are written.

Nothing is sniffed, and nothing here reads a value. ``${NAME}`` stands for a whole
address, or begins a path: anywhere else a study could send what a variable holds to a
host of its own choice.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpratio.checks import require_one_of, show_given
from dpratio.errors import InvalidInput
from dpratio.terms.dimensions import KINDS
from dpratio.terms.ratio import require_column_name
from dpratio.terms.where import Condition, Where, as_where

# The columns that names of folders hold, each with the kind of its keys.
Partitions = tuple[tuple[str, str], ...]

PERIOD = "{period}"  # What a release fills in; see `Study`.
ISO_DATES = "YYYY-MM-DD"

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]{0,99})\}")
_PATH = re.compile(rf"(?:{_VARIABLE.pattern})?[^{{}}]*(?:{{period}}[^{{}}]*)?")
_UNUSABLE = {"\n", "\r", "\x00", "\x01"}  # \x01 marks lines inside the engines.
_PART = "(YYYY|MM?|DD?)"
_DATES = re.compile(
    "(?=.*Y)(?=.*M)(?=.*D)"
    f"(?:{_PART}([-./]){_PART}\\2{_PART}|YYYYMMDD|DDMMYYYY|MMDDYYYY)"
)


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
        decimal: The decimal sign of numbers, ``"."`` or ``","``.
        dates: How dates are written: ``"DD.MM.YYYY"`` for instance. ``M`` and ``D``
            stand for one or two digits, as in ``"M/D/YYYY"``.
        where: The conditions that a row must meet, as in `ParquetFiles`. Cells are
            text, and are compared with text.

    Raises:
        InvalidInput: When the dialect or a condition is not usable.

    Example:
        >>> CsvFile("loans.csv", delimiter=";").delimiter
        ';'
    """

    path: str
    columns: tuple[str, ...] | None
    delimiter: str
    quote: str
    decimal: str
    dates: str
    where: tuple[Condition, ...]

    def __init__(
        self,
        path: object,
        *,
        columns: Sequence[str] | None = None,
        delimiter: str = ",",
        quote: str = '"',
        decimal: str = ".",
        dates: str = ISO_DATES,
        where: Where = (),
    ) -> None:
        _require_character(delimiter, "delimiter")
        if quote != "":
            _require_character(quote, "quote")
        if delimiter == quote:
            raise InvalidInput(
                f"delimiter and quote must differ, got {delimiter!r}.", field="quote"
            )
        if decimal not in {".", ","}:
            raise InvalidInput(
                f"decimal must be a point or a comma, got {show_given(decimal)}.",
                field="decimal",
            )
        if delimiter == decimal and not quote:
            raise InvalidInput(
                "numbers need a quote where the delimiter is their decimal sign, got "
                f"{delimiter!r}.",
                field="quote",
            )
        if not isinstance(dates, str) or not _DATES.fullmatch(dates):
            raise InvalidInput(
                "dates are written with YYYY, MM and DD, each once, and one sign "
                f"between, got {show_given(dates)}. Write 'DD.MM.YYYY', or "
                "'M/D/YYYY' where months and days may have one digit.",
                field="dates",
            )
        conditions = as_where(where)
        for condition in conditions:
            values = condition[2] if condition[1] == "in" else condition[2:]
            if not values or not all(isinstance(value, str) for value in values):
                raise InvalidInput(
                    "cells of CSV files are text and never null, and are compared with "
                    f"text, got {show_given(condition)}.",
                    field="where",
                )
        fields = {
            "path": checked_path(str(path)),
            "columns": None if columns is None else _names_of(columns),
            "delimiter": delimiter,
            "quote": quote,
            "decimal": decimal,
            "dates": dates,
            "where": conditions,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True, slots=True, init=False)
class ParquetFiles:
    """Parquet files, with columns that names of folders hold and a choice of rows.

    Folders such as ``year=2026/month=03`` name columns. A value is read by its declared
    type; a value that is not of that type is a missing key. No type is ever guessed
    from values.

    Args:
        path: A folder with a slash at its end, a file name, or a glob.
        partitions: Columns that folders name, each with its kind: ``"text"``,
            ``"integer"``, ``"boolean"`` or ``"date"``. Those of a list are text.
        where: The conditions that a row must meet, all of them. Each is a list of a
            column, an operator (``=``, ``!=``, ``<``, ``<=``, ``>``, ``>=`` or ``in``)
            and a value of the column's type; or of a column and ``"is null"`` or
            ``"not null"``. A missing cell meets no comparison.

    Raises:
        InvalidInput: When a column has no name, or a kind that is not one of these, or
            a condition is not usable.

    Example:
        >>> ParquetFiles("orders/", partitions={"year": "integer"}).partitions
        (('year', 'integer'),)
        >>> ParquetFiles("a.parquet", where=[["day", ">=", "2026-11-09"]]).where
        (('day', '>=', '2026-11-09'),)
    """

    path: str
    partitions: Partitions
    where: tuple[Condition, ...]

    def __init__(
        self,
        path: object,
        *,
        partitions: Mapping[str, str] | Sequence[str] | Partitions = (),
        where: Where = (),
    ) -> None:
        object.__setattr__(self, "path", checked_path(str(path)))
        object.__setattr__(self, "partitions", as_partitions(partitions))
        object.__setattr__(self, "where", as_where(where))


def checked_path(path: str) -> str:
    """Return a path that has no braces but of a variable and of one period.

    Raises:
        InvalidInput: When it has others, or a variable that does not begin it.

    Example:
        >>> checked_path("${LAKE}/weeks/{period}.csv")
        '${LAKE}/weeks/{period}.csv'
    """
    if not _PATH.fullmatch(path):
        raise InvalidInput(
            "a path begins with one ${VARIABLE} at most, holds {period} once, and no "
            f"other braces, got {show_given(path)}.",
            field="path",
        )
    return path


def variable_of(place: str) -> str | None:
    """Return the name of the variable that begins a path or is an address, if any.

    Example:
        >>> variable_of("${LAKE}/orders/*.parquet"), variable_of("duckdb:///a.db")
        ('LAKE', None)
    """
    match = _VARIABLE.match(place)
    return None if match is None else match[1]


def as_partitions(columns: object) -> Partitions:
    """Return the columns that folders name, each with its kind, or raise."""
    given = tuple(columns.items()) if isinstance(columns, Mapping) else columns
    parts: Sequence[Any] = given if isinstance(given, list | tuple) else [given, None]
    pairs = [(part, "text") if isinstance(part, str) else part for part in parts]
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:  # noqa: PLR2004
            raise InvalidInput(
                "partitions are columns by name, each with its kind, got "
                f'{show_given(columns)}. Write partitions = {{ year = "integer" }}.',
                field="partitions",
            )
        require_column_name(pair[0])
        require_one_of(pair[1], KINDS, "kind of a partition")
    names = [name.lower() for name, _ in pairs]
    if len(set(names)) < len(names) or any({"=", "/"} & set(name) for name in names):
        raise InvalidInput(
            "partitions are named once each, without = and /, got "
            f"{show_given(columns)}.",
            field="partitions",
        )
    return tuple(pairs)


def _names_of(columns: object) -> tuple[str, ...]:
    names = tuple(columns) if isinstance(columns, list | tuple) else ()
    is_named = bool(names) and all(isinstance(name, str) and name for name in names)
    if not is_named or len(set(names)) < len(names):
        raise InvalidInput(
            f"CSV columns must be named, each once, got {show_given(columns)}.",
            field="columns",
        )
    return names


def _require_character(character: object, name: str) -> None:
    is_one = isinstance(character, str) and len(character) == 1 and character.isascii()
    if not is_one or character in _UNUSABLE:
        raise InvalidInput(
            f"{name} must be one character, got {show_given(character)}. Use one ASCII "
            "character such as ',' or ';' or a tab.",
            field=name,
        )
