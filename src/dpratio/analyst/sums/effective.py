"""Kish's effective sample size: how many people of equal weight would say as much.

Kish (1965): n_eff = (Σw)²/Σw². It is given if a release measures both sums and noise
does not hide them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpratio.analyst.sums.moments import Moments
from dpratio.arrays import Floats

# Of the size itself: a deviation of noise beyond which nothing is told.
_LOST = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class EffectiveSize:
    """Effective numbers of people, and the standard deviation of their noise.

    Both are NaN where weights were not asked for or are lost in noise.
    """

    people: Floats
    noise: Floats


def effective_size(
    moments: Sequence[Moments], weighted: Sequence[bool]
) -> EffectiveSize | None:
    """Tell the effective size of every row; None where no release sum tells any.

    Args:
        moments: Of every question.
        weighted: Whether it has weights.
    """
    pairs = list(zip(moments, weighted, strict=True))
    if not any(_is_told(*each) for each in pairs):
        return None
    parts = [_of_question(*each) for each in pairs]
    people, noise = (np.concatenate(each) for each in zip(*parts, strict=True))
    return EffectiveSize(people, noise)


def _is_told(moments: Moments, weighted: bool) -> bool:  # noqa: FBT001
    return weighted and {"w", "ww"} <= set(moments.names)


def _of_question(moments: Moments, weighted: bool) -> tuple[Floats, Floats]:  # noqa: FBT001
    if not _is_told(moments, weighted):
        none = np.full(len(moments.values), np.nan)
        return none, none
    weight, square = moments["w"], moments["ww"]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        people = weight**2 / square
        # The derivative of its logarithm by every released sum.
        moved = (
            2 * moments.loading("w") / weight[:, None]
            - moments.loading("ww") / square[:, None]
        )
        noise = people * np.sqrt((moved**2 * moments.noise.variance).sum(axis=1))
        known = (weight > 0) & (square > 0) & (noise <= _LOST * people)
    return np.where(known, people, np.nan), np.where(known, noise, np.nan)
