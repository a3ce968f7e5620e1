"""How many people the bounds cut: a noisy count, and how far noise may take it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dpratio.analyst.ratio.noisy_tail import fourth_moment_scale, noisy_quantile
from dpratio.analyst.sums.moments import Moments
from dpratio.analyst.tables.clipping import LEVEL, Clipping
from dpratio.arrays import Floats
from dpratio.plan.sensitivity.sums import CUT
from dpratio.plan.settle import FALSE_ALARMS


def clipping_of(
    moments: Sequence[Moments], weighted: Sequence[bool], noun: str
) -> Clipping | None:
    """Read off who was cut, question by question; None where nothing was counted.

    Rows are called clipped by one rule for all of them and their sum (Bonferroni).

    Args:
        moments: Of every question.
        weighted: Whether Σw of it adds weights, and is no number of people.
        noun: What those are called who are counted, in the plural.
    """
    if not any(CUT.name in each.names for each in moments):
        return None
    parts = [_counted(*each) for each in zip(moments, weighted, strict=True)]
    rows = np.concatenate(parts, axis=1)
    counted = rows[:3, ~np.isnan(rows[0])]
    # The fourth powers of scales add up, as in fourth_moment_scale.
    total = (*counted[:2].sum(axis=1), np.linalg.norm(counted[2], 4), np.nan)
    count, variance, scale, everyone = np.column_stack([rows, total])
    level = 1 - 2 * FALSE_ALARMS / (counted.shape[1] + 1)
    within = noisy_quantile(LEVEL, variance, scale)
    surely = count - noisy_quantile(level, variance, scale)
    # People are whole numbers, and none is cut less than never.
    ends = (np.rint(count), np.ceil(count - within), np.floor(count + within))
    read = [np.maximum(each, 0.0) for each in (*ends, np.ceil(surely))] + [everyone]
    together = replace(Clipping(*(each[-1:] for each in read)), noun=noun)
    apart = Clipping(*(each[:-1] for each in read))
    return replace(apart, together=together, noun=noun)


def _counted(moments: Moments, weighted: bool) -> Floats:  # noqa: FBT001
    """The count of each row, its variance, its Laplace scale, and all people."""
    rows = np.full((4, len(moments.values)), np.nan)
    if CUT.name not in moments.names:
        return rows
    loading = np.abs(moments.loading(CUT.name))
    rows[0] = moments[CUT.name]
    rows[1] = moments.noise_covariance(CUT.name, CUT.name)
    rows[2] = fourth_moment_scale(
        [moments.noise.laplace[:, at] * loading[at] for at in np.flatnonzero(loading)]
    )
    if "w" in moments.names and not weighted:
        rows[3] = np.where(moments["w"] > 0, moments["w"], np.nan)
    return rows
