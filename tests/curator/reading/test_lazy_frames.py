"""Lazy frames of Polars whose files differ are refused before the charge."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from curator.door_for_tests import release_with
from curator.tables_for_tests import exact, plan_of
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.errors import DpratioError, FileRefused, SchemaRefused
from dpratio.terms.budget import Budget

ENGINES = ("duckdb",)
FIRST: dict[str, Any] = {"score": [0.5, 0.25], "label": [1, 0]}
# What stands in a newer file.
OTHERS: dict[str, dict[str, Any]] = {
    "text": {"score": ["a"], "label": [1]},
    "integers": {"score": [1], "label": [1]},
    "a column renamed": {"points": [0.5], "label": [1]},
    "a column less": {"label": [1]},
    "a column more": {"score": [0.5], "label": [1], "more": [1]},
    "another order": {"label": [1], "score": [0.5]},
}


def write(folder: Path, other: dict[str, Any]) -> str:
    pl.DataFrame(FIRST).write_parquet(folder / "2026-10.parquet")
    pl.DataFrame(other).write_parquet(folder / "2026-11.parquet")
    return str(folder / "*.parquet")


def refused(table: object, folder: Path, engine: str) -> str:
    """Ask for a release that must be refused; nothing may be charged."""
    book = Ledger(folder / "budget.db")
    book.open_scope(Scope("people", Budget(9)))
    with pytest.raises(DpratioError) as told:
        release_with(engine, table, plan_of(), ledger=book)
    assert book.account().seq == 0
    assert isinstance(told.value, SchemaRefused | FileRefused)
    return str(told.value)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("other", OTHERS)
def test_files_that_differ_are_refused_as_a_pattern_of_them_is(
    other: str, engine: str, tmp_path: Path
) -> None:
    pattern = write(tmp_path, OTHERS[other])
    by_path = refused(pattern, tmp_path, engine)
    for lazy in (
        pl.scan_parquet(pattern),
        pl.scan_parquet(pattern).filter(pl.col("label") > 0).with_columns(more=1),
        pl.scan_parquet(pattern, missing_columns="insert", extra_columns="ignore"),
    ):
        assert refused(lazy, tmp_path, engine) == by_path
    assert by_path == (
        f"the schema of '{tmp_path}/2026-11.parquet' differs from that of "
        f"'{tmp_path}/2026-10.parquet'. Files of one glob must share their columns and "
        "types."
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_a_file_without_a_footer_is_refused(engine: str, tmp_path: Path) -> None:
    lazy = pl.scan_parquet(write(tmp_path, FIRST))
    lazy.collect_schema()
    (tmp_path / "2026-11.parquet").write_bytes(b"PAR1 271828")
    said = refused(lazy, tmp_path, engine)
    assert said.startswith(f"the footer of '{tmp_path}/2026-11.parquet' cannot be read")
    assert "271828" not in said


@pytest.mark.parametrize("engine", ENGINES)
def test_files_that_agree_and_a_single_one_are_read(
    engine: str, tmp_path: Path
) -> None:
    lazy = pl.scan_parquet(write(tmp_path, FIRST))
    eager = pl.DataFrame({name: cells * 2 for name, cells in FIRST.items()})
    assert exact(lazy, plan_of(), engine) == exact(eager, plan_of(), engine)
    one = pl.scan_parquet(tmp_path / "2026-10.parquet")
    assert exact(one, plan_of(), engine) == exact(
        pl.DataFrame(FIRST), plan_of(), engine
    )
