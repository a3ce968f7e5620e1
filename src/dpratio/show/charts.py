"""The chart of a result, drawn without any other package and without a network."""

from typing import TYPE_CHECKING

from dpratio.checks import require_one_of, show_given
from dpratio.errors import InvalidInput

if TYPE_CHECKING:
    from dpratio.show.chart.picture import Chart

__all__ = ["VIEWS", "chart_of", "draw"]

VIEWS = ("forest", "deviation")


def chart_of(  # noqa: PLR0911 (one for each kind)
    shown: object, view: str | None = None
) -> "Chart":
    """Choose the chart of a result.

    Args:
        shown: Estimates, a comparison, an equivalence, a homogeneity, a function, a
            curve, a ratio over time, proposed bounds, a forecast, a table of coverage
            or of the limit, or the history of a scope.
        view: For estimates ``"forest"`` or ``"deviation"``.

    Raises:
        InvalidInput: When there is no such view, or no chart of what is given.
    """
    from dpratio.analyst.bounds.proposals import Proposals
    from dpratio.analyst.curve.curve_results import Curve
    from dpratio.analyst.watch.watch_results import Watch
    from dpratio.curator.ledger.history import History
    from dpratio.show.blocks import blocks_of, has_blocks, title_of
    from dpratio.show.budget_chart import budget_chart
    from dpratio.show.chart.histogram import histogram_chart
    from dpratio.show.coverage_chart import coverage_chart
    from dpratio.show.curve_chart import curve_chart
    from dpratio.show.forest_chart import as_deviations, forest_chart
    from dpratio.show.watch.watch_chart import watch_chart
    from dpratio.show.width_charts import forecast_chart, limit_chart
    from dpratio.simulation.coverage.coverage import CoverageTable
    from dpratio.simulation.coverage.limit import LimitTable
    from dpratio.simulation.forecast.forecast_row import Forecast
    from dpratio.simulation.paper.agreement import PaperTables

    require_one_of(view or VIEWS[0], VIEWS, "view")
    if has_blocks(shown):
        blocks = blocks_of(shown)
        if view == "deviation":
            blocks = [as_deviations(block) for block in blocks]
        return forest_chart(blocks, title_of(shown))
    if isinstance(shown, Curve):
        return curve_chart(shown)
    if isinstance(shown, Watch):
        return watch_chart(shown)
    if isinstance(shown, Proposals):
        return histogram_chart(shown)
    if isinstance(shown, History):
        return budget_chart(shown.account)
    if isinstance(shown, Forecast):
        return forecast_chart(shown)
    if isinstance(shown, LimitTable):
        return limit_chart(shown.to_dicts())
    if isinstance(shown, CoverageTable | PaperTables):
        return coverage_chart(shown)
    hint = (
        "Answers, curves, proposed bounds, forecasts, tables of coverage and ledgers "
        "have one."
    )
    raise InvalidInput(f"there is no chart of {show_given(shown)}. {hint}")


def draw(shown: object, suffix: str, view: str | None = None) -> bytes:
    """Draw a result as the content of an SVG or HTML file."""
    return chart_of(shown, view).content(suffix)
