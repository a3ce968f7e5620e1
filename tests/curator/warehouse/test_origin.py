"""What a database knows about a table: where it lies, and its name in full."""

from contextlib import closing
from pathlib import Path

import duckdb
import psycopg
import pytest

from dpratio.curator.measure import connect
from dpratio.curator.sql.spark_frames import _cluster
from dpratio.curator.sql.table import Origin, origin_of
from dpratio.terms.source import DatabaseTable, ParquetFiles, Where

MADE = "CREATE TABLE loans (order_id INTEGER, note VARCHAR(9), y INTEGER)"


@pytest.fixture(params=["duckdb", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database with a table."""
    path = tmp_path / "book.db"
    if request.param == "duckdb":
        with closing(duckdb.connect(str(path))) as duck:
            duck.execute(MADE)
        return f"duckdb:///{path}"
    address = str(request.getfixturevalue("postgres_url"))
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(MADE.encode())
    return address


@pytest.mark.parametrize("where", [[], [["y", "=", 1]]])
def test_a_table_is_known_by_its_name_in_full(where: Where, url: str) -> None:
    found = origin_of(connect(DatabaseTable(url, table="loans", where=where)))
    assert found is not None
    schema = "public" if url.startswith("postgres") else "main"
    assert found.base == (schema, "loans")


def test_the_server_is_the_one_that_was_connected_to(postgres_url: str) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(b"CREATE TABLE loans (y INTEGER)")
        info = connection.info
        server = (info.host, str(info.port), info.dbname)
    found = origin_of(connect(DatabaseTable(postgres_url, table="loans")))
    assert found == Origin(server, ("public", "loans"))


def test_nobody_is_asked_about_files_and_frames() -> None:
    assert origin_of({"s": [1]}) is None
    assert origin_of(ParquetFiles("a.parquet")) is None


@pytest.mark.parametrize(
    ("master", "cluster"),
    [
        ("spark://Master:7077", "master:7077"),
        ("local[*]", "local"),
        ("local-cluster[2,1,1024]", "local-cluster"),
        ("yarn", "yarn"),
        ("k8s://https://Host:443", "host:443"),
    ],
)
def test_a_session_is_told_by_its_cluster(master: str, cluster: str) -> None:
    """As addresses name it; on a real one in spark/test_spark_databases.py."""
    assert _cluster(master) == cluster
