"""From terms to a plan: which sums, at what noise, with what part of the budget."""

import math
from fractions import Fraction
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.laws import GAUSSIAN
from dpratio.plan.make_plan import make_plan
from dpratio.plan.price import price
from dpratio.plan.sensitivity.joint import is_convex
from dpratio.plan.sensitivity.sums import MOMENTS, Contrast
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import PrivateKeys, ScoreBins
from dpratio.terms.population import MeanSd, Population
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.study_file import parse_study
from plan.priced_plans import edit, refuse, regroup
from plan.score_plans import (
    BINARY,
    RATIO,
    WEIGHTED,
    WITH_WEIGHT,
    focused,
    names,
    plan_of,
)
from planned import question_text

EVERY_STRATEGY = pytest.mark.parametrize("strategy", ["focused", "joint", "even"])


def test_a_plan_is_focused_by_default() -> None:
    plan = focused()
    assert (plan.study.strategy, plan.study.questions[0].answers) == (
        "focused",
        ("ratio",),
    )
    assert names(plan) == ["z", "h", "zz", "zh", "hh"]
    assert names(focused(WEIGHTED, bounds=WITH_WEIGHT)) == names(plan)
    means = focused(WEIGHTED, bounds=WITH_WEIGHT, answers=["ratio", "means"])
    assert names(means) == [*names(plan), "w", "ww", "wz", "wh"]
    limited = focused(Ratio("score", per="label", guess=2, residual_bound=0.5))
    assert limited.layout(limited.measurements[0]).contrast == Contrast(2.0, 0.5)
    even = plan_of()
    assert even.layout(even.measurements[0]).contrast is None


def test_every_sum_gets_the_same_share_of_the_budget() -> None:
    plan = plan_of(budget=Budget("0.1", "1e-6"), mechanism="analytic_gaussian")
    for each in plan.measurements[0].sums:
        assert each.scale == GAUSSIAN.calibrate(
            sensitivity=each.sensitivity,
            epsilon=Fraction(1, 50),
            delta=Fraction(1, 5 * 10**6),
        )
    assert plan.columns()["share"] == [0.2] * 5
    assert (plan.epsilon, plan.delta) == (Fraction(1, 10), Fraction(1, 10**6))
    assert (plan_of().epsilon, plan_of().delta) == (Fraction(1), Fraction(0))


def test_the_sensitivity_is_the_largest_size_over_the_box() -> None:
    """Not the paper's u_w for every sum: Σw² moves by u_w², and signs count."""
    score, label = Bounds(-2, 1), Bounds(-0.5, 4)
    bounds = {"score": score, "label": label, "weight": Bounds(0.5, 3)}
    plan = plan_of(WEIGHTED, bounds=bounds)
    shown = dict(zip(names(plan), plan.columns()["sensitivity"], strict=True))
    sizes = (3, 12, 6, 9, 48, 12, 24)
    assert shown == dict(zip(MOMENTS, sizes, strict=True))


@pytest.mark.parametrize("guess", [0, 1, 2])
def test_another_guess_measures_other_columns(guess: int) -> None:
    """Sizes of z = s − r₀y, of h, and of their products."""
    sizes = {0: [1, 1, 1, 1, 1], 1: [1, 2, 1, 1, 4], 2: [2, 3, 4, 4, 9]}
    plan = focused(Ratio("score", per="label", guess=guess))
    assert plan.columns()["sensitivity"] == sizes[guess]


def test_laplace_noise_has_the_textbook_scale() -> None:
    """b = Δ k/ε for k sums; its standard deviation is b√2."""
    plan = plan_of(WEIGHTED, bounds=WITH_WEIGHT, budget=Budget(2))
    wanted = [math.sqrt(2) * reach * 6 / 2 for reach in (3, 3, 3, 9, 3, 3)]
    assert plan.columns()["noise_sd"] == pytest.approx(wanted, rel=1e-12)


def test_classical_gaussian_noise_has_the_scale_of_equation_5() -> None:
    """Miao & Li (2022), eq. 5: σ = Δ√(2 log(1.25/δ))/ε, at a sixth of the budget."""
    plan = plan_of(WEIGHTED, bounds=WITH_WEIGHT, mechanism="classical_gaussian")
    unit = math.sqrt(2 * math.log(1.25 / (1e-6 / 6))) / (1 / 6)
    assert unit == pytest.approx(33.760773, rel=1e-7)
    wanted = [unit * reach for reach in (3, 3, 3, 9, 3, 3)]
    assert plan.columns()["noise_sd"] == pytest.approx(wanted, rel=1e-12)
    analytic = plan_of(WEIGHTED, bounds=WITH_WEIGHT, mechanism="analytic_gaussian")
    assert analytic.columns()["noise_sd"][0] < wanted[0]


