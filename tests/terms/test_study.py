"""A study: what is asked, and everything that is promised before data are seen."""

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import dpratio as dpr
from dpratio.errors import DocumentRefused, FileRefused, InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, Keys
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.source import CsvFile, DatabaseTable, ParquetFiles
from dpratio.terms.study import Source, Study
from dpratio.terms.study_file import parse_study, read_study
from dpratio.terms.unit import PrivacyUnit

PRIVACY = "[privacy]\nepsilon = 1\n"
BOUNDS = '[bounds]\ns = [0, 1]\ny = "binary"\n'
RATIO = Ratio("s", per="y")
REGIONS = Groups("region", ["north", "south"])
TERMS: dict[str, Any] = {
    "bounds": {"s": Bounds(0, 1), "y": Bounds.binary()},
    "budget": Budget(1),
}


def study_of(*questions: Any, **terms: Any) -> Study:  # noqa: ANN401
    return Study(list(questions), **TERMS | terms)


def test_ratios_are_asked_of_every_partition() -> None:
    other = Ratio("s", per="y", weight="w")
    study = study_of(RATIO, other, groups=[None, REGIONS])
    assert [
        (question.ratio, question.groups, question.name) for question in study.questions
    ] == [
        (RATIO, None, "s per y"),
        (other, None, "s per y weighted by w"),
        (RATIO, REGIONS, "s per y by region"),
        (other, REGIONS, "s per y weighted by w by region"),
    ]
    assert study.partitions == (None, REGIONS)


def test_questions_are_taken_as_they_are() -> None:
    asked = Question(
        RATIO, groups=Keys("region", ["north"]), budget_share=2, name="mine"
    )
    study = study_of(asked, Ratio("s", per="y", minus="t"), answers=["ratio", "means"])
    assert study.questions[0] == asked
    assert study.questions[0].groups == Groups("region", ["north"])
    assert study.questions[1].name == "s minus t per y"
    assert study.questions[1].answers == ("ratio", "means")
    with pytest.raises(InvalidInput, match="questions name their own groups"):
        study_of(asked, groups=REGIONS)


def test_questions_that_would_be_called_the_same_are_numbered() -> None:
    study = study_of(RATIO, Ratio("s", per="y", guess=2.0))
    assert [each.name for each in study.questions] == ["s per y", "s per y (2)"]
    plan = dpr.make_plan(study)
    assert [each.name for each in plan.measurements] == ["s per y", "s per y (2)"]
    twice = [Question(RATIO, name="a"), Question(RATIO, groups=REGIONS, name="a")]
    with pytest.raises(InvalidInput, match="questions must differ in name"):
        dpr.make_plan(study_of(*twice))


@pytest.mark.parametrize(
    ("terms", "rule"),
    [
        ({"ratio": "s per y"}, "ratio must be a Ratio"),
        *(
            (
                {"budget_share": share},
                "the share of a question must be a positive number",
            )
            for share in (0, -1, True, "2", math.nan, math.inf, 10**6)
        ),
        ({"name": "a\nb"}, "the name of a question must be plain text"),
        ({"name": 3}, "the name of a question must be plain text"),
        ({"answers": "ratio"}, "answers must be a list"),
        ({"totals": [("s", Bounds(0, 1))]}, "totals must map column names"),
        ({"totals": {"s": (0, 1)}}, "totals must map column names"),
    ],
)
def test_a_question_that_breaks_a_rule_is_refused(
    terms: dict[str, Any], rule: str
) -> None:
    with pytest.raises(InvalidInput, match=rule):
        Question(**{"ratio": RATIO} | terms)


def test_questions_are_values() -> None:
    totals = {"s": Bounds(0, 9)}
    own = Question(RATIO, totals=totals)
    totals.clear()
    assert own.totals == {"s": Bounds(0, 9)}
    others = {
        Question(RATIO),
        replace(own, name="late"),
        replace(own, budget_share=Fraction(2)),
    }
    assert len({own, *others}) == 4
    assert replace(own, totals={}) == Question(RATIO)


@pytest.mark.parametrize("stage", [1, -0.1, True, "0.05", math.nan])
def test_a_stage_is_a_share_of_epsilon(stage: Any) -> None:  # noqa: ANN401
    stages = [study_of(RATIO, stage=share).stage for share in (None, 0, 0.05)]
    assert stages == [None, 0, Fraction(1, 20)]
    with pytest.raises(InvalidInput, match="the share of a first stage must lie"):
        study_of(RATIO, stage=stage)


