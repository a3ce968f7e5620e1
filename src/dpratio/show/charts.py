"""Charts, drawn with Altair and written without a network.

Floor: show. Imports: checks, tabular, study, and the charts of this room.
"""

from pathlib import Path
from typing import Any

from dpratio.checks import import_extra, require
from dpratio.tabular import Tabular

__all__ = ["CHART_FILES", "chart_of", "check_chart_file", "draw"]

CHART_FILES = (".svg", ".png", ".html")


def check_chart_file(path: Path) -> None:
    """Refuse a chart that could not be drawn.

    Raises:
        InvalidInput: When the file name ends in none of `CHART_FILES`.
        MissingExtra: When the package that draws is not installed.
    """
    hint = f"Use a name that ends in {', '.join(CHART_FILES)}."
    require(path.suffix in CHART_FILES, "unknown kind of chart", path.name, hint)
    import_extra("vl_convert", "charts")


def chart_of(table: Tabular) -> Any:  # noqa: ANN401 (Altair is loaded here)
    """Choose the chart of a table."""
    from dpratio.show.coverage_chart import coverage_chart
    from dpratio.show.width_charts import forecast_chart, limit_chart
    from dpratio.study.forecast import Forecast
    from dpratio.study.limit import LimitTable

    if isinstance(table, Forecast):
        return forecast_chart(table)
    if isinstance(table, LimitTable):
        return limit_chart(table.to_dicts())
    return coverage_chart(table)


def draw(table: Tabular, suffix: str) -> bytes:
    """Draw a table as the content of an SVG, PNG or HTML file."""
    chart = chart_of(table)
    if suffix == ".html":
        return str(chart.to_html(inline=True)).encode()
    converter = import_extra("vl_convert", "charts")
    if suffix == ".png":
        return bytes(converter.vegalite_to_png(chart.to_json(), scale=2))
    return str(converter.vegalite_to_svg(chart.to_json())).encode()
