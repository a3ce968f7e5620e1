"""A study is read field by field, and what is written is read again as it was."""

import datetime as dt
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpratio.codec import canonical, parse_json
from dpratio.errors import DocumentRefused, FileRefused
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, Keys, Periods, PrivateKeys, ScoreBins
from dpratio.terms.population import MeanSd, Population
from dpratio.terms.question import Partition, Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.source import CsvFile, DatabaseTable, ParquetFiles, Source
from dpratio.terms.study import Study
from dpratio.terms.study_file import STUDY, parse_study, read_study, study_to_toml
from dpratio.terms.unit import PrivacyUnit
from terms.study_of_loans import PARTS, study

PLAIN = 'numerator = "s"\nper = "y"'
SHORT = study(
    data=None,
    groups=None,
    unit=None,
    population=None,
    bounds='s = { natural = [0, 1] }\ny = "binary"\nz = "ones"',
    ratio=PLAIN,
    privacy="epsilon = 1",
)
BOUNDS = {
    "s": Bounds(0, 1, natural=True),
    "y": Bounds.binary(),
    "w": Bounds(-0.1, 1e30),
}


# --- Read -----------------------------------------------------------------------------


def test_every_field_is_read() -> None:
    ratio = PARTS["ratio"] + (
        '\nminus = "m"\nguess = 1.5\nguess_is = "unknown"\nresidual_bound = 0.25\n'
        'answers = ["ratio", "means"]\nname = "mine"'
    )
    privacy = PARTS["privacy"] + '\nclipping = "unmeasured"\nstage = 0.1\nscope = "a"'
    population = PARTS["population"] + (
        "\nn = 300\nweight_with_numerator = -0.1\nweight_with_per = 0.3"
    )
    text = 'title = "Loans, 2025"\n' + study(
        ratio=ratio, privacy=privacy, population=population
    )
    choices: dict[str, Any] = {"guess_is": "unknown", "residual_bound": 0.25}
    asked = Question(
        Ratio("s", per="y", weight="w", minus="m", guess=1.5, **choices),
        groups=Groups("region", ["north", "south"]),
        answers=["ratio", "means"],
        budget_share=2,
        name="mine",
    )
    assert parse_study(text) == Study(
        asked,
        title="Loans, 2025",
        data=CsvFile("loans.csv", columns=["s", "y", "w"], delimiter=";", quote=""),
        bounds={"s": Bounds(0, 1), "y": Bounds.binary(), "w": Bounds(0.25, 3)},
        unit=PrivacyUnit(
            "user",
            totals={"s": Bounds(0, 5), "y": Bounds(0, 4)},
            most_groups=2,
            neighbours="change-one",
            noun="customers",
        ),
        budget=Budget("0.1", "1e-6"),
        strategy="even",
        mechanism="analytic_gaussian",
        clipping="unmeasured",
        stage=0.1,
        scope="a",
        n=300,
        population=Population(
            MeanSd(0.5, 0.22), MeanSd(0.45), MeanSd(1, 0.6), 0.4, -0.1, 0.3
        ),
    )


def test_what_may_be_left_out_has_its_default() -> None:
    bounds = {"s": Bounds(0, 1, natural=True), "y": Bounds.binary(), "z": Bounds.ones()}
    wanted = Study(Ratio("s", per="y"), bounds=bounds, budget=Budget(1))
    assert parse_study(SHORT) == parse_study(f"{SHORT}[unit]\n") == wanted
    alone = parse_study(f"{SHORT}[population]\nn = 300\n")
    assert (alone.n, alone.population) == (300, None)


LONG = "0.1000000000000000055511151231257827"


@pytest.mark.parametrize(
    ("number", "exact"),
    [
        ("0.1", Fraction(1, 10)),
        ("1", Fraction(1)),
        ("1e-3", Fraction(1, 1000)),
        ('"1/3"', Fraction(1, 3)),
        ('"0.7"', Fraction(7, 10)),
        (LONG, Fraction(LONG)),
    ],
)
def test_a_budget_is_the_decimal_that_was_written(number: str, exact: Fraction) -> None:
    assert parse_study(study(privacy=f"epsilon = {number}")).budget.epsilon == exact
    if exact < 1:
        privacy = f"epsilon = 1\ndelta = {number}"
        assert parse_study(study(privacy=privacy)).budget.delta == exact


