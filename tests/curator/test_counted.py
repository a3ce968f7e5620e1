"""Rows and people are counted as a column of ones would be, on every engine."""

from collections.abc import Callable
from typing import Any

import psycopg
import pyarrow as pa
import pytest

from curator.tables_for_tests import ENGINES, exact
from dpratio.curator.release_sums import release_sums
from dpratio.errors import SchemaRefused
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from dpratio.terms.source import DatabaseTable
from dpratio.terms.unit import PrivacyUnit
from plan_documents import plan_from_document, plan_to_document

pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")

INF, NAN = float("inf"), float("nan")
SCORES = [1.5, -7.0, 40.0, None, NAN, INF, 1e300, -1e300, 2.0, 0.0]
IDS = [1, 1, 1, 2, 3, 4, 5, None, 6, 6]
KEYS = ["a", "b", "a", "a", "b", "a", "b", "a", "b", "z"]
TABLE = pa.table(
    {"s": SCORES, "id": IDS, "k": KEYS, "one": [1] * 10, "w": [0.5, 2.0] * 5}
)
GROUPS = Groups("k", ["a", "b"])


def plan_of(per: str, *, most: int | None = None, weight: str | None = None) -> Plan:
    """A plan of rows; with ``most`` one of people, who count so often at most."""
    bounds = {"s": Bounds(-5, 30)}
    bounds |= {"one": Bounds.binary()} if per == "one" else {}
    bounds |= {} if weight is None else {weight: Bounds(0, 2)}
    totals = {"s": Bounds(0, 50)}
    totals |= {} if per == "people" else {per: Bounds(0, most or 1)}
    return make_plan(
        Ratio("s", per=per, weight=weight),
        bounds=bounds,
        budget=Budget(1),
        groups=GROUPS,
        strategy="joint",
        unit=None if most is None else PrivacyUnit("id", totals=totals),
    )


@pytest.fixture(params=[*ENGINES, "postgres"])
def summed(request: pytest.FixtureRequest) -> Callable[[Plan], list[list[int]]]:
    """The exact sums of the table, by each engine."""
    name = request.param
    if name in ENGINES:
        return lambda plan: exact(TABLE, plan, name)
    url = request.getfixturevalue("postgres_url")
    with psycopg.connect(url) as connection:
        connection.execute(
            "CREATE TABLE loans (s DOUBLE PRECISION, id BIGINT, k TEXT, one INTEGER, "
            "w DOUBLE PRECISION)"
        )
        rows = [tuple(row.values()) for row in TABLE.to_pylist()]
        insert = "INSERT INTO loans VALUES (%s, %s, %s, %s, %s)"
        connection.cursor().executemany(insert, rows)
    return lambda plan: exact(DatabaseTable(url, table="loans"), plan, "ibis")


def test_rows_are_counted_as_a_column_of_ones_is(summed: Any) -> None:  # noqa: ANN401
    assert summed(plan_of("rows")) == summed(plan_of("one"))
    assert summed(plan_of("rows", weight="w")) == summed(plan_of("one", weight="w"))


def test_rows_of_people_and_people_are_counted_within_their_totals(
    summed: Any,  # noqa: ANN401
) -> None:
    assert summed(plan_of("rows", most=2)) == summed(plan_of("one", most=2))
    assert summed(plan_of("people", most=1)) == summed(plan_of("one", most=1))


def test_counting_costs_what_a_column_of_ones_costs() -> None:
    terms: dict[str, Any] = {"budget": Budget(1)}
    counted = make_plan(Ratio("s", per="rows"), bounds={"s": Bounds(0, 9)}, **terms)
    bounds = {"s": Bounds(0, 9), "one": Bounds.binary()}
    added = make_plan(Ratio("s", per="one"), bounds=bounds, **terms)
    assert counted.measurements[0].sums == added.measurements[0].sums
    assert price(counted) == price(added)
    assert plan_from_document(Node(plan_to_document(counted))) == counted


def test_no_column_of_that_name_is_read_unless_it_has_bounds() -> None:
    table = {"s": [1.0, 2.0], "rows": [5.0, 7.0]}
    bounds = {"s": Bounds(0, 9)}
    counted = make_plan(Ratio("s", per="rows"), bounds=bounds, budget=Budget(1))
    bare = {"s": table["s"]}
    assert exact(table, counted, "python") == exact(bare, counted, "python")
    declared = bounds | {"rows": Bounds(0, 9)}
    column = make_plan(Ratio("s", per="rows"), bounds=declared, budget=Budget(1))
    with pytest.raises(SchemaRefused, match="column 'rows' is not in the table"):
        release_sums(bare, column, ledger=None)
