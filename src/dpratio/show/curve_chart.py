"""Calibration curves: mean label against mean score, the diagonal, the mass of bins."""

from typing import Any

from dpratio.analyst.curve.curve_results import Curve
from dpratio.checks import require
from dpratio.show.colours import LINE_COLOURS, themed

__all__ = ["curve_chart", "curves_of", "ends_of"]

_WHOLE = (0.0, 1.0)


def curve_chart(curve: Curve) -> Any:  # noqa: ANN401 (Altair)
    """Chart calibration curves with their bands, one panel per curve."""
    import altair as alt

    hint = "Make the plan with answers=('ratio', 'means')."
    rule = "a chart of a curve needs means"
    require(curve.has_means, rule, "ratios alone", hint)
    curves = curves_of(curve)
    hint = "Its bins are too small for this noise."
    require(bool(curves), "a chart needs a bin that is not lost", 0, hint)
    points = [
        {**point, "curve": name} for name, rows in curves.items() for point in rows
    ]
    ends = list(ends_of(curve))
    base = alt.Chart().encode(
        x=alt.X("score:Q", title="mean score").scale(domain=ends),
        tooltip=["bin:N", "told:N", "share:Q", "status:N"],
    )
    colour = LINE_COLOURS[0]
    band = base.mark_area(opacity=0.2, color=colour).encode(
        y=alt.Y("label_lower:Q", title="mean label").scale(domain=ends),
        y2="label_upper:Q",
    )
    line = base.mark_line(color=colour, point=alt.OverlayMarkDef(color=colour)).encode(
        y="label:Q"
    )
    even = [{"score": end, "label": end} for end in ends]
    diagonal = (
        alt.Chart(alt.InlineData(values=even))
        .mark_line(strokeDash=[4, 3], color="#767676")
        .encode(x="score:Q", y="label:Q")
    )
    mass = base.mark_bar(color="#767676", size=12).encode(
        y=alt.Y("share:Q", title="share").axis(tickCount=2)
    )
    data = alt.InlineData(values=points)
    made_up = "SIMULATED: " if curve.is_simulated else ""
    title = f"{made_up}Calibration of {curve.score}, {100 * curve.level:g} % intervals"
    panels = [
        alt.vconcat(
            alt.layer(diagonal, band, line).properties(
                width=260, height=240, title=name
            ),
            mass.properties(width=260, height=50),
            data=data,
        )
        .transform_filter(alt.datum.curve == name)
        .resolve_scale(x="shared")
        for name in curves
    ]
    return themed(alt.concat(*panels, columns=3).properties(title=title))


def ends_of(curve: Curve) -> tuple[float, float]:
    """Choose the ends of both axes, for all curves: 0 and 1, or those of the points."""
    points = [point for rows in curves_of(curve).values() for point in rows]
    if curve.bounds == _WHOLE or not points:
        return _WHOLE
    low = min(point["low"] for point in points)
    return low, max(point["high"] for point in points)


def curves_of(curve: Curve) -> dict[str, list[dict[str, Any]]]:
    """Sort the bins by curve, in the order of their scores; names are labels."""
    table = curve.columns()
    shown = curve.shown()
    bins = [str(each) for each in curve.labels[curve.bins]]
    others = [
        [str(each) for each in cells]
        for name, cells in curve.labels.items()
        if name != curve.bins
    ]
    names = [" · ".join(row) for row in zip(*others, strict=True)] or [""] * len(bins)
    curves: dict[str, list[dict[str, Any]]] = {}
    for at, name in enumerate(names):
        if curve.status[at] == "lost" or not curve.has_means:
            continue
        score, label = table["mean_score"][at], table["mean_label"][at]
        lower, upper = (
            table["mean_label_ci_lower"][at],
            table["mean_label_ci_upper"][at],
        )
        curves.setdefault(name, []).append(
            {
                "bin": bins[at],
                "score": score,
                "label": label,
                "label_lower": lower,
                "label_upper": upper,
                "low": min(score, lower),
                "high": max(score, upper),
                "share": max(table["share"][at], 0.0),
                "status": curve.status[at],
                "told": (
                    f"mean score {shown['mean_score'][at]}, mean label "
                    f"{shown['mean_label'][at]} ({shown['mean_label_ci_lower'][at]} to "
                    f"{shown['mean_label_ci_upper'][at]})"
                ),
            }
        )
    return {
        name: sorted(rows, key=lambda row: row["score"])
        for name, rows in curves.items()
    }
