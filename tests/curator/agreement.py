"""What it means that engines agree: the integers of the specification."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import assume

from curator.hostile_tables import Case
from curator.postgres_host import Postgres
from curator.table_sources import CSV_DIALECTS, SOURCES, mapping_of, write_csv
from curator.tables_for_tests import exact
from dpratio.plan.plan import Plan
from dpratio.plan.price import AnyPlan

__all__ = [
    "Alike",
    "Placed",
    "require_alike",
    "require_alike_as_text",
    "require_alike_on",
    "require_dialect_alike",
    "specified",
]


# Given a table and a plan, the integers of all questions, which every source has.
Alike = Callable[[Any, AnyPlan], list[list[int]]]

# Gives a table to DuckDB as it is, or to a server.
Placed = Callable[[Any], Any]


def specified(case: Case) -> list[list[int]]:
    """The integers of the specification."""
    return exact(mapping_of(case.table), case.plan, "python")


def require_alike(table: Any, plan: AnyPlan, folder: Path) -> list[list[int]]:  # noqa: ANN401
    """Every source here gives the integers of the specification."""
    found = []
    sources: dict[str, object] = {"lists": mapping_of(table)}
    sources |= {name: make(table, folder) for name, make in SOURCES.items()}
    for number in range(len(plan.measurements)):
        expected = exact(mapping_of(table), plan, "python", question=number)
        for name, source in sources.items():
            assert exact(source, plan, "auto", question=number) == expected, name
        found += expected
    return found


def require_alike_on(postgres: Postgres, table: Any, plan: AnyPlan) -> list[list[int]]:  # noqa: ANN401
    """A table of a server has the integers of the specification."""
    loaded = postgres.table(table)
    found = []
    for number in range(len(plan.measurements)):
        expected = exact(mapping_of(table), plan, "python", question=number)
        assert exact(loaded, plan, "auto", question=number) == expected, number
        found += expected
    return found


def require_alike_as_text(table: Any, plan: Plan, folder: Path) -> list[list[int]]:  # noqa: ANN401
    """DuckDB reads a file of text as the specification does."""
    file = write_csv(table, folder, "plain")
    found = [exact(file, plan, engine) for engine in ("python", "duckdb")]
    assert found[0] == found[1]
    return found[0]


def require_dialect_alike(case: Case, folder: Path, dialect: str) -> None:
    """Every engine reads a dialect of CSV as the specification reads the table."""
    _, delimiter, quote, *_ = CSV_DIALECTS[dialect]
    columns = case.table.column_names
    assume(quote != "" or not any(delimiter in name for name in columns))
    given_file = write_csv(case.table, folder, dialect)
    for engine in ("python", "duckdb"):
        assert exact(given_file, case.plan, engine) == specified(case), engine
