"""A table of a database or cluster, named by its address."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from urllib.parse import urlsplit

from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.terms.source import (
    Partitions,
    as_partitions,
    checked_path,
    variable_of,
)
from dpratio.terms.where import Condition, Where, as_where

SCHEMES = ("duckdb", "postgres", "postgresql", "spark")
# What Spark has beside a standalone master: this machine, a cluster that its own
# settings name, and the session that a program has.
_WITHOUT_HOST = re.compile(
    r"spark://(local(?:\[(?:[1-9][0-9]{0,3}|\*)\])?|yarn|active)"
)
_ADDRESS = re.compile(
    r"duckdb:///.*[^/].*|postgres(?:ql)?://.*[^/].*|k8s://https://.+"
    rf"|spark://(?!local)[^\[/]+|{_WITHOUT_HOST.pattern}",
    re.DOTALL,
)
_MOST_NAMES = 3  # catalogue, schema, table


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
    scheme: str = field(init=False)  # Empty where a variable holds the address.
    written_as: str | None = field(init=False, repr=False, compare=False)

    def __init__(
        self,
        url: str,
        *,
        table: str | Sequence[str] | None = None,
        path: str | None = None,
        partitions: Mapping[str, str] | Sequence[str] | Partitions = (),
        where: Where = (),
    ) -> None:
        scheme = _scheme_of(url)
        names = () if not table and path is not None else _names_of(table)
        if names and path is not None:
            raise InvalidInput(
                f"one table or path is read, got {show_given([table, path])}.",
                field="path",
            )
        if path is not None and scheme not in {"spark", ""}:
            raise InvalidInput(
                f"only Spark reads paths through an address, got {show_given(path)}.",
                field="path",
            )
        if partitions and path is None:
            raise InvalidInput(
                f"partitions are of a path, got {show_given(partitions)}. Write "
                'path = "…/" beside them.',
                field="partitions",
            )
        if path is not None:
            checked_path(path)
        elif scheme == "duckdb":
            checked_path(url.partition("://")[2])
        fields = {
            "url": url,
            "table": names,
            "path": path,
            "partitions": as_partitions(partitions),
            "where": as_where(where),
            "scheme": scheme,
            "written_as": None,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def shown(self) -> str:
        """The address without user, password and options."""
        return self.written_as or _shown(self.url)

    @property
    def name(self) -> str:
        """The name of the table, for a message."""
        return ".".join(self.table) if self.path is None else self.path

    @property
    def file(self) -> str:
        """The path of the database's file."""
        return self.url.partition("://")[2].removeprefix("/")

    @property
    def master(self) -> str | None:
        """How Spark names the cluster; None for the session that is there."""
        word = _WITHOUT_HOST.fullmatch(self.url)
        if word is None:
            return self.url
        return None if word[1] == "active" else word[1]

    @property
    def cluster(self) -> str:
        """The cluster itself, however many cores of this machine are taken."""
        word = _WITHOUT_HOST.fullmatch(self.url)
        if word is not None:
            return word[1].partition("[")[0]
        return urlsplit(self.url.removeprefix("k8s://")).netloc.rpartition("@")[2]

    def at(self, url: str, path: str | None) -> "DatabaseTable":
        """Return the same table at the address, and path, that variables hold."""
        table = replace(self, url=url, path=path)
        object.__setattr__(table, "written_as", self.url)
        return table

    def beside(self, folder: PurePath) -> "DatabaseTable":
        """Return the table with its database's file as seen from a folder."""
        if self.scheme != "duckdb":
            return self
        return replace(self, url=f"{self.scheme}:///{folder / self.file}")


def _scheme_of(url: object) -> str:
    """Return the kind of database at an address; empty where a variable holds it."""
    # A refused address is not shown whole: it may hold a password.
    if not isinstance(url, str):
        kind = type(url).__name__
        raise InvalidInput(f"an address must be text, got {kind}.", field="url")
    if "${" in url:
        if url != f"${{{variable_of(url)}}}":
            raise InvalidInput(
                "a variable must hold a whole address. Put all of it into the "
                'variable: url = "${ORDERS_DB}".',
                field="url",
            )
        return ""
    if url.startswith("sc://"):
        raise InvalidInput(
            "Spark Connect is not read, got 'sc://…': its driver writes why a query "
            "stopped, cell and all. Run this in a program on the driver, and write "
            "spark://active.",
            field="url",
        )
    if not _ADDRESS.fullmatch(url):
        raise InvalidInput(
            f"an address names a database or cluster, got {_shown(url)!r}. Write "
            "postgres://host/database, duckdb:///file.db, duckdb:////folder/file.db, "
            "spark://host:7077, spark://local[2], spark://yarn, spark://active or "
            "k8s://https://host:443.",
            field="url",
        )
    scheme = url.partition("://")[0]
    return "spark" if scheme == "k8s" else scheme


def _names_of(table: object) -> tuple[str, ...]:
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


def _shown(url: str) -> str:
    """Return the scheme, host and path of an address, and no more of an odd one."""
    scheme, _, rest = url.partition("://")
    if scheme == "duckdb" or _WITHOUT_HOST.fullmatch(url):
        return url
    if scheme not in {*SCHEMES, "k8s"}:
        return "another address"
    try:
        parts = urlsplit(f"{scheme}://{rest.removeprefix('https://')}")
    except ValueError:  # Brackets that hold no address.
        return f"{scheme}://…"
    if "@" in parts.path + parts.query + parts.fragment:
        return f"{scheme}://…"
    return f"{scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
