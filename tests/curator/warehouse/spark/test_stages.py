"""Two stages on a cluster: the integers of DuckDB, and one reading for both."""

from typing import Any

import pytest

from curator.stages_for_tests import (
    TABLE,
    between_stages,
    plan_of,
    with_known_noise,
)
from curator.warehouse.spark.frames_for_tests import Session, frame_of
from dpratio.curator.release_sums import release_sums
from dpratio.plan.plan import Plan
from dpratio.release.release import ReleasedQuestion


def released(table: Any, plan: Plan) -> ReleasedQuestion:  # noqa: ANN401
    """Release with noise that is the same each time."""
    with with_known_noise(5):
        (question,) = release_sums(table, plan, ledger=None).questions
    return question


@pytest.mark.parametrize("kind", ["weights", "people"])
def test_both_stages_have_the_integers_of_duckdb(kind: str, session: Session) -> None:
    plan = plan_of(kind)
    assert released(frame_of(session, TABLE), plan) == released(TABLE, plan)


def test_what_others_write_between_the_stages_is_in_neither(session: Session) -> None:
    """All rows stand in the table a second time before the second stage."""
    plan = plan_of("people")
    frame = frame_of(session, TABLE)
    session.sql("CREATE SCHEMA IF NOT EXISTS stages")
    frame.write.format("parquet").saveAsTable("stages.visits")
    # Nobody may be in the table twice: the second copy is of other people.
    more = frame.selectExpr("spend", "visits", "w", "region", "'other ' || id AS id")

    def write() -> None:
        more.write.format("parquet").mode("append").saveAsTable("stages.visits")

    try:
        with between_stages(write) as done:
            found = released(session.table("stages.visits"), plan)
        assert done == [1]
        assert found == released(TABLE, plan)
        later = released(session.table("stages.visits"), plan)
        assert later.first != found.first
    finally:
        session.sql("DROP SCHEMA stages CASCADE")
