"""A study file is read field by field, numbers as they were written."""

import re
from fractions import Fraction

import pytest

from dpratio.errors import DocumentRefused
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.database import DatabaseTable
from dpratio.terms.groups import Groups
from dpratio.terms.guess import ColumnGuess, Guess
from dpratio.terms.ratio import Ratio
from dpratio.terms.source import CsvFile, ParquetFiles
from dpratio.terms.study import Study
from dpratio.terms.study_file import parse_study
from dpratio.terms.unit import PrivacyUnit
from terms.study_of_loans import PARTS, study


def test_every_field_is_read() -> None:
    assert parse_study(study()) == Study(
        data=CsvFile("loans.csv", columns=["s", "y", "w"], delimiter=";", quote=""),
        questions=Ratio("s", per="y", weight="w"),
        bounds={"s": Bounds(0, 1), "y": Bounds.binary(), "w": Bounds(0.25, 3)},
        groups=Groups("region", ["north", "south"]),
        weights=[2],
        unit=PrivacyUnit(
            "user",
            totals={"s": Bounds(0, 5), "y": Bounds(0, 4)},
            most_groups=2,
            neighbours="change-one",
            key="study",
        ),
        budget=Budget("0.1", "1e-6"),
        strategy="even",
        mechanism="analytic_gaussian",
        guess=Guess(
            ColumnGuess(0.5, 0.22), ColumnGuess(0.45), ColumnGuess(1, 0.6), 0.4
        ),
    )


def test_what_may_be_left_out_has_its_default() -> None:
    text = study(
        data=None,
        groups=None,
        unit=None,
        population=None,
        ratio='numerator = "s"\nper = "y"',
        privacy="epsilon = 1",
    )
    read = parse_study(text)
    assert read.data is None
    assert read.partitions == (None,)
    assert read.unit == PrivacyUnit()
    assert read.questions[0].ratio.weight is None
    assert (read.strategy, read.mechanism) == ("focused", "auto")
    assert read.guess is None
    assert read.budget == Budget(1)


def test_a_guessed_population_may_leave_out_weight_and_correlation() -> None:
    text = study(population="numerator = { mean = 2, sd = 1 }\nper = { mean = 0.5 }")
    assert parse_study(text).guess == Guess(ColumnGuess(2, 1), ColumnGuess(0.5))


def test_weights_may_be_guessed_to_go_with_either_column() -> None:
    columns = "numerator = { mean = 2, sd = 1 }\nper = { mean = 0.5 }"
    text = study(
        population=f"{columns}\nweight = {{ mean = 1, sd = 0.5 }}\n"
        "weight_with_numerator = -0.1\nweight_with_per = 0.3"
    )
    assert parse_study(text).guess == Guess(
        ColumnGuess(2, 1),
        ColumnGuess(0.5),
        ColumnGuess(1, 0.5),
        weight_with_numerator=-0.1,
        weight_with_per=0.3,
    )


def test_a_guess_of_the_ratio_and_what_is_wanted_are_read() -> None:
    text = study(
        ratio=(
            'numerator = "s"\nper = "y"\nguess = 1.5\nguess_is = "unknown"\n'
            'residual_bound = 0.25\nanswers = ["ratio", "means"]'
        )
    )
    read = parse_study(text)
    (question,) = read.questions
    assert question.ratio == Ratio(
        "s", per="y", guess=1.5, guess_is="unknown", residual_bound=0.25
    )
    assert read.questions[0].answers == ("ratio", "means")


def test_the_ratio_alone_is_what_is_wanted_by_default() -> None:
    read = parse_study(study())
    assert read.questions[0].answers == ("ratio",)
    assert read.n is None
    assert read.questions[0].ratio.guess is None
    assert read.questions[0].ratio.guess_is == "close"


