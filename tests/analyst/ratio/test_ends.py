"""Ends that three looks tell, against ends that were bisected."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from dpratio.analyst.ratio import confidence_set as module
from dpratio.analyst.ratio.at_estimate import AtEstimate
from dpratio.analyst.ratio.confidence_set import ends_of
from dpratio.analyst.ratio.statistic import NoiseTerm, Statistic
from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.analyst.sums.variance import SamplingVariance
from dpratio.arrays import Flags, Floats, Integers

ROWS = 4_000
LEVELS = [0.95, 0.8]
LAWS = ["laplace", "normal"]
TOLD, LOOKED_FOR = 1.2e-4, 1e-6  # Deviations that an end may be off.


def rows_of_all_kinds(law: str) -> Statistic:
    """Weak and strong denominators, little noise and nothing but noise."""
    rng = np.random.default_rng(3)
    bottom = 10.0 ** rng.uniform(0.5, 2, ROWS)
    spread = 10.0 ** rng.uniform(-2, 0.5, ROWS)
    doubt = 10.0 ** rng.uniform(-2, 1, ROWS) * spread
    wobble = rng.normal(0, 0.7, (3, ROWS)) * doubt
    second = np.stack([spread, rng.uniform(-0.5, 0.5, ROWS) * spread, spread]) + wobble
    first, other = 10.0 ** rng.uniform(-1.5, 0.3, (2, ROWS))
    scale = np.sqrt(0.5) if law == "laplace" else 0.0
    noise = (
        NoiseTerm(first**2, scale * first, 0.5, 0.5),
        NoiseTerm(other**2, scale * other, 0.5, -0.5),
    )
    covariance = doubt[:, None, None] ** 2 * np.eye(3)
    sampling = SamplingVariance(second, covariance)
    return Statistic(bottom * rng.uniform(0.2, 3, ROWS), bottom, sampling, noise, 0.0)


def bisected(near: AtEstimate, found: Floats, quantile: float, side: float) -> Floats:
    """Close in on the first rejected ratio, from the estimate outwards."""

    def is_kept(ratio: Floats) -> Flags:
        held = near.statistic.distance((np.ones(1), ratio))
        kept: Flags = held.at(quantile) <= quantile
        return kept

    step = side * np.abs(found - near.ratio) / 16
    kept, lost = near.ratio, near.ratio + step
    for _ in range(64):
        kept = np.where(is_kept(lost), lost, kept)
        lost = np.where(is_kept(lost), lost + step, lost)
    for _ in range(60):
        middle = (kept + lost) / 2
        inside = is_kept(middle)
        kept, lost = np.where(inside, middle, kept), np.where(inside, lost, middle)
    return (kept + lost) / 2


def worst_ends(
    statistic: Statistic, quantile: float, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Floats, Floats]]:
    """Give how far off the test is at ends of each side, told ones and others."""
    searched: list[Integers] = []
    search = module._searched

    def seen(
        near: AtEstimate,
        looks: Sequence[module._Look],
        steps: Sequence[Floats],
        rest: Sequence[Integers],
        quantile: float,
    ) -> tuple[Floats, Floats]:
        searched.extend(rest)
        return search(near, looks, steps, rest, quantile)

    monkeypatch.setattr(module, "_searched", seen)
    with np.errstate(all="ignore"):
        near = AtEstimate.of(statistic)
        near = near.only(near.alone.exceeds(quantile))
        ends = ends_of(near, quantile)
        for side, found, rest in zip((-1.0, 1.0), ends, searched, strict=True):
            exact = bisected(near, found, quantile, side)
            np.testing.assert_allclose(found - near.ratio, exact - near.ratio, 1e-3)
            held = near.statistic.distance((np.ones(1), found))
            off = np.abs(held.at(quantile) - quantile)
            yield np.delete(off, rest), off[rest]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("level", LEVELS)
def test_ends_are_where_the_test_begins_to_reject(
    law: str, level: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    statistic, quantile = rows_of_all_kinds(law), normal_quantile(level)
    for told, looked_for in worst_ends(statistic, quantile, monkeypatch):
        assert told.max(initial=0) < TOLD
        assert looked_for.max() < LOOKED_FOR
        assert len(told) > len(looked_for)


def test_ends_are_far_where_infinity_is_barely_rejected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Near the estimate Fieller's parabola has no end, further out there is one."""
    quantile, rng = normal_quantile(0.95), np.random.default_rng(1)
    whole, share = 10.0 ** rng.uniform(-1, 3, ROWS), rng.uniform(0, 1, ROWS)
    none, one = np.zeros(ROWS), np.ones(ROWS)
    noise = NoiseTerm(share * whole, np.sqrt(share * whole / 2), 1.0, 0.0)
    sampling = SamplingVariance(
        np.stack([(1 - share) * whole, none, one]),
        10.0 ** rng.uniform(-6, 0, ROWS)[:, None, None] * np.diag([1, 0.1, 0.01]),
    )
    bottom = quantile * (1 + 10.0 ** rng.uniform(-4, -1, ROWS))
    top = rng.normal(0, np.sqrt(whole))
    statistic = Statistic(top, bottom, sampling, (noise,), -np.inf)
    for told, looked_for in worst_ends(statistic, quantile, monkeypatch):
        assert told.max(initial=0) < TOLD
        assert looked_for.max() < LOOKED_FOR


def test_an_end_may_rest_on_the_allowance_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No noise is known, and the estimated variance is below 0."""
    second = SamplingVariance(-np.ones((3, 4)), 9.0 * np.ones((4, 1, 1)) * np.eye(3))
    bottom = np.array([20.0, 50.0, 100.0, 1e5])
    statistic = Statistic(1.5 * bottom, bottom, second, (), -np.inf)
    for _, looked_for in worst_ends(statistic, normal_quantile(0.95), monkeypatch):
        assert len(looked_for) == len(bottom)
        assert looked_for.max() < LOOKED_FOR
