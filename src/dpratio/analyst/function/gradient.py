"""The gradient of a function of sums, exact to the last digits.

An imaginary step i·h has no difference to cancel: Im f(x + i·h)/h is f'(x) up to h².
With h of 10⁻¹⁵⁰ times a sum this is exact in doubles (Squire & Trapp 1998), for every
function made of arithmetic and numpy's analytic functions. What is not analytic (abs,
max, comparisons) would be silently wrong; a difference along one line shows it.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dpratio.arrays import Floats
from dpratio.checks import require

# Takes one array of values by cell for each argument.
Formula = Callable[[Sequence[Any]], Any]

_STEP = 1e-150
_LINE = 1e-6
_AGREE = 1e-3


def gradient_of(formula: Formula, at: Sequence[Floats]) -> list[Floats]:
    """Differentiate a function by each of its arguments, for every cell.

    Args:
        formula: Takes one array per argument; cells do not mix.
        at: Where, one array of cells per argument.

    Returns:
        One array of derivatives per argument; NaN where the function is undefined.

    Raises:
        InvalidInput: When the function is not analytic, so that its gradient must be
            given by hand.

    Example:
        >>> [float(each[0]) for each in gradient_of(
        ...     lambda m: m[0] / m[1], [np.array([3.0]), np.array([2.0])])]
        [0.5, -0.75]
    """
    found = []
    with np.errstate(all="ignore"):
        for place, values in enumerate(at):
            step = _STEP * np.where(values == 0, 1.0, np.abs(values))
            moved = [each.astype(np.complex128) for each in at]
            moved[place] = values + 1j * step
            image = np.asarray(formula(moved))
            found.append(np.imag(image) / step * np.ones_like(values))
        _require_analytic(formula, at, found)
    return found


def _require_analytic(
    formula: Formula, at: Sequence[Floats], found: Sequence[Floats]
) -> None:
    """Compare with a difference along a line on which every argument moves."""
    # Unequal parts, so that no function of degree zero stands still.
    paces = [_LINE * (0.5 + 1 / (2 + place)) for place in range(len(at))]
    above, below = (
        np.asarray(
            formula([x * (1 + sign * pace) for x, pace in zip(at, paces, strict=True)]),
            dtype=np.float64,
        )
        for sign in (1, -1)
    )
    terms = [slope * x * pace for slope, x, pace in zip(found, at, paces, strict=True)]
    size = sum(np.abs(each) for each in terms)
    apart = np.abs((above - below) / 2 - sum(terms))
    # Where values are large beside their moves, differences say nothing.
    rounding = 1e-13 * (np.abs(above) + np.abs(below))
    off = apart > _AGREE * size + rounding
    known = np.isfinite(apart) & np.isfinite(size)
    # Beside a singular point a difference is no derivative: a few cells prove nothing.
    agrees = 2 * np.count_nonzero(off & known) <= np.count_nonzero(known)
    hint = "Use arithmetic and analytic functions only, or give gradient=…."
    rule = "the gradient of this function cannot be derived"
    require(agrees, rule, "abs, max or a comparison in it", hint)
