"""Histograms in DuckDB: every edge of a ladder, and tables that hold no number."""

import math

import pyarrow as pa
import pytest

from curator.histograms_for_tests import groups_plan, people_plan, rows_plan, study_of
from curator.table_sources import mapping_of
from curator.tables_for_tests import exact
from dpratio.plan.histograms import plan_bounds
from dpratio.plan.ladder import Ladder
from dpratio.terms.budget import Budget


@pytest.mark.parametrize("ladder", [Ladder(), Ladder(-90, 30), Ladder(-3, 90)])
def test_the_numbers_around_each_edge_lie_where_the_ladder_places_them(
    ladder: Ladder,
) -> None:
    limits = (2.0**ladder.lowest, 2.0**ladder.highest)
    plan = plan_bounds(study_of(), budget=Budget(1), limits=limits)
    spent = [
        number
        for edge in ladder.edges
        for number in (
            edge,
            *(math.nextafter(edge, to) for to in (-math.inf, math.inf)),
        )
    ]
    wanted = [[0] for _ in ladder.labels]
    for number in spent:
        wanted[ladder.place(number)][0] += 1
    table = pa.table({"spent": spent, "orders": spent})
    assert [exact(table, plan, "duckdb", question=at) for at in (0, 1)] == [wanted] * 2


@pytest.mark.parametrize("rows", [0, 3])
@pytest.mark.parametrize("make", [rows_plan, people_plan, groups_plan])
def test_a_table_without_a_number_is_counted(make: object, rows: int) -> None:
    table = pa.table(
        {
            "user": pa.array(["ann"] * rows, pa.string()),
            "spent": pa.array([None] * rows, pa.float64()),
            "orders": pa.array([math.nan] * rows, pa.float64()),
            "region": pa.array(["north"] * rows, pa.string()),
        }
    )
    plan = make()  # type: ignore[operator]
    for at in (0, 1):
        counts = exact(table, plan, "duckdb", question=at)
        assert counts == exact(mapping_of(table), plan, "python", question=at)
        missing = rows if make is rows_plan else 0
        assert sum(count for (count,) in counts) == counts[-1][0] == missing
