"""Releases in two stages: read as they were written, and held to their totals."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from dpratio.release.roll_up import roll_up

from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.errors import InvalidInput
from dpratio.release.files import read_release, write_release
from dpratio.release.release import Release
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from edited_places import edit
from plan.staged_plans import GROUPS, cells_for, staged_plan
from release.edited_documents import document_of, refusal, signed
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
    assert RELEASE.measured.questions[0].ratio.guess == 2.5
    assert RELEASE.measured.stage == PLAN.stage


def test_a_release_in_one_stage_holds_nothing_of_two() -> None:
    plain = RELEASES["groups: text"]
    assert plain.measured is plain.plan
    assert "stages" not in document_of(plain)["parts"][0]
    assert "stage" not in document_of(plain)["plan"]


@pytest.mark.parametrize("release", [RELEASE, FALLBACK], ids=["found", "fallback"])
def test_both_stages_are_read_as_they_were_written(
    release: Release, tmp_path: Path
) -> None:
    path = tmp_path / "release.json"
    write_release(release, path)
    assert read_release(path) == release


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("guess", 2.25, "what the noisy totals"),
        ("guess", 0.0, "what the noisy totals"),
        ("guess", None, "must be a number"),
        ("guess", 1e300, "the guess of a ratio must be"),
        ("totals.0", "1", "what the noisy totals"),
        ("totals.1", "1", "what the noisy totals"),
        ("totals.1", 1, "must be text"),
        ("totals.1", "9223372036854775808", "64-bit integer written as text"),
        ("totals", ["1"], "two whole numbers"),
        ("sums.0.scale", 1e6, "what the noisy totals"),
        ("sums.0.step", 1.0, "what the noisy totals"),
    ],
)
def test_what_the_totals_do_not_lead_to_is_refused(
    place: str, value: object, message: str, tmp_path: Path
) -> None:
    document = edit(document_of(RELEASE), f"parts.0.stages.{place}", value)
    assert message in refusal(tmp_path / "release.json", signed(document))


def test_a_release_without_its_totals_is_refused(tmp_path: Path) -> None:
    document = document_of(RELEASE)
    del document["parts"][0]["stages"]
    said = refusal(tmp_path / "release.json", signed(document))
    assert "what the noisy totals of the first stage lead to" in said


def test_totals_of_a_release_in_one_stage_are_refused(tmp_path: Path) -> None:
    document = document_of(replace_stage(RELEASE))
    stages = document_of(RELEASE)["parts"][0]["stages"]
    document["parts"][0]["stages"] = {**stages, "guess": 0.0}
    said = refusal(tmp_path / "release.json", signed(document))
    assert "must" in said
    plain = RELEASES["groups: text"]
    with pytest.raises(InvalidInput, match="belong to a release in two stages"):
        replace(plain, questions=(replace(plain.questions[0], first=(1, 2)),))


def replace_stage(release: Release) -> Release:
    """A release of the declared sums, as if there were one stage."""
    plan = replace(release.plan, stage=None)
    asked = replace(release.questions[0], asked=plan.measurements[0], first=None)
    return replace(release, plan=plan, questions=(asked,))


@pytest.mark.parametrize(
    "first", [(1,), (1, 2, 3), [1, 2], (1.0, 2), (True, 2), (2**63, 0), "12"]
)
def test_totals_are_two_whole_numbers(first: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="two whole numbers"):
        replace(RELEASE.questions[0], first=first)


def test_releases_with_other_totals_differ() -> None:
    other = replace(RELEASE.questions[0], first=(1, 2))
    assert other != RELEASE.questions[0]


def test_answers_come_from_what_was_measured() -> None:
    """The same integers mean something else around another guess."""
    found = estimate_ratios(RELEASE)
    plain = replace(RELEASE.measured, stage=None)
    (question,) = RELEASE.questions
    same = replace(RELEASE, plan=plain, questions=(replace(question, first=None),))
    assert repr(found.ratio) == repr(estimate_ratios(same).ratio)


def test_a_roll_up_keeps_the_guess_and_the_cost_of_both_stages(tmp_path: Path) -> None:
    rolled = roll_up(RELEASE)
    assert rolled.questions[0].ratio.guess == 2.5
    assert rolled.questions[0].first is None
    assert rolled.cost == RELEASE.cost
    write_release(rolled, tmp_path / "rolled.json")
    assert read_release(tmp_path / "rolled.json") == rolled


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
