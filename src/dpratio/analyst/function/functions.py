"""Ready functions of sums: means, totals, lifts, variances, correlation, slope.

``of`` is ``"numerator"`` or ``"per"``: the two columns of the ratio. Each gives a
`FunctionOfSums` for `estimate_function`; docs/methods/functions.md has the formulas.
"""

from typing import Any

import numpy as np

from dpratio.analyst.function.function_of_sums import (
    FunctionOfSums,
    Sums,
    above_zero,
    covariance,
    people,
)
from dpratio.checks import require_one_of

_FIRST = {"numerator": "ws", "per": "wy"}
_SQUARE = {"numerator": "wss", "per": "wyy"}


def mean(of: str = "numerator") -> FunctionOfSums:
    """Give the weighted mean of a column, Σws/Σw.

    Args:
        of: ``"numerator"`` or ``"per"``: a column of the ratio.

    Returns:
        A function for `estimate_function`; the plan must have ``"means"`` among its
        answers.

    Raises:
        InvalidInput: When ``of`` is neither of the two.

    Example:
        >>> import dpratio as dpr
        >>> release, mean = dpr.example_release(), dpr.functions.mean("per")
        >>> dpr.estimate_function(release, mean, question=1).estimate.round(3)
        array([0.495, 0.47 , 0.451, 0.41 ])
    """
    top = _column(of)
    return FunctionOfSums(
        f"mean_of_{of}",
        (top, "w"),
        lambda sums: sums[top] / sums["w"],
        divisor=people,
    )


def total(of: str = "numerator") -> FunctionOfSums:
    """Give the weighted total of a column, Σws; the number of units varies too.

    Args:
        of: ``"numerator"`` or ``"per"``: a column of the ratio.

    Returns:
        A function for `estimate_function`.

    Raises:
        InvalidInput: When ``of`` is neither of the two.

    Example:
        >>> import dpratio as dpr
        >>> release, total = dpr.example_release(), dpr.functions.total("per")
        >>> dpr.estimate_function(release, total, question=1).estimate.round()
        array([2471., 2351., 2254., 2047.])
    """
    top = _column(of)
    return FunctionOfSums(f"total_of_{of}", (top,), lambda sums: sums[top])


def difference_of_means(of: str = "numerator") -> FunctionOfSums:
    """Give the mean of the first arm less that of the second.

    Args:
        of: ``"numerator"`` or ``"per"``: a column of the ratio.

    Returns:
        A function for `estimate_function`; the plan must have ``"means"`` among its
        answers.

    Raises:
        InvalidInput: When ``of`` is neither of the two.

    Example:
        >>> import dpratio as dpr
        >>> release = dpr.example_release()
        >>> less = dpr.functions.difference_of_means("per")
        >>> found = dpr.estimate_function(release, less, arms=("west", "north"))
        >>> found.estimate.round(3)
        array([-0.085])
    """
    top = _column(of)
    return FunctionOfSums(
        f"difference_of_means_of_{of}",
        (top, "w"),
        lambda first, second: first[top] / first["w"] - second[top] / second["w"],
        arms=2,
        divisor=lambda first, second: people(first) * people(second),
    )


def lift(of: str = "numerator") -> FunctionOfSums:
    """Give the mean of the first arm over that of the second, less 1.

    Args:
        of: ``"numerator"`` or ``"per"``: a column of the ratio.

    Returns:
        A function for `estimate_function`; the plan must have ``"means"`` among its
        answers.

    Raises:
        InvalidInput: When ``of`` is neither of the two.

    Example:
        >>> import dpratio as dpr
        >>> release = dpr.example_release()
        >>> lift = dpr.functions.lift("per")
        >>> found = dpr.estimate_function(release, lift, arms=("west", "north"))
        >>> found.estimate.round(3)
        array([-0.172])
    """
    top = _column(of)
    return FunctionOfSums(
        f"lift_of_means_of_{of}",
        (top, "w"),
        lambda first, second: (
            (first[top] / first["w"]) / (second[top] / second["w"]) - 1
        ),
        arms=2,
        link="log_one_plus",
        divisor=lambda first, second: people(first) * second[top],
    )


