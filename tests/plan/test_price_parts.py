"""Several parts, units with many rows, and keys that are found: one budget for all."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Keys, ScoreBins
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from plan.priced_plans import (
    LAWS,
    ONE_IN_A_MILLION,
    change_question,
    refuse,
    spent,
    with_sums,
)

BOUNDS = {"s": Bounds(0, 1), "y": Bounds.binary(), "m": Bounds(0, 1)}
TOTALS = {"s": Bounds(0, 5), "y": Bounds(0, 4)}
RATIOS = [Ratio("s", per="y"), Ratio("s", per="y", minus="m", guess=0)]
PARTITIONS = [None, Groups("k", ["a", "b"]), Groups.cross(ScoreBins("s", 2))]


def several(strategy: str, mechanism: str, **changes: Any) -> Plan:  # noqa: ANN401
    terms: dict[str, Any] = {
        "bounds": BOUNDS,
        "budget": Budget(1, "1e-6"),
        "strategy": strategy,
        "mechanism": mechanism,
    } | changes
    asked = [
        Question(ratio, groups=groups, share=share)
        for groups, share in zip(PARTITIONS, (1, 2, 0.5), strict=True)
        for ratio in RATIOS
    ]
    return make_plan(RATIOS if "groups" in changes else asked, **terms)


@pytest.mark.parametrize(("strategy", "mechanism"), LAWS)
def test_questions_are_priced_together(strategy: str, mechanism: str) -> None:
    plan = several(strategy, mechanism)
    assert [question.partition for question in plan.questions] == [0, 0, 1, 1, 2, 2]
    weights = [question.weight for question in plan.questions]
    assert weights == [Fraction(each, 14) for each in (2, 2, 4, 4, 1, 1)]
    delta = 0 if mechanism == "laplace" else ONE_IN_A_MILLION
    assert spent(price(plan)) == (Fraction(1), Fraction(delta))
    for at, question in enumerate(plan.questions):
        half = tuple(replace(each, scale=each.scale / 2) for each in question.sums)
        refuse(with_sums(plan, half, at), "too small")
        refuse(with_sums(plan, question.sums[:-1], at), "does not measure these sums")
        refuse(with_sums(plan, list(question.sums), at), "must be a tuple")
        first = replace(question.sums[0], sensitivity=question.sums[0].sensitivity - 1)
        refuse(with_sums(plan, (first, *question.sums[1:]), at), "sensitivity")
    # Some of the parts cost less than all of them do.
    assert price(replace(plan, questions=plan.questions[:2]))


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
def test_questions_share_what_adds_up(mechanism: str) -> None:
    """Epsilon under Laplace noise, squares of μ under Gaussian noise."""
    equal = several("joint", mechanism, groups=[None, PARTITIONS[1]])
    alone = make_plan(
        RATIOS[0],
        bounds={name: BOUNDS[name] for name in "sy"},
        budget=Budget(1, "1e-6"),
        strategy="joint",
        mechanism=mechanism,
    )
    more = 4 if mechanism == "laplace" else 2
    scale = equal.questions[0].sums[0].scale
    assert scale == pytest.approx(more * alone.questions[0].sums[0].scale, rel=1e-9)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"weight": Fraction(0)}, "weights of questions must be positive"),
        ({"weight": Fraction(-1, 2)}, "weights of questions must be positive"),
        ({"weight": Fraction(1)}, "at most 1 together"),
        ({"weight": 0.1}, "weights of questions must be positive"),
        ({"weight": None}, "weights of questions must be positive"),
        ({"partition": 3}, "each question belongs to a partition of the plan"),
        ({"partition": 4}, "each question belongs to a partition of the plan"),
        ({"partition": -1}, "each question belongs to a partition of the plan"),
        ({"partition": True}, "belongs to a partition|asked for once"),
        ({"partition": 1.0}, "belongs to a partition|asked for once"),
        ({"partition": None}, "each question belongs to a partition of the plan"),
        ({"ratio": RATIOS[0]}, "each ratio must be asked for once"),
        ({"ratio": "s / y"}, "ratio must be a Ratio"),
        ({"ratio": Ratio("s", per="z")}, "needs bounds"),
    ],
    ids=str,
)
@pytest.mark.parametrize("strategy", ["joint", "even"])
def test_a_question_changed_by_hand_is_refused(
    strategy: str, changes: dict[str, Any], match: str
) -> None:
    refuse(change_question(several(strategy, "laplace"), 1, **changes), match)


def test_questions_that_are_no_tuple_are_refused() -> None:
    plan = several("joint", "laplace")
    listed = replace(plan, questions=list(plan.questions))  # type: ignore[arg-type]
    refuse(listed, "questions of a plan must be a tuple")


def test_a_plan_states_the_edges_of_its_bins() -> None:
    plan = several("joint", "laplace")
    unsettled = (*PARTITIONS[:2], Groups.cross(ScoreBins("s", 2)))
    refuse(replace(plan, partitions=unsettled), "states the edges of its bins")
    beyond = (*PARTITIONS[:2], Groups.cross(ScoreBins("s", [0, 2])))
    refuse(replace(plan, partitions=beyond), "edges of bins must lie within")
    other = (None, None, plan.partitions[2])
    refuse(replace(plan, partitions=other), "each partition must be asked for once")


def person(strategy: str, mechanism: str, **unit: Any) -> Plan:  # noqa: ANN401
    return make_plan(
        Ratio("s", per="y", guess=1),
        bounds={name: BOUNDS[name] for name in "sy"},
        budget=Budget(1, "1e-6"),
        unit=PrivacyUnit("user", totals=TOTALS, **unit),
        groups=Groups("k", ["a", "b", "c"]),
        strategy=strategy,
        mechanism=mechanism,
    )


@pytest.mark.parametrize(("strategy", "mechanism"), LAWS)
@pytest.mark.parametrize(
    "unit",
    [{}, {"most_groups": 2}, {"neighbours": "change-one"}],
    ids=["one", "two groups", "changed"],
)
def test_noise_is_made_for_the_unit_that_is_declared(
    strategy: str, mechanism: str, unit: dict[str, Any]
) -> None:
    plan = person(strategy, mechanism, **unit)
    price(plan)
    less = tuple(
        replace(each, scale=each.scale * (1 - 1e-5)) for each in plan.questions[0].sums
    )
    refuse(with_sums(plan, less), "too small")
    for dearer in ({"most_groups": 3}, {"neighbours": "change-one", "most_groups": 2}):
        refuse(replace(plan, unit=replace(plan.unit, **dearer)), "too small")
    wider = {**TOTALS, "s": Bounds(0, 5.1)}
    refuse(replace(plan, unit=replace(plan.unit, totals=wider)))
    refuse(replace(plan, unit=PrivacyUnit()))
    refuse(replace(plan, unit=PrivacyUnit("user")), "bounds of its totals")
    refuse(replace(plan, unit=replace(plan.unit, column="k")), "ids cannot be a group")
    refuse(replace(plan, unit=replace(plan.unit, column="s")), "ids cannot be a column")


@pytest.mark.parametrize("strategy", ["focused", "joint", "even"])
def test_totals_without_two_cells_are_refused_as_a_plan(strategy: str) -> None:
    plan = person(strategy, "laplace")
    narrow = {**TOTALS, "s": Bounds(1, 1 + 1e-9)}
    refuse(replace(plan, unit=replace(plan.unit, totals=narrow)), "too narrow a range")


FOUND = PrivateKeys("k", Budget("0.25", "1e-7"))


def finding(mechanism: str, strategy: str = "joint") -> Plan:
    groups = [FOUND, None]
    return several(strategy, mechanism, groups=groups)


@pytest.mark.parametrize(("strategy", "mechanism"), LAWS)
def test_finding_keys_is_paid_from_the_budget(strategy: str, mechanism: str) -> None:
    plan = finding(mechanism, strategy)
    delta = Fraction("1e-7") if mechanism == "laplace" else ONE_IN_A_MILLION
    assert spent(price(plan)) == (Fraction(1), delta)
    assert plan.for_sums[0] == Fraction(3, 4)
    dearer = replace(FOUND, budget=Budget("0.2500001", "1e-7"))
    refuse(replace(plan, partitions=(dearer, None)), "too small")
    cheaper = replace(FOUND, budget=Budget("0.2", "1e-7"))
    assert price(replace(plan, partitions=(cheaper, None))).epsilon == 1
    if mechanism != "laplace":
        assert plan.for_sums[1] == Fraction("9e-7")
        dearer = replace(FOUND, budget=Budget("0.25", "1.01e-7"))
        refuse(replace(plan, partitions=(dearer, None)), "too small")


@pytest.mark.parametrize(
    "budget", [Budget(1, "1e-7"), Budget("0.5", "1.1e-6")], ids=str
)
def test_finding_keys_leaves_some_of_the_budget(budget: Budget) -> None:
    plan = finding("laplace")
    keys = replace(FOUND, budget=budget)
    refuse(replace(plan, partitions=(keys, None)), "must leave some of the budget")


def test_keys_are_found_only_for_units_that_are_added_or_removed() -> None:
    changed = replace(finding("laplace"), unit=PrivacyUnit(neighbours="change-one"))
    refuse(changed, "finding keys is proven for units that are added or removed")


def test_key_columns_are_not_those_of_the_ratio() -> None:
    plan = finding("laplace")
    keys = replace(FOUND, column="y")
    refuse(replace(plan, partitions=(keys, None)), "cannot be its group")
    crossed = Groups.cross(ScoreBins("s", [0, 1]), Keys("y", [0, 1]))
    refuse(replace(plan, partitions=(crossed, None)), "cannot be its group")
