"""Bounds of one table, sums of another: in databases anyone may write meanwhile."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from curator.warehouse.shops_for_tests import in_duckdb, in_postgres
from dpratio.curator import searched as room
from dpratio.curator.release_sums import release_sums
from dpratio.errors import EngineFailed
from dpratio.plan.plan import Plan
from dpratio.plan.search.realise_bounds import realise_bounds
from dpratio.terms.budget import Budget
from dpratio.terms.database import DatabaseTable
from plan.search_plans import REGIONS, search_plan

COLUMNS: dict[str, list[Any]] = {
    "spent": [5.0] * 400,
    "orders": [1.0] * 400,
    "region": ["north", "south"] * 200,
}


def orders_while(
    table: DatabaseTable, meanwhile: Callable[[], object], patch: pytest.MonkeyPatch
) -> float:
    """Release, let something happen between the readings, and count orders."""

    def between(plan: Plan, counts: Any) -> Any:  # noqa: ANN401
        meanwhile()
        return realise_bounds(plan, counts)

    patch.setattr(room, "realise_bounds", between)
    plan = search_plan(strategy="joint", budget=Budget(4), groups=REGIONS)
    (released,) = release_sums(table, plan, ledger=None).questions
    factors = [each.summand.factors for each in released.asked.sums]
    at = factors.index(("y",))
    return float(released.values[:, at].sum() * released.asked.sums[at].step)


def test_38_rows_that_are_written_between_the_readings_are_in_neither(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bounds of one table, sums of another: on a server anyone may write meanwhile.

    Source: found when the search for bounds was designed, 2026.
    More: tests/curator/warehouse/test_searched.py
    """
    shop = in_postgres(postgres_url, COLUMNS)

    def meanwhile() -> None:
        for _ in range(7):
            shop.double()

    assert orders_while(shop.table, meanwhile, monkeypatch) < 10_000
    assert shop.count() == 400 * 2**7


def test_38_a_file_of_duckdb_is_not_written_to_between_the_readings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process loses its lock on a file when it closes that file somewhere else.

    Source: found when snapshots of databases were designed, 2026.
    More: tests/curator/warehouse/test_searched.py
    """
    shop = in_duckdb(tmp_path, COLUMNS)

    def meanwhile() -> None:
        (tmp_path / "shop.duckdb").read_bytes()
        shop.double()

    with pytest.raises(EngineFailed, match="changed while they were read"):
        orders_while(shop.table, meanwhile, monkeypatch)