def test_a_study_makes_the_plan_that_its_terms_make() -> None:
    study = study_of(RATIO, groups=REGIONS, data="loans.csv", scope="loans", n=700)
    assert dpr.make_plan(study) == dpr.make_plan(RATIO, groups=REGIONS, n=700, **TERMS)
    other = replace(study, budget=Budget(2))
    assert (other.data, other.questions) == (study.data, study.questions)
    with pytest.raises(InvalidInput, match="a study holds all of its terms"):
        dpr.make_plan(study, budget=Budget(2))


def test_each_question_is_measured_for_its_own_answers() -> None:
    plan = dpr.make_plan(
        study_of(RATIO, Question(RATIO, groups=REGIONS, answers=["ratio", "means"]))
    )
    assert [len(each.sums) for each in plan.measurements] == [6, 7]
    assert [each.budget_share for each in plan.measurements] == [Fraction(1, 2)] * 2


def test_a_study_file_is_read_and_its_name_is_in_the_message(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(f'{BOUNDS}{PRIVACY}[ratio]\nnumerator = "s"\nper = "y"\n')
    assert read_study(path) == study_of(RATIO)
    path.write_text("ratio = 1")
    with pytest.raises(DocumentRefused, match=r"study\.toml: \$"):
        read_study(path)
    path.write_bytes(b"\xff")
    with pytest.raises(FileRefused, match="it is not UTF-8"):
        read_study(path)
    with pytest.raises(FileRefused, match="cannot be read: No such file"):
        read_study(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("data", "seen"),
    [
        ("loans.parquet", "place/loans.parquet"),
        ("loans/", "place/loans/"),
        ("s3://lake/loans.parquet", "s3://lake/loans.parquet"),
        ("${LOANS}/a.parquet", "${LOANS}/a.parquet"),
        (CsvFile("a.csv", delimiter=";"), CsvFile("place/a.csv", delimiter=";")),
        (
            DatabaseTable("duckdb:///a.db", table="loans"),
            DatabaseTable("duckdb:///place/a.db", table="loans"),
        ),
        (None, None),
    ],
)
def test_data_are_seen_from_the_folder_of_a_study(data: Any, seen: Any) -> None:  # noqa: ANN401
    study = Study(RATIO, **TERMS, data=data, folder="place")
    assert study.table == seen
    assert study == Study(RATIO, **TERMS, data=data)
    assert Study(RATIO, **TERMS, data=data).table == data


@pytest.mark.parametrize(
    ("data", "seen"),
    [
        ("weeks/{period}.csv", "place/weeks/2026-W46.csv"),
        (CsvFile("{period}.csv"), CsvFile("place/2026-W46.csv")),
        (ParquetFiles("{period}/*"), ParquetFiles("place/2026-W46/*")),
    ],
)
def test_a_period_fills_the_path_and_is_no_term(data: Source, seen: Source) -> None:
    study = Study(RATIO, **TERMS, data=data, folder="place", period="2026-W46")
    assert study.table == seen
    study.require_period()
    again = replace(study, period=None)
    assert (again, again.data) == (study, data)
    with pytest.raises(InvalidInput, match="are those of one period") as refused:
        again.require_period()
    assert "--period 2026-W46" in str(refused.value)


@pytest.mark.parametrize("period", ["", "../secret", "a b", "{period}", "2026/W46"])
def test_a_period_is_a_plain_word(period: str) -> None:
    with pytest.raises(InvalidInput, match="a period is named by letters, digits and"):
        Study(RATIO, **TERMS, data="{period}.csv", period=period)


@pytest.mark.parametrize(
    "data", [None, "weeks.csv", DatabaseTable("duckdb:///a.db", table="{period}")]
)
def test_a_period_needs_a_place_in_the_path(data: Source | None) -> None:
    study = Study(RATIO, **TERMS, data=data)
    study.require_period()
    with pytest.raises(InvalidInput, match="goes where the path of the data says"):
        replace(study, period="2026-W46")


def test_a_study_takes_no_other_braces() -> None:
    with pytest.raises(InvalidInput, match="once, and no other braces"):
        Study(RATIO, **TERMS, data="{period}/{period}.parquet")


def test_rows_are_counted_where_no_column_of_that_name_has_bounds() -> None:
    ratio, own = Ratio("s", per="rows"), {"s": Bounds(0, 1)}
    study = Study(ratio, bounds=own, budget=Budget(1))
    assert study.bounds == own | {"rows": Bounds.ones()}
    assert own == {"s": Bounds(0, 1)}
    assert replace(study, n=7).bounds == study.bounds
    column = own | {"rows": Bounds(0, 9)}
    assert Study(ratio, bounds=column, budget=Budget(1)).bounds == column
    asked = '[ratio]\nnumerator = "s"\nper = "rows"\n[bounds]\ns = [0, 1]\n'
    assert parse_study(asked + PRIVACY) == study


def test_people_are_counted_once_each_by_their_ids() -> None:
    ratio, own = Ratio("s", per="people"), {"s": Bounds(0, 1)}
    unit = PrivacyUnit("id", totals={"s": Bounds(0, 5)})
    study = Study(ratio, bounds=own, budget=Budget(1), unit=unit)
    assert study.bounds["people"] == Bounds.ones()
    assert study.unit.totals == {
        "s": Bounds(0, 5),
        "people": Bounds(0, 1, natural=True),
    }
    assert replace(study, n=7) == replace(study, n=7)
    often = PrivacyUnit("id", totals={"s": Bounds(0, 5), "people": Bounds(0, 3)})
    for given, each, said in (
        (ratio, None, "people are counted by their ids"),
        (ratio, often, "people count once each"),
        (Ratio("s", per="people", weight="w"), unit, "counted without weights"),
    ):
        with pytest.raises(InvalidInput, match=said):
            Study(given, bounds=own, budget=Budget(1), unit=each)
    plain = PrivacyUnit("id", totals={"s": Bounds(0, 5), "people": Bounds(0, 1)})
    assert Study(ratio, bounds=own, budget=Budget(1), unit=plain).unit == study.unit
    # What is no Bounds is left to make_plan, which names it.
    odd: Any = own | {"people": [0, 1]}
    assert Study(ratio, bounds=odd, budget=Budget(1), unit=unit).unit == unit
    column = own | {"people": Bounds(0, 9)}
    assert Study(ratio, bounds=column, budget=Budget(1), unit=unit).unit == unit
    asked = Question(ratio, totals={"people": Bounds(0, 1)})
    with pytest.raises(InvalidInput, match="people count once each"):
        Study(asked, bounds=own, budget=Budget(1), unit=unit)


@pytest.mark.parametrize("what", ["release", "plan"])
def test_a_release_or_plan_in_the_place_of_a_study_is_named(
    what: str, tmp_path: Path
) -> None:
    path, release = tmp_path / "given.json", dpr.example_release()
    if what == "release":
        dpr.write_release(release, path)
    else:
        dpr.write_plan(release.plan, path)  # type: ignore[arg-type]
    with pytest.raises(DocumentRefused) as refused:
        read_study(path)
    assert str(refused.value) == (
        f"{path}: $: this is a {what} (JSON), and a study is wanted: the TOML file "
        f"that the {what} was made from."
    )


def test_a_study_says_where_its_bounds_come_from() -> None:
    told = {"s": "the scale of the test"}
    study = study_of(RATIO, bounds_from=told)
    assert study.bounds_from == told
    text = '[ratio]\nnumerator = "s"\nper = "y"\n' + BOUNDS + PRIVACY
    read = parse_study(text + '[bounds_from]\ns = "the scale of the test"\n')
    assert read.bounds_from == told
    assert parse_study(text).bounds_from == {}


def test_where_bounds_come_from_is_no_term() -> None:
    plain, told = study_of(RATIO), study_of(RATIO, bounds_from={"s": "a law"})
    assert plain == told
    assert dpr.make_plan(plain) == dpr.make_plan(told)


@pytest.mark.parametrize(
    "told", [{"z": "a law"}, {"s": ""}, {"s": 1}, {"s": "two\nlines"}, "a law"]
)
def test_what_is_no_line_about_a_column_is_refused(told: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="where the bounds of a column come from"):
        study_of(RATIO, bounds_from=told)


@pytest.mark.parametrize(
    "title", ["", " led", "two\nlines", "a\u202eb", "a" * 201, 5, b"bytes"]
)
def test_a_title_that_is_no_line_of_words_is_refused(title: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="a title is one line of up to 200 letters"):
        study_of(RATIO, title=title)
