"""Declared pairs of groups, in Python and in study files."""

import datetime as dt
from typing import Any

import pytest

from dpratio.errors import DocumentRefused, InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Keys, Periods
from dpratio.terms.groups import Groups
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.study_file import parse_study

STUDY = """
ratio = {{ numerator = "spent", per = "visits" }}
bounds = {{ spent = [0, 10], visits = [0, 5] }}
privacy = {{ epsilon = 1 }}
[unit]
column = "id"
totals = {{ spent = [0, 10], visits = [0, 5] }}
most_groups = 2
[groups]
{groups}
"""
BY_MONTH = 'column = "seen"\nevery = "month"\nfirst = 2026-01-01\nlast = 2026-03-31\n'
CROSSED = """
cross = [{ column = "a", keys = ["x", "y"] }, { column = "b", keys = [true, false] }]
"""
RATIO = Ratio("spent", per="visits")


def places_in(groups: str) -> Any:  # noqa: ANN401
    pairs = make_plan(parse_study(STUDY.format(groups=groups))).questions[0].pairs
    return None if pairs is None else pairs.places


@pytest.mark.parametrize(
    ("groups", "places"),
    [
        (BY_MONTH, None),
        (BY_MONTH + 'pairs = [["2026-01", "2026-02"]]', ((0, 1),)),
        (
            BY_MONTH + 'pairs = [[2026-03-01, "2026-02"], ["2026-01", "2026-03"]]',
            ((1, 2), (0, 2)),
        ),
        ('column = "shop"\nkeys = [3, 5]\npairs = [[5, 3]]', ((0, 1),)),
        (
            CROSSED + 'pairs = [[["x", true], ["y", false]]]',
            ((0, 3),),
        ),
    ],
)
def test_a_study_declares_pairs_by_their_keys(groups: str, places: object) -> None:
    assert places_in(groups) == places


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ('[["2026-01"]]', "pairs are of two groups each"),
        ('["2026-01"]', "$.groups.pairs[0]"),
        ("7", "$.groups.pairs"),
    ],
)
def test_other_pairs_are_refused_with_their_path(pairs: str, words: str) -> None:
    with pytest.raises(DocumentRefused) as refused:
        parse_study(STUDY.format(groups=f"{BY_MONTH}pairs = {pairs}"))
    assert words in str(refused.value)


def test_a_study_and_its_questions_hold_pairs() -> None:
    terms: dict[str, Any] = {"bounds": {"spent": Bounds(0, 1)}, "budget": Budget(1)}
    groups = Groups("month", ["jan", "feb"])
    study = Study(RATIO, groups=groups, pairs=[["jan", "feb"]], **terms)
    assert study.questions[0].pairs == (("jan", "feb"),)
    assert Study(RATIO, groups=groups, **terms).questions[0].pairs == ()
    with pytest.raises(InvalidInput, match="questions name their own groups"):
        Study(Question(RATIO, groups=groups), pairs=[["jan", "feb"]], **terms)


def test_groups_are_found_by_their_keys() -> None:
    months = Groups.cross(Periods("seen", "month", "2026-01-01", "2026-03-01"))
    assert months.place_of("2026-02") == months.place_of(dt.date(2026, 2, 1)) == 1
    assert months.place_of("2026-03-17") == 2
    weeks = Groups.cross(Periods("seen", "week", "2026-01-05", "2026-01-31"))
    assert weeks.place_of("2026-W03") == 1
    numbers = Groups("n", [1, 2, None])
    assert [numbers.place_of(each) for each in (1, 2, None)] == [0, 1, 2]
    crossed = Groups.cross(Keys("a", ["x", "y"]), Keys("b", [1, 2]))
    assert crossed.place_of(["y", 1]) == 2
    assert months.place_of("2026-01") == 0


@pytest.mark.parametrize(
    ("groups", "key"),
    [
        (Groups("n", [1, 2]), True),
        (Groups("n", [1, 2]), "1"),
        (Groups.cross(Keys("a", ["x"]), Keys("b", [1, 2])), "x"),
        (Groups.cross(Keys("a", ["x"]), Keys("b", [1, 2])), ("x", 3)),
        (Groups.cross(Periods("seen", "month", "2026-01-01", "2026-03-01")), "2027-01"),
        (Groups.cross(Periods("seen", "month", "2026-01-01", "2026-03-01")), None),
    ],
)
def test_other_keys_are_no_groups(groups: Groups, key: object) -> None:
    with pytest.raises(InvalidInput, match="no such group"):
        groups.place_of(key)


def test_a_period_with_another_name_is_refused() -> None:
    months = Groups.cross(Periods("seen", "month", "2026-01-01", "2026-03-01"))
    with pytest.raises(InvalidInput, match="a month is named as 2026-11"):
        months.place_of("2026-W03")
