"""What noise in an estimated variance costs an interval; planner and analyst agree.

docs/methods/pivot.md derives it and maps what it covers.
"""

from typing import Any, TypeVar

import numpy as np

from dpratio.arrays import Floats

QUANTILE = 1.959963984540054  # Of a normal variable, two-sided, at level 0.95.

# Fitted so that the rule covers 0.946 or more on the whole map, with the least width.
_TEMPER = 2.2
_SURE = 1.8
_LEAST_KEPT = 1e-9
_TINY = np.finfo(np.float64).tiny

Number = TypeVar("Number", float, Floats)


def allowance(
    sampling: Number, noise: Number, doubt: Number, quantile: float | Floats
) -> Number:
    """Return by how much to widen a variance A = V + N for the noise in V's estimate.

    A* − A = (k² + 1)/4 · s²/√(A² + B²), with s² the noise variance of the estimate and
    B = 2.2 s + 1.8 N s/(V + s). Where s is small it restores the level to second
    order; B keeps it from paying too much where s is not. An estimate far below 0
    speaks for a small V; it is taken for 0, and less is allowed for, as far as known
    noise stands in.

    Args:
        sampling: V, the estimate; noise may have taken it below 0.
        noise: N, which is known.
        doubt: s².
        quantile: k, the normal quantile that the statistic is compared with.

    Example:
        >>> float(round(allowance(0.6, 0.4, 0.25, 1.0), 4))
        0.0717
    """
    by_level: Any = (quantile**2 + 1) / 4
    length = _tempered(sampling, noise, doubt, quantile)
    allowed: Number = by_level * doubt / length
    return allowed


def wobble(sampling: Number, noise: Number, doubt: Number) -> Number:
    """Return the relative variance of an estimated A that the allowance answers to.

    It is s²/A² where s is small; A* = A (1 + (k² + 1)/4 · wobble).
    """
    whole = np.maximum(sampling, 0.0) + noise + _TINY
    relative: Number = doubt / _tempered(sampling, noise, doubt) / whole
    return relative


def allowance_slopes(
    sampling: Number, noise: Number, doubt: Number, quantile: float | Floats
) -> tuple[Number, Number, Number]:
    """Return `allowance`, and its derivatives by N and by s², where s² > 0, V ≥ 0."""
    deviation = doubt**0.5
    part = deviation / (sampling + deviation)
    temper = _TEMPER * deviation + _SURE * noise * part
    length = _tempered(sampling, noise, doubt)
    by_level: Any = (quantile**2 + 1) / 4
    allowed: Number = by_level * doubt / length
    fall = -allowed / length**2
    # B moves by 1.8 s/(V + s) with N, and with s by 2.2 + 1.8 N V/(V + s)²; s moves by
    # 1/(2s) with s².
    by_deviation = _TEMPER + _SURE * noise * sampling / (sampling + deviation) ** 2
    by_noise: Number = fall * (sampling + noise + temper * _SURE * part)
    by_doubt: Number = allowed / doubt + fall * temper * by_deviation / (2 * deviation)
    return allowed, by_noise, by_doubt


def _tempered(
    sampling: Number,
    noise: Number,
    doubt: Number,
    quantile: float | Floats = QUANTILE,
) -> Number:
    """Return √(A² + B²), or more where V's estimate is below 0."""
    if not np.any(sampling < 0):
        return _length(sampling, noise, doubt)
    seen: Any = np.maximum(sampling, 0.0)
    length = _length(seen, noise, doubt)
    below: Any = np.minimum(sampling, 0.0) ** 2
    far = below / (below + doubt + _TINY)
    at_zero = (QUANTILE**2 + 1) / 4 * doubt / length
    known = np.minimum(noise, at_zero) / (at_zero + _TINY)
    # Far out in the tail little is taken off: a rare large V decides there.
    common = (QUANTILE / np.maximum(quantile, QUANTILE)) ** 4
    longer: Number = length / np.maximum(1 - far * known * common, _LEAST_KEPT)
    return longer


def _length(seen: Number, noise: Number, doubt: Number) -> Number:
    deviation = doubt**0.5
    # Known noise hides an estimate that is cut off at 0; the cut alone widens then.
    part = deviation / (seen + deviation + _TINY)
    temper = _TEMPER * deviation + _SURE * noise * part
    whole = seen + noise
    length: Number = np.sqrt(whole * whole + temper * temper) + _TINY
    return length
