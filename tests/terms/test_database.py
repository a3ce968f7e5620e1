"""A table of a database is named, never written as a statement."""

from pathlib import Path
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.terms.source import DatabaseTable


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ("loans", ("loans",)),
        ("public.loans", ("public", "loans")),
        ("lake.public.loans", ("lake", "public", "loans")),
        (["public", "odd.name"], ("public", "odd.name")),
        (("loans; DROP TABLE loans",), ("loans; DROP TABLE loans",)),
    ],
)
def test_a_name_has_one_to_three_parts(given: Any, names: tuple[str, ...]) -> None:  # noqa: ANN401
    table = DatabaseTable("postgres://db/credit", table=given)
    assert (table.table, table.path) == (names, None)
    assert table.name == ".".join(names)


@pytest.mark.parametrize(
    "given", ["", ".", "a..b", "a.b.c.d", [], [""], [1], 1, [None]]
)
def test_any_other_name_is_refused(given: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="a table is named by one to three names"):
        DatabaseTable("postgres://db/credit", table=given)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "db/credit",
        "sqlite:///a.db",
        "postgres://",
        "spark:///",
        "duckdb://a.db",
        "duckdb:///",
    ],
)
def test_an_address_begins_with_a_known_scheme(url: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=r"an address names a database.*spark://"):
        DatabaseTable(url, table="loans")


def test_one_of_table_and_path_is_read() -> None:
    with pytest.raises(InvalidInput, match="one table or path is read"):
        DatabaseTable("spark://host:7077", table="a", path="b")


def test_only_spark_reads_paths() -> None:
    lake = DatabaseTable("spark://host:7077", path="/lake/*.parquet")
    assert (lake.path, lake.table, lake.name) == ("/lake/*.parquet", (), lake.path)
    with pytest.raises(InvalidInput, match="only Spark reads paths"):
        DatabaseTable("postgres://db/credit", path="a.parquet")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgres://ann:s3cr3t@db:5432/credit", "postgres://db:5432/credit"),
        ("postgres://db/credit?password=s3cr3t&user=ann", "postgres://db/credit"),
        ("postgres://ann:s3c/r3t:s3cr3t@x@db/credit", "postgres://…"),
        ("postgres://db/credit?password=s3cr@s3cr3t", "postgres://…"),
        ("postgres://db/credit#s3cr3t@x", "postgres://…"),
        ("duckdb:////data/people.db", "duckdb:////data/people.db"),
    ],
)
def test_an_address_is_shown_without_its_password(url: str, shown: str) -> None:
    table = DatabaseTable(url, table="loans")
    assert table.shown == shown
    assert "r3t" not in f"{table!r}{table}{table.name}{table.shown}"


@pytest.mark.parametrize(
    "url",
    [
        "mysql://ann:s3cr3t@db/credit",
        "host=db user=ann password=s3cr3t",
        "postgres:/ann:s3cr3t@db/credit",
        b"postgres://ann:s3cr3t@db/credit",
    ],
)
def test_an_address_that_is_refused_is_not_shown(url: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput) as refused:
        DatabaseTable(url, table="loans")
    assert "s3cr3t" not in str(refused.value)


def test_a_file_stands_beside_the_study_and_a_server_does_not_move() -> None:
    folder = Path("/studies")
    near = DatabaseTable("duckdb:///people.db", table="adults").beside(folder)
    assert (near.file, near.table) == ("/studies/people.db", ("adults",))
    far = DatabaseTable("duckdb:////data/people.db", table="a.b").beside(folder)
    assert (far.file, far.table) == ("/data/people.db", ("a", "b"))
    server = DatabaseTable("postgres://db/credit", table="loans")
    assert server.beside(folder) is server


@pytest.mark.parametrize(
    ("url", "master", "cluster"),
    [
        ("spark://local", "local", "local"),
        ("spark://local[2]", "local[2]", "local"),
        ("spark://local[*]", "local[*]", "local"),
        ("spark://yarn", "yarn", "yarn"),
        ("spark://active", None, "active"),
        ("spark://Host:7077", "spark://Host:7077", "Host:7077"),
        ("spark://a:1,b:2", "spark://a:1,b:2", "a:1,b:2"),
        ("k8s://https://host:443", "k8s://https://host:443", "host:443"),
    ],
)
def test_an_address_of_spark_names_a_master(
    url: str, master: str | None, cluster: str
) -> None:
    table = DatabaseTable(url, table="loans")
    assert (table.scheme, table.master, table.cluster) == ("spark", master, cluster)
    assert table.shown == url.replace("https://", "")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("spark://local[canary]", r"or cluster, got 'spark://….*local\[2\]"),
        ("spark://local[0]", "or cluster"),
        ("spark://localhost[", "or cluster"),
        ("spark://host:7077/x", "or cluster"),
        ("sc://canary:15002", "Spark Connect is not read.*spark://active"),
        ("k8s://host:443", "or cluster.*k8s://https://host:443"),
        ("k8s://https://", "or cluster"),
    ],
)
def test_a_spark_that_cannot_be_read_is_refused_with_what_to_do(
    url: str, said: str
) -> None:
    with pytest.raises(InvalidInput, match=said) as refused:
        DatabaseTable(url, table="loans")
    assert "canary" not in str(refused.value)


def test_an_address_with_odd_brackets_is_not_shown() -> None:
    table = DatabaseTable("postgres://ann:secret@[db/loans", table="loans")
    assert table.shown == "postgres://…"
