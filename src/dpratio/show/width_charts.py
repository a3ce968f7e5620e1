"""Width against epsilon or n: beside that of one query, and as a forecast."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dpratio.show.chart.marks import Line, Mark, point
from dpratio.show.chart.panel import Panel
from dpratio.show.chart.picture import Chart, Sign
from dpratio.show.chart.scale import Tick, short_number, spread_log
from dpratio.simulation.forecast.forecast_row import Forecast

# Column of the table, name in the legend; in the order from wide to narrow.
LINES = {
    "width_paper": "paper",
    "width_joint": "joint",
    "width": "focused",
    "one_query_width": "one query",
    "width_public": "non-private",
}
_STYLES = (
    ("below", "circle"),
    ("above dash1", "square"),
    ("bounded dash3", "up"),
    ("gold dash2", "diamond"),
    ("sky", "down"),
)
_BETWEEN = " · "
_FEW = 12  # So many sizes are named; of more, round numbers.
FORECAST = {"width": "forecast", "width_public": "non-private"}
FORECAST_RANGE = {"width_high": "widest forecast", "width_low": "narrowest forecast"}

Points = Sequence[tuple[float, float]]


def one_query_chart(rows: Sequence[dict[str, Any]]) -> Chart:
    """Chart widths against epsilon beside the paper's, one query's and without privacy.

    Args:
        rows: Rows of a `OneQueryTable` of the paper's settings; a ``width_joint`` is
            drawn where there is one. Rows on the scale of the ratio are shown.
    """
    shown = [row for row in rows if row["link"] == "ratio"]
    panels: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for row in shown:
        weighted = "weighted" if row["weighted"] else "unweighted"
        name = _BETWEEN.join((row["mechanism"], weighted, f"n = {row['n']:,}"))
        for column, line in LINES.items():
            if column in row:
                point = (row["epsilon"], row[column])
                panels.setdefault(name, {}).setdefault(line, []).append(point)
    return _facets(
        panels, "Mean width of 95 % intervals", "epsilon", up="mean width", columns=4
    )


def forecast_chart(forecast: Forecast) -> Chart:
    """Chart forecast widths against epsilon, or against n where epsilon is one."""
    lines = FORECAST if forecast.rows else FORECAST_RANGE
    shown: Sequence[Any] = forecast.rows or forecast.ranges
    by_size = len({each.epsilon for each in shown}) == 1
    several = len({each.question for each in shown}) > 1
    panels: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for each in shown:
        held = f"epsilon = {each.epsilon:g}" if by_size else f"n = {each.n:,}"
        name = _BETWEEN.join([each.question, held] if several else [held])
        along = each.n if by_size else each.epsilon
        panel = panels.setdefault(name, {})
        for column, line in lines.items():
            panel.setdefault(line, []).append((along, getattr(each, column)))
    title = f"Forecast median width at level {forecast.level:g}"
    return _facets(
        panels, title, "n" if by_size else "epsilon", up="median width", columns=3
    )


def _facets(
    panels: Mapping[str, Mapping[str, Points]],
    title: str,
    along: str,
    *,
    up: str,
    columns: int,
) -> Chart:
    """Draw a panel per setting, all of them on the same two logarithmic axes."""
    kept = {
        name: {each: _drawable(points) for each, points in lines.items()}
        for name, lines in panels.items()
    }
    every = [
        at for lines in kept.values() for points in lines.values() for at in points
    ]
    ticks = tuple(Tick(x, short_number(x)) for x in sorted({x for x, _ in every}))
    few = ticks if len(ticks) <= _FEW else None
    across = spread_log([x for x, _ in every], given=few)
    heights = spread_log([y for _, y in every])
    names = list(dict.fromkeys(name for lines in kept.values() for name in lines))
    styles = dict(zip(names, _STYLES, strict=False))
    signs = [Sign(name, *styles[name], is_line=True) for name in names]
    return Chart(
        title,
        [
            Panel(
                list(_marks(lines, styles, along)),
                across,
                heights,
                150.0,
                title=name,
                x_title=along,
                y_title=up,
            )
            for name, lines in kept.items()
        ],
        signs,
        columns=min(columns, len(kept)),
        least=165.0,
        widest=460.0,
    )


def _marks(
    lines: Mapping[str, Points], styles: Mapping[str, tuple[str, str]], along: str
) -> Iterable[Mark]:
    for name, points in lines.items():
        css, shape = styles[name]
        yield Line(points, css)
        for x, y in points:
            told = f"{name}: width {y:.3g} at {along} {short_number(x)}"
            yield point((x, y), told, css.split()[0], shape=shape, size=0.7)


def _drawable(points: Points) -> list[tuple[float, float]]:
    """Leave out what a logarithmic axis cannot show."""
    return [at for at in points if all(0 < each < math.inf for each in at)]
