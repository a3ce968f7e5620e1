"""What a release takes from a cap, against numbers worked out by hand."""

import math
from fractions import Fraction

import mpmath
import pytest

from dpratio.curator.ledger.account.accounting import (
    Charge,
    charge_of,
    epsilon_of_loss,
    gaussian_epsilon,
    loss_within,
    pure_epsilon,
    to_enter,
)
from dpratio.errors import InvalidInput
from dpratio.plan.laws import analytic_delta, root_above
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import Cost, price
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import PrivateKeys
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

MILLIONTH = Fraction(1, 10**6)
BOUNDS = {"s": Bounds(0, 1), "y": Bounds.binary()}
CAPS = [
    (Fraction(1), MILLIONTH),
    (Fraction(3), Fraction(1, 10**5)),
    (Fraction(1, 10), Fraction(1, 10**9)),
    (Fraction(20), Fraction(1, 10**12)),
    (Fraction(100), Fraction(1, 100)),
]


def exact_epsilon(rho: Fraction, delta: Fraction) -> float:
    """Canonne, Kamath & Steinke (2020), proposition 12, at the best order."""

    def at(log: mpmath.mpf) -> mpmath.mpf:
        order = 1 + mpmath.exp(log)
        d = mpmath.mpf(delta.numerator) / delta.denominator
        r = mpmath.mpf(rho.numerator) / rho.denominator
        rest = mpmath.log(d * order) / (order - 1) - mpmath.log(1 - 1 / order)
        return r * order - rest

    with mpmath.workdps(40):
        logs = [mpmath.mpf(step) / 4 for step in range(-60, 80)]
        best = min(logs, key=at)
        low, high = best - 1, best + 1
        for _ in range(120):
            left, right = (2 * low + high) / 3, (low + 2 * high) / 3
            low, high = (low, right) if at(left) < at(right) else (left, high)
        return float(at(low))


def laplace_plan(epsilon: str) -> Plan:
    return make_plan(
        Ratio("s", per="y"),
        bounds=BOUNDS,
        budget=Budget(epsilon),
        strategy="even",
        mechanism="laplace",
        clipping="unmeasured",
    )


# --- Charges --------------------------------------------------------------------------


def test_charges_add_and_subtract_in_both_places() -> None:
    one = Charge(Fraction(1, 10), Fraction(1, 7))
    two = Charge(Fraction(1, 5), Fraction(1, 3))
    assert one + two == Charge(Fraction(3, 10), Fraction(10, 21))
    assert (one + two) - two == one


@pytest.mark.parametrize(
    ("loss", "delta", "fits"),
    [(1, 1, True), (2, 1, False), (1, 2, False), (2, 2, False), (0, 0, True)],
)
def test_a_charge_fits_where_neither_exceeds_the_cap(
    loss: int, delta: int, *, fits: bool
) -> None:
    cap = Charge(Fraction(1), Fraction(1))
    assert Charge(Fraction(loss), Fraction(delta)).fits(cap) is fits


def test_ten_charges_of_a_tenth_are_exactly_one() -> None:
    tenth = charge_of(price(laplace_plan("0.1")), "basic")
    spent = Charge(Fraction(0), Fraction(0))
    for _ in range(10):
        spent += tenth
    assert spent == Charge(Fraction(1), Fraction(0))


def test_basic_accounting_charges_what_the_plan_says() -> None:
    cost = Cost(Fraction(1, 3), MILLIONTH, (Fraction(5),), Fraction(6), Fraction(7))
    assert charge_of(cost, "basic") == Charge(Fraction(1, 3), MILLIONTH)


def test_zcdp_charges_rho_and_the_delta_of_keys_alone() -> None:
    halves = (Fraction(1, 2), Fraction(1, 2))
    cost = Cost(Fraction(1, 3), MILLIONTH, halves, Fraction(2), Fraction(1, 10**7))
    assert charge_of(cost, "zcdp") == Charge(Fraction(5, 4), Fraction(1, 10**7))


def test_a_long_rho_is_rounded_up_to_thirty_places() -> None:
    third = Fraction(1, 3)
    charge = charge_of(Cost(third, third, (), 2 * third, Fraction(0)), "zcdp")
    assert charge.loss == Fraction(int("3" * 29 + "4"), 10**30)


