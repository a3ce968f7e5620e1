"""A study file is read field by field, numbers as they were written."""

import datetime as dt
from fractions import Fraction

import pytest

from dpratio.errors import DocumentRefused
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, Keys, Periods, PrivateKeys, ScoreBins
from dpratio.terms.population import MeanSd, Population
from dpratio.terms.question import Partition, Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.source import CsvFile, DatabaseTable
from dpratio.terms.study import Study
from dpratio.terms.study_file import parse_study
from dpratio.terms.unit import PrivacyUnit
from terms.study_of_loans import PARTS, study

SHORT = study(
    data=None,
    groups=None,
    unit=None,
    population=None,
    bounds='s = { natural = [0, 1] }\ny = "binary"\nz = "ones"',
    ratio='numerator = "s"\nper = "y"',
    privacy="epsilon = 1",
)


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
    asked = Question(
        Ratio(
            "s",
            per="y",
            weight="w",
            minus="m",
            guess=1.5,
            guess_is="unknown",
            residual_bound=0.25,
        ),
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
            key="study",
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
            MeanSd(0.5, 0.22),
            MeanSd(0.45),
            MeanSd(1, 0.6),
            0.4,
            -0.1,
            0.3,
        ),
    )


def test_what_may_be_left_out_has_its_default() -> None:
    bounds = {"s": Bounds(0, 1, natural=True), "y": Bounds.binary(), "z": Bounds.ones()}
    wanted = Study(Ratio("s", per="y"), bounds=bounds, budget=Budget(1))
    assert parse_study(SHORT) == parse_study(f"{SHORT}[unit]\n") == wanted
    alone = parse_study(f"{SHORT}[population]\nn = 300\n")
    assert (alone.n, alone.population) == (300, None)


@pytest.mark.parametrize(
    ("number", "exact"),
    [
        ("0.1", Fraction(1, 10)),
        ("1", Fraction(1)),
        ("1e-3", Fraction(1, 1000)),
        ('"1/3"', Fraction(1, 3)),
        ('"0.7"', Fraction(7, 10)),
        (
            "0.1000000000000000055511151231257827",
            Fraction("0.1000000000000000055511151231257827"),
        ),
    ],
)
def test_a_budget_is_the_decimal_that_was_written(number: str, exact: Fraction) -> None:
    assert parse_study(study(privacy=f"epsilon = {number}")).budget.epsilon == exact
    if exact < 1:
        privacy = f"epsilon = 1\ndelta = {number}"
        assert parse_study(study(privacy=privacy)).budget.delta == exact


PARTITIONS: dict[str, Partition] = {
    'column = "k"\nkeys = ["1", { missing = true }]': Groups("k", ["1", None]),
    'column = "k"\nkeys = [2, 1]': Groups("k", [2, 1]),
    'column = "k"\nkeys = [true, false]': Groups("k", [True, False]),
    'column = "k"\nkeys = [2026-01-31]': Groups("k", [dt.date(2026, 1, 31)]),
    'columns = ["state", "age"]\nkeys = [["CA", 1], [{ missing = true }, 2]]': Groups(
        ["state", "age"], [("CA", 1), (None, 2)]
    ),
    'column = "s"\nbins = 4': Groups.cross(ScoreBins("s", 4)),
    'column = "s"\nbins = [0, 1]': Groups.cross(ScoreBins("s", [0, 1])),
    'column = "t"\nevery = "week"\nfirst = 2026-01-01\nlast = "2026-02-01"': (
        Groups.cross(Periods("t", "week", "2026-01-01", "2026-02-01"))
    ),
    'cross = [{ column = "k", keys = ["f"] }, { column = "s", bins = 2 }]': (
        Groups.cross(Keys("k", ["f"]), ScoreBins("s", 2))
    ),
    'cross = [{ column = "k", keys = ["f", "m"] }]\ncells = [[1]]': Groups(
        "k", ["f", "m"]
    ).only([(1,)]),
    "whole = true": None,
    'column = "k"\nfind = { epsilon = "1/3", delta = 1e-7 }': PrivateKeys(
        "k", Budget(Fraction(1, 3), "1e-7")
    ),
    **{
        f'column = "k"\nkind = "{kind}"\nfind = {{ epsilon = 1, delta = 1e-7 }}': (
            PrivateKeys("k", Budget(1, "1e-7"), kind)
        )
        for kind in ("text", "integer", "boolean", "date")
    },
}


