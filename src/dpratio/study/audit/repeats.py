"""Whether the noise of one sum repeats that of another, or of the sample before.

Independent noises have the same sign half of the time. Noise that is used twice cancels
in a difference, however large it is.
Floor: study. Imports: bound.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpratio.arrays import Floats
from dpratio.study.audit.bound import RISK, proportion_bounds

__all__ = ["Agreements", "agreements_of", "least_alike"]


@dataclass(frozen=True, slots=True)
class Agreements:
    """How often pairs of noises had the same sign, and how often they were compared."""

    same: NDArray[np.int64]
    compared: NDArray[np.int64]

    def plus(self, other: "Agreements") -> "Agreements":
        """Add the counts of other samples."""
        return Agreements(self.same + other.same, self.compared + other.compared)


def agreements_of(noise: Floats) -> Agreements:
    """Compare the signs of all sums of a sample, and of each sum with the next sample.

    Args:
        noise: Samples × sums.
    """
    signs = np.where(noise > 0, 1.0, -1.0)
    samples, sums = signs.shape
    above = np.triu_indices(sums, 1)
    within = (signs.T @ signs)[above]
    between = (signs[1:] * signs[:-1]).sum(axis=0)
    agreed = np.concatenate([within, between]).astype(np.int64)
    compared = np.full(len(agreed), samples, dtype=np.int64)
    compared[len(within) :] -= 1
    return Agreements((agreed + compared) // 2, compared)


def least_alike(agreements: Agreements, risk: float = RISK) -> float:
    """Bound from below how much two noises are alike: 0 if they may be independent.

    Returns:
        1 where two always have the same sign, or always the opposite one.
    """
    pairs = zip(agreements.same.tolist(), agreements.compared.tolist(), strict=True)
    each = risk / (2 * len(agreements.same))
    least = [
        proportion_bounds(max(same, compared - same), compared, each)[0]
        for same, compared in pairs
    ]
    return max(0.0, 2 * max(least) - 1)
