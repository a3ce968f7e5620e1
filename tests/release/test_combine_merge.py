"""Releases of disjoint people are merged, with their noise; the rest is refused."""

import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpratio.errors import InvalidInput
from dpratio.release.combine import merge, roll_up
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.question import Ratio
from dpratio.terms.unit import PrivacyUnit
from release.derived_releases import CROSSED, TEXT, TOTALS, survives
from release.releases_for_tests import BOUNDS, GROUPS, RELEASES, plan_of, release_of


def test_merged_values_and_noise_add_up(tmp_path: Path) -> None:
    merged = merge(TEXT[:3])
    assert np.array_equal(merged.values, sum(each.values for each in TEXT[:3]))
    (layer,) = merged.parts[0].noise
    assert layer.counts.tolist() == [3]
    assert merged.sources == tuple(sorted(each.id for each in TEXT[:3]))
    assert survives(merged, tmp_path)
    assert not merged.is_simulated
    invented = release_of(plan_of(GROUPS["text"]), 9, is_simulated=True)
    assert merge([TEXT[0], invented]).is_simulated


def test_the_order_and_the_steps_of_merging_do_not_matter() -> None:
    small = release_of(plan_of(GROUPS["text"], budget=Budget("0.5", "1e-6")), 7)
    given = [*TEXT[:2], small]
    whole = merge(given)
    for order in itertools.permutations(given):
        assert merge(order) == whole
        first, second, third = order
        assert merge([merge([first, second]), third]) == whole
        assert merge([first, merge([second, third])]) == whole


def test_releases_of_two_budgets_keep_two_layers_of_noise(tmp_path: Path) -> None:
    merged = RELEASES["merged at two budgets"]
    layers = merged.parts[0].noise
    assert len(layers) == 2
    assert all(layer.counts.tolist() == [1] for layer in layers)
    rolled = roll_up(merged)
    assert [layer.counts.tolist() for layer in rolled.parts[0].noise] == [[4], [4]]
    assert survives(rolled, tmp_path)


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
def test_a_merged_plan_states_what_the_dearest_of_them_costs(
    mechanism: str, tmp_path: Path
) -> None:
    budgets = [Budget(1, "1e-6"), Budget(2, "1e-7"), Budget("0.5", "1e-6")]
    given = [
        release_of(plan_of(GROUPS["text"], budget=each, mechanism=mechanism), seed)
        for seed, each in enumerate(budgets)
    ]
    whole = merge(given)
    assert whole.plan.epsilon == 2
    assert whole.plan.delta == max(each.plan.delta for each in given)
    assert survives(whole, tmp_path)
    for first, second, third in itertools.permutations(given):
        assert merge([merge([first, second]), third]) == whole


def changed(**terms: Any) -> Release:  # noqa: ANN401
    return release_of(plan_of(terms.pop("groups", GROUPS["text"]), **terms), 11)


OTHERS: dict[str, tuple[Release, str]] = {
    "bounds": (
        changed(bounds={**BOUNDS, "score": Bounds(0, 0.5)}, strategy="even"),
        "got 'another bounds'",
    ),
    "unit": (changed(unit=PrivacyUnit(neighbours="change-one")), "'another unit'"),
    "strategy": (changed(strategy="joint"), "got 'another strategy'"),
    "answers": (changed(answers=("ratio", "means")), "got 'another answers'"),
    "ratio": (
        changed(ratio=Ratio("score", per="label", guess=0.5)),
        "releases must ask the same, got 'another ratio'",
    ),
    "groups": (changed(groups=Groups("g", ["b", "a"])), "must have the same cells"),
}


@pytest.mark.parametrize("what", OTHERS)
def test_releases_that_measured_something_else_are_refused(what: str) -> None:
    other, message = OTHERS[what]
    for pair in ([TEXT[0], other], [other, TEXT[0]]):
        with pytest.raises(InvalidInput, match=re.escape(message)):
            merge(pair)


def test_releases_that_share_a_source_are_refused() -> None:
    first, second, third, _ = TEXT
    for given in (
        [first, first],
        [merge([first, second]), second],
        [merge([first, second]), merge([third, first])],
    ):
        with pytest.raises(InvalidInput) as refused:
            merge(given)
        said = str(refused.value)
        assert said.startswith("releases that are merged must not share a source, got")
        assert said.endswith("The same people would count twice.")
    with pytest.raises(InvalidInput, match="must not share a source"):
        merge([roll_up(CROSSED, ["g"]), roll_up(CROSSED, ["g"])])


def test_people_with_ids_are_merged_only_where_nobody_is_in_two_releases() -> None:
    unit = PrivacyUnit("id", totals=TOTALS)
    given = [release_of(plan_of(GROUPS["text"], unit=unit), seed) for seed in (1, 2)]
    for word in (False, 1, "yes"):
        with pytest.raises(InvalidInput) as refused:
            merge(given, units_are_disjoint=word)  # type: ignore[arg-type]
        assert "Say units_are_disjoint=True if no unit is in two" in str(refused.value)
    merged = merge(given, units_are_disjoint=True)
    assert np.array_equal(merged.values, given[0].values + given[1].values)


@pytest.mark.parametrize("given", [[], TEXT[:1], TEXT[0], "ab", [TEXT[0], 5], None])
def test_fewer_than_two_releases_are_refused(given: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="two releases or more are merged"):
        merge(given)


def test_parts_of_several_are_merged_each_for_itself(tmp_path: Path) -> None:
    plan = plan_of([None, GROUPS["text"], PrivateKeys("p", Budget("0.25", "1e-7"))])
    found = {2: Groups("p", ["x", "y"])}
    given = [release_of(plan, seed, found) for seed in (1, 2)]
    merged = merge(given)
    for at in range(3):
        added = given[0].parts[at].values + given[1].parts[at].values
        assert np.array_equal(merged.parts[at].values, added)
    assert survives(merged, tmp_path)
