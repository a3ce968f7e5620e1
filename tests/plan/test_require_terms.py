"""The rules between terms, each with what breaks it and what to do about it."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpratio.plan.require_terms import require_terms
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from plan.terms_for_tests import RATIO, UNIT, WEIGHTED, WITH_WEIGHT, plan_of, refusal


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"ratio": WEIGHTED, "bounds": WITH_WEIGHT},
        {"ratio": WEIGHTED, "bounds": {**UNIT, "w": Bounds(0, 1)}},
        {"groups": Groups("region", ["north"])},
        {"answers": ("ratio", "means")},
        {"mechanism": "analytic_gaussian"},
        {"mechanism": "auto", "budget": Budget(1)},
        {"strategy": "joint", "mechanism": "analytic_gaussian"},
        {"strategy": "even", "mechanism": "classical_gaussian"},
        {"ratio": replace(RATIO, residual_bound=0.5)},
        {"ratio": replace(RATIO, guess=2), "strategy": "even"},
    ],
    ids=str,
)
def test_terms_that_fit_each_other_are_accepted(changes: dict[str, Any]) -> None:
    require_terms(plan_of(**changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ratio": "s / y"}, "ratio must be a Ratio, got 's / y'."),
        (
            {"budget": 1.0},
            "budget must be a Budget, got 1.0. Write Budget(epsilon=1).",
        ),
        (
            {"groups": ["north"]},
            (
                "groups must be Groups or None, got ['north']. "
                "Write Groups('region', ['north', 'south'])."
            ),
        ),
        (
            {"groups": Groups("y", ["north"])},
            (
                "a column of the ratio cannot be its group, got 'y'. "
                "Group by another column, or by bins of it."
            ),
        ),
        (
            {"ratio": WEIGHTED, "bounds": {**UNIT, "w": Bounds(-1, 1)}},
            (
                "the lower bound of a weight must be at least 0, got -1.0. "
                "Weights count people; they cannot be negative."
            ),
        ),
        (
            {"bounds": {"s": Bounds(0, 1)}},
            "every column of the ratio needs bounds, got ['s']. Add bounds for: y.",
        ),
        (
            {"bounds": WITH_WEIGHT},
            (
                "bounds are given for columns not in the ratio, got ['w']. "
                "Remove them, or check the spelling."
            ),
        ),
        (
            {"bounds": {"s": (0, 1), "y": (0, 1)}},
            (
                "bounds must map column names to Bounds, got (0, 1) for 's'. "
                "Write Bounds(0, 1)."
            ),
        ),
        (
            {"bounds": {"s": Bounds(0, 1), "y": (0, 1, 2)}},
            (
                "bounds must map column names to Bounds, got (0, 1, 2) for 'y'. "
                "Write {'score': Bounds(0, 1), …}."
            ),
        ),
        (
            {"bounds": {"s": Bounds(0, 1), "y": (Fraction(0), Fraction(1))}},
            (
                "bounds must map column names to Bounds, got a tuple for 'y'. "
                "Write {'score': Bounds(0, 1), …}."
            ),
        ),
        (
            {"bounds": None},
            (
                "bounds must map column names to Bounds, got None. "
                "Write {'score': Bounds(0, 1), …}."
            ),
        ),
    ],
    ids=lambda given: None if isinstance(given, dict) else "",
)
def test_terms_that_do_not_fit_are_refused(
    changes: dict[str, Any], message: str
) -> None:
    assert refusal(**changes) == message


@pytest.mark.parametrize("strategy", ["focused", "joint"])
def test_classical_noise_has_no_joint_price(strategy: str) -> None:
    assert refusal(strategy=strategy, mechanism="classical_gaussian") == (
        f"strategy '{strategy}' has no classical_gaussian noise, got "
        "'classical_gaussian'. Use 'analytic_gaussian', which composes exactly, or "
        "strategy 'even'."
    )


@pytest.mark.parametrize("strategy", ["even", "joint"])
def test_only_a_focused_plan_clips_residuals(strategy: str) -> None:
    ratio = replace(RATIO, residual_bound=0.5)
    assert refusal(strategy=strategy, ratio=ratio) == (
        f"strategy '{strategy}' does not use a residual bound, got 0.5. "
        "Use strategy 'focused', or leave the residual bound out."
    )


@pytest.mark.parametrize(
    ("strategy", "mechanism"),
    [
        ("focused", "analytic_gaussian"),
        ("even", "analytic_gaussian"),
        ("even", "classical_gaussian"),
    ],
)
def test_gaussian_noise_needs_a_delta(strategy: str, mechanism: str) -> None:
    assert refusal(strategy=strategy, mechanism=mechanism, budget=Budget(1)) == (
        "Gaussian noise needs a delta above 0, got '0'. "
        "Give the budget a delta such as 1e-6, or use mechanism 'laplace'."
    )


@pytest.mark.parametrize(
    "answers",
    [
        (),
        ("means",),
        ("ratio", "ratio"),
        ("ratio", "curve"),
        ("ratio", None),
        (["ratio"],),
        ["ratio"],
        "ratio",
        None,
        {"ratio": 1},
    ],
    ids=repr,
)
def test_answers_are_the_ratio_and_perhaps_means(answers: object) -> None:
    message = refusal(answers=answers)
    assert message.startswith(
        "answers must be 'ratio', and perhaps 'means', 'spread' and 'calibration', "
        "each once, got "
    )
