"""A study file is read strictly, and every refusal says where."""

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from dpratio.errors import DocumentRefused, InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.database import DatabaseTable
from dpratio.terms.groups import Groups
from dpratio.terms.guess import ColumnGuess, Guess
from dpratio.terms.question import Ratio
from dpratio.terms.source import CsvFile
from dpratio.terms.study_file import Study, parse_study
from dpratio.terms.unit import PrivacyUnit

PARTS = {
    "data": (
        'path = "loans.csv"\ncolumns = ["s", "y", "w"]\ndelimiter = ";"\nquote = ""'
    ),
    "ratio": 'numerator = "s"\nper = "y"\nweight = "w"',
    "bounds": 's = [0, 1]\ny = "binary"\nw = [0.25, 3]',
    "groups": 'column = "region"\nkeys = ["north", "south"]\nweight = 2',
    "unit": (
        'column = "user"\ntotals = { s = [0, 5], y = [0, 4] }\nmost_groups = 2\n'
        'neighbours = "change-one"\nkey = "study"'
    ),
    "population": (
        "numerator = { mean = 0.5, sd = 0.22 }\nper = { mean = 0.45 }\n"
        "weight = { mean = 1, sd = 0.6 }\ncorrelation = 0.4"
    ),
    "privacy": (
        'epsilon = 0.1\ndelta = 1e-6\nstrategy = "even"\n'
        'mechanism = "analytic_gaussian"'
    ),
}


def study(**changes: str | None) -> str:
    """Write the study of this file with some of its tables changed or left out."""
    parts = {name: changes.get(name, part) for name, part in PARTS.items()}
    return "\n".join(
        f"[{name}]\n{part}\n" for name, part in parts.items() if part is not None
    )


def refusal(text: str) -> str:
    with pytest.raises(DocumentRefused) as caught:
        parse_study(text)
    return str(caught.value)


def test_every_field_is_read() -> None:
    assert parse_study(study()) == Study(
        data=CsvFile("loans.csv", columns=["s", "y", "w"], delimiter=";", quote=""),
        ratios=(Ratio("s", per="y", weight="w"),),
        bounds={"s": Bounds(0, 1), "y": Bounds.binary(), "w": Bounds(0.25, 3)},
        partitions=(Groups("region", ["north", "south"]),),
        weights=(2.0,),
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
        population=Guess(
            ColumnGuess(0.5, 0.22), ColumnGuess(0.45), ColumnGuess(1, 0.6), 0.4
        ),
    )


def test_what_may_be_left_out_is_none() -> None:
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
    assert read.weights is None
    assert read.unit == PrivacyUnit()
    assert read.ratios[0].weight is None
    assert read.strategy is None
    assert read.mechanism is None
    assert read.population is None
    assert read.budget == Budget(1)


def test_a_guessed_population_may_leave_out_weight_and_correlation() -> None:
    text = study(population="numerator = { mean = 2, sd = 1 }\nper = { mean = 0.5 }")
    assert parse_study(text).population == Guess(ColumnGuess(2, 1), ColumnGuess(0.5))


def test_a_guess_of_the_ratio_and_what_is_wanted_are_read() -> None:
    text = study(
        ratio=(
            'numerator = "s"\nper = "y"\nguess = 1.5\nguess_is = "unknown"\n'
            'residual_bound = 0.25\nanswers = ["ratio", "means"]'
        )
    )
    read = parse_study(text)
    assert read.ratios == (
        Ratio("s", per="y", guess=1.5, guess_is="unknown", residual_bound=0.25),
    )
    assert read.answers == ("ratio", "means")


def test_the_ratio_alone_is_what_is_wanted_by_default() -> None:
    read = parse_study(study())
    assert read.answers == ("ratio",)
    assert read.people is None
    assert read.ratios[0].guess is None
    assert read.ratios[0].guess_is == "close"


