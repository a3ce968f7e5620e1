"""What it means that engines agree: the integers of the specification."""

from pathlib import Path
from typing import Any

from hypothesis import assume

from curator.hostile_tables import Case
from curator.table_sources import CSV_DIALECTS, READABLE, SOURCES, mapping_of, write_csv
from curator.tables_for_tests import exact
from dpratio.plan.plan import Plan
from dpratio.plan.price import AnyPlan

__all__ = [
    "require_alike",
    "require_alike_as_text",
    "require_dialect_alike",
    "specified",
]


def specified(case: Case) -> list[list[int]]:
    """The integers of the specification."""
    return exact(mapping_of(case.table), case.plan, "python")


def require_alike(table: Any, plan: AnyPlan, folder: Path) -> list[list[int]]:  # noqa: ANN401
    """Every source and engine gives the integers of the specification."""
    expected = exact(mapping_of(table), plan, "python")
    assert exact(mapping_of(table), plan, "auto") == expected
    for source, engine in READABLE:
        found = exact(SOURCES[source](table, folder), plan, engine)
        assert found == expected, (source, engine)
    return expected


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
