"""A variable stands for a whole address, or begins a path."""

import re

import pytest

from dpratio.curator.ledger.account.source_description import (
    description_from_text,
    description_of,
)
from dpratio.curator.reading.tables import as_source
from dpratio.errors import InvalidInput
from dpratio.terms.source import (
    CsvFile,
    DatabaseTable,
    ParquetFiles,
    variable_of,
)


def _on_spark(path: str) -> DatabaseTable:
    return DatabaseTable("spark://active", path=path)


@pytest.mark.parametrize("url", ["${A}", "${ORDERS_DB2}", "${_x}"])
def test_an_address_may_stand_in_one_variable(url: str) -> None:
    assert variable_of(url) == url[2:-1]
    table = DatabaseTable(url, table="a.b", where=[["x", ">", 5]])
    assert (table.scheme, table.shown) == ("", "another address")
    described = description_of(table)
    assert str(described) == f"table 'a.b' at '{url}', rows where x > 5"
    assert description_from_text(described.text) == described


@pytest.mark.parametrize("url", ["${}", "${1}", "${A}x", "x${A}", "${A b}", "${A"])
def test_nothing_else_is_a_variable_of_an_address(url: str) -> None:
    with pytest.raises(InvalidInput, match="a variable must hold a whole address"):
        DatabaseTable(url, table="a.b")


@pytest.mark.parametrize(
    "path",
    [
        "{period}/{period}.csv",
        "{period}" * 7 + ".csv",
        "weeks/{week}.csv",
        "weeks/{}.csv",
        "{a,b}.parquet",
        "${LAKE}/{year}/{period}.csv",
        "weeks/{period.csv",
        "weeks/period}.csv",
        "{" * 100_000 + "}.csv",
        "a/${B}.csv",
        "${A}/${B}.csv",
        "${1}/a.csv",
        "${A.csv",
    ],
    ids=lambda path: path[:40],
)
def test_a_path_begins_with_one_variable_and_holds_one_period(path: str) -> None:
    """Seven periods in the name of a source held a release for half a minute."""
    rule = "holds {period} once, and no other braces"
    for make in (CsvFile, ParquetFiles, _on_spark, as_source):
        with pytest.raises(InvalidInput, match=re.escape(rule)):
            make(path)


def test_the_file_of_a_database_holds_one_period_too() -> None:
    with pytest.raises(InvalidInput, match="and no other braces"):
        DatabaseTable("duckdb:///{a}.db", table="t")
    assert DatabaseTable("duckdb:///{period}.db", table="t").file == "{period}.db"


@pytest.mark.parametrize("path", ["a.csv", "{period}.csv", "${LAKE}/{period}/*.csv"])
def test_a_path_may_hold_a_variable_and_a_period(path: str) -> None:
    assert CsvFile(path).path == ParquetFiles(path).path == path


def test_a_path_begins_with_its_variable() -> None:
    assert variable_of("${LAKE}/a/{period}.parquet") == "LAKE"
    assert variable_of("a/{period}.parquet") is None
