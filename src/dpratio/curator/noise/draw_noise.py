"""Noise for every sum of a question."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dpratio.curator.noise.entropy import BitSource
from dpratio.curator.noise.rounded import draw_rounded
from dpratio.plan.laws import NoiseLaw


def draw_noise(
    law: NoiseLaw, scales: Sequence[float], cells: int, bits: BitSource
) -> NDArray[np.int64]:
    """Draw independent noise, cells × sums, in whole lattice cells of each sum."""
    drawn = [draw_rounded(law, scale, cells, bits) for scale in scales]
    return np.stack(drawn, axis=1)
