"""Ready functions of sums, for `dpratio.estimate_function`."""

from dpratio.analyst.function.function_of_sums import FunctionOfSums
from dpratio.analyst.function.functions import (
    brier_score,
    calibration_intercept,
    correlation,
    difference_of_means,
    lift,
    mean,
    odds_ratio,
    ratio_of_ratios,
    relative_risk,
    slope,
    total,
    variance,
)

__all__ = [
    "FunctionOfSums",
    "brier_score",
    "calibration_intercept",
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
