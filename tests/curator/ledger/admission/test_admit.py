"""Who is let in: every rule of admission, with its words."""

from fractions import Fraction
from typing import Any

import pytest

from dpratio.curator.ledger.account.account import Account, follow, new_account
from dpratio.curator.ledger.account.accounting import Charge, charge_of
from dpratio.curator.ledger.account.entry import link
from dpratio.curator.ledger.account.following import subject_of
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.account.source_description import SourceDescription
from dpratio.curator.ledger.admission.admit import admit, choose_scope, show_exact
from dpratio.errors import LedgerRefused
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.release.files import plan_hash
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

ID, OTHER = "0" * 32, "1" * 32
NOON = "2026-11-16T12:00:00Z"
BOUNDS = {"s": Bounds(0, 1), "y": Bounds.binary()}


def plan_of(epsilon: str = "0.1", delta: str = "0", **terms: Any) -> Plan:  # noqa: ANN401
    given: dict[str, Any] = {"bounds": BOUNDS, "budget": Budget(epsilon, delta)}
    given |= {"mechanism": "laplace" if delta == "0" else "analytic_gaussian"}
    return make_plan(Ratio("s", per="y"), **(given | terms))


PLAN = plan_of()
MINE = SourceDescription(name="mine")
GAUSSIAN = plan_of("0.5", "1e-6")


def account_of(**terms: Any) -> Account:  # noqa: ANN401
    given: dict[str, Any] = {"name": "loans", "budget": Budget(1)}
    return new_account(Scope(**(given | terms)))


def asked(account: Account, plan: Plan = PLAN, release_id: str = ID) -> Charge:
    cost, hashed = price(plan), plan_hash(plan)
    given = admit(account, release_id, plan, cost, hashed, time=NOON, written=MINE)
    return given[0]


def refusal(account: Account, plan: Plan = PLAN, release_id: str = ID) -> str:
    with pytest.raises(LedgerRefused) as refused:
        asked(account, plan, release_id)
    return str(refused.value)


def event_of(kind: str, plan: Plan) -> dict[str, str]:
    """What an entry of a kind says."""
    events = {
        "charge": {"plan": plan_hash(plan), "by": ""},
        "sealed": {"sha256": "0" * 64, "format": "json"},
        "void": {"by": ""},
        "approved": {"by": "", "plan": plan_hash(plan), "source": MINE.text},
    }
    return events.get(kind, {})


def after(account: Account, *kinds: str, plan: Plan = PLAN) -> Account:
    """The account after these steps of the release ID."""
    for kind in kinds:
        event = event_of(kind, plan)
        approved = kind == "approved"
        entry = link(
            account.last,
            time="",
            subject=subject_of(event, account.seq + 1) if approved else ID,
            kind=kind,
            charge=charge_of(price(plan), account.scope.accounting),
            event=event,
        )
        account = follow(account, [entry])
    return account


def test_what_fits_is_charged_as_the_scope_adds_up() -> None:
    assert asked(account_of()) == Charge(Fraction(1, 10), Fraction(0))
    account = account_of(budget=Budget(1, "1e-6"), accounting="zcdp")
    charge = asked(account)
    assert charge == charge_of(price(PLAN), "zcdp")
    assert charge.loss <= Fraction(1, 200)


# --- Whom it protects -----------------------------------------------------------------


def test_a_plan_of_rows_is_refused_where_people_are_protected() -> None:
    assert refusal(account_of(unit="customer")) == (
        "scope 'loans' protects ids of 'customer', add-or-remove-one; the plan "
        "protects one row, add-or-remove-one. Change the plan's unit, or name a scope "
        "that was opened for it: `dpratio ledger init` protects rows, and ids with "
        "--unit."
    )


def test_a_plan_of_people_is_refused_where_rows_are_protected() -> None:
    plan = plan_of(unit=PrivacyUnit("customer", totals=BOUNDS))
    assert refusal(account_of(), plan) == (
        "scope 'loans' protects single rows, add-or-remove-one; the plan protects all "
        "rows of one customer, counted in at most 1 group, add-or-remove-one. Change "
        "the plan's unit, or name a scope that was opened for it: `dpratio ledger "
        "init` protects rows, and ids with --unit."
    )
    assert asked(account_of(unit="customer"), plan)


def test_a_plan_of_another_column_is_refused() -> None:
    plan = plan_of(unit=PrivacyUnit("branch", totals=BOUNDS))
    assert "ids of 'customer'" in refusal(account_of(unit="customer"), plan)


def test_a_plan_of_another_neighbour_relation_is_refused() -> None:
    plan = plan_of(unit=PrivacyUnit(neighbours="change-one"))
    said = refusal(account_of(), plan)
    assert "single rows, add-or-remove-one; the plan protects one row, change" in said
    assert asked(account_of(neighbours="change-one"), plan)


# --- Delta and approval ---------------------------------------------------------------


def test_a_delta_above_the_largest_is_refused() -> None:
    account = account_of(budget=Budget(1, "1e-5"), largest_delta=Fraction(1, 2 * 10**6))
    assert refusal(account, GAUSSIAN) == (
        "the plan's delta is 0.000001; scope 'loans' allows 0.0000005 in one release. "
        "Lower the plan's delta."
    )
    assert asked(account, plan_of("0.5", "5e-7")).delta == Fraction(5, 10**7)


def test_the_largest_delta_holds_where_rho_adds_up() -> None:
    """Gaussian noise takes no delta from the cap; its release still has one."""
    terms: dict[str, Any] = {"budget": Budget(9, "1e-5"), "accounting": "zcdp"}
    assert asked(account_of(**terms), GAUSSIAN).delta == 0
    said = refusal(account_of(**terms, largest_delta=Fraction(1, 10**7)), GAUSSIAN)
    assert said.startswith("the plan's delta is 0.000001")


