"""Releases of disjoint people are merged, with their noise; the rest is refused."""

import itertools
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dpratio.release.merge import merge
from dpratio.release.roll_up import roll_up

from dpratio.errors import InvalidInput
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from release.derived_releases import CROSSED, TEXT, TOTALS, survives
from release.releases_for_tests import (
    BOUNDS,
    GROUPS,
    RELEASES,
    add_up,
    plan_of,
    release_of,
)


def test_merged_values_and_noise_add_up(tmp_path: Path) -> None:
    merged = add_up(TEXT[:3])
    assert np.array_equal(
        merged.questions[0].values, sum(each.questions[0].values for each in TEXT[:3])
    )
    (layer,) = merged.questions[0].noise
    assert layer.counts.tolist() == [3]
    assert merged.sources == tuple(sorted(each.id for each in TEXT[:3]))
    assert survives(merged, tmp_path)
    assert not merged.is_simulated
    invented = release_of(plan_of(GROUPS["text"]), 9, is_simulated=True)
    assert add_up([TEXT[0], invented]).is_simulated


def test_the_order_and_the_steps_of_merging_do_not_matter() -> None:
    small = release_of(plan_of(GROUPS["text"], budget=Budget("0.5", "1e-6")), 7)
    given = [*TEXT[:2], small]
    whole = add_up(given)
    for order in itertools.permutations(given):
        assert add_up(order) == whole
        first, second, third = order
        assert add_up([add_up([first, second]), third]) == whole
        assert add_up([first, add_up([second, third])]) == whole


def test_releases_of_two_budgets_keep_two_layers_of_noise(tmp_path: Path) -> None:
    merged = RELEASES["merged at two budgets"]
    layers = merged.questions[0].noise
    assert len(layers) == 2
    assert all(layer.counts.tolist() == [1] for layer in layers)
    rolled = roll_up(merged)
    assert [layer.counts.tolist() for layer in rolled.questions[0].noise] == [[4], [4]]
    assert survives(rolled, tmp_path)


MECHANISMS = {
    "laplace": "focused",
    "analytic_gaussian": "focused",
    "classical_gaussian": "even",
}


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_merged_release_states_the_sum_of_all_costs(
    mechanism: str, tmp_path: Path
) -> None:
    budgets = [Budget(1, "1e-6"), Budget(2, "1e-7"), Budget("0.5", "1e-6")]
    terms = {"mechanism": mechanism, "strategy": MECHANISMS[mechanism]}
    given = [
        release_of(plan_of(GROUPS["text"], budget=each, **terms), seed)
        for seed, each in enumerate(budgets)
    ]
    whole = add_up(given)
    delta = 0 if mechanism == "laplace" else Fraction("2.1e-6")
    assert whole.cost == Budget("3.5", delta)
    assert (whole.plan.epsilon, whole.plan.delta) == (Fraction("3.5"), delta)
    dearest = 0 if mechanism == "laplace" else "1e-6"
    assert whole.cost_if_disjoint == Budget(2, dearest)
    assert survives(whole, tmp_path)
    for first, second, third in itertools.permutations(given):
        assert add_up([add_up([first, second]), third]) == whole
    said = str(whole)
    assert "made from 3 other releases; epsilon 3.5, delta" in said
    assert "in all; epsilon 2, delta" in said
    assert "if nobody is in two of them, as promised." in said
    assert "Cost: epsilon 3.5, delta" in " ".join(whole.plan.summary())


def test_noise_of_several_laws_is_merged_at_the_cost_of_all(tmp_path: Path) -> None:
    laws = ("laplace", "analytic_gaussian", "classical_gaussian")
    given = [
        release_of(
            plan_of(
                GROUPS["text"],
                budget=Budget(2, "1e-6"),
                mechanism=mechanism,
                strategy="even",
            ),
            seed,
        )
        for seed, mechanism in enumerate(laws)
    ]
    whole = add_up(given)
    assert whole.cost == Budget(6, "2e-6")
    assert whole.plan.law.name == "analytic_gaussian"
    assert {each.mechanism for each in whole.questions[0].noise} == set(laws)
    assert survives(whole, tmp_path)
    for first, second, third in itertools.permutations(given):
        assert add_up([first, add_up([second, third])]) == whole


def test_keys_that_each_release_found_are_paid_for_each_time(tmp_path: Path) -> None:
    given = [
        release_of(
            plan_of(PrivateKeys("p", Budget(epsilon, "1e-7")), mechanism="laplace"),
            seed,
            {0: Groups("p", ["x", "y"])},
        )
        for seed, epsilon in enumerate(["0.25", "0.5", "0.25"])
    ]
    whole = add_up(given)
    assert whole.cost == Budget(3, "3e-7")
    assert whole.cost_if_disjoint == Budget(1, "1e-7")
    assert len(whole.plan.private_keys) == 3
    assert survives(whole, tmp_path)
    for first, second, third in itertools.permutations(given):
        assert add_up([add_up([first, second]), third]) == whole
    rolled = roll_up(whole)
    assert rolled.cost == whole.cost
    assert rolled.cost_if_disjoint == whole.cost_if_disjoint
    assert survives(rolled, tmp_path)


