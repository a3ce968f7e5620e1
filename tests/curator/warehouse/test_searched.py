"""Bounds that are found where the data are: in one snapshot of a database."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from curator.test_searched import COLUMNS, COUNT, PEOPLE, PLAN, released, without_noise
from curator.warehouse.shops_for_tests import (
    SHOPS,
    Shop,
    in_duckdb,
    shop_of,
)
from dpratio.curator import searched as room
from dpratio.errors import EngineFailed
from dpratio.plan.plan import Plan
from dpratio.plan.search.realise_bounds import realise_bounds
from dpratio.release.release import Release


@pytest.fixture
def shop(request: pytest.FixtureRequest) -> Shop:
    """The shoppers in a table of a database."""
    return shop_of(request.param, request, COLUMNS)


def released_while(
    shop: Shop, meanwhile: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> Release:
    """Release, and let something happen between the readings."""

    def between(plan: Plan, counts: Any) -> Any:  # noqa: ANN401
        meanwhile()
        return realise_bounds(plan, counts)

    monkeypatch.setattr(room, "realise_bounds", between)
    with without_noise():
        return released(shop.table)


@pytest.mark.parametrize("shop", SHOPS, indirect=True)
def test_both_stages_are_the_same_as_in_memory(shop: Shop) -> None:
    for plan in (PLAN, PEOPLE):
        with without_noise():
            wanted, found = released(COLUMNS, plan), released(shop.table, plan)
        assert found.searched is not None
        assert found.searched.is_taken
        assert (found.searched, found.questions) == (wanted.searched, wanted.questions)


@pytest.mark.parametrize("shop", SHOPS, indirect=True)
def test_what_is_written_between_the_readings_is_not_read(
    request: pytest.FixtureRequest, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    with without_noise():
        wanted = released(COLUMNS)
    found = released_while(shop, shop.double, monkeypatch)
    assert (found.searched, found.questions) == (wanted.searched, wanted.questions)
    # DuckDB lets no other process write meanwhile.
    is_duckdb = request.node.callspec.params["shop"] == "duckdb"
    assert shop.count() == (COUNT if is_duckdb else 2 * COUNT)


@pytest.mark.parametrize("end", ["", ".wal"])
def test_a_file_of_duckdb_that_changes_stops_the_release(
    end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a file system without locks: what is read then may be of two moments."""
    shop = in_duckdb(tmp_path, COLUMNS)
    with pytest.raises(EngineFailed, match="changed while they were read"):
        released_while(shop, (tmp_path / f"shop.duckdb{end}").touch, monkeypatch)


@pytest.mark.parametrize("shop", ["postgres"], indirect=True)
def test_a_snapshot_that_the_server_ends_is_told_in_our_words(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end() -> None:
        with psycopg.connect(shop.table.url, autocommit=True) as other:
            other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )

    with pytest.raises(EngineFailed) as stopped:
        released_while(shop, end, monkeypatch)
    assert stopped.value.__cause__ is stopped.value.__context__ is None
