"""A table of a database or cluster, named by its address."""

import contextlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from urllib.parse import urlsplit

from dpratio.checks import require
from dpratio.terms.source import (
    ParquetFiles,
    Partitions,
    checked_path,
    require_condition,
    variable_of_address,
)

__all__ = ["SCHEMES", "DatabaseTable"]

SCHEMES = ("duckdb", "postgres", "postgresql", "spark")
# What Spark has beside a standalone master: this machine, a cluster that its own
# settings name, and the session that a program has.
_WITHOUT_HOST = re.compile(
    r"spark://(local(?:\[(?:[1-9][0-9]{0,3}|\*)\])?|yarn|active)"
)
_KUBERNETES = "k8s://https://"
_MOST_NAMES = 3  # catalogue, schema, table

Name = str | Sequence[str]


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
        partitions: Of a path: columns that names of folders hold, as in `ParquetFiles`.
        where: Which rows are read, for instance ``"day >= '2026-11-09'"``: columns
            are compared with constants. Names of columns are taken as they are
            written.

    Raises:
        InvalidInput: When the address or the name is not usable.

    Example:
        >>> DatabaseTable("postgres://ann:secret@db/loans", table="public.loans")
        DatabaseTable(scheme='postgres', names=('public', 'loans'))
    """

    scheme: str
    url: str = field(repr=False)
    names: tuple[str, ...]
    path: str | None = field(repr=False)
    partitions: Partitions = field(repr=False)
    where: str | None = field(repr=False)
    written_as: str | None = field(repr=False, compare=False)

    def __init__(
        self,
        url: str,
        *,
        table: Name | None = None,
        path: str | None = None,
        partitions: Mapping[str, str] | Sequence[str] | None = None,
        where: str | None = None,
    ) -> None:
        is_known = variable_of_address(url) is None
        scheme = _scheme(url) if is_known else ""
        given = {"table": table, "path": path}
        named = [name for name, value in given.items() if value is not None]
        hint = "Write table = …, or on Spark path = …"
        require(len(named) == 1, "one table or path is read", named, hint)
        on_spark = path is None or scheme == "spark" or not is_known
        require(on_spark, "only Spark reads paths through an address", path, hint)
        hint = 'Write path = "…/" beside it.'
        in_folders = path is not None or partitions is None
        require(in_folders, "partitions are of a path", partitions, hint)
        if path is not None:
            checked_path(str(path))
        elif scheme == "duckdb":
            checked_path(url.partition("://")[2])
        told = None if partitions is None else ParquetFiles(path, partitions=partitions)
        require_condition(where)
        names = () if path is not None else _names(table)
        object.__setattr__(self, "scheme", scheme)
        object.__setattr__(self, "url", url)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "path", path)
        object.__setattr__(self, "partitions", () if told is None else told.partitions)
        object.__setattr__(self, "where", where)
        object.__setattr__(self, "written_as", None)

    @property
    def shown(self) -> str:
        """The address without user, password and options."""
        return self.written_as or str(_shown(self.url))

    @property
    def name(self) -> str:
        """The name of the table, for a message."""
        return ".".join(self.names) if self.path is None else self.path

    @property
    def is_file(self) -> bool:
        """Whether the database is a file."""
        return self.scheme == "duckdb"

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
        """Take the same table at the address, and path, that variables hold."""
        made = DatabaseTable(
            url,
            table=self.names if path is None else None,
            path=path,
            partitions=dict(self.partitions) or None,
            where=self.where,
        )
        object.__setattr__(made, "written_as", self.url)
        return made

    def beside(self, folder: PurePath) -> "DatabaseTable":
        """Take the path of a database's file as seen from a folder."""
        if not self.is_file:
            return self
        url = f"{self.scheme}:///{folder / self.file}"
        return DatabaseTable(url, table=self.names, where=self.where)


def _scheme(url: object) -> str:
    """Read the kind of a database off its address."""
    scheme, _, rest = url.partition("://") if isinstance(url, str) else ("", "", "")
    hint = f"Begin it with one of: {', '.join(f'{each}://' for each in SCHEMES)}."
    is_spark = _is_spark(url)
    known = is_spark or (scheme in SCHEMES and rest.strip("/") != "")
    require(known, "an address must name a database", _shown(url), hint)
    in_place = scheme != "duckdb" or rest.startswith("/")
    hint = f"Write {scheme}:///file.db, or {scheme}:////folder/file.db."
    require(in_place, "the address of a file has no host", _shown(url), hint)
    return "spark" if is_spark else scheme


def _is_spark(url: object) -> bool:
    """Tell whether an address is one of Spark; refuse what cannot work.

    Raises:
        InvalidInput: When it is of Spark, and leads to no cluster that can be read.
    """
    written = url if isinstance(url, str) else ""
    hint = (
        "A driver of Spark Connect writes why a query stopped, cell and all. Run this "
        "in a program on the driver, and write spark://active."
    )
    is_far = written.startswith("sc://")
    require(not is_far, "Spark Connect is not read", "sc://…", hint)
    if written.startswith("k8s:"):
        hint = "Write k8s://https://host:443, as Spark does."
        has_host = written.startswith(_KUBERNETES) and len(written) > len(_KUBERNETES)
        require(has_host, "a master of Kubernetes has a host", "k8s://…", hint)
        return True
    rest = written.removeprefix("spark://")
    if rest == written or rest.strip("/") == "":
        return False
    hint = (
        "Write spark://local[2], spark://local[*], spark://yarn, spark://active or "
        "spark://host:7077."
    )
    odd = "[" in rest or "/" in rest or rest.startswith("local")
    known = _WITHOUT_HOST.fullmatch(written) is not None or not odd
    require(known, "an address of Spark names a cluster", _shown(url), hint)
    return True


def _names(given: object) -> tuple[str, ...]:
    parts = given.split(".") if isinstance(given, str) else given
    names = tuple(parts) if isinstance(parts, Sequence) else ()
    usable = all(isinstance(name, str) and name for name in names)
    hint = "Write 'table', 'schema.table' or ['schema', 'table.with.dots']."
    few = usable and 1 <= len(names) <= _MOST_NAMES
    require(few, "a table is named by one to three names", given, hint)
    return names


def _shown(url: object) -> object:
    """Show the scheme, host and path of an address, and no more of an odd one."""
    if not isinstance(url, str):
        return type(url).__name__
    if _WITHOUT_HOST.fullmatch(url):
        return url
    scheme, _, rest = url.partition("://")
    if url.startswith(_KUBERNETES):
        url = f"k8s://{rest.removeprefix('https://')}"
    parts = None
    if scheme in {*SCHEMES, "k8s"}:
        with contextlib.suppress(ValueError):  # Brackets that hold no address.
            parts = urlsplit(url)
    if parts is None or "@" in parts.path + parts.query + parts.fragment:
        return f"{scheme}://…" if scheme in SCHEMES else "another address"
    if scheme == "duckdb":
        return f"{scheme}://{rest}"
    return f"{scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
