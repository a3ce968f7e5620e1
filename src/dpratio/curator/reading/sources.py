"""Opening any source for DuckDB, and relations on connections that are not ours."""

import contextlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import duckdb

from dpratio.curator.noise.entropy import fresh_id
from dpratio.curator.reading.arrow import open_arrow
from dpratio.curator.reading.csv import open_csv
from dpratio.curator.reading.files import require_once
from dpratio.curator.reading.frames import open_mapping, open_pandas, open_polars
from dpratio.curator.reading.parquet import open_parquet
from dpratio.curator.reading.reads import reads_of
from dpratio.curator.reading.table import (
    Asked,
    Columns,
    DuckTable,
    as_named,
    connect,
    schema_of,
)
from dpratio.curator.reading.tables import kind_of, refuse_kind
from dpratio.errors import InvalidInput, SchemaRefused

Signature = tuple[str, ...]

# By its own full name, and without an operator or function that could be replaced.
_LISTED = (
    "SELECT function_name, database_name, schema_name, function_type, "
    "CAST(parameter_types AS VARCHAR), return_type, varargs "
    "FROM system.main.duckdb_functions()"
)


def require_own_functions(ask: Callable[[str], Any]) -> None:
    """Refuse a connection on which other functions could stand in for DuckDB's own.

    Whether they are on its search path does not matter: that may change.

    Args:
        ask: Runs a statement on the connection, and gives what can be fetched.

    Raises:
        InvalidInput: When a macro or function has the name of one of DuckDB.

    Guarantee:
        On a connection that passes, a function that DuckDB has means what it means on
        a fresh one. Proof: docs/proofs/warehouse.md.
    """
    own = _own()
    names = {name.lower() for name, *_ in own}
    others = {each[0].lower() for each in ask(_LISTED).fetchall() if each not in own}
    if others & names:
        raise InvalidInput(
            "a function means what DuckDB says, got a connection with another one "
            f"named '{min(others & names)}', which could stand in for DuckDB's own. "
            "Drop it, give it another name, or open the table on another connection."
        )


@cache
def _own() -> frozenset[Signature]:
    """List the functions of a fresh connection: they are the same for each."""
    with connect() as fresh:
        return frozenset(fresh.execute(_LISTED).fetchall())


def open_duck(source: object, statement: Asked) -> DuckTable:
    """Open any source that DuckDB can read.

    Args:
        source: A `CsvFile`, `ParquetFiles`, mapping, frame, stream or relation.
        statement: What will be asked; it names the columns.

    Raises:
        FileRefused: When a file, its header or its footer cannot be read.
        SchemaRefused: When files of one glob differ in their schema.
        InvalidInput: When the source belongs to another engine.
    """
    opener: dict[str, Callable[[Any, Asked], DuckTable]] = {
        "mapping": open_mapping,
        "csv": open_csv,
        "parquet": open_parquet,
        "pandas": open_pandas,
        "polars": open_polars,
        "arrow": open_arrow,
        "stream": lambda stream, asked: stream.open(asked),
        "relation": _open_relation,
    }
    kind = kind_of(source)
    if kind not in opener:
        refuse_kind("duckdb", kind)
    return opener[kind](source, statement)


def open_given(
    relation: Any,  # noqa: ANN401 (typed by DuckDB)
    statement: Asked,
) -> DuckTable:
    """Open a relation on a connection whose functions and reads were checked.

    Args:
        relation: Of a connection that may be anybody's.
        statement: What will be asked; it names the columns.
    """
    # A name nobody has: tables of the same connection must not stand in.
    name = f"dpratio_{fresh_id()}"

    def ask(query: str) -> Columns:
        return dict(relation.query(name, query).fetchnumpy())

    opened = as_named(schema_of(relation), statement, name, ask)
    return replace(opened, is_foreign=True)


def _open_relation(relation: Any, statement: Asked) -> DuckTable:  # noqa: ANN401
    opened = None
    with contextlib.suppress(duckdb.Error):
        opened = open_given(relation, statement)
    if opened is None:
        raise SchemaRefused("the relation cannot be read: its connection is closed.")

    def look(query: str) -> Any:  # noqa: ANN401
        return relation.query(opened.source, query)

    require_own_functions(look)
    require_once(reads_of(relation.sql_query(), look))
    return opened
