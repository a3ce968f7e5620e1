"""What every host must do: give the integers of the specification, to the last one."""

from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from curator.table_sources import mapping_of
from curator.tables_for_tests import exact, fixed
from curator.warehouse.hosts import Host
from dpratio.plan.plan import Plan
from soak import IS_SOAK

__all__ = ["hold", "require_agreement"]


def hold(
    law: Callable[..., None], host: Host, examples: int, **drawn: st.SearchStrategy[Any]
) -> None:
    """Try a law on so many examples: fewer where a host is slow, more in a soak."""
    many = max(1, round(examples * host.pace * (2.5 if IS_SOAK else 0.25)))
    fixed(many)(given(**drawn)(law))()


def require_agreement(host: Host, plan: Plan, table: Any) -> list[list[int]]:  # noqa: ANN401
    """Every question of a plan has the integers of the specification."""
    loaded = host.table(table)
    found = []
    for at in range(len(plan.questions)):
        expected = exact(mapping_of(table), plan, "python", question=at)
        assert exact(loaded, plan, "ibis", question=at) == expected, (host.name, at)
        found += expected
    return found
