"""Questions with totals of their own: the same integers, one price."""

from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.own_totals_for_tests import (
    OWN,
    moved_in_all,
    own_plan,
    paid_in_all,
    sums_before_noise,
)
from curator.people_for_tests import REGIONS, Table, crowds
from curator.tables_for_tests import ENGINES, exact, fixed
from dpratio.curator import measure
from dpratio.curator.statements import readings_of
from dpratio.plan.plan import Plan
from dpratio.terms.unit import NEIGHBOURS
from edited_plans import with_terms
from tiers import quick_first

LAWS = [
    ("even", "laplace"),
    ("joint", "laplace"),
    ("joint", "analytic_gaussian"),
    ("focused", "analytic_gaussian"),
]


def crowd() -> Table:
    """Everybody is in every region, some with many rows in one of them."""
    rows = [
        (f"person {at % 7}", REGIONS[at % 4], at % 5 / 4, at % 3 / 2, 1 + at % 2)
        for at in range(140)
    ]
    names = ("id", "region", "score", "label", "weight")
    return pa.table({name: [row[at] for row in rows] for at, name in enumerate(names)})


def as_one_question(plan: Plan, at: int) -> Plan:
    """The plan as if its unit were that of one of its questions."""
    unit = plan.layout(plan.measurements[at]).unit
    plain = [
        replace(each, question=replace(each.question, totals={}))
        for each in plan.measurements
    ]
    return with_terms(plan.measuring(plain), unit=unit)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("strategy", ["even", "joint", "focused"])
def test_each_question_has_the_integers_of_a_study_with_its_unit(
    strategy: str, engine: str
) -> None:
    plan, table = own_plan(strategy, clipping="measured"), crowd()
    found = sums_before_noise(table, plan, engine)
    for at in range(len(OWN)):
        alone = as_one_question(plan, at)
        assert found[at] == exact(table.to_pydict(), alone, "python", question=at)


def test_questions_about_the_same_groups_are_read_together() -> None:
    plan = own_plan()
    groups = [measure._known_groups(each) for each in plan.study.partitions]
    read = readings_of(plan, groups)
    assert [len(each.statements) for each in read] == [2, 1, 1]


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize(("strategy", "mechanism"), quick_first(LAWS))
@given(data=st.data())
@fixed(2)
def test_one_person_moves_all_questions_by_no_more_than_was_paid(
    strategy: str, mechanism: str, neighbours: str, data: st.DataObject
) -> None:
    plan = own_plan(strategy, mechanism, neighbours=neighbours)
    tables = [data.draw(crowds("text", least_rows=1)) for _ in range(3)]
    at = tables[0].column_names.index("id")
    first, second = (
        each.set_column(at, "id", pa.array(["ann"] * each.num_rows))
        for each in tables[1:]
    )
    is_other = [each != "ann" for each in tables[0]["id"].to_pylist()]
    others = tables[0].filter(pa.array(is_other))
    mine = pa.concat_tables([others, first])
    beside = [others] if neighbours == NEIGHBOURS[0] else [others, second]
    for engine in ENGINES:
        one, other = (
            sums_before_noise(each, plan, engine)
            for each in (mine, pa.concat_tables(beside))
        )
        assert moved_in_all(plan, one, other) <= paid_in_all(plan), engine


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize(("strategy", "mechanism"), quick_first(LAWS))
def test_one_person_with_many_rows_everywhere_moves_no_more_than_was_paid(
    strategy: str, mechanism: str, neighbours: str
) -> None:
    plan = own_plan(strategy, mechanism, neighbours=neighbours)

    def table_of(sign: float, many: int) -> Table:
        columns = {"score": sign, "label": 1.0, "weight": 2.0, "id": "ann"}
        held = {name: [each] * many for name, each in columns.items()}
        types = [*[pa.float64()] * 3, pa.string(), pa.string()]
        regions = [REGIONS[at % 4] for at in range(many)]
        arrays = [*held.values(), regions]
        return pa.table(
            [pa.array(each, kind) for each, kind in zip(arrays, types, strict=True)],
            names=[*held, "region"],
        )

    ends = [table_of(1.0, 400), table_of(-1.0, 400), table_of(1.0, 0)]
    found = [sums_before_noise(each, plan, "duckdb") for each in ends]
    pairs = [(0, 2), (1, 2)] + ([(0, 1)] if neighbours == "change-one" else [])
    for one, other in pairs:
        moved = moved_in_all(plan, found[one], found[other])
        assert 0 < moved <= paid_in_all(plan)
