"""An account in words: what a curator reads, to the letter."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dpratio.curator.ledger.account.accounting import charge_of
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.account.source import salted_hash
from dpratio.curator.ledger.account.source_description import description_from_text
from dpratio.curator.ledger.history import History, describe, describe_plan
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store import clock as room
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.release.files import plan_hash
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio

MILLIONTH = Fraction(1, 10**6)


def plan_of(epsilon: str = "0.1", delta: str = "0") -> Plan:
    return make_plan(
        Ratio("s", per="y"),
        bounds={"s": Bounds(0, 1), "y": Bounds.binary()},
        budget=Budget(epsilon, delta),
        strategy="even",
        mechanism="laplace" if delta == "0" else "analytic_gaussian",
        clipping="unmeasured",
    )


PLAN = plan_of()


@pytest.fixture
def noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "time_now", lambda: "2026-01-01T12:00:00Z")


def ledger_of(folder: Path, **terms: Any) -> Ledger:  # noqa: ANN401
    """A ledger whose scope has spent a tenth; the file is made anew."""
    made = Ledger(folder / "budget.db")
    given: dict[str, Any] = {"name": "loans", "budget": Budget(1)}
    made.open_scope(Scope(**(given | terms)))
    made.charge("0" * 32, PLAN, by="Ada")
    return made


# --- In sentences ---------------------------------------------------------------------


def test_basic_accounting_is_described_in_epsilon_and_delta(tmp_path: Path) -> None:
    terms = {"budget": Budget(3, "1e-5"), "dataset": "All loans"}
    account = ledger_of(tmp_path, **terms).account()
    assert describe(account) == [
        "Scope 'loans' (All loans): single rows, add-or-remove-one.",
        "Caps: epsilon 3, delta 0.00001; epsilon and delta add up.",
        "Spent: epsilon 0.1, delta 0.",
        "Left: epsilon 2.9, delta 0.00001.",
        "The next release: up to epsilon 2.9 and delta 0.00001.",
    ]


def test_zcdp_is_described_in_rho_and_what_it_amounts_to(tmp_path: Path) -> None:
    """Epsilon 0.1 over five Laplace sums takes 5 · 0.02² / 2 = 0.001."""
    terms = {"budget": Budget(1, "2e-6"), "accounting": "zcdp"}
    account = ledger_of(tmp_path, **terms).account()
    lines = describe(account)
    assert lines[0] == "Scope 'loans': single rows, add-or-remove-one."
    assert lines[1] == (
        "Caps: epsilon 1, delta 0.000002; rho adds up to 0.024356, with delta 0.000001 "
        "set aside for the conversion."
    )
    spent, _, together = lines[2].partition("; together epsilon ")
    assert spent == "Spent: rho 0.001, delta 0"
    epsilon, _, delta = together.partition(" at delta ")
    # Bun & Steinke (2016): below ρ + 2√(ρ ln 1/δ) = 0.236.
    assert 0.15 < float(epsilon) < 0.236
    assert delta == "0.000001."
    assert lines[3] == "Left: rho 0.023356, delta 0.000001."
    words, _, laplace = lines[4].partition(" at delta 0.000001, or ")
    assert words.startswith("The next release: Gaussian noise up to about epsilon 0.")
    # √(2 · 0.023356) = 0.2161.
    assert laplace == "Laplace noise up to epsilon 0.2161 and more, sum by sum."
    assert len(lines) == 5


def test_a_gaussian_release_as_large_as_described_is_admitted(tmp_path: Path) -> None:
    terms = {"budget": Budget(1, "2e-6"), "accounting": "zcdp"}
    account = ledger_of(tmp_path, **terms).account()
    words = describe(account)[4].partition("about epsilon ")[2].partition(" at ")[0]
    for factor, fits in (("0.99", True), ("1.01", False)):
        epsilon = Fraction(words) * Fraction(factor)
        plan = make_plan(
            Ratio("s", per="y"),
            bounds={"s": Bounds(0, 1), "y": Bounds.binary()},
            budget=Budget(epsilon, MILLIONTH),
            strategy="joint",
            mechanism="analytic_gaussian",
        )
        assert charge_of(price(plan), "zcdp").fits(account.left) is fits


def test_a_spent_scope_allows_nothing_more(tmp_path: Path) -> None:
    lines = describe(ledger_of(tmp_path, budget=Budget("0.1")).account())
    assert lines[3:] == [
        "Left: epsilon 0, delta 0.",
        "The next release: up to epsilon 0 and delta 0.",
    ]


def test_a_new_zcdp_scope_has_spent_no_epsilon(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "budget.db")
    scope = Scope("loans", Budget(1, "2e-6"), accounting="zcdp")
    lines = describe(ledger.open_scope(scope))
    assert lines[2] == ("Spent: rho 0, delta 0; together epsilon 0 at delta 0.000001.")


def test_people_are_named_by_their_column(tmp_path: Path) -> None:
    scope = Scope("loans", Budget(1), unit="customer", neighbours="change-one")
    lines = describe(Ledger(tmp_path / "budget.db").open_scope(scope))
    assert lines[0] == "Scope 'loans': all rows of one 'customer', change-one."


def test_further_rules_are_said_where_they_hold(tmp_path: Path) -> None:
    scope = Scope(
        "loans",
        Budget(1, "1e-5"),
        largest_delta=MILLIONTH,
        needs_approval=True,
    )
    ledger = Ledger(tmp_path / "budget.db", anchor=tmp_path / "heads")
    ledger.open_scope(scope)
    ledger.approve(PLAN, source="loans.csv")
    ledger.allow_source("loans 2026")
    assert describe(ledger.account())[5:] == [
        "No release may have a delta above 0.000001.",
        "Only approved studies run: 1 so far.",
        (
            f"Approval on line 1: plan {plan_hash(PLAN)[:12]} with files 'loans.csv', "
            "delimiter ',', quote '\"', by somebody without a name; open."
        ),
        "Allowed besides: table in memory 'loans 2026'.",
        "Its heads are anchored outside.",
    ]


def test_a_clock_that_went_back_is_said(tmp_path: Path) -> None:
    account = ledger_of(tmp_path).account()
    back = replace(account, steps_back=(2, 5))
    assert describe(back)[-1] == (
        "The clock went back before entry 2, 5; the order is that of numbers."
    )


# --- A plan ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (PLAN, "costs epsilon 0.1, delta 0: it fits 9 times."),
        (plan_of("0.45"), "costs epsilon 0.45, delta 0: it fits 2 times."),
        (
            plan_of("0.91"),
            "costs epsilon 0.91, delta 0, and would be refused: scope 'loans' has ",
        ),
        (
            plan_of("0.1", "4e-7"),
            "costs epsilon 0.1, delta 0.0000004: it fits 2 times.",
        ),
        (
            plan_of("0.1", "2e-6"),
            "costs epsilon 0.1, delta 0.000002, and would be refused: scope 'loans' ",
        ),
    ],
)
def test_a_plan_fits_as_often_as_both_caps_allow(
    plan: Plan, said: str, tmp_path: Path
) -> None:
    account = ledger_of(tmp_path, budget=Budget(1, "1e-6")).account()
    assert describe_plan(account, plan).startswith(f"This plan {said}")


def test_a_plan_costs_rho_where_rho_adds_up(tmp_path: Path) -> None:
    terms = {"budget": Budget(1, "2e-6"), "accounting": "zcdp"}
    said = describe_plan(ledger_of(tmp_path, **terms).account(), PLAN)
    assert said == "This plan costs rho 0.001, delta 0: it fits 23 times."


# --- As a table -----------------------------------------------------------------------


@pytest.mark.usefixtures("noon")
def test_the_history_has_a_row_for_each_release_and_its_state(tmp_path: Path) -> None:
    ledger = ledger_of(tmp_path, budget=Budget(3, "1e-5"))
    ids = {
        state: f"{at:032x}"
        for at, state in enumerate(["void", "opened", "sealed", "published"], start=1)
    }
    for state, release_id in ids.items():
        ledger.charge(release_id, plan_of("0.25"))
        if state == "void":
            ledger.void(release_id)
            continue
        ledger.open(release_id)
        if state != "opened":
            ledger.seal(release_id, b"")
        if state == "published":
            ledger.publish(release_id)
    rows = History(ledger.account()).to_dicts()
    assert [row["release"] for row in rows] == ["0" * 32, *ids.values()]
    assert [row["state"] for row in rows] == [
        "charged, not begun",
        "voided",
        "spent, not sealed",
        "sealed, not published",
        "published",
    ]
    said = ledger.account().releases["0" * 32].said("charge")
    hashed = salted_hash(description_from_text(said["source"]), said["salt"])
    assert rows[0] == {
        "charged": "2026-01-01T12:00:00Z",
        "release": "0" * 32,
        "state": "charged, not begun",
        "epsilon": "0.1",
        "delta": "0",
        "plan": plan_hash(PLAN)[:12],
        "by": "Ada",
        "source": "table in memory 'loans'",
        "source_hash": hashed[:12],
    }
    assert (rows[4]["epsilon"], rows[4]["by"]) == ("0.25", "")


def test_the_history_of_a_zcdp_scope_is_in_rho(tmp_path: Path) -> None:
    terms = {"budget": Budget(1, "2e-6"), "accounting": "zcdp"}
    table = History(ledger_of(tmp_path, **terms).account())
    assert list(table.columns()) == [
        "charged",
        "release",
        "state",
        "rho",
        "delta",
        "plan",
        "by",
        "source",
        "source_hash",
    ]


def test_without_releases_the_history_has_names_alone(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "budget.db")
    table = History(ledger.open_scope(Scope("loans", Budget(1))))
    assert table.to_dicts() == []
    assert list(table.columns())[:3] == ["charged", "release", "state"]


def test_a_history_shows_itself_as_text_and_in_notebooks(tmp_path: Path) -> None:
    shown = ledger_of(tmp_path).history()
    assert str(shown).startswith("Scope 'loans'")
    assert "<p>Scope &#x27;loans&#x27;" in shown._repr_html_()
    assert "<table>" in shown._repr_html_()
