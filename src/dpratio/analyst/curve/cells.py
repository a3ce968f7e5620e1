"""The bins of all curves side by side: their sums, and what bounds say of them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.sums.moments import Moments
from dpratio.arrays import Floats

Estimate = tuple[Floats, Floats]


@dataclass(frozen=True, slots=True)
class Cells:
    """The sums of all bins, in which curve each is, and what bounds say of it.

    ``edges`` hold the scores of every bin; ``weights`` are the bounds of the weight,
    or None where there is none.
    """

    moments: Moments
    codes: NDArray[np.int64]
    curves: int
    edges: tuple[Floats, Floats]
    weights: tuple[float, float] | None
    is_kish: bool

    def add(self, values: Floats) -> Floats:
        """Add up over the bins of each curve, and give the total to every bin."""
        total = np.zeros(self.curves)
        np.add.at(total, self.codes, values)
        return total[self.codes]

    def combined(self, parts: dict[str, float]) -> Estimate:
        """Give a combination of sums and the variance of its noise."""
        value = np.sum([by * self.moments[name] for name, by in parts.items()], axis=0)
        loads = np.sum(
            [by * self.moments.loading(name) for name, by in parts.items()], axis=0
        )
        noise = (self.moments.noise.variance * loads**2).sum(axis=1)
        return value, noise + np.zeros(len(value))
