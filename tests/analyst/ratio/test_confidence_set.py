"""Sets that have no two ends: which rows are walked, and how many at a time."""

from dataclasses import replace

import numpy as np
import pytest

from dpratio.analyst.ratio import confidence_set as module
from dpratio.analyst.ratio.confidence_set import confidence_set
from dpratio.analyst.ratio.statistic import NoiseTerm, Statistic
from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.analyst.sums.variance import SamplingVariance

ROWS = 600
LEVELS = [0.95, 0.8]


def weak(
    law: str, lowest: float, weights: tuple[float, float] = (0.3, -0.2)
) -> Statistic:
    """Rows near (0, 0), most of them for their noise."""
    rng = np.random.default_rng(11)
    second = np.abs(rng.normal(0.1, 0.1, (3, ROWS))) * [[1], [0.1], [1]]
    scale = np.full(1, 0.63 if law == "laplace" else 0.0)
    variance = np.full(1, 0.8)
    noise = (
        NoiseTerm(variance, scale, 1.0, weights[0]),
        NoiseTerm(variance, scale, weights[1], 1.0),
    )
    return Statistic(
        rng.normal(1.0, 2.0, ROWS),
        rng.normal(0.5, 1.0, ROWS),
        SamplingVariance(second, np.tile(0.01 * np.eye(3), (ROWS, 1, 1))),
        noise,
        lowest,
    )


@pytest.mark.parametrize("law", ["laplace", "normal"])
@pytest.mark.parametrize("lowest", [0.0, -np.inf])
@pytest.mark.parametrize("level", LEVELS)
def test_what_is_not_walked_rejects_nothing(
    law: str, lowest: float, level: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that are all walked, one angle at a time, give the same sets."""
    statistic, quantile = weak(law, lowest), normal_quantile(level)
    with np.errstate(all="ignore"):
        found = confidence_set(statistic, quantile)
        walked = np.flatnonzero(module._may_reject(statistic, quantile))
        monkeypatch.setattr(
            module,
            "_may_reject",
            lambda each, _: np.ones(len(each.numerator), dtype=np.bool_),
        )
        monkeypatch.setattr(module, "_CELLS_AT_ONCE", 1)
        every = confidence_set(statistic, quantile)
    assert {"everything", "disconnected"} <= set(found.shape)
    assert np.array_equal(found.kind, every.kind)
    assert np.array_equal(found.lower, every.lower)
    assert np.array_equal(found.upper, every.upper)
    assert len(walked) < 0.95 * ROWS


def test_noise_that_enters_both_sums_alike_excludes_nothing() -> None:
    """Along one ratio there is no noise, and T may be as far out as it likes."""
    statistic = weak("normal", 0.0, weights=(1.0, 1.0))
    quiet = replace(statistic, noise=statistic.noise[:1])
    assert module._may_reject(quiet, 1.96).all()
