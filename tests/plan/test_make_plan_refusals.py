"""Terms that cannot be planned are refused, with what to do."""

from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.price import price
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.unit import PrivacyUnit
from plan.score_plans import BINARY, WEIGHTED, focused, plan_of


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ratio": "score / label"}, "ratio must be a Ratio, got 'score / label'."),
        (
            {"budget": 1.0},
            "budget must be a Budget, got 1.0. Write Budget(epsilon=1).",
        ),
        (
            {"groups": ["north"]},
            (
                "groups must be Groups or None, got 'north'. "
                "Write Groups('north', ['a', 'b']), with its public keys."
            ),
        ),
        (
            {"groups": "north"},
            (
                "groups must be Groups or None, got 'north'. "
                "Write Groups('north', ['a', 'b']), with its public keys."
            ),
        ),
        (
            {"strategy": "evem"},
            (
                "unknown strategy, got 'evem'. Did you mean 'even'? "
                "Use one of: focused, joint, even."
            ),
        ),
        (
            {"mechanism": "laplase"},
            (
                "unknown mechanism, got 'laplase'. Did you mean 'laplace'? "
                "Use one of: laplace, analytic_gaussian, classical_gaussian, auto."
            ),
        ),
        (
            {"bounds": [("score", Bounds(0, 1))]},
            (
                "bounds must map column names to Bounds, got a list. "
                "Write {'score': Bounds(0, 1), …}."
            ),
        ),
        (
            {"bounds": {"score": (0, 1), "label": "binary"}},
            (
                "bounds must map column names to Bounds, got (0, 1) for 'score'. "
                "Write Bounds(0, 1)."
            ),
        ),
        (
            {"bounds": {"score": Bounds(0, 1)}},
            (
                "every column of the ratio needs bounds, got ['score']. "
                "Add bounds for: label."
            ),
        ),
        (
            {"bounds": {}},
            (
                "every column of the ratio needs bounds, got []. "
                "Add bounds for: score, label."
            ),
        ),
        (
            {"bounds": {**BINARY, "lable": Bounds.binary()}},
            (
                "bounds are given for columns not in the ratio, got ['lable']. "
                "Remove them, or check the spelling."
            ),
        ),
        (
            {"ratio": WEIGHTED, "bounds": {**BINARY, "weight": Bounds(-1, 1)}},
            (
                "the lower bound of a weight must be at least 0, got -1.0. "
                "Weights count people; they cannot be negative."
            ),
        ),
        (
            {"groups": Groups("label", ["north"])},
            (
                "a column of the ratio cannot be its group, got 'label'. "
                "Group by another column, or by bins of it."
            ),
        ),
        (
            {"budget": Budget(1), "mechanism": "analytic_gaussian"},
            (
                "Gaussian noise needs a delta above 0, got '0'. "
                "Give the budget a delta such as 1e-6, or use mechanism 'laplace'."
            ),
        ),
        (
            {"budget": Budget(6, "1e-6"), "mechanism": "classical_gaussian"},
            (
                "classical_gaussian is proven only up to epsilon 1 per sum, got 1.2. "
                "Use mechanism 'analytic_gaussian', which is proven for every epsilon."
            ),
        ),
    ],
    ids=lambda given_value: None if isinstance(given_value, dict) else "",
)
def test_a_term_that_breaks_a_rule_is_refused(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        plan_of(**changes)
    assert str(caught.value) == message


def test_bounds_with_a_name_that_is_not_text_are_refused_in_our_own_words() -> None:
    with pytest.raises(InvalidInput, match=r"bounds .*3"):
        plan_of(bounds={**BINARY, 3: Bounds(0, 1)})


def test_a_budget_too_small_for_64_bit_noise_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"below 2\^50 cells, got .* Raise epsilon"):
        plan_of(budget=Budget("1e-12"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"answers": "ratio"},
            "answers must be a list such as ['ratio', 'means'], got 'ratio'.",
        ),
        (
            {"answers": {"ratio"}},
            "answers must be a list such as ['ratio', 'means'], got a set.",
        ),
        (
            {"answers": ["means"]},
            (
                "answers must be 'ratio', and perhaps 'means', 'spread' and "
                "'calibration', each once, "
                "got ('means',)."
            ),
        ),
        ({"n": 0}, "n must be a whole number of at least 1, got 0."),
        ({"n": -5}, "n must be a whole number of at least 1, got -5."),
        ({"n": 5e3}, "n must be a whole number of at least 1, got 5000.0."),
        ({"n": True}, "n must be a whole number of at least 1, got True."),
        ({"n": "5000"}, "n must be a whole number of at least 1, got '5000'."),
        ({"guess": 1.1}, "guess must be a Guess or None, got 1.1."),
        (
            {"mechanism": "classical_gaussian"},
            (
                "strategy 'focused' has no classical_gaussian noise, got "
                "'classical_gaussian'. Use 'analytic_gaussian', which composes "
                "exactly, or strategy 'even'."
            ),
        ),
    ],
    ids=lambda given_value: None if isinstance(given_value, dict) else "",
)
def test_a_term_that_a_focused_plan_cannot_use_is_refused(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        focused(**changes)
    assert str(caught.value) == message


@pytest.mark.parametrize("strategy", ["focused", "joint", "even"])
def test_noise_beyond_64_bits_is_refused_when_the_plan_is_made(strategy: str) -> None:
    """A plan that is made can be priced."""
    totals = {"score": Bounds(0, 5), "label": Bounds(0, 5)}
    terms: dict[str, Any] = {
        "groups": PrivateKeys("shop", Budget("0.001", "1e-7")),
        "unit": PrivacyUnit("user", totals=totals, most_groups=10**6),
        "strategy": strategy,
        "budget": Budget("0.01", "1e-6"),
    }
    with pytest.raises(InvalidInput, match=r"below 2\^50 cells"):
        price(plan_of(**terms))


def test_a_threshold_beyond_64_bits_is_refused_when_the_plan_is_made() -> None:
    keys = PrivateKeys("shop", Budget("1e-12", "1e-7"))
    totals = {"score": Bounds(0, 5), "label": Bounds(0, 5)}
    unit = PrivacyUnit("user", totals=totals, most_groups=10**4)
    with pytest.raises(InvalidInput, match=r"below 2\^50 cells"):
        plan_of(groups=keys, unit=unit)


def test_more_people_than_doubles_can_count_are_refused() -> None:
    with pytest.raises(InvalidInput, match="at least 1"):
        focused(n=10**400)
