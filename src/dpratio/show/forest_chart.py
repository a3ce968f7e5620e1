"""Ratios as a forest plot: one line per cell, beside the reference line."""

import math
from typing import Any

from dpratio.analyst.tables.estimates import Estimates
from dpratio.errors import InvalidInput
from dpratio.show.colours import VERDICT_COLOURS, VERDICT_SHAPES, themed
from dpratio.show.verdicts import in_view, names_of, verdicts_of
from dpratio.tabular import UNKNOWN

__all__ = ["deviation_chart", "forest_chart"]

# From so many cells on names cannot be read; the picture shows the whole instead.
_MOST_NAMED = 200


def forest_chart(estimates: Estimates, *, reference: float | None = None) -> Any:  # noqa: ANN401
    """Chart ratios with their intervals, sorted, coloured by verdict.

    Args:
        estimates: What to draw.
        reference: The ratio that verdicts are about; by default the natural one: 1 for
            columns of the same range, 0 for differences, else none.
    """
    at = estimates.reference if reference is None else reference
    return _forest(_rows(estimates, at), at, "ratio", _title(estimates))


def deviation_chart(estimates: Estimates, *, reference: float | None = None) -> Any:  # noqa: ANN401
    """Chart how far each ratio lies from the reference, in per cent of it."""
    at = estimates.reference if reference is None else reference
    rule = "a deviation in per cent needs a reference other than 0"
    if at is None or at == 0:
        raise InvalidInput(f"{rule}, got {at}. Use the view 'forest'.")
    rows = _rows(estimates, at)
    for row in rows:
        for name in ("ratio", "lower", "upper"):
            if row[name] is not None:
                row[name] = 100 * (row[name] / at - 1)
    title = f"{_title(estimates)}: deviation from {at:g}"
    return _forest(rows, 0.0, "deviation in %", title)


def _title(estimates: Estimates) -> str:
    made_up = "SIMULATED: " if estimates.is_simulated else ""
    return f"{made_up}Ratios with {100 * estimates.level:g} % intervals"


def _rows(estimates: Estimates, reference: float | None) -> list[dict[str, Any]]:
    """One row per cell; what lies far outside the others is cut off, and says so."""
    view = in_view(estimates, reference)
    rows = []
    cells = zip(
        names_of(estimates),
        verdicts_of(estimates, reference),
        estimates.ratio.tolist(),
        estimates.ci_lower.tolist(),
        estimates.ci_upper.tolist(),
        estimates.status,
        estimates.is_located.tolist(),
        strict=True,
    )
    for name, verdict, ratio, lower, upper, status, located in cells:
        low, high = view.cut(lower), view.cut(upper)
        shown = ratio if located and ratio == view.cut(ratio) else None
        rows.append(
            {
                "cell": name,
                "verdict": verdict,
                "ratio": shown,
                "lower": low,
                "upper": high,
                "goes on left": lower < low,
                "goes on right": upper > high,
                "interval": f"{lower:.4g} to {upper:.4g}",
                "estimate": f"{ratio:.4g}" if located else UNKNOWN,
                "status": status,
            }
        )
    return sorted(rows, key=_by_ratio)


def _by_ratio(row: dict[str, Any]) -> float:
    return math.inf if row["ratio"] is None else float(row["ratio"])


def _forest(
    rows: list[dict[str, Any]], reference: float | None, label: str, title: str
) -> Any:  # noqa: ANN401 (Altair)
    import altair as alt

    named = len(rows) <= _MOST_NAMED
    verdicts = [
        each for each in VERDICT_COLOURS if any(row["verdict"] == each for row in rows)
    ]
    colour = alt.Color("verdict:N", title=None).scale(
        domain=verdicts, range=[VERDICT_COLOURS[each] for each in verdicts]
    )
    order = [row["cell"] for row in rows]
    axis = alt.Axis(labelLimit=260) if named else None
    endless = "datum.verdict == 'no finite interval'"
    height = alt.Step(18 if named else 3)
    base = alt.Chart().encode(
        y=alt.Y("cell:N", sort=order, title=None, axis=axis),
        color=colour,
        tooltip=["cell:N", "estimate:N", "interval:N", "verdict:N", "status:N"],
    )
    line = base.mark_rule().encode(
        x=alt.X(
            "lower:Q", title=label, scale=alt.Scale(zero=False, nice=False, padding=8)
        ),
        x2="upper:Q",
        strokeWidth=alt.condition(endless, alt.value(1), alt.value(2 if named else 1)),
        strokeDash=alt.condition(endless, alt.value([2, 3]), alt.value([1, 0])),
    )
    point = base.mark_point(filled=True, opacity=1, size=60 if named else 8).encode(
        x="ratio:Q",
        shape=alt.Shape("verdict:N", title=None).scale(
            domain=verdicts, range=[VERDICT_SHAPES[each] for each in verdicts]
        ),
    )
    ends = [
        base.transform_filter(f"datum['goes on {side}']")
        .mark_point(filled=True, opacity=1, size=40, shape=f"triangle-{side}")
        .encode(x=f"{end}:Q")
        for side, end in (("left", "lower"), ("right", "upper"))
    ]
    drawn = [line, point, *ends]
    if reference is not None:
        even = alt.Chart(alt.InlineData(values=[{"at": reference}]))
        rule = even.mark_rule(strokeDash=[4, 3], color="#767676").encode(x="at:Q")
        drawn = [rule, *drawn]
    layers = alt.layer(*drawn, data=alt.InlineData(values=rows))
    return themed(layers.properties(width=520, height=height, title=title))
