"""Answers name the totals of each question: those to which its people were clipped."""

import numpy as np

import dpratio as dpr
from analyst.given import given_release

TOTALS = {"score": dpr.Bounds(0, 2), "label": dpr.Bounds(0, 2)}
RATIO = dpr.Ratio("score", per="label", guess=1)


def test_an_answer_names_the_totals_of_each_question() -> None:
    wider = {"score": dpr.Bounds(0, 9)}
    arms, weeks = dpr.Groups("arm", ["new", "old"]), dpr.Groups("week", [1, 2, 3])
    plan = dpr.make_plan(
        [
            dpr.Question(RATIO, groups=arms),
            dpr.Question(RATIO, groups=weeks, totals=wider),
        ],
        bounds={"score": dpr.Bounds(0, 1), "label": dpr.Bounds(0, 1)},
        budget=dpr.Budget(1),
        unit=dpr.PrivacyUnit("person", totals=TOTALS, most_groups=2),
    )
    values = [
        np.full((rows, len(each.sums)), 10**9, dtype=np.int64)
        for rows, each in zip((2, 3), plan.measurements, strict=True)
    ]
    said = dpr.estimate_ratios(given_release(plan, *values)).notes()
    wanted = "Totals of one person in each group of question"
    assert (
        f"{wanted} 1, within: label 0 to 2, score 0 to 2; totals are clipped." in said
    )
    assert (
        f"{wanted} 2, within: label 0 to 2, score 0 to 9; totals are clipped." in said
    )
