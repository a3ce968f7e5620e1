"""What a ledger says of one release: who, when, at what price, and what was left."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.record import budget_facts, record_of
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerRefused
from dpratio.plan.make_plan import make_plan
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio

PLAN = make_plan(
    Ratio("s", per="y"),
    bounds={"s": Bounds(0, 1), "y": Bounds.binary()},
    budget=Budget("0.1"),
)
TABLE: dict[str, list[object]] = {"s": [0.5], "y": [1]}


def released(ledger: Ledger, by: str) -> Release:
    return release_sums(
        TABLE,
        PLAN,
        ledger=ledger,
        source="people",
        by=by,
        new_draw=True,
    )


def test_a_release_is_recorded_as_things_stood_when_it_was_charged(
    tmp_path: Path,
) -> None:
    ledger = Ledger(tmp_path / "budget.db")
    ledger.open_scope(Scope("loans", Budget(1, "1e-6"), dataset="loans of 2025"))
    first, second = (released(ledger, by) for by in ("Ann", "Ben"))
    found = record_of(ledger, first)
    assert (found.scope, found.dataset) == ("loans", "loans of 2025")
    assert found.asked[0] == "Ann"
    assert found.approved is None
    for time in (found.asked[1], found.sealed):
        assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", time)
    assert found.cap == "epsilon 1, delta 0.000001"
    assert found.charged == found.spent == "epsilon 0.1, delta 0"
    assert found.left == "epsilon 0.9, delta 0.000001"
    assert dict(found.facts())["Data"] == dict(found.header())["Data"]
    later = record_of(ledger, second)
    assert (later.asked[0], later.spent, later.left) == (
        "Ben",
        "epsilon 0.2, delta 0",
        "epsilon 0.8, delta 0.000001",
    )
    assert str(tmp_path) not in repr(later)


def test_an_approval_is_named(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "budget.db")
    ledger.open_scope(Scope("loans", Budget(1), needs_approval=True))
    ledger.approve(PLAN, source="people", by="Olga")
    found = record_of(ledger, released(ledger, "Ann"))
    assert found.approved is not None
    assert found.approved[0] == "Olga"
    assert dict(found.facts())["Approved"].endswith(" UTC, by Olga")
    assert "Data" not in dict(found.facts())
    assert dict(found.header())["Data"] == "loans"


def test_what_the_ledger_does_not_hold_is_refused(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "budget.db")
    ledger.open_scope(Scope("loans", Budget(1)))
    release = released(ledger, "Ann")
    with pytest.raises(LedgerRefused, match="is not in this ledger"):
        record_of(ledger, replace(release, id="0" * 32))
    with pytest.raises(LedgerRefused, match="is not what was sealed under its id"):
        record_of(ledger, replace(release, made_by="somebody else"))
    with pytest.raises(LedgerRefused, match="carries a head that is not in this"):
        record_of(ledger, replace(release, ledger_head="0" * 64))


def test_the_budget_is_told_before_and_after(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "budget.db")
    ledger.open_scope(Scope("loans", Budget("0.25"), dataset="loans of 2025"))
    released(ledger, "Ann")
    assert budget_facts(ledger.account(), PLAN) == [
        ("Scope", "loans"),
        ("Data", "loans of 2025"),
        ("Cap of the scope", "epsilon 0.25, delta 0"),
        ("Spent", "epsilon 0.1, delta 0"),
        ("Left now", "epsilon 0.15, delta 0"),
        ("One release of this plan costs", "epsilon 0.1, delta 0"),
        ("Left after one", "epsilon 0.05, delta 0"),
    ]
    released(ledger, "Ben")
    after = dict(budget_facts(ledger.account(), PLAN))["Left after one"]
    assert after == "it would be refused: it costs more than is left"


def test_a_scope_without_a_word_about_its_data_has_no_line_for_it(
    tmp_path: Path,
) -> None:
    ledger = Ledger(tmp_path / "budget.db")
    ledger.open_scope(Scope("loans", Budget(1)))
    assert "Data" not in dict(budget_facts(ledger.account(), PLAN))
