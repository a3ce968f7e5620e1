"""Ready functions of sums, for `dpratio.estimate_function`."""

from dpratio.analyst.function.function_of_sums import FunctionOfSums
from dpratio.analyst.function.functions import (
    correlation,
    difference_of_means,
    lift,
    mean,
    ratio_of_ratios,
    slope,
    total,
    variance,
)
from dpratio.analyst.function.risks import odds_ratio, relative_risk
from dpratio.analyst.function.scores import brier_score, calibration_intercept

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
