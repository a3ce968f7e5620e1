"""What cannot be compared is refused, with what can be asked in its place."""

import math
from typing import Any

import pytest

from analyst.given import given_release
from analyst.regions import (
    BOUNDS,
    LINKS,
    REGIONS,
    ROWS,
    cells_for,
    plan_of,
    regions_release,
)
from dpratio.analyst.comparison.compare import compare_ratios
from dpratio.errors import InvalidInput
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Groups, Keys
from dpratio.terms.ratio import Ratio

FOUR = regions_release(ROWS)


@pytest.mark.parametrize(
    ("groups", "options", "message"),
    [
        (("nort", "south"), {}, "no such group, got 'nort'. Did you mean 'north'?"),
        (("north", "north"), {}, "a group must be named only once"),
        (("north",), {}, "say design='baseline' or design='rest'"),
        ((), {"design": "baseline"}, "must name one group"),
        ((), {"design": "star"}, "unknown design"),
        ((), {"link": "ratio"}, "unknown link"),
        ((), {"link": []}, "at least one link"),
        ((), {"link": LINKS, "null": 0.1}, "belongs to one link"),
        ((), {"null": math.nan}, "null must be a finite number"),
        ((), {"null": "0"}, "null must be a finite number"),
        ((), {"null": -1.0}, "a lift is above −1"),
        ((), {"alternative": "more"}, "unknown alternative"),
        ((), {"adjust": "hochberg"}, "Did you mean 'benjamini_hochberg'"),
        ((), {"level": 1}, "level must lie between 0 and 1"),
        ((), {"question": 2}, "no such question, got 2"),
        ((), {"reference": 0}, "needs a reference above 0"),
        ((), {"reference": math.inf}, "reference must be a finite number"),
        ((), {"reference": 1.0, "design": "rest"}, "takes the place of a design"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    groups: tuple[str, ...], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        compare_ratios(FOUR, *groups, **options)
    assert message in str(refused.value)


def test_anything_but_a_release_is_refused() -> None:
    with pytest.raises(InvalidInput, match="release must be a Release"):
        compare_ratios(None)  # type: ignore[arg-type]


def test_the_whole_table_is_compared_with_a_value_only() -> None:
    plan = plan_of(None)
    release = given_release(plan, cells_for(plan, ROWS[:1]))
    assert len(compare_ratios(release, reference=1.0)) == 1
    with pytest.raises(InvalidInput, match=r"needs two groups, got 1\. Against a num"):
        compare_ratios(release)


def test_groups_of_several_columns_are_named_by_all_of_them() -> None:
    groups = Groups.cross(Keys("state", ["CA", "NY"]), Keys("year", [1, 2]))
    plan = plan_of(groups)
    release = given_release(plan, cells_for(plan, ROWS))
    answer = compare_ratios(release, ("CA", 1), ["NY", 2])  # type: ignore[arg-type]
    assert (answer.first, answer.second) == (["CA, 1"], ["NY, 2"])


def two_questions() -> Release:
    bounds = {**BOUNDS, "old": Bounds(0, 1)}
    asked = [Ratio("score", per="label"), Ratio("old", per="label")]
    plan = plan_of(Groups("region", REGIONS), bounds=bounds, ratio=asked)
    return given_release(plan, cells_for(plan, ROWS), cells_for(plan, ROWS, 1))


def test_two_questions_on_the_same_people_are_refused_with_the_plan_that_answers() -> (
    None
):
    release = two_questions()
    wanted = "plan their difference: Ratio('score', minus='old', per='label')."
    with pytest.raises(InvalidInput) as refused:
        compare_ratios(release, "north", "north", question=(1, 2))  # type: ignore[arg-type]
    assert "two questions about the same people are not independent" in str(
        refused.value
    )
    assert wanted in str(refused.value)
    with pytest.raises(InvalidInput) as refused:
        compare_ratios(release, "north", "south")
    rule = "several questions of this release hold these groups; say which"
    assert f"{rule}: question=1 (score per label by region) or question=2" in str(
        refused.value
    )
    assert wanted in str(refused.value)
    assert len(compare_ratios(release, "north", "south", question=1)) == 1
    with pytest.raises(InvalidInput) as refused:
        compare_ratios(release, reference=1)
    assert str(refused.value).startswith("this release has several questions. Say que")
    with pytest.raises(InvalidInput, match="no such question"):
        compare_ratios(release, question=(1, 7))  # type: ignore[arg-type]


def test_what_begins_as_the_word_that_was_given_is_meant() -> None:
    plan = plan_of(Groups("month", ["2026-06-01", "2026-01-01", "2026-02-01"]))
    release = given_release(plan, cells_for(plan, ROWS[:3]))
    with pytest.raises(InvalidInput, match="Did you mean '2026-01-01'"):
        compare_ratios(release, "2026-01", "2026-06-01")


def test_of_many_questions_a_few_are_named() -> None:
    bounds = {**BOUNDS, **{f"old{at}": Bounds(0, 1) for at in range(5)}}
    asked = [Ratio("score", per="label")]
    asked += [Ratio(f"old{at}", per="label") for at in range(5)]
    plan = plan_of(Groups("region", REGIONS), bounds=bounds, ratio=asked)
    cells = [cells_for(plan, ROWS, at) for at in range(6)]
    with pytest.raises(
        InvalidInput, match=r"question=5 \(old3 per label by region\) or …"
    ):
        compare_ratios(given_release(plan, *cells), "north", "south")


def test_cells_of_different_partitions_are_refused() -> None:
    groups = [Groups("region", REGIONS), Groups("sex", ["f", "m"])]
    plan = plan_of(groups)
    release = given_release(plan, cells_for(plan, ROWS), cells_for(plan, ROWS[:2], 1))
    asked: list[tuple[tuple[str, ...], Any]] = [(("north", "f"), None), ((), (1, 2))]
    for groups_named, question in asked:
        with pytest.raises(InvalidInput) as refused:
            compare_ratios(release, *groups_named, question=question)
        said = str(refused.value)
        assert "groups of different partitions may hold the same people" in said
        assert "Groups.cross(…)" in said
        assert "Ratio('a', minus='b', per=…)" in said
    assert compare_ratios(release, "f", "m").first == ["f"]
    with pytest.raises(InvalidInput, match="no such group, got 'x'"):
        compare_ratios(release, "f", "x")
    with pytest.raises(InvalidInput, match="no such group, got 'north'"):
        compare_ratios(release, "north", "south", question=2)
