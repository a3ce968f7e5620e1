"""Views that keep rows apart, read off their statement and asked of their table.

A view may hold anything: joins that double a person's rows, sums over many people,
functions with effects. One is read only if it takes columns of one table, gives them
other names, or keeps rows by comparing columns with constants. The view itself is never
asked: its columns and conditions are written anew over the table, so that however the
database reads its statement, each row is one row of the table.
Proof: docs/proofs/warehouse.md. Floor: curator. Imports: dialect.
"""

import datetime as dt
import operator
from collections.abc import Callable
from typing import Any

import ibis
import sqlglot
from sqlglot import expressions as sql

from dpratio.curator.warehouse.dialect import Dialect, Value

__all__ = ["PlainView", "read_view"]

_COMPARISONS: dict[type[sql.Expression], Callable[[Any, Any], Any]] = {
    sql.EQ: operator.eq,
    sql.NEQ: operator.ne,
    sql.GT: operator.gt,
    sql.GTE: operator.ge,
    sql.LT: operator.lt,
    sql.LTE: operator.le,
}
_MIRRORED: dict[Any, Any] = {
    sql.GT: sql.LT,
    sql.LT: sql.GT,
    sql.GTE: sql.LTE,
    sql.LTE: sql.GTE,
}

# How databases read these differs: a comment may hide what one of them runs.
_UNREAD = ("--", "/*", "#", "\r", "\\")


class NotPlainError(Exception):
    """A view does more than it may."""


class PlainView:
    """A view of one table: its base, and how to ask that for what the view gives."""

    def __init__(self, select: sql.Select, table: sql.Table, names: list[str]) -> None:
        self._select, self._named = select, names
        self._called = {table.name, table.alias} - {""}
        parts = (table.args.get(each) for each in ("catalog", "db", "this"))
        self.base = tuple(str(part.this) for part in parts if part is not None)

    def over(self, dialect: Dialect, table: Value) -> Value | None:
        """Write the view over its table; None where it does more than it may."""
        try:
            return self._written(dialect, table)
        except NotPlainError:
            return None

    def _written(self, dialect: Dialect, table: Value) -> Value:
        condition = self._select.args.get("where")
        columns = []
        for each in self._select.expressions:
            if isinstance(each, sql.Star):
                _require(not _given(each))
                columns += [table[name] for name in table.columns]
                continue
            is_named = isinstance(each, sql.Alias)
            column = self._column(each.this if is_named else each, table)
            columns.append(column.name(each.alias) if is_named else column)
        if self._named:
            _require(len(self._named) == len(columns))
            columns = [
                column.name(name)
                for column, name in zip(columns, self._named, strict=True)
            ]
        kept = table
        if condition is not None:
            kept = table.filter(self._condition(condition.this, dialect, table))
        return kept.select(*columns)

    def _condition(  # noqa: PLR0911 (one for each form)
        self, node: sql.Expression, dialect: Dialect, table: Value
    ) -> Value:
        """Write a condition that compares columns with constants of their kind."""
        node = _bare(node)
        if isinstance(node, sql.Not):
            return ~self._condition(node.this, dialect, table)
        if isinstance(node, sql.And | sql.Or):
            left = self._condition(node.this, dialect, table)
            right = self._condition(node.expression, dialect, table)
            return left & right if isinstance(node, sql.And) else left | right
        if isinstance(node, sql.Is):
            _require(isinstance(node.expression, sql.Null))
            return self._column(node.this, table).isnull()
        if isinstance(node, sql.Between):
            column = self._column(node.this, table)
            ends = (
                _constant(node.args[end], column, dialect) for end in ("low", "high")
            )
            return column.between(*ends)
        if isinstance(node, sql.In):
            _require(_given(node) <= {"this", "expressions"})
            return self._is_one_of(node.this, node.expressions, dialect, table)
        if type(node) in _COMPARISONS:
            return self._compared(node, dialect, table)
        column = self._column(node, table)
        _require(column.type().is_boolean())
        return column

    def _compared(self, node: sql.Expression, dialect: Dialect, table: Value) -> Value:
        kind: Any = type(node)
        left, right = _bare(node.this), _bare(node.expression)
        if isinstance(right, sql.Any):  # As PostgreSQL writes IN.
            listed = _bare(right.this)
            _require(kind is sql.EQ and isinstance(listed, sql.Array))
            return self._is_one_of(left, listed.expressions, dialect, table)
        if not isinstance(_uncast(left), sql.Column):
            left, right, kind = right, left, _MIRRORED.get(kind, kind)
        column = self._column(left, table)
        return _COMPARISONS[kind](column, _constant(right, column, dialect))

    def _is_one_of(
        self,
        node: sql.Expression,
        listed: list[sql.Expression],
        dialect: Dialect,
        table: Value,
    ) -> Value:
        column = self._column(node, table)
        _require(bool(listed))
        return ibis.or_(
            *(column == _constant(each, column, dialect) for each in listed)
        )

    def _column(self, node: sql.Expression, table: Value) -> Value:
        """Find a column of the table, perhaps cast from text to text."""
        node = _bare(node)
        if isinstance(node, sql.Cast):
            column = self._column(node.this, table)
            _require(column.type().is_string() and node.to.sql() in {"TEXT", "VARCHAR"})
            return column
        _require(isinstance(node, sql.Column) and isinstance(node.this, sql.Identifier))
        _require(_given(node) <= {"this", "table"} and node.name in table.columns)
        _require(node.text("table") in {"", *self._called})
        return table[node.name]


