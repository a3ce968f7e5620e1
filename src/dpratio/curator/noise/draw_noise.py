"""Noise for every sum of a question."""

import numpy as np
from numpy.typing import NDArray

from dpratio.curator.noise.entropy import BitSource
from dpratio.curator.noise.rounded import GAUSSIAN, LAPLACE, draw_rounded
from dpratio.plan.planned_question import PlannedQuestion

__all__ = ["draw_noise"]


def draw_noise(
    mechanism: str, question: PlannedQuestion, cells: int, bits: BitSource
) -> NDArray[np.int64]:
    """Draw independent noise, cells × sums, in whole lattice cells of each sum."""
    law = LAPLACE if mechanism == "laplace" else GAUSSIAN
    drawn = [draw_rounded(law, scale, cells, bits) for scale in question.scales]
    return np.stack(drawn, axis=1)
