"""The time view of a report: what it says in words, and that it stays text."""

from functools import cache
from pathlib import Path

import pytest

import dpratio as dpr
from analyst.simulated import Setting
from analyst.watch.looks_for_tests import looks_of
from analyst.watch.weeks_for_tests import plan_of_weeks, release_of, weekly_plan
from dpratio.errors import InvalidInput
from dpratio.show.sections.answers import watched_of
from dpratio.show.sections.page import render_report
from shown import HOSTILE

pytestmark = pytest.mark.usefixtures("fixed_noise")


@cache
def drifting() -> dpr.Release:
    return release_of(plan_of_weeks(), ratios=(1.0, 1.0, 1.35), people=1500)


def test_alarms_and_changes_are_explained_in_words(tmp_path: Path) -> None:
    found = dpr.watch(drifting(), within=(0.95, 1.05), people_are_new=True)
    alarm, change = watched_of(found)["lines"]
    assert alarm.startswith("south: first alarm at 2026-0")
    assert "all periods so far lies between" in alarm
    assert "above the tolerated 0.95 to 1.05" in alarm
    assert change.startswith("south: a change, up, which was visible at 2026-")
    assert change.endswith("seems to have begun at 2026-01-19.")
    path = tmp_path / "year.html"
    dpr.write_report(path, drifting(), answers=[found])
    page = path.read_text(encoding="utf-8")
    assert page.count('class="watched"') == 1
    assert "ALARM at 2026-" in page
    assert alarm in page
    assert "Over time" not in render_report(drifting())


def test_alone_an_alarm_is_about_one_period() -> None:
    found = dpr.watch(drifting(), within=(0.95, 1.05))
    (alarm,) = watched_of(found)["lines"]
    assert "the ratio of this period lies between" in alarm


def test_many_loud_groups_are_counted() -> None:
    releases = looks_of(Setting(2000, 4), 12, 15)
    found = dpr.watch(releases, within=(0.5, 0.6), people_are_new=True)
    told = watched_of(found)["lines"]
    assert told[-1] == "3 more groups have an alarm or a change."


def test_names_of_groups_stay_text() -> None:
    plan = weekly_plan(groups=dpr.Groups("region", list(HOSTILE)))
    release = release_of(plan, 0)
    found = dpr.watch({HOSTILE[1]: release}, within=(5, 6), people_are_new=True)
    page = render_report(release, answers=[found])
    assert page.count("<img src=x") == 0
    assert "<script>alert" not in page


def test_what_is_no_answer_is_refused() -> None:
    with pytest.raises(InvalidInput, match="answers must be comparisons"):
        render_report(drifting(), answers=["yes"])  # type: ignore[list-item]
