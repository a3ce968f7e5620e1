"""Totals of keys that were found for having many people say so; means need not."""

import numpy as np
import pytest

from dpratio.analyst.function.estimate_function import estimate_function
from dpratio.analyst.function.functions import mean, total
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


def plan_of(groups: Groups | PrivateKeys) -> Plan:
    return make_plan(
        Ratio("spent", per="visits"),
        bounds={"spent": Bounds(-10, 50), "visits": Bounds(0, 4)},
        groups=groups,
        answers=("ratio", "means"),
        strategy="joint",
        budget=Budget(4, "1e-6"),
        mechanism="laplace",
        clipping="unmeasured",
    )


def release_of(groups: Groups | PrivateKeys) -> Release:
    """Shops of 90, 300 and 4,000 people who spend 20 in two visits, without luck."""
    plan = plan_of(groups)
    (question,) = plan.questions
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
    shops = Groups.found("shop", str, KEYS) if groups is FOUND else DECLARED
    asked = fresh_question(plan, question, shops, values)
    return Release("0" * 32, plan, (asked,), "a test")


@pytest.mark.parametrize("of", ["numerator", "per"])
def test_totals_of_keys_near_the_threshold_are_selected(of: str) -> None:
    """79 noisy people are needed, and 124 are far enough from that.

    300 people who make two visits each, of four at most, are at least 150; who spend 20
    of 50 are at least 120.
    """
    found = estimate_function(release_of(FOUND), total(of))
    assert found.status == ("selected", "ok" if of == "per" else "selected", "ok")
    assert any(line.startswith("selected: the key") for line in found.notes())


def test_what_does_not_grow_with_people_is_not_selected() -> None:
    assert "selected" not in estimate_function(release_of(FOUND), mean("per")).status


def test_keys_that_were_declared_are_not_selected() -> None:
    found = estimate_function(release_of(DECLARED), total("per"))
    assert "selected" not in found.status
