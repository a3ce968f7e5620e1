"""The source of a release: as it was written, and where it lies."""

import hashlib
import json
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from dpratio.checks import refuse, require
from dpratio.curator.ledger.account.place import (
    IN_FILES,
    IN_MEMORY,
    WILD,
    Place,
)
from dpratio.curator.ledger.account.source_description import (
    SourceDescription,
    description_of,
)
from dpratio.curator.reading.tables import as_source, kind_of
from dpratio.curator.reading.variables import as_written, resolved
from dpratio.curator.sql.table import Origin
from dpratio.terms.source import PERIOD, CsvFile, DatabaseTable, ParquetFiles

_ENDINGS = (".parquet", ".csv", ".csv.gz", "/")
_NAME = re.compile(r"[\w-]+")  # of a period
_HERE = {"", "localhost", "127.0.0.1", "::1", "[::1]"}
_PORT = "5432"


@dataclass(frozen=True, slots=True)
class Source:
    """What is approved, and what a scope binds.

    ``filled`` is where the data lie that a path with ``{period}`` stands for; empty
    where the place says it.
    """

    written: SourceDescription
    place: Place
    filled: str = ""


def named_source(name: str) -> Source:
    """Give the source of a table in memory: its name, and nothing else."""
    return Source(SourceDescription(name=name), Place(IN_MEMORY, (name.casefold(),)))


def written_source(given: object) -> SourceDescription:
    """Describe what an approval names: a path, a table of a database, or a name.

    Raises:
        InvalidInput: When it is something else.

    Example:
        >>> print(written_source("loans.csv"))
        files 'loans.csv', delimiter ',', quote '"'
        >>> print(written_source("orders 2026"))
        table in memory 'orders 2026'
    """
    if isinstance(given, str) and not given.endswith(_ENDINGS):
        return SourceDescription(name=given)
    source = as_source(given)
    if not isinstance(source, CsvFile | ParquetFiles | DatabaseTable):
        hint = (
            "Give the path, CsvFile or DatabaseTable that will be read; of a table in "
            "memory, the name that release_sums(…, source=…) will give it."
        )
        refuse("a source is a path, a table of a database or a name", given, hint)
    return description_of(source)


def source_of(
    table: object, named: object = None, *, origin: Origin | None = None
) -> Source | None:
    """Give the source of a table that is to be read.

    Args:
        table: The table, as `release_sums` takes it.
        named: The name of a table in memory; of files and databases the source as the
            study has it, where the table is seen from another folder.
        origin: What a database said about the table, where it was asked.

    Returns:
        The source; None for a table in memory without a name.

    Raises:
        InvalidInput: When the source is not that of the table.
    """
    source = as_source(table)
    if isinstance(source, CsvFile | ParquetFiles | DatabaseTable):
        return as_written(source, lambda: _stored(source, named, origin))
    kind_of(source)
    if named is None:
        return None
    hint = "Name it, for instance source='orders 2026'."
    is_name = isinstance(named, str) and not named.endswith(_ENDINGS)
    require(is_name, "a table in memory must have a name of its own", named, hint)
    return named_source(str(named))


def meant_source(table: object, named: object = None) -> Source:
    """Give the source that somebody means: a table that is stored, or a name.

    Raises:
        InvalidInput: When it is a table in memory, or the source is another's.
    """
    meant = written_source(table)
    if meant.name is None:
        source = as_source(table)
        return as_written(source, lambda: _stored(source, named, None))
    require(named is None, "a name must not stand for another source", named)
    return named_source(meant.name)


def salted_hash(written: SourceDescription, salt: str) -> str:
    """Give what may leave with a release: who has the salt can tell the source.

    Example:
        >>> salted_hash(SourceDescription(path="loans.csv"), "00")[:12]
        '11480c14f3e2'
    """
    return hashlib.sha256(f"{salt}:{written.text}".encode()).hexdigest()


