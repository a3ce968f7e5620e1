"""Statements of every kind, over a table with a column of every type that they read."""

import datetime as dt
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import duckdb

from curator.groups_for_tests import ABC, CODE, DAY, DAYS, LISTED, MONTHS, SEX, by
from curator.people_for_tests import people
from curator.tables_for_tests import asked, plan_of
from dpratio.curator.reading.statement import KeyCount, Reading, Statement, UnitRule
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Dimension, Groups, Keys, Periods, ScoreBins

__all__ = ["COLUMNS", "EVERY", "functions_in", "key_counts", "readings", "statements"]

# One row of each type; `given` is a table of DuckDB.
COLUMNS = {
    "score": "0.5::DOUBLE",
    "label": "1::DOUBLE",
    "weight": "0.5::FLOAT",
    "other": "0.25::DOUBLE",
    "money": "0.5::DECIMAL(20, 3)",
    "huge": "1::HUGEINT",
    "region": "'a'::VARCHAR",
    "sex": "true",
    "code": "1::SMALLINT",
    "wide": "1::UBIGINT",
    "seen": f"DATE '{DAYS[2]}'",
    "at": f"TIMESTAMP '{DAY} 12:00:00'",
    "at_ns": f"TIMESTAMP_NS '{DAY} 12:00:00'",
    "at_utc": f"TIMESTAMPTZ '{DAY} 12:00:00+00'",
    "id": "'someone'::VARCHAR",
    "number": "7::BIGINT",
}
EVERY = "SELECT " + ", ".join(f"{made} AS {name}" for name, made in COLUMNS.items())

_DAYS: list[Dimension] = [
    Keys("at", [DAY, dt.date(2026, 3, 3)]),
    Keys("at_ns", [DAY, dt.date(2026, 3, 3)]),
    Keys("at_utc", [DAY, dt.date(2026, 3, 3)]),
    Keys("wide", [9, 1]),
    Periods("seen", "day", DAY, DAYS[5]),
    Periods("at", "week", DAY, DAYS[5]),
    ScoreBins("score", 3),
]


def statements() -> Iterator[Statement]:
    """What plans ask: every strategy, kind of group and kind of unit."""
    weight, range_ = Bounds(0, 1), Bounds(-1, 1)
    plans = [
        plan_of(),
        plan_of(range_, range_, weight),
        plan_of(guess=1.0, strategy="focused"),
        plan_of(range_, range_, weight, guess=0.5, strategy="focused"),
        plan_of(range_, guess=0.5, strategy="focused", residual_bound=0.5),
        plan_of(minus="money", bounds={"money": Bounds(0, 1)}, guess=0.0),
        plan_of(names=("huge", "label", "weight", "region")),
        plan_of(keys=[str(at) for at in range(1_200)]),
        by(ABC, SEX, CODE, MONTHS),
        *(by(each) for each in _DAYS),
        *(plan_of(groups=Groups(names, keys)) for names, keys in LISTED[-2:]),
        people(),
        people(most_groups=2),
        people(keys=None),
        people(minus=True, most_groups=2),
        people(strategy="focused"),
    ]
    for plan in plans:
        yield from (asked(plan, question) for question in range(len(plan.measurements)))
    of_people = asked(people(most_groups=2))
    assert of_people.unit is not None
    for column in ("number", "wide"):
        yield replace(of_people, unit=replace(of_people.unit, column=column))


def readings() -> Iterator[Reading]:
    """Every statement by itself, and several that count different rows."""
    yield from (Reading((each,)) for each in statements())
    for plan in (plan_of(), people(most_groups=2), people(keys=None), by(ABC)):
        first = asked(plan)
        columns = {**first.factor_columns, "s": "money"}
        yield Reading((first, replace(first, factor_columns=columns)))


def key_counts() -> Iterator[KeyCount]:
    """What finding keys asks: keys of every kind, of rows and of people."""
    columns = {"region": "text", "code": "integer", "sex": "boolean", "seen": "date"}
    for column, kind in columns.items():
        for unit in (None, "id", "number"):
            rule = None if unit is None else UnitRule(unit, "key", 2, {})
            yield KeyCount(column, kind, rule)


def functions_in(queries: Iterable[str]) -> set[str]:
    """The functions that statements of DuckDB call, operators among them."""
    found = set()
    with duckdb.connect() as connection:
        for query in queries:
            taken = connection.execute("SELECT json_serialize_sql(?)", [query])
            [[parsed]] = taken.fetchall()
            found |= set(_functions(json.loads(parsed)["statements"]))
    return found


def _functions(node: Any) -> Iterator[str]:  # noqa: ANN401
    if isinstance(node, list):
        for each in node:
            yield from _functions(each)
    if isinstance(node, dict):
        if node.get("class") in {"FUNCTION", "WINDOW"}:
            yield node["function_name"].lower()
        yield from _functions(list(node.values()))
