"""PostgreSQL connections that we did not make: what our statements call is its own.

A function of ours that Ibis does not know is called by its schema. Ibis writes the rest
by name alone, operators included, and PostgreSQL prefers one of any schema on the path
whose types fit exactly: a ``%`` of bigint and integer in ``public`` comes before its
own of bigint and bigint. On a connection of ours no other schema is on the path.
"""

from collections.abc import Sequence

from dpratio.curator.warehouse.dialect import Backend
from dpratio.errors import InvalidInput

__all__ = ["FUNCTIONS", "OPERATORS", "require_own_names"]

# What statements call by name alone; a test reads them from statements.
OPERATORS = frozenset(["+", "-", "*", "/", "%", "<", "<=", ">", ">=", "=", "~"])
FUNCTIONS = frozenset(
    ["abs", "count", "floor", "make_date", "max", "row_number", "sum"]
)

# Numbers, days and bytes: what these are called with. Others may have what they like
# for types of their own (citext, geometry, hstore).
_TYPES = frozenset(
    (
        "boolean",
        "smallint",
        "integer",
        "bigint",
        "real",
        "double precision",
        "numeric",
        "bytea",
        "date",
        "timestamp without time zone",
        "timestamp with time zone",
        "any",
        "anyelement",
        "anynonarray",
        "anycompatible",
    )
)

# Visible is what is on the path, where nothing of the same types comes before it.
_LISTED = """
SELECT o.oprname::pg_catalog.text, ARRAY[o.oprleft, o.oprright]::pg_catalog.regtype[]
  ::pg_catalog.text[]
FROM pg_catalog.pg_operator o JOIN pg_catalog.pg_namespace n
  ON n.oid OPERATOR(pg_catalog.=) o.oprnamespace
WHERE n.nspname OPERATOR(pg_catalog.<>) 'pg_catalog'
  AND pg_catalog.pg_operator_is_visible(o.oid)
UNION ALL
SELECT p.proname::pg_catalog.text, p.proargtypes::pg_catalog.regtype[]
  ::pg_catalog.text[]
FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n
  ON n.oid OPERATOR(pg_catalog.=) p.pronamespace
WHERE n.nspname OPERATOR(pg_catalog.<>) 'pg_catalog'
  AND pg_catalog.pg_function_is_visible(p.oid)
"""


def require_own_names(backend: Backend) -> None:
    """Refuse a connection on which others could stand in for PostgreSQL's own."""
    with backend.begin() as cursor:
        listed = cursor.execute(_LISTED).fetchall()
    others = sorted(name for name, types in listed if _stands_in(name, types))
    if others:
        raise InvalidInput(
            "a function means what PostgreSQL says, got a connection with "
            f"'{others[0]}' of another schema, which could stand in for its own. Take "
            "that schema off search_path, or name the table by its address."
        )


def _stands_in(name: str, types: Sequence[str]) -> bool:
    given = [each for each in types if each != "-"]
    return name in OPERATORS | FUNCTIONS and set(given) <= _TYPES and bool(given)
