"""A merged release never states less than its sources cost together."""

from random import Random

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

import dpratio as dpr
from dpratio.plan.price import AnyPlan, price
from dpratio.release.release import Release, fresh_question
from planned import plan_scores
from release.releases_for_tests import RELEASES

BOUNDS = {"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()}
LAWS = ("laplace", "analytic_gaussian", "classical_gaussian")

ORDERS = [Random(seed) for seed in range(3)]  # noqa: S311 (orders of merging)
# Epsilon, delta, law, what finding keys takes of it (0: they are declared).
Terms = tuple[str, str, str, str]
KEYS = dpr.Groups("p", ["x", "y"])


def terms() -> st.SearchStrategy[list[Terms]]:
    """Terms of two to five releases; with classical noise up to 1 for each sum."""
    epsilons = st.sampled_from(["0.01", "0.142857", "1", "2.5", "4.999", "5"])
    deltas = st.sampled_from(["1e-9", "1e-6", "0.0033"])
    drawn = st.tuples(epsilons, deltas, st.sampled_from(LAWS), st.just("0"))
    return st.lists(drawn, min_size=2, max_size=5)


def release_of(given: Terms, number: int) -> Release:
    epsilon, delta, law, for_keys = given
    groups: dpr.Groups | dpr.PrivateKeys = KEYS
    if for_keys != "0":
        groups = dpr.PrivateKeys("p", dpr.Budget(for_keys, "1e-9"))
    plan = plan_scores(
        dpr.Budget(epsilon, delta), mechanism=law, strategy="even", groups=groups
    )
    values = np.full((2, len(plan.measurements[0].sums)), number)
    question = fresh_question(plan.law, plan.measurements[0], KEYS, values)
    return Release(f"{number:032x}", plan, (question,), "a test", ledger_head=None)


@settings(max_examples=60)
@given(given=terms(), chance=st.randoms(use_true_random=False))
@example(given=[("1", "0", "laplace", "0")] * 2, chance=ORDERS[0])
@example(
    given=[("1", "1e-6", "laplace", "0.5"), ("2", "1e-6", "laplace", "0.25")] * 2,
    chance=ORDERS[1],
)
@example(
    given=[("5", "1e-6", "classical_gaussian", "0"), ("1", "0", "laplace", "0")] * 2,
    chance=ORDERS[2],
)
def test_merging_states_at_least_each_cost_and_their_sum(
    given: list[Terms], chance: Random
) -> None:
    """However it was merged: whoever is in all of them has spent that much."""
    sources = [release_of(each, at) for at, each in enumerate(given, 1)]
    costs = [each.cost for each in sources]
    left = list(sources)
    while len(left) > 1:
        chance.shuffle(left)
        many = chance.randint(2, len(left))
        left = [dpr.merge(left[:many], units_are_disjoint=True), *left[many:]]
    (merged,) = left
    assert merged == dpr.merge(sources, units_are_disjoint=True)
    for made in (merged, dpr.roll_up(merged)):
        assert made.cost.epsilon == sum(each.epsilon for each in costs)
        assert made.cost.delta == sum(each.delta for each in costs)
        assert isinstance(made.plan, AnyPlan)
        charged = price(made.plan)
        assert (charged.epsilon, charged.delta) == (
            made.cost.epsilon,
            made.cost.delta,
        )
        apart = made.cost_if_disjoint
        assert apart is not None
        assert apart.epsilon == max(each.epsilon for each in costs)
        assert apart.delta == max(each.delta for each in costs)


def test_no_release_that_is_derived_states_less_than_its_plan() -> None:
    for release in RELEASES.values():
        assert isinstance(release.plan, AnyPlan)
        priced = price(release.plan)
        assert priced.epsilon <= release.cost.epsilon
        assert priced.delta <= release.cost.delta