FIND = "find = { epsilon = 1, delta = 1e-7 }"
TABLES: dict[str, Partition] = {
    'column = "k"\nkeys = ["1", { missing = true }]': Groups("k", ["1", None]),
    'column = "k"\nkeys = [2, 1]': Groups("k", [2, 1]),
    'column = "k"\nkeys = [true, false]': Groups("k", [True, False]),
    'column = "k"\nkeys = [2026-01-31]': Groups("k", [dt.date(2026, 1, 31)]),
    'columns = ["state", "age"]\nkeys = [["CA", 1], [{ missing = true }, 2]]': Groups(
        ["state", "age"], [("CA", 1), (None, 2)]
    ),
    'column = "s"\nbins = 4': Groups.cross(ScoreBins("s", [0, 0.25, 0.5, 0.75, 1])),
    'column = "s"\nbins = [0, 1]': Groups.cross(ScoreBins("s", [0, 1])),
    'column = "t"\nevery = "week"\nfirst = 2026-01-01\nlast = "2026-02-01"': (
        Groups.cross(Periods("t", "week", "2026-01-01", "2026-02-01"))
    ),
    'cross = [{ column = "k", keys = ["f"] }, { column = "s", bins = [0, 1] }]': (
        Groups.cross(Keys("k", ["f"]), ScoreBins("s", [0, 1]))
    ),
    "whole = true": None,
    'column = "k"\nfind = { epsilon = "1/3", delta = 1e-7 }': PrivateKeys(
        "k", Budget(Fraction(1, 3), "1e-7")
    ),
    **{
        f'column = "k"\nkind = "{kind}"\n{FIND}': PrivateKeys(
            "k", Budget(1, "1e-7"), kind
        )
        for kind in ("text", "integer", "boolean", "date")
    },
}


@pytest.mark.parametrize(("table", "wanted"), TABLES.items())
def test_groups_of_every_kind_are_declared(table: str, wanted: Partition) -> None:
    (question,) = parse_study(f"{SHORT}[groups]\n{table}\n").questions
    assert question.groups == wanted
    more = "budget_share = 3\ntotals = { s = [0, 9] }"
    (question,) = parse_study(f"{SHORT}[groups]\n{table}\n{more}\n").questions
    assert (question.groups, float(question.budget_share)) == (wanted, 3.0)
    assert question.totals == {"s": Bounds(0, 9)}


def test_several_tables_are_several_partitions() -> None:
    asked = parse_study(
        f'{SHORT}[[groups]]\ncolumn = "a"\nkeys = ["x"]\n'
        "[[groups]]\nwhole = true\nbudget_share = 2\n"
        '[[groups]]\ncolumn = "s"\nbins = [0, 1]\nbudget_share = 0.5\n'
    )
    groups = (Groups("a", ["x"]), None, Groups.cross(ScoreBins("s", [0, 1])))
    assert asked.partitions == groups
    shares = [question.budget_share for question in asked.questions]
    assert shares == [1, 2, Fraction(1, 2)]


TWO_RATIOS = f"""[[ratio]]
{PLAIN}
name = "it"
[[ratio]]
numerator = "w"
per = "y"
answers = ["ratio", "means"]
"""


def test_every_ratio_is_asked_of_all_groups_with_the_totals_of_its_columns() -> None:
    text = study(ratio=None, groups=None) + TWO_RATIOS
    regions = 'column = "region"\nkeys = ["north"]\n'
    totals = "totals = { s = [0, 1], y = [0, 1], w = [0, 9] }\n"
    asked = parse_study(
        f"{text}[[groups]]\nwhole = true\n[[groups]]\n{regions}{totals}"
    )
    assert [
        (question.name, len(question.answers), list(question.totals))
        for question in asked.questions
    ] == [
        ("it", 1, []),
        ("w per y", 2, []),
        ("it by region", 1, ["s", "y"]),
        ("w per y by region", 2, ["y", "w"]),
    ]
    own = f"{text}groups = {{ column = 'age', keys = [1] }}\n[groups]\n{regions}"
    names = [question.name for question in parse_study(own).questions]
    assert names == ["it", "w per y by age"]


YEAR = {"year": "integer", "region": "text"}


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        ('path = "loans.parquet"', ParquetFiles("loans.parquet")),
        ('path = "loans.csv.gz"', CsvFile("loans.csv.gz")),
        ('path = "a"\ndelimiter = "|"', CsvFile("a", delimiter="|")),
        ('path = "a"\nquote = "\'"', CsvFile("a", quote="'")),
        ('path = "a"\ncolumns = ["s"]', CsvFile("a", columns=["s"])),
        ('path = "a"\ndecimal = ","', CsvFile("a", decimal=",")),
        ('path = "a"\ndates = "M/D/YYYY"', CsvFile("a", dates="M/D/YYYY")),
        (
            'path = "lake/"\npartitions = { year = "integer", region = "text" }',
            ParquetFiles("lake/", partitions=YEAR),
        ),
        (
            'url = "spark://c:7077"\npath = "lake/"\npartitions = { year = "text" }',
            DatabaseTable("spark://c:7077", path="lake/", partitions={"year": "text"}),
        ),
        (
            'url = "postgres://db/credit"\ntable = "public.loans"',
            DatabaseTable("postgres://db/credit", table="public.loans"),
        ),
        (
            'url = "duckdb:///a.db"\ntable = ["main", "a.b"]',
            DatabaseTable("duckdb:///a.db", table=["main", "a.b"]),
        ),
    ],
)
def test_data_are_files_or_a_table_of_a_database(data: str, wanted: Source) -> None:
    assert parse_study(study(data=data)).data == wanted


