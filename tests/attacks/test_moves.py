"""Rows 16 and 17: how far one row, or a change of one, moves the sums before noise."""

import itertools
import math
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from attacks.engines_for_attacks import ENGINES, sums_by
from curator.moves_for_tests import require_paid
from curator.people_for_tests import REGIONS, TOTALS
from curator.table_sources import WRONG, write_wrong_statistics
from curator.tables_for_tests import exact, plan_of
from dpratio.plan.laws import LAWS
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.unit import PrivacyUnit

NAMES = ("score", "label", "weight")
BOUNDS = (Bounds(-0.7, 1.3), Bounds(-2, 3), Bounds(0.5, 7.7))
FAR = ((0.0, 1e3, -1e3), (1e200, -1e200, 1.7e308))
PLANS: dict[str, dict[str, Any]] = {
    "even": {},
    "focused": {"strategy": "focused", "guess": 1 / 3},
    "with a residual bound": {
        "strategy": "focused",
        "guess": 1 / 3,
        "residual_bound": 0.4,
    },
}


@pytest.mark.parametrize("kind", PLANS)
@pytest.mark.parametrize("engine", ENGINES)
def test_16_an_outlier_moves_the_sums_by_no_more_than_their_sensitivity(
    engine: str, kind: str
) -> None:
    """A row of numbers far beyond their bounds counts as one at its bounds.

    Source: opendp/smartnoise-sdk issue 622, Covariance Clipping Bug.
    More: tests/curator/test_neighbours.py
    """
    for far in FAR:
        cells = [(bounds.lower, bounds.upper, *far) for bounds in BOUNDS]
        rows = list(itertools.product(*cells))
        keys = list(range(len(rows)))
        plan = plan_of(*BOUNDS, keys=keys, **PLANS[kind])
        columns = dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True))
        table = pa.table({**columns, "region": keys})
        moved = [[abs(cell) for cell in row] for row in sums_by(engine, table, plan)]
        require_paid(plan, moved)
        largest = max(row[0] for row in moved)
        assert 0.99 * plan.measurements[0].sums[0].sensitivity < largest


@pytest.mark.parametrize("kind", WRONG)
def test_16_a_clip_that_wrong_statistics_call_needless_stays(
    kind: str, tmp_path: Path
) -> None:
    """A file whose statistics leave its outlier out is clipped all the same.

    Source: opendp/smartnoise-sdk issue 622, Covariance Clipping Bug.
    More: tests/curator/test_engines_agree_types.py
    """
    path = tmp_path / "rows.parquet"
    write_wrong_statistics(path, kind, label=[1, 1])
    plan = plan_of(Bounds(-3, 5))
    with closing(duckdb.connect()) as connection:
        relation = connection.sql(f"FROM read_parquet('{path}')")
        for source in (path, relation):
            moved = exact(source, plan, "duckdb")[0]
            assert moved[2] == plan.measurements[0].sums[2].sensitivity


# --- Row 17 ---

SIGNED = (Bounds(-1, 1), Bounds(-1, 2), Bounds(0, 3))
CORNERS = list(itertools.product((-1.0, 0.0, 1.0), (-1.0, 0.0, 2.0), (0.0, 3.0)))
ADD, CHANGE = "add-or-remove-one", "change-one"
Vector = tuple[int, ...]


def vectors(plan: Plan, engine: str) -> list[Vector]:
    """What each extreme row puts into the sums of its group; a dropped row nothing.

    The rows of all are read at once, each with a key of its own.
    """
    keys = list(range(len(CORNERS) + 1))
    terms: dict[str, Any] = {"guess": 1 / 3} if plan.study.strategy == "focused" else {}
    apart = plan_of(*SIGNED, keys=keys, strategy=plan.study.strategy, **terms)
    rows = [*CORNERS, (math.nan, 0.0, 1.0)]
    columns = dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True))
    table = pa.table({**columns, "region": keys})
    return [tuple(row) for row in sums_by(engine, table, apart)]


def size_of(moves: Vector, plan: Plan) -> Fraction:
    """How far a vector moves in units of noise; squares for Gaussian noise."""
    return plan.law.total(
        Fraction(abs(move)) / Fraction(each.scale)
        for move, each in zip(moves, plan.measurements[0].sums, strict=True)
    )


