"""Two stages where the data are: the integers of DuckDB, and one reading for both."""

from collections.abc import Callable
from typing import Any

import pytest

from curator.postgres_host import Postgres
from curator.stages_for_tests import (
    PLANS,
    TABLE,
    between_stages,
    plan_of,
    with_known_noise,
)
from dpratio.curator.release_sums import release_sums
from dpratio.plan.plan import Plan
from dpratio.release.release import ReleasedQuestion
from dpratio.terms.source import DatabaseTable


def released(table: Any, plan: Plan) -> ReleasedQuestion:  # noqa: ANN401
    """Release with noise that is the same each time."""
    with with_known_noise(5):
        (question,) = release_sums(table, plan, ledger=None).questions
    return question


@pytest.mark.parametrize("kind", PLANS)
def test_both_stages_have_the_integers_of_duckdb(kind: str, postgres: Postgres) -> None:
    plan = plan_of(kind)
    wanted = released(TABLE, plan)
    assert wanted.first is not None
    assert released(postgres.table(TABLE), plan) == wanted


def delete_all(postgres: Postgres, table: DatabaseTable) -> Callable[[], None]:
    """Delete every row through another connection, for all to see."""

    def delete() -> None:
        said = f"DELETE FROM {table.name}".encode()  # noqa: S608 (a name of ours)
        gone = postgres.connection.execute(said)
        assert gone.rowcount == TABLE.num_rows

    return delete


def test_what_others_write_between_the_stages_is_in_neither(
    postgres: Postgres,
) -> None:
    """Every row is deleted, and that is committed, before the second stage."""
    plan = plan_of("people")
    wanted = released(TABLE, plan)
    table = postgres.table(TABLE)
    with between_stages(delete_all(postgres, table)) as done:
        found = released(table, plan)
    assert done == [1]
    assert found == wanted
    with with_known_noise(5):
        (empty,) = release_sums(TABLE.slice(0, 0), plan, ledger=None).questions
    assert released(table, plan) == empty
    assert empty != wanted
