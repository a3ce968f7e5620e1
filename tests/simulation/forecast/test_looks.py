"""What many looks cost one person, held to the ledger's own arithmetic."""

import math
from fractions import Fraction
from functools import cache

import pytest
from scipy import stats

import dpratio as dpr
from dpratio.curator.ledger.account.accounting import charge_of, loss_within
from dpratio.errors import InvalidInput
from dpratio.plan.price import price
from dpratio.simulation.forecast.looks import LooksForecast, forecast_looks
from dpratio.simulation.forecast.simulated_widths import replan

MILLIONTH = Fraction(1, 10**6)
GUESS = dpr.Population(dpr.MeanSd(0.5, 0.22), dpr.MeanSd(0.45), correlation=0.4)


def plan_with(mechanism: str) -> dpr.Plan:
    return dpr.make_plan(
        dpr.Ratio("score", per="label"),
        bounds={"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()},
        budget=dpr.Budget(1, MILLIONTH),
        mechanism=mechanism,
        clipping="unmeasured",
    )


@cache
def a_year(mechanism: str) -> LooksForecast:
    return forecast_looks(plan_with(mechanism), looks=52, n=[2000], population=GUESS)


def rows(found: LooksForecast) -> dict[str, dict[str, float]]:
    return {row["accounting"]: row for row in found.to_dicts()}


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
def test_all_looks_at_what_one_may_cost_fit_and_fill_the_budget(mechanism: str) -> None:
    plan = plan_with(mechanism)
    found = rows(a_year(mechanism))
    assert found["basic"]["epsilon_of_one"] == pytest.approx(1 / 52)
    for accounting, delta in (("zcdp", MILLIONTH / 2), ("gdp", MILLIONTH)):
        one = Fraction(found[accounting]["epsilon_of_one"]).limit_denominator(10**6)
        cost = price(replan(plan, one, 2000, GUESS))
        spent = 52 * charge_of(cost, accounting).loss
        # So small a budget has a first stage: two losses, which add up to less.
        least = 0.98 if mechanism != "laplace" else 0.7
        assert least < spent / loss_within(accounting, Fraction(1), delta) <= 1


def test_all_gaussian_looks_cost_what_the_normal_law_says() -> None:
    """Balle & Wang (2018), theorem 8, for √52 times the mu of one look."""
    plan = plan_with("analytic_gaussian")
    found = rows(a_year("analytic_gaussian"))
    mu = math.sqrt(52 * float(price(plan).gaussian))
    epsilon = found["gdp"]["epsilon_of_all"]
    delta = stats.norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * stats.norm.cdf(
        -mu / 2 - epsilon / mu
    )
    assert delta == pytest.approx(1e-6, rel=1e-4)
    assert epsilon < found["zcdp"]["epsilon_of_all"] < found["basic"]["epsilon_of_all"]
    assert found["gdp"]["width"] < found["zcdp"]["width"] < found["basic"]["width"]


def test_people_who_are_new_pay_once_and_their_sequence_is_narrow() -> None:
    plan, answer = plan_with("laplace"), a_year("laplace")
    found = rows(answer)["people are new"]
    assert (found["epsilon_of_all"], found["epsilon_of_one"]) == (1, 1)
    (once,) = dpr.forecast(plan, n=2000, population=GUESS).rows
    assert found["width"] == pytest.approx(
        1.3679 * once.width / math.sqrt(52), rel=1e-3
    )
    assert "at delta 1e-06" in answer.said()[0]


def test_people_whom_nobody_described_give_ranges() -> None:
    found = forecast_looks(plan_with("laplace"), looks=12, n=[5000])
    assert len(found.rows) == 4
    low, high = (found.columns()[f"width_{end}"] for end in ("low", "high"))
    assert all(one < other for one, other in zip(low, high, strict=True))
    assert "∞" not in found.to_text() or math.inf in high


def test_looks_are_counted() -> None:
    for looks in (1, 2.5, 10**6):
        with pytest.raises(InvalidInput, match="whole number from 2 to 100,000"):
            forecast_looks(plan_with("laplace"), looks=looks, n=[500])  # type: ignore[arg-type]
