"""Whether noises are alike: of two sums, two samples in a row, or two releases.

Independent noises have the same sign half of the time, and are both large or both small
half of the time. Noise that is used twice cancels in a difference, however large it is.

And whether a series of noise comes again, in whatever release and place. Four noises in
a row that equal four others are no accident: with a scale of a million cells their
chance is below 1e-18 in a million draws. A generator that starts anew, has a short
period or is copied into another process repeats longer series than that.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpratio.arrays import Integers
from dpratio.simulation.audit.bound import RISK, proportion_bounds

LENGTH = 4
# One series in sixteen is kept: those that begin with a multiple of it. A series that
# comes again is kept again, or left out again.
_KEPT = 16


@dataclass(frozen=True, slots=True)
class Agreements:
    """How often pairs of noises agreed, and how often they were compared."""

    same: Integers
    compared: Integers

    def plus(self, other: "Agreements") -> "Agreements":
        """Add the counts of other samples."""
        return Agreements(self.same + other.same, self.compared + other.compared)


def agreements_of(
    noise: Integers, medians: Integers, earlier: Integers | None = None
) -> Agreements:
    """Compare signs, and whether noise is large, wherever noise might be used twice.

    All sums of a sample are compared, each sum with the sample that follows, and with
    the same sample of the release before.

    Args:
        noise: Samples × sums.
        medians: The size that half of the noise of each sum exceeds.
        earlier: The noise of the release before, where there is one.
    """
    before = noise[:0] if earlier is None else earlier
    signs = _compare(noise > 0, before > 0)
    sizes = _compare(np.abs(noise) > medians, np.abs(before) > medians)
    same, compared = (np.concatenate(pair) for pair in zip(signs, sizes, strict=True))
    return Agreements(same, compared)


def _compare(
    noise: NDArray[np.bool_], before: NDArray[np.bool_]
) -> tuple[Integers, Integers]:
    """Count agreements: within samples, with the next one, with the release before."""
    marks = np.where(noise, 1.0, -1.0)
    earlier = np.where(before[: len(marks)], 1.0, -1.0)
    samples, sums = marks.shape
    within = (marks.T @ marks)[np.triu_indices(sums, 1)]
    between = (marks[1:] * marks[:-1]).sum(axis=0)
    across = (marks[: len(earlier)] * earlier).sum(axis=0)
    agreed = np.concatenate([within, between, across]).astype(np.int64)
    times = np.array([samples, samples - 1, len(earlier)])
    compared = np.repeat(times, [len(within), sums, sums])
    return (agreed + compared) // 2, compared


def least_alike(agreements: Agreements, risk: float = RISK) -> float:
    """Bound from below how much two noises are alike: 0 if they may be independent.

    Returns:
        1 where two always agree, or never do.
    """
    pairs = zip(agreements.same.tolist(), agreements.compared.tolist(), strict=True)
    each = risk / (2 * len(agreements.same))
    least = [
        proportion_bounds(max(same, compared - same), compared, each)[0]
        for same, compared in pairs
    ]
    return max(0.0, 2 * max(least) - 1)


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
