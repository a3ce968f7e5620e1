"""Views that keep rows apart, read off their statement and asked of their table.

A view may hold anything: joins that double a person's rows, sums over many people,
functions with effects. One is read only if it takes columns of one table, gives them
other names, or keeps rows by comparing columns with constants. Every node of its tree
must be known, with every argument that it carries: a flag that nobody looks at may turn
a condition round. The view itself is never asked: its columns and conditions are
written anew over the table, so that however the database reads its statement, each row
is one row of the table. The condition that a study adds (``where``) is read alike.
Proof: docs/proofs/warehouse.md.
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
    "PlainView",
    "condition_over",
    "read_view",
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

# Every node that may stand in a view, and every argument that is read below; `quoted`
# says how a name is written, and names are compared as they are.
_TWO = frozenset({"this", "expression"})
_KNOWN: dict[type[sql.Expression], frozenset[str]] = {
    **dict.fromkeys(_COMPARISONS, _TWO),
    sql.Alias: frozenset({"this", "alias"}),
    sql.And: _TWO,
    sql.Anonymous: frozenset({"this", "expressions"}),
    sql.Any: frozenset({"this"}),
    sql.Array: frozenset({"expressions"}),
    sql.Between: frozenset({"this", "low", "high"}),
    sql.Boolean: frozenset({"this"}),
    sql.Cast: frozenset({"this", "to"}),
    sql.Column: frozenset({"this", "table"}),
    sql.DataType: frozenset({"this", "expressions", "nested"}),
    sql.From: frozenset({"this"}),
    sql.Identifier: frozenset({"this", "quoted"}),
    sql.In: frozenset({"this", "expressions"}),
    sql.Is: frozenset({"this", "expression", "negate"}),
    sql.Literal: frozenset({"this", "is_string"}),
    sql.Neg: frozenset({"this"}),
    sql.Not: frozenset({"this"}),
    sql.Null: frozenset(),
    sql.Or: _TWO,
    sql.Paren: frozenset({"this"}),
    sql.Select: frozenset({"expressions", "from_", "where"}),
    sql.Star: frozenset(),
    sql.Table: frozenset({"this", "db", "catalog", "alias"}),
    sql.TableAlias: frozenset({"this"}),
    sql.Where: frozenset({"this"}),
}

# How a view was made, not what it says.
_MADE = frozenset({"this", "kind", "expression", "replace", "exists"})
_NAMED = frozenset({"this", "expressions"})

# How databases read these differs: a comment may hide what one of them runs.
_UNREAD = ("--", "/*", "#", "\r", "\\")
# Settings of Spark decide whether the first is a name, and what a quote in a text is.
_UNREAD_ON_SPARK = ('"', "${")

_TEXTS = {"TEXT", "VARCHAR"}


class PlainView:
    """A view of one table: its base, and how to ask that for what the view gives."""

    def __init__(self, select: sql.Select, table: sql.Table, names: list[str]) -> None:
        self._select, self._named = select, names
        self._called = {table.name, table.alias} - {""}
        parts = (table.args.get(each) for each in ("catalog", "db", "this"))
        self.base = tuple(str(part.this) for part in parts if part is not None)
        where = select.args.get("where")
        self.condition: sql.Expression | None = None if where is None else where.this

    def over(
        self, dialect: Dialect, table: Value, where: sql.Expression | None = None
    ) -> Value:
        """Write the view over its table, and a condition over what the view gives.

        Raises:
            NotPlainError: When one of them does more than it may.
        """
        native = dialect.native_types(table)
        own = {name: table[name] for name in table.columns}
        over = _Over(dialect, own, native, self._called)
        taken: list[Value] = []
        names: list[str] = []
        for each in self._select.expressions:
            if type(each) is sql.Star:
                taken += own.values()
                names += own
                continue
            is_named = type(each) is sql.Alias
            taken.append(over.column(each.this if is_named else each))
            names.append(each.alias if is_named else taken[-1].get_name())
        if self._named:
            fits = len(self._named) == len(names)
            require_plain(fits, "another number of names than of columns")
            names = self._named
        kept = table
        if self.condition is not None:
            kept = table.filter(over.condition(self.condition))
        if where is not None:
            # Its names are the view's; the types are still those of the table.
            given = dict(zip(names, taken, strict=True))
            kept = kept.filter(_Over(dialect, given, native, set()).condition(where))
        return kept.select(
            *(column.name(name) for column, name in zip(taken, names, strict=True))
        )


class _Over:
    """The columns that a condition may name, and what its nodes mean there."""

    def __init__(
        self,
        dialect: Dialect,
        columns: Mapping[str, Value],
        native: Mapping[str, str],
        called: set[str],
    ) -> None:
        self._dialect, self._columns = dialect, columns
        self._native, self._called = native, called

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
            column = self.column(node.this)
            low, high = (
                self._constant(node.args[end], column) for end in ("low", "high")
            )
            return (column >= low) & (column <= high)
        if type(node) is sql.In:
            return self._is_one_of(node.this, node.expressions)
        if type(node) in _COMPARISONS:
            return self._compared(node)
        column = self.column(node)
        require_plain(column.type().is_boolean(), "a condition that is no comparison")
        return column

    def _is_null(self, node: sql.Is) -> Value:
        require_plain(type(bare(node.expression)) is sql.Null, "IS without NULL")
        column = self.column(node.this)
        # A row of a composite type may be neither null nor not null.
        whole = self._native.get(column.get_name(), "") != "composite"
        require_plain(whole, "IS NULL of a column that holds rows or a domain")
        missing = self._dialect.is_missing(column)
        return ~missing if node.args.get("negate") else missing

    def _compared(self, node: sql.Expression) -> Value:
        kind: Any = type(node)
        left, right = bare(node.this), bare(node.expression)
        if type(right) is sql.Any:  # As PostgreSQL writes IN.
            require_plain(kind is sql.EQ, "ANY without =")
            return self._is_one_of(left, _listed(right.this))
        if type(right) is sql.Anonymous:  # And NOT IN.
            is_all = kind is sql.NEQ and right.this == "ALL"
            require_plain(is_all and len(right.expressions) == 1, "a function")
            return ~self._is_one_of(left, _listed(right.expressions[0]))
        if type(_innermost(left)) is not sql.Column:
            left, right, kind = right, left, _MIRRORED.get(kind, kind)
        column = self.column(left)
        return _COMPARISONS[kind](column, self._constant(right, column))

    def _is_one_of(self, node: sql.Expression, listed: list[sql.Expression]) -> Value:
        column = self.column(node)
        require_plain(bool(listed), "an empty list")
        return ibis.or_(*(column == self._constant(each, column) for each in listed))

    def _constant(self, node: sql.Expression, column: Value) -> Value:
        native = self._native.get(column.get_name(), "")
        own = not self._native or native in self._dialect.compared_in_views
        require_plain(own, "a comparison of a column of a type of its own")
        return write_constant(node, column, self._dialect, native)

    def column(self, node: sql.Expression) -> Value:
        """Find a column by its name, perhaps cast from text to text."""
        node = bare(node)
        if type(node) is sql.Cast:
            column = self.column(node.this)
            same = self._native.get(column.get_name()) in {"text", "varchar"}
            require_plain(same and node.to.sql() in _TEXTS, "a cast of a column")
            return column
        is_name = type(node) is sql.Column and type(node.this) is sql.Identifier
        require_plain(is_name, "something else than a column or a constant")
        is_own = node.name in self._columns
        require_plain(
            is_own and node.text("table") in {"", *self._called},
            "a name that is no column of its table",
        )
        return self._columns[node.name]


def read_view(written: str, dialect: str) -> PlainView:
    """Read the statement of a view.

    Raises:
        NotPlainError: When it reads more than one table's rows, or holds a node or an
            argument that is not known.
    """
    on_spark = dialect in {"pyspark", "spark"}
    unread = _UNREAD + (_UNREAD_ON_SPARK if on_spark else ())
    for each in unread:
        require_plain(each not in written, f"{each!r}, which databases read apart")
    is_plain = "!" not in written.replace("!=", "")
    require_plain(is_plain, "'!', which databases read apart")
    made: Any
    try:
        [made] = sqlglot.parse(written, read=dialect)
    except (sqlglot.errors.SqlglotError, ValueError, RecursionError):
        raise NotPlainError("a statement that was not understood") from None
    names: list[str] = []
    if type(made) is sql.Create:
        _require_known(made, _MADE)
        require_plain(made.kind == "VIEW", "something else than a view")
        if type(made.this) is sql.Schema:
            _require_known(made.this, _NAMED)
            for each in made.this.expressions:
                require_plain(type(each) is sql.Identifier, "a column with a type")
            names = [each.name for each in made.this.expressions]
        made = made.expression
    require_plain(type(made) is sql.Select, "something else than a SELECT")
    for node in made.walk():
        _require_known(node, _KNOWN.get(type(node)))
        has_quote = type(node) is sql.Literal and "'" in str(node.this)
        require_plain(not (on_spark and has_quote), "a text with a quote")
    source = made.args.get("from_")
    require_plain(source is not None, "no table")
    table = source.this
    is_table = type(table) is sql.Table and type(table.this) is sql.Identifier
    require_plain(is_table, "something else than one table")
    return PlainView(made, table, names)


def read_where(written: str, dialect: str) -> sql.Expression:
    """Read the condition of a study, as that of a view.

    Raises:
        NotPlainError: When it holds a node or an argument that is not known.
    """
    view = read_view(f"SELECT * FROM given WHERE {written}", dialect)  # noqa: S608
    condition = view.condition
    require_plain(condition is not None, "no condition")
    return condition  # type: ignore[return-value]  # refused above


def condition_over(
    dialect: Dialect, columns: Mapping[str, Value], condition: sql.Expression
) -> Value:
    """Write a condition over columns by their names.

    Raises:
        NotPlainError: When it does more than it may.
    """
    return _Over(dialect, columns, {}, set()).condition(condition)


def refuse_where(what: str) -> NoReturn:
    """Refuse the condition of a study."""
    raise SchemaRefused(
        "where in [data] keeps rows by comparing columns with constants of their "
        f"type, and this one holds {what}. Names of columns are taken as they are "
        "written; docs/warehouses.md lists what may stand there."
    )


def _require_known(node: sql.Expression, known: frozenset[str] | None) -> None:
    """Refuse a node, or an argument of it, that nothing here reads."""
    name = type(node).__name__
    require_plain(known is not None, name)
    for each, value in node.args.items():
        is_read = (
            each in (known or ()) or value is None or value is False or value == []
        )
        require_plain(is_read, f"{name} with {each}")


def _listed(node: sql.Expression) -> list[sql.Expression]:
    """Give the constants of an array, perhaps cast from text to text."""
    node = bare(node)
    if type(node) is sql.Cast:
        is_text = node.to.sql() in {"TEXT[]", "ARRAY<TEXT>"}
        require_plain(is_text, "a cast of an array")
        node = bare(node.this)
    require_plain(type(node) is sql.Array, "something else than a list of constants")
    return list(node.expressions)


def _innermost(node: sql.Expression) -> sql.Expression:
    node = bare(node)
    while type(node) is sql.Cast:
        node = bare(node.this)
    return node
