"""Histograms as pictures: filled cells, what noise may be, and the proposed bounds."""

import math
from dataclasses import replace

import pytest

from analyst.bounds.releases_for_tests import ONE, grid_release, released
from dpratio.analyst.bounds.proposals import Proposals
from dpratio.analyst.bounds.propose_bins import propose_bins
from dpratio.analyst.bounds.propose_bounds import propose_bounds
from dpratio.show.chart.histogram import histogram_chart
from dpratio.show.chart.marks import Interval, Rule
from dpratio.show.chart.panel import Panel
from dpratio.show.charts import draw

BOTH = {"7 to 8": 900, "14 to 16": 40, "-2 to -1.75": 300, "around 0": 50}


def proposed(*counts: dict[str, int]) -> Proposals:
    return propose_bounds(released(list(counts)), budget=ONE)


def cells_of(panel: Panel) -> dict[str, Interval]:
    """The intervals of a panel by their cells."""
    marks = [each for each in panel.marks if isinstance(each, Interval)]
    return {mark.told.split(":")[0]: mark for mark in marks}


def test_filled_cells_stand_out_and_bounds_lie_between_cells() -> None:
    found = proposed(BOTH, {})
    panel, empty = found.chart().panels
    cells = cells_of(panel)
    filled = [name for name, mark in cells.items() if mark.css == "below"]
    names = ["-2 to -1.75", "around 0", "7 to 8", "14 to 16"]
    assert filled == [f"spent {each}" for each in names]
    mark = cells["spent 7 to 8"]
    assert mark.low < mark.value == 900 < mark.high
    # Both bounds are edges, and lie half way between the cells beside them.
    rules = [each.value for each in panel.marks if isinstance(each, Rule)]
    lower, upper = found.bounds["spent"].lower, found.bounds["spent"].upper
    shown = {tick.value: tick.text for tick in panel.x.given or ()}
    assert [shown[at] for at in rules] == [f"−{-lower:g}", f"{upper:g}"]
    assert panel.title == "spent"
    assert empty.title == "orders: too_little_known"
    assert [each.css for each in cells_of(empty).values()] == ["soft"] * 9
    assert not any(isinstance(each, Rule) for each in empty.marks)


def test_a_bound_of_zero_lies_in_the_cell_around_it() -> None:
    found = proposed({"7 to 8": 900}, {"4096 or above": 900})
    panel, beyond = found.chart().panels
    rules = [each.value for each in panel.marks if isinstance(each, Rule)]
    middle = found.rows[0].noisy.middle
    assert rules == [middle, middle + 4 * 5 + 0.5]  # from 0.25 on; 8 is 2^3
    assert beyond.title == "orders: beyond_limits"
    last = list(cells_of(beyond))[-1]
    assert last == "orders 4096 or above"  # what is not finite has no place


def test_edges_are_written_short() -> None:
    row = proposed({"7 to 8": 900}, {}).rows[0]
    far = replace(row.noisy.ladder, lowest=-20, highest=40)
    counts = [0] * len(far.labels)
    counts[-4] = counts[2] = 900
    noisy = replace(row.noisy, ladder=far, counts=tuple(counts))
    nothing = replace(row.found, bounds=None)
    wide = Proposals((replace(row, noisy=noisy, found=nothing),), 0.9, False)  # noqa: FBT003
    (panel,) = histogram_chart(wide).panels
    texts = [tick.text for tick in panel.x.given or ()]
    assert (texts[0], texts[-1]) == ("−1.09951e+12", "1.09951e+12")
    assert {"−1", "1", "9.53674e−07", "0.5", "65536", "640"} <= set(texts)
    assert not wide.chart().title.startswith("SIMULATED")


@pytest.mark.parametrize("suffix", [".svg", ".html"])
def test_a_picture_says_what_it_shows(suffix: str) -> None:
    said = draw(proposed(BOTH, {}), suffix).decode()
    assert "SIMULATED: Noisy counts on a public grid" in said
    assert "proposed bounds" in said
    assert "spent 7 to 8: 900 ± 5.99" in said
    assert "at level 0.95" in said


def test_bins_lie_at_edges_of_the_cells_that_were_counted() -> None:
    found = propose_bins(grid_release([100] * 8 + [0] * 8), 4)
    chart = found.chart()
    assert chart.title == "SIMULATED: Noisy counts of score, and proposed bins"
    (panel,) = chart.panels
    rules = [each.value for each in panel.marks if isinstance(each, Rule)]
    assert rules == list(found.found.edges[1:-1]) == [0.125, 0.25, 0.375]
    cells = cells_of(panel)
    assert [mark.css for mark in cells.values()] == ["below"] * 8 + ["soft"] * 8
    first = cells["score 0 to 0.0625"]
    assert (first.at, first.value) == (0.03125, 100)
    assert first.high - first.value == pytest.approx(-math.log(0.05))
    assert (panel.x.low, panel.x.high, panel.title) == (0, 1, "score")
    assert "edges of proposed bins" in draw(found, ".svg").decode()


def test_too_few_people_have_no_bins_in_the_picture() -> None:
    (panel,) = propose_bins(grid_release([0] * 16), 4).chart().panels
    assert panel.title == "score: too little known"
    assert not any(isinstance(each, Rule) for each in panel.marks)
