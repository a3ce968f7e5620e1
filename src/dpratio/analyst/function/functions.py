"""Ready functions of sums: means, totals, lifts, odds, variances, correlation, slope.

``of`` is ``"numerator"`` or ``"per"``: the two columns of the ratio. Each gives a
`FunctionOfSums` for `estimate_function`; docs/methods/functions.md has the formulas.
"""

from typing import Any

import numpy as np

from dpratio.analyst.function.function_of_sums import FunctionOfSums, Sums
from dpratio.checks import require_one_of

__all__ = [
    "correlation",
    "difference_of_means",
    "lift",
    "mean",
    "odds_ratio",
    "ratio_of_ratios",
    "relative_risk",
    "slope",
    "total",
    "variance",
]

_FIRST = {"numerator": "ws", "per": "wy"}
_SQUARE = {"numerator": "wss", "per": "wyy"}
# What a share is made of: the ratio itself, or the mean of a column of 0 and 1.
_SHARE = {"ratio": ("ws", "wy"), "numerator": ("ws", "w"), "per": ("wy", "w")}


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
        f"mean_of_{of}", (top, "w"), lambda sums: sums[top] / sums["w"]
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
    )


def relative_risk(of: str = "ratio") -> FunctionOfSums:
    """Give the share of the first arm over that of the second, p₁/p₂.

    Args:
        of: ``"ratio"`` where the ratio is a share, as of conversions per visitor; or
            the mean of a column of 0 and 1, ``"numerator"`` or ``"per"``.

    Returns:
        A function for `estimate_function`; of a column the plan must have ``"means"``
        among its answers.

    Raises:
        InvalidInput: When ``of`` is none of the three.

    Example:
        >>> import dpratio as dpr
        >>> release, risk = dpr.example_release(), dpr.functions.relative_risk("per")
        >>> found = dpr.estimate_function(release, risk, arms=("west", "north"))
        >>> found.estimate.round(3)
        array([0.828])
    """
    top, bottom = _share(of)
    return FunctionOfSums(
        f"relative_risk_of_{of}",
        (top, bottom),
        lambda first, second: (
            (first[top] / first[bottom]) / (second[top] / second[bottom])
        ),
        arms=2,
        link="log",
        lowest=0.0,
    )


def odds_ratio(of: str = "ratio") -> FunctionOfSums:
    """Give the odds of the first arm over those of the second, p/(1 − p) each.

    Args:
        of: As for `relative_risk`: p must be a share.

    Returns:
        A function for `estimate_function`; of a column the plan must have ``"means"``
        among its answers. If noise leaves no odds, the status is ``"unbounded"``.

    Raises:
        InvalidInput: When ``of`` is none of the three.

    Example:
        >>> import dpratio as dpr
        >>> release, odds = dpr.example_release(), dpr.functions.odds_ratio("per")
        >>> found = dpr.estimate_function(release, odds, arms=("west", "north"))
        >>> found.estimate.round(3)
        array([0.709])
    """
    top, bottom = _share(of)
    return FunctionOfSums(
        f"odds_ratio_of_{of}",
        (top, bottom),
        lambda first, second: (
            (first[top] / (first[bottom] - first[top]))
            / (second[top] / (second[bottom] - second[top]))
        ),
        arms=2,
        link="log",
        lowest=0.0,
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
    )
    return FunctionOfSums(
        name,
        ("w", top, _SQUARE[of]),
        lambda sums: _spread(sums, top, top, _SQUARE[of]),
        lowest=0.0,
        of_labels=share if of == "per" else None,
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
        lambda sums: (
            _spread(sums, "ws", "wy", "wys")
            / np.sqrt(
                _spread(sums, "ws", "ws", "wss") * _spread(sums, "wy", "wy", "wyy")
            )
        ),
        link="fisher",
        lowest=-1.0,
        highest=1.0,
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
    return FunctionOfSums(
        "slope",
        ("w", "ws", "wy", "wss", "wys"),
        lambda sums: (
            _spread(sums, "ws", "wy", "wys") / _spread(sums, "ws", "ws", "wss")
        ),
    )


def _spread(sums: Sums, first: str, second: str, product: str) -> Any:  # noqa: ANN401 (an array of any kind)
    """Give a covariance: the mean product less the product of means."""
    weight = sums["w"]
    return sums[product] / weight - sums[first] / weight * (sums[second] / weight)


def _share(of: str) -> tuple[str, str]:
    require_one_of(of, _SHARE, "share")
    return _SHARE[of]


def _column(of: str) -> str:
    require_one_of(of, _FIRST, "column of the ratio")
    return _FIRST[of]
