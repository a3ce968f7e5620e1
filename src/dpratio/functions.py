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

__all__ = [
    "FunctionOfSums",
    "correlation",
    "difference_of_means",
    "lift",
    "mean",
    "ratio_of_ratios",
    "slope",
    "total",
    "variance",
]