@EVERY_STRATEGY
def test_auto_takes_the_noise_that_promises_less(strategy: str) -> None:
    """At delta 1e-6 and few sums Laplace wins; where delta is large Gaussian does."""
    laws = ["laplace", "analytic_gaussian"]
    for delta, wanted in (("1e-6", laws), ("0.1", laws[::-1])):
        terms: dict[str, Any] = {"strategy": strategy, "budget": Budget("0.2", delta)}
        chosen, rejected = (focused(mechanism=law, **terms) for law in wanted)
        first, second = (plan.columns()["noise_sd"][0] for plan in (chosen, rejected))
        assert first < second
        assert focused(**terms) == chosen
    assert focused(strategy=strategy, budget=Budget(1)).law.name == "laplace"


def test_auto_keeps_the_law_that_can_be_planned() -> None:
    """At this epsilon Laplace noise would pass 2^50 cells; Gaussian noise does not."""
    little = Budget("1e-5", "1e-6")
    assert focused(budget=little).law.name == "analytic_gaussian"
    with pytest.raises(InvalidInput, match=r"2\^50"):
        focused(budget=little, mechanism="laplace")
    # Keys take all of this delta, and leave none for Gaussian noise.
    keys = PrivateKeys("shop", Budget("0.1", "1e-7"))
    assert focused(groups=keys, budget=Budget(1, "1e-7")).law.name == "laplace"
    price(focused(groups=keys, budget=Budget(1, "1e-3")))


def noise(**terms: Any) -> list[float]:  # noqa: ANN401
    found: list[float] = focused(mechanism="laplace", **terms).columns()["noise_sd"]
    return found


def test_a_guess_of_the_people_shares_the_budget_differently() -> None:
    """Rare labels make the denominator the hard part."""
    rare = Population(MeanSd(0.02, 0.05), MeanSd(0.02))
    usual, guessed = noise(), noise(population=rare)
    assert guessed[1] < 0.9 * usual[1]
    assert guessed[0] > usual[0]


@EVERY_STRATEGY
@pytest.mark.parametrize("size", [2.0**-100, 2.0**100])
@pytest.mark.parametrize("guess", [1.0, 0.0, -1.0])
def test_bounds_of_extreme_size_can_be_planned(
    size: float, guess: float, strategy: str
) -> None:
    """Products of four such values are still doubles; shares have no units."""
    plan = focused(
        Ratio("score", per="label", weight="weight", guess=guess),
        bounds=dict.fromkeys(("score", "label", "weight"), Bounds(0, size)),
        strategy=strategy,
        answers=("ratio", "means"),
    )
    assert price(plan).epsilon == 1


SHARED = {"s": Bounds(0, 1), "y": Bounds.binary()}


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian", "auto"])
@pytest.mark.parametrize(
    ("ratio", "bounds"),
    [
        (Ratio("s", per="y"), SHARED),
        (Ratio("s", per="y", weight="w"), SHARED | {"w": Bounds(0, 100)}),
        (Ratio("s", per="y"), {"s": Bounds(-1, 1), "y": Bounds(-1, 1)}),
        (Ratio("s", per="y"), {"s": Bounds(5, 9), "y": Bounds(5, 9)}),
        (Ratio("s", per="y", guess=1), {"s": Bounds(0, 3), "y": Bounds(0, 1)}),
        (Ratio("s", per="y", residual_bound=0.5), SHARED),
    ],
)
def test_a_plan_for_calibration_spends_most_on_the_gaps(
    mechanism: str, ratio: Ratio, bounds: dict[str, Bounds]
) -> None:
    terms: dict[str, Any] = {"bounds": bounds, "groups": ScoreBins("s", 10)}
    plan = focused(
        ratio, answers=("ratio", "calibration"), mechanism=mechanism, **terms
    )
    question = plan.measurements[0]
    assert (question.ratio.guess, question.basis) == (1, "sum")
    assert names(plan) == ["z", "h", "zz", "zh", "hh"]
    if bounds == SHARED and ratio.residual_bound is None:
        assert 0.69 < plan.shares(question)[0] < 0.72
    assert is_convex(plan.law, plan.layout(question).grid, question.scales)
    assert price(plan).epsilon == 1
    # Bins that were rolled up leave a plan that is priced.
    assert price(regroup(plan, None)).epsilon == 1
    refuse(edit(plan, scale=question.sums[0].scale * 0.99), "too small for the budget")


def test_a_study_is_planned_as_its_terms_are() -> None:
    terms: dict[str, Any] = {"bounds": BINARY, "budget": Budget(1, "1e-6")}
    plan = make_plan(RATIO, **terms)
    assert make_plan(Study(RATIO, **terms)) == plan
    text = f"{question_text()}[privacy]\nepsilon = 1\ndelta = 1e-6\n"
    assert make_plan(parse_study(text)) == plan
    text += 'strategy = "joint"\nmechanism = "analytic_gaussian"\n[population]\nn = 70'
    chosen = make_plan(parse_study(text))
    assert (chosen.study.strategy, chosen.law.name) == ("joint", "analytic_gaussian")
    with pytest.raises(InvalidInput, match="holds all of its terms"):
        make_plan(Study(RATIO, **terms), n=70)