def ratio_of_ratios() -> FunctionOfSums:
    """Give the ratio of the first arm over that of the second.

    Returns:
        A function for `estimate_function`.

    Example:
        >>> import dpratio as dpr
        >>> release = dpr.example_release()
        >>> both = dpr.functions.ratio_of_ratios()
        >>> found = dpr.estimate_function(release, both, arms=("west", "north"))
        >>> found.estimate.round(3)
        array([1.207])
    """
    return FunctionOfSums(
        "ratio_of_ratios",
        ("ws", "wy"),
        lambda first, second: (
            (first["ws"] / first["wy"]) / (second["ws"] / second["wy"])
        ),
        arms=2,
        link="log",
        divisor=lambda first, second: first["wy"] * second["ws"],
    )


def variance(of: str = "numerator") -> FunctionOfSums:
    """Give the variance of a column around its mean, Σws²/Σw − (Σws/Σw)².

    Args:
        of: ``"numerator"`` or ``"per"``: a column of the ratio.

    Returns:
        A function for `estimate_function`; the plan must have ``"spread"`` among its
        answers. That of a denominator of 0 and 1 is p(1 − p) and needs means alone.

    Raises:
        InvalidInput: When ``of`` is neither of the two.

    Example:
        >>> import dpratio as dpr
        >>> release, variance = dpr.example_release("joint"), dpr.functions.variance()
        >>> dpr.estimate_function(release, variance, question=1).estimate.round(3)
        array([0.052, 0.051, 0.055, 0.046])
    """
    top, name = _column(of), f"variance_of_{of}"
    # p(1 − p) is flat at ½; the interval of p is not.
    share = FunctionOfSums(
        name,
        ("w", top),
        lambda sums: sums[top] / sums["w"],
        link="share",
        lowest=0.0,
        highest=0.25,
        divisor=people,
    )
    return FunctionOfSums(
        name,
        ("w", top, _SQUARE[of]),
        lambda sums: covariance(sums, top, top, _SQUARE[of]),
        lowest=0.0,
        of_labels=share if of == "per" else None,
        divisor=people,
    )


def correlation() -> FunctionOfSums:
    """Give the correlation of numerator and denominator.

    Returns:
        A function for `estimate_function`; the plan must have ``"spread"`` among its
        answers.

    Example:
        >>> import dpratio as dpr
        >>> release, asked = dpr.example_release("joint"), dpr.functions.correlation()
        >>> dpr.estimate_function(release, asked, question=1).estimate.round(2)
        array([0.44, 0.41, 0.4 , 0.42])
    """
    return FunctionOfSums(
        "correlation",
        ("w", "ws", "wy", "wss", "wys", "wyy"),
        lambda sums: covariance(sums, "ws", "wy", "wys") / _deviations(sums),
        link="fisher",
        lowest=-1.0,
        highest=1.0,
        divisor=_deviations,
        rests_on=(_line("ws"), _line("wy")),
    )


def slope() -> FunctionOfSums:
    """Give the slope of the least-squares line of the denominator on the numerator.

    Where the numerator is a score and the denominator its label, this is how much the
    label rises with the score. A calibrated score has a slope of 1.

    Returns:
        A function for `estimate_function`; the plan must have ``"spread"`` among its
        answers.

    Example:
        >>> import dpratio as dpr
        >>> release, slope = dpr.example_release("joint"), dpr.functions.slope()
        >>> dpr.estimate_function(release, slope, question=1).estimate.round(2)
        array([0.96, 0.9 , 0.85, 0.96])
    """
    return _line("ws")


def _line(along: str) -> FunctionOfSums:
    """Give the slope of one column along the other: a covariance over a variance."""
    square = f"{along}{along[1]}"
    return FunctionOfSums(
        "slope",
        ("w", "ws", "wy", square, "wys"),
        lambda sums: (
            covariance(sums, "ws", "wy", "wys") / covariance(sums, along, along, square)
        ),
        divisor=lambda sums: above_zero(covariance(sums, along, along, square)),
    )


def _deviations(sums: Sums) -> Any:  # noqa: ANN401 (an array of any kind)
    """Give the product of both standard deviations; NaN where there is none."""
    score = covariance(sums, "ws", "ws", "wss")
    label = covariance(sums, "wy", "wy", "wyy")
    return np.sqrt(score) * np.sqrt(label)


def _column(of: str) -> str:
    require_one_of(of, _FIRST, "column of the ratio")
    return _FIRST[of]
