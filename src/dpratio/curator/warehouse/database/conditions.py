"""The condition that a study puts on its data (``where``), written anew as ours.

A row may be kept or dropped by its own cells alone: columns are compared with
constants of their type, and whatever else SQL may say is refused. Every node of the
tree must be known, with every argument that it carries: a flag that nobody looks at may
turn a condition round. Proof: docs/proofs/warehouse.md.
"""

import operator
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import ibis
import sqlglot
from sqlglot import expressions as sql

from dpratio.curator.warehouse.database.constants import (
    NotPlainError,
    bare,
    require_plain,
    write_constant,
)
from dpratio.curator.warehouse.dialect import Dialect, Value
from dpratio.errors import SchemaRefused

__all__ = [
    "NotPlainError",
    "condition_over",
    "read_where",
    "refuse_where",
    "require_plain",
]

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

# Every node that may stand in a condition, and every argument that is read below;
# `quoted` says how a name is written, and names are compared as they are.
_TWO = frozenset({"this", "expression"})
_KNOWN: dict[type[sql.Expression], frozenset[str]] = {
    **dict.fromkeys(_COMPARISONS, _TWO),
    sql.And: _TWO,
    sql.Between: frozenset({"this", "low", "high"}),
    sql.Boolean: frozenset({"this"}),
    sql.Column: frozenset({"this"}),
    sql.Identifier: frozenset({"this", "quoted"}),
    sql.In: frozenset({"this", "expressions"}),
    sql.Is: frozenset({"this", "expression", "negate"}),
    sql.Literal: frozenset({"this", "is_string"}),
    sql.Neg: frozenset({"this"}),
    sql.Not: frozenset({"this"}),
    sql.Null: frozenset(),
    sql.Or: _TWO,
    sql.Paren: frozenset({"this"}),
}

# The SELECT that a condition is parsed in.
_SELECT = "SELECT * FROM given WHERE "
_AROUND: dict[type[sql.Expression], frozenset[str]] = {
    sql.Select: frozenset({"expressions", "from_", "where"}),
    sql.Where: frozenset({"this"}),
}

# How databases read these differs: a comment may hide what one of them runs.
_UNREAD = ("--", "/*", "#", "\r", "\\")
# Settings of Spark decide whether the first is a name, and what a quote in a text is.
_UNREAD_ON_SPARK = ('"', "${")


def read_where(written: str, dialect: str) -> sql.Expression:
    """Read the condition of a study.

    Raises:
        NotPlainError: When it holds a node or an argument that is not known.
    """
    on_spark = dialect in {"pyspark", "spark"}
    unread = _UNREAD + (_UNREAD_ON_SPARK if on_spark else ())
    for each in unread:
        require_plain(each not in written, f"{each!r}, which databases read apart")
    is_plain = "!" not in written.replace("!=", "")
    require_plain(is_plain, "'!', which databases read apart")
    made: Any
    try:
        [made] = sqlglot.parse(_SELECT + written, read=dialect)
    except (sqlglot.errors.SqlglotError, ValueError, RecursionError):
        raise NotPlainError("a statement that was not understood") from None
    is_select = type(made) is sql.Select and "where" in made.args
    require_plain(is_select, "something else than a condition")
    where = made.args["where"]
    for around in (made, where):
        _require_known(around, _AROUND[type(around)])
    for node in where.this.walk():
        _require_known(node, _KNOWN.get(type(node)))
        has_quote = type(node) is sql.Literal and "'" in str(node.this)
        require_plain(not (on_spark and has_quote), "a text with a quote")
    condition: sql.Expression = where.this
    return condition


def condition_over(
    dialect: Dialect,
    columns: Mapping[str, Value],
    native: Mapping[str, str],
    condition: sql.Expression,
) -> Value:
    """Write a condition over columns by their names.

    Args:
        dialect: Of the database.
        columns: Those that it may name.
        native: The database's own names of their types, where Ibis's will not do.
        condition: As `read_where` gives it.

    Raises:
        NotPlainError: When it does more than it may.
    """
    return _Over(dialect, columns, native).condition(condition)


def refuse_where(what: str) -> NoReturn:
    """Refuse the condition of a study."""
    raise SchemaRefused(
        "where in [data] keeps rows by comparing columns with constants of their "
        f"type, and this one holds {what}. Names of columns are taken as they are "
        "written; docs/warehouses.md lists what may stand there."
    )


class _Over:
    """The columns that a condition may name, and what its nodes mean there."""

    def __init__(
        self, dialect: Dialect, columns: Mapping[str, Value], native: Mapping[str, str]
    ) -> None:
        self._dialect, self._columns, self._native = dialect, columns, native

    def condition(self, node: sql.Expression) -> Value:  # noqa: PLR0911 (one a form)
        """Write a condition that compares columns with constants of their kind."""
        node = bare(node)
        if type(node) is sql.Not:
            return ~self.condition(node.this)
        if type(node) is sql.And:
            return self.condition(node.this) & self.condition(node.expression)
        if type(node) is sql.Or:
            return self.condition(node.this) | self.condition(node.expression)
        if type(node) is sql.Is:
            return self._is_null(node)
        if type(node) is sql.Between:
            column = self._column(node.this)
            low, high = (
                self._constant(node.args[end], column) for end in ("low", "high")
            )
            return (column >= low) & (column <= high)
        if type(node) is sql.In:
            return self._is_one_of(node.this, node.expressions)
        if type(node) in _COMPARISONS:
            return self._compared(node)
        column = self._column(node)
        require_plain(column.type().is_boolean(), "a condition that is no comparison")
        return column

    def _is_null(self, node: sql.Is) -> Value:
        require_plain(type(bare(node.expression)) is sql.Null, "IS without NULL")
        column = self._column(node.this)
        # A row of a composite type may be neither null nor not null.
        whole = self._native.get(column.get_name(), "") != "composite"
        require_plain(whole, "IS NULL of a column that holds rows or a domain")
        missing = self._dialect.is_missing(column)
        return ~missing if node.args.get("negate") else missing

    def _compared(self, node: sql.Expression) -> Value:
        kind: Any = type(node)
        left, right = bare(node.this), bare(node.expression)
        if type(left) is not sql.Column:
            left, right, kind = right, left, _MIRRORED.get(kind, kind)
        column = self._column(left)
        return _COMPARISONS[kind](column, self._constant(right, column))

    def _is_one_of(self, node: sql.Expression, listed: list[sql.Expression]) -> Value:
        column = self._column(node)
        require_plain(bool(listed), "an empty list")
        return ibis.or_(*(column == self._constant(each, column) for each in listed))

    def _constant(self, node: sql.Expression, column: Value) -> Value:
        native = self._native.get(column.get_name(), "")
        own = not self._native or native in self._dialect.compared_in_conditions
        require_plain(own, "a comparison of a column of a type of its own")
        return write_constant(node, column, native)

    def _column(self, node: sql.Expression) -> Value:
        """Find a column by its name."""
        node = bare(node)
        is_name = type(node) is sql.Column and type(node.this) is sql.Identifier
        require_plain(is_name, "something else than a column or a constant")
        require_plain(node.name in self._columns, "a name that is no column")
        return self._columns[node.name]


def _require_known(node: sql.Expression, known: frozenset[str] | None) -> None:
    """Refuse a node, or an argument of it, that nothing here reads."""
    name = type(node).__name__
    require_plain(known is not None, name)
    for each, value in node.args.items():
        is_read = (
            each in (known or ()) or value is None or value is False or value == []
        )
        require_plain(is_read, f"{name} with {each}")
