"""Which engine reads a table, and that opening one reads no rows."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from curator.table_sources import SOURCES
from curator.tables_for_tests import ROW, asked, exact, plan_of
from dpratio.curator.choose_engine import ENGINES, open_table
from dpratio.curator.reading.exact import ExactSums
from dpratio.errors import InvalidInput

TABLE = pa.table({"score": [0.5], "label": [1]})


def test_there_are_two_engines_and_a_choice_between_them() -> None:
    assert ENGINES == ("auto", "duckdb", "ibis")


@pytest.mark.parametrize(
    ("engine", "meant"),
    [
        ("duck", "Did you mean 'duckdb'? "),
        ("python", ""),
        ("spark", ""),
        ("", ""),
        (None, ""),
        (1, ""),
    ],
)
def test_an_unknown_engine_is_refused(engine: str, meant: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        open_table(TABLE, asked(plan_of()), engine)
    assert str(refused.value) == (
        f"unknown engine, got {engine!r}. {meant}Use one of: auto, duckdb, ibis."
    )


@pytest.mark.parametrize("source", SOURCES)
def test_left_to_itself_the_choice_reads_every_source(
    source: str, folder: Path
) -> None:
    assert exact(SOURCES[source](TABLE, folder), plan_of(), "auto")[0][2] == ROW // 2


def test_opening_a_lazy_frame_does_not_run_it() -> None:
    runs: list[int] = []

    def run(frame: pl.DataFrame) -> pl.DataFrame:
        runs.append(frame.height)
        return frame

    lazy = pl.LazyFrame({"score": [0.5], "label": [1]}).map_batches(
        run, schema={"score": pl.Float64, "label": pl.Int64}
    )
    ask = open_table(lazy, asked(plan_of()), "auto")
    assert runs == []
    assert isinstance(ask(), ExactSums)
    assert runs != []


def test_opening_a_mapping_looks_at_no_cell() -> None:
    class Untouched(list[float]):
        def __iter__(self) -> Iterator[float]:
            raise AssertionError("a cell was read")

    columns = {"score": Untouched([0.5]), "label": Untouched([1])}
    ask = open_table(columns, asked(plan_of()), "auto")
    with pytest.raises(AssertionError, match="a cell was read"):
        ask()


def test_opening_a_relation_does_not_run_it() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT 'not a number' AS score, 1 AS label")
    relation = connection.sql("SELECT CAST(score AS DOUBLE) AS score, label FROM t")
    with pytest.raises(duckdb.ConversionException):
        relation.fetchall()
    assert callable(open_table(relation, asked(plan_of()), "auto"))


def test_opening_a_pandas_frame_does_not_depend_on_its_cells() -> None:
    """A lone surrogate cannot be written as UTF-8, which DuckDB needs."""
    cells = pd.Series(["a", "\ud800"], dtype=object)
    frame = pd.DataFrame({"score": [0.5] * 2, "label": [1] * 2, "region": cells})
    found = exact(frame, plan_of(keys=["a"]), "duckdb")
    assert found[0][0] == ROW
