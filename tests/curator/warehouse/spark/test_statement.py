"""How statements are written for Spark: rows of one id are sent once."""

import re
from typing import Any

import pyarrow as pa
import pytest

from curator.people_for_tests import TOTALS, people
from curator.warehouse.spark.frames_for_tests import (
    Session,
    frame_of,
    query_over,
    require_same,
)
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds

KEYS = ["north", "south", "west"]
IDS: dict[str, Any] = {
    "int": pa.array([1, 1, 1, 1, 2, 2, None, 3] * 9, pa.int32()),
    "bigint": pa.array([2**62, 2**62, -1, -1, 2, 2, None, 3] * 9, pa.int64()),
    "text": pa.array(["a", "a", "A", "a ", "é", "7", None, "07"] * 9, pa.string()),
}


def table_of(kind: str) -> pa.Table:
    many = len(IDS[kind])
    return pa.table(
        {
            "score": pa.array([at % 7 / 7 for at in range(many)]),
            "label": pa.array([at % 2 for at in range(many)]),
            "weight": pa.array([1.0] * many),
            "region": pa.array([KEYS[at // 8 % 3] for at in range(many)]),
            "id": IDS[kind],
        }
    )


def sent(session: Session, table: pa.Table, plan: Plan) -> list[str]:
    """By what rows are sent between machines, the last time first."""
    frame = query_over(frame_of(session, table), plan)
    shown = str(frame._jdf.queryExecution().executedPlan().toString())
    found = re.findall(r"Exchange hashpartitioning\((.*?), \d+\)", shown)
    return [re.sub(r"#\w+", "", each) for each in found]


@pytest.mark.parametrize("kind", IDS)
def test_rows_of_an_id_are_sent_once_and_give_the_same_integers(
    kind: str, session: Session
) -> None:
    table, plan = table_of(kind), people(keys=KEYS, most_groups=2)
    assert sent(session, table, plan) == ["code", "u"]
    require_same(frame_of(session, table), table, plan)


def test_where_all_groups_are_kept_totals_are_sent_and_not_rows(
    session: Session,
) -> None:
    table, plan = table_of("text"), people(keys=KEYS, most_groups=3)
    assert sent(session, table, plan) == ["code", "u, code"]
    require_same(frame_of(session, table), table, plan)


def test_where_ids_may_have_many_rows_totals_are_sent_twice(session: Session) -> None:
    table = table_of("bigint")
    plan = people(keys=KEYS, most_groups=2, totals=dict.fromkeys(TOTALS, Bounds(0, 50)))
    assert sent(session, table, plan) == ["code", "u", "u, code"]
    require_same(frame_of(session, table), table, plan)
