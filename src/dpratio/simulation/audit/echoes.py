"""Whether a series of noise comes again, in whatever release and place.

Four noises in a row that equal four others are no accident: with a scale of a million
cells their chance is below 1e-18 in a million draws. A generator that starts anew, has
a short period or is copied into another process repeats longer series than that.
"""

from collections.abc import Sequence

import numpy as np

from dpratio.arrays import Integers

__all__ = ["LENGTH", "echoes_of", "fours_of"]


LENGTH = 4
# One series in sixteen is kept: those that begin with a multiple of it. A series that
# comes again is kept again, or left out again.
_KEPT = 16


def fours_of(noise: Integers) -> Integers:
    """Give the series of a release that are kept: the sum, and its four noises.

    Args:
        noise: Draws × sums, in the order of drawing.
    """
    start, sums = np.nonzero(noise[: 1 - LENGTH] % _KEPT == 0)
    rows = [noise[start + step, sums] for step in range(LENGTH)]
    return np.stack([sums, *rows], axis=1)


def echoes_of(fours: Sequence[Integers], sums: int) -> Integers:
    """Count for each sum the series that have come before."""
    rows = np.concatenate([np.empty((0, LENGTH + 1), dtype=np.int64), *fours])
    rows = rows[np.lexsort(rows.T)]
    again = (rows[1:] == rows[:-1]).all(axis=1)
    return np.bincount(rows[1:][again, 0], minlength=sums)