def test_a_plan_that_is_not_approved_is_refused() -> None:
    account = account_of(needs_approval=True)
    assert refusal(account) == (
        f"scope 'loans' admits approved studies only; this plan, "
        f"{plan_hash(PLAN)[:12]}…, is not. Ask for `dpratio ledger approve`."
    )
    approved = after(account, "approved")
    assert asked(approved)
    assert "approved studies only" in refusal(approved, GAUSSIAN)


# --- Caps -----------------------------------------------------------------------------


def test_the_last_of_the_cap_may_be_spent_and_no_more() -> None:
    assert asked(account_of(), plan_of("1")).loss == 1
    account = after(account_of(), "charge", "opened")
    assert asked(account, plan_of("0.9"), OTHER).loss == Fraction(9, 10)
    assert refusal(account, plan_of("0.9001"), OTHER) == (
        "scope 'loans' has epsilon 0.9 and delta 0 left; the release costs epsilon "
        "0.9001 and delta 0. Ask for less; what is spent on a dataset does not come "
        "back."
    )
    assert "Ask for less" in refusal(account, plan_of("0.900000000001"), OTHER)


def test_where_nothing_is_left_less_is_not_advised() -> None:
    account = after(account_of(budget=Budget("0.1")), "charge", "opened")
    assert refusal(account, plan_of("0.001"), OTHER) == (
        "scope 'loans' has epsilon 0 and delta 0 left; the release costs epsilon 0.001 "
        "and delta 0. Nothing is left to ask for; what is spent on a dataset does not "
        "come back."
    )


def test_a_delta_above_what_is_left_is_refused() -> None:
    assert refusal(account_of(budget=Budget(1, "5e-7")), GAUSSIAN) == (
        "scope 'loans' has epsilon 1 and delta 0.0000005 left; the release costs "
        "epsilon 0.5 and delta 0.000001. Ask for less; what is spent on a dataset does "
        "not come back."
    )


def test_rho_above_what_is_left_is_refused_in_rho() -> None:
    account = account_of(budget=Budget("0.1", "1e-6"), accounting="zcdp")
    said = refusal(account, plan_of("5"))
    assert said.startswith("scope 'loans' has rho 0.000")
    assert "the release costs rho " in said


# --- Ids ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        (["charge"], "went on meanwhile. Ask for it again."),
        (
            ["charge", "opened"],
            (
                "is running, or stopped after data were opened. If it runs, wait and "
                "ask again. If it stopped, its charge is gone, for noise is drawn once "
                "for a charge: say new_draw=True, or give a new id. A new draw costs "
                "epsilon 0.1 and delta 0 and leaves epsilon 0.8 and delta 0 in scope "
                "'loans'."
            ),
        ),
        (
            ["charge", "void"],
            (
                "was voided. Release under a new id. A new draw costs epsilon 0.1 and "
                "delta 0 and leaves epsilon 0.9 and delta 0 in scope 'loans'."
            ),
        ),
        (["charge", "opened", "sealed"], "went on meanwhile. Ask for it again."),
    ],
)
def test_an_id_is_charged_once(kinds: list[str], said: str) -> None:
    assert refusal(after(account_of(), *kinds)) == f"release {ID} {said}"


@pytest.mark.parametrize("kinds", [["charge"], ["charge", "opened", "sealed"]])
def test_an_id_belongs_to_its_plan(kinds: list[str]) -> None:
    assert refusal(after(account_of(), *kinds), plan_of("0.2")) == (
        f"release {ID} belongs to another plan. Leave the id out for a new release, or "
        "bring back the plan it was charged for."
    )


# --- Scopes and numbers ---------------------------------------------------------------


def test_the_only_scope_need_not_be_named() -> None:
    assert choose_scope(None, ["loans"]) == "loans"
    assert choose_scope("cards", ["cards", "loans"]) == "cards"


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        (
            None,
            ["cards", "loans"],
            "name the scope of the data. Registered scopes: 'cards', 'loans'.",
        ),
        (None, [], "name the scope of the data. Registered scopes: none."),
        (
            "loan",
            ["loans"],
            (
                "there is no scope 'loan' in this ledger. Registered scopes: 'loans'. "
                "The curator opens one per dataset with `dpratio ledger init`."
            ),
        ),
        ("", ["loans"], "there is no scope '' in this ledger."),
    ],
)
def test_a_scope_that_is_not_there_is_refused(
    name: str | None, known: list[str], said: str
) -> None:
    with pytest.raises(LedgerRefused) as refused:
        choose_scope(name, known)
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize(
    ("exact", "shown"),
    [
        (Fraction(0), "0"),
        (Fraction(3), "3"),
        (Fraction(1, 10), "0.1"),
        (Fraction(1, 10**6), "0.000001"),
        (Fraction(1, 3), "1/3"),
        (Fraction(1, 10**12), "1e-12"),
        (Fraction(123_456_789, 10**15), "1.23457e-07"),
        (Fraction(10**20, 3 * 10**20 + 1), "0.333333"),
    ],
)
def test_exact_numbers_are_shown_short(exact: Fraction, shown: str) -> None:
    assert show_exact(exact) == shown


def test_numbers_of_thousands_of_digits_are_shown_in_six() -> None:
    long = Fraction(10**5000 + 1, 3 * 10**5000 + 1)
    assert show_exact(long) == "0.333333"
    assert show_exact(Fraction(1, 7**5000)) == "0"
