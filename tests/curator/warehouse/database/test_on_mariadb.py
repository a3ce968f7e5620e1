"""What MariaDB does differently, on a real server."""

import datetime as dt
import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from curator.tables_for_tests import ROW, exact, plan_of
from dpratio.curator.choose_engine import open_keys
from dpratio.curator.reading.statement import KeyCount, UnitRule
from dpratio.curator.warehouse.database.mariadb_server import connect_server
from dpratio.curator.warehouse.open import open_warehouse
from dpratio.curator.warehouse.origin import origin_of
from dpratio.curator.warehouse.tables import dialect_of
from dpratio.errors import FileRefused, InvalidInput, SchemaRefused
from dpratio.terms.bounds import Bounds
from dpratio.terms.database import DatabaseTable
from dpratio.terms.groups import Groups
from dpratio.terms.unit import PrivacyUnit
from mariadb_server import connected, told

MADE = "CREATE TABLE loans (score double, label int, region {kind}, id text)"


def loaded(url: str, rows: list[tuple[Any, ...]], kind: str = "text") -> DatabaseTable:
    """A table of scores, labels, regions and ids."""
    marks = "INSERT INTO loans VALUES (%s, %s, %s, %s)"
    loose = "SET sql_mode = 'ALLOW_INVALID_DATES'"
    told(url, loose, MADE.format(kind=kind), marks, rows=rows)
    return DatabaseTable(url, table="loans")


@pytest.mark.parametrize("kind", ["text", "varchar(9)", "char(9)"])
def test_keys_are_equal_where_their_bytes_are(kind: str, mariadb_url: str) -> None:
    """Its collations take case, accents and spaces at the end for nothing."""
    cells = ["a", "A", "á", "b", "b\x00", "bb"]
    cells += [] if kind == "char(9)" else ["a ", "b  "]
    table = loaded(mariadb_url, [(1, 1, each, "p") for each in cells], kind)
    found = exact(table, plan_of(keys=["a", "b"]), "auto")
    assert [row[0] for row in found] == [ROW, ROW]
    private = open_keys(table, KeyCount("region", "text", None), "auto")()
    assert private == {each: 1 for each in cells if "\x00" not in each}


def test_ids_are_told_apart_to_their_last_byte(mariadb_url: str) -> None:
    """It sorts by 1,024 bytes, unless told otherwise."""
    ids = ["a" * 60_000 + end for end in ("", "b", "B", "b ")]
    table = loaded(mariadb_url, [(1, 1, "a", each) for each in ids])
    totals = {"score": Bounds(0, 1), "label": Bounds(0, 1)}
    plan = plan_of(unit=PrivacyUnit("id", totals=totals))
    found = exact(table, plan, "auto")[0]
    rows = {"score": [1.0] * 4, "label": [1] * 4, "id": ids}
    assert [found] == exact(rows, plan, "python")
    rule = UnitRule("id", "dpratio", 1, {})
    assert open_keys(table, KeyCount("region", "text", rule), "auto")() == {"a": 4}
    assert open_keys(table, KeyCount("id", "text", None), "auto")() == dict.fromkeys(
        ids, 1
    )


