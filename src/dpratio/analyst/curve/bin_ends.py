"""What bounds allow in a bin: its mean score, its gap, its ratio.

The mean of scores lies between the edges of their bin, that of labels within their
bounds, whatever noise says; a gap and a ratio of the two are bounded with them.
"""

import numpy as np

from dpratio.arrays import Floats

Ends = tuple[float, float] | tuple[Floats, Floats]
Labels = tuple[float, float]


def gap_ends(score: Ends, label: Labels) -> tuple[Floats, Floats]:
    """Bound a mean score less a mean label.

    Example:
        >>> [float(end) for end in gap_ends((0.75, 1.0), (0.0, 1.0))]
        [-0.25, 1.0]
    """
    return np.asarray(score[0]) - label[1], np.asarray(score[1]) - label[0]


def ratio_ends(score: Ends, label: Labels) -> tuple[Floats, Floats]:
    """Bound a mean score per mean label; by nothing where labels take both signs.

    Example:
        >>> [float(end) for end in ratio_ends((0.75, 1.0), (0.0, 1.0))]
        [0.75, inf]
        >>> [float(end) for end in ratio_ends((-1.0, 1.0), (0.5, 2.0))]
        [-2.0, 2.0]
    """
    low, high = (np.asarray(end, dtype=np.float64) for end in score)
    least, most = label
    if least < 0:
        return np.full_like(low, -np.inf), np.full_like(high, np.inf)
    by_least = 1 / least if least > 0 else np.inf
    with np.errstate(invalid="ignore"):
        lower = np.where(low >= 0, low / most, low * by_least)
        upper = np.where(high <= 0, high / most, high * by_least)
    return lower, upper
