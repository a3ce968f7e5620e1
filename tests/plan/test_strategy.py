"""Strategy ``even``: equal shares, certified noise, moments put back together."""

from fractions import Fraction

import numpy as np
import pytest

from dpratio.plan.calibrate import MECHANISMS, calibrate
from dpratio.plan.lattice import step_for
from dpratio.plan.sensitivity import reach_of
from dpratio.plan.strategy import STRATEGIES, measure_evenly, reconstruction
from dpratio.plan.sums import MOMENTS, summands_for
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget

BUDGET = Budget("0.7", "1e-6")
BOXES = {
    7: {"s": Bounds(-1, 2), "y": Bounds(0, 5), "w": Bounds(0.5, 3)},
    6: {"s": Bounds(0, 1), "y": Bounds.binary(), "w": Bounds(0, 3)},
    5: {"s": Bounds(0, 1), "y": Bounds.binary()},
}


@pytest.mark.parametrize("count", BOXES)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_sum_gets_the_same_share(count: int, mechanism: str) -> None:
    measured = measure_evenly(BOXES[count], BUDGET, mechanism)
    assert len(measured) == count
    assert {each.epsilon for each in measured} == {Fraction("0.7") / count}
    delta = Fraction(0) if mechanism == "laplace" else Fraction("1e-6") / count
    assert {each.delta for each in measured} == {delta}
    assert sum(each.epsilon for each in measured) == BUDGET.epsilon


@pytest.mark.parametrize("count", BOXES)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_sum_is_measured_on_its_own_lattice_with_its_own_noise(
    count: int, mechanism: str
) -> None:
    for each in measure_evenly(BOXES[count], BUDGET, mechanism):
        reach = reach_of(each.summand.factors, BOXES[count])
        assert each.step == step_for(reach)
        assert abs(each.sensitivity * each.step - reach) <= each.step / 2
        assert each.scale == calibrate(
            mechanism,
            sensitivity=each.sensitivity,
            epsilon=each.epsilon,
            delta=each.delta,
        )


def test_the_paper_has_one_strategy() -> None:
    assert STRATEGIES == ("even",)


@pytest.mark.parametrize("weighted", [True, False], ids=["weights", "no weights"])
@pytest.mark.parametrize("binary", [True, False], ids=["binary", "general"])
def test_the_moments_of_rows_are_put_back_together(
    weighted: bool,  # noqa: FBT001
    binary: bool,  # noqa: FBT001
) -> None:
    """On rows for which the stand-ins are equal, all seven moments come back."""
    rng = np.random.default_rng(5)
    factors = {
        "s": rng.normal(size=50),
        "y": rng.integers(0, 2, 50) * 1.0 if binary else rng.normal(size=50),
        "w": rng.uniform(size=50) if weighted else np.ones(50),
    }
    moments = [
        np.prod([factors[factor] for factor in name], axis=0).sum() for name in MOMENTS
    ]
    summands = summands_for(weighted=weighted, binary=binary)
    measured = [
        np.prod([np.ones(50), *(factors[f] for f in each.factors)], axis=0).sum()
        for each in summands
    ]
    matrix = reconstruction([each.name for each in summands])
    assert np.array(matrix) @ measured == pytest.approx(moments)
    assert all(sum(row) == 1 for row in matrix)


def test_nothing_is_rebuilt_when_everything_was_measured() -> None:
    assert reconstruction(MOMENTS) == np.eye(7, dtype=int).tolist()