def test_a_day_that_is_none_is_missing(mariadb_url: str) -> None:
    days = ["2026-02-31", "2026-02-00", "0000-00-00", "2026-03-03", None]
    table = loaded(mariadb_url, [(1, 1, each, "p") for each in days], "date")
    keys = [dt.date(2026, 3, 3), None]
    found = exact(table, plan_of(groups=Groups("region", keys)), "auto")
    assert [row[0] // ROW for row in found] == [1, 4]


def test_a_boolean_is_a_number_that_may_be_another(mariadb_url: str) -> None:
    cells = [0, 1, 2, -1, None]
    table = loaded(mariadb_url, [(1, 1, each, "p") for each in cells], "boolean")
    plan = plan_of(groups=Groups("region", [True, False]))
    assert [row[0] // ROW for row in exact(table, plan, "auto")] == [1, 1]


def test_a_condition_compares_numbers_and_days(mariadb_url: str) -> None:
    told(
        mariadb_url,
        "SET sql_mode = 'ALLOW_INVALID_DATES'",
        "CREATE TABLE t (n int, score double, label bigint unsigned, day date, "
        "at datetime(6), word text, price decimal(9, 2), `when` timestamp)",
        "INSERT INTO t VALUES (1, 0.5, 18446744073709551615, '2026-01-01', "
        "'2026-01-01 00:00:00.000001', 'A', 1, '2026-01-01'), "
        "(4, 0.5, 5, '0000-00-00', '2026-02-31', 'b', 2, '2026-01-01'), "
        "(2, 0.25, 0, '2025-12-31', '2025-12-31', 'a', 2, '2026-01-01'), "
        "(3, NULL, 1, NULL, NULL, NULL, NULL, '2026-01-01')",
    )
    for form in (
        "score > 0.25",
        "label >= 1",
        "day >= '2026-01-01'",
        "at > '2026-01-01 00:00:00'",
        "at <= '2026-01-01 00:00:00.000001' and score is not null",
        "day in ('2025-12-31', '2024-12-31') or label = 5",
        "not score = 0.5",
        "day is null",
        "day < '2026-01-01'",
    ):
        with connected(mariadb_url) as connection, connection.cursor() as cursor:
            cursor.execute(f"SELECT n FROM t WHERE {form}")  # noqa: S608
            expected = {n: 1 for (n,) in cursor.fetchall()}
        table = DatabaseTable(mariadb_url, table="t", where=form)
        found = open_keys(table, KeyCount("n", "integer", None), "auto")()
        assert found == expected, form
        assert expected
    for form in ("word = 'a'", "price = 1.5", "`when` > '2026-01-01'", "! label = 1"):
        with pytest.raises(SchemaRefused, match="where in"):
            open_warehouse(DatabaseTable(mariadb_url, table="t", where=form))


@pytest.mark.parametrize(
    "made",
    [
        "CREATE VIEW loans AS SELECT * FROM base",
        "CREATE TABLE loans (score double, label int) ENGINE = MERGE UNION = (base)",
        "CREATE TABLE loans (score double, label int) WITH SYSTEM VERSIONING",
        "CREATE SEQUENCE loans",
    ],
)
def test_what_only_looks_like_a_table_is_refused(made: str, mariadb_url: str) -> None:
    told(
        mariadb_url, "CREATE TABLE base (score double, label int) ENGINE = MyISAM", made
    )
    for named in ({"table": "loans"}, {"view": "loans"}):
        with pytest.raises(SchemaRefused, match="is no table of the database's own"):
            open_warehouse(DatabaseTable(mariadb_url, **named))
    assert open_warehouse(DatabaseTable(mariadb_url, table="base"))
    with pytest.raises(FileRefused, match="there is no table 'nothing'"):
        open_warehouse(DatabaseTable(mariadb_url, table="nothing"))
    with pytest.raises(SchemaRefused, match="is no table of the database's own"):
        open_warehouse(DatabaseTable(mariadb_url, table="mysql.global_priv"))


def reader(url: str, *grants: str) -> str:
    """The address of one who may read what is granted, and has a password."""
    name, password = f"r{secrets.token_hex(4)}", "canary@/:?#"
    told(
        url,
        f"CREATE USER {name} IDENTIFIED BY '{password}'",
        *(f"{grant} TO {name}" for grant in grants),
    )
    written = "canary%40%2F%3A%3F%23"
    return url.replace("root@", f"{name}:{written}@")


def test_a_grant_on_columns_suffices_and_the_rest_is_not_there(
    mariadb_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded(mariadb_url, [(1, 1, "a", "p")])
    url = reader(mariadb_url, "GRANT SELECT (score, label) ON loans")
    table = DatabaseTable(url, table="loans")
    opened = open_warehouse(table)
    assert list(opened.types) == ["score", "label"]
    assert exact(table, plan_of(), "auto")[0][0] == ROW
    origin = origin_of(opened)
    assert origin is not None
    assert origin.server[0] == "127.0.0.1"
    # The password of the environment does for this machine.
    bare = url.replace(":canary%40%2F%3A%3F%23", "")
    with pytest.raises(FileRefused, match="no database answers") as refused:
        open_warehouse(DatabaseTable(bare, table="loans"))
    assert "canary" not in str(refused.value)
    monkeypatch.setenv("MYSQL_PWD", "canary@/:?#")
    assert open_warehouse(DatabaseTable(bare, table="loans"))


def test_a_server_that_cannot_prove_itself_is_not_told_a_password(
    mariadb_url: str,
) -> None:
    url = f"{mariadb_url}?ssl_ca=/no/such/file.pem"
    with pytest.raises(FileRefused, match="no database answers at"):
        open_warehouse(DatabaseTable(url, table="loans"))


def test_a_session_reads_and_never_writes(mariadb_url: str) -> None:
    loaded(mariadb_url, [(1, 1, "a", "p")])
    server = connect_server(DatabaseTable(mariadb_url, table="loans"))
    with pytest.raises(Exception, match="READ ONLY"):
        server.rows("DELETE FROM loans")
    server.con.close()


@pytest.mark.parametrize("version", ["8.4.0", "10.5.9-MariaDB", "5.5.5-10.4-MariaDB"])
def test_another_server_is_refused(version: str) -> None:
    class Other:
        name = "mariadb"

        def rows(self, _: str) -> list[list[str]]:
            return [[version]]

    with pytest.raises(InvalidInput, match=r"MariaDB 10\.6 or later"):
        dialect_of(Other()).check(Other())


def test_a_column_that_is_worked_out_when_read_is_refused(mariadb_url: str) -> None:
    told(mariadb_url, "CREATE TABLE t (label int, score double as (label * 2e0))")
    with pytest.raises(SchemaRefused, match="virtual double"):
        exact(DatabaseTable(mariadb_url, table="t"), plan_of(), "auto")


def test_latin_letters_are_told_apart_one_by_one(mariadb_url: str) -> None:
    told(
        mariadb_url,
        "CREATE TABLE t (score double, label int, region varchar(9) "
        "CHARACTER SET latin1)",
        *(f"INSERT t VALUES (1, 1, _latin1 x'{at:02x}')" for at in range(1, 256)),  # noqa: S608
    )
    table = DatabaseTable(mariadb_url, table="t")
    found = open_keys(table, KeyCount("region", "text", None), "auto")()
    assert set(found.values()) == {1}
    assert len(found) == 255
    assert {"é", "€", "ÿ"} <= set(found)


def test_half_a_character_is_missing(mariadb_url: str) -> None:
    told(
        mariadb_url,
        "CREATE TABLE t (region varchar(9))",
        "INSERT INTO t VALUES (_utf8mb4 x'EDA080'), ('a')",
    )
    table = DatabaseTable(mariadb_url, table="t")
    assert open_keys(table, KeyCount("region", "text", None), "auto")() == {"a": 1}


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("mariadb://127.0.0.1:1/a", "canary"),
        ("mariadb:///a", "canary"),
        ("mariadb://evil/a", ""),
        ("mariadb://ann:own@evil/a", "own"),
    ],
)
def test_a_password_of_the_environment_stays_on_this_machine(
    url: str, sent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []

    def connect(**options: object) -> None:
        asked.append(options)
        raise OSError

    monkeypatch.setenv("MYSQL_PWD", "canary")
    monkeypatch.setattr("pymysql.connect", connect)
    with pytest.raises(FileRefused, match="no database answers") as refused:
        open_warehouse(DatabaseTable(url, table="t"))
    assert "canary" not in str(refused.value)
    assert [each["password"] for each in asked] == [sent]


def test_a_query_that_runs_is_ended_from_another_connection(mariadb_url: str) -> None:
    server = connect_server(DatabaseTable(mariadb_url, table="loans"))
    with ThreadPoolExecutor(1) as threads:
        waits = threads.submit(server.rows, "SELECT SLEEP(600)")
        while not waits.done():
            server.cancel()
            time.sleep(0.1)
    # MariaDB ends a SLEEP with the answer 1, and other queries with an error.
    assert waits.exception() is not None or waits.result() == [(1,)]
