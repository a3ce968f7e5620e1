"""Charts, drawn with Altair and written without a network."""

from pathlib import Path
from typing import Any

from dpratio.checks import import_extra, require, require_one_of, show_given
from dpratio.errors import InvalidInput

__all__ = ["CHART_FILES", "VIEWS", "chart_of", "check_chart_file", "draw"]

CHART_FILES = (".svg", ".png", ".html")
VIEWS = ("forest", "deviation")


def check_chart_file(path: Path) -> None:
    """Refuse a chart that could not be drawn.

    Raises:
        InvalidInput: When the file name ends in none of `CHART_FILES`.
        MissingExtra: When a package that draws is not installed.
    """
    hint = f"Use a name that ends in {', '.join(CHART_FILES)}."
    require(path.suffix in CHART_FILES, "unknown kind of chart", path.name, hint)
    for package in ("altair", "vl_convert"):
        import_extra(package, "charts")


def chart_of(shown: object, view: str | None = None) -> Any:  # noqa: ANN401 (Altair)
    """Choose the chart of a result.

    Args:
        shown: Estimates, a curve, a forecast, a table of coverage or of the limit, or
            the history of a scope.
        view: For estimates ``"forest"`` or ``"deviation"``.

    Raises:
        InvalidInput: When there is no such view, or no chart of what is given.
        MissingExtra: When Altair is not installed.
    """
    from dpratio.analyst.curve.curve_results import Curve
    from dpratio.analyst.tables.estimates import Estimates
    from dpratio.curator.ledger.history import History
    from dpratio.show.budget_chart import budget_chart
    from dpratio.show.coverage_chart import coverage_chart
    from dpratio.show.curve_chart import curve_chart
    from dpratio.show.forest_chart import deviation_chart, forest_chart
    from dpratio.show.width_charts import forecast_chart, limit_chart
    from dpratio.simulation.coverage.coverage import CoverageTable
    from dpratio.simulation.coverage.limit import LimitTable
    from dpratio.simulation.forecast.forecast_row import Forecast
    from dpratio.simulation.paper.agreement import PaperTables

    require_one_of(view or VIEWS[0], VIEWS, "view")
    import_extra("altair", "charts")
    if isinstance(shown, Estimates):
        draws = deviation_chart if view == "deviation" else forest_chart
        return draws(shown)
    if isinstance(shown, Curve):
        return curve_chart(shown)
    if isinstance(shown, History):
        return budget_chart(shown.account)
    if isinstance(shown, Forecast):
        return forecast_chart(shown)
    if isinstance(shown, LimitTable):
        return limit_chart(shown.to_dicts())
    hint = "Estimates, curves, forecasts and tables of coverage have one."
    if isinstance(shown, CoverageTable | PaperTables):
        return coverage_chart(shown)
    raise InvalidInput(f"there is no chart of {show_given(shown)}. {hint}")


def draw(shown: object, suffix: str, view: str | None = None) -> bytes:
    """Draw a result as the content of an SVG, PNG or HTML file."""
    chart = chart_of(shown, view)
    if suffix == ".html":
        return str(chart.to_html(inline=True)).encode()
    converter = import_extra("vl_convert", "charts")
    if suffix == ".png":
        return bytes(converter.vegalite_to_png(chart.to_json(), scale=2))
    return str(converter.vegalite_to_svg(chart.to_json())).encode()
