"""Variables in a study: approved by name, told apart by what they hold, never shown."""

from pathlib import Path

import duckdb
import pytest

from attacks.bound_data import DECLARED, PATH, PLAN, STUDY, Call, book_of, refusal
from curator.door_for_tests import release_with
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import DpratioError
from dpratio.terms.source import CsvFile, DatabaseTable

TABLE = DatabaseTable("${ORDERS_DB}", table="loans")


@pytest.fixture
def databases(folder: Path) -> list[str]:
    """Two databases with the same table."""
    for name in ("one", "two"):
        with duckdb.connect(folder / f"{name}.db") as own:
            own.execute("CREATE TABLE loans (s REAL, y INTEGER, customer TEXT)")
            own.execute("INSERT INTO loans VALUES (0.5, 1, 'a')")
    return [f"duckdb:///{folder}/{name}.db" for name in ("one", "two")]


def test_38_a_variable_that_leads_elsewhere_after_an_approval_is_refused(
    databases: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    """An approval is of the name; what it held at first is what it must hold.

    Source: issue 23, point 5.
    """
    written = 'url = "${ORDERS_DB}"\ntable = "loans"'
    study = STUDY.replace(f"{PATH}\n{DECLARED}", written)
    (folder / "study.toml").write_text(study, "utf-8")
    words = ("--scope", "loans", "--unit", "customer", "--epsilon", "9", "--approval")
    assert call("ledger", "init", *words)[0] == 0
    assert call("ledger", "approve", "study.toml", "--by", "officer")[0] == 0
    code, said = call("release", "study.toml", "-o", "r.json")
    assert code == 3
    assert "names the variable ORDERS_DB, which is not set" in said
    monkeypatch.setenv("ORDERS_DB", databases[0])
    assert call("release", "study.toml", "-o", "r.json")[0] == 0
    [held] = Ledger("dpratio.db").account().releases.values()
    assert "${ORDERS_DB}" in held.said("charge")["source"]
    assert "one.db" in held.said("charge")["place"]
    monkeypatch.setenv("ORDERS_DB", databases[1])
    code, said = call("release", "study.toml", "-o", "s.json")
    assert (code, "lay elsewhere when they were first" in said) == (10, True)
    changed = study.replace("${ORDERS_DB}", databases[0])
    (folder / "changed.toml").write_text(changed, "utf-8")
    code, said = call("release", "changed.toml", "-o", "s.json")
    assert (code, "which differs in: scheme, database, url" in said) == (10, True)


def test_38_a_variable_is_no_second_scope(
    databases: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two names for one table, or a name and the address, spend from one cap.

    Source: issue 23, point 5.
    """
    book = book_of(folder / "budget.db")
    monkeypatch.setenv("ORDERS_DB", databases[0])
    monkeypatch.setenv("OTHER_DB", databases[0])
    monkeypatch.setenv("LAKE", str(folder / "data"))
    release_sums(TABLE, PLAN, ledger=book, scope="loans")
    [held] = book.account("loans").releases.values()
    assert '"${ORDERS_DB}"' in held.said("charge")["source"]
    for url in ("${OTHER_DB}", databases[0]):
        table = DatabaseTable(url, table="loans")
        assert "another scope, 'loans'" in refusal(book, table, "cards")
    csv = CsvFile("${LAKE}/a.csv", columns=["s", "y", "c", "o"], delimiter=";")
    release_sums(csv, PLAN, ledger=book, scope="loans")
    same = CsvFile("data/a.csv", columns=["s", "y", "c", "o"], delimiter=";")
    assert "another scope, 'loans'" in refusal(book, same, "cards")
    # Somewhere else it is another table.
    monkeypatch.setenv("ORDERS_DB", databases[1])
    release_sums(TABLE, PLAN, ledger=book, scope="cards")


@pytest.mark.parametrize(
    ("table", "value"),
    [
        (
            DatabaseTable("${CANARY}", table="t"),
            "postgres://u:canary@canary.x:1/canary",
        ),
        (DatabaseTable("${CANARY}", table="t"), "postgres://127.0.0.1:1/canary"),
        (DatabaseTable("${CANARY}", table="t"), "duckdb:///canary.db"),
        (DatabaseTable("${CANARY}", table="t"), "duckdb://canary.db"),
        (DatabaseTable("${CANARY}", table="t"), "canary"),
        (DatabaseTable("${CANARY}", table="t"), "spark://local[canary]"),
        (DatabaseTable("${CANARY}", path="a"), "duckdb:///canary.db"),
        (DatabaseTable("${CANARY}", table="t"), "postgres://a@canary/b@canary"),
        ("${CANARY}/x.parquet", "/no/canary"),
        ("${CANARY}/*/../x.parquet", "/no/canary/"),
        ("${CANARY}.parquet", "canary"),
        (CsvFile("${CANARY}/x.csv"), "./canary"),
        ("${CANARY}/x.parquet", ""),
        ("/lake/${CANARY}/x.parquet", "canary"),
        ("${CANARY}${CANARY}/x.parquet", "canary"),
        ("s3://host/${CANARY}.parquet", "canary"),
    ],
)
def test_09_what_a_variable_holds_is_in_no_message(
    table: object, value: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is it put into an address or a path that leads elsewhere.

    Source: issue 23, point 5.
    """
    monkeypatch.setenv("CANARY", value)
    book = book_of(folder / "budget.db")
    for engine in ("auto", "duckdb"):
        with pytest.raises(DpratioError) as refused:
            release_with(engine, table, PLAN, ledger=book, scope="loans")
        assert "canary" not in str(refused.value).replace("${CANARY}", "")
        assert refused.value.__cause__ is None
        assert refused.value.__context__ is None


def test_09_an_address_is_not_put_together_from_variables(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A study could send a password to a host of its own choice.

    Source: issue 23, point 5.
    """
    monkeypatch.setenv("FOLDER", "data")
    for path in (f"{folder}/${{FOLDER}}/a.csv", "a${FOLDER}.csv"):
        with pytest.raises(DpratioError, match="a path begins with one"):
            CsvFile(path, columns=["s", "y", "c", "o"])
    for url in ("postgres://evil/${PGPASSWORD}", "${A}${B}", "${A}/x", "duckdb:///${A"):
        with pytest.raises(DpratioError, match="must hold a whole address"):
            DatabaseTable(url, table="t")
