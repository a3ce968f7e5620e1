"""Noisy histograms, with the bounds or the bins that they propose.

Cells are drawn equally wide, whatever they hold: four of them reach from one power of
two to the next. A bar around a count is what noise may have done to it.
"""

import itertools
import math
from collections.abc import Iterable, Sequence

from dpratio.analyst.bounds.noisy import Noisy
from dpratio.analyst.bounds.proposals import Proposal, Proposals
from dpratio.analyst.bounds.propose_bins import BinProposal
from dpratio.show.chart.marks import Interval, Rule
from dpratio.show.chart.panel import Panel
from dpratio.show.chart.picture import Chart, Sign
from dpratio.show.chart.scale import Scale, Tick, spread

_AROUND = 4  # So many cells are shown beside the filled ones, on each side.
_LEVEL = 0.95


def histogram_chart(proposals: Proposals) -> Chart:
    """Chart the histograms of a release, one panel for each, and proposed bounds."""
    made_up = "SIMULATED: " if proposals.is_simulated else ""
    return Chart(
        f"{made_up}Noisy counts on a public grid, and proposed bounds",
        [_histogram(each, proposals.level) for each in proposals.rows],
        _signs("proposed bounds"),
        note=f"Bars show what noise does to a count, at level {proposals.level:g}.",
        columns=min(len(proposals.rows), 2),
        least=300.0,
    )


def bins_chart(found: BinProposal) -> Chart:
    """Chart the noisy counts of a fine grid, and the edges that they propose."""
    made_up = "SIMULATED: " if found.is_simulated else ""
    reach = found.scale * math.log(1 / (1 - _LEVEL))
    cells = zip(itertools.pairwise(found.grid), found.counts, strict=True)
    bars = [
        _bar(
            ((low + high) / 2, count),
            f"{found.column} {low:g} to {high:g}",
            reach,
            css="below" if count > reach else "soft",
            size=0.5,
        )
        for (low, high), count in cells
    ]
    few = "" if found.found.size else ": too little known"
    panel = _panel(
        bars,
        found.found.edges[1:-1],
        Scale(found.grid[0], found.grid[-1]),
        title=f"{found.column}{few}",
        x_title=found.column,
    )
    note = f"Bars show what noise does to a count, at level {_LEVEL:g}."
    title = f"{made_up}Noisy counts of {found.column}, and proposed bins"
    return Chart(title, [panel], _signs("edges of proposed bins"), note=note)


def _signs(proposed: str) -> list[Sign]:
    return [
        Sign("filled beyond noise", "below", "circle"),
        Sign("perhaps noise alone", "soft", "circle"),
        Sign(proposed, "rule", is_line=True),
    ]


def _histogram(row: Proposal, level: float) -> Panel:
    noisy = row.noisy
    cells, enough = _shown(noisy), noisy.threshold
    reach = noisy.scale * math.log(1 / (1 - level))
    bars = [
        _bar(
            (at, noisy.counts[at]),
            f"{row.name} {noisy.ladder.labels[at]}",
            reach,
            css="below" if noisy.counts[at] > enough else "soft",
            size=0.5,
        )
        for at in cells
    ]
    ends = () if row.bounds is None else (row.bounds.lower, row.bounds.upper)
    status = "" if row.status == "ok" else f": {row.status}"
    return _panel(
        bars,
        [_place(noisy, end) for end in ends],
        Scale(cells[0] - 0.6, cells[-1] + 0.6, given=_ticks(noisy, cells)),
        title=f"{row.name}{status}",
        x_title=row.found.counted,
    )


def _bar(
    place: tuple[float, int], name: str, reach: float, *, css: str, size: float
) -> Interval:
    """Mark a count at its place, and how far noise may have moved it."""
    at, count = place
    told = f"{name}: {count:,} ± {reach:.3g}"
    ends = (count - reach, count + reach, count)
    return Interval(at, *ends, told, css, upright=True, size=size)


def _panel(
    bars: Sequence[Interval],
    rules: Iterable[float],
    across: Scale,
    *,
    title: str,
    x_title: str,
) -> Panel:
    ends = [end for bar in bars for end in (bar.low, bar.high)]
    return Panel(
        [*map(Rule, rules), *bars],
        across,
        spread([0.0, *ends]),
        200.0,
        title=title,
        x_title=x_title,
        y_title="noisy count",
    )


def _shown(noisy: Noisy) -> range:
    """Choose the cells that are drawn: those where people are seen, and around them."""
    middle, last = noisy.middle, len(noisy.counts) - 2
    seen = [middle + 1 + at for at in noisy.filled(is_negative=False)]
    seen += [middle - 1 - at for at in noisy.filled(is_negative=True)]
    if noisy.counts[middle] > noisy.threshold or not seen:
        seen.append(middle)
    return range(max(min(seen) - _AROUND, 0), min(max(seen) + _AROUND, last) + 1)


def _place(noisy: Noisy, end: float) -> float:
    """Give the place of a bound: between two cells, or in the one around zero."""
    return noisy.ladder.edges.index(end) + 0.5 if end else noisy.middle


def _ticks(noisy: Noisy, cells: range) -> tuple[Tick, ...]:
    shown = enumerate(noisy.ladder.edges[cells[0] : cells[-1] + 1], cells[0])
    return tuple(Tick(at + 0.5, f"{edge:.6g}".replace("-", "−")) for at, edge in shown)
