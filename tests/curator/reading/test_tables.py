"""The kind of a table, by its type alone."""

from collections import UserDict
from pathlib import PurePath

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from curator.door_for_tests import release_with
from curator.tables_for_tests import plan_of
from dpratio.curator.reading.tables import as_source, kind_of
from dpratio.curator.release_sums import release_sums
from dpratio.errors import InvalidInput
from dpratio.terms.source import CsvFile, ParquetFiles


def test_a_path_becomes_what_its_name_says() -> None:
    assert as_source("a/b.csv") == CsvFile("a/b.csv")
    assert as_source(PurePath("a/b.csv.gz")) == CsvFile("a/b.csv.gz")
    assert as_source(PurePath("a/*.parquet")) == ParquetFiles("a/*.parquet")
    assert as_source("a/b/") == ParquetFiles("a/b/")
    file = CsvFile("anything")
    assert as_source(file) is file


@pytest.mark.parametrize(
    "name", ["data", "data.txt", "data.parquet.gz", "data.CSV", ""]
)
def test_a_path_with_another_ending_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        release_sums(name, plan_of(), ledger=None)
    assert str(refused.value) == (
        f"a data path must end in .parquet, .csv, .csv.gz or /, got '{name}'. "
        "Name a .parquet or .csv file, a folder of Parquet files with a slash at its "
        "end, or pass CsvFile(path, …) with its dialect."
    )


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        (ParquetFiles("rows.parquet"), "parquet"),
        (CsvFile("rows.csv"), "csv"),
        ({"score": [1]}, "mapping"),
        (UserDict({"score": [1]}), "mapping"),
        (pd.DataFrame({"score": [1]}), "pandas"),
        (pl.DataFrame({"score": [1]}), "polars"),
        (pl.LazyFrame({"score": [1]}), "polars"),
        (pa.table({"score": [1]}), "arrow"),
        (pa.table({"score": [1]}).to_reader(), "stream"),
    ],
)
def test_every_kind_of_table_is_known_by_its_type(source: object, kind: str) -> None:
    assert kind_of(source) == kind


def test_a_relation_is_known_by_its_type() -> None:
    assert kind_of(duckdb.connect().sql("SELECT 1 AS score")) == "relation"


@pytest.mark.parametrize(
    ("table", "name"),
    [
        (None, "builtins.NoneType"),
        ([{"score": 1}], "builtins.list"),
        (3, "builtins.int"),
        (b"rows.csv", "builtins.bytes"),
        (pa.array([1]), "pyarrow.lib.Int64Array"),
    ],
)
@pytest.mark.parametrize("engine", ["auto", "duckdb"])
def test_anything_else_is_refused_by_the_name_of_its_type(
    table: object, name: str, engine: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        release_with(engine, table, plan_of(), ledger=None)
    assert str(refused.value) == (
        f"the table is of a kind no engine reads, got '{name}'. "
        "Pass a path, a CsvFile, a DatabaseTable, a pandas, Polars or Arrow table, a "
        "DuckDB relation, a Spark frame, a stream of Arrow, or a mapping of column "
        "names to lists."
    )


def test_a_class_that_only_shares_its_name_with_a_table_is_refused() -> None:
    class DataFrame:
        pass

    with pytest.raises(InvalidInput, match="of a kind no engine reads"):
        kind_of(DataFrame())
