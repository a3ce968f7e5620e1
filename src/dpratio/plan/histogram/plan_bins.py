"""From a study to a histogram on a fine grid, from which bins are proposed."""

from dataclasses import replace

from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.plan.histogram.histogram import Histogram
from dpratio.plan.histogram.histogram_plan import HistogramPlan
from dpratio.plan.histogram.moves import moves_of
from dpratio.plan.histogram.plan_bounds import counted_ratio, require_budget, scale_of
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import MOST_BINS, ScoreBins
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study

__all__ = ["CELLS", "FEWEST_CELLS", "grid_of", "plan_bins"]

CELLS = 128
FEWEST_CELLS = 16


def plan_bins(
    study: Study, column: str, *, budget: Budget, cells: int = CELLS
) -> HistogramPlan:
    """Plan a noisy histogram of a score, from which bins at quantiles are proposed.

    Args:
        study: What will be asked; it must give bounds of the column.
        column: The column that will be binned.
        budget: What the histogram may cost: an epsilon, apart from the study's own.
        cells: How many equal cells lie between the bounds of the column. More of them
            place edges finer and give each bin more noise.

    Returns:
        A plan for `release_sums`; `propose_bins` reads what it releases.

    Raises:
        InvalidInput: When a term breaks a rule.

    Example:
        >>> import dpratio as dpr
        >>> study = dpr.Study(
        ...     dpr.Ratio("score", per="label"),
        ...     bounds={"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()},
        ...     budget=dpr.Budget("0.9"),
        ... )
        >>> plan = plan_bins(study, "score", budget=dpr.Budget("0.1"))
        >>> plan.histograms[0].cells.size, plan.histograms[0].scale
        (128, 10.0)
    """
    require_budget(study, budget)
    if type(cells) is not int or not FEWEST_CELLS <= cells <= MOST_BINS:
        raise InvalidInput(
            f"a grid of bins has 16 to 1,000 cells, got {show_given(cells)}. Write "
            "cells=128.",
            field="cells",
        )
    ratio = _ratio_of(study, column)
    columns = dict.fromkeys((ratio.numerator, column))
    missing = [name for name in columns if name not in study.bounds]
    if missing:
        raise InvalidInput(
            f"a binned column needs bounds, got {show_given(column)}. Add bounds for: "
            f"{', '.join(map(str, missing))}.",
            field="bounds",
        )
    unit = replace(study.unit, totals={})
    histogram = Histogram(
        name=column,
        ratio=counted_ratio(ratio),
        column=column,
        cells=ScoreBins(column, cells).within(study.bounds[column]),
        scale=scale_of(unit, budget.epsilon),
    )
    bounds = {name: study.bounds[name] for name in columns}
    plan = HistogramPlan(unit, bounds, budget, (histogram,))
    moves_of(plan)
    return plan


def _ratio_of(study: Study, column: str) -> Ratio:
    """Return the ratio whose rows are counted: of the question that bins the column."""
    binning = (
        question.ratio
        for question in study.questions
        if column in getattr(question.groups, "columns", ())
    )
    return next(binning, study.questions[0].ratio)


def grid_of(plan: object) -> ScoreBins | None:
    """Return the grid of a plan that looks for bins; None where it does not.

    Cells are equal, from end to end of the bounds: edges that were chosen by hand
    would come back as if they had been found.
    """
    if not isinstance(plan, HistogramPlan) or len(plan.histograms) != 1:
        return None
    grid = plan.histograms[0].cells
    if not isinstance(grid, ScoreBins) or not FEWEST_CELLS <= grid.size <= MOST_BINS:
        return None
    bounds = plan.bounds[grid.column]
    return grid if ScoreBins(grid.column, grid.size).within(bounds) == grid else None
