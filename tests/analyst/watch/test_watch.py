"""The monitor: what it answers, what it says, and on which promise."""

from functools import cache

import numpy as np
import pytest

import dpratio as dpr
from analyst.simulated import Setting
from analyst.watch.looks_for_tests import RATIO, looks_of
from analyst.watch.weeks_for_tests import plan_of_weeks, release_of, weekly_plan
from dpratio.errors import InvalidInput

pytestmark = pytest.mark.usefixtures("fixed_noise")


@cache
def drifting() -> dpr.Release:
    """The south moves from 1 to 1.35 in the fourth week."""
    return release_of(plan_of_weeks(), ratios=(1.0, 1.0, 1.0, 1.35), people=1500)


def watched(**options: object) -> dpr.results.Watch:
    given = {"people_are_new": True, "within": (0.95, 1.05)} | options
    return dpr.watch(drifting(), **given)  # type: ignore[arg-type]


def test_drift_in_one_region_is_seen_dated_and_told() -> None:
    found = watched()
    assert found.names == ["north", "south"]
    assert found.alarm.any(axis=0).tolist() == [False, True]
    assert found.change_seen[0] == -1
    assert found.periods[found.change_since[1]] == "2026-01-26"
    assert 3 <= found.change_seen[1] <= 5
    said = found.summary()
    assert said.startswith("score per label at 8 looks; ALARM, outside 0.95 to 1.05: ")
    assert "CHANGE: south up since 2026-01-26, seen at " in said
    rows = [row for row in found.to_dicts() if row["region"] == "south"]
    seen = [row["change_since"] for row in rows]
    assert seen == [""] * int(found.change_seen[1]) + ["2026-01-26"] * seen.count(
        "2026-01-26"
    )
    assert [row["alarm"] for row in rows][-1] == "above"
    assert found.newest().columns()["alarm_at"][0] == ""


def test_each_period_has_the_interval_of_estimate_ratios() -> None:
    found = watched()
    alone = dpr.estimate_ratios(drifting())
    assert found.ratio.T.ravel().tolist() == alone.ratio.tolist()
    assert found.ci_lower.T.ravel().tolist() == alone.ci_lower.tolist()
    assert found.ci_upper.T.ravel().tolist() == alone.ci_upper.tolist()


def test_an_earlier_look_does_not_know_a_later_one() -> None:
    releases = looks_of(Setting(600, 1), 6, 5)
    whole = dpr.watch(releases, people_are_new=True, within=(1, 1.1))
    early = dpr.watch(releases[:4], people_are_new=True, within=(1, 1.1))
    assert (whole.cs_lower[:4] == early.cs_lower).all()
    assert (whole.cs_upper[:4] == early.cs_upper).all()


def test_where_people_return_periods_stand_alone_and_share_the_error() -> None:
    found = watched(people_are_new=False)
    assert np.isnan(found.running).all()
    assert (found.change_seen == -1).all()
    assert "running" not in found.columns()
    assert "there is no running ratio" in found.notes()[1]
    for at, share in enumerate((2, 6, 12)):
        level = 1 - 0.05 / 2 / share
        alone = dpr.estimate_ratios(drifting(), level=level)
        assert (
            found.ci_upper[at].tolist() == alone.ci_upper.reshape(2, 8)[:, at].tolist()
        )
    declared = watched(people_are_new=False, last_look=8, adjust="none")
    alone = dpr.estimate_ratios(drifting(), level=1 - 0.05 / 8)
    assert declared.ci_upper.T.ravel().tolist() == alone.ci_upper.tolist()


def test_a_declared_last_look_is_narrower_there_and_has_no_successor() -> None:
    releases = looks_of(Setting(600, 4), 8, 5)
    options = {"people_are_new": True, "adjust": "none"}
    free = dpr.watch(releases, looks=8, **options)  # type: ignore[arg-type]
    last = dpr.watch(releases, last_look=8, **options)  # type: ignore[arg-type]
    width = (last.cs_upper - last.cs_lower) / (free.cs_upper - free.cs_lower)
    assert (width[-1] < 0.92).all()
    assert last.is_last
    assert "declared as the last" in " ".join(last.notes())
    with pytest.raises(InvalidInput, match="declared as the last, got 8"):
        dpr.watch(releases, last_look=7)
    with pytest.raises(InvalidInput, match="give looks or last_look, not both"):
        dpr.watch(releases, looks=9, last_look=9)


def test_without_a_band_a_change_is_held_against_earlier_periods() -> None:
    found = watched(within=None)
    assert not found.alarm.any()
    assert found.change_seen[0] == -1
    assert found.periods[found.change_since[1]] in {"2026-01-26", "2026-02-02"}
    assert "held against the periods before" in " ".join(found.notes())
    assert "ALARM" not in found.summary()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"within": (1.1, 0.9)}, "must be in order"),
        ({"within": 1.0}, "within must be two finite numbers"),
        ({"within": (0.9, np.inf)}, "within must be two finite numbers"),
        ({"looks": 0}, "whole number from 1 to 100,000"),
        ({"last_look": 2.5}, "whole number from 1 to 100,000"),
        ({"adjust": "holm"}, "unknown adjustment"),
        ({"level": 95}, "level must lie between 0 and 1"),
        ({"people_are_new": "yes"}, "people_are_new must be True or False"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        watched(**options)


def test_one_look_without_groups_is_a_sentence() -> None:
    release = release_of(weekly_plan(groups=None), 0)
    found = dpr.watch(release, people_are_new=True, within=(1, 1))
    assert found.names == [""]
    assert "at 1 look: " in found.summary()
    assert "no alarm (1); no change is visible" in found.summary()
    assert "52 looks, narrowest there" in " ".join(found.notes())


def test_an_interval_without_end_is_shown_as_such() -> None:
    found = dpr.watch(looks_of(Setting(20, 0.05), 1, 30), people_are_new=True)
    shown = found.shown()
    lost = found.to_dicts()[int(np.isinf(found.cs_upper).argmax())]
    assert lost["cs_upper"] == np.inf
    assert "–" in shown["running"]
    assert "∞" in shown["cs_upper"]


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.2, 4])
def test_over_all_looks_alarms_are_rarer_than_alpha(epsilon: float) -> None:
    """The truth is the edge of the band; 2,000 runs of 90 looks, error 0.003.

    With intervals for one look alarms come in more than 60 % of runs.
    """
    releases = looks_of(Setting(501, epsilon), 90, 2_000, seed=3)
    found = dpr.watch(
        releases,
        people_are_new=True,
        within=(0.9, RATIO),
        looks=90,
        adjust="none",
    )
    assert 0.001 < (found.alarm != 0).any(axis=0).mean() < 0.02
    assert (found.change_seen >= 0).mean() < 0.02
    plain = (found.ci_lower > RATIO).any(axis=0) | (found.ci_upper < RATIO).any(axis=0)
    assert plain.mean() > 0.6
    width = found.cs_upper[-1] - found.cs_lower[-1]
    fixed = dpr.estimate_ratios(dpr.merge(releases, units_are_disjoint=True))
    assert np.median(width / (fixed.ci_upper - fixed.ci_lower)) < 1.6
