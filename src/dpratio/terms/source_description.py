"""A source as it is written: what an approval binds, and what a ledger keeps.

It says which data are meant and how they are read. It never holds a user, a password or
an option of an address, and it does not name the engine: engines agree to the integer.
"""

import json
import re
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from dpratio.checks import require
from dpratio.errors import DocumentRefused
from dpratio.strict import Node
from dpratio.terms.database import DatabaseTable
from dpratio.terms.source import ISO_DATES, CsvFile, ParquetFiles

__all__ = ["SourceDescription", "description_from_text", "description_of"]

_NAME = re.compile(r"\w([\w .:/-]{0,98}\w)?")
_LISTS = ("columns", "table", "partitions")
_TEXTS = (
    *("name", "path", "delimiter", "quote", "decimal", "dates"),
    *("scheme", "host", "database", "where", "url"),
)


@dataclass(frozen=True, slots=True)
class SourceDescription:
    """One source: a name, files, or a table of a database.

    Args:
        name: The name that the curator gives a table in memory.
        path: A path or pattern of files; ``{period}`` stands for itself.
        delimiter: Of CSV files, as declared; ``quote`` and ``columns`` likewise.
        quote: See ``delimiter``.
        columns: See ``delimiter``.
        decimal: The decimal sign of CSV files, where it is not a point.
        dates: How their dates are written, where they are not those of ISO 8601.
        scheme: Of a database: its kind.
        host: Its host, with a port where one is written.
        database: Its name, or the path of its file.
        table: The names of a table.
        where: Which rows are read, of files or of a database.
        partitions: Columns that names of folders hold, each with its kind.
        url: The variable that holds an address, in place of what stands in one.

    Raises:
        InvalidInput: When it describes no source, or more than one.

    Example:
        >>> print(SourceDescription(path="loans/*.parquet"))
        files 'loans/*.parquet'
    """

    name: str | None = None
    path: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    columns: tuple[str, ...] | None = None
    decimal: str | None = None
    dates: str | None = None
    scheme: str | None = None
    host: str | None = None
    database: str | None = None
    table: tuple[str, ...] | None = None
    where: str | None = None
    partitions: tuple[str, ...] | None = None
    url: str | None = None

    def __post_init__(self) -> None:
        meant = (self.name, self.path, self.table)
        given = [each for each in meant if each is not None]
        rule = "a source is one name, path or table"
        require(len(given) == 1, rule, len(given))
        plain = self.name is None or _NAME.fullmatch(self.name)
        hint = "Use up to 100 letters, digits, and within them spaces and . : / -"
        require(plain, "a table in memory needs a plain name", self.name, hint)

    @property
    def text(self) -> str:
        """The description as JSON, the same for the same source."""
        given = {name: each for name, each in asdict(self).items() if each is not None}
        return json.dumps(given, sort_keys=True)

    @property
    def _folders(self) -> str:
        return f"folders of {', '.join(self.partitions or ())}"

    def differences(self, other: "SourceDescription") -> list[str]:
        """Name the fields in which two descriptions differ, in their order."""
        own, others = asdict(self), asdict(other)
        return [name for name in own if own[name] != others[name]]

    def __str__(self) -> str:
        if self.name is not None:
            return f"table in memory {self.name!r}"
        if self.scheme is None and self.url is None:
            told = [f"files {self.path!r}"]
            told += [] if self.delimiter is None else [f"delimiter {self.delimiter!r}"]
            told += [] if self.quote is None else [f"quote {self.quote!r}"]
            named = ", ".join(map(repr, self.columns or ()))
            told += [f"columns {named}"] if named else []
            told += [] if self.decimal is None else [f"decimal {self.decimal!r}"]
            told += [] if self.dates is None else [f"dates {self.dates!r}"]
            told += [self._folders] if self.partitions else []
            told += [] if self.where is None else [f"rows where {self.where}"]
            return ", ".join(told)
        at = self.url or f"{self.scheme}://{self.host or ''}"
        at += "" if self.database is None else f"/{self.database}"
        what = "path" if self.path is not None else "table"
        names = self.path or ".".join(self.table or ())
        what += "" if self.partitions is None else f" (in {self._folders})"
        kept = "" if self.where is None else f", rows where {self.where}"
        return f"{what} {names!r} at {at!r}{kept}"


def description_of(
    source: str | CsvFile | ParquetFiles | DatabaseTable,
) -> SourceDescription:
    """Describe Parquet files, CSV files or a table of a database, as written.

    Raises:
        InvalidInput: When an address cannot be read for certain.

    Example:
        >>> table = DatabaseTable("postgres://ann:secret@DB/loans", table="all.loans")
        >>> print(description_of(table))
        table 'all.loans' at 'postgresql://db/loans'
    """
    if isinstance(source, str):
        return SourceDescription(path=source)
    if isinstance(source, ParquetFiles):
        return SourceDescription(
            path=source.path,
            partitions=_folders(source) or None,
            where=source.where,
        )
    if isinstance(source, CsvFile):
        return SourceDescription(
            path=source.path,
            delimiter=source.delimiter,
            quote=source.quote,
            columns=source.columns,
            # What is usual is not written: a source of an older ledger stays the same.
            decimal=None if source.decimal == "." else source.decimal,
            dates=None if source.dates == ISO_DATES else source.dates,
            where=source.where,
        )
    names = None if source.path is not None else source.names
    is_known = bool(source.scheme)
    host, database = _address(source) if is_known else (None, None)
    scheme = "postgresql" if source.scheme == "postgres" else source.scheme
    return SourceDescription(
        path=source.path,
        scheme=scheme if is_known else None,
        host=host,
        database=database,
        url=None if is_known else source.url,
        table=names,
        where=source.where,
        partitions=_folders(source) or None,
    )


def _folders(source: ParquetFiles | DatabaseTable) -> tuple[str, ...]:
    return tuple(f"{name}={kind}" for name, kind in source.partitions)


def description_from_text(text: str) -> SourceDescription:
    """Read a description that was written as JSON.

    Raises:
        DocumentRefused: When it is not a description of a source.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise DocumentRefused("$: a source is described in JSON.") from None
    node = Node(document)
    fields = node.fields(optional=(*_TEXTS, *_LISTS))
    given: dict[str, Any] = {
        name: tuple(each.text() for each in at.items()) if name in _LISTS else at.text()
        for name, at in fields.items()
    }
    return node.make(lambda: SourceDescription(**given))


def _address(source: DatabaseTable) -> tuple[str | None, str | None]:
    """Give the host and the database of an address, and nothing else of it."""
    if source.is_file:
        return None, source.file
    if source.scheme == "spark":
        return source.cluster.lower(), None
    parts = urlsplit(source.url)
    plain = "@" not in parts.path + parts.query + parts.fragment
    hint = "Write @, / and ? in a password as %40, %2F and %3F, or use PGPASSWORD."
    require(plain, "the address of a source must be plain", source.shown, hint)
    # PostgreSQL takes these before what stands in the address itself.
    given = dict(parse_qsl(parts.query))
    host = given.get("host", given.get("hostaddr", parts.netloc.rpartition("@")[2]))
    if "service" in given:
        host = f"service {given['service']}"
    if "port" in given:
        host = f"{host}:{given['port']}"
    database = given.get("dbname", unquote(parts.path.strip("/"))) or None
    # A path names a socket.
    return host if host.startswith("/") else host.lower(), database
