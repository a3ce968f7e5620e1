"""The rows of a report: a block per question, an overview of many, and the table.

A row holds what the page's script needs to list it again, sorted or found: its texts,
its numbers, and the marks of its picture, which are drawn here alone.
"""

import math
from collections.abc import Sequence
from typing import Any

from dpratio.analyst.tables.estimates import Estimates
from dpratio.show.blocks import Block, Row, blocks_of
from dpratio.show.chart.picture import Chart
from dpratio.show.chart.strip import axis_strip, places_of
from dpratio.show.forest_chart import block_panels, caterpillar
from dpratio.show.verdicts import VERDICT_STYLES, signs_of
from dpratio.tabular import printable

# A browser draws so many rows at once without effort; the rest is found by filtering.
MOST_ROWS = 300
# From so many rows on the picture says more than the list, which is folded.
FOLDED, _FOLDED_BELOW = 24, 12
# A list of so many rows is printed although it is folded: it takes a page or two.
_PRINTED = 60
_WIDEST = 1000.0


def block_terms(estimates: Estimates, reference: float | None) -> list[dict[str, Any]]:
    """Give what the template needs of every question."""
    start, terms = 0, []
    shown = estimates.shown()
    columns = (shown["ratio"], shown["ci_lower"], shown["ci_upper"])
    for block in blocks_of(estimates, reference):
        stop = start + len(block.rows)
        texts = list(zip(*(each[start:stop] for each in columns), strict=True))
        terms.append(_terms(block, texts, estimates.status[start:stop]))
        start = stop
    return terms


def counted_verdicts(blocks: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Count the verdicts that are there."""
    seen = [row["verdict"] for block in blocks for row in block["rows"]]
    return [
        {"name": name, "css": css, "shape": shape, "count": seen.count(name)}
        for name, (css, shape) in VERDICT_STYLES.items()
        if name in seen
    ]


def _terms(
    block: Block, texts: Sequence[tuple[str, str, str]], status: Sequence[str]
) -> dict[str, Any]:
    scale, overview = block.scale(), _overview(block)
    reference = block.references[0] if block.references else None
    rows = [
        {
            "labels": [printable(each) for each in row.labels],
            "values": [_finite(each) for each in (row.value, row.low, row.high)],
            "shown": list(text),
            "verdict": row.verdict,
            "status": state,
            "places": places_of(scale, (row.low, row.value, row.high), _shape(row)),
        }
        for row, text, state in zip(block.rows, texts, status, strict=True)
    ]
    return {
        "title": block.title,
        "measure": block.measure,
        "columns": list(block.columns),
        "reference": None if reference is None else f"{reference:g}",
        "rows": rows,
        "axis": axis_strip(scale),
        "overview": overview,
        "is_folded": len(rows) > (_FOLDED_BELOW if overview else FOLDED),
        "is_printed": len(rows) <= _PRINTED,
        "css": {name: css for name, (css, _) in VERDICT_STYLES.items()},
    }


def _overview(block: Block) -> list[str]:
    """Draw many rows at once, for wide and narrow screens; few are seen in the list."""
    is_timed = block.time is not None and len(block.rows) > 1
    if len(block.rows) <= FOLDED and not is_timed:
        return []
    panels = block_panels(block) if is_timed else [caterpillar(block)]
    chart = Chart(
        block.measure,
        panels,
        signs_of(row.verdict for row in block.rows),
        columns=3 if is_timed else 1,
        least=230.0,
        widest=_WIDEST,
    )
    return chart.pictures(wide=_WIDEST)


def _shape(row: Row) -> str:
    return VERDICT_STYLES[row.verdict][1]


def _finite(value: float) -> float | None:
    """Keep as many digits as sorting needs; the table to download has all of them."""
    return float(f"{value:.9g}") if math.isfinite(value) else None