def test_a_number_of_people_may_stand_alone_or_beside_a_guess() -> None:
    alone = parse_study(study(population="n = 300"))
    assert (alone.people, alone.population) == (300, None)
    both = parse_study(study(population=f"n = 300\n{PARTS['population']}"))
    assert both.people == 300
    assert both.population == parse_study(study()).population


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (
            'url = "postgres://db/credit"\ntable = "public.loans"',
            DatabaseTable("postgres://db/credit", table="public.loans"),
        ),
        (
            'url = "sqlite:///a.db"\nview = ["main", "a.b"]',
            DatabaseTable("sqlite:///a.db", view=["main", "a.b"]),
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
        ('url = "sqlite:///a.db"', "$.data: one table, view or path is read"),
        ('url = "sqlite:///a.db"\nsql = "SELECT 1"', "$.data: unknown field 'sql'"),
        ('url = 1\ntable = "a"', "$.data.url: must be text"),
        ('url = "sqlite:///a.db"\ntable = 1', "$.data.table: must be text"),
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
    "text",
    ["[ratio", "a = ", "a = 1\na = 2", "\x00", "[ratio]\n[ratio]", "x = 1979-13-01"],
)
def test_what_is_not_toml_is_refused(text: str) -> None:
    message = refusal(text)
    assert message.startswith("$: the study is not valid TOML: ")
    assert message.endswith(".")


@pytest.mark.parametrize("part", ["ratio", "bounds", "privacy"])
def test_a_missing_table_is_named(part: str) -> None:
    assert refusal(study(**{part: None})) == f"$: field '{part}' is missing."


def test_an_unknown_table_is_named_with_the_known_ones() -> None:
    message = refusal(study() + "[ledger]\n")
    assert message.startswith("$: unknown field 'ledger'. Known fields: bounds, data, ")


@pytest.mark.parametrize(
    ("part", "line", "known"),
    [
        ("data", "seed = 1", "columns, delimiter, path, quote"),
        (
            "ratio",
            'denominator = "y"',
            "answers, guess, guess_is, minus, numerator, per, residual_bound, weight",
        ),
        ("groups", "sorted = true", "column, keys, weight"),
        ("unit", "ids = true", "column, key, most_groups, neighbours, totals"),
        ("population", "seed = 1", "correlation, n, numerator, per, weight"),
        ("privacy", "seed = 1", "delta, epsilon, mechanism, scope, strategy"),
    ],
)
def test_an_unknown_field_is_named_with_its_path(
    part: str, line: str, known: str
) -> None:
    name = line.split(" ", maxsplit=1)[0]
    assert refusal(study(**{part: f"{PARTS[part]}\n{line}"})) == (
        f"$.{part}: unknown field '{name}'. Known fields: {known}."
    )


