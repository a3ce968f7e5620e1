"""Data are declared, never sniffed: files, tables of databases, and their rows."""

import datetime as dt
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

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
    as_where,
    variable_of,
)


def test_every_part_of_a_dialect_is_kept() -> None:
    plain = CsvFile("loans.csv")
    assert (plain.path, plain.columns, plain.delimiter) == ("loans.csv", None, ",")
    assert (plain.quote, plain.decimal, plain.dates) == ('"', ".", "YYYY-MM-DD")
    terms: dict[str, Any] = {"delimiter": "\t", "quote": "", "dates": "DD.MM.YYYY"}
    source = CsvFile(Path("data") / "loans.csv", columns=["s", "y"], **terms)
    assert (source.path, source.columns) == ("data/loans.csv", ("s", "y"))
    assert {name: getattr(source, name) for name in terms} == terms
    assert replace(source, path="data/loans.csv", columns=("s", "y")) == source
    assert replace(source, decimal=".") == source


FORMS = ("YYYY-MM-DD", "DD.MM.YYYY", "MM/DD/YYYY", "M/D/YYYY", "D-M-YYYY", "YYYYMMDD")
NO_FORMS = [
    *("", "DD.MM.YY", "DD.MM/YYYY", "YYYYMD", "MM.YYYY", "DD.DD.YYYY", "%d.%m.%Y"),
    *("dd.mm.yyyy", "DD MM YYYY", "DD.MM.YYYY ", "YYYY-MM-DD\n", "iso", None, 5),
]
NO_NAMES = [[], ["a", "a"], "score", b"score", 5, [["a"]], [1, 2], [""], ["a", None]]
NO_CHARACTERS = ["é", ",,", "\n", "\r", "\x00", "\x01", None, 5]
NO_TEXTS = [["a", "=", 5], ["a", "in", ["b", 5]], ["a", "is null"]]
BAD_CSV: list[tuple[dict[str, Any], str]] = [
    *(({"delimiter": given}, "delimiter") for given in ("", *NO_CHARACTERS)),
    *(({"quote": given}, "quote") for given in NO_CHARACTERS),
    ({"delimiter": ";", "quote": ";"}, "quote"),
    ({"decimal": ",", "quote": ""}, "quote"),
    *(({"decimal": given}, "decimal") for given in ("", ";", "..", " ", None, 5)),
    *(({"dates": given}, "dates") for given in NO_FORMS),
    *(({"columns": given}, "columns") for given in NO_NAMES),
    *(({"where": [given]}, "where") for given in NO_TEXTS),
]


@pytest.mark.parametrize(("terms", "field"), BAD_CSV, ids=repr)
def test_a_dialect_that_cannot_be_read_is_refused(
    terms: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        CsvFile("a.csv", **terms)
    assert refused.value.field == field


@pytest.mark.parametrize("form", [*FORMS, "YYYY.M.D", "DDMMYYYY", "YYYY/D/MM"])
def test_dates_are_written_with_their_three_parts(form: str) -> None:
    assert CsvFile("a.csv", dates=form).dates == form


# --- Folders, variables and periods ---------------------------------------------------


@pytest.mark.parametrize(
    "partitions",
    [
        *({"year": "text", "Year": "text"}, {"a=b": "text"}, {"a/b": "text"}),
        *({"": "text"}, {"year": "int"}, {"year": 3}, {1: "text"}),
    ],
    ids=str,
)
def test_partitions_are_columns_by_name_with_a_kind(partitions: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=r"partition|column name"):
        ParquetFiles("a/", partitions=partitions)


def test_an_approval_is_of_the_folders_too() -> None:
    files = ParquetFiles("lake/", partitions={"year": "integer"})
    assert files.partitions == (("year", "integer"),)
    described = description_of(files)
    assert str(described) == "files 'lake/', folders of year=integer"
    assert description_from_text(described.text) == described
    plain = description_of(ParquetFiles("lake/"))
    assert plain.differences(described) == ["partitions"]
    assert "partitions" not in plain.text
    year = {"year": "text"}
    table = DatabaseTable("spark://c:7077", path="lake/", partitions=year)
    words = "path 'lake/' at 'spark://c:7077', folders of year=text"
    assert str(description_of(table)) == words


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
    with pytest.raises(InvalidInput, match="a whole address"):
        DatabaseTable(url, table="a.b")


def on_spark(path: str) -> DatabaseTable:
    return DatabaseTable("spark://active", path=path)


@pytest.mark.parametrize(
    "path",
    [
        *("{period}/{period}.csv", "{period}" * 7 + ".csv", "weeks/{week}.csv"),
        *("weeks/{}.csv", "{a,b}.parquet", "${LAKE}/{year}/{period}.csv"),
        *("weeks/{period.csv", "weeks/period}.csv", "{" * 100_000 + "}.csv"),
        *("a/${B}.csv", "${A}/${B}.csv", "${1}/a.csv", "${A.csv"),
    ],
    ids=lambda path: path[:40],
)
def test_a_path_begins_with_one_variable_and_holds_one_period(path: str) -> None:
    """Seven periods in the name of a source held a release for half a minute."""
    for make in (CsvFile, ParquetFiles, on_spark, as_source):
        if make is not as_source or path.endswith(".csv"):
            with pytest.raises(InvalidInput, match="no other braces"):
                make(path)
    with pytest.raises(InvalidInput, match=r"no other braces|a whole address"):
        DatabaseTable(f"duckdb:///{path}", table="t")


@pytest.mark.parametrize("path", ["a.csv", "{period}.csv", "${LAKE}/{period}/*.csv"])
def test_a_path_may_hold_a_variable_and_a_period(path: str) -> None:
    assert CsvFile(path).path == ParquetFiles(path).path == path
    assert variable_of(path) == ("LAKE" if "$" in path else None)
    assert DatabaseTable("duckdb:///{period}.db", table="t").file == "{period}.db"


# --- Databases ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "names"),
    [
        ("loans", ("loans",)),
        ("lake.public.loans", ("lake", "public", "loans")),
        (["public", "odd.name"], ("public", "odd.name")),
        (("loans; DROP TABLE loans",), ("loans; DROP TABLE loans",)),
        *((odd, None) for odd in ("", ".", "a..b", "a.b.c.d", [], [""], [1], 1)),
    ],
    ids=str,
)
def test_a_table_is_named_never_written_as_a_statement(
    table: Any,  # noqa: ANN401
    names: tuple[str, ...] | None,
) -> None:
    if names is None:
        with pytest.raises(InvalidInput) as refused:
            DatabaseTable("postgres://db/credit", table=table)
        assert refused.value.field == "table"
        return
    named = DatabaseTable("postgres://db/credit", table=table)
    assert (named.table, named.path, named.name) == (names, None, ".".join(names))


