"""Where the tail of a normal plus two Laplace variables begins, from a table.

In units of the whole deviation the answer depends on two numbers: the share h of the
variance that is Laplace, and how unevenly the two Laplace variables hold it, as the
square p of their difference per sum. It is smooth in both. Exact values at Chebyshev
nodes give a polynomial, and a fine grid holds its value and derivatives, so that a
row costs six look-ups. docs/methods/pivot.md says how far off it may be.
"""

from functools import lru_cache

import numpy as np
from numpy.polynomial import chebyshev

from dpratio.analyst.ratio.noisy_tail import noisy_deviate
from dpratio.arrays import Floats

_SHARES, _GAPS = 33, 17  # Nodes of the polynomial.
_ALONG, _ACROSS = 256, 128  # Cells of the grid.
_ORDERS = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
_STEPS = 12
_TABLES_KEPT = 8
_MARGIN = 1e-3  # Between the cells of the grid a reach may lie beyond its values.
_TINY = np.finfo(np.float64).tiny


def noisy_reach(
    quantile: float, variance: Floats, first: Floats, second: Floats
) -> Floats:
    """Give t with P(N + L₁ + L₂ > t) as far out as a normal quantile.

    Args:
        quantile: Positive.
        variance: Of N, L₁ and L₂ together, positive.
        first: The variance of L₁.
        second: The variance of L₂.
    """
    both = first + second
    apart = (first - second) / (both + _TINY)
    along = both / variance * _ALONG
    across = apart * apart * _ACROSS
    row, column = np.rint(along), np.rint(across)
    at = (row * (_ACROSS + 1) + column).astype(np.intp)
    along -= row
    across -= column
    # What is no number has no place in the table; the root keeps it from being one.
    here, by_h, by_p, by_hh, by_hp, by_pp = (
        column.take(at, mode="clip") for column in _table(quantile)
    )
    by_h = by_h + along * by_hh + across * by_hp
    by_p = by_p + across * by_pp
    times: Floats = (here + along * by_h + across * by_p) * np.sqrt(variance)
    return times


@lru_cache(maxsize=_TABLES_KEPT)
def reach_between(quantile: float) -> tuple[float, float]:
    """Give the least and the largest reach of any mixture, in deviations."""
    values = _table(quantile)[0]
    return float(values.min()) * (1 - _MARGIN), float(values.max()) * (1 + _MARGIN)


@lru_cache(maxsize=_TABLES_KEPT)
def _table(quantile: float) -> tuple[Floats, ...]:
    """Give value, first derivatives and half the second ones in every cell."""
    shares, gaps = _nodes(_SHARES), _nodes(_GAPS)
    exact = _solve(quantile, *np.meshgrid(shares, gaps, indexing="ij"))
    by_share = np.linalg.inv(chebyshev.chebvander(2 * shares - 1, _SHARES - 1))
    by_gap = np.linalg.inv(chebyshev.chebvander(2 * gaps - 1, _GAPS - 1))
    polynomial = by_share @ exact @ by_gap.T
    grid = (np.linspace(-1, 1, _ALONG + 1), np.linspace(-1, 1, _ACROSS + 1))
    columns: list[Floats] = []
    for along, across in _ORDERS:
        moved = chebyshev.chebder(polynomial, along, scl=2 / _ALONG, axis=0)
        moved = chebyshev.chebder(moved, across, scl=2 / _ACROSS, axis=1)
        halved = 0.5 if max(along, across) == 2 else 1.0  # noqa: PLR2004
        values = chebyshev.chebgrid2d(*grid, moved).astype(np.float64)
        columns.append(halved * values.ravel())
    return tuple(columns)


def _nodes(count: int) -> Floats:
    """Give Chebyshev's nodes between 0 and 1; neither end is one of them."""
    angles = (np.arange(count) + 0.5) * np.pi / count
    nodes: Floats = (1 - np.cos(angles)) / 2
    return nodes


def _solve(quantile: float, share: Floats, gap: Floats) -> Floats:
    """Solve for the reach under the exact tail, by the secant method."""
    one, root = np.ones_like(share), np.sqrt(gap)
    scales = (np.sqrt(share * (1 + root) / 4), np.sqrt(share * (1 - root) / 4))

    def beyond(reach: Floats) -> Floats:
        excess: Floats = noisy_deviate(reach, one, *scales) - quantile
        return excess

    behind, at = 0.9 * quantile * one, quantile * one
    behind_value = beyond(behind)
    for _ in range(_STEPS):
        value = beyond(at)
        moved, fell = value * (at - behind), value - behind_value
        step = np.divide(moved, fell, out=np.zeros_like(at), where=fell != 0)
        behind, behind_value, at = at, value, at - step
    return at
