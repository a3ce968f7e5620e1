"""Every engine that runs inside this process, each by one name.

A table is given as Arrow and handed over as the engine reads it: as lists of Python
values, as it is, or loaded into a database in memory.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import duckdb
import ibis

from curator.table_sources import mapping_of
from curator.tables_for_tests import exact
from curator.warehouse.hosts import DuckDb
from dpratio.curator.release_sums import release_sums
from dpratio.plan.plan import Plan
from dpratio.release.release import Release

__all__ = ["ENGINES", "given_to", "released_by", "sums_by"]

ENGINES = ("python", "duckdb", "ibis on DuckDB")

Table = Any


@contextmanager
def given_to(engine: str, table: Table) -> Iterator[tuple[Any, str]]:
    """Hand a table over: what the engine reads, and the engine's name at the door."""
    if engine == "python":
        yield mapping_of(table), "python"
    elif engine == "duckdb":
        yield table, "duckdb"
    else:
        with closing(duckdb.connect()) as connection:
            yield DuckDb(ibis.duckdb.from_connection(connection)).table(table), "ibis"


def sums_by(
    engine: str, table: Table, plan: Plan, *, question: int = 0
) -> list[list[int]]:
    """Give the integers before noise: what only a test may see."""
    with given_to(engine, table) as (source, name):
        return exact(source, plan, name, question=question)


def released_by(engine: str, table: Table, plan: Plan) -> Release:
    """Release a table through the public door."""
    with given_to(engine, table) as (source, name):
        return release_sums(source, plan, engine=name, ledger=None)
