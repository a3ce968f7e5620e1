"""Coverage and width against epsilon, or against n, one line per method.

All panels of coverage share one axis, and so do those of width. A bar around a point is
the error of the simulation, at level 0.95.
"""

import math
from typing import Any

from dpratio.show.chart.marks import Interval, Line, Mark, Rule
from dpratio.show.chart.panel import Panel
from dpratio.show.chart.picture import Chart, Sign
from dpratio.show.chart.scale import Scale, Tick, short_number, spread, spread_log
from dpratio.simulation.coverage.coverage import CoverageTable
from dpratio.simulation.paper.agreement import PaperTables

METHOD_STYLES = {
    "public": ("ink", "circle"),
    "fieller": ("sky dash1", "square"),
    "no_correction": ("above dash2", "up"),
    "monte_carlo": ("gold dash3", "diamond"),
    "analytical": ("below", "down"),
    "pivot": ("bounded", "circle"),
}
_ERRORS = 1.96
_APART = 0.03  # Of the axis, between methods, so that bars stand side by side.
_BETWEEN = " · "


def coverage_chart(table: CoverageTable | PaperTables) -> Chart:
    """Chart coverage above width: one panel per setting, one line per method."""
    rows = _rows(table)
    epsilons = {row["epsilon"] for row in rows}
    along = (
        "epsilon" if len(epsilons) > 1 or len({row["n"] for row in rows}) == 1 else "n"
    )
    levels = sorted({row["level"] for row in rows})
    panels = list(dict.fromkeys(_panel(row, along) for row in rows))
    ticks = tuple(
        Tick(at, short_number(at)) for at in sorted({row[along] for row in rows})
    )
    across = spread_log([row[along] for row in rows], given=ticks)
    ends = [row["coverage"] + way * _reach(row) for row in rows for way in (-1, 1)]
    scales = {
        "coverage": spread(
            [min(max(each, 0), 1) for each in ends], reference=levels[-1]
        ),
        "width": spread_log(row["width"] for row in rows),
    }
    seen = [
        name for name in METHOD_STYLES if any(row["method"] == name for row in rows)
    ]
    return Chart(
        "Coverage, and mean width, of simulated intervals",
        [
            Panel(
                _marks(
                    [row for row in rows if _panel(row, along) == panel],
                    seen,
                    figure,
                    along,
                    across,
                ),
                across,
                scale,
                130.0,
                title=panel,
                x_title=along,
                y_title=figure if figure == "coverage" else "mean width",
            )
            for figure, scale in scales.items()
            for panel in panels
        ],
        [Sign(name, *METHOD_STYLES[name], is_line=True) for name in seen],
        note="Bars show the error of the simulation, at level 0.95.",
        columns=4 if len(panels) % 4 == 0 else len(panels) if len(panels) < 4 else 3,  # noqa: PLR2004
    )


def _marks(
    rows: list[dict[str, Any]],
    methods: list[str],
    figure: str,
    along: str,
    across: Scale,
) -> list[Mark]:
    marks: list[Mark] = []
    if figure == "coverage":
        marks += [
            Rule(level, upright=False) for level in {row["level"] for row in rows}
        ]
    for at, method in enumerate(methods):
        css, shape = METHOD_STYLES[method]
        moved = (across.high / across.low) ** (_APART * (at - (len(methods) - 1) / 2))
        own = sorted(
            (row for row in rows if row["method"] == method), key=lambda row: row[along]
        )
        marks.append(Line([(row[along] * moved, row[figure]) for row in own], css))
        for row in own:
            reach = _reach(row) if figure == "coverage" else math.nan  # No bar.
            value, place = row[figure], row[along] * moved
            ends = (max(value - reach, 0), min(value + reach, 1), value)
            told = f"{method}, {along} {row[along]:g}: {figure} {value:.4g}"
            look = (css.split()[0], shape)
            mark = Interval(place, *ends, told, *look, upright=True, size=0.8)
            marks.append(mark)
    return marks


def _reach(row: dict[str, Any]) -> float:
    return float(_ERRORS * row["coverage_error"])


def _rows(table: CoverageTable | PaperTables) -> list[dict[str, Any]]:
    """Give the rows of a table; those without noise stand at every epsilon."""
    given = table.to_dicts()
    if isinstance(table, PaperTables):
        errors = (each.ours.coverage_error for each in table.comparisons)
        given = [
            {**row, "coverage_error": error, "level": 0.95}
            for row, error in zip(given, errors, strict=True)
        ]
    epsilons = sorted({row["epsilon"] for row in given if row["epsilon"] is not None})
    return [
        {**row, "epsilon": epsilon}
        for row in given
        for epsilon in ([row["epsilon"]] if row["epsilon"] is not None else epsilons)
    ]


def _panel(row: dict[str, Any], along: str) -> str:
    parts = [row["mechanism"], row["link"]]
    if "question" in row:
        parts.insert(0, row["question"])
    if "weighted" in row:
        parts.append("weighted" if row["weighted"] else "unweighted")
    parts.append(
        f"n = {row['n']:,}" if along == "epsilon" else f"epsilon = {row['epsilon']:g}"
    )
    return _BETWEEN.join(parts)
