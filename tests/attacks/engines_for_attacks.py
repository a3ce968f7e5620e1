"""Every engine that runs inside this process.

A table is given as Arrow and handed over as the engine reads it: as lists of Python
values, or as it is.
"""

from typing import Any

from curator.door_for_tests import release_with
from curator.table_sources import mapping_of
from curator.tables_for_tests import ENGINES, exact
from dpratio.plan.price import AnyPlan
from dpratio.release.release import Release

__all__ = ["ENGINES", "given_to", "released_by", "sums_by"]

Table = Any


def given_to(engine: str, table: Table) -> Table:
    """Hand a table over as the engine reads it."""
    return mapping_of(table) if engine == "python" else table


def sums_by(
    engine: str, table: Table, plan: AnyPlan, *, question: int = 0
) -> list[list[int]]:
    """Give the integers before noise: what only a test may see."""
    return exact(given_to(engine, table), plan, engine, question=question)


def released_by(engine: str, table: Table, plan: AnyPlan) -> Release:
    """Release a table through the public door."""
    return release_with(engine, given_to(engine, table), plan, ledger=None)
