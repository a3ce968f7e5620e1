"""The rules between terms, each with what breaks it and what to do about it."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.part import Part
from dpratio.plan.plan import Plan
from dpratio.plan.require_terms import require_terms, settle_guess, settle_partition
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Keys, Periods, ScoreBins
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.question import Ratio
from dpratio.terms.unit import PrivacyUnit

RATIO = Ratio("s", per="y")
WEIGHTED = Ratio("s", per="y", weight="w")
UNIT = {"s": Bounds(0, 1), "y": Bounds.binary()}
WITH_WEIGHT = {**UNIT, "w": Bounds(0.5, 3)}
TERMS: dict[str, Any] = {
    "bounds": UNIT,
    "unit": PrivacyUnit(),
    "partitions": (None,),
    "budget": Budget(1, "1e-6"),
    "answers": ("ratio",),
    "strategy": "focused",
    "mechanism": "laplace",
}


def plan_of(**changes: Any) -> Plan:  # noqa: ANN401
    """Terms without noise; ``ratio`` and ``groups`` are those of the only part."""
    ratio, groups = changes.pop("ratio", RATIO), changes.pop("groups", None)
    parts = (Part(ratio, 0, Fraction(1), ()),)
    return Plan(**TERMS | {"parts": parts, "partitions": (groups,)} | changes)


def refusal(**changes: Any) -> str:  # noqa: ANN401
    with pytest.raises(InvalidInput) as caught:
        require_terms(plan_of(**changes))
    return str(caught.value)


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
        (
            {"strategy": "joint", "mechanism": "classical_gaussian"},
            (
                "strategy 'joint' has no classical_gaussian noise, got "
                "'classical_gaussian'. Use 'analytic_gaussian', which composes "
                "exactly, or strategy 'even'."
            ),
        ),
        (
            {"strategy": "joint", "ratio": replace(RATIO, residual_bound=0.5)},
            (
                "strategy 'joint' does not use a residual bound, got 0.5. "
                "Use strategy 'focused', or leave the residual bound out."
            ),
        ),
        (
            {"mechanism": "analytic_gaussian", "budget": Budget(1)},
            (
                "Gaussian noise needs a delta above 0, got '0'. "
                "Give the budget a delta such as 1e-6, or use mechanism 'laplace'."
            ),
        ),
    ],
    ids=lambda given: None if isinstance(given, dict) else "",
)
def test_terms_that_do_not_fit_are_refused(
    changes: dict[str, Any], message: str
) -> None:
    assert refusal(**changes) == message


@pytest.mark.parametrize(
    ("strategy", "mechanism"),
    [
        ("focused", "classical_gaussian"),
        ("joint", "classical_gaussian"),
    ],
)
def test_classical_noise_has_no_joint_price(strategy: str, mechanism: str) -> None:
    message = refusal(strategy=strategy, mechanism=mechanism)
    assert message.startswith(f"strategy '{strategy}' has no classical_gaussian noise")


@pytest.mark.parametrize("strategy", ["even", "joint"])
def test_only_a_focused_plan_clips_residuals(strategy: str) -> None:
    message = refusal(strategy=strategy, ratio=replace(RATIO, residual_bound=0.5))
    assert message.startswith(f"strategy '{strategy}' does not use a residual bound")


@pytest.mark.parametrize("mechanism", ["analytic_gaussian", "classical_gaussian"])
def test_gaussian_noise_needs_a_delta(mechanism: str) -> None:
    message = refusal(strategy="even", mechanism=mechanism, budget=Budget(1))
    assert message.startswith("Gaussian noise needs a delta above 0, got '0'.")


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
        "answers must be 'ratio', and perhaps 'means' and 'spread', each once, got "
    )


# The guess of a focused plan.


@pytest.mark.parametrize(
    ("s", "y"),
    [
        (Bounds(0, 1), Bounds(0, 1)),
        (Bounds(0, 1), Bounds.binary()),
        (Bounds.binary(), Bounds.binary()),
        (Bounds(-3, 2), Bounds(-3, 2)),
    ],
)
def test_columns_that_share_bounds_are_compared_with_one(s: Bounds, y: Bounds) -> None:
    settled = settle_guess(RATIO, plan_of(bounds={"s": s, "y": y}))
    assert settled == replace(RATIO, guess=1.0)
    assert type(settled.guess) is float


@pytest.mark.parametrize(
    ("s", "y"),
    [
        (Bounds(0, 1), Bounds(0, 2)),
        (Bounds(0, 1), Bounds(0.5, 1)),
        (Bounds(-1, 1), Bounds(0, 1)),
        (Bounds(0, 2), Bounds.binary()),
    ],
)
def test_columns_with_different_bounds_need_a_guess(s: Bounds, y: Bounds) -> None:
    with pytest.raises(InvalidInput) as caught:
        settle_guess(RATIO, plan_of(bounds={"s": s, "y": y}))
    assert str(caught.value) == (
        "the ratio needs a public guess where its columns have different bounds, got "
        "None. Write Ratio(…, guess=…), or guess = … in a study, with guess_is "
        "'unknown' where it is not more than a size; or use strategy 'joint'."
    )
    told = replace(RATIO, guess=0.0)
    assert settle_guess(told, plan_of(bounds={"s": s, "y": y})) is told


def test_a_given_guess_is_kept() -> None:
    for guess in (0.0, 1.0, -2.5):
        told = replace(RATIO, guess=guess)
        assert settle_guess(told, plan_of()) is told


@pytest.mark.parametrize(
    ("ratio", "bounds", "most"),
    [
        (RATIO, UNIT, 1.0),
        (WEIGHTED, WITH_WEIGHT, 3.0),
        (replace(RATIO, guess=2), UNIT, 2.0),
        (replace(RATIO, guess=-2), UNIT, 3.0),
        (replace(RATIO, guess=0), {"s": Bounds(-4, 1), "y": Bounds(0, 9)}, 4.0),
        (replace(WEIGHTED, guess=0.5), {**UNIT, "w": Bounds(0, 0.25)}, 0.25),
    ],
)
def test_a_residual_bound_binds_somewhere(
    ratio: Ratio, bounds: Mapping[str, Bounds], most: float
) -> None:
    """It must be below the largest |w(s − r₀y)| that the box allows."""
    below = replace(ratio, residual_bound=most * (1 - 1e-9))
    plan = plan_of(bounds=bounds)
    assert settle_guess(below, plan).residual_bound == below.residual_bound
    for bound in (most, most * 1.5, 2.0**50):
        with pytest.raises(InvalidInput) as caught:
            settle_guess(replace(ratio, residual_bound=bound), plan)
        said = str(caught.value)
        rule = f"the residual bound must be below {most:g}, which the box gives, got "
        assert said.startswith(rule)
        assert said.endswith("Leave it out, or promise less.")


def test_a_difference_is_guessed_to_be_zero() -> None:
    paired = Ratio("s", per="y", minus="m")
    plan = plan_of(ratio=paired, bounds={**UNIT, "m": Bounds(0, 1)})
    require_terms(plan)
    assert settle_guess(paired, plan) == replace(paired, guess=0.0)
    told = replace(paired, guess=0.5)
    assert settle_guess(told, plan) is told


@pytest.mark.parametrize("strategy", ["joint", "even"])
def test_only_a_focused_plan_needs_a_guess(strategy: str) -> None:
    plan = plan_of(strategy=strategy, bounds={"s": Bounds(0, 1), "y": Bounds(0, 2)})
    assert settle_guess(RATIO, plan) is RATIO


def test_a_guess_of_totals_follows_from_their_bounds() -> None:
    alike = PrivacyUnit("user", totals={"s": Bounds(0, 5), "y": Bounds(0, 5)})
    plan = plan_of(unit=alike, bounds={"s": Bounds(0, 1), "y": Bounds(0, 2)})
    assert settle_guess(RATIO, plan).guess == 1.0


# Partitions and units.

TOTALS = {"s": Bounds(0, 5), "y": Bounds(0, 4)}
PERSON = PrivacyUnit("user", totals=TOTALS)
FOUND = PrivateKeys("k", Budget("0.5", "1e-7"))


@pytest.mark.parametrize(
    "changes",
    [
        {"unit": PERSON},
        {"unit": replace(PERSON, most_groups=3), "groups": FOUND},
        {"unit": PrivacyUnit(neighbours="change-one")},
        {
            "groups": Groups.cross(
                ScoreBins("s", 3), Periods("t", "day", "2026-01-01", "2026-01-02")
            )
        },
        {
            "groups": Groups.cross(ScoreBins("age", 3)),
            "bounds": {**UNIT, "age": Bounds(0, 99)},
        },
        {"partitions": (None, FOUND, Groups("k", ["a"]))},
        {"groups": FOUND, "budget": Budget(1, "1e-7")},
        {"ratio": WEIGHTED, "bounds": WITH_WEIGHT, "unit": PERSON},
    ],
    ids=str,
)
def test_partitions_and_units_that_fit_are_accepted(changes: dict[str, Any]) -> None:
    require_terms(plan_of(**changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"unit": "row"}, "unit must be a PrivacyUnit, got 'row'."),
        ({"partitions": ()}, "groups must be Groups or None, got ()."),
        ({"partitions": [None]}, "groups must be Groups or None, got [None]."),
        (
            {"partitions": (None, 3)},
            (
                "groups must be Groups or None, got 3. "
                "Write Groups('region', ['north', 'south'])."
            ),
        ),
        (
            {"partitions": (None, None)},
            "each partition is asked for once, got 2.",
        ),
        ({"parts": ()}, "at least one ratio is asked for, got []."),
        (
            {"groups": replace(FOUND, column="s")},
            (
                "a column of the ratio cannot be its group, got 's'. "
                "Group by another column, or by bins of it."
            ),
        ),
        (
            {"groups": Groups.cross(ScoreBins("s", 2), Keys("y", [0, 1]))},
            (
                "a column of the ratio cannot be its group, got 'y'. "
                "Group by another column, or by bins of it."
            ),
        ),
        (
            {"unit": PrivacyUnit("user", totals={"s": Bounds(0, 5)})},
            (
                "a unit with many rows needs bounds of its totals, got ['s']. "
                "Add totals for: y."
            ),
        ),
        (
            {"unit": PrivacyUnit("user", totals={**TOTALS, "w": Bounds(0, 1)})},
            (
                "totals are given for columns that no ratio adds up, got ['w']. "
                "Remove them, or check the spelling."
            ),
        ),
        (
            {"unit": replace(PERSON, column="s")},
            (
                "ids cannot be a column of the ratio, got 's'. "
                "Ids say who; use another column."
            ),
        ),
        (
            {"unit": PERSON, "groups": Groups("user", ["a"])},
            "ids cannot be a group, got 'user'. Ids say who; use another column.",
        ),
        (
            {"unit": PERSON, "groups": replace(FOUND, column="user")},
            "ids cannot be a group, got 'user'. Ids say who; use another column.",
        ),
        (
            {"groups": FOUND, "unit": PrivacyUnit(neighbours="change-one")},
            (
                "finding keys is proven for units that are added or removed, got "
                "'change-one'."
            ),
        ),
        (
            {"groups": FOUND, "budget": Budget("0.5", "1e-6")},
            (
                "finding keys must leave some of the budget for sums, got '1/2'. "
                "Raise the budget, or spend less on finding keys."
            ),
        ),
        (
            {"groups": FOUND, "budget": Budget(1, "1e-8")},
            (
                "finding keys must leave some of the budget for sums, got "
                "'1/10000000'. Raise the budget, or spend less on finding keys."
            ),
        ),
    ],
    ids=lambda given: None if isinstance(given, dict) else "",
)
def test_partitions_and_units_that_do_not_fit_are_refused(
    changes: dict[str, Any], message: str
) -> None:
    assert refusal(**changes) == message


def test_only_declared_groups_have_bins_to_settle() -> None:
    bounds = {"s": Bounds(0, 1)}
    assert settle_partition(None, bounds) is None
    assert settle_partition(FOUND, bounds) is FOUND
    equal = Groups.cross(ScoreBins("s", 2))
    assert settle_partition(equal, bounds) == Groups.cross(ScoreBins("s", [0, 0.5, 1]))
