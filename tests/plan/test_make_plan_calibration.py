"""A plan made for the test of calibration: its shares, its price and its refusals."""

import json
from dataclasses import replace
from typing import Any

import pytest

from dpratio.errors import InvalidInput, PlanRefused
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.plan.sensitivity.joint import is_convex
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import ScoreBins
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from plan_documents import plan_from_document, plan_to_document

SHARED = {"s": Bounds(0, 1), "y": Bounds.binary()}
WEIGHT = {"w": Bounds(1 / 3, 3)}
WEIGHTED = Ratio("s", per="y", weight="w")


def plan_of(ratio: Ratio | None = None, **terms: Any) -> Plan:  # noqa: ANN401
    given: dict[str, Any] = {
        "bounds": SHARED,
        "budget": Budget(1, "1e-6"),
        "answers": ("ratio", "calibration"),
        "groups": ScoreBins("s", 10),
        "clipping": "unmeasured",
    }
    return make_plan(ratio or Ratio("s", per="y"), **given | terms)


def test_most_of_the_budget_is_spent_on_the_gaps() -> None:
    plan = plan_of(WEIGHTED, bounds=SHARED | WEIGHT)
    question = plan.measurements[0]
    assert question.ratio.guess == 1
    shares = plan.shares(question)
    assert [each.summand.name for each in question.sums] == [
        *("z", "h", "zz", "zh", "hh")
    ]
    assert 0.69 < shares[0] < 0.72
    for_ratio = plan_of(WEIGHTED, bounds=SHARED | WEIGHT, answers=("ratio",))
    assert question.sums[0].scale < 0.9 * for_ratio.questions[0].sums[0].scale
    assert "Answers: the test of calibration" in "\n".join(plan.summary())


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian", "auto"])
@pytest.mark.parametrize(
    ("ratio", "bounds"),
    [
        (Ratio("s", per="y"), SHARED),
        (WEIGHTED, SHARED | {"w": Bounds(0, 100)}),
        (Ratio("s", per="y"), {"s": Bounds(-1, 1), "y": Bounds(-1, 1)}),
        (Ratio("s", per="y"), {"s": Bounds(5, 9), "y": Bounds(5, 9)}),
        (Ratio("s", per="y", guess=1), {"s": Bounds(0, 3), "y": Bounds(0, 1)}),
        (Ratio("s", per="y", residual_bound=0.5), SHARED),
    ],
)
def test_it_costs_its_budget_and_the_cost_is_convex(
    mechanism: str, ratio: Ratio, bounds: dict[str, Bounds]
) -> None:
    plan = plan_of(ratio, bounds=bounds, mechanism=mechanism)
    question = plan.measurements[0]
    assert is_convex(plan.law.name, plan.grid(question), question.scales)
    assert price(plan).epsilon == 1


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"strategy": "joint"}, "is measured by strategy 'focused', got 'joint'"),
        ({"answers": ("ratio", "means", "calibration")}, "stands beside 'ratio' alone"),
        (
            {"unit": PrivacyUnit("id", totals={"s": Bounds(0, 1), "y": Bounds(0, 1)})},
            "is about rows, one score and one stage",
        ),
        (
            {
                "ratio": Ratio("s", per="y", minus="t"),
                "bounds": SHARED | {"t": Bounds(0, 1)},
            },
            "is about rows, one score and one stage",
        ),
        ({"stage": 0.2}, "is about rows, one score and one stage"),
        ({"groups": None}, r"needs bins, got None. Write groups=ScoreBins\('s', 10\)"),
        ({"groups": Groups("land", ["north"])}, "needs bins, got"),
        (
            {"ratio": Ratio("s", per="y", guess=2)},
            "is measured around the ratio 1, got 2",
        ),
        (
            {"bounds": {"s": Bounds(0, 3), "y": Bounds(0, 1)}},
            "is measured around the ratio 1, got 0.5",
        ),
    ],
    ids=str,
)
def test_what_the_test_is_not_about_is_refused(
    terms: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidInput, match=f"the answer 'calibration' {said}"):
        plan_of(**terms)


def test_bins_that_were_rolled_up_leave_a_plan_that_is_priced() -> None:
    assert price(replace(plan_of(), partitions=(None,))).epsilon == 1


def test_less_noise_than_it_costs_is_refused_at_the_door() -> None:
    plan = plan_of()
    question = plan.measurements[0]
    first = replace(question.sums[0], scale=question.sums[0].scale * 0.99)
    asked = replace(question, sums=(first, *question.sums[1:]))
    with pytest.raises(PlanRefused, match="too small for the budget"):
        price(replace(plan, questions=(asked,)))


def test_it_is_the_same_after_a_file() -> None:
    plan = plan_of(WEIGHTED, bounds=SHARED | WEIGHT)
    document = json.loads(json.dumps(plan_to_document(plan)))
    assert plan_from_document(Node(document)) == plan
