"""What was asked of a release, as parts of its report: headline, chart, numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpratio.analyst.comparison.comparison import Comparison
from dpratio.analyst.comparison.equivalence import Equivalence
from dpratio.analyst.comparison.homogeneity import Homogeneity
from dpratio.analyst.curve.curve_results import Curve
from dpratio.analyst.function.function_results import FunctionEstimates
from dpratio.analyst.tables.provenance import stamps
from dpratio.analyst.watch.watch_results import Watch
from dpratio.checks import refuse, require
from dpratio.release.release import Release
from dpratio.show.blocks import blocks_of, title_of
from dpratio.show.forest_chart import forest_chart
from dpratio.show.report_curves import curve_terms
from dpratio.show.report_words import shortened
from dpratio.show.sections.answer_words import Answered, heading_of, headline_of
from dpratio.show.watch_chart import MOST_PANELS, watch_chart
from dpratio.tabular import Table
from dpratio.terms.groups import Periods


def watched_of(watch: Watch) -> dict[str, Any]:
    """Give what the template needs of a ratio over time."""
    loud = np.flatnonzero((watch.alarm_seen >= 0) | (watch.change_seen >= 0)).tolist()
    told = [line for at in loud[:MOST_PANELS] for line in _told(watch, at)]
    more = len(loud) - MOST_PANELS
    if more > 0:
        told.append(f"{more:,} more groups have an alarm or a change.")
    return {
        "headline": f"{shortened(watch.summary())}.",
        "heading": "Over time",
        "lines": [shortened(line) for line in told],
        "pictures": watch_chart(watch).pictures(),
        "css": "watched",
        "notes": watch.notes(),
    }


def _told(watch: Watch, at: int) -> list[str]:
    """Explain the first alarm of a group, and its change."""
    name = f"{watch.names[at]}: " if watch.names[at] else ""
    lines = []
    look = int(watch.alarm_seen[at])
    if look >= 0 and watch.within is not None:
        ends = (watch.ci_lower, watch.ci_upper)
        what = "the ratio of this period lies"
        if watch.people_are_new:
            ends = (watch.cs_lower, watch.cs_upper)
            what = "the ratio of all periods so far lies"
        low, high = (float(each[look, at]) for each in ends)
        side = "above" if watch.alarm[look, at] > 0 else "below"
        lines.append(
            f"{name}first alarm at {watch.periods[look]}. By then {what} between "
            f"{low:.4g} and {high:.4g}, {side} the tolerated "
            f"{watch.within[0]:g} to {watch.within[1]:g}; this holds at all looks at "
            f"once with {100 * watch.level:.4g} %."
        )
    if watch.change_seen[at] >= 0:
        way = "up" if watch.change_way[at] > 0 else "down"
        lines.append(
            f"{name}a change, {way}, which was visible at "
            f"{watch.periods[watch.change_seen[at]]} and seems to have begun at "
            f"{watch.periods[watch.change_since[at]]}."
        )
    return lines


Answer = Answered | Curve | Watch

_KINDS = (
    "comparisons, homogeneity, equivalence, functions, curves, or what watch(…) gave"
)
# A browser shows so many at once; a chart of more says nothing.
_MOST_ANSWERS, _MOST_DRAWN, _MOST_LISTED = 20, 5_000, 300
# Columns that are the same in every row, and that the notes say in words.
_SAID_BELOW = {"adjust", "alternative", "level"}
# What some answers do not have.
_PLAIN: dict[str, Any] = {"lines": [], "notes": [], "table": "", "more": 0}


def require_answers(release: Release, answers: Sequence[Answer]) -> None:
    """Refuse what is no answer, and answers that are not about this release.

    Raises:
        InvalidInput: When an answer is of another kind, or of another release.
    """
    several = isinstance(answers, list | tuple)
    require(several, "answers must be a list", answers, "Write answers=[…].")
    few = len(answers) <= _MOST_ANSWERS
    rule = f"a report has up to {_MOST_ANSWERS} answers"
    require(few, rule, len(answers), "Write another report.")
    asked = {" per ".join(each.ratio.totals) for each in release.questions}
    for each in answers:
        if not isinstance(each, Answer):
            refuse(f"answers must be {_KINDS}", each)
        rule = "an answer must be about the release of the report"
        hint = "Ask the same release."
        # What is watched may be made from many releases, of which this is the newest.
        told = (each.is_simulated, each.origin)
        alike = told == (release.is_simulated, release.origin)
        require(alike or isinstance(each, Watch), rule, type(each).__name__, hint)
        about = getattr(each, "asked", "")
        known = not about or about in asked or isinstance(each, Watch)
        require(known, rule, about, hint)
        # An answer that somebody built by hand names no release.
        same = each.release_id in {"", release.id}
        require(same, rule, f"an answer of release {each.release_id}", hint)
        if isinstance(each, Comparison | Equivalence | FunctionEstimates):
            rule = f"a report shows up to {_MOST_DRAWN:,} rows of an answer"
            require(len(each) <= _MOST_DRAWN, rule, len(each), "Name fewer groups.")


def answer_terms(release: Release, answers: Sequence[Answer]) -> list[dict[str, Any]]:
    """Give what the template needs of every answer."""
    terms = [_terms(release, each) for each in answers]
    return [each | {"headline": _unbroken(each["headline"])} for each in terms]


def _unbroken(line: str) -> str:
    """Keep numbers and their signs on one line."""
    line = line.replace(" %", "\N{NO-BREAK SPACE}%")
    for sign in "=<":
        line = line.replace(
            f"p {sign} ", f"p\N{NO-BREAK SPACE}{sign}\N{NO-BREAK SPACE}"
        )
    return line


def _terms(release: Release, answer: Answer) -> dict[str, Any]:
    match answer:
        case Watch():
            return _PLAIN | watched_of(answer)
        case Curve():
            drawn = curve_terms(answer)
            first, *others = drawn["lines"]
            return _PLAIN | {
                "headline": f"Calibration of {answer.score}: {first}",
                "heading": f"Calibration of {answer.score}",
                "lines": others,
                "pictures": drawn["pictures"],
                "css": "curves",
                "more": drawn["more"],
            }
        case Comparison() | Equivalence() | Homogeneity() | FunctionEstimates():
            return _of_rows(answer, _column_of(release, answer))


def _of_rows(answer: Answered, column: str) -> dict[str, Any]:
    said = stamps(answer.origin, is_simulated=answer.is_simulated)
    pictures = []
    blocks = blocks_of(answer)
    if any(block.rows for block in blocks):
        pictures = forest_chart(blocks, title_of(answer)).pictures()
    columns = {
        name: cells for name, cells in answer.shown().items() if name not in _SAID_BELOW
    }
    count = len(next(iter(columns.values())))
    listed = Table({name: cells[:_MOST_LISTED] for name, cells in columns.items()})
    return _PLAIN | {
        "headline": shortened(headline_of(answer, column)),
        "heading": shortened(heading_of(answer)),
        "pictures": pictures,
        "css": "answer-chart",
        # The stamps stand at the top of the report.
        "notes": [shortened(line) for line in answer.notes()[len(said) :]],
        "table": listed.to_html(),
        "more": max(count - _MOST_LISTED, 0),
    }


def _column_of(release: Release, answer: Answered) -> str:
    """Name the column that tells the groups of an answer apart, where there is one.

    A period says by itself what it is.
    """
    match answer:
        case Comparison():
            named = set(answer.first)
        case Equivalence():
            named = set(answer.group)
        case _:
            return ""
    columns = {
        question.groups.columns[0]
        for question in release.questions
        if question.groups is not None
        and len(question.groups.dimensions) == 1
        and not isinstance(question.groups.dimensions[0], Periods)
        and named <= set(question.keys)
    }
    return columns.pop() if len(columns) == 1 else ""
