"""Which releases belong together, and how they are taken apart into looks."""

from functools import cache

import numpy as np
import pytest

import dpratio as dpr
from analyst.watch.weeks_for_tests import (
    BOUNDS,
    plan_of_weeks,
    release_of,
    weekly_plan,
)
from dpratio.analyst.sums.moments import moments_of
from dpratio.analyst.watch.series import series_of
from dpratio.errors import InvalidInput

pytestmark = pytest.mark.usefixtures("fixed_noise")


@cache
def weeks() -> tuple[dpr.Release, ...]:
    plan = weekly_plan()
    return tuple(release_of(plan, week) for week in range(3))


@cache
def whole() -> dpr.Release:
    return release_of(plan_of_weeks())


def refusal(*releases: dpr.Release) -> str:
    with pytest.raises(InvalidInput) as caught:
        series_of(releases, question=None, variance=None)
    return str(caught.value)


def test_one_release_over_periods_is_a_look_for_each() -> None:
    series = series_of(whole(), question=None, variance=None)
    assert [each.period for each in series.looks][:2] == ["2026-01-05", "2026-01-12"]
    assert series.labels == {"region": ["north", "south"]}
    assert (series.every, len(series.looks), series.groups) == ("week", 8, 2)
    sums = moments_of(whole())["ws"].reshape(2, 8)
    for at, look in enumerate(series.looks):
        assert (look.moments["ws"] == sums[:, at]).all()


def test_periods_may_stand_before_other_groups_or_alone() -> None:
    span = dpr.Periods("day", "month", "2026-01-05", "2026-02-23")
    for groups, labels in (
        (dpr.Groups.cross(span, dpr.Keys("region", ["north", "south"])), 2),
        (dpr.Groups.cross(span), 1),
    ):
        release = release_of(weekly_plan(groups=groups))
        series = series_of(release, question=None, variance=None)
        assert [each.period for each in series.looks] == ["2026-01", "2026-02"]
        sums = moments_of(release)["wy"].reshape(2, labels)
        found = np.stack([each.moments["wy"] for each in series.looks])
        assert (found == sums).all()


def test_releases_are_looks_in_the_order_given() -> None:
    series = series_of(list(weeks()), question=None, variance=None)
    assert [each.period for each in series.looks] == ["1", "2", "3"]
    named = {f"week {at}": each for at, each in enumerate(weeks())}
    series = series_of(named, question=None, variance=None)
    assert [each.period for each in series.looks] == ["week 0", "week 1", "week 2"]
    assert not series.is_disjoint_as_planned


def test_releases_over_periods_follow_each_other() -> None:
    early = release_of(plan_of_weeks("2026-01-05", "2026-01-26"))
    late = release_of(plan_of_weeks("2026-02-02", "2026-02-23"))
    series = series_of([early, late], question=None, variance=None)
    assert len(series.looks) == 8
    said = "must follow each other in time and not overlap, got ['1', '2']"
    assert said in refusal(late, early)
    said = refusal(early, whole())
    assert "watch it alone" in said
    again = release_of(plan_of_weeks("2026-01-26", "2026-02-23"))
    assert "not overlap" in refusal(early, again)  # One week is in both.


def test_other_guesses_budgets_bounds_and_bases_belong_together() -> None:
    guessed = dpr.Ratio("score", per="label", guess=1.3, guess_is="unknown")
    wider = {"score": dpr.Bounds(0, 2), "label": dpr.Bounds.binary()}
    others = [
        release_of(weekly_plan(ratio=guessed, budget=dpr.Budget(1)), 1),
        release_of(weekly_plan(ratio=guessed, bounds=wider), 2),
    ]
    series = series_of([weeks()[0], *others], question=None, variance=None)
    assert len(series.looks) == 3
    assert "Bounds differ" in series.differing[0]
    assert (
        series_of([weeks()[0], others[0]], question=None, variance=None).differing == ()
    )


def test_each_way_of_not_belonging_together_has_its_reason() -> None:
    first = weeks()[0]
    paired = dpr.Ratio("label", per="score", guess=1)
    assert "another ratio in 2" in refusal(
        first, release_of(weekly_plan(ratio=paired), 1)
    )
    totals = {name: dpr.Bounds(0, 3) for name in BOUNDS}
    person = dpr.PrivacyUnit("person", totals=totals)
    assert "another unit in 2" in refusal(
        first, release_of(weekly_plan(unit=person), 1)
    )
    north = weekly_plan(groups=dpr.Groups("region", ["north"]))
    assert "must have the same groups" in refusal(first, release_of(north, 1))
    assert "the same periods or none" in refusal(first, whole())
    assert "must be watched once" in refusal(first, weeks()[1], first)
    merged = dpr.merge(list(weeks()[:2]), units_are_disjoint=True)
    assert "['1', '2']" in refusal(first, merged)
    real = dpr.release_sums(
        {"score": [0.5], "label": [1], "region": ["north"]}, weekly_plan(), ledger=None
    )
    assert "invented people and others" in refusal(first, real)


def test_what_is_no_release_is_refused() -> None:
    with pytest.raises(InvalidInput, match="one release, or a list of them"):
        series_of([], question=None, variance=None)
    with pytest.raises(InvalidInput, match=r"read_release\('week.json'\)"):
        series_of(["week.json"], question=None, variance=None)  # type: ignore[list-item]


def test_groups_have_one_column_of_periods() -> None:
    span = [
        dpr.Periods(name, "week", "2026-01-05", "2026-01-12") for name in ("day", "due")
    ]
    plan = weekly_plan(groups=dpr.Groups.cross(*span))
    table = {"score": [0.5], "label": [1], "day": ["2026-01-05"], "due": ["2026-01-05"]}
    both = dpr.release_sums(table, plan, ledger=None, simulated=True)
    assert "one column of periods at most" in refusal(both)


def test_a_plan_may_keep_people_in_one_period_by_itself() -> None:
    totals = {name: dpr.Bounds(0, 3) for name in BOUNDS}
    for most, kept in ((1, True), (2, False)):
        unit = dpr.PrivacyUnit("person", totals=totals, most_groups=most)
        release = release_of(plan_of_weeks(unit=unit))
        series = series_of(release, question=None, variance=None)
        assert series.is_disjoint_as_planned is kept
