"""Both ways to hand a table over inside this process: as lists, or as Arrow."""

from typing import Any

from curator.table_sources import mapping_of
from curator.tables_for_tests import exact
from dpratio.curator.release_sums import release_sums
from dpratio.plan.price import AnyPlan
from dpratio.release.release import Release

__all__ = ["ENGINES", "given_to", "released_by", "sums_by"]

Table = Any

ENGINES = ("lists", "duckdb")


def given_to(engine: str, table: Table) -> Table:
    """Hand a table over as lists of Python values, or as it is."""
    return mapping_of(table) if engine == "lists" else table


def sums_by(
    engine: str, table: Table, plan: AnyPlan, *, question: int = 0
) -> list[list[int]]:
    """Give the integers before noise: what only a test may see.

    Those of the specification are asked for by the name of "python".
    """
    reader = engine if engine == "python" else "auto"
    return exact(given_to(engine, table), plan, reader, question=question)


def released_by(engine: str, table: Table, plan: AnyPlan) -> Release:
    """Release a table through the public door."""
    return release_sums(given_to(engine, table), plan, ledger=None)
