"""The data of a study: files, tables of databases, and which of their rows count.

Nothing is sniffed, and nothing here reads a value. ``${NAME}`` stands for a whole
address, or begins a path: anywhere else a study could send what a variable holds to a
host of its own choice.
"""

import datetime as dt
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from dpratio.checks import require_one_of, show_given
from dpratio.errors import InvalidInput
from dpratio.terms.bounds import settle
from dpratio.terms.groups import KINDS
from dpratio.terms.ratio import is_unicode, require_column_name

Condition = tuple[Any, ...]
Where = Sequence[Sequence[Any]]
# The columns that names of folders hold, each with the kind of its keys.
Partitions = tuple[tuple[str, str], ...]

NULLS = ("is null", "not null")
PERIOD = "{period}"  # What a release fills in; see `Study`.
ISO_DATES = "YYYY-MM-DD"
SCHEMES = ("duckdb", "postgres", "postgresql", "spark")
# What Spark has beside a standalone master: this machine, a cluster that its own
# settings name, and the session that a program has.
WITHOUT_HOST = re.compile(r"spark://(local(?:\[(?:[1-9][0-9]{0,3}|\*)\])?|yarn|active)")

_TERMS_OF_PARQUET = {"partitions", "where"}
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
_MOST_CONDITIONS, _MOST_VALUES = 100, 1000
_MOST_NAMES = 3  # catalogue, schema, table
_LARGEST_WHOLE = 2**63 - 1
_EXACT = 2**53  # Below it, a double without a fraction is that whole number.
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]{0,99})\}")
_PATH = re.compile(rf"(?:{_VARIABLE.pattern})?[^{{}}]*(?:{{period}}[^{{}}]*)?")
_HASH = re.compile("[0-9a-f]{64}")
_UNUSABLE = {"\n", "\r", "\x00", "\x01"}  # \x01 marks lines inside the engines.
_PART = "(YYYY|MM?|DD?)"
_DATES = re.compile(
    "(?=.*Y)(?=.*M)(?=.*D)"
    f"(?:{_PART}([-./]){_PART}\\2{_PART}|YYYYMMDD|DDMMYYYY|MMDDYYYY)"
)
_ADDRESS = re.compile(
    r"duckdb:///.*[^/].*|postgres(?:ql)?://.*[^/].*|k8s://https://.+"
    rf"|spark://(?!local)[^\[/]+|{WITHOUT_HOST.pattern}",
    re.DOTALL,
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
        if delimiter == quote or (delimiter == decimal and not quote):
            raise InvalidInput(
                "delimiter and quote must differ, and numbers need a quote where the "
                f"delimiter is their decimal sign, got {delimiter!r}.",
                field="quote",
            )
        if decimal not in {".", ","}:
            raise InvalidInput(
                f"decimal must be a point or a comma, got {show_given(decimal)}.",
                field="decimal",
            )
        if not isinstance(dates, str) or not _DATES.fullmatch(dates):
            raise InvalidInput(
                "dates are written with YYYY, MM and DD, each once, and one sign "
                f"between, got {show_given(dates)}. Write 'DD.MM.YYYY', or "
                "'M/D/YYYY' where months and days may have one digit.",
                field="dates",
            )
        where = as_where(where)
        for condition in where:
            values = condition[2] if condition[1] == "in" else condition[2:]
            if not values or not all(isinstance(value, str) for value in values):
                raise InvalidInput(
                    "cells of CSV files are text and never null, and are compared with "
                    f"text, got {show_given(condition)}.",
                    field="where",
                )
        path = checked_path(str(path))
        columns = None if columns is None else _names_of(columns)
        settle(self, **locals())


@dataclass(frozen=True, slots=True, init=False)
class ParquetFiles:
    """Parquet files, with columns that names of folders hold and a choice of rows.

    Folders such as ``year=2026/month=03`` name columns. A value is read by its declared
    type; a value that is not of that type is a missing key. No type is ever guessed
    from values.

    Args:
        path: A folder with a slash at its end, a file name, or a glob.
        partitions: Columns that folders name, each with its kind: ``"text"``,
            ``"integer"``, ``"boolean"`` or ``"date"``.
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
        partitions: Mapping[str, str] | Partitions = (),
        where: Where = (),
    ) -> None:
        path, partitions = checked_path(str(path)), _partitions_of(partitions)
        where = as_where(where)
        settle(self, **locals())


@dataclass(frozen=True, slots=True, init=False)
class DatabaseTable:
    """A table where it lies; only sums leave the database.

    Args:
        url: ``postgres://host/database``, ``duckdb:///file.db`` or
            ``spark://host:7077``; of Spark also ``spark://local[*]``, ``spark://yarn``,
            ``k8s://https://host:443``, and ``spark://active`` for the session that
            this program has. A password is better kept in the environment
            (PGPASSWORD) or a password file than here. Or
            ``${NAME}``, a variable of the environment that holds the address.
        table: The name of a table; ``"schema.table"``, or a list of names where one
            of them holds a dot.
        path: Instead of a table, on Spark: the path of Parquet files, or of a folder.
        partitions: Columns that names of folders below the path hold, as in
            `ParquetFiles`.
        where: The conditions that a row must meet, as in `ParquetFiles`.
        view: The hash of a view's definition that you trust, of PostgreSQL or DuckDB;
            the message that refuses a view shows it. Without it, views are not read.

    Raises:
        InvalidInput: When the address, the name or a condition is not usable.

    Example:
        >>> DatabaseTable("postgres://ann:secret@db/loans", table="public.loans")
        DatabaseTable(table=('public', 'loans'), scheme='postgres')
    """

    url: str = field(repr=False)
    table: tuple[str, ...]
    path: str | None = field(repr=False)
    partitions: Partitions = field(repr=False)
    where: tuple[Condition, ...] = field(repr=False)
    view: str | None = field(repr=False)
    scheme: str = field(init=False)  # Empty where a variable holds the address.

    def __init__(
        self,
        url: str,
        *,
        table: str | Sequence[str] | None = None,
        path: str | None = None,
        partitions: Mapping[str, str] | Partitions = (),
        where: Where = (),
        view: str | None = None,
    ) -> None:
        scheme = _scheme_of(url)
        if view is not None and not (isinstance(view, str) and _HASH.fullmatch(view)):
            raise InvalidInput(
                "a view is trusted by the 64 hexadecimal digits of its definition, got "
                f"{show_given(view)}. Leave it out, and the message shows them.",
                field="view",
            )
        if path is None:
            table = _table_names(table)
        elif table or scheme not in {"spark", ""}:
            raise InvalidInput(
                "a table is read, or on Spark a path in its place, got "
                f"{show_given(path)}.",
                field="path",
            )
        if partitions and path is None:
            raise InvalidInput(
                f"partitions are of a path, got {show_given(partitions)}. Write "
                'path = "…/" beside them.',
                field="partitions",
            )
        if path is not None or scheme == "duckdb":
            checked_path(path or url.partition("://")[2])
        table, partitions = table or (), _partitions_of(partitions)
        where = as_where(where)
        settle(self, **locals())

    @property
    def shown(self) -> str:
        """The address without user, password and options."""
        return shown_address(self.url)

    @property
    def name(self) -> str:
        """The name of the table, for a message."""
        return ".".join(self.table) if self.path is None else self.path

    @property
    def file(self) -> str:
        """The path of the database's file."""
        return self.url.partition("://")[2].removeprefix("/")

    @property
    def cluster(self) -> str:
        """The cluster of Spark, however many cores of this machine are taken."""
        word = WITHOUT_HOST.fullmatch(self.url)
        if word is not None:
            return word[1].partition("[")[0]
        return urlsplit(self.url.removeprefix("k8s://")).netloc.rpartition("@")[2]


Source = CsvFile | ParquetFiles | DatabaseTable


def files_at(path: str, **terms: Any) -> CsvFile | ParquetFiles:  # noqa: ANN401
    """Return the files at a path: its end says what they are, or terms of a dialect.

    Raises:
        InvalidInput: When the path ends in neither .parquet, .csv nor a slash.
    """
    if path.endswith((".csv", ".csv.gz")) or not terms.keys() <= _TERMS_OF_PARQUET:
        if "partitions" in terms:
            raise InvalidInput(
                "partitions are those of Parquet files, and these are CSV files.",
                field="partitions",
            )
        return CsvFile(path, **terms)
    if not path.endswith((".parquet", "/")):
        raise InvalidInput(
            "a data path must end in .parquet, .csv, .csv.gz or /, got "
            f"{show_given(path)}. Name a .parquet or .csv file, a folder of Parquet "
            "files with a slash at its end, or pass CsvFile(path, …) with its dialect.",
            field="path",
        )
    return ParquetFiles(path, **terms)


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


def shown_address(url: str) -> str:
    """Return the scheme, host and path of an address, and no more of an odd one."""
    scheme, _, after = url.partition("://")
    if scheme == "duckdb" or WITHOUT_HOST.fullmatch(url):
        return url
    if scheme not in {*SCHEMES, "k8s"}:
        return "another address"
    try:
        parts = urlsplit(f"{scheme}://{after.removeprefix('https://')}")
    except ValueError:  # Brackets that hold no address.
        return f"{scheme}://…"
    if "@" in parts.path + parts.query + parts.fragment:
        return f"{scheme}://…"
    return f"{scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def as_where(where: object) -> tuple[Condition, ...]:
    """Return conditions as tuples, or raise InvalidInput."""
    if not isinstance(where, list | tuple) or len(where) > _MOST_CONDITIONS:
        raise InvalidInput(
            f"where must be a list of up to {_MOST_CONDITIONS} conditions, got "
            f'{show_given(where)}. Write where = [["day", ">=", "2026-11-09"]].',
            field="where",
        )
    return tuple(_condition(part, f"where[{nth}]") for nth, part in enumerate(where))


def _condition(condition: object, place: str) -> Condition:
    match condition:
        case [column, operator] if operator in NULLS:
            values: list[object] = []
        case [column, operator, value] if operator in _COMPARISONS:
            values = [_constant(value, place)]
        case [column, "in" as operator, [*listed]] if 0 < len(listed) <= _MOST_VALUES:
            values = [tuple(_constant(value, place) for value in listed)]
        case _:
            raise InvalidInput(
                f"a condition is a column, one of {', '.join(_COMPARISONS)} and a "
                f"value, 'in' and a list of 1 to {_MOST_VALUES} values, or one of "
                f"{', '.join(NULLS)}, got {show_given(condition)}.",
                field=place,
            )
    require_column_name(column)
    return column, operator, *values


def _constant(value: object, place: str) -> str | float:
    """Return a text, number or truth value; a date is its text."""
    if type(value) is dt.date:
        return value.isoformat()
    if isinstance(value, str) and "\x00" not in value and is_unicode(value):
        return value
    if isinstance(value, float) and math.isfinite(value):
        # JSON writes 5.0 as 5; and 0 has no sign.
        return int(value) if value.is_integer() and abs(value) < _EXACT else value
    if isinstance(value, int) and abs(value) <= _LARGEST_WHOLE:
        return value
    raise InvalidInput(
        "a condition compares with a text without NUL, a finite number, a whole number "
        f"of 64 bits, true, false or a date, got {show_given(value)}.",
        field=place,
    )


def _partitions_of(columns: Mapping[str, str] | Partitions) -> Partitions:
    pairs = tuple(dict(columns).items())
    for name, kind in pairs:
        require_column_name(name)
        require_one_of(kind, KINDS, "kind of a partition")
    names = [name.lower() for name, _ in pairs]
    if len(set(names)) < len(names) or any({"=", "/"} & set(name) for name in names):
        raise InvalidInput(
            "partitions are named once each, without = and /, got "
            f"{show_given(names)}.",
            field="partitions",
        )
    return pairs


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


def _scheme_of(url: str) -> str:
    """Return the kind of database at an address; empty where a variable holds it.

    A refused address is not shown whole: it may hold a password.
    """
    if "${" in url:
        if url != f"${{{variable_of(url)}}}":
            raise InvalidInput(
                "a variable must hold a whole address. Put all of it into the "
                'variable: url = "${ORDERS_DB}".',
                field="url",
            )
        return ""
    if not _ADDRESS.fullmatch(url):
        raise InvalidInput(
            f"an address names a database or cluster, got {shown_address(url)!r}. "
            "Write postgres://host/database, duckdb:///file.db, duckdb:////folder/"
            "file.db, spark://host:7077, spark://local[2], spark://yarn, k8s://https://"
            "host:443, or for the session of a program spark://active.",
            field="url",
        )
    scheme = url.partition("://")[0]
    return "spark" if scheme == "k8s" else scheme


def _table_names(table: object) -> tuple[str, ...]:
    parts = table.split(".") if isinstance(table, str) else table
    names = tuple(parts) if isinstance(parts, list | tuple) else ()
    is_named = all(isinstance(name, str) and name for name in names)
    if not is_named or not 1 <= len(names) <= _MOST_NAMES:
        raise InvalidInput(
            f"a table is named by one to three names, got {show_given(table)}. Write "
            "'table', 'schema.table' or ['schema', 'table.with.dots'].",
            field="table",
        )
    return names
