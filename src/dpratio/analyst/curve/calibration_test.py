"""The test that a score is calibrated, over the bins of a curve.

Each bin gives the normal deviate of its own test of Σw(s − y) = 0, with the exact law
of its noise. Squares of deviates are added up, each with the weight V/(V + N): a bin
whose gap is mostly noise N says little, and without noise all weights are 1, as in the
test of Hosmer & Lemeshow (1980). docs/methods/calibration_curve.md derives it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.curve.calibrated_variance import (
    CalibratedVariance,
    Cells,
    calibrated_variance,
    spread_out,
)
from dpratio.analyst.ratio.statistic import statistic_of
from dpratio.analyst.sums.moments import Moments
from dpratio.analyst.sums.variance import choose_variance
from dpratio.arrays import Floats
from dpratio.terms.bounds import Bounds

__all__ = ["CalibrationTest", "calibration_test"]

_TINY = np.finfo(np.float64).tiny
_LEVEL = 0.05  # Where the law of the statistic is matched best.
_HALF = 0.5
_HEEDED = 0.25  # Fitted: docs/methods/calibration_curve.md has the sizes.


@dataclass(frozen=True, slots=True)
class CalibrationTest:
    """The weighted squares of each curve, added up, and their p-value."""

    statistic: Floats
    pvalue: Floats


def calibration_test(
    moments: Moments,
    box: Mapping[str, Bounds],
    codes: NDArray[np.int64],
    curves: int,
    edges: tuple[Floats, Floats] | None,
) -> CalibrationTest:
    """Test that mean score and mean label agree in every bin of a curve.

    Args:
        moments: The sums of every bin; those of a ratio suffice.
        box: Bounds of ``s``, ``y`` and ``w``.
        codes: To which curve each bin belongs.
        curves: How many there are.
        edges: Between which the scores of each bin lie, where bins are of the score.
    """
    form = choose_variance(moments, None)
    one = np.ones(len(codes))
    score, at = box["s"], (one, one)
    if edges is None:
        edges = (score.lower * one, score.upper * one)
    weights = (box["w"].lower, box["w"].upper) if "w" in box else None
    cells = Cells(moments, codes, curves, edges, weights, form == "kish")
    # At the ratio 1 the statistic S − Y is the gap.
    tested = statistic_of(moments, form, lowest=-np.inf)
    held = tested.distance(at)
    if box["y"].is_binary and score.lower >= 0 and score.upper <= 1:
        varied = calibrated_variance(cells)
    else:
        value, _ = spread_out(cells, tested.sampling.at(at), held.doubt)
        none = np.zeros_like(value)
        varied = CalibratedVariance(value, none, none, none)
    noise = np.maximum(held.noise, _TINY)
    whole = varied.value + noise
    # A bin with less than a label in it says little; where its variance is known
    # exactly that is so beside noise alone.
    few = varied.label * (noise / whole if weights is None else 1.0)
    heard = varied.value / (whole + few)
    weighed = _Weighed(cells, heard, 1 + _HALF * varied.peaked / whole**2)
    known = replace(
        held,
        sampling=varied.value + weighed.allowed(varied.shared / whole),
        noise=noise,
        doubt=np.zeros_like(noise),
    )
    return weighed.test(known.at(1.0))


@dataclass(frozen=True, slots=True)
class _Weighed:
    """The law of Σ c·d², whose d² vary ``wider`` than χ² with one degree of freedom.

    The χ² with the same first three moments, moved and scaled, stands for it (Hall
    1983, Buckley & Eagleson 1988); where all weights are equal it is exact.
    """

    cells: Cells
    heard: Floats
    wider: Floats

    @property
    def spread(self) -> Floats:
        """Half of the variance."""
        return self.cells.add(self.heard**2 * self.wider) + _TINY

    @property
    def degrees(self) -> Floats:
        """The degrees of freedom of the χ² that has its skewness."""
        third = self.cells.add(self.heard**3 * self.wider**3) + _TINY
        degrees: Floats = np.maximum(self.spread**3 / third**2, _TINY)
        return np.where(self.spread > np.sqrt(_TINY), degrees, 1.0)

    def allowed(self, relative: Floats) -> Floats:
        """Allow for an error that all bins of a curve share, at the edge of rejection.

        A flat prior would need four times as much; that of ω is not flat, and what
        bins do not share makes the test cautious already.
        """
        from scipy.special import chdtri

        degrees = self.degrees
        beyond = chdtri(degrees, _LEVEL) - degrees - 2
        allowed: Floats = _HEEDED * np.maximum(beyond, 0.0) / 4 * relative
        return allowed

    def test(self, deviates: Floats) -> CalibrationTest:
        """Compare the weighted squares with their law."""
        from scipy.special import chdtrc

        first = np.unique(self.cells.codes, return_index=True)[1]
        square = self.cells.add(self.heard * deviates**2)
        mean, degrees = self.cells.add(self.heard), self.degrees
        moved = (square - mean) * np.sqrt(degrees / self.spread) + degrees
        most = np.zeros(self.cells.curves)
        np.maximum.at(most, self.cells.codes, self.heard)
        # Deep in the tail the bin that counts most decides alone.
        alone = chdtrc(1.0, square / np.maximum(most[self.cells.codes], _TINY))
        pvalue = np.maximum(chdtrc(degrees, np.maximum(moved, 0.0)), alone)
        nothing = mean <= np.sqrt(_TINY)
        return CalibrationTest(square[first], np.where(nothing, 1.0, pvalue)[first])