def _stored(source: object, named: object, origin: Origin | None) -> Source:
    """Give the source of files or of a table in a database.

    The text keeps its variables; their values say where the source lies.
    """
    read = written_source(resolved(source))
    if named is None:
        return Source(written_source(source), _place(read, origin))
    written = written_source(named)
    meant = resolved(as_source(named)) if written.name is None else named
    whole = _whole(written_source(meant), read)
    hint = "Leave it out, or give the source of the table as the study has it."
    require(whole, "the source must be the table that is read", named, hint)
    place, lies = _place(whole or read, origin), _place(read, origin)
    return Source(written, place, "" if lies == place else lies.text)


def _whole(
    written: SourceDescription, read: SourceDescription
) -> SourceDescription | None:
    """Give what is written as seen from here; None where something else is read.

    ``{period}`` stays in it, whatever was put into its place.
    """
    if written == read:
        return read
    field = "database" if read.scheme == "duckdb" else "path"
    if written.differences(read) != [field]:
        return None
    plain = str(PurePath(getattr(written, field)))
    there = str(PurePath(getattr(read, field)))
    # The name of a period holds no slash, so both end in as many parts.
    own = "/".join(there.split("/")[-1 - plain.count("/") :])
    if not _is_filled(plain, own):
        return None
    whole: dict[str, Any] = {field: there.removesuffix(own) + plain}
    return replace(read, **whole)


def _is_filled(plain: str, own: str) -> bool:
    """Tell whether a path is another one, with the name of a period put into it."""
    head, period, tail = plain.partition(PERIOD)
    name = own.removeprefix(head).removesuffix(tail)
    is_name = _NAME.fullmatch(name) is not None if period else name == ""
    return is_name and own == f"{head}{name}{tail}"


def _place(read: SourceDescription, origin: Origin | None) -> Place:
    """Find where a source lies."""
    if read.path is not None:
        return Place(IN_FILES, (_real(read.path),), declared=_declared(read))
    names = read.table or ()
    if read.scheme == "duckdb":
        where = f"file:{_real(str(read.database))}"
    elif read.scheme == "postgresql":
        server = _server(read) if origin is None else origin.server
        host, port, database = server
        is_here = host in _HERE or host.startswith("/")
        shown = "localhost" if is_here else host.lower()
        where = f"{read.scheme}://{shown}:{port}/{database}"
    else:
        cluster = read.host if origin is None else origin.server[0]
        where = f"{read.scheme}://{cluster}"
    if origin is None:
        return Place(where, names)
    return Place(where, names, origin.base)


def _declared(read: SourceDescription) -> str:
    """Say how files are read; nothing where they say it themselves."""
    if read.partitions:
        return json.dumps(read.partitions)
    if read.delimiter is None:
        return ""
    return json.dumps([read.delimiter, read.quote, read.columns])


def _real(path: str) -> str:
    """Resolve a path, or the fixed folder of a pattern."""
    first = WILD.search(path)
    if "://" in path or "\0" in path:
        return path
    if first is None or os.path.exists(path):  # noqa: PTH110 (never raises)
        return Path(os.path.realpath(path)).as_posix()
    folder, slash, begun = path[: first.start()].rpartition("/")
    rest = f"{begun}{path[first.start() :]}"
    hint = "Write the folder that is meant before the first wildcard."
    rule = "a pattern must not lead up again after a wildcard"
    require(".." not in rest.split("/"), rule, path, hint)
    real = os.path.realpath(f"{folder}{slash}" or ".")
    return f"{Path(real).as_posix().rstrip('/')}/{rest}"


def _server(read: SourceDescription) -> tuple[str, str, str]:
    """Give host, port and database of an address that was not connected to."""
    host, colon, port = (read.host or "").rpartition(":")
    has_port = bool(colon) and port.isdecimal()
    database = read.database or ""
    if has_port:
        return host, port, database
    return read.host or "", _PORT, database
