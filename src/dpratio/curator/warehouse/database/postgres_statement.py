"""How a statement is written for PostgreSQL: each number is worked out once.

PostgreSQL merges a SELECT into the one around it, and then evaluates an expression as
often as it is named: with steps that name a number three times each, hundreds of times.
OFFSET 0 keeps the steps apart, and does nothing else.

Declared keys are passed beside the statement: with a temporary table, or a cursor of
the server, PostgreSQL would not share the work among processes.
"""

from collections.abc import Sequence
from typing import Any

import ibis.expr.operations as ops
import sqlglot.expressions as sql

from dpratio.checks import import_extra
from dpratio.curator.warehouse.dialect import Backend, Value, by_name
from dpratio.curator.warehouse.functions import builtin

_BYTEWISE = "dpratio_bytewise"
_bytewise = builtin(_BYTEWISE, "string", "string")
_COLLATION = sql.Dot.build(
    [sql.to_identifier("pg_catalog"), sql.to_identifier("C", quoted=True)]
)

_ARRAYS = {"int64": "BIGINT[]", "string": "TEXT[]"}


def bytewise(text: Value) -> Value:
    """Compare text by its bytes.

    Ibis knows no collations: `write` puts this one in, which costs far less than
    reading text as bytes.
    """
    return _bytewise(text)


def run(backend: Backend, asked: Value) -> dict[str, list[Any]]:
    """Run a query, and give its columns."""
    psycopg = import_extra("psycopg", "engines")
    written, arrays = write(backend, asked)
    with backend.con.transaction(), psycopg.RawCursor(backend.con) as cursor:
        cursor.execute(written.encode(), arrays, prepare=False)
        return by_name([each.name for each in cursor.description], cursor.fetchall())


def write(backend: Backend, asked: Value) -> tuple[str, list[Sequence[Any]]]:
    """Write a query, with the arrays that are its parameters."""
    query = backend.compiler.to_sqlglot(asked.unbind()).transform(_collated)
    for select in query.find_all(sql.Select):
        if isinstance(select.parent, (sql.Subquery, sql.CTE)):
            select.set("offset", sql.Offset(expression=sql.Literal.number(0)))
    arrays: list[Sequence[Any]] = []
    declared = {each.name: each for each in asked.op().find(ops.InMemoryTable)}
    for table in list(query.find_all(sql.Table)):
        if table.name in declared:
            table.replace(_unnested(table, declared[table.name], arrays))
    return query.sql(backend.dialect), arrays


def _collated(node: sql.Expression) -> sql.Expression:
    """Write what is compared by its bytes."""
    if not isinstance(node, sql.Anonymous) or node.name != _BYTEWISE:
        return node
    [text] = node.expressions
    return sql.paren(sql.Collate(this=text, expression=_COLLATION.copy()))


def _unnested(
    table: sql.Table, given: ops.InMemoryTable, arrays: list[Sequence[Any]]
) -> sql.Expression:
    """Write a table as arrays that are taken apart side by side."""
    columns = given.data.to_pyarrow(given.schema).to_pydict()
    taken = []
    for name, cells in columns.items():
        arrays.append(cells)
        array = sql.cast(
            sql.Var(this=f"${len(arrays)}"), _ARRAYS[str(given.schema[name])]
        )
        call = sql.Anonymous(this="unnest", expressions=[array])
        taken.append(
            sql.alias_(sql.Dot(this=sql.Var(this="pg_catalog"), expression=call), name)
        )
    alias = sql.TableAlias(this=sql.to_identifier(table.alias_or_name, quoted=True))
    return sql.Subquery(this=sql.select(*taken), alias=alias)
