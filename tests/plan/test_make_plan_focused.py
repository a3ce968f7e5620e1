"""What is planned when nothing is said of strategy and mechanism."""

import math

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.price import price
from dpratio.terms.budget import Budget
from dpratio.terms.groups import PrivateKeys
from dpratio.terms.guess import ColumnGuess, Guess
from dpratio.terms.ratio import Ratio
from plan.score_plans import WEIGHTED, WITH_WEIGHT, focused, names, plan_of


def test_a_plan_is_focused_by_default() -> None:
    plan = focused()
    assert plan.strategy == "focused"
    assert plan.measurements[0].answers == ("ratio",)
    assert names(plan) == ["z", "h", "zz", "zh", "hh"]
    assert names(focused(WEIGHTED, bounds=WITH_WEIGHT)) == names(plan)
    means = focused(WEIGHTED, bounds=WITH_WEIGHT, answers=["ratio", "means"])
    assert names(means) == [*names(plan), "w", "ww", "wz", "wh"]
    assert means.questions[0].answers == ("ratio", "means")


def test_a_focused_plan_states_its_guess() -> None:
    """1 where both columns share bounds, also where one of them is binary."""
    assert focused().questions[0].ratio == Ratio("score", per="label", guess=1.0)
    asked = Ratio("score", per="label", guess=1.25, guess_is="unknown")
    assert focused(asked).questions[0].ratio == asked
    assert plan_of().questions[0].ratio.guess is None
    assert plan_of(strategy="joint").questions[0].ratio.guess is None


def test_another_guess_measures_other_columns() -> None:
    sizes = {
        guess: focused(Ratio("score", per="label", guess=guess)).columns()[
            "sensitivity"
        ]
        for guess in (0, 1, 2)
    }
    assert sizes == {0: [1, 1, 1, 1, 1], 1: [1, 2, 1, 1, 4], 2: [2, 3, 4, 4, 9]}


def test_a_residual_bound_lowers_sensitivity_and_noise() -> None:
    free = focused(mechanism="laplace")
    bound = focused(
        Ratio("score", per="label", residual_bound=0.25), mechanism="laplace"
    )
    assert bound.columns()["sensitivity"] == [0.25, 2, 0.0625, 0.4375, 4]
    assert bound.columns()["noise_sd"][0] < free.columns()["noise_sd"][0] / 2


@pytest.mark.parametrize("strategy", ["focused", "joint", "even"])
def test_auto_takes_the_noise_that_promises_less(strategy: str) -> None:
    """At delta 1e-6 and few sums Laplace wins; where delta is large Gaussian does."""
    small, large = Budget("0.2", "1e-6"), Budget("0.2", "0.1")
    assert focused(strategy=strategy, budget=small).mechanism == "laplace"
    assert focused(strategy=strategy, budget=large).mechanism == "analytic_gaussian"
    for budget in (small, large):
        chosen = focused(strategy=strategy, budget=budget)
        other = {"laplace": "analytic_gaussian", "analytic_gaussian": "laplace"}
        rejected = focused(
            strategy=strategy, budget=budget, mechanism=other[chosen.mechanism]
        )
        first, second = (plan.columns()["noise_sd"][0] for plan in (chosen, rejected))
        assert first < second
        assert chosen == focused(
            strategy=strategy, budget=budget, mechanism=chosen.mechanism
        )


@pytest.mark.parametrize("strategy", ["focused", "joint", "even"])
def test_auto_without_a_delta_is_laplace(strategy: str) -> None:
    plan = focused(strategy=strategy, budget=Budget(1))
    assert plan.law == LAPLACE
    assert plan.delta == 0


def test_a_guess_of_the_people_shares_the_budget_differently() -> None:
    """Rare labels make the denominator the hard part."""
    rare = Guess(ColumnGuess(0.02, 0.05), ColumnGuess(0.02))
    usual, told = focused(mechanism="laplace"), focused(mechanism="laplace", guess=rare)
    assert told.columns()["noise_sd"][1] < 0.9 * usual.columns()["noise_sd"][1]
    assert told.columns()["noise_sd"][0] > usual.columns()["noise_sd"][0]
    assert price(told).epsilon == price(usual).epsilon


def test_the_number_of_people_shares_the_budget_differently() -> None:
    """The more people, the less their variance needs."""
    few, many = (focused(mechanism="laplace", n=n) for n in (500, 500_000))
    assert many.columns()["noise_sd"][2] > 2 * few.columns()["noise_sd"][2]
    assert many.columns()["noise_sd"][0] < few.columns()["noise_sd"][0]


def test_an_unknown_ratio_pays_more_for_its_denominator() -> None:
    close, unknown = (
        focused(Ratio("score", per="label", guess_is=word), mechanism="laplace")
        for word in ("close", "unknown")
    )
    assert unknown.columns()["noise_sd"][1] < close.columns()["noise_sd"][1] / 1.5


def test_a_focused_plan_has_far_less_noise_where_the_ratio_needs_it() -> None:
    """var(Σws − r·Σwy) of both plans at the guess."""
    paper, ours = plan_of(), focused(mechanism="laplace")
    noise = dict(zip(names(paper), paper.columns()["noise_sd"], strict=True))
    even = math.hypot(noise["ws"], noise["wy"])
    assert ours.columns()["noise_sd"][0] < even / 4


@pytest.mark.parametrize(("delta", "law"), [("1e-7", "laplace"), ("1e-3", None)])
def test_no_gaussian_noise_is_tried_where_keys_take_all_of_delta(
    delta: str, law: str | None
) -> None:
    keys = PrivateKeys("shop", Budget("0.1", "1e-7"))
    plan = focused(groups=keys, budget=Budget(1, delta))
    assert law is None or plan.law.name == law
    price(plan)


def test_auto_keeps_the_law_that_can_be_planned() -> None:
    """At this epsilon Laplace noise would pass 2^50 cells; Gaussian noise does not."""
    little = Budget("1e-5", "1e-6")
    assert focused(budget=little, mechanism="auto").mechanism == "analytic_gaussian"
    with pytest.raises(InvalidInput, match=r"2\^50"):
        focused(budget=little, mechanism="laplace")
