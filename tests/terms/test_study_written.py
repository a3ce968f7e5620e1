"""A study that is written as TOML, or inside a plan, is read again as it was."""

import datetime as dt
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpratio.codec import canonical, parse_json
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, Keys, Periods, PrivateKeys, ScoreBins
from dpratio.terms.population import MeanSd, Population
from dpratio.terms.question import Partition, Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.source import CsvFile, DatabaseTable, ParquetFiles
from dpratio.terms.study import Study
from dpratio.terms.study_file import STUDY, parse_study, study_to_toml
from dpratio.terms.unit import PrivacyUnit

PEOPLE = Population(MeanSd(0.5, 0.2), MeanSd(0.4), correlation=0.25)
PARTITIONS: list[Partition] = [
    None,
    Groups("region", ["north", 'so"uth', "\\", None, "é"]),
    Groups("year", [2025, -1, 2**63 - 1]),
    Groups("is new", [True, False]),
    Groups("day", [dt.date(2026, 1, 31), None]),
    Groups(["sex", "age"], [("f", 1), (None, 2)]),
    Groups.cross(Keys("a", ["x"]), ScoreBins("s", [0, 0.1, 1])),
    Groups.cross(Keys("a", ["x", "y"]), ScoreBins("s", [0, 0.1, 1])).only([(1, 0)]),
    Groups.cross(ScoreBins("s", 10)),
    Groups.cross(Periods("seen", "week", "2026-01-05", "2026-02-01")),
    PrivateKeys("shop", Budget(Fraction(1, 30), "1e-7"), "integer"),
]
RATIOS = [
    Ratio("s", per="y"),
    Ratio("s", per="y", weight="w", guess=-0.1, guess_is="unknown"),
    Ratio("s", per="y", minus="w", residual_bound=1e-3),
    Ratio("s", per="rows"),
]
BOUNDS = {
    "s": Bounds(0, 1, natural=True),
    "y": Bounds.binary(),
    "w": Bounds(-0.1, 1e30),
}
questions = st.builds(
    Question,
    st.sampled_from(RATIOS),
    groups=st.sampled_from(PARTITIONS),
    answers=st.sampled_from([["ratio"], ["ratio", "means"]]),
    budget_share=st.sampled_from([1, Fraction(1, 3), 2.5]),
    name=st.sampled_from(["", "", "mine", "s per y by region"]),
    totals=st.sampled_from([{}, {}, {"y": Bounds(0, 9)}]),
).filter(lambda asked: asked.totals.keys() <= set(asked.ratio.totals))


def study_of(asked: list[Question], **terms: object) -> Study:
    given = {"bounds": BOUNDS, "budget": Budget("0.3", "1e-6")} | terms
    return Study(asked, **given)  # type: ignore[arg-type]


@given(asked=st.lists(questions, min_size=1, max_size=5))
def test_any_questions_are_read_as_they_were_written(asked: list[Question]) -> None:
    study = study_of(asked)
    assert parse_study(study_to_toml(study)) == study
    written = canonical(STUDY.write(study))
    read = STUDY.read(parse_json(written.decode()), "$")
    assert (read, canonical(STUDY.write(read))) == (study, written)


@pytest.mark.parametrize(
    "terms",
    [
        {"title": 'What a "visit" brings in'},
        {"data": "loans/{period}.parquet", "scope": "loans"},
        {"data": CsvFile("a.csv", columns=["s", "y"], delimiter=";", quote="")},
        {
            "data": ParquetFiles(
                "a/", partitions={"year": "integer"}, where=[["s", ">", 0.5]]
            )
        },
        {"data": DatabaseTable("postgres://db/a", table=["b", "c.d"])},
        {"data": DatabaseTable("spark://local[2]", path="a/", partitions=["year"])},
        {
            "unit": PrivacyUnit(
                "id", totals={"s": Bounds(0, 5)}, most_groups=3, noun="cars"
            )
        },
        {"unit": PrivacyUnit(neighbours="change-one"), "strategy": "even"},
        {"bounds": BOUNDS | {"y": Bounds.ones()}},
        {"n": 7, "mechanism": "laplace", "clipping": "unmeasured"},
        {"n": 7, "population": PEOPLE, "stage": 0.05},
        {"bounds_from": {"w": "the survey's design"}, "stage": 0},
    ],
    ids=str,
)
def test_every_term_is_read_as_it_was_written(terms: dict[str, object]) -> None:
    study = study_of([Question(RATIOS[0])], **terms)
    text = study_to_toml(study)
    read = parse_study(text)
    assert (read, study_to_toml(read)) == (study, text)
    assert read.bounds_from == study.bounds_from


def test_a_comment_stands_above_its_table() -> None:
    text = study_to_toml(study_of([Question(RATIOS[0])]), {"privacy": "The price."})
    assert "\n# The price.\n[privacy]\nepsilon = 0.3\n" in text
