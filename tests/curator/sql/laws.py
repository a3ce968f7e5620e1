"""What the server must do: give the integers of the specification, to the last one."""

from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from curator.postgres_host import Postgres
from curator.table_sources import mapping_of
from curator.tables_for_tests import exact, fixed
from dpratio.plan.plan import Plan
from soak import IS_SOAK

__all__ = ["hold", "require_agreement"]


def hold(
    law: Callable[..., None], examples: int, **drawn: st.SearchStrategy[Any]
) -> None:
    """Try a law on so many examples, more in a soak."""
    many = max(1, round(examples * (2.5 if IS_SOAK else 0.25)))
    fixed(many)(given(**drawn)(law))()


def require_agreement(postgres: Postgres, plan: Plan, table: Any) -> list[list[int]]:  # noqa: ANN401
    """Every question of a plan has the integers of the specification."""
    loaded = postgres.table(table)
    found = []
    for at in range(len(plan.measurements)):
        expected = exact(mapping_of(table), plan, "python", question=at)
        assert exact(loaded, plan, "ibis", question=at) == expected, at
        found += expected
    return found
