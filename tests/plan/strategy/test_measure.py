"""How much noise each strategy gives its sums: certified, and no more than needed."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.plan.laws import GAUSSIAN, LAPLACE, LAWS, NoiseLaw
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.sensitivity.joint import is_convex, joint_ratio
from dpratio.plan.sensitivity.sums import CUT, step_for
from dpratio.plan.settle import CUT_SHARE, even_shares
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


@EVERY_BOX
@pytest.mark.parametrize("law", list(LAWS.values()))
def test_every_sum_is_measured_on_its_own_lattice_with_an_equal_share(
    count: int, law: NoiseLaw
) -> None:
    plan, box = plan_of("even", count, law), BOXES[count]
    epsilon, delta = (Fraction(spent) / count for spent in plan.for_sums)
    sums = plan.measurements[0].sums
    assert len(sums) == count
    for measured in sums:
        reach = math.prod(box[factor].reach for factor in measured.summand.factors)
        assert measured.step == step_for(reach)
        assert abs(measured.sensitivity * measured.step - reach) <= measured.step / 2
        assert measured.scale == law.calibrate(
            sensitivity=measured.sensitivity, epsilon=epsilon, delta=delta
        )


def test_even_shares_add_up_to_one() -> None:
    assert even_shares(["w", "wy"]) == [Fraction(1, 2)] * 2
    shares = even_shares(["w", "wy", "ws", CUT.name])
    assert (sum(shares), shares[-1]) == (1, CUT_SHARE)


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


@pytest.mark.parametrize(
    ("law", "gain", "rel"),
    [
        # The row w = s = y = 1 is extreme in all of them at once.
        (LAPLACE, 1, 1e-6),
        # √5 in place of 5, and one delta in place of fifths of it.
        (GAUSSIAN, math.sqrt(5), 0.15),
    ],
)
def test_one_vector_of_the_paper_s_sums_gains_under_gaussian_noise(
    law: NoiseLaw, gain: float, rel: float
) -> None:
    joint, even = (
        plan_of(strategy, 5, law).measurements[0].scales
        for strategy in ("joint", "even")
    )
    assert joint == pytest.approx([scale / gain for scale in even], rel=rel)


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


@EVERY_LAW
@pytest.mark.parametrize("strategy", ["joint", "focused"])
def test_a_budget_too_small_for_64_bit_noise_is_refused(
    law: NoiseLaw, strategy: str
) -> None:
    with pytest.raises(InvalidInput, match=r"below 2\^50 cells"):
        plan_of(strategy, 5, law, budget=Budget("1e-12", "1e-100"))
