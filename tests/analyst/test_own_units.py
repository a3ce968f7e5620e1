"""Answers follow the question's own unit: who may share groups, what was clipped."""

import numpy as np
import pytest

import dpratio as dpr
from analyst.given import given_release
from dpratio.analyst.comparison.designs import sides_of
from dpratio.analyst.watch.series import series_of
from dpratio.errors import InvalidInput
from dpratio.plan.plan import Plan
from dpratio.release.release import Release
from dpratio.show.report_words import promised_of

BOUNDS = {"score": dpr.Bounds(0, 1), "label": dpr.Bounds(0, 1)}
TOTALS = {"score": dpr.Bounds(0, 2), "label": dpr.Bounds(0, 2)}
ARMS = dpr.Groups("arm", ["new", "old"])
WEEKS = dpr.Groups.cross(dpr.Periods("day", "week", "2026-01-05", "2026-01-25"))
RATIO = dpr.Ratio("score", per="label", guess=1)


def plan_of(shared: int = 2, reach: float = 9.0) -> Plan:
    """Arms in which nobody is twice, and weeks in which people may be."""
    wider = {"score": dpr.Bounds(0, reach)}
    return dpr.make_plan(
        [
            dpr.Question(
                RATIO,
                groups=ARMS,
                answers=("ratio", "means"),
                most_groups=1,
                name="arms",
            ),
            dpr.Question(
                RATIO, groups=WEEKS, most_groups=shared, totals=wider, name="weeks"
            ),
        ],
        bounds=BOUNDS,
        budget=dpr.Budget(1),
        unit=dpr.PrivacyUnit("person", totals=TOTALS, most_groups=2),
    )


def release_of(plan: Plan) -> Release:
    values = [
        np.full((rows, len(each.sums)), 10**9, dtype=np.int64)
        for rows, each in zip((2, 3), plan.questions, strict=True)
    ]
    return given_release(plan, *values)


def test_groups_are_taken_together_where_the_question_keeps_people_in_one() -> None:
    release = release_of(plan_of())
    assert len(dpr.compare_ratios(release, design="rest", question="arms")) == 2
    refused = "groups that may share people cannot be taken together"
    with pytest.raises(InvalidInput, match=refused):
        dpr.compare_ratios(release, design="rest", question="weeks")
    with pytest.raises(InvalidInput, match=refused):
        dpr.assess_homogeneity(release, question="weeks")
    assert dpr.assess_homogeneity(release, question="arms").pvalue >= 0


def test_pairs_are_bounded_where_the_question_lets_people_share_groups() -> None:
    release = release_of(plan_of())
    for question, is_shared in (("arms", False), ("weeks", True)):
        asked = release.question(question)
        sides = sides_of(release, asked, list(asked.keys), "pairs")
        assert sides.is_shared is is_shared


def test_arms_are_functions_where_the_question_keeps_people_in_one() -> None:
    release = release_of(plan_of())
    lift, days = dpr.functions.lift(), ("2026-01-05", "2026-01-12")
    assert len(
        dpr.estimate_function(release, lift, arms=("new", "old"), question="arms")
    )
    with pytest.raises(InvalidInput, match="arms that share units cannot be compared"):
        dpr.estimate_function(release, lift, arms=days, question="weeks")


def test_periods_are_watched_as_their_question_counts_people() -> None:
    for most, alone in ((1, True), (2, False)):
        release = release_of(plan_of(most))
        series = series_of(release, question="weeks", variance=None)
        assert series.is_disjoint_as_planned is alone


def test_an_answer_names_the_totals_of_each_question() -> None:
    release = release_of(plan_of())
    said = dpr.estimate_ratios(release).notes()
    wanted = "Totals of one person in each group of question"
    assert (
        f"{wanted} 1, within: score 0 to 2, label 0 to 2; totals are clipped." in said
    )
    assert (
        f"{wanted} 2, within: score 0 to 9, label 0 to 2; totals are clipped." in said
    )
    (exact,) = (each for each in promised_of(release) if each.startswith("Exactly"))
    assert "so many groups: 1 in question 1 and 2 in question 2, neighbours" in exact
