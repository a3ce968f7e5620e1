"""Answers as rows to draw: one block per question, each row with ends and a verdict.

Reports and charts draw these, so that they cannot differ. What an answer
withholds has no value here, and no ends.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from dpratio.analyst.comparison.comparison import Comparison
from dpratio.analyst.comparison.equivalence import Equivalence
from dpratio.analyst.comparison.homogeneity import Homogeneity
from dpratio.analyst.function.function_results import FunctionEstimates
from dpratio.analyst.tables.estimates import Estimates
from dpratio.analyst.tables.facets import Facet, key_text
from dpratio.analyst.tables.provenance import heading_stamp
from dpratio.arrays import Floats
from dpratio.show.chart.scale import Scale
from dpratio.show.verdicts import verdict_of
from dpratio.terms.groups import EVERY

BETWEEN = " · "
_WITHHELD = {"unbounded", "disconnected"}
_MEASURES = {"lift": "lift, in %", "difference": "difference", "log_ratio": "log ratio"}
_FAR, _WIDTHS = 0.95, 2.5
_AGAINST = "_against"  # What the column of the second arm is called after the first.

# A value, its ends, its status, and how the three numbers are shown.
Given = tuple[float, float, float, str, tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class Row:
    """One answer: its name, its value between two ends, and what it says."""

    labels: tuple[str, ...]
    value: float
    low: float
    high: float
    verdict: str
    told: str

    @property
    def name(self) -> str:
        """The labels as one text."""
        return BETWEEN.join(self.labels) or "all"


@dataclass(frozen=True, slots=True)
class Block:
    """The rows of one question.

    ``measure`` is what the axis says. ``time`` is the place of the label that names a
    period. ``is_ordered`` says that rows stand in an order that must be kept.
    """

    title: str
    measure: str
    rows: tuple[Row, ...]
    columns: tuple[str, ...] = ()
    references: tuple[float, ...] = ()
    is_ordered: bool = False
    time: int | None = None

    @property
    def in_order(self) -> tuple[Row, ...]:
        """The rows as they are drawn: by value where groups have no order."""
        if self.is_ordered:
            return self.rows
        return tuple(sorted(self.rows, key=_by_value))

    def scale(self) -> Scale:
        """Choose what an axis shows: all that is not far off most of the rest."""
        low, high = _stretch(self.rows, self.references)
        at = self.references[0] if self.references else None
        return Scale(low, high, reference=at)


def blocks_of(result: object, reference: float | None = None) -> list[Block]:
    """Lay an answer out in rows to draw; what is no such answer has none.

    Args:
        result: Estimates, a comparison, an equivalence, a homogeneity or a function.
        reference: For estimates, the value that verdicts are about; by default that
            of each question.
    """
    match result:
        case Estimates():
            return _of_estimates(result, reference)
        case Comparison():
            return _of_comparison(result)
        case Equivalence():
            return [_of_equivalence(result)]
        case FunctionEstimates():
            return [_of_function(result)]
        case Homogeneity():
            return [_of_homogeneity(result)]
        case _:
            return []


def title_of(result: Any) -> str:  # noqa: ANN401 (any answer with blocks)
    """Say what a picture of an answer shows."""
    made_up = heading_stamp(is_simulated=result.is_simulated)
    measures = list(dict.fromkeys(block.measure for block in blocks_of(result)))
    said = f"{made_up}{measures[0] if len(measures) == 1 else 'Ratios'}"
    if isinstance(result, Homogeneity):
        return f"{said}: 95 % intervals, beside the one ratio that fits best"
    level = 2 * result.level - 1 if isinstance(result, Equivalence) else result.level
    cut = getattr(result, "clipping", None)
    ending = "" if cut is None else cut.briefly()
    return f"{said}: {100 * level:.4g} % intervals{ending}"


def _of_estimates(found: Estimates, reference: float | None) -> list[Block]:
    facets = found.facets or (
        Facet(
            " per ".join(found.totals or ("ratio",)).removesuffix(" per "),
            len(found),
            dict.fromkeys(found.labels, ""),
            found.reference,
        ),
    )
    numbers = _given(found, "ratio", np.where(found.is_located, found.ratio, np.nan))
    start, blocks, several = 0, [], len(facets) > 1
    for facet in facets:
        stop = start + facet.count
        names = _labels(found, facet, start, stop)
        at = facet.reference if reference is None else reference
        rows = [
            _row(label, numbers_of, at)
            for label, numbers_of in zip(
                names, islice(numbers, facet.count), strict=True
            )
        ]
        time = [at for at, each in enumerate(facet.orders.values()) if each in EVERY]
        over = f", by {' and '.join(facet.orders)}" if facet.orders else ""
        blocks.append(
            Block(
                f"{facet.asked}{over}" if several else "",
                facet.asked,
                tuple(rows),
                tuple(facet.orders),
                () if at is None else (at,),
                is_ordered=any(facet.orders.values()),
                time=time[0] if time else None,
            )
        )
        start = stop
    return blocks


def _labels(
    found: Estimates, facet: Facet, start: int, stop: int
) -> Iterable[tuple[str, ...]]:
    if not facet.orders:
        return [()] * (stop - start)
    columns = [
        [key_text(key, order) for key in found.labels[name][start:stop]]
        for name, order in facet.orders.items()
    ]
    return zip(*columns, strict=True)


def _given(
    found: Estimates | FunctionEstimates, name: str, values: Floats
) -> Iterator[Given]:
    """Give each value of a column with its ends and its status, and all as shown."""
    shown = found.shown()
    texts = zip(shown[name], shown["ci_lower"], shown["ci_upper"], strict=True)
    ends = (found.ci_lower.tolist(), found.ci_upper.tolist())
    return zip(values.tolist(), *ends, found.status, texts, strict=True)


def _row(labels: tuple[str, ...], given: Given, reference: float | None) -> Row:
    value, low, high, status, (ratio, lower, upper) = given
    if status in _WITHHELD:
        value, low, high = math.nan, -math.inf, math.inf
    verdict = verdict_of(low, high, reference)
    name = BETWEEN.join(labels) or "all"
    return Row(
        labels, value, low, high, verdict, f"{name}: {ratio}, {lower} to {upper}"
    )


def _of_comparison(found: Comparison) -> list[Block]:
    """Draw one block per link; a lift is in per cent."""
    blocks = []
    for link in dict.fromkeys(found.link):
        times = 100.0 if link == "lift" else 1.0
        rows = []
        for at, each in enumerate(found.link):
            if each != link:
                continue
            second = "" if found.second is None else f" against {found.second[at]}"
            ends = (found.ci_lower[at], found.estimate[at], found.ci_upper[at])
            low, value, high = (times * float(end) for end in ends)
            # A lift cannot be below −100 %: an end there says nothing.
            low = -math.inf if link == "lift" and low <= -times else low
            name = f"{_group(found.first[at])}{second}"
            given = (value, low, high, found.status_of(at), _short(value, low, high))
            rows.append(_row((name,), given, times * found.null))
        of = f" of {found.asked}" if found.asked else ""
        against = "" if found.second is not None else f" against {found.reference:g}"
        name, _, unit = _MEASURES[link].partition(",")
        measure = f"{name}{of}{against}{',' if unit else ''}{unit}"
        several = len(set(found.link)) > 1
        blocks.append(
            Block(
                measure if several else "",
                measure,
                tuple(rows),
                ("compared",),
                (times * found.null,),
            )
        )
    return blocks


def _of_equivalence(found: Equivalence) -> Block:
    rows = []
    for at, verdict in enumerate(found.verdicts):
        ends = (found.ratio[at], found.ci_lower[at], found.ci_upper[at])
        value, low, high = (float(end) for end in ends)
        if _is_endless(low, high):
            value, low = math.nan, -math.inf
        name = _group(found.group[at])
        told = f"{name}: {verdict}, {BETWEEN.join(_short(value, low, high))}"
        rows.append(Row((name,), value, low, high, verdict, told))
    margins = tuple(each for each in (found.lower, found.upper) if each is not None)
    return Block("", found.asked or "ratio", tuple(rows), ("group",), margins)


def _of_function(found: FunctionEstimates) -> Block:
    columns = _arms_joined(found.labels)
    labels = list(zip(*columns.values(), strict=True)) or [()] * len(found)
    numbers = _given(found, "estimate", found.estimate)
    rows = [_row(*each, None) for each in zip(labels, numbers, strict=True)]
    return Block("", found.function.replace("_", " "), tuple(rows), tuple(columns))


def _arms_joined(labels: Mapping[str, Sequence[object]]) -> dict[str, list[str]]:
    """Write arms that are compared as one name: "west against north"."""
    columns = {name: [str(cell) for cell in cells] for name, cells in labels.items()}
    for name in list(columns):
        if f"{name}{_AGAINST}" in columns:
            others = columns.pop(f"{name}{_AGAINST}")
            both = zip(columns[name], others, strict=True)
            columns[name] = [f"{one} against {other}" for one, other in both]
    return columns


def _of_homogeneity(found: Homogeneity) -> Block:
    """Draw the groups beside the one ratio that would fit them all."""
    at = found.ratio if math.isfinite(found.ratio) else None
    rows = []
    for group, *ends in found.beside:
        value, low, high = ends
        status = "unbounded" if _is_endless(low, high) else "ok"
        given = (value, low, high, status, _short(value, low, high))
        rows.append(_row((str(group),), given, at))
    references = () if at is None else (at,)
    return Block("", found.asked or "ratio", tuple(rows), ("group",), references)


def _group(name: object) -> str:
    return "all" if name is None else str(name)


def _is_endless(low: float, high: float) -> bool:
    """Tell an interval that says nothing: ratios of totals often begin at 0 anyway."""
    return math.isinf(high) and low <= 0


def _short(*numbers: float) -> tuple[str, str, str]:
    value, low, high = (f"{each:.4g}".replace("inf", "∞") for each in numbers)
    return value, low, high


def _by_value(row: Row) -> tuple[bool, float]:
    return (math.isnan(row.value), row.value)


def _stretch(rows: Sequence[Row], references: Sequence[float]) -> tuple[float, float]:
    """Give the ends of an axis; what lies far outside most of the rest is cut off."""
    ends = np.array([(row.low, row.high) for row in rows]).reshape(-1, 2)
    bounded = ends[np.isfinite(ends).all(axis=1)]
    if len(bounded):
        lower, upper = bounded.T
        middles = (lower + upper) / 2
        middle, width = np.median(middles), np.median(upper - lower)
        apart = np.quantile(np.abs(middles - middle), _FAR)
        reach = apart + _WIDTHS * width
        left = max(float(lower.min()), float(middle - reach))
        right = min(float(upper.max()), float(middle + reach))
    else:
        # A half line has one end; where nothing is bounded that is all there is.
        known = [*ends[np.isfinite(ends)].tolist(), *references] or [1.0]
        left, right = min(known), max(known)
    left, right = min(left, *references, left), max(right, *references, right)
    room = 0.04 * (right - left) or 0.5 * abs(left) or 1.0
    return left - room, right + room
