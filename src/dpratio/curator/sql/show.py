"""The SQL of a plan, for whoever runs the database: what will be asked of the rows."""

from collections.abc import Mapping, Sequence
from typing import Any

from dpratio.checks import require_one_of
from dpratio.curator.reading.statement import KeyCount, Reading, kind_of_key
from dpratio.curator.sql import duckdb, postgres, spark
from dpratio.curator.sql.conditions import write_conditions
from dpratio.curator.sql.query import keys_query, sums_query
from dpratio.curator.sql.table import Answer, Table
from dpratio.curator.statements import partitions_of, readings_of, unit_rule
from dpratio.errors import InvalidInput
from dpratio.plan.plan import Plan
from dpratio.plan.price import AnyPlan
from dpratio.terms.groups import PrivateKeys
from dpratio.terms.source import Condition, DatabaseTable

_MODULES: dict[str, Any] = {
    "duckdb": duckdb,
    "postgres": postgres,
    "spark": spark,
}

# What a column is assumed to be that nobody described, by what is read of it.
_ASSUMED = {
    "duckdb": {
        "number": "DOUBLE",
        "text": "VARCHAR",
        "integer": "BIGINT",
        "boolean": "BOOLEAN",
        "date": "DATE",
    },
    "postgres": {
        "number": "float8",
        "text": "text",
        "integer": "int8",
        "boolean": "bool",
        "date": "date",
    },
    "spark": {
        "number": "double",
        "text": "string",
        "integer": "bigint",
        "boolean": "boolean",
        "date": "date",
    },
}


def plan_sql(
    plan: AnyPlan,
    dialect: str = "duckdb",
    *,
    source: str | Sequence[str] | None = None,
    schema: Mapping[str, str] | None = None,
) -> str:
    """Return the statements that a release of a plan will run.

    Args:
        plan: What would be measured.
        dialect: ``"duckdb"``, ``"postgres"`` or ``"spark"``.
        source: The name of the table, or a list of its schema and name; by default that
            of the study.
        schema: The types of its columns, as the database calls them. Without it numbers
            are assumed to be doubles, and the first line says so.

    Returns:
        The statements, each ended by a semicolon. With the source and its schema these
        are the statements that the release sends, but for the numbers that choose a
        person's groups, which are drawn anew for every release.

    Raises:
        InvalidInput: When the dialect is unknown.
        SchemaRefused: When the schema is not that of the plan.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.example_release().plan
        >>> print(dpr.plan_sql(plan, "postgres", source="loans"))
        -- Types are assumed: numbers are float8.
        WITH keys0 AS (
        ...
    """
    require_one_of(dialect, _ASSUMED, "dialect")
    module = _MODULES[dialect]
    types, lines = dict(schema or {}), list[str]()
    asked = _questions(plan)
    if schema is None:
        assumed = _ASSUMED[dialect]
        lines = [f"-- Types are assumed: numbers are {assumed['number']}."]
        for question in asked:
            for column, kind in _read_as(question):
                types.setdefault(column, assumed[kind])
    columns = {name: module.column_of(name, native) for name, native in types.items()}
    data = plan.study.data if isinstance(plan, Plan) else None
    where: Sequence[Condition] = ()
    if isinstance(data, DatabaseTable):
        where, source = data.where, source or data.table
    names = source.split(".") if isinstance(source, str) else source or ["people"]
    table = Table(
        {name: column.given for name, column in columns.items()},
        columns,
        ".".join(map(module.DIALECT.identifier, names)),
        module.DIALECT,
        _never,
        write_conditions(module.DIALECT, columns, where),
    )
    for question in asked:
        question.check_schema(table.types)
        if isinstance(question, KeyCount):
            lines.append(f"{keys_query(table, question)};")
            lines.append(
                "-- The keys that are found are then asked for like declared ones."
            )
        else:
            lines.append(f"{sums_query(table, question)};")
    return "\n".join(lines)


def _questions(plan: AnyPlan) -> list[Reading | KeyCount]:
    """Return what is asked; sums of keys that are yet to be found cannot be shown."""
    partitions = partitions_of(plan)
    unit = unit_rule(plan.unit)
    found = [part for part in partitions if isinstance(part, PrivateKeys)]
    counts = [KeyCount(part.column, part.kind, unit) for part in found]
    declared = [None if part in found else part for part in partitions]
    readings = readings_of(plan, declared)  # type: ignore[arg-type]  # none of them found
    pairs = zip(readings, partitions, strict=True)
    return [*counts, *(reading for reading, part in pairs if part not in found)]


def _read_as(question: Reading | KeyCount) -> list[tuple[str, str]]:
    """Return every column that is read, and as what."""
    ids = [] if question.unit is None else [(question.unit.column, "text")]
    numbers = [(name, "number") for name in question.numbers]
    if isinstance(question, KeyCount):
        return [(question.column, question.kind), *ids]
    dimensions = question.first.dimensions
    keys = [
        (name, kind_of_key(dimensions[index]))
        for index, name in question.first.key_columns.items()
    ]
    return [*keys, *ids, *numbers]


def _never(_query: str) -> Answer:
    raise InvalidInput("a printed statement is not run")
