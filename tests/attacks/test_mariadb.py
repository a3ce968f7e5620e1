"""No cell of MariaDB stops a release, and no collation says who is who."""

import pymysql
import pytest

from curator.tables_for_tests import ROW, exact, plan_of
from curator.warehouse.database.test_mariadb_tls import relay, table_at
from curator.warehouse.roles import fates, stopped
from dpratio.curator.choose_engine import open_keys
from dpratio.curator.reading.statement import KeyCount, UnitRule
from dpratio.curator.warehouse.open import open_warehouse
from dpratio.errors import FileRefused, SchemaRefused
from dpratio.terms.database import DatabaseTable
from mariadb_server import Secured, told

# Types that Ibis takes for others, or whose cells no double, day or text can hold.
HARD = {
    "bigint unsigned": ["18446744073709551615", "1"],
    "decimal(65, 0)": ["9" * 65],
    "date": ["'0000-00-00'", "'2026-02-31'", "'0000-01-01'"],
    "varchar(9)": ["_utf8mb4 x'EDA080'", "'a '", "'A'"],
    "bit(64)": ["b'1'"],
    "json": ["'[1e400]'"],
    "set('a', 'b')": ["'a,b'"],
}


def test_39_no_cell_of_mariadb_stops_a_release(mariadb_url: str) -> None:
    """In every role a column is refused by its type, or read to its end.

    Source: found while MariaDB was added, 2026: a key beyond 63 bits is another key.
    More: tests/curator/warehouse/test_cells_on_mariadb.py, every type at its ends.
    """
    found = {}
    for at, (kind, cells) in enumerate(HARD.items()):
        rest = "score double, label int, region varchar(9), id varchar(9)"
        told(
            mariadb_url,
            "SET sql_mode = 'ALLOW_INVALID_DATES'",
            f"CREATE TABLE t{at} (cell {kind}, {rest})",
            *(f"INSERT t{at} VALUES ({cell}, 0.5, 1, 'a', 'p')" for cell in cells),  # noqa: S608
        )
        opened = open_warehouse(DatabaseTable(mariadb_url, table=f"t{at}"))
        found[kind] = stopped(fates(opened))
    wrong = {kind: fate for kind, fate in found.items() if fate}
    assert wrong == {}, wrong
    count = KeyCount("cell", "integer", None)
    keys = open_keys(DatabaseTable(mariadb_url, table="t0"), count, "auto")()
    assert keys == {1: 1}
    days = KeyCount("cell", "date", None)
    assert open_keys(DatabaseTable(mariadb_url, table="t2"), days, "auto")() == {}
    texts = KeyCount("cell", "text", None)
    found_texts = open_keys(DatabaseTable(mariadb_url, table="t3"), texts, "auto")()
    assert found_texts == {"a ": 1, "A": 1}


def test_11_a_key_of_mariadb_is_equal_where_its_bytes_are(mariadb_url: str) -> None:
    """Its usual collations take 'a', 'A', 'á' and 'a ' for one key.

    Source: the manual of MariaDB on collations; found while MariaDB was added, 2026.
    """
    told(
        mariadb_url,
        "CREATE TABLE t (score double, label int, region varchar(9))",
        "INSERT t VALUES (1, 1, 'a'), (1, 1, 'A'), (1, 1, 'á'), (1, 1, 'a ')",
    )
    table = DatabaseTable(mariadb_url, table="t")
    assert exact(table, plan_of(keys=["a"]), "auto")[0][0] == ROW


def test_14_ids_of_mariadb_are_told_apart_to_their_last_byte(mariadb_url: str) -> None:
    """It groups and sorts by the first 1,024 bytes of a text.

    Source: the manual of MariaDB on max_sort_length.
    """
    rule = UnitRule("id", "dpratio", 1, {})
    told(
        mariadb_url,
        "CREATE TABLE t (region varchar(9), id text)",
        "INSERT t VALUES ('a', CONCAT(REPEAT('x', 2000), 'a')), "
        "('a', CONCAT(REPEAT('x', 2000), 'b'))",
    )
    table = DatabaseTable(mariadb_url, table="t")
    found = open_keys(table, KeyCount("region", "text", rule), "auto")()
    assert found == {"a": 2}


def test_41_a_table_of_mariadb_made_of_others_is_refused(mariadb_url: str) -> None:
    """MERGE and its kin read tables that another name has, or several at once.

    Source: the manual of MariaDB on storage engines.
    """
    told(
        mariadb_url,
        "CREATE TABLE base (score double, label int) ENGINE = MyISAM",
        "CREATE TABLE t (score double, label int) ENGINE = MERGE UNION = (base)",
    )
    with pytest.raises(SchemaRefused, match="is no table of the database's own"):
        open_warehouse(DatabaseTable(mariadb_url, table="t"))


def test_41_a_server_that_cannot_prove_itself_is_not_told_a_password(
    mariadb_secured: Secured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who stands between has another certificate, another name, or hides TLS.

    Source: PyMySQL 1.1.3, tried here in 2026: where a greeting knows no TLS it sends
    the password all the same.
    More: tests/curator/warehouse/database/test_mariadb_tls.py
    """
    url, right = mariadb_secured.url, mariadb_secured.authority
    named = url.replace("127.0.0.1", "localhost")
    for address, authority in ((url, mariadb_secured.other), (named, right)):
        with pytest.raises(FileRefused):
            open_warehouse(table_at(address, authority))
    with relay(url, hides_tls=True) as (between, heard), pytest.raises(FileRefused):
        open_warehouse(table_at(between, right))
    assert heard == []
    assert open_warehouse(table_at(url, right))
    monkeypatch.setattr(pymysql, "VERSION", (1, 1, 3, "final"))
    with pytest.raises(FileRefused):
        open_warehouse(table_at(url, right))
