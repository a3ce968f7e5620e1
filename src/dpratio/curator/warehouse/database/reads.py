"""The tables that an Ibis expression reads, each as often as it is read.

The statement that Ibis writes is taken apart; views of the database are followed. A
table of PostgreSQL is read with those that are parts of it.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping

import sqlglot
import sqlglot.expressions as sql

from dpratio.curator.duckdb.table import identifier
from dpratio.curator.warehouse.database.catalogues import VIEW, what_is
from dpratio.curator.warehouse.dialect import Backend, Value

__all__ = ["tables_of"]

Reads = Counter[Hashable]

_PARTS = """
WITH RECURSIVE parts (oid) AS (
  SELECT pg_catalog.to_regclass(%s)::pg_catalog.oid
  UNION ALL
  SELECT i.inhrelid FROM pg_catalog.pg_inherits i JOIN parts p ON i.inhparent = p.oid
) SELECT oid FROM parts
"""


def tables_of(backend: Backend, rows: Value) -> Iterator[Hashable]:
    """List the tables that an expression reads, one as often as it is read."""
    written = backend.compiler.to_sqlglot(rows.unbind())
    yield from _part(backend, written, {}).elements()


def _part(backend: Backend, node: object, named: Mapping[str, Reads]) -> Reads:
    """Count what a part of a statement reads, given what WITH has named."""
    if isinstance(node, list):
        return sum((_part(backend, each, named) for each in node), Counter())
    if not isinstance(node, sql.Expression):
        return Counter()
    if isinstance(node, sql.Table) and isinstance(node.this, sql.Identifier):
        names = tuple(part.name for part in node.parts)
        return named[names[0]] if names[0] in named else _table(backend, names)
    given = node.args.get("with_")
    for each in given.expressions if given is not None else ():
        named = {**named, each.alias: _part(backend, each.this, named)}
    rest = [value for name, value in node.args.items() if name != "with_"]
    return _part(backend, rest, named)


def _table(backend: Backend, names: tuple[str, ...]) -> Reads:
    found = what_is(backend, names)
    if found is None:
        return Counter([names])
    if found.kind != VIEW:
        is_divided = backend.name == "postgres"
        return (
            _with_parts(backend, found.names) if is_divided else Counter([found.names])
        )
    [view] = sqlglot.parse(found.written, read=backend.dialect)
    body = view.expression if isinstance(view, sql.Create) else view
    return _part(backend, body, {})


def _with_parts(backend: Backend, names: tuple[str, ...]) -> Reads:
    """Count a table of PostgreSQL, its partitions and the tables that inherit."""
    quoted = ".".join(identifier(name) for name in names)
    with backend.begin() as cursor:
        return Counter(cursor.execute(_PARTS, (quoted,)).fetchall())
