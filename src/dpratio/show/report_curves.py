"""The calibration curves of a report: those of every part that has bins."""

from typing import Any

from dpratio.analyst.curve.curve import calibration_curve
from dpratio.analyst.curve.curve_results import Curve
from dpratio.errors import InvalidInput
from dpratio.release.release import Release
from dpratio.show.curve_chart import curves_of, ends_of
from dpratio.show.curve_svg import curve_svg
from dpratio.show.report_words import shortened
from dpratio.tabular import printable
from dpratio.terms.dimensions import ScoreBins

__all__ = ["MOST_CURVES", "curve_sets_of"]

MOST_CURVES = 12


def curve_sets_of(release: Release, level: float) -> list[dict[str, Any]]:
    """Draw the curves of each binned column; one that has none says why."""
    asked = [
        (at, column)
        for at in range(len(release.parts))
        for column in _bins(release, at)
    ]
    sets = []
    for at, column in asked:
        ratio = release.plan.parts[at].ratio
        name = f"{ratio}, over bins of {column}" if len(asked) > 1 else ""
        try:
            found = calibration_curve(release, part=at, bins=column, level=level)
        except InvalidInput as refusal:
            lines = [f"There is no curve over bins of {column}: {refusal}"]
            sets.append({"name": name, "lines": lines, "curves": [], "more": 0})
            continue
        sets.append({"name": name, **_drawn(found)})
    return sets


def _bins(release: Release, part: int) -> list[str]:
    groups = release.parts[part].groups
    dimensions = () if groups is None else groups.dimensions
    return [each.column for each in dimensions if isinstance(each, ScoreBins)]


def _drawn(found: Curve) -> dict[str, Any]:
    curves, ends = curves_of(found), ends_of(found)
    return {
        "lines": [shortened(line) for line in found.errors.sentences()[:MOST_CURVES]],
        "curves": [
            {
                "name": name,
                "svg": curve_svg(
                    points, printable(f"Calibration {name}".strip()), ends
                ),
            }
            for name, points in list(curves.items())[:MOST_CURVES]
        ],
        "more": max(len(curves) - MOST_CURVES, 0),
    }
