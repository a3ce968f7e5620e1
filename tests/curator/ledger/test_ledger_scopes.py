"""Where a ledger lies, and the scopes that are opened in it once."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from curator.ledger.loans import CARDS, ID, PLAN, SCOPE, bring
from dpratio.curator.ledger.admission.anchor import Anchor, Head
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store.address import Address
from dpratio.curator.ledger.store.postgres import PostgresStore
from dpratio.curator.ledger.store.sqlite import SqliteStore
from dpratio.errors import InvalidInput, LedgerFailed, LedgerRefused
from dpratio.terms.budget import Budget

# --- Places ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address", ["postgresql://host/budget", "postgresql://user:word@host:1/budget"]
)
def test_an_address_means_a_server(address: str) -> None:
    assert Ledger(address).watch.store == PostgresStore(Address(address))


@pytest.mark.parametrize("path", ["budget.db", "postgres.db", Path("a") / "b"])
def test_everything_else_means_a_file(path: str | Path) -> None:
    watch = Ledger(path, anchor="heads").watch
    assert watch.store == SqliteStore(Path(path))
    assert watch.anchor == Anchor(Path("heads"))


@pytest.mark.parametrize("place", [None, "", 7, b"budget.db", ["budget.db"]])
def test_what_is_no_place_is_refused(place: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="a ledger lies in a file or on a server"):
        Ledger(place)


@pytest.mark.parametrize("anchor", [7, b"heads", ["heads"]])
def test_an_anchor_is_a_file(anchor: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="an anchor is a file"):
        Ledger("budget.db", anchor=anchor)


def test_a_ledger_is_made_by_its_first_scope_alone(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "budget.db")
    for verb in (ledger.scopes, ledger.account, lambda: ledger.charge(ID, PLAN)):
        with pytest.raises(LedgerFailed, match="it cannot be opened"):
            verb()
    assert not list(tmp_path.iterdir())


# --- Scopes ---------------------------------------------------------------------------


def test_a_scope_is_opened_once(ledger: Ledger) -> None:
    assert ledger.open_scope(SCOPE).scope == SCOPE
    assert ledger.scopes() == ["loans"]
    ledger.open_scope(CARDS)
    assert ledger.scopes() == ["cards", "loans"]
    assert ledger.account("cards").left.loss == 1


@pytest.mark.parametrize(
    "change",
    [
        {"budget": Budget(2, "1e-6")},
        {"budget": Budget("0.5", "1e-6")},
        {"unit": "customer"},
        {"accounting": "zcdp"},
        {"dataset": "loans, again"},
        {"needs_approval": True},
    ],
)
def test_the_terms_of_a_scope_do_not_change(
    change: dict[str, Any], file_ledger: Ledger
) -> None:
    with pytest.raises(LedgerRefused) as refused:
        file_ledger.open_scope(replace(SCOPE, **change))
    assert str(refused.value).startswith(
        "scope 'loans' is open already, with other terms: Scope('loans', epsilon 1, "
        "delta 0.000001, basic, rows). A cap that could be raised would be none; "
    )
    assert file_ledger.account().scope == SCOPE


def test_the_same_terms_again_keep_what_was_spent(file_ledger: Ledger) -> None:
    bring(file_ledger, "opened")
    assert file_ledger.open_scope(SCOPE).spent.loss == Fraction(1, 10)


@pytest.mark.parametrize("scope", ["loans", None, Budget(1)])
def test_only_a_scope_is_opened(scope: Any, file_ledger: Ledger) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="scope must be a Scope"):
        file_ledger.open_scope(scope)


def test_an_anchor_makes_an_anchored_scope(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "budget.db", anchor=tmp_path / "heads")
    scope = ledger.open_scope(SCOPE).scope
    assert scope == replace(SCOPE, is_anchored=True)
    ledger.open_scope(SCOPE)
    assert ledger.watch.anchor is not None
    assert ledger.watch.anchor.heads() == [Head("loans", 0, scope.hash)]


def test_an_anchored_scope_is_not_opened_again_without_its_anchor(
    tmp_path: Path,
) -> None:
    Ledger(tmp_path / "budget.db", anchor=tmp_path / "heads").open_scope(SCOPE)
    with pytest.raises(LedgerRefused, match="is open already, with other terms"):
        Ledger(tmp_path / "budget.db").open_scope(SCOPE)


def test_where_there_are_several_a_scope_is_named(file_ledger: Ledger) -> None:
    file_ledger.open_scope(CARDS)
    for verb in (
        file_ledger.account,
        lambda: file_ledger.charge(ID, PLAN),
        lambda: file_ledger.approve(PLAN, source="mine"),
        lambda: file_ledger.sealed(ID, PLAN),
    ):
        with pytest.raises(LedgerRefused, match="name the scope of the data"):
            verb()
    file_ledger.charge(ID, PLAN, scope="cards")
    assert file_ledger.account("cards").seq == 1
    assert file_ledger.account("loans").seq == 0


def test_a_ledger_names_its_place_and_no_password(tmp_path: Path) -> None:
    assert repr(Ledger(tmp_path / "a.db")) == f"Ledger('{tmp_path / 'a.db'}')"
    secret = Ledger("postgresql://curator:SECRET@host/budget")
    assert repr(secret) == "Ledger('a PostgreSQL server')"


def test_a_scope_that_an_old_copy_lacks_is_not_opened_afresh(tmp_path: Path) -> None:
    path, anchor = tmp_path / "budget.db", tmp_path / "heads"
    ledger = Ledger(path, anchor=anchor)
    ledger.open_scope(SCOPE)
    old = path.read_bytes()
    ledger.open_scope(CARDS)
    ledger.charge(ID, PLAN, scope=CARDS.name)
    path.write_bytes(old)
    with pytest.raises(LedgerFailed, match="'cards' was open before and is gone"):
        ledger.open_scope(CARDS)
    assert ledger.scopes() == [SCOPE.name]
