"""Calibration curves: mean label against mean score, beside the diagonal.

A point is as large as the weight of its bin. Bins of which little is known are grey,
and no line is drawn: it would run through a handful of people as through thousands.
"""

import math
from typing import Any

from dpratio.analyst.curve.curve_results import Curve
from dpratio.analyst.tables.provenance import heading_stamp
from dpratio.checks import require
from dpratio.show.chart.marks import Diagonal, Interval
from dpratio.show.chart.panel import Panel
from dpratio.show.chart.picture import Chart, Sign
from dpratio.show.chart.scale import Scale

_WHOLE = (0.0, 1.0)
_LITTLE = 0.01
_SIDE, _SMALLEST, _LARGEST = 250.0, 0.5, 1.7


def curve_chart(curve: Curve, *, most: int | None = None) -> Chart:
    """Chart calibration curves, one panel per curve; the first ones of very many."""
    hint = "Make the plan with answers=('ratio', 'means')."
    rule = "a chart of a curve needs means"
    require(curve.has_means, rule, "ratios alone", hint)
    curves = curves_of(curve)
    hint = "Its bins are too small for this noise."
    require(bool(curves), "a chart needs a bin that is not lost", 0, hint)
    ends = ends_of(curve)
    largest = max(row["share"] for rows in curves.values() for row in rows) or 1.0
    made_up = heading_stamp(is_simulated=curve.is_simulated)
    known = [row for rows in curves.values() for row in rows]
    signs = [Sign("a bin, as large as its weight", "below", "circle")]
    if any(row["is_weak"] for row in known):
        signs.append(
            Sign("little is known: noise, or under 1 % of the weight", "soft", "circle")
        )
    return Chart(
        f"{made_up}Calibration of {curve.score}, {100 * curve.level:g} % intervals",
        [
            Panel(
                [Diagonal(), *(_point(row, largest) for row in rows)],
                Scale(*ends),
                Scale(*ends),
                _SIDE,
                title=name,
                x_title="mean score",
                y_title="mean label",
            )
            for name, rows in list(curves.items())[:most]
        ],
        signs,
        note=_note(curve, known),
        columns=2,
        least=300.0,
        widest=420.0,
    )


def ends_of(curve: Curve) -> tuple[float, float]:
    """Choose the ends of both axes, for all curves: 0 and 1, or those of the points."""
    points = [point for rows in curves_of(curve).values() for point in rows]
    if curve.bounds == _WHOLE or not points:
        low, high = _WHOLE
    else:
        low = min(min(point["score"], point["low"]) for point in points)
        high = max(max(point["score"], point["high"]) for point in points)
    room = 0.03 * (high - low) or 0.5
    return low - room, high + room


def curves_of(curve: Curve) -> dict[str, list[dict[str, Any]]]:
    """Sort the bins by curve, in the order of their scores; columns are named."""
    table, shown = curve.columns(), curve.shown()
    bins = [str(each) for each in curve.labels[curve.bins]]
    others = [
        [f"{name} {each}" for each in cells]
        for name, cells in curve.labels.items()
        if name != curve.bins
    ]
    names = [" · ".join(row) for row in zip(*others, strict=True)] or [""] * len(bins)
    curves: dict[str, list[dict[str, Any]]] = {}
    for at, name in enumerate(names):
        if curve.status[at] == "lost" or not curve.has_means:
            continue
        share = max(table["share"][at], 0.0)
        mean, low, high = (
            shown[f"mean_label{end}"][at] for end in ("", "_ci_lower", "_ci_upper")
        )
        told = (
            f"{bins[at]}: mean score {shown['mean_score'][at]}, mean label {mean} "
            f"({low} to {high}), {100 * share:.2g} % of the weight"
        )
        curves.setdefault(name, []).append(
            {
                "score": table["mean_score"][at],
                "label": table["mean_label"][at],
                "low": table["mean_label_ci_lower"][at],
                "high": table["mean_label_ci_upper"][at],
                "share": share,
                "is_weak": share < _LITTLE or curve.status[at] != "ok",
                "told": told,
            }
        )
    return {
        name: sorted(rows, key=lambda row: row["score"])
        for name, rows in curves.items()
    }


def _point(row: dict[str, Any], largest: float) -> Interval:
    size = max(_LARGEST * math.sqrt(row["share"] / largest), _SMALLEST)
    css = "soft" if row["is_weak"] else "below"
    ends = (row["low"], row["high"], row["label"])
    return Interval(row["score"], *ends, row["told"], css, upright=True, size=size)


def _note(curve: Curve, known: list[dict[str, Any]]) -> str:
    """Say what the picture leaves out, and where bars end for another reason."""
    lost = curve.status.count("lost")
    lines = []
    if lost:
        verb = "bin is" if lost == 1 else "bins are"
        lines.append(f"{lost} {verb} lost in noise and not drawn.")
    low, high = curve.bounds
    if any(row["low"] <= low or row["high"] >= high for row in known):
        lines.append(f"Labels lie between {low:g} and {high:g}: bars are cut there.")
    return " ".join(lines)
