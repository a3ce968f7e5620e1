"""Which answers grow with people, of keys that were found for having many of them.

A key is found where a noisy count of its people reaches a threshold. That says nothing
about a ratio or a mean; but a key near the threshold is found because it came out
large, and then its total did too. Which keys were near is not known: a total that seems
far from the threshold may be so by luck, and then it is too large for that reason
(docs/methods/intervals.md).
"""

from collections.abc import Sequence

import numpy as np

from dpratio.analyst.function.function_of_sums import FunctionOfSums
from dpratio.analyst.sums.moments import Moments
from dpratio.arrays import Flags
from dpratio.release.release import ReleasedQuestion
from dpratio.terms.groups import PrivateKeys

_GROWS = 1e-6


def is_selected(
    question: ReleasedQuestion,
    function: FunctionOfSums,
    arms: Sequence[Moments],
) -> Flags:
    """Tell where a function grows with the people of a key that was found."""
    keys = question.planned.groups
    chosen: Flags = np.zeros(len(arms[0].values), dtype=np.bool_)
    if not isinstance(keys, PrivateKeys):
        return chosen
    size = len(function.needs)
    values = [arm[name] for arm in arms for name in function.needs]
    slopes = function.slopes(values)
    for at in range(len(arms)):
        own = slice(at * size, (at + 1) * size)
        # Euler: a function that does not change when all sums grow alike has none.
        parts = [by * each for by, each in zip(slopes[own], values[own], strict=True)]
        grown = np.abs(np.sum(parts, axis=0))
        chosen |= ~(grown <= _GROWS * np.sum(np.abs(parts), axis=0))
    return chosen
