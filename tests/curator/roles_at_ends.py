"""The roles that a column x may have in a study, and what becomes of a table then."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import numpy as np

from curator import oracle
from curator.tables_for_tests import as_lists, asked, exact, plan_of
from dpratio.curator.choose_engine import open_keys, open_table
from dpratio.curator.reading.statement import KeyCount
from dpratio.curator.statements import unit_rule
from dpratio.errors import DpratioError
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Dimension, Groups, Key, Keys, Periods
from dpratio.terms.unit import PrivacyUnit
from soak import IS_SOAK

__all__ = ["ROLES", "Outcome", "beside", "outcome", "roles_for"]

# "refused" at opening with its words, or "sums" with integers.
Outcome = tuple[str, Any]

TOTALS = {"score": Bounds(0, 2), "label": Bounds(0, 2)}
DAYS = [dt.date.min, dt.date.max, dt.date(1970, 1, 1), dt.date(1969, 12, 31)]
DAYS += [dt.date(2026, 1, 31), dt.date(1677, 9, 21), dt.date(2262, 4, 11)]


def _by(dimension: Dimension) -> Callable[[int], Plan]:
    return lambda _: plan_of(groups=Groups.cross(dimension))


ROLES: dict[str, Callable[[int], Plan]] = {
    "numerator": lambda many: plan_of(
        Bounds(-2, 2),
        names=("x", "label", "", ""),
        groups=Groups("at", list(range(many))),
    ),
    "denominator": lambda _: plan_of(None, Bounds(-2, 2), names=("score", "x", "", "")),
    "id": lambda _: plan_of(
        groups=Groups("half", [0, 1]), unit=PrivacyUnit("x", totals=TOTALS)
    ),
    "text key": _by(Keys("x", ["a", "", "1", "é", "true", None])),
    "whole key": _by(Keys("x", [0, 1, -1, 2**63 - 1, -(2**63) + 1, 127, None])),
    "whole keys in a row": _by(Keys("x", [0, 1, 2])),
    "truth key": _by(Keys("x", [True, False])),
    "day key": _by(Keys("x", [*DAYS, None])),
    "day": _by(Periods("x", "day", "1969-12-31", "1970-01-02")),
    "first week": _by(Periods("x", "week", "0001-01-01", "0001-01-20")),
    "first month": _by(Periods("x", "month", "0001-01-01", "0001-03-01")),
    "last week": _by(Periods("x", "week", "9999-12-01", "9999-12-31")),
    "last month": _by(Periods("x", "month", "9999-11-01", "9999-12-31")),
}
FOUND = {f"found {kind}": kind for kind in ("text", "integer", "boolean", "date")}

# The roles that a kind of column fits, of which some are tried in every run.
FITTING = {
    "integer": ["id", "whole key", "found integer"],
    "number": ["numerator"],
    "boolean": ["numerator", "truth key"],
    "text": ["id", "text key", "day key", "found date"],
    "date": ["day key", "last month"],
    "any": ["numerator", "id", "text key", "whole key", "day key", "found date"],
    "other": ["numerator", "id"],
}


def roles_for(kind: str) -> list[str]:
    """The roles to try: those that fit, and in a soak all."""
    return [*ROLES, *FOUND] if IS_SOAK else FITTING[kind]


def beside(many: int) -> dict[str, list[Any]]:
    """The columns beside x: every cell of x stands in two rows."""
    return {
        "score": [0.5] * 2 * many,
        "label": [1.0] * 2 * many,
        "at": [*range(many)] * 2,
        "half": [0] * many + [1] * many,
    }


def outcome(source: object, role: str, many: int, engine: str) -> Outcome:
    """Open a table by its schema and ask it; nothing but a refusal may stop this."""
    try:
        ask = (
            _found(source, role, engine)
            if role in FOUND
            else _summed(source, ROLES[role](many), engine)
        )
    except DpratioError as error:
        return "refused", str(error)
    return "sums", ask()


def _summed(source: object, plan: Plan, engine: str) -> Callable[[], Any]:
    statement = asked(plan)
    if engine == "python":
        return lambda: exact(source, plan, engine)
    ask = open_table(source, statement, engine)
    nothing = np.zeros((statement.cells, len(statement.sums)), dtype=np.int64)
    return lambda: ask().plus(nothing).tolist()


def _found(source: object, role: str, engine: str) -> Callable[[], Any]:
    plan = plan_of(unit=PrivacyUnit("half", totals=TOTALS, most_groups=5))
    count = KeyCount("x", FOUND[role], unit_rule(plan.unit))
    if engine == "python":
        lists = as_lists(source)
        return lambda: _sorted(oracle.count_keys(lists, count))
    ask = open_keys(source, count, engine)
    return lambda: _sorted(ask())


def _sorted(counts: dict[Key, int]) -> list[tuple[str, int]]:
    return sorted((repr(key), units) for key, units in counts.items())