@pytest.mark.parametrize(
    ("part", "text", "message"),
    [
        ("data", "", "$.data: field 'path' is missing."),
        ("data", "path = 1", "$.data.path: must be text, got 1."),
        (
            "data",
            'path = "a"\ncolumns = "s"',
            "$.data.columns: must be a list, got 's'.",
        ),
        (
            "data",
            'path = "a"\ncolumns = ["s", 1]',
            "$.data.columns[1]: must be text, got 1.",
        ),
        (
            "data",
            'path = "a"\ndelimiter = 1',
            "$.data.delimiter: must be text, got 1.",
        ),
        ("data", 'path = "a"\nquote = 1', "$.data.quote: must be text, got 1."),
        (
            "data",
            'path = "a"\ndelimiter = ";;"',
            (
                "$.data: delimiter must be one character, got ';;'. "
                "Use one ASCII character such as ',' or ';' or a tab."
            ),
        ),
        (
            "data",
            'path = "a"\ncolumns = []',
            "$.data: CSV columns must be named, each once, got [].",
        ),
        ("ratio", 'per = "y"', "$.ratio: field 'numerator' is missing."),
        ("ratio", 'numerator = "s"', "$.ratio: field 'per' is missing."),
        (
            "ratio",
            'numerator = 1\nper = "y"',
            "$.ratio.numerator: must be text, got 1.",
        ),
        (
            "ratio",
            'numerator = "s"\nper = 1',
            "$.ratio.per: must be text, got 1.",
        ),
        (
            "ratio",
            'numerator = "s"\nper = "y"\nweight = 1',
            "$.ratio.weight: must be text, got 1.",
        ),
        (
            "ratio",
            'numerator = "s"\nper = "s"',
            (
                "$.ratio: the columns of a ratio differ, got ['s', 's']. "
                "Copy a column under another name if it must play two parts."
            ),
        ),
        ("bounds", "s = 1", "$.bounds.s: must be [lower, upper] or 'binary', got 1."),
        (
            "bounds",
            's = "Binary"',
            "$.bounds.s: must be [lower, upper] or 'binary', got 'Binary'.",
        ),
        (
            "bounds",
            "s = [0, 1, 2]",
            "$.bounds.s: must be [lower, upper] or 'binary', got [0, 1, 2].",
        ),
        ("bounds", 's = ["0", 1]', "$.bounds.s[0]: must be a number, got '0'."),
        ("bounds", "s = [0, true]", "$.bounds.s[1]: must be a number, got True."),
        (
            "bounds",
            "s = [0, inf]",
            "$.bounds.s[1]: must be a finite number, got Infinity.",
        ),
        (
            "bounds",
            "s = [nan, 1]",
            "$.bounds.s[0]: must be a finite number, got NaN.",
        ),
        (
            "bounds",
            "s = [1, 0]",
            (
                "$.bounds.s: bounds must be finite and in order, got (1.0, 0.0). "
                "Give two finite numbers, the smaller first."
            ),
        ),
        ("groups", 'keys = ["a"]', "$.groups: field 'column' is missing."),
        ("groups", 'column = "g"', "$.groups: field 'keys' is missing."),
        (
            "groups",
            'column = 1\nkeys = ["a"]',
            "$.groups.column: must be text, got 1.",
        ),
        (
            "groups",
            'column = "g"\nkeys = "a"',
            "$.groups.keys: must be a list, got 'a'.",
        ),
        (
            "groups",
            'column = "g"\nkeys = ["a", 0.5]',
            "$.groups.keys[1]: must be text, got 0.5.",
        ),
        (
            "groups",
            'column = "g"\nkeys = ["a", "a"]',
            "$.groups: a group key is declared once, got ['a'].",
        ),
        (
            "ratio",
            'numerator = "s"\nper = "y"\nguess = "1"',
            "$.ratio.guess: must be a number, got '1'.",
        ),
        (
            "ratio",
            'numerator = "s"\nper = "y"\nguess = 1e99',
            (
                "$.ratio: the guess of a ratio must be 0, or between 2^-50 and 2^50 "
                "in size, got 1e+99."
            ),
        ),
        (
            "ratio",
            'numerator = "s"\nper = "y"\nguess_is = 1',
            "$.ratio.guess_is: must be text, got 1.",
        ),
        (
            "ratio",
            'numerator = "s"\nper = "y"\nguess_is = "far"',
            "$.ratio: unknown guess_is, got 'far'. Use one of: close, unknown.",
        ),
        (
            "ratio",
            'numerator = "s"\nper = "y"\nresidual_bound = -1',
            "$.ratio: the residual bound must be a positive number, got -1.0.",
        ),
        (
            "ratio",
            'numerator = "s"\nper = "y"\nanswers = "means"',
            "$.ratio.answers: must be a list, got 'means'.",
        ),
        (
            "ratio",
            'numerator = "s"\nper = "y"\nanswers = ["ratio", 1]',
            "$.ratio.answers[1]: must be text, got 1.",
        ),
        (
            "population",
            "n = 0.5",
            "$.population.n: must be a whole number, got 0.5.",
        ),
        (
            "population",
            "per = { mean = 1 }",
            "$.population: field 'numerator' is missing.",
        ),
        (
            "population",
            "numerator = 1\nper = { mean = 1 }",
            "$.population.numerator: must be a table of fields, got 1.",
        ),
        (
            "population",
            "numerator = { sd = 1 }\nper = { mean = 1 }",
            "$.population.numerator: field 'mean' is missing.",
        ),
        (
            "population",
            'numerator = { mean = 1 }\nper = { mean = 1, sd = "1" }',
            "$.population.per.sd: must be a number, got '1'.",
        ),
        (
            "population",
            "numerator = { mean = 1 }\nper = { mean = 1, median = 1 }",
            "$.population.per: unknown field 'median'. Known fields: mean, sd.",
        ),
        (
            "population",
            "numerator = { mean = 1 }\nper = { mean = 1 }\ncorrelation = 1",
            "$.population: correlation must lie between -1 and 1, got 1.0.",
        ),
        (
            "population",
            "numerator = { mean = 1 }\nper = { mean = 0 }",
            "$.population: the denominator's mean cannot be 0, got 0.0.",
        ),
        ("privacy", "delta = 0", "$.privacy: field 'epsilon' is missing."),
        ("privacy", "epsilon = true", "$.privacy.epsilon: must be a number, got True."),
        ("privacy", "epsilon = []", "$.privacy.epsilon: must be a number, got []."),
        (
            "privacy",
            "epsilon = nan",
            "$.privacy.epsilon: must be a finite number, got NaN.",
        ),
        (
            "privacy",
            'epsilon = "1e-6"',
            (
                "$.privacy.epsilon: must be an exact number such as '1/35' or '0.2', "
                "got '1e-6'."
            ),
        ),
        (
            "privacy",
            "epsilon = 1\ndelta = [0]",
            "$.privacy.delta: must be a number, got [0].",
        ),
        (
            "privacy",
            "epsilon = 1\nstrategy = 1",
            "$.privacy.strategy: must be text, got 1.",
        ),
        (
            "privacy",
            "epsilon = 1\nmechanism = 1",
            "$.privacy.mechanism: must be text, got 1.",
        ),
    ],
)
def test_a_bad_field_is_refused_with_its_path(
    part: str, text: str, message: str
) -> None:
    assert refusal(study(**{part: text})) == message


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("epsilon = 0", "$.privacy: epsilon must be positive"),
        ("epsilon = -1", "$.privacy: epsilon must be positive"),
        ("epsilon = 1\ndelta = 1", "$.privacy: delta must be at least 0, below 1"),
        ("epsilon = 1\ndelta = 1e-200", "$.privacy: delta must be 0 or at least"),
    ],
)
def test_a_budget_out_of_range_is_refused_where_it_stands(
    text: str, start: str
) -> None:
    assert refusal(study(privacy=text)).startswith(start)


