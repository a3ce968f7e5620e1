"""How good a score is, as functions of sums: Brier score and calibration intercept.

The numerator of the ratio is a score, and the denominator the label that it predicts.
The slope that belongs to the intercept is `functions.slope`. docs/methods/functions.md
says what a release must hold for them.
"""

from typing import Any

from dpratio.analyst.function.function_of_sums import (
    FunctionOfSums,
    Sums,
    above_zero,
    covariance,
    people,
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
