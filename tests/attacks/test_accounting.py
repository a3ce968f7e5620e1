"""What is charged is what is lost, as the number that was written."""

import math
import random
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from scipy.special import log_ndtr

from curator.ledger.attacks.books import DATA, name_of, open_book, plan_of
from curator.ledger.attacks.portfolios import (
    BOUNDS,
    PERSON,
    RATIO,
    Member,
    largest_rho,
    lost_together,
    member_of,
    random_plan,
)
from curator.ledger.attacks.tampering import forge, link_again
from dpratio.curator.ledger.account.accounting import Charge
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import DpratioError, InvalidInput, LedgerFailed, LedgerRefused
from dpratio.plan.laws import GAUSSIAN
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from tiers import quick_first

PORTFOLIOS = 300


@pytest.fixture(scope="module")
def members() -> list[Member]:
    """Plans of every strategy and mechanism, for rows and people, some finding keys."""
    chance = random.Random(230)  # noqa: S311 (not for secrets)
    plans = [random_plan(chance) for _ in range(30)]
    shops = Groups("shop", ("a", "b", "c"))
    keys = PrivateKeys("shop", Budget("0.4", "1e-6"))
    terms: list[dict[str, Any]] = [
        {"strategy": "even", "mechanism": "classical_gaussian"},
        {"strategy": "joint", "mechanism": "laplace", "groups": keys},
        *(
            {"strategy": strategy, "mechanism": law, "groups": shops, "unit": PERSON}
            for strategy in ("even", "joint")
            for law in ("laplace", "analytic_gaussian")
        ),
    ]
    plans += [
        make_plan(RATIO, bounds=BOUNDS, budget=Budget(1, "1e-5"), **each)
        for each in terms
    ]
    return [member_of(plan) for plan in plans]


def test_23_portfolios_are_charged_no_less_than_they_lose(
    members: list[Member],
) -> None:
    """Composed, charges of all kinds cover the loss at the delta that they state.

    Source: PySyft, issue 6914; Chua et al. (2024), How Private are DP-SGD
    Implementations? (accounting of another mechanism than the one that runs).
    More: tests/curator/ledger/attacks/test_accounting.py, with 10,000 portfolios.
    """
    chance = random.Random(231)  # noqa: S311 (not for secrets)
    nothing = Charge(Fraction(0), Fraction(0))
    nearest = {"basic": 0.0, "zcdp": 0.0, "gdp": 0.0}
    for _ in range(PORTFOLIOS):
        # Alike members are where a price is tightest.
        kinds = chance.sample(members, chance.randint(1, 4))
        chosen = chance.choices(kinds, k=chance.randint(2, 8))
        conversion = 10 ** chance.uniform(-9, -5)
        basic = sum((each.basic for each in chosen), nothing)
        zcdp = sum((each.zcdp for each in chosen), nothing)
        plain, bent = lost_together(
            chosen, float(basic.delta), float(zcdp.delta) + conversion
        )
        allowed = largest_rho(bent, conversion) if bent > 0 else 0.0
        nearest["basic"] = max(nearest["basic"], plain / float(basic.loss))
        nearest["zcdp"] = max(nearest["zcdp"], allowed / float(zcdp.loss))
        gdp = sum((each.gdp for each in chosen), nothing)
        told = Fraction(max(bent, 1e-3)), Fraction(conversion)
        mu = GAUSSIAN.about_largest_ratio(*told) if bent > 0 else 0.0
        nearest["gdp"] = max(nearest["gdp"], mu**2 / float(gdp.loss))
    assert max(nearest.values()) <= 1 + 1e-9
    assert min(nearest.values()) > 0.7  # The oracle has power.


def charge_for_ever(ledger: Ledger, plan: Plan) -> None:
    for number in range(1000):
        ledger.charge(name_of(number), plan)


