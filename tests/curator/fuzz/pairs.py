"""Many pairs of neighbouring tables in two tables: one query compares them all.

Every row carries the number of its pair, and every plan crosses its groups with those
numbers. Pairs share no cell and no id, so the two tables hold as many independent pairs
of hostile neighbours: in each, one row or person is left out, or changed.
"""

import datetime as dt
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from curator.hostile_tables import HOSTILE_NUMBERS, TEXT_KEYS
from curator.people_for_tests import allowed
from curator.tables_for_tests import plan_of
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Dimension, Groups, Keys, Periods, ScoreBins
from dpratio.terms.unit import NEIGHBOURS, PrivacyUnit

__all__ = ["PAIRS", "Batch", "make_batch", "require_batch_paid"]

PAIRS = 20
MOST_ROWS = 5
MANY_ROWS = 12
Row = dict[str, Any]

FIRST, LAST = dt.date(2026, 1, 30), dt.date(2026, 3, 2)
DAYS = [FIRST + dt.timedelta(days=at) for at in (-40, -1, 0, 1, 2, 30, 31, 32, 400)]
INNER: dict[str, Dimension] = {
    "text keys": Keys("region", ["north", "a'b", "é", None, "%"]),
    "whole keys": Keys("code", [0, -1, 2**63 - 1, 7]),
    "truths": Keys("flag", [True, None]),
    "bins": ScoreBins("score", [-1, 0, 0.1, 0.5, 1]),
    "days": Periods("seen", "day", FIRST, FIRST + dt.timedelta(days=3)),
    "weeks": Periods("seen", "week", FIRST, LAST),
    "months": Periods("seen", "month", FIRST, LAST),
}
LAWS = [
    ("even", "laplace"),
    ("joint", "laplace"),
    ("joint", "analytic_gaussian"),
    ("focused", "laplace"),
    ("focused", "analytic_gaussian"),
]
SCORES = [Bounds(-1, 1), Bounds(-1, 1), Bounds(-1, 2.0**30)]
LABELS = [Bounds.binary(), Bounds(0.1, 0.30000000000000004), Bounds(-3, 1e6)]


@dataclass(frozen=True)
class Batch:
    """A plan, two tables that hold many pairs, and what is special about them."""

    plan: Plan
    whole: Any
    neighbour: Any
    features: set[str] = field(default_factory=set)


def make_batch(number: int, *, asks_itself: bool = False) -> Batch:
    """Make the same batch for the same number.

    With ``asks_itself`` the question has the totals, and the unit has others that no
    question uses.
    """
    chance = np.random.default_rng([20_260_131, number])
    strategy, mechanism = LAWS[number % len(LAWS)]
    by_people = chance.random() < 0.5
    weighted, minus = chance.random() < 0.5, chance.random() < 0.3
    neighbours = NEIGHBOURS[int(chance.integers(2))]
    most = int(chance.integers(1, 4)) if by_people else 1
    inner = [*INNER, "none"][number % (len(INNER) + 1)]
    score = SCORES[int(chance.integers(len(SCORES)))]
    label = LABELS[number % len(LABELS)]
    if by_people:
        score, label = Bounds(-1, 1), Bounds(0, 1)
    plan = _plan(
        (strategy, mechanism, weighted, minus, inner),
        (score, label),
        _unit(neighbours, most, minus=minus)
        if by_people
        else PrivacyUnit(neighbours=neighbours),
        own=asks_itself and by_people,
    )
    types = _number_types(chance, plan)
    shared: list[Row] = []
    own: list[Row] = []
    other: list[Row] = []
    for pair in range(PAIRS):
        many = int(chance.integers(0, MOST_ROWS))
        shared += [_row(chance, pair, plan, types) for _ in range(many)]
        own += _own_rows(chance, pair, plan, types)
        if neighbours == "change-one":
            other += _own_rows(chance, pair, plan, types)
    features = {
        strategy,
        mechanism,
        neighbours,
        inner,
        f"people in {most} groups" if by_people else "rows",
        *(["weights"] if weighted else []),
        *(["minus"] if minus else []),
        *(["binary"] if label.is_binary else []),
    }
    order = chance.permutation(len(shared) + len(own))
    whole = [(shared + own)[at] for at in order]
    less = shared + other
    return Batch(plan, _table(whole, types), _table(less, types), features)


def _unit(neighbours: str, most: int, *, minus: bool) -> PrivacyUnit:
    name = "score - other" if minus else "score"
    totals = {name: Bounds(-1.5, 2.25), "label": Bounds(0.25, 3)}
    return PrivacyUnit("id", totals=totals, most_groups=most, neighbours=neighbours)


def _plan(
    terms: tuple[str, str, bool, bool, str],
    bounds: tuple[Bounds, Bounds],
    unit: PrivacyUnit,
    *,
    own: bool,
) -> Plan:
    strategy, mechanism, weighted, minus, inner = terms
    dimensions: list[Dimension] = [Keys("pair", range(PAIRS))]
    if inner != "none":
        dimensions.append(INNER[inner])
    wanted: dict[str, Any] = {"strategy": strategy, "mechanism": mechanism}
    if minus:
        wanted |= {"minus": "other", "bounds": {"other": Bounds(-0.5, 1)}}
    if strategy == "focused":
        wanted["guess"] = 0.0 if minus else 0.75
    if own:
        wanted["own"] = {"totals": unit.totals}
        others = {name: Bounds(-30, 50) for name in unit.totals}
        unit = replace(unit, totals=others)
    return plan_of(
        *bounds,
        Bounds(0, 2) if weighted else None,
        groups=Groups.cross(*dimensions),
        unit=unit,
        **wanted,
    )


