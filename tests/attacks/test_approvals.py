"""What was approved is what runs: whatever was changed since is refused, uncharged."""

import json
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from attacks.bound_data import (
    COLUMNS,
    DECLARED,
    PATH,
    PLAN,
    STUDY,
    Call,
    book_of,
    refusal,
)
from curator.ledger.admission.test_bound import GOLDEN, PLAN_BEFORE
from curator.ledger.attacks.books import DATA
from dpratio.curator.ledger.account.entry import entry_from_row
from dpratio.curator.ledger.account.source import meant_source
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import InvalidInput, LedgerRefused
from dpratio.release.plan_file import read_plan
from dpratio.terms.source import CsvFile


@pytest.mark.parametrize(
    ("old", "new", "differs"),
    [
        ("data/a.csv", "data/b.csv", "path"),
        ("data/a.csv", "data/*.csv", "path"),
        ("data/a.csv", "link/a.csv", "path"),
        ('delimiter = ";"', 'delimiter = ","', "delimiter"),
        ('delimiter = ";"', 'delimiter = ";"\nquote = ""', "quote"),
        ('delimiter = ";"', 'delimiter = ";"\ndecimal = ","', "decimal"),
        ('delimiter = ";"', 'delimiter = ";"\ndates = "D.M.YYYY"', "dates"),
        # One customer with twenty orders would be twenty "customers".
        ('"customer", "order"]', '"order", "customer"]', "columns"),
        (
            f"{PATH}\n{DECLARED}",
            'url = "duckdb:///data.db"\ntable = "loans"',
            "path, delimiter, quote, columns, scheme, database, table",
        ),
    ],
)
def test_38_a_study_that_was_changed_after_its_approval_is_refused(
    old: str, new: str, differs: str, call: Call, folder: Path
) -> None:
    """An approval is of terms and data: path, dialect, names of columns, database.

    Source: found by an independent attack on this code, 2026.
    """
    with duckdb.connect(folder / "data.db") as own:
        own.execute("CREATE TABLE loans (s REAL, y INTEGER, customer TEXT)")
    words = ("--scope", "loans", "--unit", "customer", "--epsilon", "1", "--approval")
    assert call("ledger", "init", *words)[0] == 0
    assert call("ledger", "approve", "study.toml", "--by", "officer")[0] == 0
    assert old in STUDY
    (folder / "changed.toml").write_text(STUDY.replace(old, new), "utf-8")
    code, said = call("release", "changed.toml", "-o", "r.json")
    assert code == 10
    assert f"was approved for another source, which differs in: {differs}." in said
    assert "ask for a new approval with `dpratio ledger approve`" in said
    assert Ledger("dpratio.db").account().spent.loss == 0
    assert not (folder / "r.json").exists()
    for engine in ("python", "duckdb"):
        named = ("-o", f"{engine}.json", "--engine", engine)
        assert call("release", "study.toml", *named)[0] == 0, engine


def test_38_a_window_that_was_changed_after_its_approval_is_refused(
    call: Call, folder: Path
) -> None:
    """An approval is of the rows that where keeps, also seen from another folder.

    Source: issue 23, point 5.
    """
    with duckdb.connect(folder / "data.db") as own:
        own.execute("CREATE TABLE loans (s REAL, y INTEGER, customer TEXT, day DATE)")
    table = 'url = "duckdb:///data.db"\ntable = "loans"'
    week = f"{table}\nwhere = \"day >= '2026-11-09' AND day < '2026-11-16'\""
    words = ("--scope", "loans", "--unit", "customer", "--epsilon", "1", "--approval")
    assert call("ledger", "init", *words)[0] == 0
    study = STUDY.replace(f"{PATH}\n{DECLARED}", week)
    (folder / "study.toml").write_text(study, "utf-8")
    code, said = call("ledger", "approve", "study.toml", "--by", "officer")
    assert code == 0
    for changed in (table, week.replace("day <", "day <="), week + "\n"):
        (folder / "changed.toml").write_text(study.replace(week, changed), "utf-8")
        code, said = call("release", "changed.toml", "-o", "r.json")
        if changed.strip() == week:
            assert code == 0
            continue
        assert code == 10
        assert "approved for another source, which differs in: where." in said
        assert Ledger("dpratio.db").account().spent.loss == 0


