"""What a curator sees of a ledger at the end of a notebook's cell."""

from pathlib import Path

import pytest

import dpratio as dpr
from planned import plan_scores

PLAN = plan_scores(dpr.Budget(0.5))
PEOPLE = {"score": [0.2, 0.4], "label": [0, 1]}


@pytest.fixture
def ledger(tmp_path: Path) -> dpr.Ledger:
    kept = dpr.Ledger(tmp_path / "budget.db")
    kept.open_scope(dpr.Scope("people", dpr.Budget(2)))
    return kept


def test_an_account_shows_what_is_spent_and_not_its_entries(ledger: dpr.Ledger) -> None:
    dpr.release_sums(PEOPLE, PLAN, ledger=ledger)
    shown = "Account('people', epsilon 0.5 of 2 spent, releases: 1)"
    assert repr(ledger.account()) == shown


def test_an_account_of_rho_says_so(tmp_path: Path) -> None:
    caps = dpr.Budget(2, 1e-6)
    ledger = dpr.Ledger(tmp_path / "rho.db")
    account = ledger.open_scope(dpr.Scope("many", caps, accounting="zcdp"))
    assert repr(account).startswith("Account('many', rho 0 of 0.0")


def test_findings_are_sentences(ledger: dpr.Ledger) -> None:
    release = dpr.release_sums(PEOPLE, PLAN, ledger=ledger)
    found = dpr.ledgers.verify_ledger(ledger, [release])
    assert str(found).endswith(f"Checked: release {release.id}.\nThe ledger is sound.")
    shown = found._repr_html_()
    assert shown.startswith("<p>Checked: scope &#x27;people&#x27;")
    assert shown.endswith("<p>The ledger is sound.</p>")
