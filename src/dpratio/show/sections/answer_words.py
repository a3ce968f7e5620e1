"""Answers in sentences that a manager can read: what differs, how much, how sure."""

import math
from collections import Counter

import numpy as np

from dpratio.analyst.comparison.comparison import Comparison
from dpratio.analyst.comparison.comparison_target import REST
from dpratio.analyst.comparison.equivalence import VERDICTS, Equivalence
from dpratio.analyst.comparison.homogeneity import Homogeneity
from dpratio.analyst.function.function_results import FunctionEstimates
from dpratio.analyst.tables.sentence import (
    chance_in_words,
    interval_in_words,
    percent,
    short,
)
from dpratio.show.blocks import Row, blocks_of
from dpratio.show.report_words import shortened

_FEW = 4
_UNLIKELY = 0.05
_LONGEST_NAME = 60
_ADJUSTED = {
    "bonferroni": "Bonferroni",
    "holm": "Holm",
    "benjamini_hochberg": "Benjamini and Hochberg",
}
_WITHHELD = ("unbounded", "disconnected")
_TOO_LITTLE = "too little is known for groups of this size"

Answered = Comparison | Equivalence | Homogeneity | FunctionEstimates


def headline_of(answer: Answered, column: str = "") -> str:
    """Say an answer in a sentence or two, with its interval and p-value.

    Args:
        answer: What was asked.
        column: What its groups are groups of, where that is one column.
    """
    match answer:
        case Comparison():
            return _of_comparison(answer, column)
        case Equivalence():
            return _of_equivalence(answer, column)
        case Homogeneity():
            return _of_homogeneity(answer)
        case FunctionEstimates():
            return _of_function(answer)


def heading_of(answer: Answered) -> str:
    """Name the part of a report that is about an answer."""
    match answer:
        case Comparison():
            rows = len(answer) // max(len(set(answer.link)), 1)
            if rows == 1:
                first = answer.first[0]
                whose = "All" if first is None else _named(first)
                return f"{whose} against {_second(answer, 0)}"
            return "The comparisons"
        case Equivalence():
            return "Within the margins?"
        case Homogeneity():
            return "One ratio for all?"
        case FunctionEstimates():
            return answer.function.replace("_", " ")


def _of_comparison(found: Comparison, column: str) -> str:
    if len(found) == 0:
        return "Nothing was compared."
    links = list(dict.fromkeys(found.link))
    rows = [at for at, each in enumerate(found.link) if each == links[0]]
    if len(rows) == 1:
        more = [_again(found, at) for at in range(1, len(found))]
        return " ".join([f"{_compared(found, 0, column)}.", *more])
    chances = found.pvalue_adjusted[rows]
    count = int((chances < 1 - found.level).sum())
    of = f" of {found.asked}" if found.asked else ""
    after = "not adjusted for their number"
    if found.adjust != "none":
        after = f"adjusted for their number ({_ADJUSTED[found.adjust]})"
    many = "None" if count == 0 else "One" if count == 1 else f"{count:,}"
    verb = "shows" if count < 2 else "show"  # noqa: PLR2004
    what = "a difference" if _is_plain(found) else "what was tested"
    said = f"{many} of {len(rows):,} comparisons{of} {verb} {what}, {after}."
    if count == 0:
        return said
    clearest = rows[int(np.argmin(found.pvalue[rows]))]
    told = _compared(found, clearest, column)
    return f"{said} The clearest: {told[0].lower()}{told[1:]}."


def _is_plain(found: Comparison) -> bool:
    return found.null == 0 and found.alternative == "two-sided"


def _compared(found: Comparison, at: int, column: str) -> str:
    """Say how one group stands to the other; what may be chance is no difference."""
    link, value = found.link[at], float(found.estimate[at])
    chance = float(found.pvalue_adjusted[at])
    asked, odds = found.asked or "the ratio", chance_in_words(chance)
    begin = f"{_where(found.first[at], column)}, {asked}"
    to_value = found.second is None
    beside = _second(found, at)
    if found.status_of(at) in _WITHHELD or math.isnan(value):
        with_what = beside if to_value else f"that in {beside}"
        return f"{begin} cannot be compared with {with_what}: {_TOO_LITTLE}, {odds}"
    size, within = _size(value, link), _interval(found, at)
    way = "higher" if value >= 0 else "lower"
    if _is_plain(found) and chance >= 1 - found.level:
        from_what = beside if to_value else f"that in {beside}"
        what = f"it is estimated {size} {way}{_scale(link)}"
        return f"{begin} cannot be told from {from_what}: {what}, {within}, {odds}"
    stands = f"{way}{_scale(link)} than in {beside}"
    if to_value:
        side = "above" if value >= 0 else "below"
        stands = f"{side} {beside}{_scale(link)}"
    return f"{begin} is {size} {stands}: {within}, {odds}{_of(found)}"