def test_equal_laplace_shares_cost_half_the_sum_of_their_squares() -> None:
    """Epsilon 1 over five sums: 5 · 0.2² / 2 = 0.1; noise is rounded up a little."""
    plan = laplace_plan("1")
    loss = charge_of(price(plan), "zcdp").loss
    assert len(plan.measurements[0].sums) == 5
    assert Fraction(999, 10_000) < loss <= Fraction(1, 10)


def test_finding_keys_costs_half_its_epsilon_squared_and_its_delta() -> None:
    """Bun & Steinke (2016): an (ε, δ) step is δ-approximately ε²/2-zCDP."""
    unit = PrivacyUnit("u", totals=BOUNDS)
    keys = PrivateKeys("k", Budget("0.2", "1e-7"))
    alone, found = (
        make_plan(
            Ratio("s", per="y"),
            bounds=BOUNDS,
            budget=budget,
            groups=groups,
            unit=unit,
            mechanism="laplace",
        )
        for budget, groups in ((Budget("0.8"), None), (Budget(1, "1e-6"), keys))
    )
    cheap, dear = (charge_of(price(plan), "zcdp") for plan in (alone, found))
    assert cheap.delta == 0
    assert dear.delta == Fraction(1, 10**7)
    assert dear.loss - cheap.loss == pytest.approx(0.02, rel=1e-3)


# --- Rho and epsilon ------------------------------------------------------------------


@pytest.mark.parametrize(("epsilon", "delta"), CAPS)
def test_the_rho_of_caps_keeps_them(epsilon: Fraction, delta: Fraction) -> None:
    rho = loss_within("zcdp", epsilon, delta)
    assert exact_epsilon(rho, delta) <= epsilon


@pytest.mark.parametrize(("epsilon", "delta"), CAPS)
def test_the_rho_of_caps_is_hardly_smaller_than_it_could_be(
    epsilon: Fraction, delta: Fraction
) -> None:
    rho = loss_within("zcdp", epsilon, delta) * Fraction(1001, 1000)
    assert exact_epsilon(rho, delta) > epsilon


def test_the_rho_of_epsilon_one_and_a_millionth_beats_the_textbook() -> None:
    """Bun & Steinke (2016): (√(ln 1/δ + ε) − √(ln 1/δ))² = 0.01747."""
    rho = loss_within("zcdp", Fraction(1), MILLIONTH)
    log = math.log(10**6)
    textbook = (math.sqrt(log + 1) - math.sqrt(log)) ** 2
    assert textbook == pytest.approx(0.01747, abs=1e-5)
    assert textbook < rho
    assert float(rho) == pytest.approx(0.024356, abs=1e-6)


def test_the_rho_of_caps_is_a_short_number() -> None:
    assert (loss_within("zcdp", Fraction(1), MILLIONTH) * 10**15).denominator == 1


def test_caps_without_room_for_a_rho_are_refused() -> None:
    with pytest.raises(InvalidInput) as refused:
        loss_within("zcdp", Fraction(1, 10**12), Fraction(1, 10**9))
    assert str(refused.value) == (
        "the caps must leave room for a rho above 0, got (1e-12, 1e-09). Raise "
        "epsilon or delta, or use accounting 'basic'."
    )


@pytest.mark.parametrize("rho", [1e-6, 1e-3, 0.02, 0.5, 10.0])
def test_the_epsilon_of_a_rho_is_the_one_of_the_formula(rho: float) -> None:
    wanted = exact_epsilon(Fraction(rho), Fraction(1e-6))
    assert epsilon_of_loss("zcdp", rho, 1e-6) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize(("epsilon", "delta"), CAPS)
def test_epsilon_and_rho_are_inverse_to_each_other(
    epsilon: Fraction, delta: Fraction
) -> None:
    rho = loss_within("zcdp", epsilon, delta)
    assert epsilon_of_loss("zcdp", float(rho), float(delta)) == pytest.approx(
        float(epsilon), rel=1e-6
    )


@pytest.mark.parametrize("rho", [0.0, -1.0])
def test_nothing_spent_is_no_epsilon(rho: float) -> None:
    assert epsilon_of_loss("zcdp", rho, 1e-6) == 0.0


def test_one_gaussian_release_takes_the_rho_of_its_noise() -> None:
    """Sensitivity over deviation μ = 1/4.224679 is (1, 1e-6)-private; rho is μ²/2."""
    rho = Fraction(1 / 4.224679**2 / 2)
    assert gaussian_epsilon("zcdp", float(rho), 1e-6) == pytest.approx(1.0, abs=1e-5)


