"""How much noise each strategy gives its sums: certified, and no more than needed."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpratio.plan.laws import GAUSSIAN, LAPLACE, NoiseLaw
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.sensitivity.joint import is_convex, joint_ratio
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio

# By how many sums the paper needs.
BOXES = {
    7: {"s": Bounds(-1, 2), "y": Bounds(0, 5), "w": Bounds(0.5, 3)},
    6: {"s": Bounds(0, 1), "y": Bounds.binary(), "w": Bounds(0, 3)},
    5: {"s": Bounds(0, 1), "y": Bounds.binary()},
}
EVERY_BOX = pytest.mark.parametrize("count", BOXES)
EVERY_LAW = pytest.mark.parametrize("law", [LAPLACE, GAUSSIAN])


def plan_of(
    strategy: str,
    count: int,
    law: NoiseLaw,
    *,
    guess: float | None = 1.0,
    **terms: Any,  # noqa: ANN401
) -> Plan:
    box = BOXES[count]
    guess = guess if strategy == "focused" else None
    ratio = Ratio("s", per="y", weight="w" if "w" in box else None, guess=guess)
    wanted = {"budget": Budget("0.7", "1e-6"), "clipping": "unmeasured", **terms}
    return make_plan(ratio, bounds=box, strategy=strategy, mechanism=law.name, **wanted)


def is_proven(plan: Plan, factor: float = 1.0) -> bool:
    """Whether all noise times a factor is proven to keep within the budget."""
    (measured,) = plan.measurements
    grid, scales = (
        plan.layout(measured).grid,
        [scale * factor for scale in measured.scales],
    )
    ratio, (epsilon, delta) = joint_ratio(plan.law, grid, scales), plan.for_sums
    is_enough = plan.law.affords(ratio, epsilon=epsilon, delta=delta)
    return is_enough and is_convex(plan.law, grid, scales)


# One vector, one price.


@EVERY_LAW
@EVERY_BOX
@pytest.mark.parametrize(
    ("strategy", "answers"),
    [
        ("joint", ["ratio"]),
        ("joint", ["ratio", "spread"]),
        ("focused", ["ratio"]),
        ("focused", ["ratio", "means"]),
    ],
)
def test_one_vector_is_certified_and_has_no_more_noise_than_it_needs(
    law: NoiseLaw, count: int, strategy: str, answers: list[str]
) -> None:
    plan = plan_of(strategy, count, law, answers=answers)
    assert is_proven(plan)
    assert not is_proven(plan, 1 - 1e-9)
    if strategy == "joint":
        ratios = [part.scale / part.sensitivity for part in plan.measurements[0].sums]
        assert ratios == pytest.approx([ratios[0]] * len(ratios), rel=1e-12)


@settings(max_examples=25)
@given(
    epsilon=st.sampled_from(["0.001", "0.1", "1", "20", "1000000"]),
    delta=st.sampled_from(["1e-100", "1e-6", "0.5"]),
    law=st.sampled_from([LAPLACE, GAUSSIAN]),
    count=st.sampled_from(list(BOXES)),
    guess=st.sampled_from([0.0, 1.0, -1.0]),
)
def test_every_budget_is_kept(
    epsilon: str, delta: str, law: NoiseLaw, count: int, guess: float
) -> None:
    """Shares may ask for almost no noise; a sum without any is not measured."""
    terms = {"budget": Budget(epsilon, delta), "answers": ("ratio", "means")}
    plan = plan_of("focused", count, law, guess=guess, **terms)
    assert is_proven(plan)
    assert min(plan.measurements[0].scales) >= 2.0**-10
