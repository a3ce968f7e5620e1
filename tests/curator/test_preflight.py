"""A preflight finds what a release would find, charges nothing and reads no row."""

from pathlib import Path

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.measure import look_at_schema
from dpratio.curator.preflight import check_release
from dpratio.curator.release_sums import release_sums
from dpratio.errors import DpratioError, FileRefused, LedgerRefused
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, Keys, Periods, PrivateKeys
from dpratio.terms.source import DatabaseTable
from dpratio.terms.unit import PrivacyUnit
from planned import plan_scores

TOTALS = {"score": Bounds(0, 5), "label": Bounds(0, 5)}


def plan_of(
    *, epsilon: float = 2, groups: object = None, unit: PrivacyUnit | None = None
) -> Plan:
    return plan_scores(
        Budget(epsilon, "1e-6"), groups=groups, unit=unit or PrivacyUnit()
    )


def book_of(folder: Path, **given: object) -> Ledger:
    book = Ledger(folder / "budget.db")
    book.open_scope(Scope("people", Budget(20, "0.01"), **given))  # type: ignore[arg-type]
    return book


def test_columns_of_a_table_are_told_by_their_types_and_no_row_is_read(
    postgres_url: str, tmp_path: Path
) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE people (score real, label smallint, customer bigint, "
            "region varchar(9), day date, shop text)"
        )
        connection.execute("INSERT INTO people VALUES (0.5, 1, 7, 'n', '2026-01-01')")
    region = Groups.cross(
        Keys("region", ["n", "s"]), Periods("day", "month", "2026-01-01", "2026-03-31")
    )
    plan = plan_of(
        groups=[region, PrivateKeys("shop", Budget("0.2", "1e-7"))],
        unit=PrivacyUnit("customer", totals=TOTALS, most_groups=2),
    )
    book = book_of(tmp_path, unit="customer")
    before = book.account()
    people = DatabaseTable(postgres_url, table="people")
    found = check_release(people, plan, ledger=book)
    assert found.columns() == {
        "column": ["shop", "customer", "score", "label", "region", "day"],
        "type": ["text", "int8", "float4", "int2", "varchar", "date"],
        "read as": [
            *("text keys", "ids", "numbers", "numbers", "text keys", "date keys"),
        ],
    }
    assert found.sentences() == [
        "Scope 'people' would admit it, at epsilon 2, delta 0.0000001.",
        "Left: epsilon 20, delta 0.01.",
    ]
    assert book.account() == before
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("SELECT pg_stat_force_next_flush()")
        query = "SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'people'"
        assert connection.execute(query).fetchall() == [(0,)]


def test_rights_are_found_out_before_the_charge(
    postgres_url: str, tmp_path: Path
) -> None:
    """A table that may not be read is not there, and neither is such a column."""
    book = book_of(tmp_path)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        for statement in (
            "CREATE TABLE people (score real, label smallint, name text)",
            "CREATE ROLE preflight_reader LOGIN PASSWORD 'word'",
        ):
            connection.execute(statement.encode())
        start, _, rest = postgres_url.partition("://")
        url = f"{start}://preflight_reader:word@{rest.partition('@')[2] or rest}"
        people = DatabaseTable(url, table="people")
        try:
            with pytest.raises(DpratioError, match=r"no table 'people' at .*may read"):
                check_release(people, plan_of(), ledger=book)
            connection.execute("GRANT SELECT (score) ON people TO preflight_reader")
            with pytest.raises(DpratioError, match="'label' is not in the table"):
                check_release(people, plan_of(), ledger=book)
            connection.execute("GRANT SELECT (label) ON people TO preflight_reader")
            check_release(people, plan_of(), ledger=book)
            release_sums(people, plan_of(), ledger=book)
        finally:
            connection.execute("DROP OWNED BY preflight_reader")
            connection.execute("DROP ROLE preflight_reader")


def test_of_files_the_footers_are_read_and_nothing_else(tmp_path: Path) -> None:
    """A file whose rows are broken is as good as any other."""
    path = tmp_path / "people.parquet"
    table = pa.table({"score": [0.25, 0.5] * 500, "label": [1, 0] * 500})
    pq.write_table(table, path, compression="none", use_dictionary=False)
    content = bytearray(path.read_bytes())
    content[4:2000] = b"\xff" * 1996
    path.write_bytes(content)
    found = check_release(str(path), plan_of(), ledger=None)
    assert found.sentences() == ["No ledger was asked."]


def test_the_ledger_says_what_it_would_say(tmp_path: Path) -> None:
    book = book_of(tmp_path)
    table = {"score": [0.5], "label": [1]}
    check_release(table, plan_of(), ledger=book, source="people")
    release_sums(table, plan_of(), ledger=book, source="people")
    book.open_scope(Scope("others", Budget(9)))
    for given, words in (
        ({"scope": "people"}, "the ledger has several scopes"),
        ({"scope": "others", "source": "people"}, "another scope, 'people'"),
        ({"source": "people"}, "name the scope of the data"),
        ({"scope": "nobody", "source": "people"}, "there is no scope 'nobody'"),
    ):
        with pytest.raises(LedgerRefused, match=words):
            check_release(table, plan_of(), ledger=book, **given)
    with pytest.raises(LedgerRefused, match="has epsilon 18"):
        check_release(
            table, plan_of(epsilon=19), ledger=book, scope="people", source="people"
        )
    found = check_release(
        table,
        plan_of(epsilon=3),
        ledger=book,
        scope="people",
        source="people",
    )
    assert found.sentences()[-1] == "Left: epsilon 18, delta 0.01."


def test_what_was_released_before_would_be_given_again(tmp_path: Path) -> None:
    """Also where nothing is left for a new draw."""
    book = book_of(tmp_path)
    table = {"score": [0.5], "label": [1]}
    plan = plan_of(epsilon=20)
    release = release_sums(table, plan, ledger=book, source="people")
    found = check_release(table, plan, ledger=book, source="people")
    assert found.account is None
    (said,) = found.sentences()
    assert said.startswith(f"Release {release.id} of ")
    assert "more than scope 'people' has left: epsilon 0 and delta" in said
    with pytest.raises(LedgerRefused, match="without a name may be another one"):
        check_release(table, plan, ledger=book)


def test_names_and_types_are_told_without_a_plan_and_without_a_row(
    tmp_path: Path,
) -> None:
    file = tmp_path / "people.csv"
    file.write_text("score,label\nno number,1\n", encoding="utf-8")
    told = look_at_schema(str(file))
    assert {name: each.kind for name, each in told.items()} == dict.fromkeys(
        ("score", "label"), "csv"
    )
    with pytest.raises(FileRefused):
        look_at_schema(str(tmp_path / "none.parquet"))
