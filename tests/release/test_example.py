"""The release that comes with dpratio, and the plan that older versions wrote."""

from pathlib import Path

from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.release.example import example_release
from dpratio.release.plan_file import read_plan

PLAN = Path(__file__).parent / "golden" / "plan_v1.json"
TRUTH = [1.0, 1.05, 1.1, 1.2]


def test_the_example_is_about_invented_people_and_says_so() -> None:
    release = example_release()
    assert release.is_simulated
    assert [len(question.keys) for question in release.questions] == [4, 5]


def test_the_example_holds_the_ratios_it_speaks_of() -> None:
    found = estimate_ratios(example_release())
    inside = [
        low < truth < high
        for low, truth, high in zip(found.ci_lower, TRUTH, found.ci_upper, strict=False)
    ]
    assert inside == [True] * 4


def test_a_plan_of_the_first_version_is_read_as_it_was_written() -> None:
    assert read_plan(PLAN) == example_release().plan
