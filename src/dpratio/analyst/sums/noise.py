"""The noise that lies on released sums, cell by cell.

Laplace noise that was added up from m draws is no longer Laplace. It is taken as a
Laplace variable of scale b·m^¼ plus a normal one: the first four moments are those of
the sum, and one draw is exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpratio.arrays import Floats
from dpratio.plan.laws import LAPLACE
from dpratio.release.release import NoiseLayer


@dataclass(frozen=True, slots=True)
class Noise:
    """Variance and Laplace scale of the noise, cells × sums, or 1 × sums for all.

    The Laplace scale is zero under Gaussian noise; what the variance has beyond it is
    normal.
    """

    variance: Floats
    laplace: Floats

    @property
    def normal(self) -> Floats:
        """The variance of the normal part."""
        return np.maximum(self.variance - 2 * self.laplace**2, 0.0)


def noise_of(layers: tuple[NoiseLayer, ...], steps: Floats) -> Noise:
    """Add up the layers of noise on a question."""
    variance, laplace = np.zeros((1, len(steps))), np.zeros((1, len(steps)))
    for layer in layers:
        scales = np.array(layer.scales) * steps
        counts = np.array(layer.counts, dtype=np.float64)[:, None]
        if layer.law == LAPLACE:
            variance = variance + counts * 2 * scales**2
            laplace = _fourth_root_of_sum(laplace, counts**0.25 * scales)
        else:
            variance = variance + counts * scales**2
    return Noise(variance, laplace)


def side_by_side(parts: Sequence[Noise]) -> Noise:
    """Give the noise of sums that stand side by side, by cell where one of them is."""
    cells = max(len(each.variance) for each in parts)

    def joined(columns: Sequence[Floats]) -> Floats:
        by_cell = [np.broadcast_to(each, (cells, each.shape[1])) for each in columns]
        return np.concatenate(by_cell, axis=1)

    return Noise(
        joined([each.variance for each in parts]),
        joined([each.laplace for each in parts]),
    )


def _fourth_root_of_sum(first: Floats, second: Floats) -> Floats:
    """Give (a⁴ + b⁴)^¼; the fourth power of a scale need not fit in a double."""
    large, small = np.maximum(first, second), np.minimum(first, second)
    share = np.divide(small, large, out=np.zeros_like(large), where=large > 0)
    root: Floats = large * (1 + share**4) ** 0.25
    return root


def take(values: Floats, chosen: object) -> Floats:
    """Keep some cells of what may be the same for all."""
    return values if len(values) == 1 else values[chosen]  # type: ignore[call-overload]
