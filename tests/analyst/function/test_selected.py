"""Totals of keys that were found for having many people say so; means need not."""

import numpy as np
import pytest

from dpratio.analyst.function.estimate_function import estimate_function
from dpratio.analyst.function.functions import mean, total
from dpratio.plan.laws import threshold_of
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.release.release import Release, fresh_question
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.ratio import Ratio

KEYS = ["few", "some", "many"]
FOUND = PrivateKeys("shop", Budget("0.2", "1e-7"))
DECLARED = Groups("shop", KEYS)


def plan_of(groups: Groups | PrivateKeys, epsilon: int = 4) -> Plan:
    return make_plan(
        Ratio("spent", per="visits"),
        bounds={"spent": Bounds(-10, 50), "visits": Bounds(0, 4)},
        groups=groups,
        answers=("ratio", "means"),
        strategy="joint",
        budget=Budget(epsilon, "1e-6"),
        mechanism="laplace",
        clipping="unmeasured",
    )


def release_of(groups: Groups | PrivateKeys) -> Release:
    """Shops of 90, 300 and 4,000 people who spend 20 in two visits, without luck."""
    plan = plan_of(groups)
    (question,) = plan.measurements
    people = np.array([90.0, 300.0, 4_000.0])
    spent, visits = 20.0, 2.0
    steps = [
        np.prod(
            [{"s": spent, "y": visits, "w": 1.0}[each] for each in one.summand.factors]
        )
        / one.step
        for one in question.sums
    ]
    values = np.rint(people[:, None] * np.array(steps)).astype(np.int64)
    shops = FOUND.groups_of(KEYS) if groups is FOUND else DECLARED
    asked = fresh_question(plan.law, question, shops, values)
    return Release("0" * 32, plan, (asked,), "a test")


@pytest.mark.parametrize("of", ["numerator", "per"])
def test_totals_of_keys_that_were_found_are_selected(of: str) -> None:
    """Large ones too: which are large by luck, no total says of itself."""
    found = estimate_function(release_of(FOUND), total(of))
    assert found.status == ("selected",) * len(KEYS)
    assert any(line.startswith("selected: the key") for line in found.notes())


def test_no_total_is_called_ok_because_its_noise_was_large() -> None:
    """Two visits of four at most: 248 people were known to be 124, and called ok.

    Of keys of 210 people 7 % were so by luck, and 0.59 of their intervals covered.
    """
    plan = plan_of(FOUND, epsilon=1)
    (question,) = plan.measurements
    rng, runs = np.random.default_rng(43), 4_000
    people = rng.poisson(210, 3 * runs)
    threshold = threshold_of(FOUND, plan.unit)
    noisy = people + np.rint(rng.laplace(scale=threshold.scale, size=people.shape))
    people = people[noisy >= threshold.least][:runs]
    each = {"s": 20.0, "y": 2.0, "w": 1.0}
    exact = [
        np.prod([each[factor] for factor in one.summand.factors]) / one.step
        for one in question.sums
    ]
    noise = rng.laplace(scale=np.array(question.scales), size=(runs, len(exact)))
    values = np.rint(people[:, None] * np.array(exact) + noise).astype(np.int64)
    shops = FOUND.groups_of(str(each) for each in range(runs))
    asked = fresh_question(plan.law, question, shops, values)
    release = Release("0" * 32, plan, (asked,), "a test")
    found = estimate_function(release, total("per"))
    told = np.array(found.status) == "selected"
    covers = (found.ci_lower <= 420) & (found.ci_upper >= 420)
    assert "ok" not in found.status
    assert covers[told].mean() > 0.9


def test_what_does_not_grow_with_people_is_not_selected() -> None:
    assert "selected" not in estimate_function(release_of(FOUND), mean("per")).status


def test_keys_that_were_declared_are_not_selected() -> None:
    found = estimate_function(release_of(DECLARED), total("per"))
    assert "selected" not in found.status