def _own_rows(
    chance: np.random.Generator, pair: int, plan: Plan, types: dict[str, Any]
) -> list[Row]:
    """Draw the one row, or all rows of the one person, that the tables differ in.

    Often they lie at the bounds, and people have many alike: that moves sums furthest.
    """
    by_people = plan.unit.column is not None
    size = int(chance.integers(1, MOST_ROWS)) if by_people else 1
    rows = [_row(chance, pair, plan, types, own=True) for _ in range(size)]
    if chance.random() < 0.5:
        at_bounds = {
            name: _end(chance, types[name], each) for name, each in plan.bounds.items()
        }
        rows = [{**row, **at_bounds, "pair": pair} for row in rows]
        rows *= MANY_ROWS if by_people else 1
    return rows


def _end(chance: np.random.Generator, type_: Any, bounds: Bounds) -> Any:  # noqa: ANN401
    """Give an end of a range, or what is clipped to it; the upper one more often."""
    is_upper = bool(chance.random() < 0.7)
    if type_ == pa.bool_():
        return is_upper
    if type_ == pa.int64():
        return 2**40 if is_upper else -(2**40)
    return bounds.upper if is_upper else bounds.lower


def _number_types(chance: np.random.Generator, plan: Plan) -> dict[str, Any]:
    kinds = [pa.float64(), pa.float64(), pa.float32(), pa.int64(), pa.bool_()]
    return {
        name: kinds[int(chance.integers(len(kinds)))] for name in sorted(plan.bounds)
    }


def _row(
    chance: np.random.Generator,
    pair: int,
    plan: Plan,
    types: dict[str, Any],
    *,
    own: bool = False,
) -> Row:
    """Draw a row of whatever its columns can hold."""

    def one(values: list[Any]) -> Any:  # noqa: ANN401
        return values[int(chance.integers(len(values)))]

    row = {
        name: _number(one, types[name], plan.bounds[name], chance)
        for name in plan.bounds
    }
    row |= {
        "pair": pair if chance.random() < 0.97 else one([None, -1, PAIRS, 2**40]),
        "region": one(["north", "a'b", "é", None, "%", *TEXT_KEYS]),
        "code": one([0, -1, 2**63 - 1, 7, None, 3, -(2**63)]),
        "flag": one([True, False, None]),
        "seen": one([*DAYS, None]),
        "id": f"{pair}:own" if own else one([f"{pair}:{at}" for at in "abé'"] + [None]),
    }
    return row


def _number(
    one: Callable[[list[Any]], Any],
    type_: Any,  # noqa: ANN401
    bounds: Bounds,
    chance: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    if chance.random() < 0.05:
        return None
    if type_ == pa.bool_():
        return one([True, False])
    if type_ == pa.int64():
        return one([0, 1, -1, 2, 2**53 + 1, 2**63 - 1, -(2**63)])
    ends = [bounds.lower, bounds.upper, bounds.upper / 3]
    beside = [math.nextafter(end, way) for end in ends for way in (-1e300, 1e300)]
    value = one([*HOSTILE_NUMBERS, *ends, *beside, chance.uniform(-1, 1)])
    if type_ == pa.float32():
        with np.errstate(over="ignore"):
            return float(np.float32(value))
    return value


def _table(rows: list[Row], types: dict[str, Any]) -> Any:  # noqa: ANN401
    kinds = {
        **types,
        "pair": pa.int64(),
        "region": pa.string(),
        "code": pa.int64(),
        "flag": pa.bool_(),
        "seen": pa.date32(),
        "id": pa.string(),
    }
    columns = {
        name: pa.array([row[name] for row in rows], kind)
        for name, kind in kinds.items()
    }
    return pa.table(columns)


def require_batch_paid(
    plan: Plan, first: list[list[int]], second: list[list[int]]
) -> int:
    """In every pair the sums lie no further apart than is paid for; count the pairs."""
    size = len(first) // PAIRS
    one, other = (
        np.array(each, dtype=object).reshape(PAIRS, size, -1)
        for each in (first, second)
    )
    moved = abs(one - other)
    most = allowed(plan)
    groups = plan.unit.most_groups
    scales = [Fraction(each.scale) for each in plan.measurements[0].sums]
    sides = 2 if plan.unit.neighbours == "change-one" else 1
    for block in moved:
        cells = [row for row in block if any(row)]
        assert len(cells) <= sides * groups
        paid = [
            Fraction(int(distance)) / scale
            for row in cells
            for distance, scale in zip(row, scales, strict=True)
        ]
        assert plan.law.total(paid) <= most
        for at, each in enumerate(plan.measurements[0].sums):
            apart = sum(int(row[at]) for row in cells)
            assert apart <= sides * groups * each.sensitivity
    return len(moved)
