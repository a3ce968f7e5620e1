"""The release that comes with dpratio, and its plan in a file."""

from pathlib import Path

import pytest

from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.release.files import example_release, read_plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, ScoreBins
from dpratio.terms.ratio import Ratio

PLAN = Path(__file__).parent / "golden" / "plan_v1.json"
TRUTH = [1.0, 1.05, 1.1, 1.2]


@pytest.mark.parametrize("strategy", ["focused", "joint"])
def test_the_example_is_about_invented_people_and_says_so(strategy: str) -> None:
    release = example_release(strategy)
    assert release.measured.strategy == strategy
    assert release.is_simulated
    assert [len(question.keys) for question in release.questions] == [4, 5]


def test_the_example_is_of_the_default_product() -> None:
    plan = example_release().measured
    made = make_plan(
        Ratio("score", per="label"),
        bounds={"score": Bounds(0, 1, natural=True), "label": Bounds.binary()},
        groups=[
            Groups("region", ["north", "east", "south", "west"]),
            ScoreBins("score", 5),
        ],
        answers=("ratio", "means"),
        budget=Budget(epsilon=2),
    )
    assert (plan.strategy, plan.law) == (made.strategy, made.law)
    assert plan.bounds == made.bounds
    for own, other in zip(plan.measurements, made.measurements, strict=True):
        assert [each.summand for each in own.sums] == [
            each.summand for each in other.sums
        ]
        # Last digits are of the version that planned it.
        assert own.scales == pytest.approx(other.scales, rel=1e-6)


def test_an_unknown_strategy_is_refused() -> None:
    with pytest.raises(InvalidInput, match="unknown strategy, got 'even'"):
        example_release("even")


def test_the_example_holds_the_ratios_it_speaks_of() -> None:
    found = estimate_ratios(example_release())
    inside = [
        low < truth < high
        for low, truth, high in zip(found.ci_lower, TRUTH, found.ci_upper, strict=False)
    ]
    assert inside == [True] * 4


def test_the_golden_plan_is_that_of_the_example() -> None:
    assert read_plan(PLAN) == example_release("joint").plan
