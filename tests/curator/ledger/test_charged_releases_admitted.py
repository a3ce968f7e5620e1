"""What a scope admits is charged as it adds up; the rest reads no row."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from curator.ledger.loans import BOUNDS, PLAN, TABLE, plan_of
from dpratio.curator import release_sums as room
from dpratio.curator.ledger.account.accounting import charge_of
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerRefused
from dpratio.plan.price import price
from dpratio.terms.budget import Budget
from dpratio.terms.unit import PrivacyUnit


def test_several_analysts_share_one_cap(file_ledger: Ledger) -> None:
    names = ["Ada", "Blaise", "Carl"]
    for at in range(10):
        by = names[at % 3]
        release_sums(TABLE, PLAN, ledger=file_ledger, by=by, new_draw=True)
    account = file_ledger.account()
    assert account.left.loss == 0
    asked = [held.said("charge")["by"] for held in account.releases.values()]
    assert asked == [names[at % 3] for at in range(10)]
    for name in names:
        with pytest.raises(LedgerRefused, match="has epsilon 0 and delta"):
            release_sums(TABLE, PLAN, ledger=file_ledger, by=name, new_draw=True)
    assert file_ledger.account() == account


def test_rho_is_charged_where_rho_adds_up(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "budget.db")
    ledger.open_scope(Scope("loans", Budget(1, "1e-6"), accounting="zcdp"))
    gaussian = plan_of("0.5", "1e-7", mechanism="analytic_gaussian")
    for plan in (PLAN, gaussian):
        before = ledger.account().spent
        release_sums(TABLE, plan, ledger=ledger)
        spent = ledger.account().spent - before
        assert spent == charge_of(price(plan), "zcdp")
        assert 0 < spent.loss < Fraction(1, 50)
        assert spent.delta == 0


def test_many_small_releases_fit_where_rho_adds_up(tmp_path: Path) -> None:
    """Twenty times epsilon 0.1 is 2 by addition; as rho it stays below 1."""
    ledger = Ledger(tmp_path / "budget.db")
    ledger.open_scope(Scope("loans", Budget(1, "1e-6"), accounting="zcdp"))
    plan = plan_of("0.1", "1e-7", mechanism="analytic_gaussian")
    for _ in range(20):
        release_sums(TABLE, plan, ledger=ledger, new_draw=True)
    assert ledger.account().left.loss > 0


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"unit": "customer"}, "protects ids of 'customer'"),
        ({"neighbours": "change-one"}, "protects single rows, change-one"),
        ({"needs_approval": True}, "admits approved studies only"),
        ({"budget": Budget("0.09")}, "has epsilon 0.09 and delta 0 left"),
    ],
)
def test_what_is_not_admitted_charges_nothing_and_reads_no_row(
    terms: dict[str, Any],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse() -> None:
        message = "rows were read"
        raise AssertionError(message)

    monkeypatch.setattr(room, "open_for", lambda *_given: refuse)
    ledger = Ledger(tmp_path / "budget.db")
    given: dict[str, Any] = {"name": "loans", "budget": Budget(1)} | terms
    ledger.open_scope(Scope(**given))
    with pytest.raises(LedgerRefused, match=said):
        release_sums(TABLE, PLAN, ledger=ledger, out=tmp_path / "r.json")
    assert ledger.account().seq == 0
    assert not (tmp_path / "r.json").exists()


def test_people_are_protected_where_the_scope_is_about_them(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "budget.db")
    ledger.open_scope(Scope("loans", Budget(1), unit="u"))
    plan = plan_of(unit=PrivacyUnit("u", totals=BOUNDS))
    release_sums({**TABLE, "u": ["a", "a"]}, plan, ledger=ledger)
    assert ledger.account().spent.loss == Fraction(1, 10)


def test_an_approved_plan_runs(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "budget.db")
    ledger.open_scope(Scope("loans", Budget(1), needs_approval=True))
    with pytest.raises(LedgerRefused, match="admits approved studies only"):
        release_sums(TABLE, PLAN, ledger=ledger, source="mine")
    ledger.approve(PLAN, source="mine", by="officer")
    release_sums(TABLE, PLAN, ledger=ledger, source="mine")
    with pytest.raises(LedgerRefused, match="admits approved studies only"):
        release_sums(TABLE, plan_of("0.2"), ledger=ledger, source="mine")
    assert len(ledger.account().releases) == 1