@pytest.mark.parametrize("budget", [Budget(900_000), Budget(1, "0.6")])
def test_costs_that_cannot_be_stated_together_are_refused(budget: Budget) -> None:
    law = "analytic_gaussian" if budget.delta else "laplace"
    plan = plan_of(GROUPS["text"], budget=budget, mechanism=law, strategy="joint")
    given = [release_of(plan, seed) for seed in (1, 2)]
    with pytest.raises(InvalidInput, match=r"epsilon must be|delta must be"):
        add_up(given)


def test_all_ledger_heads_are_carried(tmp_path: Path) -> None:
    heads = [str(number) * 64 for number in (3, 1, 2)]
    given = [
        replace(release, ledger_head=head)
        for release, head in zip(TEXT, heads, strict=False)
    ]
    whole = add_up([*given, TEXT[3]])
    assert whole.ledger_head is None
    assert whole.ledger_heads == whole.all_heads == tuple(sorted(heads))
    assert add_up([add_up(given[:2]), given[2]]).ledger_heads == whole.ledger_heads
    rolled = roll_up(whole)
    assert rolled.ledger_heads == whole.ledger_heads
    assert roll_up(given[0]).ledger_heads == (heads[0],)
    assert given[0].all_heads == (heads[0],)
    assert survives(whole, tmp_path)
    assert survives(rolled, tmp_path)


def changed(**terms: Any) -> Release:  # noqa: ANN401
    return release_of(plan_of(terms.pop("groups", GROUPS["text"]), **terms), 11)


OTHERS: dict[str, tuple[Release, str]] = {
    "bounds": (
        changed(bounds={**BOUNDS, "score": Bounds(0, 0.5)}, strategy="even"),
        "got 'another bounds'",
    ),
    "unit": (changed(unit=PrivacyUnit(neighbours="change-one")), "'another unit'"),
    "strategy": (changed(strategy="joint"), "got 'another strategy'"),
    "answers": (changed(answers=("ratio", "means")), "got 'other sums'"),
    "ratio": (
        changed(ratio=Ratio("score", per="label", residual_bound=0.5)),
        "releases must ask the same, got 'another ratio'",
    ),
    "groups": (changed(groups=Groups("g", ["b", "a"])), "must have the same cells"),
}


@pytest.mark.parametrize("what", OTHERS)
def test_releases_that_measured_something_else_are_refused(what: str) -> None:
    other, message = OTHERS[what]
    for pair in ([TEXT[0], other], [other, TEXT[0]]):
        with pytest.raises(InvalidInput, match=re.escape(message)):
            add_up(pair)


def test_releases_that_share_a_source_are_refused() -> None:
    first, second, third, _ = TEXT
    for given in (
        [first, first],
        [add_up([first, second]), second],
        [add_up([first, second]), add_up([third, first])],
    ):
        with pytest.raises(InvalidInput) as refused:
            add_up(given)
        said = str(refused.value)
        assert said.startswith("releases that are merged must not share a source, got")
        assert said.endswith("The same people would count twice.")
    with pytest.raises(InvalidInput, match="must not share a source"):
        add_up([roll_up(CROSSED, ["g"]), roll_up(CROSSED, ["g"])])


@pytest.mark.parametrize("unit", [PrivacyUnit(), PrivacyUnit("id", totals=TOTALS)])
def test_releases_are_merged_only_on_the_promise_that_nobody_is_in_two(
    unit: PrivacyUnit,
) -> None:
    given = [release_of(plan_of(GROUPS["text"], unit=unit), seed) for seed in (1, 2)]
    with pytest.raises(InvalidInput, match="no row and no person is in two of them"):
        merge(given)
    for word in (False, 1, "yes"):
        with pytest.raises(InvalidInput) as refused:
            merge(given, units_are_disjoint=word)  # type: ignore[arg-type]
        assert "Say units_are_disjoint=True if that is so" in str(refused.value)
    merged = merge(given, units_are_disjoint=True)
    first, second = (each.questions[0].values for each in given)
    assert np.array_equal(merged.questions[0].values, first + second)


@pytest.mark.parametrize("given", [[], TEXT[:1], TEXT[0], "ab", [TEXT[0], 5], None])
def test_fewer_than_two_releases_are_refused(given: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="merging needs two releases or more"):
        add_up(given)


def test_questions_of_several_are_merged_each_for_itself(tmp_path: Path) -> None:
    plan = plan_of([None, GROUPS["text"], PrivateKeys("p", Budget("0.25", "1e-7"))])
    found = {2: Groups("p", ["x", "y"])}
    given = [release_of(plan, seed, found) for seed in (1, 2)]
    merged = add_up(given)
    for at in range(3):
        added = given[0].questions[at].values + given[1].questions[at].values
        assert np.array_equal(merged.questions[at].values, added)
    assert survives(merged, tmp_path)


def test_a_title_stays_where_all_share_it(tmp_path: Path) -> None:
    one, two, three = TEXT[:3]
    titled = [
        replace(each, plan=replace(each.plan, title="Loans")) for each in (one, two)
    ]
    merged = add_up(titled)
    assert merged.plan.title == "Loans"
    assert survives(merged, tmp_path)
    assert add_up([*titled, three]).plan.title is None
    assert roll_up(titled[0]).plan.title == "Loans"
