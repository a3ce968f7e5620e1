"""Connections to DuckDB that we did not make: no name of theirs stands in for ours.

DuckDB looks for a function among the macros of a database before its own, operators
included: after ``CREATE MACRO floor(x) AS x * 1000``, which a file keeps, every sum
changes, and "+" is a name like any other. A function of Python may join one of DuckDB's
under its name, for other types. Our statements call only functions of DuckDB. So a
connection is safe if each of these names means what it means on a fresh connection, and
nothing else. Types cannot be replaced, and neither can what is not a function in DuckDB
(CAST, TRY, CASE, coalesce, comparisons).
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from dpratio.curator.duckdb.table import connect
from dpratio.errors import InvalidInput

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