@pytest.mark.parametrize(("table", "wanted"), PARTITIONS.items())
def test_groups_of_every_kind_are_declared(table: str, wanted: Partition) -> None:
    (question,) = parse_study(f"{SHORT}[groups]\n{table}\n").questions
    assert question.groups == wanted
    more = "budget_share = 3\ntotals = { s = [0, 9] }"
    (question,) = parse_study(f"{SHORT}[groups]\n{table}\n{more}\n").questions
    assert question.groups == wanted
    assert question.budget_share == 3
    assert question.totals == {"s": Bounds(0, 9)}


def test_several_tables_are_several_partitions() -> None:
    asked = parse_study(
        f'{SHORT}[[groups]]\ncolumn = "a"\nkeys = ["x"]\n'
        "[[groups]]\nwhole = true\nbudget_share = 2\n"
        '[[groups]]\ncolumn = "s"\nbins = 2\nbudget_share = 0.5\n'
    )
    cells = (Groups("a", ["x"]), None, Groups.cross(ScoreBins("s", 2)))
    assert asked.partitions == cells
    shares = [question.budget_share for question in asked.questions]
    assert shares == [1, 2, Fraction(1, 2)]


TWO_RATIOS = """[[ratio]]
numerator = "s"
per = "y"
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


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (
            'url = "postgres://db/credit"\ntable = "public.loans"',
            DatabaseTable("postgres://db/credit", table="public.loans"),
        ),
        (
            'url = "duckdb:///a.db"\ntable = ["main", "a.b"]',
            DatabaseTable("duckdb:///a.db", table=["main", "a.b"]),
        ),
        (
            'url = "spark://host:7077"\npath = "/lake/*.parquet"',
            DatabaseTable("spark://host:7077", path="/lake/*.parquet"),
        ),
    ],
)
def test_data_may_lie_in_a_database(data: str, wanted: DatabaseTable) -> None:
    assert parse_study(study(data=data)).data == wanted


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ('url = "mysql://db"\ntable = "a"', "$.data.url: an address names a database"),
        (
            'path = "a/"\npartitions = ["a"]\nquote = ""',
            "$.data.partitions: partitions are those of Parquet",
        ),
        (
            'path = "a.csv"\npartitions = ["a"]',
            "$.data.partitions: partitions are those of Parquet",
        ),
        ('url = "duckdb:///a.db"', "$.data.table: a table is named"),
        ('url = "duckdb:///a.db"\nview = "a"', "$.data: unknown field 'view'"),
        ('url = "duckdb:///a.db"\nsql = "SELECT 1"', "$.data: unknown field 'sql'"),
        ('url = 1\ntable = "a"', "$.data.url: must be text"),
        ('url = "duckdb:///a.db"\ntable = 1', "$.data.table: must be text"),
    ],
)
def test_a_database_is_named_and_never_asked_in_sql(data: str, said: str) -> None:
    with pytest.raises(DocumentRefused) as refused:
        parse_study(study(data=data))
    assert str(refused.value).startswith(said)


def test_a_path_without_a_dialect_is_just_a_path() -> None:
    assert parse_study(study(data='path = "loans.parquet"')).data == "loans.parquet"


@pytest.mark.parametrize(
    ("field", "wanted"),
    [
        ('delimiter = "|"', CsvFile("a", delimiter="|")),
        ('quote = "\'"', CsvFile("a", quote="'")),
        ('columns = ["s"]', CsvFile("a", columns=["s"])),
        ('decimal = ","', CsvFile("a", decimal=",")),
        ('dates = "M/D/YYYY"', CsvFile("a", dates="M/D/YYYY")),
    ],
)
def test_one_field_of_a_dialect_makes_a_csv_file(field: str, wanted: CsvFile) -> None:
    assert parse_study(study(data=f'path = "a"\n{field}')).data == wanted
