"""Width against epsilon: beside the limit, and as a forecast."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from dpratio.show.colours import LINE_COLOURS, themed
from dpratio.simulation.forecast.forecast_row import Forecast

__all__ = ["forecast_chart", "limit_chart"]

# Column of the table, name in the legend; in the order from wide to narrow.
LINES = {
    "width_paper": "paper",
    "width_joint": "joint",
    "width": "focused",
    "limit": "limit",
    "width_public": "non-private",
}

BETWEEN = " · "
# Few enough to stand beside each other in small panels.
EPSILONS = (0.2, 0.5, 1, 2, 4)
WIDTHS = (0.05, 0.1, 0.2, 0.5, 1)


@dataclass(frozen=True, slots=True)
class _Layout:
    """How many panels stand beside each other, and how large; names may be broken."""

    columns: int
    width: int
    height: int
    legend_columns: int
    breaks: bool
    across: tuple[float, ...] = ()
    upwards: tuple[float, ...] = ()


WIDE = _Layout(columns=4, width=210, height=160, legend_columns=0, breaks=False)
NARROW = _Layout(columns=2, width=128, height=128, legend_columns=3, breaks=True)


def limit_chart(rows: Sequence[dict[str, Any]], *, narrow: bool = False) -> Any:  # noqa: ANN401 (Altair)
    """Chart widths against epsilon beside the paper's, the limit and no privacy.

    Args:
        rows: Rows of a `LimitTable` of the paper's settings; a column ``width_joint``
            is drawn where there is one. Rows on the scale of the ratio are shown.
        narrow: Draw for a phone: two small panels beside each other.
    """
    shown = [row for row in rows if row.get("scale", "ratio") == "ratio"]
    points = [
        {
            "panel": _panel(row),
            "epsilon": row["epsilon"],
            "width": row[column],
            "interval": name,
        }
        for row in shown
        for column, name in LINES.items()
        if column in row
    ]
    panels = list(dict.fromkeys(point["panel"] for point in points))
    seen = {point["interval"] for point in points}
    names = [name for name in LINES.values() if name in seen]
    layout = replace(NARROW if narrow else WIDE, across=EPSILONS, upwards=WIDTHS)
    title = "Mean width of 95 % intervals"
    return _facets(points, panels, names, title, layout=layout)


def forecast_chart(forecast: Forecast) -> Any:  # noqa: ANN401 (Altair)
    """Chart forecast widths against epsilon, or against n where epsilon is one."""
    by_size = len({each.epsilon for each in forecast.rows}) == 1
    points = []
    for each in forecast.rows:
        size, epsilon = f"n = {each.n:,}", f"epsilon = {each.epsilon:g}"
        point: dict[str, Any] = {
            "panel": epsilon if by_size else size,
            "epsilon": each.epsilon,
            "n": each.n,
        }
        points.append({**point, "width": each.width, "interval": "forecast"})
        points.append({**point, "width": each.width_public, "interval": "non-private"})
    panels = list(dict.fromkeys(point["panel"] for point in points))
    title = f"Forecast mean width at level {forecast.level:g}"
    names = ["forecast", "non-private"]
    return _facets(points, panels, names, title, along="n" if by_size else "epsilon")


def _panel(row: dict[str, Any]) -> str:
    weighted = "weighted" if row["weighted"] else "unweighted"
    return BETWEEN.join((row["mechanism"], weighted, f"n = {row['n']:,}"))


def _facets(
    points: list[dict[str, Any]],
    panels: list[str],
    names: list[str],
    title: str,
    along: str = "epsilon",
    layout: _Layout = WIDE,
) -> Any:  # noqa: ANN401 (Altair)
    import altair as alt

    log = alt.Scale(type="log", nice=False, padding=8)

    def axis(ticks: tuple[float, ...]) -> Any:  # noqa: ANN401 (Altair)
        return alt.Axis(values=list(ticks)) if ticks else alt.Axis()

    base = alt.Chart().encode(
        x=alt.X(f"{along}:Q", title=along, scale=log, axis=axis(layout.across)),
        y=alt.Y("width:Q", title="width", scale=log, axis=axis(layout.upwards)),
        color=alt.Color("interval:N", title=None)
        .scale(domain=names, range=list(LINE_COLOURS[: len(names)]))
        .legend(columns=layout.legend_columns),
        tooltip=["interval:N", f"{along}:Q", alt.Tooltip("width:Q", format=".4g")],
    )
    line = base.mark_line(strokeWidth=1.5).encode(
        strokeDash=alt.StrokeDash("interval:N", title=None).scale(domain=names)
    )
    point = base.mark_point(size=40, filled=False).encode(
        shape=alt.Shape("interval:N", title=None).scale(domain=names)
    )
    header = alt.Header(title=None)
    if layout.breaks:
        header.labelExpr = f"split(datum.label, '{BETWEEN}')"
    return themed(
        alt.layer(line, point)
        .properties(width=layout.width, height=layout.height)
        .facet(
            alt.Facet("panel:N", header=header, sort=panels),
            data=alt.InlineData(values=points),
            columns=layout.columns,
        )
        .properties(title=title)
    )