# As TOML writes it, and as a source holds it.
CONDITIONS: list[tuple[str, tuple[Any, ...]]] = [
    ('["day", ">=", "2026-11-09"]', ("day", ">=", "2026-11-09")),
    ('["day", "<", 2026-11-16]', ("day", "<", "2026-11-16")),
    ('["a b", "!=", 5]', ("a b", "!=", 5)),
    ('["s", "<=", 5.0]', ("s", "<=", 5)),
    ('["s", ">", -0.0]', ("s", ">", 0)),
    ('["s", "=", 0.1]', ("s", "=", 0.1)),
    ('["s", "<", 1e300]', ("s", "<", 1e300)),
    ('["s", "<", 5e-324]', ("s", "<", 5e-324)),
    ('["id", "=", 9223372036854775807]', ("id", "=", 2**63 - 1)),
    ('["b", "=", true]', ("b", "=", True)),
    ("['t', '=', \"it's \\\\ ${x}\"]", ("t", "=", "it's \\ ${x}")),
    ('["k", "in", ["a", 5, 0.5, false]]', ("k", "in", ("a", 5, 0.5, False))),
    ('["k", "is null"]', ("k", "is null")),
    ('["k", "not null"]', ("k", "not null")),
]


@pytest.mark.parametrize(("written", "condition"), CONDITIONS)
def test_a_condition_is_read_and_written_again(
    written: str, condition: tuple[Any, ...]
) -> None:
    """A whole number, a number and a truth stay what they are, which `==` hides."""
    for data in ('path = "a.parquet"', 'url = "duckdb:///a.db"\ntable = "a"'):
        found = parse_study(study(data=f"{data}\nwhere = [{written}]"))
        document = canonical(STUDY.write(found)).decode()
        for again in (
            found,
            parse_study(study_to_toml(found)),
            STUDY.read(parse_json(document), "$"),
        ):
            where = getattr(again.data, "where", None)
            assert repr(where) == repr((condition,))
    texts = study(data="path = 'a.csv'\nwhere = [['k', '=', 'a']]")
    assert parse_study(texts).data == CsvFile("a.csv", where=[["k", "=", "a"]])


def test_whole_numbers_are_text_in_json() -> None:
    where = '[["id", "in", [5, 0.5]], ["id", "=", 6]]'
    found = parse_study(study(data=f'path = "a.parquet"\nwhere = {where}'))
    wanted = '[["id","in",[{"integer":"5"},0.5]],["id","=",{"integer":"6"}]]'
    assert f'"where":{wanted}' in canonical(STUDY.write(found)).decode()


# --- Written --------------------------------------------------------------------------


PEOPLE = Population(MeanSd(0.5, 0.2), MeanSd(0.4), correlation=0.25)
PARTITIONS: list[Partition] = [
    None,
    Groups("region", ["north", 'so"uth', "\\", None, "é"]),
    Groups("year", [2025, -1, 2**63 - 1]),
    Groups("is new", [True, False]),
    Groups("day", [dt.date(2026, 1, 31), None]),
    Groups(["sex", "age"], [("f", 1), (None, 2)]),
    Groups.cross(Keys("a", ["x"]), ScoreBins("s", [0, 0.1, 1])),
    Groups.cross(ScoreBins("s", 10)),
    Groups.cross(ScoreBins("age", 10)),
    Groups.cross(Periods("seen", "week", "2026-01-05", "2026-02-01")),
    PrivateKeys("shop", Budget(Fraction(1, 30), "1e-7"), "integer"),
]
RATIOS = [
    Ratio("s", per="y"),
    Ratio("s", per="y", weight="w", guess=-0.1, guess_is="unknown"),
    Ratio("s", per="y", minus="w", residual_bound=1e-3),
    Ratio("s", per="rows"),
]
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
    usual = {"bounds": BOUNDS, "budget": Budget("0.3", "1e-6")}
    return Study(asked, **usual | terms)  # type: ignore[arg-type]


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
        {"data": ParquetFiles("a/", partitions=YEAR, where=[["s", ">", 0.5]])},
        {"data": DatabaseTable("postgres://db/a", table=["b", "c.d"])},
        {"data": DatabaseTable("spark://local[2]", path="a/", partitions=YEAR)},
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


# --- Files ----------------------------------------------------------------------------


def test_a_study_file_is_read_and_its_name_is_in_the_message(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(SHORT)
    assert read_study(path) == parse_study(SHORT)
    path.write_text("ratio = 1")
    with pytest.raises(DocumentRefused, match=r"study\.toml: \$"):
        read_study(path)
    path.write_bytes(b"\xff")
    with pytest.raises(FileRefused, match="not UTF-8"):
        read_study(path)
    with pytest.raises(FileRefused, match="No such file"):
        read_study(tmp_path / "none.toml")
