"""The calibration curves of a report: those of every question that has bins."""

from collections.abc import Collection
from typing import Any

from dpratio.analyst.curve.curve import calibration_curve
from dpratio.analyst.curve.curve_results import Curve
from dpratio.errors import InvalidInput
from dpratio.release.release import Release, ReleasedQuestion
from dpratio.show.curve_chart import curve_chart, curves_of
from dpratio.show.report_words import shortened
from dpratio.terms.groups import ScoreBins

MOST_CURVES = 12
_NO_MEANS = "it needs a plan with answers=('ratio', 'means'). The test of calibration:"


def curve_sets_of(
    release: Release, level: float, *, shown: Collection[tuple[str, str]] = ()
) -> list[dict[str, Any]]:
    """Draw the curves of each binned column; one that has none says why.

    Args:
        release: What the report is about.
        level: Confidence level of the intervals.
        shown: Scores and their bins whose curves stand elsewhere in the report.
    """
    asked = [
        (question, column)
        for question in release.questions
        for column in _bins(question)
        if (question.ratio.numerator, column) not in shown
    ]
    sets = []
    for question, column in asked:
        name = f"{question.ratio}, over bins of {column}" if len(asked) > 1 else ""
        try:
            found = calibration_curve(
                release, question=question.name, bins=column, level=level
            )
        except InvalidInput as refusal:
            lines = [f"There is no curve over bins of {column}: {refusal}"]
            sets.append({"name": name, "lines": lines, "pictures": [], "more": 0})
            continue
        sets.append({"name": name, **curve_terms(found)})
    return sets


def _bins(question: ReleasedQuestion) -> list[str]:
    groups = question.groups
    dimensions = () if groups is None else groups.dimensions
    return [each.column for each in dimensions if isinstance(each, ScoreBins)]


def curve_terms(found: Curve) -> dict[str, Any]:
    """Give the sentences and the pictures of a curve."""
    count = len(curves_of(found))
    pictures = curve_chart(found, most=MOST_CURVES).pictures() if count else []
    lines = found.errors.sentences()[:MOST_CURVES]
    if not found.has_means:
        lines.insert(0, f"There is no curve over bins of {found.bins}: {_NO_MEANS}")
    return {
        "lines": [shortened(line) for line in lines],
        "pictures": pictures,
        "more": max(count - MOST_CURVES, 0),
    }
