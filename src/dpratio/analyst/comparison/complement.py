"""All other cells together, for every cell: sums and noise of the rest add up."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.sums.moments import Moments, moments_of
from dpratio.analyst.sums.noise import Noise, noise_of, side_by_side
from dpratio.release.noisy_sums import NoisySums
from dpratio.release.release import Release, ReleasedQuestion

__all__ = ["rest_of"]


def rest_of(
    release: Release, question: ReleasedQuestion, places: NDArray[np.int64]
) -> Moments:
    """Give the moments of everyone outside each of some groups."""
    moments = moments_of(release, question)
    values = moments.values.sum(axis=0) - moments.values[places]
    noise = side_by_side([_rest(sums, places) for sums in question.sums])
    return Moments(moments.names, values, moments.matrix, noise)


def _rest(sums: NoisySums, places: NDArray[np.int64]) -> Noise:
    """Add up the noise of everyone outside each of some groups."""
    layers = []
    for layer in sums.noise:
        counts = np.broadcast_to(layer.counts, (len(sums.values),))
        layers.append(replace(layer, counts=counts.sum() - counts[places]))
    return noise_of(tuple(layers), np.array(sums.steps))
