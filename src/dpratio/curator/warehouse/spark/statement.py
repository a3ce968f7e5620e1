"""How a statement is written for Spark: rows of one id are brought together once.

Totals of ids and groups need rows sent to where those of the same id and group are, and
the choice of an id's groups needs them sent again, by ids. Rows that are sent by ids at
once need not be sent a second time. They are sent before they are added up, which costs
more where ids have many rows in a group: `units` marks ids that are said to have few.
"""

import sqlglot.expressions as sql

from dpratio.curator.warehouse.dialect import Backend, Value
from dpratio.curator.warehouse.functions import builtin

__all__ = ["gathered", "write"]

_GATHERED = "dpratio_gathered"


def gathered(unit: Value) -> Value:
    """Mark an id whose rows are brought together, in a step of their own.

    Ibis cannot say so: `write` puts it in.
    """
    kind = str(unit.type())
    return builtin(_GATHERED, kind, kind)(unit)


def write(backend: Backend, asked: Value) -> str:
    """Write a query."""
    query = backend.compiler.to_sqlglot(asked.unbind())
    for mark in list(query.find_all(sql.Anonymous)):
        if mark.name.lower() == _GATHERED:
            by = sql.column(mark.parent.alias, quoted=True)
            select = mark.find_ancestor(sql.Select)
            select.set("distribute", sql.Distribute(expressions=[by]))
            mark.replace(mark.expressions[0])
    written: str = query.sql(backend.dialect)
    return written
