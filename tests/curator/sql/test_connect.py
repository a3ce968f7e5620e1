"""Tables of databases by their address: found, refused, closed again."""

import gc
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import psycopg
import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

from curator.tables_for_tests import exact, plan_of, said_by
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.measure import connect, open_for
from dpratio.curator.release_sums import release_sums
from dpratio.curator.sql import spark_frames
from dpratio.curator.sql.connect import open_database
from dpratio.curator.sql.table import Origin, origin_of
from dpratio.errors import FileRefused, MissingExtra, SchemaRefused
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.source import DatabaseTable, Where

STATEMENTS = (
    """CREATE TABLE loans
        (score DOUBLE PRECISION, label INTEGER, region VARCHAR(10), note TEXT)""",
    """INSERT INTO loans (score, label, region)
        VALUES (0.5, 1, 'north'), (0.25, 0, 'south'), (0.75, 1, 'north')""",
    "CREATE VIEW north AS SELECT * FROM loans",
)
HOSTS = ("duckdb", "postgres")

Run = Callable[[str], object]


@pytest.fixture(params=HOSTS)
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Run]]:
    """The address of a database with a table and a view, and how to change it."""
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_url")
        connection: Any = psycopg.connect(url, autocommit=True)
        run: Run = connection.execute
    else:
        path = tmp_path / "people #1 it's.db"
        url = f"duckdb:///{path}"

        def run(statement: str) -> None:
            own = duckdb.connect(path)
            own.execute(statement)
            own.commit()
            own.close()

        connection = None
    for statement in STATEMENTS:
        run(statement)
    yield url, run
    if connection is not None:
        connection.close()


CELLS = [[3 << 24, 2 << 24, 3 << 23, 7 << 21, 5 << 22]]


def test_a_table_is_found_and_added_up(host: tuple[str, Run]) -> None:
    url, _ = host
    assert exact(DatabaseTable(url, table="loans"), plan_of(), "auto") == CELLS
    schema = "public" if "postgres" in url else "main"
    named = DatabaseTable(url, table=f"{schema}.loans")
    assert exact(named, plan_of(), "auto") == CELLS


def test_a_table_that_is_not_there_is_refused(host: tuple[str, Run]) -> None:
    url, _ = host
    for name in ("persons", 'loans"; DROP TABLE loans; --', "nowhere.loans"):
        with pytest.raises(FileRefused, match="there is no table"):
            exact(DatabaseTable(url, table=[name]), plan_of(), "auto")
    assert exact(DatabaseTable(url, table="loans"), plan_of(), "auto") == CELLS


def test_columns_are_checked_before_the_charge(
    host: tuple[str, Run], tmp_path: Path
) -> None:
    url, _ = host
    ledger = _ledger(tmp_path)
    for names in (("score", "nothing"), ("score", "note")):
        plan = plan_of(names=(*names, "", ""))
        with pytest.raises(SchemaRefused, match=f"column '{names[1]}'"):
            release_sums(DatabaseTable(url, table="loans"), plan, ledger=ledger)
    assert not ledger.account().releases


def test_one_connection_answers_all_parts_and_is_closed(
    host: tuple[str, Run],
) -> None:
    url, run = host
    if "postgres" not in url:
        return

    def sessions() -> int:
        found: Any = run(
            "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
            "AND datname = current_database()"
        )
        return int(found.fetchone()[0])

    plan = plan_of(groups=[None, Groups("region", ["north"])])
    measure = open_for(connect(DatabaseTable(url, table="loans")), plan)
    assert len(measure()) == 2
    assert sessions() == 1
    del measure
    gc.collect()
    with pytest.raises(SchemaRefused):
        open_for(connect(DatabaseTable(url, table="north")), plan)
    for _ in range(100):
        if sessions() == 0:
            return
        time.sleep(0.05)
    pytest.fail("a connection stays open")