@pytest.mark.parametrize(
    ("url", "terms", "field"),
    [
        ("spark://host:7077", {"table": "a", "path": "b"}, "path"),
        ("postgres://db/credit", {"path": "a.parquet"}, "path"),
        (
            "spark://host:7077",
            {"table": "a", "partitions": {"k": "text"}},
            "partitions",
        ),
    ],
)
def test_one_of_table_and_path_is_read(
    url: str, terms: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        DatabaseTable(url, **terms)
    assert refused.value.field == field
    lake = DatabaseTable("spark://host:7077", path="/lake/*.parquet")
    assert (lake.path, lake.table, lake.name) == ("/lake/*.parquet", (), lake.path)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgres://ann:s3cr3t@db:5432/credit", "postgres://db:5432/credit"),
        ("postgres://db/credit?password=s3cr3t&user=ann", "postgres://db/credit"),
        ("postgres://ann:s3c/r3t:s3cr3t@x@db/credit", "postgres://…"),
        ("postgres://db/credit?password=s3cr@s3cr3t", "postgres://…"),
        ("postgres://db/credit#s3cr3t@x", "postgres://…"),
        ("postgres://ann:s3cr3t@[db/loans", "postgres://…"),
        ("duckdb:////data/people.db", "duckdb:////data/people.db"),
    ],
)
def test_an_address_is_shown_without_its_password(url: str, shown: str) -> None:
    table = DatabaseTable(url, table="loans")
    assert table.shown == shown
    assert "r3t" not in f"{table!r}{table}{table.name}{table.shown}"


@pytest.mark.parametrize(
    ("url", "cluster"),
    [
        ("spark://local", "local"),
        ("spark://local[2]", "local"),
        ("spark://local[*]", "local"),
        ("spark://yarn", "yarn"),
        ("spark://active", "active"),
        ("spark://Host:7077", "Host:7077"),
        ("spark://a:1,b:2", "a:1,b:2"),
        ("k8s://https://host:443", "host:443"),
    ],
)
def test_an_address_of_spark_names_a_cluster(url: str, cluster: str) -> None:
    table = DatabaseTable(url, table="loans")
    assert (table.scheme, table.cluster) == ("spark", cluster)
    assert table.shown == url.replace("https://", "")


@pytest.mark.parametrize(
    "url",
    [
        *("", "db/credit", "sqlite:///a.db", "postgres://", "spark:///"),
        *("duckdb://a.db", "duckdb:///", "mysql://ann:s3cr3t@db/credit"),
        *("host=db user=ann password=s3cr3t", "postgres:/ann:s3cr3t@db/credit"),
        "sc://s3cr3t:15002",
        *("spark://local[s3cr3t]", "spark://local[0]", "spark://localhost["),
        *("spark://host:7077/x", "k8s://host:443", "k8s://https://"),
    ],
)
def test_any_other_address_is_refused_and_not_shown(url: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput) as refused:
        DatabaseTable(url, table="loans")
    assert refused.value.field == "url"
    assert "s3cr3t" not in str(refused.value)


# --- Conditions -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "where",
    [
        *("day >= '2026'", 5, None, [["a", "=", 1]] * 101, ["abc"], [5], [[]], [["a"]]),
        *([["a", "="]], [["a", "=", 1, 2]], [["a", "is null", 1]], [["a", "like", 1]]),
        *([["a", "==", 1]], [["a", "IS NULL"]], [["", "=", 1]], [["a\n", "=", 1]]),
        *([[5, "=", 1]], [["a", None, 1]], [["a", "=", None]], [["a", "=", [1]]]),
        *([["a", "=", math.nan]], [["a", "=", math.inf]], [["a", "=", 2**63]]),
        *([["a", "=", -(2**63)]], [["a", "=", "\x00"]], [["a", "=", "\ud800"]]),
        *([["a", "=", dt.datetime(2026, 1, 1)]], [["a", "=", b"x"]]),  # noqa: DTZ001
        *([["a", "in", 5]], [["a", "in", []]], [["a", "in", "abc"]]),
        *([["a", "in", [1] * 1001]], [["a", "in", [[1]]]]),
    ],
    ids=lambda where: str(where)[:30],
)
def test_anything_else_is_no_condition(where: Any) -> None:  # noqa: ANN401
    for make in (as_where, lambda given: ParquetFiles("a/", where=given)):
        with pytest.raises(InvalidInput, match=r"where|condition|column name"):
            make(where)


def test_a_condition_that_is_refused_is_numbered() -> None:
    with pytest.raises(InvalidInput, match=re.escape("got ('a', 'like', 'b')")) as no:
        as_where([("a", "=", 1), ("a", "like", "b")])
    assert no.value.field == "where[1]"
