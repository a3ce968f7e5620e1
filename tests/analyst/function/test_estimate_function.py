"""Functions of sums: arms, statuses, refusals, and functions of one's own."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analyst.given import given_plan, given_release, noiseless, summed
from dpratio.analyst.function.estimate_function import estimate_function
from dpratio.analyst.function.function_of_sums import FunctionOfSums
from dpratio.analyst.function.function_results import FUNCTION_STATUSES
from dpratio.analyst.function.functions import (
    correlation,
    difference_of_means,
    lift,
    mean,
    slope,
    variance,
)
from dpratio.errors import InvalidInput
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Groups, Keys
from dpratio.terms.unit import PrivacyUnit

BOUNDS = {"s": Bounds(0, 1), "y": Bounds(0, 1), "w": Bounds(0, 2)}
ARMS = Groups.cross(Keys("land", ["north", "south"]), Keys("arm", ["old", "new"]))


def release_of(
    groups: Groups | None = None,
    *,
    people: int = 4000,
    weight: str | None = None,
    exact: bool = True,
    **terms: Any,  # noqa: ANN401
) -> Release:
    """People spread over the cells in turn; scores rise from cell to cell."""
    bounds = {name: each for name, each in BOUNDS.items() if weight or name != "w"}
    given = {"answers": ("ratio", "means"), **terms}
    plan = given_plan(bounds, groups=groups, **given)
    count = 1 if groups is None else groups.count
    rng = np.random.default_rng(8)
    cells = np.array(np.arange(people) % count, dtype=np.float64)
    columns = {"s": rng.random(people) * (1 + cells) / count, "y": rng.random(people)}
    if weight:
        columns["w"] = rng.random(people) * 2
    sums = summed(plan, columns, cells)
    return given_release(noiseless(plan) if exact else plan, sums)


def test_arms_are_compared_within_every_other_cell() -> None:
    release = release_of(ARMS)
    found = estimate_function(release, difference_of_means(), arms=("new", "old"))
    table = found.columns()
    assert table["land"] == ["north", "south"]
    assert table["arm"] == ["new", "new"]
    assert table["arm_against"] == ["old", "old"]
    alone = estimate_function(release, mean()).estimate
    assert found.estimate == pytest.approx([alone[1] - alone[0], alone[3] - alone[2]])
    lifted = estimate_function(release, lift(), arms=("new", "old")).estimate
    assert lifted == pytest.approx([alone[1] / alone[0] - 1, alone[3] / alone[2] - 1])
    other = estimate_function(release, difference_of_means(), arms=("old", "new"))
    assert other.estimate == pytest.approx(-found.estimate)


def test_variances_of_two_arms_add_up() -> None:
    release = release_of(ARMS)
    found = estimate_function(release, difference_of_means(), arms=("new", "old"))
    alone = estimate_function(release, mean()).se
    assert found.se[0] == pytest.approx(math.hypot(alone[0], alone[1]), rel=1e-9)


def test_a_single_group_column_may_be_the_arm() -> None:
    release = release_of(Groups("arm", [1, 2, 3]))
    found = estimate_function(release, difference_of_means(), arms=(3, 1))
    assert len(found) == 1
    assert found.estimate[0] > 0


@pytest.mark.parametrize(
    ("arms", "said"),
    [
        (None, "arms must be two groups, got None. Write arms="),
        (("new",), "arms must be two groups"),
        (("new", "new"), "arms must be two groups"),
        (("new", "older"), "these arms cannot be compared"),
        (("north", "new"), "Both must be keys of one group column"),
    ],
)
def test_arms_that_are_none_are_refused(arms: Any, said: str) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=said):
        estimate_function(release_of(ARMS), difference_of_means(), arms=arms)


def test_arms_without_partners_or_groups_are_refused() -> None:
    listed = Groups(["land", "arm"], [("north", "old"), ("south", "new")])
    with pytest.raises(InvalidInput, match="no cell has both arms"):
        estimate_function(
            release_of(listed), difference_of_means(), arms=("new", "old")
        )
    with pytest.raises(InvalidInput, match="these arms cannot be compared"):
        estimate_function(release_of(), difference_of_means(), arms=("new", "old"))
    with pytest.raises(InvalidInput, match="this function compares no arms"):
        estimate_function(release_of(ARMS), mean(), arms=("new", "old"))


def test_arms_that_share_people_are_refused() -> None:
    totals = {"s": Bounds(0, 1), "y": Bounds(0, 1)}
    unit = PrivacyUnit("id", totals=totals, most_groups=2)
    release = release_of(ARMS, unit=unit)
    with pytest.raises(InvalidInput, match="arms that share units cannot be compared"):
        estimate_function(release, difference_of_means(), arms=("new", "old"))


@pytest.mark.parametrize(
    ("terms", "function", "said"),
    [
        ({"answers": ("ratio",)}, mean(), r"answers=\('ratio', 'means'\)"),
        ({}, variance(), "sum wss.*strategy='joint', and answers="),
        (
            {"strategy": "joint"},
            slope(),
            "cannot tell how the sums .* strategy='joint' and answers=.*'spread'",
        ),
        (
            {"strategy": "joint", "weight": "w"},
            correlation(),
            r"vary from sample to sample.*'spread'",
        ),
    ],
)
def test_what_a_release_does_not_hold_is_refused_with_the_plan_to_make(
    terms: dict[str, Any], function: FunctionOfSums, said: str
) -> None:
    with pytest.raises(InvalidInput, match=said):
        estimate_function(release_of(**terms), function)


@pytest.mark.parametrize(
    "options",
    [
        {"method": "fieller"},
        {"level": 95},
        {"level": 1.0},
        {"draws": 1},
        {"rng": -1},
        {"question": 2},
        {"question": True},
        {"function": "mean"},
    ],
    ids=str,
)
def test_an_option_that_is_none_is_refused(options: dict[str, Any]) -> None:
    given = {"function": mean(), **options}
    with pytest.raises(InvalidInput):
        estimate_function(release_of(), given.pop("function"), **given)
    with pytest.raises(InvalidInput, match="release must be a Release"):
        estimate_function("release.json", mean())  # type: ignore[arg-type]


PER = FunctionOfSums("per", ("ws", "wy"), lambda sums: sums["ws"] / sums["wy"])


def test_a_function_of_one_s_own_is_answered_like_a_ready_one() -> None:
    release = release_of(exact=False)
    given = replace(
        PER,
        gradient=lambda sums: {
            "ws": 1 / sums["wy"],
            "wy": -sums["ws"] / sums["wy"] ** 2,
        },
    )
    derived, by_hand = (estimate_function(release, each) for each in (PER, given))
    for name in ("estimate", "ci_lower", "ci_upper", "se_sampling", "se_privacy"):
        assert getattr(derived, name) == pytest.approx(getattr(by_hand, name))
    assert derived.status == ("ok",)


def test_a_gradient_by_hand_goes_through_the_link_and_the_arms() -> None:
    release = release_of(ARMS)
    ready = lift()

    def gradient(first: Any, second: Any) -> tuple[Any, Any]:  # noqa: ANN401
        lift = (first["ws"] / first["w"]) / (second["ws"] / second["w"])
        return (
            {"ws": lift / first["ws"], "w": -lift / first["w"]},
            {"ws": -lift / second["ws"], "w": lift / second["w"]},
        )

    given = replace(ready, gradient=gradient)
    # The pivot asks for no gradient of the whole; the delta method does.
    options: dict[str, Any] = {"arms": ("new", "old"), "method": "delta"}
    derived, by_hand = (
        estimate_function(release, each, **options) for each in (ready, given)
    )
    assert derived.ci_lower == pytest.approx(by_hand.ci_lower, rel=1e-9)


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "two words"},
        {"needs": ()},
        {"needs": ("ws", "ws")},
        {"needs": ["ws"]},
        {"formula": None},
        {"gradient": 3},
        {"arms": 3},
        {"link": "logit"},
    ],
    ids=str,
)
def test_a_function_that_is_none_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        replace(PER, **changes)


def test_a_function_that_noise_leaves_undefined_is_unbounded() -> None:
    """The correlation of next to nobody: noise alone moves it out of its range."""
    release = release_of(
        people=3, strategy="joint", answers=("ratio", "spread"), exact=False
    )
    found = estimate_function(release, correlation())
    assert found.status == ("unbounded",)
    assert (found.ci_lower[0], found.ci_upper[0]) == (-1.0, 1.0)
    assert math.isinf(found.se[0])
    assert FUNCTION_STATUSES["unbounded"] in "\n".join(found.notes())
    redrawn = estimate_function(release, correlation(), method="monte_carlo", rng=1)
    assert redrawn.status == ("unbounded",)


def test_a_result_says_what_it_is() -> None:
    found = estimate_function(release_of(ARMS, exact=False), mean("per"))
    text = str(found)
    assert "Estimates of mean of per; intervals at level 0.95, method pivot." in text
    assert found._repr_html_().startswith("<p>Estimates of mean of per")
    assert list(found.columns())[:2] == ["land", "arm"]
    assert len(found) == 4
    simulated = replace(found, is_simulated=True)
    assert simulated.notes()[0].startswith("SIMULATED")


def test_weights_that_depend_on_the_values_are_allowed_for() -> None:
    """The focused plan holds Σw²s and Σw², so its mean has the linearised error."""
    rng = np.random.default_rng(3)
    s, w = rng.random(5000), np.zeros(5000)
    w[:] = 0.2 + 1.8 * s
    plan = given_plan(BOUNDS, answers=("ratio", "means"))
    columns = {"s": s, "y": rng.random(5000), "w": w}
    release = given_release(noiseless(plan), summed(plan, columns, np.zeros(5000)))
    found = estimate_function(release, mean())
    centre = (w * s).sum() / w.sum()
    error = math.sqrt((w**2 * (s - centre) ** 2).sum()) / w.sum()
    assert found.se_sampling[0] == pytest.approx(error, rel=1e-6)
