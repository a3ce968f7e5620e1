"""A source as it is written: which data are meant, and never who reads them."""

import json
from typing import Any

import pytest

from dpratio.curator.ledger.account.source_description import (
    SourceDescription,
    description_from_text,
    description_of,
)
from dpratio.errors import DocumentRefused, InvalidInput
from dpratio.terms.source import CsvFile, DatabaseTable, ParquetFiles

CASES: list[tuple[Any, dict[str, Any], str]] = [
    (
        ParquetFiles("a/*.parquet"),
        {"path": "a/*.parquet"},
        "files 'a/*.parquet'",
    ),
    (
        CsvFile("a.csv", delimiter=";", columns=["id", "x"]),
        {"path": "a.csv", "delimiter": ";", "quote": '"', "columns": ["id", "x"]},
        "files 'a.csv', delimiter ';', quote '\"', columns 'id', 'x'",
    ),
    (
        CsvFile("a.csv"),
        {"path": "a.csv", "delimiter": ",", "quote": '"'},
        "files 'a.csv', delimiter ',', quote '\"'",
    ),
    (
        DatabaseTable("postgres://ann:SECRET@DB:5433/l?sslmode=SECRET", table="s.t"),
        {
            "scheme": "postgresql",
            "host": "db:5433",
            "database": "l",
            "table": ["s", "t"],
        },
        "table 's.t' at 'postgresql://db:5433/l'",
    ),
    (
        DatabaseTable("postgresql:///l?host=/run/PG&port=77", table="v"),
        {
            "scheme": "postgresql",
            "host": "/run/PG:77",
            "database": "l",
            "table": ["v"],
        },
        "table 'v' at 'postgresql:///run/PG:77/l'",
    ),
    (
        DatabaseTable("postgres://db?service=Books&dbname=other", table="t"),
        {
            "scheme": "postgresql",
            "host": "service books",
            "database": "other",
            "table": ["t"],
        },
        "table 't' at 'postgresql://service books/other'",
    ),
    (
        DatabaseTable("postgres://db/l?hostaddr=10.0.0.1", table="t"),
        {"scheme": "postgresql", "host": "10.0.0.1", "database": "l", "table": ["t"]},
        "table 't' at 'postgresql://10.0.0.1/l'",
    ),
    (
        DatabaseTable("duckdb:///a@b.db", table="t"),
        {"scheme": "duckdb", "database": "a@b.db", "table": ["t"]},
        "table 't' at 'duckdb:///a@b.db'",
    ),
    (
        DatabaseTable("duckdb:///a.db", table="t", where=[["n", ">", 5]]),
        {
            "scheme": "duckdb",
            "database": "a.db",
            "table": ["t"],
            "where": [["n", ">", {"integer": "5"}]],
        },
        "table 't' at 'duckdb:///a.db', rows where n > 5",
    ),
    (
        ParquetFiles(
            "a/",
            partitions={"k": "text"},
            where=[["k", "in", ["a", "b"]], ["n", "is null"]],
        ),
        {
            "path": "a/",
            "partitions": ["k=text"],
            "where": [["k", "in", ["a", "b"]], ["n", "is null"]],
        },
        "files 'a/', folders of k=text, rows where k in ('a', 'b') and n is null",
    ),
    (
        CsvFile("a.csv", decimal=",", dates="D.M.YYYY"),
        {
            "path": "a.csv",
            "delimiter": ",",
            "quote": '"',
            "decimal": ",",
            "dates": "D.M.YYYY",
        },
        "files 'a.csv', delimiter ',', quote '\"', decimal ',', dates 'D.M.YYYY'",
    ),
    (
        DatabaseTable("spark://h:7077", path="hdfs://x/y"),
        {"scheme": "spark", "host": "h:7077", "path": "hdfs://x/y"},
        "path 'hdfs://x/y' at 'spark://h:7077'",
    ),
]


@pytest.mark.parametrize(("given", "document", "said"), CASES)
def test_what_is_written_is_described_and_read_back(
    given: Any,  # noqa: ANN401
    document: dict[str, Any],
    said: str,
) -> None:
    described = description_of(given)
    assert json.loads(described.text) == document
    assert str(described) == said
    assert description_from_text(described.text) == described
    assert "SECRET" not in described.text + said
    assert "ann" not in described.text + said


def test_a_table_in_memory_has_a_name() -> None:
    described = SourceDescription(name="orders 2026")
    assert str(described) == "table in memory 'orders 2026'"
    assert description_from_text(described.text) == described


@pytest.mark.parametrize("name", ["", " x", "x ", "a\nb", "x" * 101, "'"])
def test_a_name_is_plain(name: str) -> None:
    with pytest.raises(InvalidInput, match="a table in memory needs a plain name"):
        SourceDescription(name=name)


@pytest.mark.parametrize("given", [{}, {"name": "a", "path": "b"}, {"host": "h"}])
def test_a_description_is_of_one_source(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="one name, path or table"):
        SourceDescription(**given)


def test_fields_that_differ_are_named_in_their_order() -> None:
    one = description_of(CsvFile("a.csv", columns=["id"]))
    other = description_of(CsvFile("b.csv", delimiter=";", columns=["x"]))
    assert one.differences(other) == ["path", "delimiter", "columns"]
    assert one.differences(one) == []


@pytest.mark.parametrize(
    "url",
    [
        "postgres://ann:p@ss/w@host/db",
        "postgres://ann:pa#ss@host/db",
        "postgres://ann:pa?ss@host/db",
        "postgres:///ann:pass@host/db",
    ],
)
def test_an_address_whose_password_cannot_be_told_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        description_of(DatabaseTable(url, table="t"))
    assert str(refused.value) == (
        "the address of a source must be plain, got 'postgres://…'. Write @, / and ? "
        "in a password as %40, %2F and %3F, or use PGPASSWORD."
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[" * 100_000,
        "[]",
        "{}",
        '{"path": 1}',
        '{"path": "a", "more": ""}',
        '{"table": "t"}',
        '{"name": ""}',
    ],
)
def test_a_text_that_describes_nothing_is_refused(text: str) -> None:
    with pytest.raises(DocumentRefused):
        description_from_text(text)
