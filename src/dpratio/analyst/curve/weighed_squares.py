"""The law of weighted squares whose variances were estimated with errors.

docs/methods/calibration_curve.md derives its moments.
"""

from dataclasses import dataclass

import numpy as np

from dpratio.analyst.curve.cells import Cells
from dpratio.arrays import Floats

_TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True, slots=True)
class WeighedSquares:
    """The law of Σ c·d², whose d² vary ``wider`` than χ² with one degree of freedom.

    Their variances were estimated with relative errors: ``errors`` that all bins of a
    curve share, and of each bin alone one of the variance ``own``. The χ² with the
    same first three moments, moved and scaled, stands for the law (Hall 1983, Buckley
    & Eagleson 1988); where all weights are equal and nothing is off it is exact.
    """

    cells: Cells
    heard: Floats
    wider: Floats
    errors: tuple[Floats, ...]
    own: Floats

    @property
    def off(self) -> Floats:
        """The variance of the relative error x of each bin: d² is off by x² − x."""
        return self.own + sum(each**2 for each in self.errors)

    @property
    def mean(self) -> Floats:
        """The mean."""
        return self.cells.add(self.heard * (1 + self.off))

    @property
    def spread(self) -> Floats:
        """Half of the variance."""
        add, heard = self.cells.add, self.heard
        spread = add(heard**2 * (self.wider * (1 + 3 * self.off) + self.own / 2))
        for each in self.errors:
            spread = spread + add(heard * each) ** 2 / 2
        return spread + _TINY

    @property
    def degrees(self) -> Floats:
        """The degrees of freedom of the χ² that has its skewness."""
        add, heard = self.cells.add, self.heard
        third = add(heard**3 * (self.wider**3 * (1 + 6 * self.off) + 1.5 * self.own))
        for each in self.errors:
            third = third + 1.5 * add(heard * each) * add(heard**2 * each)
        degrees: Floats = np.maximum(self.spread**3 / (third + _TINY) ** 2, _TINY)
        return np.where(self.spread > np.sqrt(_TINY), degrees, 1.0)

    def pvalue(self, square: Floats) -> Floats:
        """Give the chance of more than this, for the curve of every bin."""
        from scipy.special import chdtrc

        mean, degrees = self.mean, self.degrees
        moved = (square - mean) * np.sqrt(degrees / self.spread) + degrees
        most = np.zeros(self.cells.curves)
        np.maximum.at(most, self.cells.codes, self.heard)
        # Deep in the tail the bin that counts most decides alone.
        alone = chdtrc(1.0, square / np.maximum(most[self.cells.codes], _TINY))
        pvalue = np.maximum(chdtrc(degrees, np.maximum(moved, 0.0)), alone)
        return np.where(mean > np.sqrt(_TINY), pvalue, 1.0)