def _of(found: Comparison) -> str:
    """Say which hypothesis a p-value is of, where it is not that both are equal."""
    if _is_plain(found):
        return ""
    null = percent(found.null) if found.link[0] == "lift" else short(found.null)
    side = {"greater": "above ", "less": "below "}.get(found.alternative, "other than ")
    return f" (tested: {side}{null})"


def _again(found: Comparison, at: int) -> str:
    """Say the same comparison on another scale."""
    link, value = found.link[at], float(found.estimate[at])
    name = {"lift": "lift", "log_ratio": "log ratio"}.get(link, link)
    if found.status_of(at) in _WITHHELD or math.isnan(value):
        return f"As a {name}, nothing is known."
    shown = percent(value) if link == "lift" else short(value)
    return f"As a {name}: {shown}, {_interval(found, at)}."


def _interval(found: Comparison, at: int) -> str:
    ends = (float(found.ci_lower[at]), float(found.ci_upper[at]))
    show = percent if found.link[at] == "lift" else short
    return interval_in_words(ends, found.level, show)


def _size(value: float, link: str) -> str:
    if math.isinf(value):
        return "far"
    return percent(abs(value)) if link == "lift" else short(abs(value))


def _scale(link: str) -> str:
    return " on the log scale" if link == "log_ratio" else ""


def _second(found: Comparison, at: int) -> str:
    if found.second is None:
        return f"{found.reference:g}"
    name = found.second[at]
    return "all others together" if name == REST else _named(name)


def _where(group: object, column: str) -> str:
    if group is None:
        return "Overall"
    return " ".join(word for word in ("In", column, _named(group)) if word)


def _named(group: object) -> str:
    """Cut a long name: the numbers of a sentence must be seen."""
    return shortened(str(group), _LONGEST_NAME)


def _of_equivalence(found: Equivalence, column: str) -> str:
    count, asked = len(found), found.asked or "the ratio"
    both = found.lower is not None and found.upper is not None
    held = f"within {found.margins}" if both else found.margins
    if count == 1:
        told = {"within": "is", "outside": "is not"}
        verb = told.get(found.verdicts[0], "may or may not be")
        odds = chance_in_words(float(found.pvalue_adjusted[0]))
        return f"{_where(found.group[0], column)}, {asked} {verb} {held}: {odds}."
    if found.overall == "within":
        odds = chance_in_words(float(found.pvalue.max()))
        return f"In all {count:,} groups, {asked} is {held}: {odds}."
    counts = Counter(found.verdicts)
    said = ", ".join(f"{counts[name]:,} {name}" for name in VERDICTS if counts[name])
    begin = f"Some groups have a {asked} that is not {held}"
    if found.overall == "undecided":
        begin = f"It is not known whether {asked} is {held} in all groups"
    return f"{begin}: of {count:,}, {said}."


def _of_homogeneity(found: Homogeneity) -> str:
    asked, odds = found.asked or "ratio", chance_in_words(found.pvalue)
    if found.pvalue < _UNLIKELY:
        return f"The {found.groups:,} groups do not have one {asked}: {odds}."
    fits = f", {found.ratio:.4g}," if math.isfinite(found.ratio) else ""
    return f"One {asked}{fits} may hold for all {found.groups:,} groups: {odds}."


def _of_function(found: FunctionEstimates) -> str:
    (block,) = blocks_of(found)
    name, count = f"The {block.measure}", len(block.rows)
    known = [row for row in block.rows if not math.isnan(row.value)]
    if count == 1:
        row = block.rows[0]
        where = f" of {_named(row.name)}" if row.labels else ""
        if not known:
            return f"{name}{where}: {_TOO_LITTLE}."
        within = interval_in_words((row.low, row.high), found.level, short)
        return f"{name}{where}: {short(row.value)}, {within}."
    return f"{name} of {count:,} groups: {_spread(known, count)}."


def _spread(known: list[Row], count: int) -> str:
    """Say where most values lie; the outermost of many may be there by chance."""
    if not known:
        return _TOO_LITTLE
    lost = count - len(known)
    more = f"; of {lost:,} nothing is known" if lost else ""
    if len(known) <= _FEW:
        said = ", ".join(f"{_named(row.name)} {short(row.value)}" for row in known)
        return f"{said}{more}"
    low, high = np.quantile([row.value for row in known], (0.25, 0.75))
    middle = f"half of them lie between {short(float(low))} and {short(float(high))}"
    return f"{middle}{more}"
