"""Releases whose questions have totals of their own."""

from dataclasses import replace
from pathlib import Path

import pytest
from dpratio.release.merge import merge
from dpratio.release.roll_up import roll_up

from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.release.files import read_release, write_release
from dpratio.release.plan_file import plan_hash, read_plan, write_plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from release.releases_for_tests import GROUPS, release_of

TOTALS = {"score": Bounds(0, 2), "label": Bounds(0, 3)}


def plan_of(reach: float = 9.0) -> Plan:
    ratio = Ratio("score", per="label", guess=0.5)
    return make_plan(
        [
            Question(ratio, groups=GROUPS["text"]),
            Question(
                ratio,
                groups=Groups("h", ["x", "y", "z"]),
                totals={"score": Bounds(0, reach)},
            ),
        ],
        bounds={"score": Bounds(0, 1), "label": Bounds.binary()},
        budget=Budget(1),
        unit=PrivacyUnit("id", totals=TOTALS),
    )


def test_a_release_is_read_as_it_was_written(tmp_path: Path) -> None:
    release = release_of(plan_of())
    for each in (release, roll_up(release, question=1)):
        path = tmp_path / f"{each.id}.json"
        write_release(each, path)
        assert read_release(path) == each
    write_plan(release.plan, tmp_path / "plan.json")
    assert read_plan(tmp_path / "plan.json") == release.plan


def test_plans_that_clip_people_in_other_ways_have_other_names() -> None:
    plans = [plan_of(), plan_of(10.0)]
    plain = replace(plans[0], questions=plans[0].questions[:1])
    assert len({plan_hash(each) for each in (*plans, plain)}) == 3


def test_a_question_that_is_rolled_up_keeps_its_totals() -> None:
    (question,) = roll_up(release_of(plan_of()), question=2).plan.measurements
    assert question.totals == {"score": Bounds(0, 9)}


def test_releases_that_clip_in_other_ways_are_not_merged() -> None:
    one, same = release_of(plan_of()), release_of(plan_of(), 2)
    assert merge([one, same], units_are_disjoint=True).plan.unit == one.plan.unit
    with pytest.raises(InvalidInput, match="'other totals'"):
        merge([one, release_of(plan_of(10.0), 3)], units_are_disjoint=True)
