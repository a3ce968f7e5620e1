"""One person more, less or changed moves the sums by no more than was paid."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.people_for_tests import REGIONS, Table, allowed, crowds, moved_by, people
from curator.tables_for_tests import ENGINES, exact, fixed
from dpratio.plan.plan import Plan
from dpratio.terms.unit import NEIGHBOURS

TERMS = [
    (strategy, mechanism, neighbours, most)
    for strategy, mechanism in [
        ("even", "laplace"),
        ("joint", "laplace"),
        ("joint", "analytic_gaussian"),
        ("focused", "laplace"),
        ("focused", "analytic_gaussian"),
    ]
    for neighbours in NEIGHBOURS
    for most in (1, 3)
]


def require_paid_for(plan: Plan, first: Table, second: Table) -> None:
    for engine in ENGINES:
        found, other = (exact(each, plan, engine) for each in (first, second))
        assert moved_by(plan, found, other) <= allowed(plan), engine
        if plan.study.strategy == "even":
            cells = 2 if plan.unit.neighbours == "change-one" else 1
            for at, each in enumerate(plan.measurements[0].sums):
                apart = sum(
                    abs(a[at] - b[at]) for a, b in zip(found, other, strict=True)
                )
                most = cells * plan.unit.most_groups * each.sensitivity
                assert apart <= most


@pytest.mark.parametrize(("strategy", "mechanism", "neighbours", "most"), TERMS)
@given(data=st.data())
@fixed(2)
def test_one_person_moves_the_sums_by_no_more_than_the_price(
    strategy: str, mechanism: str, neighbours: str, most: int, data: st.DataObject
) -> None:
    terms: dict[str, Any] = {"mechanism": mechanism} if strategy != "even" else {}
    plan = people(
        strategy=strategy,
        neighbours=neighbours,
        most_groups=most,
        keys=data.draw(st.sampled_from([None, REGIONS])),
        minus=data.draw(st.booleans()),
        **terms,
    )
    table = data.draw(crowds("text", least_rows=1))
    own = data.draw(crowds("text", least_rows=1))
    at = table.column_names.index("id")
    mine = own.set_column(at, "id", pa.array(["ann"] * own.num_rows))
    others = table.filter(pa.array([each != "ann" for each in table["id"].to_pylist()]))
    with_me = pa.concat_tables([others, mine])
    require_paid_for(plan, with_me, others)
    if neighbours == "change-one":
        changed = data.draw(crowds("text", least_rows=1))
        other = changed.set_column(at, "id", pa.array(["ann"] * changed.num_rows))
        require_paid_for(plan, with_me, pa.concat_tables([others, other]))


@pytest.mark.parametrize(("strategy", "mechanism", "neighbours", "most"), TERMS)
def test_one_person_with_many_rows_moves_no_more_than_the_cap(
    strategy: str, mechanism: str, neighbours: str, most: int
) -> None:
    terms: dict[str, Any] = {"mechanism": mechanism} if strategy != "even" else {}
    plan = people(strategy=strategy, neighbours=neighbours, most_groups=most, **terms)
    rows = 100

    def crowd(sign: float) -> Table:
        regions = (REGIONS if sign > 0 else REGIONS[::-1][:2]) * rows
        return pa.table(
            {
                "score": [sign * 9.0] * rows,
                "label": [max(sign, 0.0)] * rows,
                "weight": [2.0] * rows,
                "region": regions[:rows],
                "id": ["whale"] * rows,
            }
        )

    few = crowd(1.0).slice(0, 3)
    others = few.set_column(4, "id", pa.array(["x", "y", "z"]))
    both = [pa.concat_tables([others, crowd(sign)]) for sign in (1.0, -1.0)]
    require_paid_for(plan, both[0], others)
    require_paid_for(plan, both[1], others)
    if neighbours == "change-one":
        require_paid_for(plan, *both)
    found, less = exact(both[0], plan, "duckdb"), exact(others, plan, "duckdb")
    moved = sum(row != other for row, other in zip(found, less, strict=True))
    assert moved == most


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_in_undeclared_groups_do_not_count_against_the_cap(engine: str) -> None:
    plan = people(weighted=False)
    row = {"score": [1.0], "label": [1.0], "region": ["b"], "id": ["one"]}
    alone = pa.table(row)
    away = pa.table({**row, "region": ["nowhere"]})
    table = pa.concat_tables([alone, *[away] * 20])
    assert exact(table, plan, engine) == exact(alone, plan, engine)
