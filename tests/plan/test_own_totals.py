"""Totals of a question: planned, priced again, written and said."""

from dataclasses import replace
from typing import Any

import pytest

from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.population import MeanSd, Population
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from edited_plans import with_terms
from plan.priced_plans import LAWS, change_question, refuse, spent

BOUNDS = {"delay": Bounds(0, 60), "trips": Bounds(0, 1)}
YEARLY = {"delay": Bounds(0, 1200), "trips": Bounds(0, 40)}
MONTHLY = {"delay": Bounds(0, 150), "trips": Bounds(0, 6)}
CARRIERS = Groups("carrier", ["red", "blue", "green"])
MONTHS = Groups("month", list(range(1, 13)))
RATIO = Ratio("delay", per="trips")
TRAVELLER = PrivacyUnit("traveller")
BY_MONTH = Question(RATIO, groups=MONTHS, totals=MONTHLY)


def plan_of(asked: Any = BY_MONTH, **changes: Any) -> Plan:  # noqa: ANN401
    terms: dict[str, Any] = {"bounds": BOUNDS, "budget": Budget(1, "1e-6")}
    terms["unit"] = TRAVELLER
    return make_plan(asked, **terms | changes)


def flights(**changes: Any) -> Plan:  # noqa: ANN401
    """Yearly totals by carrier, and monthly totals by month."""
    unit = replace(TRAVELLER, totals=YEARLY, most_groups=2)
    return plan_of([Question(RATIO, groups=CARRIERS), BY_MONTH], unit=unit, **changes)


@pytest.mark.parametrize(("strategy", "mechanism"), LAWS)
def test_each_question_pays_for_the_groups_of_the_unit_and_its_own_totals(
    strategy: str, mechanism: str
) -> None:
    plan = flights(strategy=strategy, mechanism=mechanism)
    totals = [plan.layout(item).unit.totals for item in plan.measurements]
    assert totals == [YEARLY, MONTHLY]
    assert spent(price(plan))[0] == 1
    # Noise for fewer groups, or for narrower totals, is refused.
    refuse(with_terms(plan, unit=replace(plan.unit, most_groups=3)))
    refuse(change_question(plan, 0, totals={"delay": Bounds(0, 2400)}))
    refuse(change_question(plan, 1, totals=YEARLY))
    refuse(change_question(plan, 1, totals={}))
    refuse(change_question(plan, 1, totals={"late": Bounds(0, 1)}), "no ratio has")


@pytest.mark.parametrize(("strategy", "mechanism"), LAWS)
def test_terms_of_a_question_cost_what_they_cost_as_terms_of_the_unit(
    strategy: str, mechanism: str
) -> None:
    terms = {"strategy": strategy, "mechanism": mechanism}
    unit = replace(TRAVELLER, most_groups=12)
    whole = plan_of(
        Question(RATIO, groups=MONTHS), unit=replace(unit, totals=MONTHLY), **terms
    )
    own = plan_of(unit=unit, **terms)
    assert own.measurements[0].sums == whole.measurements[0].sums
    assert price(own) == price(whole)


def test_a_guess_of_the_units_totals_is_not_about_those_of_a_question() -> None:
    yearly = Population(MeanSd(400, 200), MeanSd(20, 9))
    terms: dict[str, Any] = {"stage": 0, "mechanism": "laplace"}
    plain, guessed = flights(**terms), flights(**terms, population=yearly)
    assert guessed.measurements[0].sums != plain.measurements[0].sums
    assert guessed.measurements[1].sums == plain.measurements[1].sums
    monthly = Population(MeanSd(40, 20), MeanSd(2, 1))
    sums = [plan_of(population=guess).measurements[0].sums for guess in (None, monthly)]
    assert sums[0] != sums[1]


def test_a_first_stage_pays_for_the_groups_of_the_unit() -> None:
    """Groups come together in a total, so twice as many cost twice as much."""
    plan = flights(stage=0.25)
    price(plan)
    more = replace(plan.unit, most_groups=3)
    refuse(with_terms(plan, unit=more), "first stage is too small")
