"""What the ledger charges is never less than what a portfolio loses."""

import math
import random
from fractions import Fraction
from functools import reduce
from typing import Any

import mpmath
import pytest

from curator.ledger.attacks.portfolios import (
    Member,
    largest_rho,
    lost_together,
    member_of,
    random_plan,
)
from dpratio.curator.ledger.account.accounting import (
    Charge,
    epsilon_of_loss,
    loss_within,
)
from dpratio.plan.laws import GAUSSIAN
from soak import IS_SOAK

PORTFOLIOS = 100_000 if IS_SOAK else 10_000
POOL = 60


@pytest.fixture(scope="module")
def pool() -> list[Member]:
    """Plans to draw portfolios from."""
    chance = random.Random(23)  # noqa: S311 (not for secrets)
    return [member_of(random_plan(chance)) for _ in range(POOL)]


def test_the_pool_holds_every_kind_of_plan(pool: list[Member]) -> None:
    kinds = {
        (each.plan.study.strategy, each.plan.law.name, bool(each.plan.private_keys))
        for each in pool
    }
    assert len(kinds) >= 10
    assert {each.plan.unit.most_groups for each in pool} == {1, 2}


def test_each_plan_alone_is_charged_what_it_loses_and_little_more(
    pool: list[Member],
) -> None:
    """The oracle has power: joint Laplace plans lose nearly all that is charged."""
    parts = []
    for each in pool:
        lost = each.loss.get_epsilon_for_delta(float(each.basic.delta))
        assert lost <= float(each.basic.loss) + 1e-9
        parts.append(lost / float(each.basic.loss))
    assert max(parts) > 0.95


def test_portfolios_are_put_together_as_dp_accounting_does(pool: list[Member]) -> None:
    chance = random.Random(28)  # noqa: S311 (not for secrets)
    for _ in range(50):
        members = chance.choices(pool, k=chance.randint(2, 8))
        delta = sum(each.infinite for each in members) + 10 ** chance.uniform(-9, -5)
        whole = reduce(lambda a, b: a.compose(b), [each.loss for each in members])
        wanted = whole.get_epsilon_for_delta(delta)
        assert lost_together(members, delta) == [pytest.approx(wanted, abs=2e-3)]


def test_ten_thousand_portfolios_are_charged_no_less_than_they_lose(
    pool: list[Member],
) -> None:
    """Each price, at the delta that it has: the loss is never above the price."""
    chance = random.Random(24)  # noqa: S311 (not for secrets)
    found: dict[str, list[tuple[float, float, float]]]
    found = {"basic": [], "gdp": [], "zcdp": []}
    for _ in range(PORTFOLIOS):
        # Alike members are where a price is tightest, so many portfolios have them.
        kinds = chance.sample(pool, chance.randint(1, 8))
        members = chance.choices(kinds, k=chance.randint(2, 8))
        conversion = 10 ** chance.uniform(-9, -5)
        nothing = Charge(Fraction(0), Fraction(0))
        basic = sum((each.basic for each in members), nothing)
        zcdp = sum((each.zcdp for each in members), nothing)
        delta = float(zcdp.delta) + conversion
        plain, bent = lost_together(members, float(basic.delta), delta)
        found["basic"].append((plain, float(basic.loss), 0.0))
        gdp = sum((each.gdp for each in members), nothing)
        assert gdp.delta == zcdp.delta
        # Below an epsilon of 0.001 the grid of losses tells nothing.
        told = Fraction(max(bent, 1e-3)), Fraction(conversion)
        mu = GAUSSIAN.about_largest_ratio(*told) if bent > 0 else 0.0
        found["gdp"].append((mu**2, float(gdp.loss), conversion))
        # The largest rho that may be told to lose so little is no more than was paid.
        allowed = largest_rho(bent, conversion) if bent > 0 else 0.0
        found["zcdp"].append((allowed, float(zcdp.loss), conversion))
    for name, portfolios in found.items():
        nearest = sorted(portfolios, key=lambda each: each[1] / max(each[0], 1e-9))
        lost, paid, conversion = nearest[0]
        print(f"{name}: nearest {lost:.6g} of {paid:.6g}")  # noqa: T201
        assert lost <= paid * (1 + 1e-9)
        assert lost > 0.7 * paid  # The oracle has power.
    told_of_rho = [
        (
            epsilon_of_loss("zcdp", paid, conversion),
            epsilon_of_loss("zcdp", allowed, conversion),
        )
        for allowed, paid, conversion in nearest[:100]
    ]
    print(f"zcdp: smallest margin {min(p - a for p, a in told_of_rho):.6g}")  # noqa: T201
    assert all(allowed <= paid for paid, allowed in told_of_rho)


