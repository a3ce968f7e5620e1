"""A plan made for the test of calibration: its shares, its price and its refusals."""

from dataclasses import replace
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.plan.sensitivity.joint import is_convex
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, ScoreBins
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from plan.priced_plans import edit, refuse, regroup

RATIO = Ratio("s", per="y")
WEIGHTED = Ratio("s", per="y", weight="w")
SHARED = {"s": Bounds(0, 1), "y": Bounds.binary()}
WEIGHT = {"w": Bounds(1 / 3, 3)}
APART = {"s": Bounds(0, 3), "y": Bounds(0, 1)}


def plan_of(ratio: Ratio = RATIO, **terms: Any) -> Plan:  # noqa: ANN401
    given: dict[str, Any] = {
        "bounds": SHARED,
        "budget": Budget(1, "1e-6"),
        "answers": ("ratio", "calibration"),
        "groups": ScoreBins("s", 10),
        "clipping": "unmeasured",
    }
    return make_plan(ratio, **given | terms)


def test_most_of_the_budget_is_spent_on_the_gaps() -> None:
    plan = plan_of(WEIGHTED, bounds=SHARED | WEIGHT)
    question = plan.measurements[0]
    assert question.ratio.guess == 1
    assert [each.summand.name for each in question.sums] == [
        *("z", "h", "zz", "zh", "hh")
    ]
    assert 0.69 < plan.shares(question)[0] < 0.72
    for_ratio = plan_of(WEIGHTED, bounds=SHARED | WEIGHT, answers=("ratio",))
    assert question.sums[0].scale < 0.9 * for_ratio.measurements[0].sums[0].scale


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian", "auto"])
@pytest.mark.parametrize(
    ("ratio", "bounds"),
    [
        (RATIO, SHARED),
        (WEIGHTED, SHARED | {"w": Bounds(0, 100)}),
        (RATIO, {"s": Bounds(-1, 1), "y": Bounds(-1, 1)}),
        (RATIO, {"s": Bounds(5, 9), "y": Bounds(5, 9)}),
        (replace(RATIO, guess=1), APART),
        (replace(RATIO, residual_bound=0.5), SHARED),
    ],
)
def test_it_costs_its_budget_and_the_cost_is_convex(
    mechanism: str, ratio: Ratio, bounds: dict[str, Bounds]
) -> None:
    plan = plan_of(ratio, bounds=bounds, mechanism=mechanism)
    question = plan.measurements[0]
    assert is_convex(plan.law, plan.grid(question), question.scales)
    assert price(plan).epsilon == 1
    # Bins that were rolled up leave a plan that is priced.
    assert price(regroup(plan, None)).epsilon == 1
    refuse(edit(plan, scale=question.sums[0].scale * 0.99), "too small for the budget")


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        (
            {"strategy": "joint"},
            "is measured by strategy 'focused', got strategy 'joint'",
        ),
        ({"answers": ("ratio", "means", "calibration")}, "stands beside 'ratio' alone"),
        ({"unit": PrivacyUnit("id", totals=APART)}, "is about rows, one score and one"),
        (
            {
                "ratio": Ratio("s", per="y", minus="t"),
                "bounds": SHARED | {"t": Bounds(0, 1)},
            },
            "is about rows, one score and one stage",
        ),
        ({"stage": 0.2}, "is about rows, one score and one stage"),
        ({"groups": None}, r"needs bins. Write groups=ScoreBins\('s', 10\)"),
        ({"groups": Groups("land", ["north"])}, "needs bins"),
        (
            {"ratio": replace(RATIO, guess=2)},
            "is measured around the ratio 1, got guess 2",
        ),
        ({"bounds": APART}, "is measured around the ratio 1, got guess 0.5"),
    ],
    ids=str,
)
def test_what_the_test_is_not_about_is_refused(
    terms: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=f"the answer 'calibration' {message}"):
        plan_of(**terms)
