"""Noisy histograms, with the bounds or the bins that they propose.

Between powers of two cells are equally wide, whatever they hold: each is twice as far
out as the one before. A bar around a count is what noise may have done to it.
"""

import itertools
import math

from dpratio.analyst.bounds.proposals import Proposal, Proposals
from dpratio.analyst.bounds.propose_bins import BinProposal
from dpratio.plan.histogram.propose import Noisy
from dpratio.show.chart.marks import Interval, Mark, Rule
from dpratio.show.chart.panel import Panel
from dpratio.show.chart.picture import Chart, Sign
from dpratio.show.chart.scale import Scale, Tick, short_number, spread

__all__ = ["bins_chart", "histogram_chart"]

_AROUND = 2  # So many cells are shown beside the filled ones, on each side.
_SHORT = range(-3, 31)  # Powers of two that are written out.
_LEVEL = 0.95


def histogram_chart(proposals: Proposals) -> Chart:
    """Chart the histograms of a release, one panel for each, and proposed bounds."""
    made_up = "SIMULATED: " if proposals.is_simulated else ""
    signs = _signs("proposed bounds")
    columns = min(len(proposals.rows), 2)
    return Chart(
        f"{made_up}Noisy counts between powers of two, and proposed bounds",
        [_panel(each, proposals.level) for each in proposals.rows],
        signs,
        note=f"Bars show what noise does to a count, at level {proposals.level:g}.",
        columns=columns,
        least=300.0,
    )


def bins_chart(found: BinProposal) -> Chart:
    """Chart the noisy counts of a fine grid, and the edges that they propose."""
    made_up = "SIMULATED: " if found.is_simulated else ""
    reach = found.scale * math.log(1 / (1 - _LEVEL))
    marks: list[Mark] = [Rule(edge) for edge in found.found.edges[1:-1]]
    for (low, high), count in zip(
        itertools.pairwise(found.grid), found.counts, strict=True
    ):
        told = f"{found.column} {low:g} to {high:g}: {count:,} ± {reach:.3g}"
        css = "below" if count > reach else "soft"
        ends = (count - reach, count + reach, count)
        middle = (low + high) / 2
        marks.append(Interval(middle, *ends, told, css, upright=True, size=0.5))
    reached = [each + way * reach for each in found.counts for way in (-1, 1)]
    few = "" if found.found.size else ": too little known"
    panel = Panel(
        marks,
        Scale(found.grid[0], found.grid[-1]),
        spread([0.0, *reached]),
        200.0,
        title=f"{found.column}{few}",
        x_title=found.column,
        y_title="noisy count",
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


def _panel(row: Proposal, level: float) -> Panel:
    noisy = row.noisy
    cells, filled = _shown(noisy)
    reach = noisy.scale * math.log(1 / (1 - level))
    marks: list[Mark] = []
    if row.bounds is not None:
        marks += [
            Rule(_place(noisy, end)) for end in (row.bounds.lower, row.bounds.upper)
        ]
    for at in cells:
        count, label = noisy.counts[at], noisy.ladder.labels[at]
        told = f"{row.name} {label}: {count:,} ± {reach:.3g}"
        css = "below" if at in filled else "soft"
        ends = (count - reach, count + reach, count)
        marks.append(Interval(at, *ends, told, css, upright=True, size=0.8))
    counts = [noisy.counts[at] for at in cells]
    ends_of_axis = [0.0, *(each + way * reach for each in counts for way in (-1, 1))]
    status = "" if row.status == "ok" else f": {row.status}"
    return Panel(
        marks,
        Scale(cells[0] - 0.6, cells[-1] + 0.6, given=_ticks(noisy, cells)),
        spread(ends_of_axis),
        200.0,
        title=f"{row.name}{status}",
        x_title=row.found.counted,
        y_title="noisy count",
    )


def _shown(noisy: Noisy) -> tuple[range, set[int]]:
    """Choose the cells that are drawn, and tell which of them are filled."""
    middle, last = noisy.middle, len(noisy.counts) - 2
    filled = {middle + 1 + at for at in noisy.filled(is_negative=False)}
    filled |= {middle - 1 - at for at in noisy.filled(is_negative=True)}
    if noisy.counts[middle] > noisy.threshold:
        filled.add(middle)
    seen = filled or {middle}
    first, end = min(seen) - _AROUND, max(seen) + _AROUND
    return range(max(first, 0), min(end, last) + 1), filled


def _place(noisy: Noisy, end: float) -> float:
    """Give the place of a bound: between two cells, or in the one around zero."""
    return noisy.ladder.edges.index(end) + 0.5 if end else noisy.middle


def _ticks(noisy: Noisy, cells: range) -> tuple[Tick, ...]:
    edges = [(at + 0.5, edge) for at, edge in enumerate(noisy.ladder.edges)]
    ticks = [
        Tick(at, _written(edge)) for at, edge in edges if cells[0] <= at <= cells[-1]
    ]
    return tuple(ticks)


def _written(edge: float) -> str:
    power = math.frexp(abs(edge))[1] - 1
    if power in _SHORT:
        return short_number(edge)
    return f"{'−' if edge < 0 else ''}2^{power}"
