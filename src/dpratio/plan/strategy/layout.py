"""Which sums a strategy measures.

``even`` is the paper's: its sums, each with the same share of epsilon and delta, added
up by basic composition. ``joint`` measures the same sums as one vector at its joint
price. ``focused`` measures z and h of `contrast`, most precisely where the ratio needs
it.
"""

from collections.abc import Mapping, Sequence

from dpratio.checks import require
from dpratio.plan.sensitivity.contrast import Contrast
from dpratio.plan.sensitivity.joint import Grid, grid_of
from dpratio.plan.sensitivity.sums import (
    CUT,
    focused_summands,
    summands_for,
)
from dpratio.terms.bounds import Bounds

__all__ = [
    "ANSWERS",
    "EXTERNAL",
    "HISTOGRAM",
    "STRATEGIES",
    "require_no_histogram",
    "sums_of",
]

STRATEGIES = ("focused", "joint", "even")
# Sums that were measured elsewhere: no strategy of ours, and `price` refuses it.
EXTERNAL = "external"
# Counts on a ladder, from which bounds are proposed: planned by `plan_bounds`.
HISTOGRAM = "histogram"
ANSWERS = ("ratio", "means", "spread", "calibration")

Box = Mapping[str, Bounds]


def sums_of(
    strategy: str,
    bounds: Box,
    contrast: Contrast,
    answers: Sequence[str],
    *,
    counts_cuts: bool = False,
) -> Grid:
    """Lay out the sums that a strategy measures for the answers wanted.

    The number of units that bounds cut comes last, where it is counted.
    """
    hint = "Make a plan with make_plan."
    require(strategy != EXTERNAL, "sums from elsewhere are not planned", strategy, hint)
    require_no_histogram(strategy)
    weighted, last = "w" in bounds, (CUT,) if counts_cuts else ()
    if strategy == "focused":
        summands = focused_summands(weighted=weighted, means="means" in answers)
        return grid_of((*summands, *last), bounds, contrast)
    summands = summands_for(
        weighted=weighted, binary=bounds["y"].is_binary, spread="spread" in answers
    )
    return grid_of((*summands, *last), bounds, None)


def require_no_histogram(strategy: str) -> None:
    """Refuse a plan of histograms where a ratio is asked for."""
    hint = "Ask it of a plan that make_plan makes."
    rule = "a plan of histograms holds no sums of a ratio"
    require(strategy != HISTOGRAM, rule, strategy, hint)
