"""One row, or one person, more or less: in a database it moves what is paid for.

Grey box: the integers before noise are compared on pairs of neighbouring tables.
"""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import strategies as st

from curator.hostile_tables import Case, cases
from curator.moves_for_tests import require_close
from curator.people_for_tests import REGIONS, allowed, crowds, moved_by, people
from curator.postgres_host import Postgres
from curator.sql.laws import hold
from curator.tables_for_tests import exact


@pytest.mark.parametrize("strategy", ["even", "joint", "focused"])
def test_one_row_moves_one_group_by_no_more_than_is_paid_for(
    strategy: str, postgres: Postgres
) -> None:
    def law(case: Case, data: st.DataObject) -> None:
        less = case.without(data.draw(st.integers(0, case.table.num_rows - 1)))
        found = [
            exact(postgres.table(each.table), each.plan, "ibis")
            for each in (case, less)
        ]
        require_close(case.plan, *found)

    case = cases(strategy, least_rows=1)
    hold(law, 3, case=case, data=st.data())


@pytest.mark.parametrize(
    ("strategy", "mechanism"),
    [("even", "laplace"), ("joint", "analytic_gaussian"), ("focused", "laplace")],
)
def test_one_person_moves_the_sums_by_no_more_than_the_price(
    strategy: str, mechanism: str, postgres: Postgres
) -> None:
    terms: dict[str, Any] = {"mechanism": mechanism} if strategy != "even" else {}

    def law(table: Any, own: Any, most: int, keys: Any) -> None:  # noqa: ANN401
        plan = people(strategy=strategy, most_groups=most, keys=keys, **terms)
        at = table.column_names.index("id")
        mine = own.set_column(at, "id", pa.array(["ann"] * own.num_rows))
        is_other = [each != "ann" for each in table["id"].to_pylist()]
        others = table.filter(pa.array(is_other, pa.bool_()))
        both = (pa.concat_tables([others, mine]), others)
        found = [exact(postgres.table(each), plan, "ibis") for each in both]
        assert moved_by(plan, *found) <= allowed(plan)

    hold(
        law,
        2,
        table=crowds("text", least_rows=1),
        own=crowds("text", least_rows=1),
        most=st.integers(1, 3),
        keys=st.sampled_from([None, REGIONS]),
    )
