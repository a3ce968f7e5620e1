"""All other cells together, for every cell: sums and noise of the rest add up."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.sums.moments import Moments, moments_of
from dpratio.analyst.sums.noise import noise_of
from dpratio.release.release import Release, ReleasedQuestion

__all__ = ["rest_of"]


def rest_of(
    release: Release, question: ReleasedQuestion, places: NDArray[np.int64]
) -> Moments:
    """Give the moments of everyone outside each of some groups."""
    moments = moments_of(release, question)
    layers = []
    for layer in question.noise:
        counts = np.broadcast_to(layer.counts, (len(question.values),))
        layers.append(replace(layer, counts=counts.sum() - counts[places]))
    steps = np.array([each.step for each in question.asked.sums])
    values = moments.values.sum(axis=0) - moments.values[places]
    return Moments(
        moments.names, values, moments.matrix, noise_of(tuple(layers), steps)
    )