@pytest.mark.parametrize("accounting", quick_first(["zcdp", "gdp"]))
def test_23_a_scope_that_is_full_has_lost_no_more_than_its_caps(
    accounting: str, tmp_path: Path
) -> None:
    """Gaussian releases that were all admitted are together within the caps.

    Source: PySyft, issue 6914. The delta of Gaussian releases together is that of
    Balle & Wang (2018), theorem 8, for the root of the added squares.
    """
    scope = Scope("loans", Budget(3, "1e-5"), accounting=accounting)
    ledger = open_book(str(tmp_path / "budget.db"), scope)
    plan = plan_of("0.5", "1e-6")
    with pytest.raises(LedgerRefused):
        charge_for_ever(ledger, plan)
    releases = len(ledger.account().releases)
    one = sum(
        (each.sensitivity / each.scale) ** 2 for each in plan.measurements[0].sums
    )
    mu = math.sqrt(releases * one)
    near, far = mu / 2 - 3 / mu, -mu / 2 - 3 / mu
    lost = math.exp(log_ndtr(near)) - math.exp(3 + log_ndtr(far))
    assert releases > 3 / 0.5  # More than basic accounting would admit,
    assert 1e-6 < lost <= 1e-5  # and nearly as many as there may be.


SPENDS: list[Any] = [
    -1,
    -1e-9,
    "-0.5",
    Fraction(-1, 3),
    -math.inf,
    0,
    -0.0,
    math.nan,
    "nan",
    Decimal("sNaN"),
    math.inf,
    "Infinity",
    5e-324,
    2.2250738585072014e-308,
    "1e-400",
    1e-13,
    1e7,
    1e308,
    10**400,
    "1e99999999",
    1 + Fraction(1, 3**300),
    True,
    None,
    "1,5",
    [1],
    1j,
]


@pytest.mark.parametrize("epsilon", SPENDS)
def test_32_an_epsilon_that_is_no_spend_is_refused(epsilon: Any) -> None:  # noqa: ANN401
    """Negative, NaN, subnormal and huge spends never become a budget.

    Source: PySyft, pull request 7008 (norms of NaN gave negative spends); openmed,
    pull request 2457 (a subnormal spend passed an exhausted budget).
    """
    with pytest.raises(InvalidInput, match="epsilon"):
        Budget(epsilon)


FORGED: list[tuple[Any, Any]] = [
    (Fraction(-1), Fraction(0)),
    (Fraction(0), Fraction(0)),
    (math.nan, Fraction(0)),
    (Fraction(1, 2**1074), Fraction(0)),
    (Fraction(10**9), Fraction(0)),
    (Fraction(1), Fraction(-1, 2)),
    (Fraction(1), math.nan),
    (Fraction(1), Fraction(1, 2**1074)),
    (Fraction(1), Fraction(2)),
]


@pytest.mark.parametrize("spend", FORGED)
def test_32_a_budget_that_passed_its_own_checks_by_is_refused_at_the_door(
    spend: tuple[Any, Any], tmp_path: Path
) -> None:
    """A plan whose budget was forged in memory charges nothing and opens nothing.

    Source: PySyft, pull request 7008; openmed, pull request 2457.
    """
    ledger = open_book(str(tmp_path / "budget.db"))
    has_delta = spend[1] != 0
    plan = plan_of("1", "1e-6" if has_delta else "0")
    forged = make_plan(
        RATIO,
        bounds=BOUNDS,
        budget=Budget(1, "1e-6" if has_delta else 0),
        strategy="even",
        mechanism=plan.law.name,
    )
    object.__setattr__(forged.budget, "epsilon", spend[0])
    object.__setattr__(forged.budget, "delta", spend[1])
    with pytest.raises(DpratioError):
        release_sums(DATA, forged, ledger=ledger)
    with pytest.raises(DpratioError):
        ledger.charge(name_of(1), forged)
    assert ledger.account().seq == 0


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("loss", "-1/1"),
        ("delta", "-1/1000000"),
        ("loss", "nan"),
        ("loss", "1000001/1"),
        ("delta", "2/1"),
        ("loss", "5e-324"),
    ],
)
def test_32_a_line_of_the_ledger_with_such_a_spend_is_refused(
    column: str, text: str, tmp_path: Path
) -> None:
    """A charge that gives budget back, or exceeds the cap, is no charge: hashes or not.

    Source: PySyft, pull request 7008; openmed, pull request 2457.
    """
    path = tmp_path / "budget.db"
    ledger = open_book(str(path))
    for number in range(3):
        ledger.charge(name_of(number), plan_of("0.1"))
    edit = f"UPDATE entry SET {column} = ? WHERE seq = 2"  # noqa: S608 (fixed names)
    assert forge(path, (edit, (text,)))
    link_again(path, "loans")
    with pytest.raises(LedgerFailed):
        Ledger(path).charge(name_of(9), plan_of("0.1"))


