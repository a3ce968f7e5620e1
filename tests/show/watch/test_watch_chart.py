"""Charts of a ratio over time: what is drawn, and what is told."""

import numpy as np

import dpratio as dpr
from analyst.simulated import Setting
from analyst.watch.looks_for_tests import looks_of
from analyst.watch.weeks_for_tests import plan_of_weeks, release_of
from dpratio.show.chart.marks import Band, Comb, Interval, Line, Rule


def drifting(**options: object) -> dpr.results.Watch:
    release = release_of(plan_of_weeks(), ratios=(1.0, 1.0, 1.35), people=1500)
    return dpr.watch(release, within=(0.95, 1.05), **options)  # type: ignore[arg-type]


def test_each_group_has_a_panel_and_those_with_alarms_come_first() -> None:
    chart = drifting(people_are_new=True).chart()
    assert [panel.title for panel in chart.panels] == ["south", "north"]
    assert chart.title == "SIMULATED: score per label over time"
    loud, quiet = (panel.marks for panel in chart.panels)
    told = [mark.told for mark in loud if isinstance(mark, Interval)]
    assert told[-1].startswith("ALARM at 2026-0")
    assert told[-1].endswith("above 0.95 to 1.05")
    assert len(told) == 9
    assert sum(isinstance(mark, Line) for mark in loud) == 2
    assert sum(isinstance(mark, Line) for mark in quiet) == 1
    for marks in (loud, quiet):
        assert [mark.value for mark in marks if isinstance(mark, Rule)] == [0.95, 1.05]
        tolerated, running = (mark for mark in marks if isinstance(mark, Band))
        assert {ends[1:] for ends in tolerated.points} == {(0.95, 1.05)}
        assert len(running.points) == 8
    names = [sign.name for sign in chart.legend]
    assert "first alarm, above" in names
    assert "a change since here" in names
    assert "2026-01-19" in chart.svg()


def test_without_the_promise_periods_alone_are_drawn() -> None:
    chart = drifting().chart()
    marks = chart.panels[0].marks
    assert sum(isinstance(mark, Band) for mark in marks) == 1
    assert not any(isinstance(mark, Line) for mark in marks)


def test_many_looks_are_a_comb_and_many_groups_are_counted() -> None:
    releases = looks_of(Setting(600, 1), 62, 14)
    watch = dpr.watch(releases, people_are_new=True)
    chart = watch.chart()
    assert len(chart.panels) == 12
    assert chart.note == "The first 12 of 14 groups are drawn."
    assert any(isinstance(mark, Comb) for mark in chart.panels[0].marks)
    assert not any(isinstance(mark, Rule) for mark in chart.panels[0].marks)


def test_sums_that_are_lost_are_drawn_without_an_axis_of_their_own() -> None:
    watch = dpr.watch(looks_of(Setting(3, 0.01), 1, 1, seed=5), people_are_new=True)
    assert np.isinf(watch.cs_upper).all()
    assert "<svg" in watch.chart().svg(width=360)
