"""Totals of a question: planned, priced again, written and said."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpratio.errors import DocumentRefused, InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.histogram.plan_bounds import plan_bounds
from dpratio.plan.price import price
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.guess import ColumnGuess, Guess
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit
from plan.priced_plans import LAWS, change_question, refuse, spent
from plan_documents import plan_from_document, plan_to_document

BOUNDS = {"delay": Bounds(0, 60), "trips": Bounds(0, 1)}
YEARLY = {"delay": Bounds(0, 1200), "trips": Bounds(0, 40)}
MONTHLY = {"delay": Bounds(0, 150), "trips": Bounds(0, 6)}
CARRIERS = Groups("carrier", ["red", "blue", "green"])
MONTHS = Groups("month", list(range(1, 13)))
RATIO = Ratio("delay", per="trips")


def flights(strategy: str = "focused", **changes: Any) -> Plan:  # noqa: ANN401
    """Yearly totals by carrier, and monthly totals by month."""
    terms: dict[str, Any] = {
        "bounds": BOUNDS,
        "budget": Budget(1, "1e-6"),
        "unit": PrivacyUnit("traveller", totals=YEARLY, most_groups=2),
        "strategy": strategy,
    } | changes
    return make_plan(
        [
            Question(RATIO, groups=CARRIERS),
            Question(RATIO, groups=MONTHS, totals=MONTHLY),
        ],
        **terms,
    )


@pytest.mark.parametrize(("strategy", "mechanism"), LAWS)
def test_each_question_pays_for_the_groups_of_the_unit_and_its_own_totals(
    strategy: str, mechanism: str
) -> None:
    plan = flights(strategy, mechanism=mechanism)
    assert [plan.unit_of(each).totals for each in plan.measurements] == [
        YEARLY,
        MONTHLY,
    ]
    assert spent(price(plan))[0] == 1
    # Noise for fewer groups, or for narrower totals, is refused.
    refuse(replace(plan, unit=replace(plan.unit, most_groups=3)))
    refuse(change_question(plan, 0, totals={"delay": Bounds(0, 2400)}))
    refuse(change_question(plan, 1, totals=YEARLY))
    refuse(change_question(plan, 1, totals={}))


@pytest.mark.parametrize(("strategy", "mechanism"), LAWS)
def test_terms_of_a_question_cost_what_they_cost_as_terms_of_the_unit(
    strategy: str, mechanism: str
) -> None:
    terms: dict[str, Any] = {
        "bounds": BOUNDS,
        "budget": Budget(1, "1e-6"),
        "strategy": strategy,
        "mechanism": mechanism,
    }
    unit = PrivacyUnit("traveller", totals=MONTHLY, most_groups=12)
    whole = make_plan(RATIO, groups=MONTHS, unit=unit, **terms)
    asked = Question(RATIO, groups=MONTHS, totals=MONTHLY)
    own = make_plan(asked, unit=PrivacyUnit("traveller", most_groups=12), **terms)
    assert own.questions[0].sums == whole.questions[0].sums
    costs = [price(each) for each in (own, whole)]
    assert costs[0] == costs[1]


def test_a_guess_of_the_units_totals_is_not_about_those_of_a_question() -> None:
    yearly = Guess(ColumnGuess(400, 200), ColumnGuess(20, 9))
    given: dict[str, Any] = {"stage": 0, "mechanism": "laplace"}
    plain, told = flights(**given), flights(**given, guess=yearly)
    assert told.questions[0].sums != plain.questions[0].sums
    assert told.questions[1].sums == plain.questions[1].sums
    price(told)
    monthly = Guess(ColumnGuess(40, 20), ColumnGuess(2, 1))
    asked = Question(RATIO, groups=MONTHS, totals=MONTHLY)
    alone = [
        make_plan(
            asked,
            bounds=BOUNDS,
            budget=Budget(1),
            unit=PrivacyUnit("traveller"),
            guess=each,
        ).questions[0]
        for each in (None, monthly)
    ]
    assert alone[0].sums != alone[1].sums


def test_a_first_stage_pays_for_the_groups_of_the_unit() -> None:
    plan = flights(stage=0.25)
    price(plan)
    # Groups come together in a total, so twice as many cost twice as much.
    more = replace(plan.unit, most_groups=3)
    refuse(replace(plan, unit=more), "first stage is too small")


def test_a_plan_without_own_terms_is_written_as_before() -> None:
    plan = make_plan(
        RATIO,
        bounds=BOUNDS,
        budget=Budget(1),
        groups=CARRIERS,
        unit=PrivacyUnit("traveller", totals=YEARLY, most_groups=2),
    )
    assert "totals" not in plan_to_document(plan)["study"]["groups"]
    assert plan.unit_of(plan.measurements[0]) is plan.unit


def test_own_terms_are_written_and_read_back() -> None:
    plan = flights()
    document = plan_to_document(plan)
    first, second = (each["groups"] for each in document["study"]["ratio"])
    assert "totals" not in first
    assert second["totals"] == {"delay": [0, 150], "trips": [0, 6]}
    assert plan_from_document(Node(document)) == plan
    second["most_groups"] = 2
    unknown = r"^\$\.study\.ratio\[1\]\.groups: unknown field 'most_groups'"
    with pytest.raises(DocumentRefused, match=unknown):
        plan_from_document(Node(document))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"totals": None}, "totals must map column names"),
        ({"totals": {"delay": (0, 1)}}, "totals must map column names"),
        ({"totals": {"late": Bounds(0, 1)}}, "a question has totals of columns that"),
        ({"totals": {"delay": Bounds(0, 1e-9)}}, "may not exceed its total"),
    ],
    ids=str,
)
def test_edited_terms_of_a_question_are_refused(
    changes: dict[str, Any], message: str
) -> None:
    refuse(change_question(flights(), 1, **changes), message)


def test_rows_have_no_totals_in_any_question() -> None:
    asked = Question(RATIO, groups=MONTHS, totals=MONTHLY)
    with pytest.raises(InvalidInput, match="totals and most_groups need a unit"):
        make_plan(asked, bounds=BOUNDS, budget=Budget(1))


def test_totals_that_no_question_completes_are_asked_for() -> None:
    asked = Question(RATIO, groups=MONTHS, totals={"delay": Bounds(0, 150)})
    with pytest.raises(InvalidInput, match=r"Add totals for: trips\."):
        make_plan(asked, bounds=BOUNDS, budget=Budget(1), unit=PrivacyUnit("traveller"))


def test_a_plan_says_how_each_question_counts_people() -> None:
    said = flights().summary()
    assert (
        "Protected: all rows of one traveller, counted in at most 2 groups, added or "
        "removed; the number of traveller ids too."
    ) in said
    assert (
        "Totals of one traveller in each group of question 1, within: delay 0 to 1200, "
        "trips 0 to 40; totals are clipped."
    ) in said
    assert (
        "Totals of one traveller in each group of question 2, within: delay 0 to 150, "
        "trips 0 to 6; totals are clipped."
    ) in said


def test_totals_over_the_whole_table_are_in_no_group() -> None:
    asked = [Question(RATIO, totals=MONTHLY), Question(RATIO, groups=CARRIERS)]
    unit = PrivacyUnit("traveller", totals=YEARLY)
    said = make_plan(asked, bounds=BOUNDS, budget=Budget(1), unit=unit).summary()
    assert any(
        each.startswith("Totals of one traveller of question 1,") for each in said
    )
    assert any("traveller in each group of question 2," in each for each in said)


def test_keys_that_were_found_before_are_paid_for_beside_the_questions() -> None:
    keys = PrivateKeys("airport", Budget("0.1", "1e-7"))
    plan = flights(mechanism="laplace", stage=0)
    refuse(replace(plan, found=(keys,)), "too small for")


def test_histograms_count_the_totals_that_questions_leave_open() -> None:
    """Of totals that several questions share, one histogram is enough."""
    asked = [
        Question(RATIO, groups=MONTHS),
        Question(Ratio("trips", per="delay"), groups=MONTHS),
        Question(RATIO, groups=CARRIERS, totals={"trips": Bounds(0, 40)}),
    ]
    unit = PrivacyUnit("traveller", most_groups=2)
    study = Study(asked, bounds=BOUNDS, budget=Budget(1), unit=unit)
    plan = plan_bounds(study, budget=Budget("0.4"))
    named = [each.name for each in plan.measurements]
    assert named == [
        "delay by month",
        "trips by month",
        "delay by carrier",
        "trips by carrier",
    ]
    scales = [each.scales[0] for each in plan.measurements]
    assert scales == pytest.approx([20] * 4)
    assert price(plan).epsilon == Fraction("0.4")
    more = replace(plan, unit=replace(plan.unit, most_groups=3))
    refuse(more, "too small for the budget")
    refuse(change_question(plan, 2, totals=YEARLY), "reach its outer limits")
    assert any("2 counts of every histogram" in each for each in plan.summary())
    known = plan_bounds(
        replace(study, unit=replace(unit, totals={"delay": Bounds(0, 9)})),
        budget=Budget("0.4"),
    )
    assert {each.name for each in known.questions} == {
        "trips by month",
        "trips by carrier",
    }
    with pytest.raises(InvalidInput, match="outer limits must hold the bounds of"):
        plan_bounds(study, budget=Budget("0.4"), limits=(1.0, 32.0))