def furthest(plan: Plan, held: list[Vector]) -> Fraction:
    """Find the furthest pair of neighbours, by the relation that the plan declares."""
    if plan.unit.neighbours == ADD:
        return max(size_of(each, plan) for each in held)
    within = max(
        size_of(tuple(a - b for a, b in zip(one, other, strict=True)), plan)
        for one, other in itertools.combinations(held, 2)
    )
    if plan.measurements[0].groups is None:
        return within
    # From one group into another: both of them move.
    return max(within, 2 * max(size_of(each, plan) for each in held))


STRATEGIES = [
    ("even", "laplace"),
    ("joint", "laplace"),
    ("joint", "analytic_gaussian"),
    ("focused", "laplace"),
    ("focused", "analytic_gaussian"),
]


def require_paid_for(plan: Plan, moved: Fraction) -> None:
    ratio = plan.law.root(moved)
    assert plan.law.affords(ratio, epsilon=plan.epsilon, delta=plan.delta)


@pytest.mark.parametrize("keys", [None, ["a", "b"]], ids=["whole", "groups"])
@pytest.mark.parametrize(("strategy", "mechanism"), STRATEGIES)
def test_17_neighbours_of_either_relation_lie_no_further_apart_than_is_paid_for(
    strategy: str, mechanism: str, keys: list[str] | None
) -> None:
    """A row added, removed, changed or moved costs what the declared relation says.

    Source: opendp/smartnoise-core issue 355, Derivation of the sensitivity of the mean;
    w3c/attribution issue 212, Clarify what we mean by sensitivity.
    More: tests/plan/sensitivity/test_neighbours.py
    """
    terms: dict[str, Any] = {"strategy": strategy, "mechanism": mechanism}
    if strategy == "focused":
        terms["guess"] = 1 / 3
    held = None
    for neighbours in (ADD, CHANGE):
        unit = PrivacyUnit(neighbours=neighbours)
        plan = plan_of(*SIGNED, keys=keys, unit=unit, **terms)
        held = held or vectors(plan, "python")
        moved = furthest(plan, held)
        require_paid_for(plan, moved)
        law = LAWS[mechanism]
        if strategy == "joint":  # No more is paid than twice what is needed.
            more = Fraction(2.1) * law.root(moved)
            assert not law.affords(more, epsilon=plan.epsilon, delta=plan.delta)


@pytest.mark.parametrize("engine", ENGINES)
def test_17_extreme_rows_are_the_same_in_every_engine(engine: str) -> None:
    """What extreme rows put into the sums does not depend on the engine.

    Source: opendp/smartnoise-core issue 355, Derivation of the sensitivity of the mean.
    More: tests/curator/test_engines_agree.py
    """
    plan = plan_of(*SIGNED, strategy="focused", guess=1 / 3)
    assert vectors(plan, engine) == vectors(plan, "python")


@pytest.mark.parametrize(("strategy", "mechanism"), STRATEGIES)
def test_17_a_person_who_changes_every_row_costs_what_is_declared(
    strategy: str, mechanism: str
) -> None:
    """A person in two groups who moves to two others moves four of them.

    Source: w3c/attribution issue 212, Clarify what we mean by sensitivity.
    More: tests/curator/test_units_price.py
    """
    terms: dict[str, Any] = {"strategy": strategy, "mechanism": mechanism}
    if strategy == "focused":
        terms["guess"] = 0.75
    for neighbours in (ADD, CHANGE):
        unit = PrivacyUnit("id", totals=TOTALS, most_groups=2, neighbours=neighbours)
        plan = plan_of(Bounds(-9, 9), Bounds(0, 9), keys=REGIONS, unit=unit, **terms)
        dearest = Fraction(0)
        for score, label in itertools.product((-9.0, 9.0), (0.0, 9.0)):
            row = {"score": [score] * 2, "label": [label] * 2, "id": ["ann"] * 2}
            here, there = (
                exact({**row, "region": regions}, plan, "python")
                for regions in (["a", "b"], ["c", "d"])
            )
            moved = [
                size_of(tuple(a - b for a, b in zip(*pair, strict=True)), plan)
                for pair in zip(here, there, strict=True)
            ]
            assert sum(each > 0 for each in moved) == 4
            away = sum(moved[:2], Fraction(0))
            dearest = max(dearest, away if neighbours == ADD else away + sum(moved[2:]))
        require_paid_for(plan, dearest)
