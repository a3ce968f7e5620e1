"""Releases in two stages: read as they were written, and held to their totals."""

from dataclasses import replace

import pytest

from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.release.combine import roll_up
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from plan.staged_plans import GROUPS, cells_for, staged_plan
from release.edited_documents import document_of
from release.releases_for_tests import RELEASES, add_up, staged_release

RATIO = Ratio("spend", per="visits", guess=0.0)
PLAN = staged_plan(RATIO, groups=GROUPS)
RELEASE = staged_release(PLAN, (50_000, 20_000))
FALLBACK = staged_release(PLAN, (50_000, 10))


def test_a_release_holds_the_approved_plan_the_totals_and_what_was_measured() -> None:
    document = document_of(RELEASE)
    stages = document["parts"][0]["stages"]
    assert document["plan"]["study"]["ratio"]["guess"] == 0.0
    assert stages["guess"] == 2.5
    assert [int(each) for each in stages["totals"]] == list(
        cells_for(PLAN, 50_000, 20_000)
    )
    assert [each["name"] for each in stages["sums"]] == [
        *("z", "h", "zz", "zh", "hh", "c")
    ]
    assert RELEASE.plan == PLAN
    assert RELEASE.measured.measurements[0].ratio.guess == 2.5
    assert RELEASE.measured.stage == PLAN.stage


def test_a_release_in_one_stage_holds_nothing_of_two() -> None:
    plain = RELEASES["groups: text"]
    assert plain.measured is plain.plan
    assert "stages" not in document_of(plain)["parts"][0]
    assert "stage" not in document_of(plain)["plan"]


def test_answers_come_from_what_was_measured() -> None:
    """The same integers mean something else around another guess."""
    found = estimate_ratios(RELEASE)
    plain = replace(RELEASE.measured, stage=None)
    (question,) = RELEASE.questions
    same = replace(RELEASE, plan=plain, questions=(replace(question, first=None),))
    assert repr(found.ratio) == repr(estimate_ratios(same).ratio)


def test_one_of_several_questions_is_rolled_up_with_its_own_totals() -> None:
    plan = staged_plan([Question(RATIO), Question(RATIO, groups=GROUPS)])
    release = staged_release(plan, (50_000, 10), (50_000, 20_000))
    found = release.questions[1].ratio.guess
    assert [each.ratio.guess for each in release.questions] == [0.0, found]
    assert found == pytest.approx(2.5, abs=0.1)
    rolled = roll_up(release, question=2)
    assert rolled.plan.stage == plan.stage.only(1)  # type: ignore[union-attr]
    assert rolled.questions[0].ratio.guess == found


def test_releases_around_the_same_guess_are_merged() -> None:
    other = staged_release(PLAN, (50_010, 20_010), seed=2)
    both = add_up([RELEASE, other])
    assert both.plan.epsilon == 2
    assert both.questions[0].ratio.guess == 2.5
    assert (
        both.questions[0].values.tolist()
        == (RELEASE.questions[0].values + other.questions[0].values).tolist()
    )
