"""From a study to a histogram on a fine grid, from which bins are proposed."""

from dpratio.checks import require
from dpratio.plan.histogram.histograms import FEWEST_CELLS
from dpratio.plan.plan import Plan
from dpratio.plan.plan_counts import Wanted, plan_counts
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import MOST_BINS, ScoreBins
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study

__all__ = ["CELLS", "plan_bins"]

CELLS = 128


def plan_bins(study: Study, column: str, *, budget: Budget, cells: int = CELLS) -> Plan:
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
        >>> plan.partitions[0].count, plan.questions[0].scales
        (128, [10.0])
    """
    require(isinstance(study, Study), "study must be a Study", type(study).__name__)
    hint = "Write budget=Budget(epsilon=0.1)."
    require(isinstance(budget, Budget), "budget must be a Budget", budget, hint)
    rule = "histograms need no delta"
    require(budget.delta == 0, rule, str(budget.delta), "Leave delta out.")
    counted = type(cells) is int and FEWEST_CELLS <= cells <= MOST_BINS
    require(counted, "a grid of bins has 16 to 1,000 cells", cells, "Write cells=128.")
    ratio = _ratio_of(study, column)
    read = dict.fromkeys((ratio.numerator, column))
    missing = [name for name in read if name not in study.bounds]
    hint = f"Add bounds for: {', '.join(map(str, missing))}."
    require(not missing, "a binned column needs bounds", column, hint)
    grid = ScoreBins(column, cells).within(study.bounds[column])
    wanted = Wanted(column, ratio, Groups.cross(grid))
    bounds = {name: study.bounds[name] for name in read}
    return plan_counts(study, budget, [wanted], bounds=bounds, totals={})


def _ratio_of(study: Study, column: str) -> Ratio:
    """Give the ratio whose rows are counted: of the question that bins the column."""
    binning = (
        each.ratio
        for each in study.questions
        if column in getattr(each.groups, "columns", ())
    )
    return next(binning, study.questions[0].ratio)
