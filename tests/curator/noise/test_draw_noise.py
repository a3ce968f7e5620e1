"""Every sum gets noise of its own law and scale."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dpratio.curator.noise import rounded as room
from dpratio.curator.noise.entropy import BitSource, system_bits
from dpratio.curator.noise.rounded import draw_noise
from dpratio.plan.laws import LAPLACE, LAWS, NoiseLaw
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio

KEYS = 20_000
NOISES = [
    *(("even", mechanism) for mechanism in LAWS),
    ("joint", "laplace"),
    ("focused", "laplace"),
    ("focused", "analytic_gaussian"),
]


def plan_of(strategy: str, mechanism: str) -> Plan:
    return make_plan(
        Ratio("s", per="y", weight="w", guess=0.5),
        bounds={"s": Bounds(-1, 2), "y": Bounds(0, 5), "w": Bounds(0.5, 3)},
        budget=Budget(2, "1e-6"),
        strategy=strategy,
        mechanism=mechanism,
    )


def fixed_bits(seed: int) -> BitSource:
    return np.random.default_rng(seed).bytes


@pytest.mark.parametrize(("strategy", "mechanism"), NOISES)
def test_each_sum_is_drawn_with_the_law_of_the_plan_and_its_own_scale(
    strategy: str, mechanism: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of(strategy, mechanism)
    scales = plan.measurements[0].scales
    calls: list[tuple[NoiseLaw, float, int, BitSource]] = []

    def spy(*given: Any) -> NDArray[np.int64]:  # noqa: ANN401
        calls.append(given)
        return np.full(3, len(calls))

    monkeypatch.setattr(room, "draw_rounded", spy)
    drawn = draw_noise(plan.law, scales, 3, system_bits)
    assert plan.law.name == mechanism
    assert calls == [(plan.law, scale, 3, system_bits) for scale in scales]
    assert drawn.tolist() == [list(range(1, len(scales) + 1))] * 3
    assert len(set(scales)) > 1


@pytest.mark.parametrize(("strategy", "mechanism"), NOISES)
def test_the_columns_have_the_planned_spread_and_no_correlation(
    strategy: str, mechanism: str
) -> None:
    """A fixed stream; 8 standard errors of what each figure can wander."""
    plan = plan_of(strategy, mechanism)
    scales = plan.measurements[0].scales
    drawn = draw_noise(plan.law, scales, KEYS, fixed_bits(8))
    spread = np.array([plan.law.sd(scale) for scale in scales])
    standard = drawn.astype(np.float64) / spread
    fourth = 6 if mechanism == "laplace" else 3
    allowed = 8 / math.sqrt(KEYS)
    assert np.all(np.abs(standard.mean(axis=0)) < allowed)
    variance = (standard**2).mean(axis=0)
    assert np.all(np.abs(variance - 1) < allowed * math.sqrt(fourth - 1))
    between = standard.T @ standard / KEYS - np.diag(variance)
    assert np.all(np.abs(between) < allowed)


def test_the_same_bits_give_the_same_noise_and_others_do_not() -> None:
    scales = plan_of("even", "laplace").measurements[0].scales
    first, again, other = (
        draw_noise(LAPLACE, scales, 20, fixed_bits(seed)) for seed in (1, 1, 2)
    )
    assert np.array_equal(first, again)
    assert not np.any(first == other)