def test_the_epsilon_of_much_noise_is_searched_above_one() -> None:
    """Balle & Wang (2018): at μ = 1 the epsilon at delta 1e-5 is 4.377."""
    assert gaussian_epsilon("zcdp", 0.5, 1e-5) == pytest.approx(4.377, abs=1e-3)


def test_nothing_left_allows_no_gaussian_release() -> None:
    assert gaussian_epsilon("zcdp", 0.0, 1e-6) == 0.0


# --- Squared mu ----------------------------------------------------------------------


def test_gdp_adds_squares_of_gaussian_and_of_pure_parts() -> None:
    """mu = −2Φ⁻¹(1/(1 + e^ε)): 1.2320353853 at epsilon 1 (Dong, Roth & Su 2022)."""
    cost = Cost(
        Fraction(9), MILLIONTH, (Fraction(1), Fraction(1)), Fraction(1, 4), MILLIONTH
    )
    charge = charge_of(cost, "gdp")
    assert charge.delta == MILLIONTH
    assert float(charge.loss) == pytest.approx(2 * 1.2320353853**2 + 0.25, rel=1e-9)
    assert (charge.loss * 10**30).denominator == 1


def test_a_gaussian_release_takes_the_square_of_its_mu() -> None:
    plan = make_plan(
        Ratio("s", per="y"),
        bounds=BOUNDS,
        budget=Budget(1, "1e-6"),
        mechanism="analytic_gaussian",
    )
    loss = charge_of(price(plan), "gdp").loss
    assert loss == pytest.approx(1 / 4.224679**2, rel=1e-5)
    assert loss == pytest.approx(2 * charge_of(price(plan), "zcdp").loss, rel=1e-9)


@pytest.mark.parametrize(("epsilon", "delta"), CAPS)
def test_the_mu_of_caps_is_that_of_one_gaussian_release(
    epsilon: Fraction, delta: Fraction
) -> None:
    loss = loss_within("gdp", epsilon, delta)
    assert analytic_delta(root_above(loss), epsilon) <= delta * Fraction(1001, 1000)
    assert analytic_delta(root_above(loss * Fraction(1001, 1000)), epsilon) > delta
    told = epsilon_of_loss("gdp", float(loss), float(delta))
    assert told == pytest.approx(float(epsilon), rel=1e-6)
    assert (loss * 10**15).denominator == 1


@pytest.mark.parametrize("loss", [1e-6, 0.01, 1.0, 9.0])
def test_the_pure_epsilon_of_a_loss_takes_that_loss(loss: float) -> None:
    for accounting in ("zcdp", "gdp"):
        epsilon = Fraction(pure_epsilon(accounting, loss))
        cost = Cost(epsilon, Fraction(0), (epsilon,), Fraction(0), Fraction(0))
        assert charge_of(cost, accounting).loss == pytest.approx(loss, rel=1e-6)


def test_nothing_spent_of_a_squared_mu_is_no_epsilon() -> None:
    assert epsilon_of_loss("gdp", 0.0, 1e-6) == 0.0
    assert pure_epsilon("gdp", 0.0) == 0.0


# --- Sums that would not end ----------------------------------------------------------


def test_charges_stay_exact_while_their_sum_is_short() -> None:
    spent = Charge(Fraction(1, 3), Fraction(1, 7))
    charge = Charge(Fraction(1, 11), Fraction(1, 10**99 + 1))
    assert to_enter(charge, spent) == charge


def test_a_charge_that_would_make_the_sum_long_is_rounded_up_a_trifle() -> None:
    spent = Charge(Fraction(1, 3**600), Fraction(1, 7))
    charge = Charge(Fraction(1, 7**100), Fraction(1, 7))
    entered = to_enter(charge, spent)
    assert entered.delta == charge.delta
    assert 0 < entered.loss - charge.loss < Fraction(1, 10**110)
    assert (10**110) % entered.loss.denominator == 0


def test_a_charge_that_makes_a_long_sum_short_is_not_rounded() -> None:
    spent = Charge(1 - Fraction(1, 3**700), Fraction(0))
    charge = Charge(Fraction(1, 3**700), Fraction(0))
    assert to_enter(charge, spent) == charge
