"""The chart of a result, drawn without any other package and without a network."""

from typing import TYPE_CHECKING, Any

from dpratio.checks import require, require_one_of, show_given
from dpratio.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpratio.show.chart.picture import Chart

VIEWS = ("forest", "deviation")


def chart_of(shown: object, view: str | None = None) -> "Chart":
    """Choose the chart of a result.

    Args:
        shown: Estimates, a comparison, an equivalence, a homogeneity, a function, a
            curve, a ratio over time, proposed bounds or bins, a forecast, a rehearsal,
            a table of coverage or of one-query widths, or the history of a scope.
        view: For estimates ``"forest"`` or ``"deviation"``.

    Raises:
        InvalidInput: When there is no such view, no chart of what is given, or nothing
            to draw.
    """
    from dpratio.analyst.bounds.proposals import Proposals
    from dpratio.analyst.bounds.propose_bins import BinProposal
    from dpratio.analyst.comparison.comparison import Comparison
    from dpratio.analyst.curve.curve_results import Curve
    from dpratio.analyst.watch.arms import WatchedArms
    from dpratio.analyst.watch.watch_results import Watch
    from dpratio.curator.ledger.history import History
    from dpratio.show.blocks import blocks_of, title_of
    from dpratio.show.budget_chart import budget_chart
    from dpratio.show.chart.histogram import bins_chart, histogram_chart
    from dpratio.show.coverage_chart import coverage_chart
    from dpratio.show.curve_chart import curve_chart
    from dpratio.show.forest_chart import as_deviations, forest_chart, rehearsal_chart
    from dpratio.show.watch_chart import arms_chart, watch_chart
    from dpratio.show.width_charts import forecast_chart, one_query_chart
    from dpratio.simulation.coverage.coverage import CoverageTable
    from dpratio.simulation.coverage.one_query import OneQueryTable
    from dpratio.simulation.forecast.forecast_row import Forecast
    from dpratio.simulation.forecast.rehearse import Rehearsal
    from dpratio.simulation.paper.agreement import PaperTables

    require_one_of(view or VIEWS[0], VIEWS, "view")
    blocks = blocks_of(shown)
    if blocks:
        if view == "deviation":
            blocks = [as_deviations(block) for block in blocks]
        return forest_chart(blocks, title_of(shown))
    kinds: list[tuple[type, Callable[[Any], Chart]]] = [
        (Curve, curve_chart),
        (Watch, watch_chart),
        (WatchedArms, arms_chart),
        (Proposals, histogram_chart),
        (BinProposal, bins_chart),
        (History, lambda found: budget_chart(found.account)),
        (Forecast, forecast_chart),
        (Rehearsal, rehearsal_chart),
        (OneQueryTable, lambda found: one_query_chart(found.to_dicts())),
        (CoverageTable, coverage_chart),
        (PaperTables, coverage_chart),
    ]
    for kind, chart in kinds:
        if isinstance(shown, kind):
            return chart(shown)
    require(not isinstance(shown, Comparison), "a chart needs rows to draw", "none")
    hint = (
        "Answers, curves, proposed bounds and bins, forecasts, rehearsals, tables of "
        "coverage and ledgers have one."
    )
    raise InvalidInput(f"there is no chart of {show_given(shown)}. {hint}")


def draw(shown: object, suffix: str, view: str | None = None) -> bytes:
    """Draw a result as the content of an SVG or HTML file."""
    return chart_of(shown, view).content(suffix)
