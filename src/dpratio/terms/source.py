"""How a study writes its source: files with what they do not say, and variables.

Nothing is sniffed. ``${NAME}`` stands for a whole address, or begins a path: anywhere
else a study could send what a variable holds to a host of its own choice. Nothing here
reads a value.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dpratio.checks import require, require_one_of
from dpratio.terms.dimensions import KINDS
from dpratio.terms.ratio import require_column_name

__all__ = [
    "ISO_DATES",
    "PERIOD",
    "CsvFile",
    "ParquetFiles",
    "Partitions",
    "checked_path",
    "path_and_partitions",
    "require_condition",
    "variable_of_address",
    "variable_of_path",
]

# The columns that names of folders hold, each with the kind of its keys.
Partitions = tuple[tuple[str, str], ...]

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]{0,99})\}")
_LONGEST_CONDITION = 2000
_UNUSABLE = {"\n", "\r", "\x00", "\x01"}  # \x01 marks lines inside the engines.

PERIOD = "{period}"  # What a release fills in; see `Study`.
ISO_DATES = "YYYY-MM-DD"
_PART = "(YYYY|MM?|DD?)"
_DATES = re.compile(f"{_PART}([-./]){_PART}\\2{_PART}|YYYYMMDD|DDMMYYYY|MMDDYYYY")


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
        where: Which rows are read: a condition that compares columns with texts.

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
    decimal: str
    dates: str
    where: str | None

    def __init__(
        self,
        path: object,
        *,
        columns: Sequence[str] | None = None,
        delimiter: str = ",",
        quote: str = '"',
        decimal: str = ".",
        dates: str = ISO_DATES,
        where: str | None = None,
    ) -> None:
        _require_character(delimiter, "delimiter")
        if quote != "":
            _require_character(quote, "quote")
        require(delimiter != quote, "delimiter and quote must differ", delimiter)
        _require_forms(decimal, dates)
        hint = "Name the quote around such numbers, or the delimiter that the file has."
        rule = "a delimiter that is the decimal sign, too, needs a quote"
        require(quote != "" or delimiter != decimal, rule, delimiter, hint)
        names = None if columns is None else _read_names(columns)
        object.__setattr__(self, "path", checked_path(str(path)))
        object.__setattr__(self, "columns", names)
        object.__setattr__(self, "delimiter", delimiter)
        object.__setattr__(self, "quote", quote)
        object.__setattr__(self, "decimal", decimal)
        object.__setattr__(self, "dates", dates)
        require_condition(where)
        object.__setattr__(self, "where", where)

    def at(self, path: object) -> "CsvFile":
        """Take the same at another path."""
        return replace(self, path=str(path))


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
        where: Which rows are read: a condition that compares columns with constants of
            their type.

    Raises:
        InvalidInput: When a column has no name, or a kind that is not one of these.

    Example:
        >>> ParquetFiles("orders/", partitions={"year": "integer"}).partitions
        (('year', 'integer'),)
    """

    path: str
    partitions: Partitions
    where: str | None

    def __init__(
        self,
        path: object,
        *,
        partitions: Mapping[str, str] | Sequence[str] | None = None,
        where: str | None = None,
    ) -> None:
        require_condition(where)
        told = () if partitions is None else _read_partitions(partitions)
        object.__setattr__(self, "path", checked_path(str(path)))
        object.__setattr__(self, "partitions", told)
        object.__setattr__(self, "where", where)

    def at(self, path: object) -> "ParquetFiles":
        """Take the same at another path."""
        told = dict(self.partitions) or None
        return ParquetFiles(path, partitions=told, where=self.where)


def require_condition(where: object) -> None:
    """Refuse what is no condition, by its length and type alone."""
    said = isinstance(where, str) and where.strip() != ""
    hint = "Write where = \"day >= '2026-11-09'\", or leave it out."
    rule = f"where must be a condition of up to {_LONGEST_CONDITION} characters"
    short = isinstance(where, str) and len(where) <= _LONGEST_CONDITION
    require(where is None or (said and short), rule, where, hint)


def checked_path(path: str) -> str:
    """Give a path whose braces are of variables, and of one period.

    Raises:
        InvalidInput: When anything else stands in braces.

    Example:
        >>> checked_path("${LAKE}/weeks/{period}.csv")
        '${LAKE}/weeks/{period}.csv'
    """
    rest = _VARIABLE.sub("", path).replace(PERIOD, "", 1)
    plain = "{" not in rest and "}" not in rest
    hint = "Write for instance path = 'weeks/{period}.csv'; a variable as '${LAKE}/…'."
    require(plain, "a path holds {period} once, and no other braces", path, hint)
    return path


def path_and_partitions(source: str | ParquetFiles) -> tuple[str, Partitions]:
    """Give the path of Parquet files, and what folders say of them."""
    if isinstance(source, str):
        return source, ()
    return source.path, source.partitions


def variable_of_address(url: object) -> str | None:
    """Name the variable that holds an address; None where there is none.

    Raises:
        InvalidInput: When a variable is only a part of the address.

    Example:
        >>> variable_of_address("${ORDERS_DB}"), variable_of_address("duckdb:///a.db")
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


def _read_partitions(given: object) -> Partitions:
    listed = isinstance(given, list | tuple)
    rule = "partitions are columns by name, each with its kind"
    hint = 'Write partitions = { year = "integer", region = "text" }.'
    require(given and (listed or isinstance(given, Mapping)), rule, given, hint)
    pairs: Partitions = (
        tuple((name, "text") for name in given)  # type: ignore[attr-defined]
        if listed
        else tuple(given.items())  # type: ignore[attr-defined]
    )
    for name, _ in pairs:
        require_column_name(name)
    folded = [name.lower() for name, _ in pairs]
    plain = all("=" not in name and "/" not in name for name in folded)
    distinct = plain and len(set(folded)) == len(folded)
    require(distinct, "partitions must be named, each once", given, hint)
    for _, kind in pairs:
        require_one_of(kind, tuple(KINDS), "kind of a partition")
    return pairs


def _read_names(columns: object) -> tuple[str, ...]:
    listed = isinstance(columns, Sequence) and not isinstance(columns, str | bytes)
    names = tuple(columns) if isinstance(columns, Sequence) and listed else ()
    texts = bool(names) and all(isinstance(name, str) and name for name in names)
    distinct = texts and len(set(names)) == len(names)
    require(distinct, "CSV columns must be named, each once", columns)
    return names


def _require_forms(decimal: object, dates: object) -> None:
    """Refuse decimal signs that no number has, and dates without their three parts."""
    hint = "Say decimal = ',' where numbers are written 0,5."
    known = isinstance(decimal, str) and decimal in {".", ","}
    require(known, "decimal must be a point or a comma", decimal, hint)
    written = isinstance(dates, str) and _DATES.fullmatch(dates) is not None
    parts = {"Y", "M", "D"} <= set(str(dates))
    hint = (
        f"Write dates = '{ISO_DATES}', 'DD.MM.YYYY' or 'MM/DD/YYYY'; 'M/D/YYYY' where "
        "months and days may have one digit; 'YYYYMMDD' without a sign between."
    )
    rule = "dates are written with YYYY, MM and DD, each once, and one sign between"
    require(written and parts, rule, dates, hint)


def _require_character(given: object, what: str) -> None:
    usable = isinstance(given, str) and len(given) == 1 and given.isascii()
    hint = "Use one ASCII character such as ',' or ';' or a tab."
    require(
        usable and given not in _UNUSABLE, f"{what} must be one character", given, hint
    )
