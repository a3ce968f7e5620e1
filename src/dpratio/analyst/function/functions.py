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

# What a share is made of: the ratio itself, or the mean of a column of 0 and 1.
_SHARE = {"ratio": ("ws", "wy"), "numerator": ("ws", "w"), "per": ("wy", "w")}


def relative_risk(of: str = "ratio") -> FunctionOfSums:
    """Give the share of the first arm over that of the second, p₁/p₂.

    Args:
        of: ``"ratio"`` where the ratio is a share, as of conversions per visitor; or
            the mean of a column of 0 and 1, ``"numerator"`` or ``"per"``.

    Returns:
        A function for `estimate_function`; of a column the plan must have ``"means"``
        among its answers. If noise leaves no share, the status is ``"unbounded"``.

    Raises:
        InvalidInput: When ``of`` is none of the three.

    Example:
        >>> import dpratio as dpr
        >>> release, risk = dpr.example_release(), dpr.functions.relative_risk("per")
        >>> found = dpr.estimate_function(release, risk, arms=("west", "north"))
        >>> found.estimate.round(3)
        array([0.828])
    """
    return _compared("relative_risk", of, taken=0)


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
    return _compared("odds_ratio", of, taken=1)


def _compared(name: str, of: str, *, taken: int) -> FunctionOfSums:
    """Divide the part of each arm by its whole, less ``taken`` times the part."""
    require_one_of(of, _SHARE, "share")
    part, whole = _SHARE[of]

    def other(sums: Sums) -> Any:  # noqa: ANN401 (an array of any kind)
        return sums[whole] - taken * sums[part]

    return FunctionOfSums(
        f"{name}_of_{of}",
        (part, whole),
        lambda first, second: (
            (first[part] / other(first)) / (second[part] / other(second))
        ),
        arms=2,
        link="log",
        lowest=0.0,
        divisor=lambda first, second: (
            above_zero(other(first)) * above_zero(second[part])
        ),
    )


def brier_score() -> FunctionOfSums:
    """Give the mean squared distance of score and label, Σw(s − y)²/Σw (Brier 1950).

    Returns:
        A function for `estimate_function`; the plan must have ``"spread"`` among its
        answers.

    Example:
        >>> import dpratio as dpr
        >>> release, brier = dpr.example_release("joint"), dpr.functions.brier_score()
        >>> dpr.estimate_function(release, brier, question=1).estimate.round(3)
        array([0.202, 0.209, 0.211, 0.207])
    """
    return FunctionOfSums(
        "brier_score",
        ("w", "wss", "wys", "wyy"),
        lambda sums: (sums["wss"] - 2 * sums["wys"] + sums["wyy"]) / sums["w"],
        lowest=0.0,
        divisor=people,
    )


def calibration_intercept() -> FunctionOfSums:
    """Give where the least-squares line of label on score begins, at a score of 0.

    A calibrated score has an intercept of 0 and a `slope` of 1. The line is linear: the
    intercept of a logistic fit (Cox 1958) is not a function of these sums.

    Returns:
        A function for `estimate_function`; the plan must have ``"spread"`` among its
        answers.

    Example:
        >>> import dpratio as dpr
        >>> release = dpr.example_release("joint")
        >>> begin = dpr.functions.calibration_intercept()
        >>> dpr.estimate_function(release, begin, question=1).estimate.round(2)
        array([ 0.01,  0.03,  0.03, -0.07])
    """
    return FunctionOfSums(
        "calibration_intercept",
        ("w", "ws", "wy", "wss", "wys"),
        _intercept,
        divisor=lambda sums: above_zero(_spread_of_scores(sums)),
    )


def _intercept(sums: Sums) -> Any:  # noqa: ANN401 (an array of any kind)
    slope = covariance(sums, "ws", "wy", "wys") / _spread_of_scores(sums)
    return sums["wy"] / sums["w"] - slope * (sums["ws"] / sums["w"])


def _spread_of_scores(sums: Sums) -> Any:  # noqa: ANN401 (an array of any kind)
    return covariance(sums, "ws", "ws", "wss")


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
