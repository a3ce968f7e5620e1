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
    calibrated_variance,
    spread_out,
)
from dpratio.analyst.curve.cells import Cells
from dpratio.analyst.curve.weighed_squares import WeighedSquares
from dpratio.analyst.ratio.statistic import statistic_of
from dpratio.analyst.sums.moments import Moments
from dpratio.analyst.sums.variance import choose_variance
from dpratio.arrays import Flags, Floats
from dpratio.terms.bounds import Bounds

_TINY = np.finfo(np.float64).tiny
_HALF = 0.5
# Where squares leave more than this of what was not known of weights, bounds decide.
_GUESSED = 0.25


@dataclass(frozen=True, slots=True)
class CalibrationTest:
    """The weighted squares of each curve, added up, and their p-value.

    ``guesses_weights`` tells where noise hides how heavy weights are.
    """

    statistic: Floats
    pvalue: Floats
    guesses_weights: Flags


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
        varied = CalibratedVariance(value, (), none, none, none, none)
    noise = np.maximum(held.noise, _TINY)
    whole = varied.value + noise
    # A bin with less than a label in it says little; where its variance is known
    # exactly that is so beside noise alone.
    few = varied.label * (noise / whole if weights is None else 1.0)
    heard = varied.value / (whole + few)
    weighed = WeighedSquares(
        cells,
        heard,
        1 + _HALF * varied.peaked / whole**2,
        tuple(each / whole for each in varied.errors),
        varied.own / whole**2,
    )
    known = replace(
        held, sampling=varied.value, noise=noise, doubt=np.zeros_like(noise)
    )
    first = np.unique(codes, return_index=True)[1]
    square = cells.add(heard * known.at(1.0) ** 2)
    return CalibrationTest(
        statistic=square[first],
        pvalue=weighed.pvalue(square)[first],
        guesses_weights=(varied.guessed > _GUESSED)[first],
    )
