"""Charts of estimates, curves and budgets: drawn offline, and saying what they show."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dpratio as dpr
from dpratio.analyst.curve.curve_results import CURVE_STATUSES
from dpratio.analyst.tables.estimates import STATUSES
from dpratio.errors import InvalidInput
from dpratio.show.chart.marks import Comb, Interval, Line, Rule
from dpratio.show.charts import draw
from dpratio.show.curve_chart import curves_of, ends_of
from planned import plan_scores
from shown import HOSTILE, curved, monthly, released, spent

LOST = list(CURVE_STATUSES).index("lost")
KEYS = tuple(f"group {at}" for at in range(40))


@pytest.fixture(scope="module")
def estimates() -> dpr.results.Estimates:
    return dpr.estimate_ratios(released(KEYS))


def intervals(chart: object, at: int = 0) -> list[Interval]:
    """The intervals of a panel."""
    marks = chart.panels[at].marks  # type: ignore[attr-defined]
    return [mark for mark in marks if isinstance(mark, Interval)]


def test_the_forest_is_sorted_and_holds_every_cell(
    estimates: dpr.results.Estimates,
) -> None:
    chart = estimates.chart()
    (panel,) = chart.panels
    assert {tick.text for tick in panel.y.given or ()} == set(KEYS)
    values = [mark.value for mark in intervals(chart)]
    known = [each for each in values if not math.isnan(each)]
    assert known == sorted(known)
    assert chart.title == "SIMULATED: score per label: 95 % intervals"
    assert panel.x_title == "score per label"


def test_a_deviation_is_in_per_cent_of_the_reference(
    estimates: dpr.results.Estimates,
) -> None:
    forest, deviation = (
        intervals(estimates.chart(view)) for view in ("forest", "deviation")
    )
    for one, other in zip(forest, deviation, strict=True):
        if not math.isnan(one.value):
            assert other.value == pytest.approx(100 * (one.value - 1))
    title = estimates.chart("deviation").panels[0].x_title
    assert title == "score per label, deviation from 1 in %"


def test_groups_without_ends_keep_their_rows(
    estimates: dpr.results.Estimates,
) -> None:
    ends = np.where(np.arange(len(KEYS)) % 2, np.inf, estimates.ci_upper)
    (panel,) = replace(estimates, ci_upper=ends).chart().panels
    assert {tick.text for tick in panel.y.given or ()} == set(KEYS)


def test_a_line_is_drawn_where_the_reference_is(
    estimates: dpr.results.Estimates,
) -> None:
    chart = dpr.results.draw_intervals(
        estimates.to_dicts()[:3], name="group", measure="ratio", reference=0.7
    )
    (rule,) = [mark for mark in chart.panels[0].marks if isinstance(mark, Rule)]
    assert rule.value == 0.7


def test_hundreds_of_cells_are_laid_side_by_side() -> None:
    keys = tuple(str(at) for at in range(300))
    chart = dpr.estimate_ratios(released(keys, people=100)).chart()
    combs = [mark for mark in chart.panels[0].marks if isinstance(mark, Comb)]
    assert sum(len(each.teeth) for each in combs) == 300
    assert chart.panels[0].x_title == "300 groups, from low to high"
    assert len(chart.svg()) < 40_000


def test_hostile_names_are_drawn_as_text() -> None:
    estimates = dpr.estimate_ratios(released(HOSTILE))
    svg = draw(estimates, ".svg").decode()
    assert "<script" not in svg
    assert "<img" not in svg
    assert "\u202e" not in svg


def test_cells_of_the_same_name_are_told_apart() -> None:
    estimates = dpr.estimate_ratios(released(KEYS))
    twice = replace(estimates, labels={"group": ["a"] * 40})
    ticks = twice.chart().panels[0].y.given
    assert [tick.text for tick in ticks][:2] == ["a", "a (2)"]


def test_an_unknown_view_is_refused(estimates: dpr.results.Estimates) -> None:
    with pytest.raises(InvalidInput, match="unknown view, got 'pie'"):
        estimates.chart("pie")


def test_without_a_reference_there_is_no_line_and_no_deviation() -> None:
    estimates = dpr.estimate_ratios(spent())
    assert estimates.reference is None
    chart = estimates.chart()
    assert not [mark for mark in chart.panels[0].marks if isinstance(mark, Rule)]
    names = {sign.name for sign in chart.legend}
    assert names == {"finite interval", "no finite interval"}
    with pytest.raises(InvalidInput, match=r"needs a reference other than 0, got None"):
        estimates.chart("deviation")


def test_periods_run_along_time_and_break_where_nothing_is_known() -> None:
    estimates = dpr.estimate_ratios(monthly())
    codes = estimates.codes.copy()
    codes[3] = list(STATUSES).index("unbounded")
    chart = replace(estimates, codes=codes).chart()
    panel = chart.panels[0]
    assert (panel.x_title, panel.y_title) == ("day", "revenue per visit")
    (line,) = [mark for mark in panel.marks if isinstance(mark, Line)]
    assert [math.isnan(y) for _, y in line.points].index(True) == 3
    (path,) = [each for each in chart.svg().split("<path") if "line even thin" in each][
        :1
    ]
    assert path.count("M") == 2


def test_a_curve_has_a_panel_for_each_of_its_groups() -> None:
    curve = dpr.calibration_curve(curved())
    chart = curve.chart()
    assert [panel.title for panel in chart.panels] == [
        "region north",
        "region south",
    ]
    table = [row for row in curve.to_dicts() if row["region"] == "north"]
    drawn = intervals(chart)
    assert [mark.at for mark in drawn] == [row["mean_score"] for row in table]
    assert [mark.value for mark in drawn] == [row["mean_label"] for row in table]
    assert [mark.high for mark in drawn] == [
        row["mean_label_ci_upper"] for row in table
    ]


def test_points_of_a_curve_are_as_large_as_their_weight_and_grey_where_weak() -> None:
    curve = dpr.calibration_curve(curved())
    share = curve.share.estimate.copy()
    share[0] = 0.003
    codes = curve.codes.copy()
    codes[1] = 1
    weak = replace(curve, share=replace(curve.share, estimate=share), codes=codes)
    north = intervals(weak.chart())
    assert [mark.css for mark in north] == ["soft", "soft", "below", "below", "below"]
    order = sorted(range(5), key=lambda at: share[at])
    assert sorted(range(5), key=lambda at: north[at].size) == order
    assert not [mark for mark in weak.chart().panels[0].marks if isinstance(mark, Line)]
    assert len(weak.chart().legend) == 2


def test_a_curve_says_what_it_leaves_out_and_where_bars_are_cut() -> None:
    curve = dpr.calibration_curve(curved())
    codes = curve.codes.copy()
    codes[0] = LOST
    upper = curve.mean_label.ci_upper.copy()
    upper[4] = 1.0
    changed = replace(
        curve, codes=codes, mean_label=replace(curve.mean_label, ci_upper=upper)
    )
    assert changed.chart().note == (
        "1 bin is lost in noise and not drawn. "
        "Labels lie between 0 and 1: bars are cut there."
    )
    assert len(intervals(changed.chart())) == 4


def test_axes_of_curves_are_shared_and_those_of_bounds_of_0_and_1() -> None:
    curve = dpr.calibration_curve(curved())
    low, high = ends_of(curve)
    assert low < 0
    assert high > 1
    other = replace(curve, bounds=(0.0, 2.0))
    low, high = ends_of(other)
    for rows in curves_of(other).values():
        assert all(low <= row["low"] and row["high"] <= high for row in rows)
    assert high < 1.5


def test_a_curve_whose_bins_are_all_lost_has_no_chart() -> None:
    curve = dpr.calibration_curve(curved())
    lost = replace(curve, codes=np.full(len(curve), LOST, dtype=np.int8))
    with pytest.raises(InvalidInput, match="a chart needs a bin that is not lost"):
        lost.chart()


def test_a_curve_of_ratios_alone_has_no_chart() -> None:
    curve = dpr.calibration_curve(curved())
    alone = replace(curve, errors=replace(curve.errors, has_means=False))
    with pytest.raises(InvalidInput, match="a chart of a curve needs means"):
        alone.chart()


def test_spending_is_drawn_below_its_cap_at_its_dates(tmp_path: Path) -> None:
    ledger = dpr.Ledger(tmp_path / "a.db")
    ledger.open_scope(dpr.Scope("people", dpr.Budget(3)))
    assert b"<svg" in draw(ledger.history(), ".svg")
    plan = plan_scores(dpr.Budget("0.5"))
    for number in range(3):
        ledger.charge(f"{number:032x}", plan)
    ledger.void("0" * 32)
    chart = ledger.history().chart()
    assert [mark.value for mark in intervals(chart)] == [0.5, 1.0]
    (cap,) = [mark for mark in chart.panels[0].marks if isinstance(mark, Rule)]
    assert cap.value == 3.0
    first = chart.panels[0].x.ticks(600)[0].text
    year = str(ledger.history().columns()["charged"][0])[:4]
    assert first.startswith(f"{year}-")
