"""Bounds that are found where the data are: in one snapshot of PostgreSQL."""

from typing import Any

import ibis
import psycopg
import pytest

from curator.test_searched import COLUMNS, COUNT, PEOPLE, PLAN, released, without_noise
from dpratio.curator import searched as room
from dpratio.errors import EngineFailed, InvalidInput
from dpratio.plan.plan import Plan
from dpratio.plan.search.realise_bounds import realise_bounds
from dpratio.terms.database import DatabaseTable


@pytest.fixture
def shop(postgres_url: str) -> DatabaseTable:
    """The shoppers in a table of a server."""
    with psycopg.connect(postgres_url) as connection:
        connection.execute(
            "CREATE TABLE shoppers (spent float8, orders float8, region text, id text)"
        )
        with connection.cursor().copy("COPY shoppers FROM STDIN") as rows:
            for each in zip(*COLUMNS.values(), strict=True):
                rows.write_row(each)
    return DatabaseTable(postgres_url, table="public.shoppers")


@pytest.mark.parametrize("plan", [PLAN, PEOPLE], ids=["rows", "people"])
def test_both_stages_are_the_same_as_in_memory(shop: DatabaseTable, plan: Plan) -> None:
    with without_noise():
        wanted, found = released(COLUMNS, plan), released(shop, plan)
    assert found.searched is not None
    assert found.searched.is_taken
    assert (found.searched, found.questions) == (wanted.searched, wanted.questions)


def test_what_is_written_between_the_readings_is_not_read(
    shop: DatabaseTable, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meanwhile(plan: Plan, counts: Any) -> Any:  # noqa: ANN401
        with psycopg.connect(postgres_url) as other:
            other.execute("INSERT INTO shoppers SELECT * FROM shoppers")
        return realise_bounds(plan, counts)

    with without_noise():
        wanted = released(COLUMNS)
        monkeypatch.setattr(room, "realise_bounds", meanwhile)
        found = released(shop)
    assert (found.searched, found.questions) == (wanted.searched, wanted.questions)
    with psycopg.connect(postgres_url) as other:
        [many] = other.execute("SELECT count(*) FROM shoppers").fetchone() or [0]
    assert many == 2 * COUNT


def test_a_snapshot_that_the_server_ends_is_told_in_our_words(
    shop: DatabaseTable, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meanwhile(plan: Plan, counts: Any) -> Any:  # noqa: ANN401
        with psycopg.connect(postgres_url, autocommit=True) as other:
            other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        return realise_bounds(plan, counts)

    monkeypatch.setattr(room, "realise_bounds", meanwhile)
    with pytest.raises(EngineFailed) as stopped:
        released(shop)
    assert stopped.value.__cause__ is stopped.value.__context__ is None


@pytest.mark.usefixtures("shop")
def test_a_connection_of_others_is_not_held(postgres_url: str) -> None:
    connection = psycopg.connect(postgres_url)
    try:
        rows = ibis.postgres.from_connection(connection).table("shoppers")
        with pytest.raises(InvalidInput, match="`dpratio bounds`"):
            released(rows, engine="ibis")
    finally:
        connection.close()
