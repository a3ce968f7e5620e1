"""One row more or less: how far it may move the sums.

Grey box: the integers before noise are compared on pairs of neighbouring tables.
"""

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.hostile_tables import HOSTILE_NUMBERS, Case, cases
from curator.moves_for_tests import require_close
from curator.table_sources import CSV_DIALECTS, SOURCES, mapping_of, write_csv
from curator.tables_for_tests import ENGINES, exact, fixed, plan_of
from dpratio.terms.bounds import Bounds

Table = Any


def require_neighbours_close(case: Case, data: st.DataObject, folder: Path) -> None:
    neighbour = case.without(data.draw(st.integers(0, case.table.num_rows - 1)))
    source = data.draw(st.sampled_from(["relation"] * 25 + sorted(SOURCES)))
    pairs = [("auto", mapping_of), ("auto", lambda t: SOURCES[source](t, folder))]
    for engine, make in pairs:
        table, less = (
            exact(make(each.table), each.plan, engine) for each in (case, neighbour)
        )
        require_close(case.plan, table, less)


@given(case=cases(least_rows=1), data=st.data())
@fixed(45)
def test_one_row_moves_one_group_by_no_more_than_the_sensitivity(
    case: Case, data: st.DataObject, folder: Path
) -> None:
    require_neighbours_close(case, data, folder)


@given(case=cases("focused", least_rows=1), data=st.data())
@fixed(21)
def test_one_row_pays_for_all_sums_of_z_and_h_no_more_than_their_joint_price(
    case: Case, data: st.DataObject, folder: Path
) -> None:
    require_neighbours_close(case, data, folder)


@given(case=cases("joint", least_rows=1), data=st.data())
@fixed(12)
def test_one_row_pays_for_all_sums_of_the_paper_no_more_than_their_joint_price(
    case: Case, data: st.DataObject, folder: Path
) -> None:
    require_neighbours_close(case, data, folder)


@given(case=cases(least_rows=1), data=st.data())
@fixed(15)
def test_one_line_of_text_moves_one_group_by_no_more_than_the_sensitivity(
    case: Case, data: st.DataObject, folder: Path
) -> None:
    neighbour = case.without(data.draw(st.integers(0, case.table.num_rows - 1)))
    dialects = [name for name in sorted(CSV_DIALECTS) if name != "no_quote"]
    dialect = data.draw(st.sampled_from(dialects))
    for engine in ENGINES:
        table, less = (
            exact(write_csv(each.table, folder, dialect), each.plan, engine)
            for each in (case, neighbour)
        )
        require_close(case.plan, table, less)


NUMBERS = st.sampled_from([*HOSTILE_NUMBERS, 10**400, -(10**40), Decimal("1e-400")])
OBJECTS = [None, "text", b"1", True, [1], {}, Decimal("NaN"), np.float32(0.1), object()]


@given(
    rows=st.lists(
        st.tuples(
            *[NUMBERS | st.sampled_from(OBJECTS)] * 3,
            st.sampled_from(["a", "b", 1, None]),
        ),
        min_size=1,
        max_size=6,
    )
)
@pytest.mark.parametrize("strategy", ["even", "focused"])
@fixed(21)
def test_one_row_of_any_python_objects_moves_no_more(
    strategy: str, rows: list[tuple[Any, ...]]
) -> None:
    bounds = (Bounds(-0.7, 1.3), Bounds(-5, -1), Bounds(0, 1e9))
    guess = 1 / 3 if strategy == "focused" else None
    plan = plan_of(*bounds, keys=["a", "b"], strategy=strategy, guess=guess)
    names = ("score", "label", "weight", "region")

    def sums(some: list[tuple[Any, ...]]) -> list[list[int]]:
        columns = {name: [row[at] for row in some] for at, name in enumerate(names)}
        return exact(columns, plan, "python")

    require_close(plan, sums(rows), sums(rows[1:]))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "score", [Bounds(-3, 1), Bounds(0.1, 0.3), Bounds(-(2.0**100), -1), Bounds.binary()]
)
@pytest.mark.parametrize("label", [Bounds(-0.3, 0.2), Bounds.binary()])
def test_a_row_at_the_bounds_reaches_the_sensitivity_and_an_outlier_no_more(
    score: Bounds, label: Bounds, engine: str
) -> None:
    plan = plan_of(score, label, Bounds(0, 7.7))
    largest = [each.sensitivity for each in plan.measurements[0].sums]

    def row(factor: float) -> Table:
        ends = {"score": furthest(score), "label": furthest(label), "weight": 7.7}
        return pa.table({name: [factor * end] for name, end in ends.items()})

    at_the_bounds = [abs(each) for each in exact(row(1), plan, engine)[0]]
    outlier = [abs(each) for each in exact(row(1e200), plan, engine)[0]]
    assert at_the_bounds == outlier == largest


def furthest(bounds: Bounds) -> float:
    """The end of a range that is further from zero."""
    return max(bounds.lower, bounds.upper, key=abs)


def test_a_key_that_one_row_brings_changes_no_answer() -> None:
    plan, names = plan_of(keys=["b", "a"]), ["a", "b", "a", "someone"]
    table = pa.table({"score": [0.5] * 4, "label": [1] * 4, "region": names})
    for engine in ENGINES:
        assert exact(table, plan, engine) == exact(table.slice(0, 3), plan, engine)