@pytest.mark.parametrize("where", [[], [["label", "=", 1]]])
def test_a_table_is_known_by_its_server_and_its_name_in_full(
    where: Where, host: tuple[str, Run]
) -> None:
    url, _ = host
    found = origin_of(connect(DatabaseTable(url, table="loans", where=where)))
    if "postgres" not in url:
        assert found == Origin(("", "", ""), ("main", "loans"))
        return
    with psycopg.connect(url) as connection:
        info = connection.info
        server = (info.host, str(info.port), info.dbname)
    assert found == Origin(server, ("public", "loans"))
    assert origin_of({"score": [1]}) is None


@pytest.mark.parametrize(
    "url",
    [
        "postgres://ann:s3cr3t@127.0.0.1:1/credit",
        "duckdb:////no/such/folder/people.db",
    ],
)
def test_a_database_that_does_not_answer_is_named_without_its_password(
    url: str,
) -> None:
    with pytest.raises(FileRefused, match="no database answers at") as refused:
        exact(DatabaseTable(url, table="loans"), plan_of(), "auto")
    assert "s3cr3t" not in said_by(refused.value)


def test_a_path_with_a_slash_too_few_is_said_to_lead_nowhere(tmp_path: Path) -> None:
    path = tmp_path / "people.db"
    path.touch()
    relative = str(path).removeprefix("/")
    with pytest.raises(FileRefused) as refused:
        exact(DatabaseTable(f"duckdb:///{relative}", table="loans"), plan_of(), "auto")
    assert str(refused.value) == (
        f"no database answers at 'duckdb:///{relative}': there is no such file. "
        "Three slashes begin a path from the folder you are in, four a path from the "
        "root."
    )


@pytest.mark.parametrize(
    ("package", "extra", "url"),
    [
        ("psycopg", "postgres", "postgres://127.0.0.1:1/credit"),
        ("pyspark", "spark", "spark://127.0.0.1:1"),
    ],
)
def test_a_driver_that_is_missing_is_named_and_no_server_is_blamed(
    package: str, extra: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in list(sys.modules):
        if name.partition(".")[0] == package:
            monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=f"'{package}.*'\\.\\[{extra}\\]'"):
        open_database(DatabaseTable(url, table="loans"))


def test_a_file_that_is_no_database_is_refused_and_none_is_made(
    tmp_path: Path,
) -> None:
    path = tmp_path / "people.db"
    table = DatabaseTable(f"duckdb:///{path}", table="loans")
    with pytest.raises(FileRefused):
        exact(table, plan_of(), "auto")
    assert not path.exists()
    path.write_bytes(b"score,label\n" * 1000)
    with pytest.raises(FileRefused):
        exact(table, plan_of(), "auto")


def test_an_application_of_our_own_tells_no_parts_and_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What `spark/test_spark_databases.py` does on a cluster, seen from inside."""
    said: list[object] = []

    class Builder:
        def master(self, url: str) -> "Builder":
            said.append(url)
            return self

        def config(self, *, map: dict[str, str]) -> "Builder":  # noqa: A002
            said.append(map)
            return self

        def getOrCreate(self) -> SimpleNamespace:  # noqa: N802
            return SimpleNamespace(stop=lambda: said.append("stopped"))

    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    monkeypatch.setattr(SparkSession, "builder", Builder())

    def opened(_session: object, _source: object) -> SimpleNamespace:
        return SimpleNamespace(ask=lambda _query: {})

    monkeypatch.setattr(spark_frames, "open_spark_source", opened)
    table = open_database(DatabaseTable("spark://host:7077", table="loans"))
    settings = {"spark.app.name": "dpratio", "spark.ui.showConsoleProgress": "false"}
    assert said == ["spark://host:7077", settings]
    del table
    gc.collect()
    assert said[2:] == ["stopped"]


def _ledger(folder: Path) -> Ledger:
    ledger = Ledger(folder / "budget.db")
    ledger.open_scope(Scope("loans", Budget(5, "1e-3")))
    return ledger


@pytest.mark.parametrize("address", ["spark://active", "spark://yarn"])
def test_spark_is_not_started_where_it_would_end_its_process(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a session, or without the settings of the cluster."""
    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(FileRefused):
        open_database(DatabaseTable(address, table="loans"))
