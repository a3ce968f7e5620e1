"""Answers with intervals: a forest of named rows, a caterpillar, or a time line.

Which of them follows from what is drawn: periods run along time, in their order; up to
sixty rows have names; more are laid side by side, where the whole can be seen.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from dpratio.errors import InvalidInput
from dpratio.show.blocks import BETWEEN, Block, Row
from dpratio.show.chart.marks import Comb, Interval, Line, Mark, Rule
from dpratio.show.chart.panel import Panel
from dpratio.show.chart.picture import Chart
from dpratio.show.chart.scale import Scale, Tick
from dpratio.show.verdicts import VERDICT_STYLES, signs_of, verdict_of
from dpratio.simulation.forecast.rehearse import Rehearsal

MOST_NAMED = 60
MOST_LINES = 12
_ROW, _TALL, _COMB = 20.0, 180.0, 240.0
_BESIDE_TRUTH = {
    "above": "misses the truth: too high",
    "below": "misses the truth: too low",
    "not told apart": "holds the truth",
}


def forest_chart(blocks: Sequence[Block], title: str) -> Chart:
    """Chart rows with their intervals, coloured by verdict; a panel per question."""
    verdicts = [row.verdict for block in blocks for row in block.rows]
    many = [len({_other(row, block) for row in block.rows}) for block in blocks]
    timed = any(
        block.time is not None and count > MOST_LINES
        for block, count in zip(blocks, many, strict=True)
    )
    return Chart(
        title,
        [panel for block in blocks for panel in block_panels(block)],
        signs_of(verdicts),
        note=f"The first {MOST_LINES} series are drawn." if timed else "",
        columns=1 if len(blocks) > 1 or blocks[0].time is None else 3,
        least=230.0,
    )


def draw_intervals(
    rows: Iterable[Mapping[str, Any]],
    *,
    name: str,
    measure: str,
    panel: str | None = None,
    reference: float | None = None,
    value: str = "ratio",
) -> Chart:
    """Chart intervals from anywhere: several releases side by side, for instance.

    Args:
        rows: Rows with a name, a value, ``ci_lower`` and ``ci_upper``, as `to_dicts`
            gives them.
        name: The column that names a row.
        measure: What the axis measures.
        panel: The column that says in which panel a row stands; all share one axis.
        reference: The value that verdicts are about.
        value: The column of the value.

    Example:
        >>> import dpratio as dpr
        >>> rows = dpr.estimate_ratios(dpr.example_release()).to_dicts()[:4]
        >>> chart = dpr.results.draw_intervals(rows, name="region", measure="ratio")
        >>> chart.title, len(chart.panels)
        ('ratio', 1)
    """
    panels: dict[str, list[Row]] = {}
    for row in rows:
        middle, low, high = (float(row[key]) for key in (value, "ci_lower", "ci_upper"))
        told = f"{row[name]}: {middle:.4g}, {low:.4g} to {high:.4g}"
        verdict = verdict_of(low, high, reference)
        title = "" if panel is None else str(row[panel])
        drawn = Row((str(row[name]),), middle, low, high, verdict, told)
        panels.setdefault(title, []).append(drawn)
    references = () if reference is None else (reference,)
    blocks = [
        Block(title, measure, tuple(each), references=references, is_ordered=True)
        for title, each in panels.items()
    ]
    every = tuple(row for block in blocks for row in block.rows)
    scale = Block("", measure, every, references=references).scale()
    chart = forest_chart(blocks, measure)
    return replace(chart, panels=[replace(each, x=scale) for each in chart.panels])


def rehearsal_chart(found: Rehearsal) -> Chart:
    """Chart rehearsed answers beside the truth about the invented people."""
    several = len({each.question for each in found.rows}) > 1
    rows = [{**asdict(each), "answer": f"answer {each.answer}"} for each in found.rows]
    chart = draw_intervals(
        rows,
        name="answer",
        measure="ratio",
        panel="question" if several else None,
        reference=found.truth,
    )
    signs = [
        replace(each, name=_BESIDE_TRUTH.get(each.name, each.name))
        for each in chart.legend
    ]
    title = f"Answers that the study may give; the truth is {found.truth:.4g}"
    return replace(chart, title=title, legend=signs, note=found.said()[-1])


def block_panels(block: Block) -> list[Panel]:
    """Choose the panels of one question."""
    if block.time is not None and len(block.rows) > 1:
        return _time_lines(block)
    if len(block.rows) > MOST_NAMED:
        return [caterpillar(block)]
    return [_forest(block)]


def as_deviations(block: Block) -> Block:
    """Say how far rows lie from the reference, in per cent of it."""
    at = block.references[0] if block.references else None
    if at is None or at == 0:
        rule = "a deviation in per cent needs a reference other than 0"
        raise InvalidInput(f"{rule}, got {at}. Use the view 'forest'.")

    def moved(value: float) -> float:
        return 100 * (value / at - 1)

    rows = tuple(
        replace(row, value=moved(row.value), low=moved(row.low), high=moved(row.high))
        for row in block.rows
    )
    measure = f"{block.measure}, deviation from {at:g} in %"
    return replace(block, rows=rows, measure=measure, references=(0.0,))


def _forest(block: Block) -> Panel:
    rows = block.in_order
    names = _told_apart(row.name for row in rows)
    count = len(rows)
    ticks = tuple(Tick(-at, name) for at, name in enumerate(names))
    return Panel(
        [*_rules(block), *(_interval(row, -at) for at, row in enumerate(rows))],
        block.scale(),
        Scale(0.4 - count, 0.6, given=ticks),
        _ROW * count,
        title=block.title,
        x_title=block.measure,
        has_rows=True,
    )


def caterpillar(block: Block) -> Panel:
    """Lay many rows side by side, from low to high, or in their own order."""
    rows = block.in_order
    combs: dict[str, list[tuple[float, float, float, float]]] = {}
    for at, row in enumerate(rows, start=1):
        css, _ = VERDICT_STYLES[row.verdict]
        combs.setdefault(css, []).append((at, row.low, row.high, row.value))
    sides = "in their order" if block.is_ordered else "from low to high"
    return Panel(
        [
            *_rules(block, upright=False),
            *(Comb(each, css) for css, each in combs.items()),
        ],
        Scale(0.0, len(rows) + 1.0),
        block.scale(),
        _COMB,
        title=block.title,
        x_title=f"{len(rows):,} groups, {sides}",
        y_title=block.measure,
    )


def _time_lines(block: Block) -> list[Panel]:
    """Draw each series along its periods, all on the same axes."""
    time = block.time or 0
    periods = list(dict.fromkeys(row.labels[time] for row in block.rows))
    places = {name: float(at) for at, name in enumerate(periods)}
    ticks = tuple(Tick(at, name) for name, at in places.items())
    across = Scale(-0.6, len(periods) - 0.4, given=ticks)
    series: dict[str, list[Row]] = {}
    for row in block.rows:
        series.setdefault(_other(row, block), []).append(row)
    panels = []
    for name, run in series.items():
        rows = sorted(run, key=lambda row: places[row.labels[time]])
        spots = [(places[row.labels[time]], row.value) for row in rows]
        marks: list[Mark] = [*_rules(block, upright=False), Line(spots, "even thin")]
        marks += [
            replace(_interval(row, places[row.labels[time]]), upright=True)
            for row in rows
        ]
        title = BETWEEN.join(each for each in (block.title, name) if each)
        panels.append(
            Panel(
                marks,
                across,
                block.scale(),
                _TALL,
                title,
                x_title=block.columns[time],
                y_title=block.measure,
            )
        )
    return panels[:MOST_LINES]


def _other(row: Row, block: Block) -> str:
    """Name the series of a row: all its labels but the period, with their columns."""
    if block.time is None:
        return row.name
    named = zip(block.columns, row.labels, strict=True)
    return BETWEEN.join(
        f"{column} {label}"
        for at, (column, label) in enumerate(named)
        if at != block.time
    )


def _interval(row: Row, at: float) -> Interval:
    css, shape = VERDICT_STYLES[row.verdict]
    return Interval(at, row.low, row.high, row.value, row.told, css, shape)


def _rules(block: Block, *, upright: bool = True) -> list[Rule]:
    known = [each for each in block.references if math.isfinite(each)]
    return [Rule(each, upright=upright) for each in known]


def _told_apart(names: Iterable[str]) -> list[str]:
    """Number names that occur again."""
    seen: dict[str, int] = {}
    told = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        told.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return told
