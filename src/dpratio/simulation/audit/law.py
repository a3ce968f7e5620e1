"""How well the best test tells two neighbours apart, under the noise that is claimed.

For two tables whose sums lie some moves apart, in units of their noise, this is the
largest P(event | first) − e^at·P(event | second) over all events: the hockey-stick
divergence, for every threshold ``at``. docs/methods/audit.md derives it.
"""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from dpratio.arrays import Floats

_STEPS = 2_000  # Of the whole loss: the chords lie less than 1e-4 above the curve.


def gaussian_divergence(mu: float, at: float) -> float:
    """Give the divergence of Gaussian noise whose sums are moved by a length mu.

    Example:
        >>> round(gaussian_divergence(1 / 4.224679, 1.0), 9)
        1e-06
    """
    from scipy.special import ndtr

    if mu <= 0:
        return max(0.0, -math.expm1(at))
    # Balle & Wang (2018), theorem 8.
    near, far = ndtr(mu / 2 - at / mu), ndtr(-mu / 2 - at / mu)
    return float(near - math.exp(at) * far)


def laplace_divergence(moves: Sequence[float], at: float) -> float:
    """Give the divergence of Laplace noise, each sum moved by so many of its scales.

    Losses of single sums are put on a grid from above, by chords of their divergence
    (Doroshenko et al. 2022), and added up by a Fourier transform.

    Example:
        >>> math.isclose(laplace_divergence([2.0], 0.0), 1 - math.exp(-1))
        True
    """
    total = sum(moves)
    if total <= 0:
        return max(0.0, -math.expm1(at))
    # The largest moves lie on the grid, where nothing is lost.
    step = max(moves) / math.ceil(_STEPS * max(moves) / total)
    masses = [(_masses(move, step), times) for move, times in Counter(moves).items()]
    size = sum(times * (len(each) - 1) for each, times in masses) + 1
    fast = 1 << (size - 1).bit_length()
    product = np.ones(fast // 2 + 1, dtype=np.complex128)
    for each, times in masses:
        product = product * np.fft.rfft(each, fast) ** times
    chances = np.fft.irfft(product, fast)[:size]
    losses = (np.arange(size) - size // 2) * step
    above = losses > at
    return float(chances[above] @ -np.expm1(at - losses[above]))


def _masses(move: float, step: float) -> Floats:
    """Spread the loss of one sum over a grid; give the chances under the first table.

    Between points of the grid the divergence, a convex function of e^at, is replaced
    by its chord. Its kinks are where the loss lies.
    """
    reach = math.ceil(move / step)
    losses = np.arange(-reach, reach + 1) * step
    ratios = np.exp(losses)
    # 1 − e^((at − move)/2) between −move and move; beyond them 1 − e^at and 0.
    inside = -np.expm1((losses - move) / 2)
    curve = np.where(losses >= move, 0.0, inside)
    curve = np.where(losses <= -move, -np.expm1(losses), curve)
    slopes = np.concatenate([[-1.0], np.diff(curve) / np.diff(ratios), [0.0]])
    return np.asarray(np.maximum(ratios * np.diff(slopes), 0.0))
