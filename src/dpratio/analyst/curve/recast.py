"""Moments seen as those of another ratio: a mean, or a gap between two means.

A mean Σws/Σw is a ratio, and so is Σw(s − y)/Σw. With their own second moments they are
answered by the intervals of ratios, which stay right where the denominator is weak.
"""

from collections.abc import Callable, Mapping
from itertools import product

import numpy as np

from dpratio.analyst.sums.moments import Moments
from dpratio.analyst.sums.sampling import Sampling
from dpratio.arrays import Floats

Combination = Mapping[str, float]


def seen_as_ratio(
    sampling: Sampling, top: Combination, bottom: Combination
) -> tuple[Moments, str]:
    """Give moments in which ``ws`` and ``wy`` are other combinations of sums.

    Args:
        sampling: Moments and how they vary together.
        top: Weights of sums in the new numerator, ``{"ws": 1, "wy": -1}`` for instance.
        bottom: Weights in the new denominator.

    Returns:
        The moments, and the variance form that belongs to them.
    """
    moments = sampling.moments
    pairs = {"ss": (top, top), "ys": (top, bottom), "yy": (bottom, bottom)}
    is_kish = any(
        sampling.product_of(one, other)[1]
        for first, second in pairs.values()
        for one, other in product(first, second)
    )
    names = {"ss": "aa", "ys": "ab", "yy": "bb"}
    rows = {"ws": top, "wy": bottom}
    if is_kish:
        names = {"ss": "wss", "ys": "wys", "yy": "wyy"}
        rows |= {"w": {"w": 1.0}, "ww": {"ww": 1.0}}
    for name, pair in pairs.items():
        rows[names[name]] = _product(sampling, *pair, is_kish=is_kish)
    values = [_combined(parts, moments.__getitem__) for parts in rows.values()]
    matrix = [_combined(parts, moments.loading) for parts in rows.values()]
    view = Moments(
        tuple(rows), np.stack(values, axis=1), np.stack(matrix), moments.noise
    )
    return view, "kish" if is_kish else "linearised"


def _product(
    sampling: Sampling, first: Combination, second: Combination, *, is_kish: bool
) -> dict[str, float]:
    """Multiply two combinations out into sums that the release holds."""
    parts: dict[str, float] = {}
    for (one, own), (other, others) in product(first.items(), second.items()):
        name, _ = sampling.product_of(one, other, is_kish=is_kish)
        parts[name] = parts.get(name, 0.0) + own * others
    return parts


def _combined(parts: Combination, give: Callable[[str], Floats]) -> Floats:
    terms = [weight * give(name) for name, weight in parts.items()]
    total: Floats = np.sum(terms, axis=0)
    return total