@pytest.mark.parametrize("part", sorted(PARTS))
def test_a_table_must_be_a_table(part: str) -> None:
    text = f"{part} = 1\n" + study(**{part: None})
    assert refusal(text) == f"$.{part}: must be a table of fields, got 1."


@pytest.mark.parametrize(
    "written",
    [
        "1" * 5000,  # more digits than Python reads as one integer
        "0x" + "f" * 5000,  # read, but too long to print
        "1e99999999999999999999",  # an exponent no Decimal can hold
        "[" * 5000,  # deeper than the interpreter's stack
    ],
    ids=["digits", "hexadecimal", "exponent", "nesting"],
)
def test_text_made_to_break_the_reader_is_refused_in_our_own_words(
    written: str,
) -> None:
    assert refusal(study(privacy=f"epsilon = {written}")).startswith("$")


def test_an_absurd_exponent_is_refused_at_once() -> None:
    """Turning it into a fraction would write a hundred million digits."""
    code = (
        "import sys\nfrom dpratio import DocumentRefused, parse_study\n"
        "try:\n    parse_study(sys.stdin.read())\n"
        "except DocumentRefused as error:\n    print(error)\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command,
        input=study(privacy="epsilon = 1e-99999999"),
        capture_output=True,
        text=True,
        timeout=5,
        check=True,
    )
    assert done.stdout.startswith("$.privacy")


def test_a_path_is_no_study() -> None:
    with pytest.raises(InvalidInput, match="Read the file first"):
        parse_study(Path("study.toml"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    ["a" + ".a" * 60 + " = 1", "[" + '"a b" . ' * 60 + "c]", "x = {'a'" + ".a" * 99],
)
def test_a_name_of_many_names_is_refused_before_it_is_read(text: str) -> None:
    """The time that TOML takes for it grows with the square of their number."""
    with pytest.raises(DocumentRefused, match="more than 50 names in a row"):
        parse_study(text)


@pytest.mark.parametrize("word", ["0.25", "'.a.'", '".a."'])
def test_many_words_with_dots_are_no_long_name(word: str) -> None:
    with pytest.raises(DocumentRefused, match="unknown field 'edges'"):
        parse_study(f"edges = [{', '.join([word] * 900)}]")
