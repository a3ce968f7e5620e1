"""Noise for every sum of a plan.

Floor: curator. Imports: plan, rounded, entropy.
"""

import numpy as np
from numpy.typing import NDArray

from dpratio.curator.entropy import BitSource
from dpratio.curator.rounded import GAUSSIAN, LAPLACE, draw_rounded
from dpratio.plan.plan import Plan

__all__ = ["draw_noise"]


def draw_noise(plan: Plan, bits: BitSource) -> NDArray[np.int64]:
    """Draw independent noise, keys × sums, in whole cells of each sum."""
    law = LAPLACE if plan.mechanism == "laplace" else GAUSSIAN
    count = len(plan.keys)
    drawn = [draw_rounded(law, each.scale, count, bits) for each in plan.sums]
    return np.stack(drawn, axis=1)
