"""Plans of a score on a fine grid, and tables whose scores lie at its edges."""

import math
from typing import Any

import pyarrow as pa

from dpratio.plan.histograms import HistogramPlan, plan_bins
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import ScoreBins
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study

__all__ = ["BOUNDS", "EDGES", "SCORES", "edge_table", "grid_plan", "study_of"]

BOUNDS = {"score": Bounds(0.1, 0.9), "label": Bounds.binary()}
EDGES = ScoreBins("score", 100).within(BOUNDS["score"]).edges
SCORES: list[float | None] = [
    number
    for edge in EDGES
    for number in (edge, math.nextafter(edge, 0), math.nextafter(edge, 1))
]
SCORES += [0.0, -0.0, 1.0, 5e-324, 1e308, -1e308, math.nan, math.inf, -math.inf, None]


def study_of(**terms: Any) -> Study:  # noqa: ANN401
    """A study of scores per label."""
    given = {"bounds": BOUNDS, "budget": Budget(1), **terms}
    return Study(Ratio("score", per="label"), **given)


def grid_plan(*, cells: int = 100, **terms: Any) -> HistogramPlan:  # noqa: ANN401
    """A histogram of the score on a grid."""
    return plan_bins(study_of(**terms), "score", budget=Budget(1), cells=cells)


def edge_table() -> pa.Table:
    """Scores at every edge of the grid, beyond it, and none; three rows per person."""
    count = len(SCORES)
    return pa.table(
        {
            "user": [f"u{at // 3}" for at in range(count)],
            "score": pa.array(SCORES, pa.float64()),
            "label": pa.array([at % 2 for at in range(count)], pa.int64()),
        }
    )
