"""A table as its database has it: its public schema, and the one way to ask it."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpratio.curator.reading.statement import ColumnType
from dpratio.curator.sql.dialect import Column, Dialect
from dpratio.errors import FileRefused, SchemaRefused
from dpratio.terms.source import DatabaseTable

# The columns of an answer, by name.
Answer = Mapping[str, Sequence[Any]]

TABLE, VIEW, OTHER = "table", "view", "other"


@dataclass(frozen=True, slots=True)
class Origin:
    """What a database knows about a table that was opened.

    Args:
        server: Its host, port and database; empty where the database is a file.
        base: The names of the table in full.
    """

    server: tuple[str, str, str]
    base: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its public schema; rows are read only when it is asked.

    Args:
        types: The public schema.
        columns: Of the columns that are read, how the database has them.
        source: What stands behind FROM.
        dialect: Of its database.
        ask: Run a query and return the columns of its answer.
        where: Conditions on its rows, in SQL.
        origin: What the database knows about it.
        hide: How an expression that reads a cell is kept from a database that trusts
            the statistics of a file.
    """

    types: Mapping[str, ColumnType]
    columns: Mapping[str, Column]
    source: str
    dialect: Dialect
    ask: Callable[[str], Answer]
    where: Sequence[str] = ()
    origin: Origin | None = None
    hide: str = "{}"


def origin_of(opened: object) -> Origin | None:
    """Return what its database knows about a table; None where there is none."""
    return opened.origin if isinstance(opened, Table) else None


def columns_of(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> Answer:
    """Return the columns of rows, by their names.

    Example:
        >>> columns_of(["a", "b"], [(1, 2), (3, 4)])
        {'a': [1, 3], 'b': [2, 4]}
    """
    return {name: [row[index] for row in rows] for index, name in enumerate(names)}


def require_stored(
    kind: str | None, source: DatabaseTable, definition: str | None = None
) -> None:
    """Raise unless a name is that of a stored table, or of a view that is trusted.

    Args:
        kind: What has the name: `TABLE`, `VIEW`, `OTHER`, or None for nothing.
        source: The table as it was named.
        definition: Of a view that could be trusted.

    Raises:
        FileRefused: When nothing has the name.
        SchemaRefused: When it is a view, or may be made of anything.
    """
    if kind is None:
        raise FileRefused(
            f"there is no table '{source.name}' at '{source.shown}' that you may read. "
            "Check its name and schema."
        )
    if kind == VIEW and definition is not None:
        digest = hashlib.sha256(definition.encode()).hexdigest()
        if source.view != digest:
            raise SchemaRefused(
                f"'{source.name}' is a view, and one person may be in many rows of it. "
                "Name the table behind it; or, with a unit of ids, trust this "
                f'definition and nothing that replaces it: view = "{digest}".',
                field="view",
            )
    elif kind == VIEW:
        raise SchemaRefused(
            f"'{source.name}' is a view, and views are not read: one person may be in "
            "many rows of it. Name the table behind it, or store what the view gives "
            "in a table, one row of which is about one person."
        )
    elif source.view is not None:
        raise SchemaRefused(
            f"'{source.name}' is no view whose definition could be trusted. Leave "
            "view out.",
            field="view",
        )
    if kind == OTHER:
        raise SchemaRefused(
            f"'{source.name}' is no table of the database's own, and may be made of "
            "anything. Store what it gives in a table, one row of which is about one "
            "person."
        )
