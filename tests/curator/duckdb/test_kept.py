"""Rows that count in DuckDB: all numbers of a row, or none of them."""

import math
from itertools import product
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from curator.tables_for_tests import exact, plan_of
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

TOTALS = {"score": Bounds(0, 3), "label": Bounds(0, 3)}
SCORE, LABEL, WEIGHT = Bounds(-1, 2), Bounds(0, 1), Bounds(0.5, 3)
OTHER: dict[str, Any] = {"minus": "other", "bounds": {"other": Bounds(0, 0.5)}}
FOCUSED: dict[str, Any] = {"strategy": "focused"}

PLANS: dict[str, Plan] = {
    "even": plan_of(SCORE, LABEL),
    "even, weighted": plan_of(SCORE, LABEL, WEIGHT),
    "even, binary": plan_of(SCORE, None, WEIGHT),
    "even, less another": plan_of(SCORE, LABEL, WEIGHT, **OTHER),
    "focused": plan_of(SCORE, LABEL, WEIGHT, guess=1.0, **FOCUSED),
    "focused on the denominator": plan_of(SCORE, LABEL, WEIGHT, guess=0.0, **FOCUSED),
    "focused, unweighted": plan_of(SCORE, LABEL, guess=0.5, **FOCUSED),
    "focused, less another": plan_of(
        SCORE, LABEL, WEIGHT, guess=2.0, **FOCUSED, **OTHER
    ),
    "with a limit": plan_of(
        SCORE, LABEL, WEIGHT, guess=1.0, residual_bound=1.0, **FOCUSED
    ),
    "cuts counted": plan_of(
        SCORE, LABEL, WEIGHT, guess=1.0, clipping="measured", **FOCUSED
    ),
    "two stages": plan_of(SCORE, LABEL, WEIGHT, stage=0.1, strategy="focused"),
}
BAD = [None, math.nan, math.inf, -math.inf]
NAMES = ("score", "label", "weight", "other")
PLAIN: dict[str, Any] = dict.fromkeys(NAMES, 0.75)


@pytest.mark.parametrize("asked", PLANS)
def test_a_row_that_lacks_one_number_counts_in_no_sum(asked: str) -> None:
    plan = PLANS[asked]
    read = [name for name in NAMES if name in plan.bounds]
    lacking = [PLAIN | {name: cell} for name, cell in product(read, BAD)]
    kind = pa.schema([(name, pa.float64()) for name in NAMES])
    found = exact(pa.Table.from_pylist([PLAIN, *lacking], kind), plan, "duckdb")
    assert found == exact({name: [0.75] for name in NAMES}, plan, "python")


@pytest.mark.parametrize("cell", [None, 1])
def test_a_whole_number_that_is_missing_drops_the_row_of_a_person(
    cell: int | None,
) -> None:
    plan = plan_of(unit=PrivacyUnit("id", totals=TOTALS))
    labels = pd.array([1, cell], dtype="Int64")  # Gaps become NaN on the way.
    frame = pd.DataFrame({"score": [0.5, 0.5], "label": labels, "id": ["a", "b"]})
    expected = {"score": [0.5, 0.5], "label": [1, cell], "id": ["a", "b"]}
    assert exact(frame, plan, "duckdb") == exact(expected, plan, "python")
    assert exact(pa.table(expected), plan, "duckdb") == exact(frame, plan, "duckdb")


def test_where_rows_are_counted_one_without_a_number_is_not() -> None:
    bounds = {"score": SCORE}
    plan = make_plan(Ratio("score", per="rows"), bounds=bounds, budget=Budget(1))
    kind = pa.schema([("score", pa.float64())])
    lacking = [{"score": cell} for cell in BAD]
    found = exact(
        pa.Table.from_pylist([{"score": 0.75}, *lacking], kind), plan, "duckdb"
    )
    assert found == exact({"score": [0.75]}, plan, "python")
