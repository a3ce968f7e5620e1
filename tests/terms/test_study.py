"""A study: what is asked, and everything that is promised before data are seen."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

import dpratio as dpr
from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, Keys, ScoreBins
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.source import CsvFile, DatabaseTable, ParquetFiles, Source
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

RATIO = Ratio("s", per="y")
REGIONS = Groups("region", ["north", "south"])
TERMS: dict[str, Any] = {
    "bounds": {"s": Bounds(0, 1), "y": Bounds.binary()},
    "budget": Budget(1),
}
USER = PrivacyUnit("id", totals={"s": Bounds(0, 5)})
OWN = {"s": Bounds(0, 1)}


def study_of(*questions: Any, **terms: Any) -> Study:  # noqa: ANN401
    return Study(list(questions), **TERMS | terms)


# --- Questions ------------------------------------------------------------------------


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
    north = Keys("region", ["north"])
    asked = Question(RATIO, groups=north, budget_share=2, name="mine")
    study = study_of(asked, Ratio("s", per="y", minus="t"), answers=["ratio", "means"])
    assert study.questions[0] == asked
    assert study.questions[0].groups == Groups.cross(north)
    assert study.questions[1].name == "s minus t per y"
    assert study.questions[1].answers == ("ratio", "means")
    with pytest.raises(InvalidInput, match="name their own groups"):
        study_of(asked, groups=REGIONS)


def test_questions_that_would_be_called_the_same_are_numbered() -> None:
    study = study_of(RATIO, Ratio("s", per="y", guess=2.0))
    assert [question.name for question in study.questions] == ["s per y", "s per y (2)"]
    assert replace(study, n=7).questions == study.questions
    twice = [Question(RATIO, name="a"), Question(RATIO, groups=REGIONS, name="a")]
    with pytest.raises(InvalidInput, match="must differ in name"):
        dpr.make_plan(study_of(*twice))


@pytest.mark.parametrize(
    ("terms", "field"),
    [
        ({"ratio": "s per y"}, "ratio"),
        *(
            ({"budget_share": share}, "budget_share")
            for share in (0, -1, True, "2", math.nan, math.inf, 10**6)
        ),
        *(({"name": name}, "name") for name in ("a\nb", "a\u202eb", "\x1b[2J", 3)),
        *(({"totals": odd}, "totals") for odd in ([("s", 1)], {"s": (0, 1)})),
    ],
)
def test_a_question_that_breaks_a_rule_is_refused(
    terms: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        Question(**{"ratio": RATIO} | terms)
    assert refused.value.field == field


def test_questions_are_values() -> None:
    totals = {"s": Bounds(0, 9)}
    own = Question(RATIO, totals=totals)
    totals.clear()
    assert own.totals == {"s": Bounds(0, 9)}
    others = [replace(own, name="late"), replace(own, budget_share=Fraction(2))]
    assert len({own, Question(RATIO), *others}) == 4
    assert replace(own, totals={}) == Question(RATIO)


# --- Terms ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("terms", "field"),
    [
        *(({"budget": odd}, "budget") for odd in (1.0, None)),
        ({"unit": "row"}, "unit"),
        *(({"bounds": odd}, "bounds") for odd in (None, {"s": (0, 1)}, [("s", 1)])),
        *(
            ({"stage": odd}, "stage")
            for odd in (1, -0.1, True, False, "0.05", math.nan)
        ),
        *(
            ({"bounds_from": odd}, "bounds_from")
            for odd in ({"z": "a law"}, {"s": ""}, {"s": 1}, {"s": "two\nlines"})
        ),
        *(
            ({"title": odd}, "title")
            for odd in ("", " led", "two\nlines", "a\u202eb", "a" * 201, 5, b"bytes")
        ),
        *(
            ({"data": "{period}.csv", "period": odd}, "period")
            for odd in ("", "../secret", "a b", "{period}", "2026/W46", 46)
        ),
        *(
            ({"data": data, "period": "2026"}, "period")
            for data in (None, "a.csv", DatabaseTable("duckdb:///a.db", table="t"))
        ),
        *(({"data": odd}, "path") for odd in ("a.txt", "{period}/{period}.parquet")),
        ({"groups": ScoreBins("s", [0, 2])}, "bins"),
    ],
    ids=str,
)
def test_a_term_that_breaks_its_rule_is_refused(
    terms: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        study_of(RATIO, **terms)
    assert refused.value.field == field


def test_bins_have_edges_as_soon_as_their_column_has_bounds() -> None:
    study = study_of(RATIO, groups=[ScoreBins("s", 2), ScoreBins("age", 3)])
    settled = Groups.cross(ScoreBins("s", [0, 0.5, 1]))
    assert study.partitions == (settled, Groups.cross(ScoreBins("age", 3)))
    assert replace(study, n=7).questions == study.questions


def test_the_share_of_a_stage_is_the_decimal_that_was_written() -> None:
    stages = [study_of(RATIO, stage=share).stage for share in (None, 0, 0.05)]
    assert stages == [None, 0, Fraction(1, 20)]


def test_where_bounds_come_from_is_no_term() -> None:
    plain, known = study_of(RATIO), study_of(RATIO, bounds_from={"s": "a law"})
    assert (plain, known.bounds_from) == (known, {"s": "a law"})
    assert dpr.make_plan(plain) == dpr.make_plan(known)


def test_a_study_makes_the_plan_that_its_terms_make() -> None:
    study = study_of(RATIO, groups=REGIONS, data="loans.csv", scope="loans", n=700)
    assert dpr.make_plan(study) == dpr.make_plan(RATIO, groups=REGIONS, n=700, **TERMS)
    other = replace(study, budget=Budget(2))
    assert (other.data, other.questions) == (study.data, study.questions)
    with pytest.raises(InvalidInput, match="holds all of its terms"):
        dpr.make_plan(study, budget=Budget(2))


def test_each_question_is_measured_for_its_own_answers() -> None:
    means = Question(RATIO, groups=REGIONS, answers=["ratio", "means"])
    plan = dpr.make_plan(study_of(RATIO, means))
    assert [len(measured.sums) for measured in plan.measurements] == [6, 7]
    assert {item.budget_share for item in plan.study.questions} == {Fraction(1, 2)}


# --- Data -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "seen"),
    [
        ("loans.parquet", ParquetFiles("place/loans.parquet")),
        ("loans/", ParquetFiles("place/loans/")),
        ("s3://lake/loans.parquet", ParquetFiles("s3://lake/loans.parquet")),
        ("${LOANS}/a.csv.gz", CsvFile("${LOANS}/a.csv.gz")),
        (CsvFile("a.csv", delimiter=";"), CsvFile("place/a.csv", delimiter=";")),
        (
            DatabaseTable("duckdb:///a.db", table="loans"),
            DatabaseTable("duckdb:///place/a.db", table="loans"),
        ),
        *(
            (DatabaseTable(url, table="a.b"), DatabaseTable(url, table="a.b"))
            for url in ("duckdb:////data/a.db", "postgres://db/credit")
        ),
        (None, None),
    ],
)
def test_data_are_seen_from_the_folder_of_a_study(
    data: str | Source | None, seen: Source | None
) -> None:
    study = Study(RATIO, **TERMS, data=data, folder="place")
    assert study.table == seen
    here = Study(RATIO, **TERMS, data=data)
    assert (study, here.table) == (here, here.data)


@pytest.mark.parametrize(
    ("data", "seen"),
    [
        ("weeks/{period}.csv", CsvFile("place/weeks/2026-W46.csv")),
        (ParquetFiles("{period}/*"), ParquetFiles("place/2026-W46/*")),
    ],
)
def test_a_period_fills_the_path_and_is_no_term(
    data: str | Source, seen: Source
) -> None:
    study = Study(RATIO, **TERMS, data=data, folder="place", period="2026-W46")
    assert study.table == seen
    again = replace(study, period=None)
    assert (again, again.data) == (study, study.data)
    with pytest.raises(InvalidInput, match="--period 2026-W46") as refused:
        again.table  # noqa: B018
    assert refused.value.field == "period"


# --- What is counted ------------------------------------------------------------------


def test_rows_are_counted_where_no_column_of_that_name_has_bounds() -> None:
    ratio = Ratio("s", per="rows")
    study = Study(ratio, bounds=OWN, budget=Budget(1))
    assert study.bounds == OWN | {"rows": Bounds.ones()}
    assert "rows" not in OWN
    assert replace(study, n=7).bounds == study.bounds
    column = OWN | {"rows": Bounds(0, 9)}
    assert Study(ratio, bounds=column, budget=Budget(1)).bounds == column


def test_people_are_counted_once_each_by_their_ids() -> None:
    ratio, once = Ratio("s", per="people"), Bounds(0, 1, natural=True)
    study = Study(ratio, bounds=OWN, budget=Budget(1), unit=USER)
    assert study.bounds["people"] == Bounds.ones()
    assert study.unit.totals == {"s": Bounds(0, 5), "people": once}
    assert replace(study, n=None) == study
    plain = USER.with_totals({"people": Bounds(0, 1)})
    assert replace(study, unit=plain) == study
    column = OWN | {"people": Bounds(0, 9)}
    assert Study(ratio, bounds=column, budget=Budget(1), unit=USER).unit == USER


@pytest.mark.parametrize(
    ("asked", "unit", "rule"),
    [
        (Ratio("s", per="people"), None, "a column of ids"),
        (
            Ratio("s", per="people"),
            USER.with_totals({"people": Bounds(0, 3)}),
            "people count once each",
        ),
        (
            Question(Ratio("s", per="people"), totals={"people": Bounds(0, 1)}),
            USER,
            "people count once each",
        ),
        (Ratio("s", per="people", weight="w"), USER, "without weights"),
    ],
)
def test_people_are_not_counted_otherwise(
    asked: Ratio | Question, unit: PrivacyUnit | None, rule: str
) -> None:
    with pytest.raises(InvalidInput, match=rule):
        Study(asked, bounds=OWN, budget=Budget(1), unit=unit)
