"""Coverage and width against epsilon, one line per method."""

from typing import Any

from dpratio.show.colours import METHOD_COLOURS, themed
from dpratio.tabular import Tabular

__all__ = ["coverage_chart"]


def coverage_chart(table: Tabular) -> Any:  # noqa: ANN401 (Altair is loaded here)
    """Chart coverage and width against epsilon, one line per method.

    Args:
        table: The paper's tables beside ours, or a table of `measure_coverage`.

    Returns:
        An Altair chart: one panel per setting, coverage above width.
    """
    import altair as alt

    rows = _rows_by_panel(table)
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    seen = {row["method"] for row in rows}
    methods = {name: METHOD_COLOURS[name] for name in METHOD_COLOURS if name in seen}
    level = alt.Chart().mark_rule(color="#888888").encode(y="level:Q")
    coverage = alt.layer(level, *_lines("coverage", methods, alt.Scale(zero=False)))
    width = alt.layer(*_lines("width", methods, alt.Scale(type="log", nice=False)))
    drawn = [
        part.properties(width=190, height=130)
        .facet(
            alt.Facet("panel:N", header=alt.Header(title=None), sort=panels),
            data=alt.InlineData(values=rows),
            columns=4,
        )
        .resolve_scale(y="independent")
        .properties(title=title)
        for part, title in (
            (coverage, "Coverage of simulated intervals"),
            (width, "Mean width of simulated intervals"),
        )
    ]
    return themed(alt.vconcat(*drawn))


def _lines(figure: str, methods: dict[str, str], scale: Any) -> tuple[Any, Any]:  # noqa: ANN401
    """Draw a figure per method: lines that differ in dash, hollow points in shape."""
    import altair as alt

    names = list(methods)
    base = alt.Chart().encode(
        x=alt.X("epsilon:Q", title="epsilon").scale(type="log", nice=False, padding=8),
        y=alt.Y(f"{figure}:Q", title=figure, scale=scale),
        color=alt.Color("method:N").scale(domain=names, range=list(methods.values())),
        tooltip=["method:N", "epsilon:Q", "coverage:Q", "width:Q", "score:Q"],
    )
    dashes = alt.StrokeDash("method:N").scale(domain=names)
    shapes = alt.Shape("method:N").scale(domain=names)
    line = base.mark_line(strokeWidth=1.5).encode(strokeDash=dashes)
    return line, base.mark_point(size=45, filled=False).encode(shape=shapes)


def _rows_by_panel(table: Tabular) -> list[dict[str, Any]]:
    """Name the panel of each row; figures without noise span every epsilon."""
    given = table.to_dicts()
    epsilons = sorted({row["epsilon"] for row in given if row["epsilon"] is not None})
    rows = []
    for row in given:
        parts = [row["mechanism"], row["scale"], f"n = {row['n']:,}"]
        if "weighted" in row:
            parts.insert(2, "weighted" if row["weighted"] else "unweighted")
        panel = " · ".join(parts)
        spread = [row["epsilon"]] if row["epsilon"] is not None else epsilons
        rows += [
            {
                "panel": panel,
                "method": row["method"],
                "epsilon": epsilon,
                "coverage": row["coverage"],
                "width": row["width"],
                "score": row["score"],
                "level": row.get("level", 0.95),
            }
            for epsilon in spread
        ]
    return rows