def exact_gaussian_delta(rho: Fraction, epsilon: Fraction) -> Any:  # noqa: ANN401
    """Delta of the Gaussian mechanism of this rho; Balle & Wang (2018), theorem 8."""
    mu = mpmath.sqrt(2 * mpmath.mpf(rho.numerator) / rho.denominator)
    eps = mpmath.mpf(epsilon.numerator) / epsilon.denominator
    above = mpmath.ncdf(mu / 2 - eps / mu)
    return above - mpmath.exp(eps) * mpmath.ncdf(-mu / 2 - eps / mu)


def converted_delta(rho: Fraction, epsilon: Fraction) -> Any:  # noqa: ANN401
    """Delta that a rho gives at an epsilon: the least over orders.

    Canonne, Kamath & Steinke (2020), proposition 12, solved for delta: for an order a,
    exp((a − 1)(a·rho − epsilon)) / (a − 1) · (1 − 1/a)^a.
    """
    exact = mpmath.mpf(rho.numerator) / rho.denominator
    eps = mpmath.mpf(epsilon.numerator) / epsilon.denominator

    def log_delta(order: Any) -> Any:  # noqa: ANN401
        bent = order * mpmath.log1p(-1 / order) - mpmath.log(order - 1)
        return (order - 1) * (order * exact - eps) + bent

    low, high = mpmath.mpf(-25), mpmath.mpf(30)
    for _ in range(60):  # It is convex in the order; this is where its slope is 0.
        middle = (low + high) / 2
        order = 1 + mpmath.exp(middle)
        slope = (2 * order - 1) * exact - eps + mpmath.log1p(-1 / order)
        low, high = (middle, high) if slope < 0 else (low, middle)
    return mpmath.exp(log_delta(1 + mpmath.exp(low)))


def test_the_cap_of_rho_is_the_largest_rho_that_the_caps_allow() -> None:
    """Against an independent computation with 40 digits, and the exact Gaussian."""
    chance = random.Random(25)  # noqa: S311 (not for secrets)
    with mpmath.workdps(40):
        for _ in range(120):
            epsilon = Fraction(f"{math.exp(chance.uniform(-3, 3)):.5g}")
            delta = Fraction(f"{10 ** chance.uniform(-12, -3):.4g}")
            rho = loss_within("zcdp", epsilon, delta)
            allowed = mpmath.mpf(delta.numerator) / delta.denominator
            assert converted_delta(rho, epsilon) <= allowed
            assert exact_gaussian_delta(rho, epsilon) <= allowed
            # A little more would be too much: nothing is given away.
            more = rho * (1 + Fraction(1, 10**6)) + Fraction(2, 10**15)
            assert converted_delta(more, epsilon) > allowed


def test_the_epsilon_of_a_rho_is_the_exact_conversion() -> None:
    chance = random.Random(26)  # noqa: S311 (not for secrets)
    with mpmath.workdps(40):
        for _ in range(25):
            rho = Fraction(f"{math.exp(chance.uniform(-9, 2)):.5g}")
            delta = 10 ** chance.uniform(-9, -3)
            told = Fraction(epsilon_of_loss("zcdp", float(rho), delta)) * (
                1 + Fraction(1, 10**9)
            )
            assert converted_delta(rho, told) <= delta * (1 + 1e-6)
            less = told * (1 - Fraction(1, 10**6))
            assert converted_delta(rho, less) > delta
