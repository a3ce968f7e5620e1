"""Views that keep rows apart: columns of one table, renamed, and rows chosen by them.

A view may hold anything: joins that double a person's rows, sums over many people,
functions with effects. One is read only if each of its rows is one row of a table,
untouched, and kept or dropped by comparing its own cells with constants of their type:
then one person is in as many rows as in the table, and nothing in the view can fail on
a cell. Proof: docs/proofs/warehouse.md.
Floor: curator. Imports: engine.
"""

from collections.abc import Mapping

import sqlglot
from sqlglot import expressions as sql

from dpratio.curator.engine import ColumnType

__all__ = ["PlainView", "read_view"]

Types = Mapping[str, ColumnType]

_COMPARISONS = (sql.EQ, sql.NEQ, sql.GT, sql.GTE, sql.LT, sql.LTE)
_TEXTS = {"TEXT", "VARCHAR"}
_CASTS = {
    **dict.fromkeys(_TEXTS, "text"),
    **dict.fromkeys(("SMALLINT", "INT", "BIGINT"), "integer"),
    **dict.fromkeys(("FLOAT", "DOUBLE"), "number"),
    **dict.fromkeys(("DATE", "TIMESTAMP", "TIMESTAMPTZ"), "date"),
}
_FITTING = {
    "integer": {"integer"},
    "number": {"integer", "number"},
    "text": {"text"},
    "boolean": {"boolean"},
    "date": {"date"},
}


class PlainView:
    """A view of one table, whose columns and conditions are yet to be checked."""

    def __init__(self, select: sql.Select, table: sql.Table) -> None:
        self._select = select
        parts = (table.args.get(each) for each in ("catalog", "db", "this"))
        self.base = tuple(str(part.this) for part in parts if part is not None)

    def keeps_rows_apart(self, types: Types) -> bool:
        """Tell whether it takes columns as they are and compares them with constants.

        Args:
            types: The public schema of the table behind the view.
        """
        condition = self._select.args.get("where")
        taken = all(_is_taken(each, types) for each in self._select.expressions)
        return taken and (condition is None or _is_total(condition.this, types))


def read_view(written: str, dialect: str) -> PlainView | None:
    """Read the statement of a view; None where it reads more than one table's rows."""
    try:
        made = sqlglot.parse_one(written, read=dialect)
    except sqlglot.errors.SqlglotError:
        return None
    select = made.expression if isinstance(made, sql.Create) else made
    if not isinstance(select, sql.Select):
        return None
    clauses = {name for name, value in select.args.items() if value}
    source = select.args.get("from_")
    if not clauses <= {"expressions", "from_", "where"} or source is None:
        return None
    table = source.this
    named = isinstance(table, sql.Table) and isinstance(table.this, sql.Identifier)
    if not named or not _given(table) <= {"this", "db", "catalog", "alias"}:
        return None
    return PlainView(select, table)


def _given(node: sql.Expression) -> set[str]:
    return {name for name, value in node.args.items() if value}


def _is_taken(node: sql.Expression, types: Types) -> bool:
    if isinstance(node, sql.Star):
        return not _given(node)
    column = node.this if isinstance(node, sql.Alias) else node
    return _kind_of_column(column, types) is not None


def _is_total(node: sql.Expression, types: Types) -> bool:
    """Tell whether a condition compares columns with constants, and no more."""
    if isinstance(node, sql.Paren | sql.Not):
        return _is_total(node.this, types)
    if isinstance(node, sql.And | sql.Or):
        return _is_total(node.this, types) and _is_total(node.expression, types)
    if isinstance(node, sql.Is):
        is_missing = isinstance(node.expression, sql.Null)
        return is_missing and _kind_of_column(node.this, types) is not None
    kind = _kind_of_column(node, types)
    if kind is not None:
        return kind == "boolean"
    compared = _compared(node)
    if compared is None:
        return False
    column, *constants = compared
    kind = _kind_of_column(column, types)
    kinds = {_kind_of_constant(each) for each in constants}
    return kind is not None and kinds <= _FITTING.get(kind, set())


def _compared(node: sql.Expression) -> list[sql.Expression] | None:
    """Give the column that is compared, and what with."""
    if isinstance(node, sql.Between):
        return [node.this, node.args["low"], node.args["high"]]
    if isinstance(node, sql.In):
        listed = _given(node) <= {"this", "expressions"}
        return [node.this, *node.expressions] if listed else None
    if not isinstance(node, _COMPARISONS):
        return None
    left, right = _bare(node.this), _bare(node.expression)
    if isinstance(right, sql.Any):  # As PostgreSQL writes IN.
        array = _bare(right.this)
        listed = isinstance(array, sql.Array) and isinstance(node, sql.EQ)
        return [left, *array.expressions] if listed else None
    return [right, left] if _kind_of_constant(left) is not None else [left, right]


def _bare(node: sql.Expression) -> sql.Expression:
    while isinstance(node, sql.Paren):
        node = node.this
    return node


def _kind_of_column(node: sql.Expression, types: Types) -> str | None:
    """Give the kind of a column of the table, perhaps cast from text to text."""
    node = _bare(node)
    if isinstance(node, sql.Cast) and node.to.this.name in _TEXTS:
        inner = _kind_of_column(node.this, types)
        return inner if inner == "text" else None
    if not isinstance(node, sql.Column) or not isinstance(node.this, sql.Identifier):
        return None
    given = types.get(node.name)
    if given is None:
        return None
    # Decimals are compared in a common scale, to which a cell may not fit.
    return "decimal" if given.name.startswith("decimal") else given.kind


def _kind_of_constant(node: sql.Expression) -> str | None:
    """Give the kind of a constant, perhaps cast to a type that it fits."""
    node = _bare(node)
    if isinstance(node, sql.Cast):
        known = _kind_of_constant(node.this) is not None
        return _CASTS.get(node.to.this.name) if known else None
    if isinstance(node, sql.Neg):
        inner = _kind_of_constant(node.this)
        return inner if inner in {"integer", "number"} else None
    if isinstance(node, sql.Boolean):
        return "boolean"
    if not isinstance(node, sql.Literal):
        return None
    if node.is_string:
        return "text"
    return "integer" if node.is_int else "number"
