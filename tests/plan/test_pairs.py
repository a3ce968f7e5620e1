"""Plans with declared pairs of groups: their price, their document, their words."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from curator.pairs_for_tests import pairs_plan
from dpratio.errors import DocumentRefused, PlanRefused
from dpratio.plan.document import plan_from_document, plan_to_document
from dpratio.plan.plan import Plan
from dpratio.plan.plan_bounds import plan_bounds
from dpratio.plan.price import price
from dpratio.plan.sensitivity.cross_products import PlannedPairs
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Keys, Periods
from dpratio.terms.groups import Groups
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

LAWS = [
    (strategy, mechanism)
    for strategy in ("focused", "joint")
    for mechanism in ("laplace", "analytic_gaussian")
]


def edited(plan: Plan, **changes: Any) -> Plan:  # noqa: ANN401
    """The plan with other pairs."""
    (question,) = plan.questions
    assert question.pairs is not None
    pairs = replace(question.pairs, **changes)
    return replace(plan, questions=(replace(question, pairs=pairs),))


def products_of(plan: Plan) -> PlannedPairs:
    pairs = plan.questions[0].pairs
    assert pairs is not None
    return pairs


@pytest.mark.parametrize("neighbours", ["add-or-remove-one", "change-one"])
@pytest.mark.parametrize(("strategy", "mechanism"), LAWS)
def test_pairs_are_paid_out_of_the_budget(
    strategy: str, mechanism: str, neighbours: str
) -> None:
    """The whole costs what it did; the groups keep nine tenths of it."""
    terms: dict[str, Any] = {"strategy": strategy, "mechanism": mechanism}
    terms["neighbours"] = neighbours
    plan, without = pairs_plan(**terms), pairs_plan((), **terms)
    assert price(plan).epsilon == price(without).epsilon == 1
    assert products_of(plan).places == ((0, 1), (1, 2))
    part = 0.9 if mechanism == "laplace" else 0.9**0.5
    for one, other in zip(
        plan.questions[0].sums, without.questions[0].sums, strict=True
    ):
        ratio = other.scale / one.scale
        assert ratio == pytest.approx(part, rel=1e-6 if strategy == "joint" else 0.1)


@pytest.mark.parametrize("neighbours", ["add-or-remove-one", "change-one"])
@pytest.mark.parametrize(("strategy", "mechanism"), LAWS)
@pytest.mark.parametrize("at", range(4))
def test_products_with_less_noise_are_refused(
    strategy: str, mechanism: str, neighbours: str, at: int
) -> None:
    plan = pairs_plan(strategy=strategy, mechanism=mechanism, neighbours=neighbours)
    sums = list(products_of(plan).sums)
    sums[at] = replace(sums[at], scale=0.9 * sums[at].scale)
    with pytest.raises(PlanRefused, match="noise of the sums is too small"):
        price(edited(plan, sums=tuple(sums)))


def test_more_pairs_at_the_same_noise_are_refused() -> None:
    plan = pairs_plan()
    with pytest.raises(PlanRefused, match="noise of the sums is too small"):
        price(edited(plan, places=((0, 1), (0, 2), (1, 2))))
    wider = replace(plan, unit=replace(plan.unit, most_groups=4))
    with pytest.raises(PlanRefused, match="noise of the sums is too small"):
        price(wider)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sums": ()}, "does not measure these sums"),
        ({"sums": []}, "must be a tuple"),
        ({"places": ((0, 1), (0, 1))}, "is named once"),
        ({"places": ((0, 9),)}, "two different groups"),
    ],
)
def test_other_products_than_the_terms_demand_are_refused(
    changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(PlanRefused, match=words):
        price(edited(pairs_plan(), **changes))


@pytest.mark.parametrize(
    ("name", "value"), [("step", 1.0), ("sensitivity", 1), ("scale", 7)]
)
def test_other_lattices_and_sensitivities_are_refused(
    name: str,
    value: Any,  # noqa: ANN401
) -> None:
    plan = pairs_plan()
    first, *rest = products_of(plan).sums
    with pytest.raises(PlanRefused):
        price(edited(plan, sums=(replace(first, **{name: value}), *rest)))


def test_histograms_have_none() -> None:
    plan = pairs_plan()
    study = Study(
        Ratio("spent", per="visits"),
        bounds={"visits": Bounds(0, 5), "spent": Bounds(0, 5)},
        unit=PrivacyUnit("id", totals={"visits": Bounds(0, 5)}, most_groups=2),
        budget=Budget(1),
    )
    counts = plan_bounds(study, budget=Budget("0.1"))
    asked = tuple(
        replace(each, pairs=plan.questions[0].pairs) for each in counts.questions
    )
    assert price(counts).epsilon == Fraction(1, 10)
    with pytest.raises(PlanRefused, match="histograms have no pairs of groups"):
        price(replace(counts, questions=asked))


def test_a_pair_alone_costs_no_more_when_someone_is_changed_than_from_end_to_end() -> (
    None
):
    """One pair is left and entered by the same person: z·z′ of a sign moves once."""
    terms: dict[str, Any] = {"strategy": "joint", "neighbours": "change-one"}
    one = pairs_plan([("jan", "feb")], **terms)
    two = pairs_plan([("jan", "feb"), ("mar", "apr")], most_groups=2, **terms)
    assert price(one).epsilon == price(two).epsilon
    assert products_of(one).scales[3] < products_of(two).scales[3]


@pytest.mark.parametrize(("strategy", "mechanism"), LAWS)
def test_a_plan_comes_back_from_its_document(strategy: str, mechanism: str) -> None:
    plan = pairs_plan(strategy=strategy, mechanism=mechanism)
    assert plan_from_document(Node(plan_to_document(plan))) == plan


def test_pairs_are_measured_in_one_stage_where_nobody_guessed() -> None:
    """A stage that the planner would choose is left out for them."""
    ratio = Ratio("spent", per="visits")
    assert pairs_plan((), ratio=ratio).stage is not None
    plan = pairs_plan(ratio=ratio)
    assert plan.stage is None
    assert price(plan).epsilon == 1


def test_a_plan_without_pairs_is_written_as_before() -> None:
    document = plan_to_document(pairs_plan(()))
    assert "pairs" not in document["parts"][0]


def test_a_pair_of_three_is_refused_when_read() -> None:
    document = plan_to_document(pairs_plan())
    document["parts"][0]["pairs"]["places"][0].append(3)
    with pytest.raises(DocumentRefused, match="must be the places of two groups"):
        plan_from_document(Node(document))


def test_the_plan_says_which_pairs_and_at_what_price() -> None:
    plan = pairs_plan()
    said = str(plan)
    assert "Pairs of groups: jan with feb, feb with mar. Of whoever is in both" in said
    table = plan.columns()
    assert table["sum"][-4:] == ["Σ z·z′", "Σ z·h′", "Σ h·z′", "Σ h·h′"]
    assert sum(table["share"]) == pytest.approx(1)
    assert sum(table["share"][-4:]) == pytest.approx(0.1)
    many = pairs_plan(
        [("jan", each) for each in ("feb", "mar", "apr")] + [("feb", "mar")]
    )
    assert "jan with apr and 1 more." in str(many)


def test_several_questions_have_pairs_of_their_own() -> None:
    groups = Groups.cross(
        Keys("sex", ["f", "m"]), Periods("seen", "month", "2026-01-01", "2026-02-01")
    )
    plan = pairs_plan(
        (),
        groups=None,
        ratio=[
            Question(
                Ratio("spent", per="visits"),
                groups=groups,
                pairs=[(("f", "2026-01"), ("f", "2026-02"))],
            ),
            Question(Ratio("visits", per="spent"), groups=groups),
        ],
    )
    assert price(plan).epsilon == 1
    assert products_of(plan).places == ((0, 1),)
    assert plan.questions[1].pairs is None
    assert len(plan.columns()["question"]) == 14
    assert "f, 2026-01-01 with f, 2026-02-01" in str(plan)
