"""How many people the bounds cut: a noisy count, and how far noise may take it."""

from collections.abc import Sequence

import numpy as np

from dpratio.analyst.ratio.noisy_tail import fourth_moment_scale, noisy_quantile
from dpratio.analyst.sums.moments import Moments
from dpratio.analyst.tables.clipping import LEVEL, Clipping
from dpratio.arrays import Floats
from dpratio.plan.sensitivity.sums import CUT

__all__ = ["clipping_of"]


def clipping_of(
    moments: Sequence[Moments], weighted: Sequence[bool]
) -> Clipping | None:
    """Read off who was cut, question by question; None where nothing was counted.

    Args:
        moments: Of every question.
        weighted: Whether Σw of it adds weights, and is no number of people.
    """
    if not any(CUT.name in each.names for each in moments):
        return None
    parts = [_counted(*each) for each in zip(moments, weighted, strict=True)]
    return Clipping(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _counted(moments: Moments, weighted: bool) -> tuple[Floats, ...]:  # noqa: FBT001
    none = np.full(len(moments.values), np.nan)
    if CUT.name not in moments.names:
        return none, none, none, none
    count = moments[CUT.name]
    loading = np.abs(moments.loading(CUT.name))
    variance = moments.noise_covariance(CUT.name, CUT.name)
    scales = [
        moments.noise.laplace[:, at] * loading[at] for at in np.flatnonzero(loading)
    ]
    # How far noise takes a count 95 times in 100.
    within = noisy_quantile(LEVEL, variance, fourth_moment_scale(scales))
    # People are whole numbers, and none is cut less than never.
    people = np.maximum(np.rint(count), 0.0)
    lower = np.maximum(np.ceil(count - within), 0.0)
    upper = np.maximum(np.floor(count + within), 0.0)
    if weighted or "w" not in moments.names:
        return people, lower, upper, none
    everyone = moments["w"]
    return people, lower, upper, np.where(everyone > 0, everyone, np.nan)
