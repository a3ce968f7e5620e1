"""Which answers grow with people, of keys that were found for having many of them.

A key is found where a noisy count of its people reaches a threshold. That says nothing
about a ratio or a mean; but a key near the threshold is found because it came out
large, and then its total did too (docs/methods/intervals.md).
"""

from collections.abc import Mapping, Sequence

import numpy as np

from dpratio.analyst.function.function_of_sums import FunctionOfSums
from dpratio.analyst.sums.moments import Moments
from dpratio.arrays import Flags, Floats
from dpratio.plan.calibration.threshold import threshold_of
from dpratio.release.release import Release, ReleasedQuestion
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import PrivateKeys

__all__ = ["is_selected"]

_FAR = 4.0  # Standard deviations.
_GROWS = 1e-6


def is_selected(
    release: Release,
    question: ReleasedQuestion,
    function: FunctionOfSums,
    arms: Sequence[Moments],
) -> Flags:
    """Tell where a function grows with the people of a key that may be near enough."""
    plan, place = release.plan, question.asked.partition
    keys = plan.partitions[place]
    chosen: Flags = np.zeros(len(arms[0].values), dtype=np.bool_)
    if not isinstance(keys, PrivateKeys):
        return chosen
    threshold = threshold_of(keys, plan.unit_of_keys(place))
    least = threshold.least
    enough = least + _FAR * np.sqrt(2 * threshold.scale**2 + least)
    box, size = plan.box(question.asked), len(function.needs)
    values = [arm[name] for arm in arms for name in function.needs]
    slopes = function.slopes(values)
    for at, arm in enumerate(arms):
        own = slice(at * size, (at + 1) * size)
        # Euler: a function that does not change when all sums grow alike has none.
        parts = [by * each for by, each in zip(slopes[own], values[own], strict=True)]
        grown = np.abs(np.sum(parts, axis=0))
        grows = ~(grown <= _GROWS * np.sum(np.abs(parts), axis=0))
        chosen |= grows & ~(_fewest(arm, function.needs, box) >= enough)
    return chosen


def _fewest(arm: Moments, names: Sequence[str], box: Mapping[str, Bounds]) -> Floats:
    """Give the least number of people that sums can come from."""
    reach = {
        letter: max(abs(each.lower), abs(each.upper)) for letter, each in box.items()
    }
    weight = reach.get("w", 1.0)
    letters = {"w": weight, "s": reach["s"], "y": reach["y"]}
    letters |= {"a": weight * reach["s"], "b": weight * reach["y"]}
    counts = [
        np.abs(arm[name]) / float(np.prod([letters[letter] for letter in name]))
        for name in names
    ]
    most: Floats = np.maximum.reduce(counts)
    return most
