"""A source as it is written: what an approval binds, and what a ledger keeps.

It says which data are meant and how they are read. It never holds a user, a password or
an option of an address, and it does not name the engine: engines agree to the integer.
"""

import re
from dataclasses import dataclass, fields
from urllib.parse import parse_qsl, unquote, urlsplit

from dpratio.codec import TEXT, canonical, many, parse_json, record
from dpratio.errors import InvalidInput
from dpratio.terms.source import (
    ISO_DATES,
    Condition,
    CsvFile,
    DatabaseTable,
    ParquetFiles,
)
from dpratio.terms.study_file import WHERE

_NAME = re.compile(r"\w([\w .:/-]{0,98}\w)?")


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
        where: The conditions that rows meet, of files or of a database.
        partitions: Columns that names of folders hold, each with its kind.
        url: The variable that holds an address, in place of what stands in one.
        view: The hash of a view's definition.

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
    where: tuple[Condition, ...] = ()
    partitions: tuple[str, ...] = ()
    url: str | None = None
    view: str | None = None

    def __post_init__(self) -> None:
        if [self.name, self.path, self.table].count(None) != 2:  # noqa: PLR2004
            raise InvalidInput("a source is one name, path or table.")
        if self.name is not None and not _NAME.fullmatch(self.name):
            raise InvalidInput(
                f"a table in memory needs a plain name, got {self.name!r}. Use up to "
                "100 letters, digits, and within them spaces and . : / -",
                field="name",
            )

    @property
    def text(self) -> str:
        """The description as JSON, the same for the same source."""
        return canonical(_DESCRIPTION.write(self)).decode()

    def differences(self, other: "SourceDescription") -> list[str]:
        """Return the fields in which two descriptions differ, in their order."""
        return [
            field.name
            for field in fields(self)
            if getattr(self, field.name) != getattr(other, field.name)
        ]

    def __str__(self) -> str:
        if self.name is not None:
            return f"table in memory {self.name!r}"
        what = "table" if self.table else "path" if self.scheme or self.url else "files"
        parts = [f"{what} {self.path or '.'.join(self.table or ())!r}"]
        if what != "files":
            url = self.url or f"{self.scheme}://{self.host or ''}"
            parts[0] += f" at '{'/'.join(filter(None, [url, self.database]))}'"
        parts += [
            f"{name} {getattr(self, name)!r}"
            for name in ("delimiter", "quote", "decimal", "dates")
            if getattr(self, name) is not None
        ]
        if self.columns:
            parts.append(f"columns {', '.join(map(repr, self.columns))}")
        if self.partitions:
            parts.append(f"folders of {', '.join(self.partitions)}")
        if self.view:
            parts.append(f"a view whose definition is {self.view}")
        if self.where:
            parts.append(f"rows where {' and '.join(map(_shown, self.where))}")
        return ", ".join(parts)


_DESCRIPTION = record(
    SourceDescription,
    **{
        field.name: TEXT.optional()
        for field in fields(SourceDescription)
        if field.name not in {"columns", "table", "where", "partitions"}
    },
    columns=many(TEXT).optional(),
    table=many(TEXT).optional(),
    where=WHERE.optional(()),
    partitions=many(TEXT).optional(()),
)


def description_of(
    source: CsvFile | ParquetFiles | DatabaseTable,
) -> SourceDescription:
    """Describe Parquet files, CSV files or a table of a database, as written.

    Raises:
        InvalidInput: When an address cannot be read for certain.

    Example:
        >>> table = DatabaseTable("postgres://ann:secret@DB/loans", table="all.loans")
        >>> print(description_of(table))
        table 'all.loans' at 'postgresql://db/loans'
    """
    if isinstance(source, CsvFile):
        return SourceDescription(
            path=source.path,
            delimiter=source.delimiter,
            quote=source.quote,
            columns=source.columns,
            decimal=None if source.decimal == "." else source.decimal,
            dates=None if source.dates == ISO_DATES else source.dates,
            where=source.where,
        )
    folders = tuple(f"{name}={kind}" for name, kind in source.partitions)
    if isinstance(source, ParquetFiles):
        return SourceDescription(
            path=source.path, partitions=folders, where=source.where
        )
    is_known = bool(source.scheme)
    host, database = _address(source) if is_known else (None, None)
    scheme = "postgresql" if source.scheme == "postgres" else source.scheme
    return SourceDescription(
        path=source.path,
        scheme=scheme or None,
        host=host,
        database=database,
        url=None if is_known else source.url,
        table=source.table or None,
        where=source.where,
        partitions=folders,
        view=source.view,
    )


def description_from_text(text: str) -> SourceDescription:
    """Return the description that was written as JSON.

    Raises:
        DocumentRefused: When it is not a description of a source.
    """
    description: SourceDescription = _DESCRIPTION.read(parse_json(text), "$")
    return description


def _shown(condition: Condition) -> str:
    column, operator, *values = condition
    return " ".join([column, operator, *map(repr, values)])


def _address(source: DatabaseTable) -> tuple[str | None, str | None]:
    """Return the host and the database of an address, and nothing else of it."""
    if source.scheme == "duckdb":
        return None, source.file
    if source.scheme == "spark":
        return source.cluster.lower(), None
    parts = urlsplit(source.url)
    if "@" in parts.path + parts.query + parts.fragment:
        raise InvalidInput(
            f"the address of a source must be plain, got {source.shown!r}. Write @, / "
            "and ? in a password as %40, %2F and %3F, or use PGPASSWORD.",
            field="url",
        )
    # PostgreSQL takes these before what stands in the address itself.
    options = dict(parse_qsl(parts.query))
    host = options.get("host", options.get("hostaddr", parts.netloc.rpartition("@")[2]))
    if "service" in options:
        host = f"service {options['service']}"
    if "port" in options:
        host = f"{host}:{options['port']}"
    database = options.get("dbname", unquote(parts.path.strip("/"))) or None
    # A path names a socket.
    return host if host.startswith("/") else host.lower(), database