def read_view(written: str, dialect: str) -> PlainView | None:  # noqa: PLR0911
    """Read the statement of a view; None where it reads more than one table's rows."""
    if any(each in written for each in _UNREAD):
        return None
    try:
        [made] = sqlglot.parse(written, read=dialect)
    except (sqlglot.errors.SqlglotError, ValueError):
        return None
    names: list[str] = []
    if isinstance(made, sql.Create):
        if isinstance(made.this, sql.Schema):
            names = [each.name for each in made.this.expressions]
        made = made.expression
    if not isinstance(made, sql.Select):
        return None
    source = made.args.get("from_")
    if not _given(made) <= {"expressions", "from_", "where"} or source is None:
        return None
    table = source.this
    if not isinstance(table, sql.Table) or not isinstance(table.this, sql.Identifier):
        return None
    alias = table.args.get("alias")
    renames = alias is not None and bool(alias.args.get("columns"))
    if renames or not _given(table) <= {"this", "db", "catalog", "alias"}:
        return None
    return PlainView(made, table, names)


def _constant(node: sql.Expression, column: Value, dialect: Dialect) -> Value:
    """Write a constant of the kind of a column it is compared with."""
    kind, node = column.type(), _uncast(node)
    sign = 1
    if isinstance(node, sql.Neg):
        sign, node = -1, _bare(node.this)
        _require(isinstance(node, sql.Literal) and not node.is_string)
    if kind.is_boolean():
        _require(isinstance(node, sql.Boolean))
        return ibis.literal(bool(node.this))
    _require(isinstance(node, sql.Literal))
    try:
        if kind.is_string():
            _require(node.is_string)
            return ibis.literal(str(node.this))
        if kind.is_date():
            _require(node.is_string)
            return ibis.date(dt.date.fromisoformat(str(node.this)))
        _require(not node.is_string)
        if kind.is_integer():
            whole = sign * int(str(node.this))
            _require(abs(whole) < 2**63)
            return ibis.literal(whole, "int64")
        # Decimals are compared in a common scale, to which a cell may not fit.
        _require(kind.is_floating())
        return dialect.double(sign * float(str(node.this)))
    except ValueError:
        raise NotPlainError from None


def _uncast(node: sql.Expression) -> sql.Expression:
    """Look through the casts that databases write around constants."""
    node = _bare(node)
    return _bare(node.this) if isinstance(node, sql.Cast) else node


def _bare(node: sql.Expression) -> sql.Expression:
    while isinstance(node, sql.Paren):
        node = node.this
    return node


def _given(node: sql.Expression) -> set[str]:
    return {name for name, value in node.args.items() if value}


def _require(fits: bool) -> None:  # noqa: FBT001 (one word, one test)
    if not fits:
        raise NotPlainError