def test_33_ten_charges_of_a_tenth_fill_one_exactly(tmp_path: Path) -> None:
    """Ten releases at 0.1 leave exactly nothing of 1.0, and the next is refused.

    Source: OpenDP, issue 2131 (0.1 + 0.9 exceeded 1.0); DP Creator, issue 547 (and
    then a tolerance was allowed).
    More: tests/curator/ledger/attacks/test_accounting.py.
    """
    path = tmp_path / "budget.db"
    ledger = open_book(str(path), Scope("loans", Budget(1.0)))
    plan = make_plan(
        RATIO, bounds=BOUNDS, budget=Budget(epsilon=0.1), mechanism="laplace"
    )
    for _ in range(10):
        release_sums(DATA, plan, ledger=ledger, new_draw=True)
    account = Ledger(path).account()
    assert account.spent == Charge(Fraction(1), Fraction(0))
    assert account.left == Charge(Fraction(0), Fraction(0))
    cheapest = plan_of("1e-7")
    with pytest.raises(LedgerRefused, match="epsilon 0 and delta 0 left"):
        release_sums(DATA, cheapest, ledger=ledger, new_draw=True)
    assert Ledger(path).account() == account


def test_33_thirds_and_sevenths_fill_a_cap_exactly(tmp_path: Path) -> None:
    """Fractions that no float or decimal holds add up without a rest, delta too.

    Source: OpenDP, issue 2131; DP Creator, issue 547.
    """
    path = tmp_path / "budget.db"
    caps = Budget(Fraction(10, 21), Fraction(1, 10**6))
    ledger = open_book(str(path), Scope("loans", caps))
    for number in range(10):
        ledger.charge(name_of(number), plan_of("1/70", "1/14000000"))
        ledger.charge(name_of(number + 10), plan_of("1/30", "1/35000000"))
    assert Ledger(path).account().left == Charge(Fraction(0), Fraction(0))


def test_33_charges_that_share_no_factor_neither_stop_nor_slow_the_ledger(
    tmp_path: Path,
) -> None:
    """Their sum stays short enough to add up and to show, and is never too small.

    Source: found by an independent attack on this code, 2026 (sixty charges with
    denominators of 100 digits ended `show` and refusals in a ValueError).
    """
    ledger = open_book(str(tmp_path / "budget.db"), Scope("loans", Budget("0.7")))
    costs = [Fraction(1, 99) + Fraction(1, 10**97 + 2 * at + 1) for at in range(60)]
    for number, cost in enumerate(costs):
        ledger.charge(name_of(number), plan_of(str(cost)))
    spent = ledger.account().spent.loss
    assert 0 <= spent - sum(costs) < Fraction(60, 10**110)
    assert spent.denominator < 10**411
    assert ledger.history().said()
    with pytest.raises(LedgerRefused, match=r"has epsilon 0\.0939394 and"):
        ledger.charge(name_of(99), plan_of(str(10 * costs[0])))