def test_a_number_of_people_may_stand_alone_or_beside_a_guess() -> None:
    alone = parse_study(study(population="n = 300"))
    assert (alone.n, alone.guess) == (300, None)
    both = parse_study(study(population=f"n = 300\n{PARTS['population']}"))
    assert both.n == 300
    assert both.guess == parse_study(study()).guess


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
            "url = 'duckdb:///a.db'\ntable = 'a'\nwhere = 'age > 5'",
            DatabaseTable("duckdb:///a.db", table="a", where="age > 5"),
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
        ('url = "mysql://db"\ntable = "a"', "$.data: an address must name a database"),
        ('path = "a.parquet"\nwhere = ""', "$.data: where must be a condition"),
        (
            'path = "a/"\npartitions = ["a"]\nquote = ""',
            "$.data.partitions: partitions are those of Parquet",
        ),
        (
            'url = "duckdb:///a.db"\ntable = "a"\nwhere = ""',
            "$.data: where must be a condition",
        ),
        ('url = "duckdb:///a.db"', "$.data: one table or path is read"),
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


@pytest.mark.parametrize(
    ("written", "exact"),
    [
        ("0.1", Fraction(1, 10)),
        ("1", Fraction(1)),
        ("1e-3", Fraction(1, 1000)),
        ('"1/3"', Fraction(1, 3)),
        ('"0.7"', Fraction(7, 10)),
        ("0.1000000000000000055511151231257827", None),
    ],
)
def test_epsilon_is_the_decimal_that_was_written(
    written: str, exact: Fraction | None
) -> None:
    wanted = Fraction(written) if exact is None else exact
    assert parse_study(study(privacy=f"epsilon = {written}")).budget.epsilon == wanted


def test_delta_is_the_decimal_that_was_written() -> None:
    text = study(privacy="epsilon = 1\ndelta = 1e-6")
    assert parse_study(text).budget.delta == Fraction(1, 10**6)
    text = study(privacy='epsilon = 1\ndelta = "1/3000000"')
    assert parse_study(text).budget.delta == Fraction(1, 3 * 10**6)


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [("[3, 1]", (3, 1)), ("[true, false]", (True, False)), ('["1"]', ("1",))],
)
def test_keys_keep_type_and_order(keys: str, wanted: tuple[object, ...]) -> None:
    text = study(groups=f'column = "g"\nkeys = {keys}')
    (groups,) = parse_study(text).partitions
    assert isinstance(groups, Groups)
    assert groups.keys == wanted
    assert [type(key) for key in groups.keys] == [type(key) for key in wanted]


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        ('path = "a.parquet"', ParquetFiles("a.parquet", where="age > 5")),
        ('path = "a/"', ParquetFiles("a/", where="age > 5")),
        ('path = "a.csv.gz"', CsvFile("a.csv.gz", where="age > 5")),
        (
            'path = "a.txt"\nquote = ""',
            CsvFile("a.txt", quote="", where="age > 5"),
        ),
        (
            'path = "a/"\npartitions = { age = "integer" }',
            ParquetFiles("a/", partitions={"age": "integer"}, where="age > 5"),
        ),
    ],
)
def test_where_keeps_some_rows_of_files(
    data: str, wanted: CsvFile | ParquetFiles
) -> None:
    assert parse_study(study(data=f'{data}\nwhere = "age > 5"')).data == wanted


def test_bounds_may_be_natural_and_cuts_be_counted() -> None:
    text = study(
        bounds='s = { natural = [0, 1] }\ny = "binary"\nw = [0.25, 3]',
        privacy='epsilon = 1\nclipping = "measured"',
    )
    found = parse_study(text)
    assert found.bounds["s"] == Bounds(0, 1, natural=True)
    assert found.clipping == "measured"
    assert parse_study(study()).clipping == "measured"


@pytest.mark.parametrize(
    ("score", "said"),
    [
        ("{ range = [0, 1] }", "$.bounds.s: unknown field 'range'"),
        ("{ natural = true }", "$.bounds.s.natural: must be [lower, upper]"),
        ("{ natural = [1, 0] }", "bounds must be two finite numbers"),
    ],
)
def test_natural_bounds_are_two_numbers(score: str, said: str) -> None:
    text = study(bounds=f's = {score}\ny = "binary"\nw = [0.25, 3]')
    with pytest.raises(DocumentRefused, match=re.escape(said)):
        parse_study(text)
