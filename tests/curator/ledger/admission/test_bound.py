"""Which data a scope admits: what was approved, what was bound, what was allowed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from curator.ledger.loans import CARDS, PLAN, SCOPE, plan_of
from dpratio.curator.ledger.account.source import Source, meant_source, named_source
from dpratio.curator.ledger.ledger import Ledger
from dpratio.errors import LedgerRefused
from dpratio.release.files import plan_hash
from dpratio.terms.source import CsvFile, DatabaseTable

NAMES = [f"{at:032x}" for at in range(100, 120)]


def book_of(folder: Path, *, approval: bool = False) -> Ledger:
    """A ledger with two scopes, the first of which may demand approval."""
    made = Ledger(folder / "budget.db")
    made.open_scope(replace(SCOPE, needs_approval=approval))
    made.open_scope(CARDS)
    return made


def charged(book: Ledger, source: Source, scope: str = "loans", **given: Any) -> str:  # noqa: ANN401
    """Charge the next release; give its id."""
    count = sum(len(book.account(each).releases) for each in book.scopes())
    book.charge(NAMES[count], given.pop("plan", PLAN), source=source, scope=scope)
    return NAMES[count]


def refusal(book: Ledger, source: Source, scope: str = "loans", **given: Any) -> str:  # noqa: ANN401
    before = [book.account(each) for each in book.scopes()]
    with pytest.raises(LedgerRefused) as refused:
        charged(book, source, scope, **given)
    assert [book.account(each) for each in book.scopes()] == before
    return str(refused.value)


# --- One source, one scope ------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("orders", "Orders"),
        ("d/a.csv", "d/a.csv"),
        ("d/*.csv", "d/a.csv"),
        ("d/a.parquet", "d/**/*.parquet"),
        (
            DatabaseTable("postgres://H/d", table="loans"),
            DatabaseTable("postgresql://ann@h:5432/d", table="public.loans"),
        ),
    ],
)
def test_a_source_of_one_scope_is_refused_in_another(
    first: object, second: object, tmp_path: Path
) -> None:
    book = book_of(tmp_path)
    charged(book, meant_source(first))
    assert refusal(book, meant_source(second), "cards") == (
        "the data were charged to another scope, 'loans', or overlap with what was. "
        "Spend from that scope; or, if they are not about the same people, let the "
        "officer allow them for 'cards' with `dpratio ledger allow-source`."
    )
    charged(book, meant_source("other"), "cards")
    charged(book, meant_source(first))
    book.allow_source(second, scope="cards", by="officer")
    charged(book, meant_source(second), "cards")


def test_what_a_template_stands_for_is_bound_one_by_one(tmp_path: Path) -> None:
    """Weeks of other people have other scopes; no week has two."""
    book = book_of(tmp_path, approval=True)
    name = "d/{period}.csv"
    book.approve(PLAN, source=name, scope="loans", most=9)
    weeks = [meant_source(f"d/w{at}.csv", name) for at in range(4)]
    charged(book, weeks[0])
    charged(book, weeks[1], "cards")
    said = "were charged to another scope"
    assert said in refusal(book, weeks[0], "cards")
    assert said in refusal(book, weeks[1])
    charged(book, weeks[2])
    assert said in refusal(book, meant_source("d/*.csv"), "cards")
    assert said in refusal(book, meant_source("d/w2.csv"), "cards")
    moved = meant_source("e/d/w3.csv", name)
    charged(book, weeks[3], "cards")
    assert "lay elsewhere when they were first charged" in refusal(book, moved)
    voided = charged(book, meant_source("d/w4.csv", name))
    book.void(voided)
    charged(book, meant_source("d/w4.csv", name), "cards")


def test_a_source_is_allowed_once_and_on_the_record(tmp_path: Path) -> None:
    book = book_of(tmp_path)
    for _ in range(2):
        book.allow_source("d/a.csv", scope="cards", by="officer")
    (entry,) = book.account("cards").allowed.values()
    assert entry.said["by"] == "officer"
    assert book.account("cards").seq == 1
    assert book.account("loans").seq == 0


def test_a_charge_that_was_given_back_binds_nothing(tmp_path: Path) -> None:
    book = book_of(tmp_path)
    name = charged(book, meant_source("orders"))
    book.void(name)
    assert dict(book.account("loans").sources) == {}
    charged(book, meant_source("orders"), "cards")


def test_another_anchor_is_not_asked_for(tmp_path: Path) -> None:
    Ledger(tmp_path / "budget.db", anchor=tmp_path / "heads").open_scope(CARDS)
    book = Ledger(tmp_path / "budget.db")
    book.open_scope(SCOPE)
    book.charge(NAMES[0], PLAN, source=named_source("orders"), scope="loans")
    assert book.account("loans").seq == 1


# --- One declaration ------------------------------------------------------------------


@pytest.mark.parametrize(
    "other",
    [
        CsvFile("a.csv", columns=["customer", "id", "x"]),
        CsvFile("a.csv", columns=["id", "customer", "x"], delimiter=";"),
        CsvFile("a.csv", columns=["id", "customer", "x"], quote=""),
        CsvFile("a.csv"),
        CsvFile("*.csv"),
    ],
)
def test_data_that_are_declared_otherwise_are_refused(
    other: CsvFile, tmp_path: Path
) -> None:
    book = book_of(tmp_path)
    first = CsvFile("a.csv", columns=["id", "customer", "x"])
    charged(book, meant_source(first))
    assert refusal(book, meant_source(other)) == (
        "scope 'loans' was charged for these data with other names of columns, or "
        "another dialect: the ids may be others. Bring back what was declared, or let "
        "the officer allow it with `dpratio ledger allow-source`."
    )
    charged(book, meant_source(CsvFile("b.csv", columns=["x"])))
    book.allow_source(other, scope="loans")
    charged(book, meant_source(other))


# --- Approvals ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("other", "differs"),
    [
        (CsvFile("b.csv"), "path"),
        (CsvFile("a.csv", delimiter=";", quote=""), "delimiter, quote"),
        (CsvFile("a.csv", columns=["x"]), "columns"),
        ("orders", "name, path, delimiter, quote"),
    ],
)
def test_a_plan_runs_on_the_source_it_was_approved_with(
    other: object, differs: str, tmp_path: Path
) -> None:
    book = book_of(tmp_path, approval=True)
    book.approve(PLAN, source="a.csv", scope="loans")
    assert refusal(book, meant_source(other)) == (
        "scope 'loans' admits approved studies only; this plan, "
        f"{plan_hash(PLAN)[:12]}…, was approved for another source, which differs in: "
        f"{differs}. Bring back what was approved, or ask for a new approval with "
        "`dpratio ledger approve`."
    )
    charged(book, meant_source("a.csv"))
    book.approve(PLAN, source=other, scope="loans")
    if not differs.startswith(("path", "name")):
        assert "other names of columns" in refusal(book, meant_source(other))
        book.allow_source(other, scope="loans")
    charged(book, meant_source(other))


def test_a_source_runs_with_the_plan_it_was_approved_with(tmp_path: Path) -> None:
    book = book_of(tmp_path, approval=True)
    book.approve(PLAN, source="a.csv", scope="loans")
    said = refusal(book, meant_source("a.csv"), plan=plan_of("0.2"))
    assert said.endswith("…, is not. Ask for `dpratio ledger approve`.")


def test_what_was_approved_and_moved_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = book_of(tmp_path, approval=True)
    book.approve(PLAN, source="a.csv", scope="loans")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.csv").touch()
    charged(book, meant_source(tmp_path / "one" / "a.csv", "a.csv"))
    moved = meant_source(tmp_path / "two" / "a.csv", "a.csv")
    assert refusal(book, moved) == (
        "the data that were approved lay elsewhere when they were first charged to "
        "scope 'loans'. Bring them back, or let the officer allow the new place with "
        "`dpratio ledger allow-source`."
    )
    monkeypatch.chdir(tmp_path / "two")
    book.allow_source("a.csv", scope="loans")
    charged(book, moved)


def test_a_scope_without_approval_follows_its_data(tmp_path: Path) -> None:
    """A scope is a dataset, wherever its files lie: more of them spend more of it."""
    book = book_of(tmp_path)
    for path in ("one/a.csv", "two/a.csv", "two/a.parquet"):
        charged(book, meant_source(path))
    assert len(book.account("loans").sources) == 3


def test_a_table_without_a_name_is_not_approved(tmp_path: Path) -> None:
    book = book_of(tmp_path, approval=True)
    book.approve(PLAN, source="loans", scope="loans")
    with pytest.raises(LedgerRefused, match="Name the table: release_sums"):
        book.charge(NAMES[0], PLAN, scope="loans")
