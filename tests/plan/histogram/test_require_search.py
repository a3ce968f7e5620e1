"""Plans that find bounds: what they must hold, and what is refused before a charge."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpratio.errors import InvalidInput, PlanRefused
from dpratio.plan.histogram.require_search import require_known
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.plan_bounds import plan_bounds
from dpratio.plan.plan_terms import Search
from dpratio.plan.price import price
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import ScoreBins
from dpratio.terms.groups import PrivateKeys
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit
from plan.search_plans import PERSON, REGIONS, search_of, search_plan


def test_the_shares_are_fixed_and_their_sum_is_the_price() -> None:
    plan = search_plan()
    assert search_of(plan).epsilon == Fraction(1, 10)
    assert plan.for_sums == (Fraction(9, 10), Fraction(0))
    cost = price(plan)
    assert (cost.epsilon, cost.delta) == (Fraction(1), Fraction(0))
    assert cost.pure == (Fraction(1, 10), Fraction(9, 10))
    quarter = search_plan(search=0.25)
    assert search_of(quarter).epsilon == Fraction(1, 4)
    assert price(quarter).rho == (Fraction(1, 16) + Fraction(9, 16)) / 2


def test_delta_that_is_allowed_is_not_spent() -> None:
    plan = search_plan(budget=Budget(1, "1e-6"))
    assert plan.mechanism == "laplace"
    assert price(plan).delta == 0


def test_several_bounds_cost_a_tenth_each_or_share_what_finding_may_cost() -> None:
    plan = search_plan(bounds={"orders": Bounds.find(0, 64)})
    assert price(plan).pure == (Fraction(1, 10), Fraction(1, 10), Fraction(4, 5))
    plan = search_plan(bounds={"orders": Bounds.find(0, 64)}, search=0.1)
    assert price(plan).pure == (Fraction(1, 20), Fraction(1, 20), Fraction(9, 10))
    asked = [Ratio("spent", per="orders"), Ratio("more", per="most")]
    plan = make_plan(asked, bounds="find", budget=Budget(1))
    assert search_of(plan).epsilon == Fraction(3, 10)


def test_people_pay_for_every_group_that_their_totals_are_in() -> None:
    plan = search_plan(unit=PERSON, groups=REGIONS)
    (question,) = search_of(plan).histograms.questions
    assert question.scales == [20.0]


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        (
            {"mechanism": "analytic_gaussian", "budget": Budget(1, "1e-6")},
            "finds bounds has Laplace noise",
        ),
        ({"stage": 0.2}, "no other first stage"),
        (
            {
                "groups": PrivateKeys("region", Budget("0.1", "1e-6")),
                "budget": Budget(1, "1e-6"),
            },
            "groups that are declared",
        ),
        ({"groups": ScoreBins("spent", 4)}, "bins need bounds that are known"),
        (
            {"unit": PERSON, "bounds": {"spent": Bounds.find(0, 9)}},
            "totals are found, and not those of rows",
        ),
        ({"search": 1.5}, "share of finding bounds must lie between 0 and 1"),
        ({"n": 0}, "n must be a whole number"),
        ({"budget": 1}, "budget must be a Budget"),
        ({"unit": "id"}, "unit must be a PrivacyUnit"),
    ],
)
def test_what_cannot_be_found_is_refused_with_what_to_do(
    terms: dict[str, Any], words: str
) -> None:
    with pytest.raises(InvalidInput, match=words):
        search_plan(**terms)


def test_rows_of_people_are_refused_whether_or_not_totals_are_found() -> None:
    known = PrivacyUnit("id", totals={"spent": Bounds(0, 9), "orders": Bounds(0, 9)})
    with pytest.raises(InvalidInput, match="Say it of the unit's totals"):
        search_plan(unit=known, bounds={"spent": Bounds.find(0, 9)})


def test_a_share_without_bounds_to_find_is_refused() -> None:
    with pytest.raises(InvalidInput, match="finds bounds where some are to be found"):
        search_plan(bounds={"spent": Bounds(0, 9)}, search=0.1)


def test_totals_of_one_question_are_not_found() -> None:
    asked = Question(
        Ratio("spent", per="orders", guess=25), totals={"spent": Bounds.find(0, 9)}
    )
    unit = PrivacyUnit("id", totals={"orders": Bounds(0, 20)})
    with pytest.raises(InvalidInput, match="totals of one question alone"):
        make_plan(
            asked,
            bounds={"spent": Bounds(0, 9), "orders": Bounds(0, 4)},
            unit=unit,
            budget=Budget(1),
        )


CHANGED = PrivacyUnit(neighbours="change-one")
PLAN = search_plan()
SEARCH = search_of(PLAN)
ONE: Any = (1,)
LISTED: Any = [True]


def histograms(budget: object = "0.1", **terms: Any) -> Plan:  # noqa: ANN401
    study = Study(Ratio("spent", per="orders"), bounds={}, budget=Budget(1), **terms)
    return plan_bounds(study, budget=Budget(budget), columns=["spent"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("search", "words"),
    [
        (None, "need histograms that find them"),
        ("a search", "bounds are found in histograms"),
        (replace(SEARCH, histograms=None), "bounds are found in histograms"),
        (replace(SEARCH, histograms=PLAN), "bounds are found in histograms"),
        (replace(SEARCH, guessed=ONE), "whether its guess was given"),
        (replace(SEARCH, guessed=()), "whether its guess was given"),
        (replace(SEARCH, guessed=LISTED), "whether its guess was given"),
        (replace(SEARCH, people=-1), "n must be a whole number"),
        (
            Search(
                histograms(unit=PrivacyUnit(neighbours="change-one")), guessed=(True,)
            ),
            "for the unit that the release protects",
        ),
        (Search(histograms(1), guessed=(True,)), "leave some of the budget"),
    ],
)
def test_an_edited_search_is_refused(search: Any, words: str) -> None:  # noqa: ANN401
    with pytest.raises(PlanRefused, match=words):
        price(replace(PLAN, search=search))


def test_histograms_count_what_is_to_be_found_and_nothing_else() -> None:
    both = search_plan(bounds={"orders": Bounds.find(0, 64)})
    for one, other in ((PLAN, both), (both, PLAN)):
        with pytest.raises(PlanRefused, match="just what bounds are to be found for"):
            price(replace(one, search=other.search))


def test_histograms_with_too_little_noise_are_refused() -> None:
    held = SEARCH.histograms
    (question,) = held.questions
    loud = replace(question.sums[0], scale=question.sums[0].scale / 2)
    edited = replace(held, questions=(replace(question, sums=(loud,)),))
    with pytest.raises(PlanRefused, match="noise of the histograms is too small"):
        price(replace(PLAN, search=replace(SEARCH, histograms=edited)))


def test_sums_that_spend_what_finding_costs_are_refused() -> None:
    whole = search_plan(bounds={"spent": Bounds(0, 4096)})
    with pytest.raises(PlanRefused, match="too small for the budget"):
        price(replace(PLAN, questions=whole.questions))


def test_a_plan_of_histograms_looks_for_nothing_itself() -> None:
    with pytest.raises(PlanRefused, match="one stage"):
        price(replace(SEARCH.histograms, search=SEARCH))


def test_nothing_is_said_of_widths_before_bounds_are_known() -> None:
    with pytest.raises(InvalidInput, match="yet to be found, got \\['spent'\\]"):
        require_known(PLAN)
    require_known(search_plan(bounds={"spent": Bounds(0, 9)}))


def test_a_plan_says_both_stages() -> None:
    said = str(PLAN)
    assert "spent found within 0 to 4096" in said
    assert "The first spends epsilon 0.1 on finding bounds: it counts rows by" in said
    assert "The second spends epsilon 0.9 and measures within what was found" in said
