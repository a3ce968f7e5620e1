"""Totals that belong to a question, in Python and in a study file."""

from dataclasses import replace
from typing import Any

import pytest

from dpratio.errors import DocumentRefused, InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.guess import ColumnGuess, Guess
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.study_file import parse_study
from dpratio.terms.unit import PrivacyUnit

RATIO = Ratio("delay", per="trips")
YEARLY = {"delay": Bounds(0, 1200), "trips": Bounds(0, 40)}
MONTHLY = {"delay": Bounds(0, 150), "trips": Bounds(0, 6)}
MONTHS = Groups("month", [1, 2, 3])
CARRIERS = Groups("carrier", ["red", "blue"])
UNIT = PrivacyUnit("traveller", totals=YEARLY, most_groups=2)
TEXT = """
[ratio]
numerator = "delay"
per = "trips"

[bounds]
delay = [0, 60]
trips = [0, 1]

[unit]
column = "traveller"
totals = { delay = [0, 1200], trips = [0, 40] }
most_groups = 2

[[groups]]
column = "carrier"
keys = ["red", "blue"]

[[groups]]
column = "month"
keys = [1, 2, 3]
totals = { delay = [0, 150], trips = [0, 6] }

[privacy]
epsilon = 1
"""


def test_a_question_may_describe_its_people_and_that_is_no_term() -> None:
    people = "{ numerator = { mean = 9, sd = 9 }, per = { mean = 2, sd = 1 } }"
    written = TEXT.replace("[privacy]", f"population = {people}\n[privacy]")
    guess = Guess(ColumnGuess(9, 9), ColumnGuess(2, 1))
    study = parse_study(written)
    assert [each.guess for each in study.questions] == [None, guess]
    assert make_plan(study) == make_plan(parse_study(TEXT))
    with pytest.raises(InvalidInput, match="guess must be a Guess or None"):
        Question(RATIO, guess=2.0)  # type: ignore[arg-type]


def test_a_question_may_have_totals_of_its_own() -> None:
    totals = dict(MONTHLY)
    own = Question(RATIO, groups=MONTHS, totals=totals)
    totals.clear()
    assert own.totals == MONTHLY
    plain = Question(RATIO, groups=MONTHS)
    assert plain.totals == {}
    assert len({own, plain, replace(own, name="late")}) == 3
    assert replace(own, name=own.name) == own != replace(own, totals={})


@pytest.mark.parametrize("totals", [[("delay", Bounds(0, 1))], {"delay": (0, 1)}])
def test_own_totals_keep_the_rules_of_a_unit(totals: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="totals must map column names"):
        Question(RATIO, totals=totals)
    with pytest.raises(InvalidInput, match="totals must map column names"):
        UNIT.of_question(totals)


def test_a_unit_is_what_a_question_says_or_what_it_says_itself() -> None:
    assert UNIT.of_question({}) is UNIT
    assert UNIT.of_question(MONTHLY) == replace(UNIT, totals=MONTHLY)
    half = UNIT.of_question({"trips": Bounds(0, 6)})
    totals = {"delay": Bounds(0, 1200), "trips": Bounds(0, 6)}
    assert half == replace(UNIT, totals=totals)
    with pytest.raises(InvalidInput, match="totals and most_groups need a unit"):
        PrivacyUnit().of_question(MONTHLY)


def test_a_changed_unit_enters_and_leaves_cells() -> None:
    assert UNIT.cells_moved == 2
    assert replace(UNIT, neighbours="change-one").cells_moved == 4


def test_groups_of_a_study_file_have_their_own() -> None:
    study = parse_study(TEXT)
    first, second = study.questions
    assert first == Question(RATIO, groups=CARRIERS)
    assert second == Question(RATIO, groups=MONTHS, totals=MONTHLY)
    assert study == Study(
        [first, second],
        bounds={"delay": Bounds(0, 60), "trips": Bounds(0, 1)},
        budget=Budget(1),
        unit=UNIT,
    )


@pytest.mark.parametrize(
    "table",
    [
        "whole = true",
        'cross = [{ column = "month", keys = [1] }]',
        'column = "airport"\nfind = { epsilon = 0.1, delta = 1e-7 }',
        'columns = ["a", "b"]\nkeys = [[1, 2]]',
        'column = "delay"\nbins = 2',
        'column = "day"\nevery = "month"\nfirst = 2026-01-01\nlast = 2026-02-28',
    ],
)
def test_any_groups_may_have_their_own(table: str) -> None:
    head, _, tail = TEXT.partition("[[groups]]")
    _, _, privacy = tail.partition("[privacy]")
    own = "totals = { delay = [0, 9] }\n"
    study = parse_study(f"{head}[groups]\n{table}\n{own}[privacy]{privacy}")
    (question,) = study.questions
    assert question.totals == {"delay": Bounds(0, 9)}
    assert isinstance(question.groups, Groups | PrivateKeys | None)


def test_each_ratio_takes_the_totals_of_its_columns() -> None:
    second = '[[ratio]]\nnumerator = "miles"\nper = "trips"\n[bounds]\nmiles = [0, 9]'
    text = TEXT.replace("[ratio]", "[[ratio]]").replace("[bounds]", second)
    text = text.replace("trips = [0, 6]", "trips = [0, 6], miles = [0, 99]")
    study = parse_study(text)
    assert [list(each.totals) for each in study.questions] == [
        [],
        [],
        ["delay", "trips"],
        ["trips", "miles"],
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("trips = [0, 6]", "late = [0, 6]", "$.groups: no ratio adds up 'late'"),
        ("trips = [0, 6]", "trips = 6", "$.groups[1].totals.trips: must be [lower"),
        ("[1, 2, 3]", "[1]\nmost_groups = 3", "$.groups[1]: unknown field 'most_gr"),
    ],
)
def test_bad_terms_of_groups_are_refused_with_their_path(
    old: str, new: str, message: str
) -> None:
    assert old in TEXT
    with pytest.raises(DocumentRefused) as caught:
        parse_study(TEXT.replace(old, new))
    assert str(caught.value).startswith(message)


def test_people_count_once_in_every_question() -> None:
    ratio = Ratio("delay", per="people")
    asked = Question(ratio, totals={"people": Bounds(0, 1)})
    rule = "people count once each: totals of 'people' are 0 to 1"
    with pytest.raises(InvalidInput, match=rule):
        Study(asked, bounds={"delay": Bounds(0, 9)}, budget=Budget(1), unit=UNIT)
    own = Question(ratio, totals={"delay": Bounds(0, 9)})
    study = Study(own, bounds={"delay": Bounds(0, 9)}, budget=Budget(1), unit=UNIT)
    assert study.unit.totals["people"].natural