@pytest.mark.parametrize("file", ["study.toml", "plan.json"])
def test_38_data_are_not_named_aside_of_an_approved_study(
    file: str, call: Call, folder: Path
) -> None:
    """Neither a plan alone nor --data runs where studies are approved.

    Source: found by an independent attack on this code, 2026.
    """
    study = STUDY.replace(f"{PATH}\n{DECLARED}", 'path = "data/a.parquet"')
    (folder / "study.toml").write_text(study, "utf-8")
    frame = pd.DataFrame({"s": [0.5], "y": [1], "customer": ["a"], "order": ["b"]})
    frame.to_parquet(folder / "data" / "a.parquet")
    words = ("--scope", "loans", "--unit", "customer", "--epsilon", "1", "--approval")
    assert call("ledger", "init", *words)[0] == 0
    assert call("ledger", "approve", "study.toml")[0] == 0
    assert call("plan", "study.toml", "-o", "plan.json")[0] == 0
    code, said = call("release", file, "--data", "data/a.parquet", "-o", "r.json")
    assert code == 10
    assert "neither a plan alone nor --data" in said
    assert Ledger("dpratio.db").account().spent.loss == 0
    assert call("release", "study.toml", "-o", "r.json")[0] == 0


def test_38_a_charge_that_goes_on_reads_what_it_was_charged_for(folder: Path) -> None:
    """An id that was charged and stopped is no way to other data under its approval.

    Source: found by reading this code, 2026, when charges were first gone on with.
    """
    book = book_of("budget.db")
    data, other = (
        CsvFile(folder / name / "a.csv", columns=COLUMNS, delimiter=";")
        for name in ("data", "other")
    )
    name = "0" * 32
    book.charge(name, PLAN, source=meant_source(data), scope="loans")
    with pytest.raises(LedgerRefused, match="was charged for other data"):
        release_sums(other, PLAN, ledger=book, scope="loans", release_id=name)
    assert book.account("loans").releases[name].state == "charge"
    release_sums(data, PLAN, ledger=book, scope="loans", release_id=name)


def test_38_approved_data_that_lie_elsewhere_are_refused(folder: Path) -> None:
    """A study copied beside other data reads what nobody approved.

    Source: found by an independent attack on this code, 2026.
    """
    book = book_of("budget.db", approval=True)
    written = CsvFile("a.csv", columns=COLUMNS, delimiter=";")
    book.approve(PLAN, source=written, scope="loans")

    def at(name: str) -> CsvFile:
        return CsvFile(folder / name / "a.csv", columns=COLUMNS, delimiter=";")

    release_sums(at("data"), PLAN, ledger=book, scope="loans", source=written)
    # A link to the folder is the folder.
    release_sums(
        at("link"), PLAN, ledger=book, scope="loans", source=written, new_draw=True
    )
    said = refusal(book, at("other"), "loans", written)
    assert "lay elsewhere when they were first charged" in said
    book.allow_source(at("other"), source=written, scope="loans", by="officer")
    release_sums(at("other"), PLAN, ledger=book, scope="loans", source=written)
    with pytest.raises(InvalidInput, match="must be the table that is read"):
        release_sums(
            CsvFile("data/b.csv", columns=COLUMNS, delimiter=";"),
            PLAN,
            ledger=book,
            scope="loans",
            source=written,
        )


def test_38_a_table_in_memory_runs_under_the_name_that_was_approved(
    folder: Path,
) -> None:
    """Tables in memory are compared by the name that the curator gives them.

    Source: found by an independent attack on this code, 2026.
    """
    book = book_of(folder / "budget.db", approval=True)
    book.approve(PLAN, source="orders 2026", scope="loans")
    for table in (DATA, pd.DataFrame(DATA)):
        for name in (None, "orders 2025"):
            said = refusal(book, table, "loans", name)
            if name is None:
                assert "Name it, the same for the same rows" in said
            else:
                assert "approved for another source, which differs in: name" in said
        named = {"scope": "loans", "source": "orders 2026", "new_draw": True}
        release_sums(table, PLAN, ledger=book, **named)  # type: ignore[arg-type]


def test_38_an_approval_of_a_plan_alone_admits_nothing(folder: Path) -> None:
    """Approvals from before named no data; they are read, and no longer admit.

    Source: found by an independent attack on this code, 2026.
    More: tests/curator/ledger/admission/test_bound.py.
    """
    book = Ledger(folder / "budget.db")
    book.watch.store.create()
    rows = json.loads(GOLDEN.read_text("utf-8"))
    with book.watch.store.writing() as tables:
        for row in rows["scope"]:
            statement = "INSERT INTO scope (name, document, hash) VALUES (?, ?, ?)"
            tables.run(statement, tuple(row))
        for row in rows["entry"]:
            tables.add_entry(entry_from_row(row))
    plan = read_plan(PLAN_BEFORE)
    with pytest.raises(LedgerRefused, match="was approved alone, before approvals"):
        book.charge("f" * 32, plan, source=meant_source("a.csv"), scope="approved")
