"""What is no study is refused with the path of what is wrong, and at once."""

import subprocess
import sys

import pytest

from dpratio.errors import DocumentRefused
from dpratio.terms.study_file import parse_study
from terms.study_of_loans import PARTS, study

RATIO = 'numerator = "s"\nper = "y"\n'
KEYS = 'column = "g"\nkeys = '
DAYS = 'column = "g"\nevery = "day"\n'
FIND = "find = { epsilon = 1, delta = 1e-7 }"
PEOPLE = "numerator = { mean = 1 }\nper = "
DUCKDB = 'url = "duckdb:///a.db"\n'
# By table of a study: what it says, and the place and the rule of the refusal.
BAD: dict[str, dict[str, tuple[str, str]]] = {
    "data": {
        "": ("", "field 'path' is missing"),
        "path = 1": (".path", "must be text"),
        'path = "a.txt"': (".path", "must end in"),
        'path = "{a}.csv"': (".path", "no other braces"),
        'path = "a"\ncolumns = "s"': (".columns", "must be a list"),
        'path = "a"\ncolumns = ["s", 1]': (".columns[1]", "must be text"),
        'path = "a"\ncolumns = []': (".columns", "must be named"),
        'path = "a"\ndelimiter = 1': (".delimiter", "must be text"),
        'path = "a"\ndelimiter = ";;"': (".delimiter", "one character"),
        'path = "a"\nquote = 1': (".quote", "must be text"),
        'path = "a/"\npartitions = ["k"]': (".partitions", "must be a table"),
        'path = "a/"\npartitions = { k = "int" }': ("", "unknown kind"),
        'path = "a/"\npartitions = {}\nquote = ""': (".partitions", "Parquet"),
        'path = "a.csv"\npartitions = { a = "text" }': (".partitions", "Parquet"),
        'url = "mysql://db"\ntable = "a"': (".url", "an address names"),
        'url = 1\ntable = "a"': (".url", "must be text"),
        DUCKDB: (".table", "a table is named"),
        f"{DUCKDB}table = 1": (".table", "must be text"),
        f'{DUCKDB}view = "a"': (".view", "64 hexadecimal digits"),
        f'{DUCKDB}sql = "SELECT 1"': ("", "unknown field 'sql'"),
        f'{DUCKDB}table = "a"\npartitions = {{ k = "text" }}': (".partitions", "path"),
        **{
            f'path = "a.parquet"\nwhere = {where}': (f".where{place}", rule)
            for where, place, rule in (
                ('"day > 5"', "", "must be a list"),
                ('["day"]', "[0]", "must be a list"),
                ('[["a", "=", 1], ["a", "like", "b"]]', "[1]", "a condition is"),
                ('[["a", "=", "\\u0000"]]', "[0][2]", "without NUL"),
                ('[["a", "in", ["b", {}]]]', "[0][2][1]", "must be a key"),
                ('[["a", "=", nan]]', "[0][2]", "finite number"),
                ('[["a", "=", { missing = true }]]', "[0]", "a condition"),
                ('[["a", "=", 2026-01-01T00:00:00]]', "[0][2]", "must be text"),
            )
        },
    },
    "ratio": {
        'per = "y"': ("", "field 'numerator' is missing"),
        'numerator = "s"': ("", "field 'per' is missing"),
        'numerator = 1\nper = "y"': (".numerator", "must be text"),
        'numerator = "s"\nper = "s"': ("", "columns of a ratio differ"),
        'numerator = "s\\u0000"\nper = "y"': (".numerator", "without NUL"),
        'numerator = "s\\u202e"\nper = "y"': ("", "a column name must be text"),
        'numerator = "s\\u0007"\nper = "y"': ("", "a column name must be text"),
        f"{RATIO}weight = 1": (".weight", "must be text"),
        f'{RATIO}guess = "1"': (".guess", "must be a number"),
        f"{RATIO}guess = true": (".guess", "must be a number"),
        f"{RATIO}guess = 1e99": (".guess", "2^-50 and 2^50"),
        f"{RATIO}guess = 1e400": (".guess", "finite number"),
        f"{RATIO}guess_is = 1": (".guess_is", "one of close, unknown"),
        f'{RATIO}guess_is = "far"': (".guess_is", "one of close, unknown"),
        f"{RATIO}residual_bound = -1": (".residual_bound", "positive number"),
        f'{RATIO}answers = "means"': (".answers", "must be a list"),
        f'{RATIO}answers = ["ratio", 1]': (".answers[1]", "must be text"),
    },
    "bounds": {
        "s = 1": (".s", "must be a list"),
        's = "Binary"': (".s", "must be a list"),
        "s = [0, 1, 2]": (".s", "a list of 2"),
        's = ["0", 1]': (".s[0]", "must be a number"),
        "s = [0, true]": (".s[1]", "must be a number"),
        "s = [0, inf]": (".s[1]", "finite number"),
        "s = [nan, 1]": (".s[0]", "finite number"),
        "s = [0, 1e400]": (".s[1]", "finite number"),
        "s = [1, 0]": (".s", "the smaller first"),
        "s = { natural = [1, 0] }": (".s", "the smaller first"),
    },
    "groups": {
        'keys = ["a"]': ("", "field 'column' is missing"),
        'column = "g"': ("", "field 'keys' is missing"),
        'cross = [{ column = "g" }]': (".cross[0]", "field 'keys' is missing"),
        "whole = 1": (".whole", "must be true"),
        "whole = false": (".whole", "must be true"),
        'whole = true\ncolumn = "g"': ("", "unknown field 'column'"),
        "cross = 1": (".cross", "must be a list"),
        "cross = [1]": (".cross[0]", "must be a table"),
        'cross = [{ column = "a", keys = ["x"], weight = 2 }]': (
            ".cross[0]",
            "unknown field 'weight'",
        ),
        "cross = []": (".cross", "groups are crossed"),
        'column = "g"\nfind = { epsilon = 1 }': (".find", "field 'delta' is missing"),
        'column = "g"\nfind = { epsilon = 1, delta = 0 }': (".find", "delta above 0"),
        f'column = "g"\nkind = "blob"\n{FIND}': (".kind", "must be one of"),
        'columns = "g"\nkeys = []': (".columns", "must be a list"),
        'columns = ["g", 1]\nkeys = []': (".columns[1]", "must be text"),
        'columns = ["g", "h"]\nkeys = ["a"]': (".keys[0]", "must be a list"),
        'columns = ["g", "h"]\nkeys = [["a"]]': (".keys", "as many keys"),
        'column = "g"\nbins = 0.5': (".bins", "a whole number"),
        'column = "g"\nbins = 0': (".bins", "between 1 and 1000"),
        'column = "g"\nbins = true': (".bins", "a whole number"),
        'column = "g"\nbins = [0, "1"]': (".bins[1]", "must be a number"),
        'column = "g"\nbins = [1, 0]': (".bins", "rising edges"),
        f"{DAYS}first = 2026-01-01": ("", "field 'last' is missing"),
        f"{DAYS}first = 2026\nlast = 2026-01-01": (".first", "a day is a date"),
        f'{DAYS}first = "soon"\nlast = 2026-01-01': (".first", "a day is a date"),
        f'{DAYS}first = 2026-01-01T00:00:00\nlast = "x"': (".first", "must be text"),
        'column = "g"\nevery = "year"\nfirst = 2026-01-01\nlast = 2026-01-01': (
            ".every",
            "must be one of day",
        ),
        **{
            f"{KEYS}[{{ {key} }}]": (".keys[0]", "must be a key")
            for key in ("missing = false", "none = true", 'integer = "01"')
        },
        f"{KEYS}[0.5]": (".keys[0]", "must be text"),
        f"{KEYS}[2026-01-01T00:00:00]": (".keys[0]", "must be text"),
        f'{KEYS}"a"': (".keys", "must be a list"),
        f'{KEYS}["a", "a"]': (".keys", "is declared once"),
        f"{KEYS}[1, true]": (".keys", "must be all text"),
        f'{KEYS}["a\\u0000"]': (".keys[0]", "without NUL"),
        f'{KEYS}["a"]\nbudget_share = true': (".budget_share", "must be a number"),
        f'{KEYS}["a"]\nmost_groups = 3': ("", "unknown field 'most_groups'"),
        f'{KEYS}["a"]\ntotals = {{ z = [0, 1] }}': ("", "no ratio adds up"),
        f'{KEYS}["a"]\ntotals = {{ s = 6 }}': (".totals.s", "must be a list"),
    },
    "unit": {
        "column = 1": (".column", "must be text"),
        "totals = []": (".totals", "must be a table"),
        "totals = { s = 1 }": (".totals.s", "must be a list"),
        "most_groups = 1.5": (".most_groups", "a whole number"),
        "most_groups = 2": (".most_groups", "a column of ids"),
        'neighbours = "swap"': (".neighbours", "must be one of"),
        "noun = 1": (".noun", "must be text"),
        'noun = ""': (".noun", "must be one line"),
        'noun = "a\\u001b[2J"': (".noun", "must be one line"),
    },
    "population": {
        "n = 0.5": (".n", "a whole number"),
        "per = { mean = 1 }": ("", "field 'numerator' is missing"),
        "numerator = 1\nper = { mean = 1 }": (".numerator", "must be a table"),
        "numerator = { sd = 1 }\nper = { mean = 1 }": (
            ".numerator",
            "field 'mean' is missing",
        ),
        f'{PEOPLE}{{ mean = 1, sd = "1" }}': (".per.sd", "must be a number"),
        f"{PEOPLE}{{ mean = 1, median = 1 }}": (".per", "unknown field 'median'"),
        f"{PEOPLE}{{ mean = 1 }}\ncorrelation = 1": (".correlation", "between -1 and"),
        f"{PEOPLE}{{ mean = 0 }}": (".per", "cannot be 0"),
    },
    "privacy": {
        "delta = 0": ("", "field 'epsilon' is missing"),
        "epsilon = true": (".epsilon", "must be a number"),
        "epsilon = []": (".epsilon", "must be a number"),
        "epsilon = nan": (".epsilon", "finite number"),
        "epsilon = 1e400": (".epsilon", "finite number"),
        "epsilon = 0": (".epsilon", "must be positive"),
        "epsilon = -1": (".epsilon", "must be positive"),
        'epsilon = "1e-6"': (".epsilon", "an exact number"),
        "epsilon = 1\ndelta = [0]": (".delta", "must be a number"),
        "epsilon = 1\ndelta = 1": (".delta", "below 1"),
        "epsilon = 1\ndelta = 1e-200": (".delta", "at least 1e-100"),
        "epsilon = 1\nstrategy = 1": (".strategy", "must be text"),
        "epsilon = 1\nmechanism = 1": (".mechanism", "must be text"),
    },
}
ROWS = [
    (part, text, *refusal)
    for part, texts in BAD.items()
    for text, refusal in texts.items()
]


def refused(text: str) -> DocumentRefused:
    """Read the text as a study, which must be refused."""
    with pytest.raises(DocumentRefused) as caught:
        parse_study(text)
    return caught.value


@pytest.mark.parametrize(("part", "text", "place", "rule"), ROWS)
def test_a_bad_field_is_refused_with_its_path(
    part: str, text: str, place: str, rule: str
) -> None:
    error = refused(study(**{part: text}))
    assert str(error).startswith(f"$.{part}{place}: ")
    assert rule in str(error)
    assert "\n" not in str(error)
    is_missing = "is missing" in rule or "unknown field" in rule
    assert is_missing or error.field == f"$.{part}{place}"


def test_a_bad_ratio_of_several_is_refused_with_its_place() -> None:
    ratio = f"[[ratio]]\n{RATIO}[[ratio]]\nper = 1\n"
    assert refused(study(ratio=None) + ratio).field == "$.ratio[1].numerator"


def test_questions_are_refused_as_a_study_has_them() -> None:
    error = refused(study(groups='column = "s"\nbins = [0, 2]'))
    assert "within the bounds of 's'" in str(error)
    for name in ("a\\u202e", "a\\u001b"):
        error = refused(study(ratio=f'{RATIO}name = "{name}"'))
        assert "must be plain text" in str(error)


@pytest.mark.parametrize("part", ["ratio", "bounds", "privacy"])
def test_a_missing_table_is_named(part: str) -> None:
    assert str(refused(study(**{part: None}))) == f"$: field '{part}' is missing."


@pytest.mark.parametrize("part", sorted(PARTS))
def test_a_table_must_be_a_table(part: str) -> None:
    error = refused(f"{part} = 1\n" + study(**{part: None}))
    assert str(error).startswith(f"$.{part}: must be a table of fields")


@pytest.mark.parametrize(
    ("part", "line", "known"),
    [
        ("data", "seed = 1", "columns, dates, decimal, delimiter, partitions, path"),
        ("ratio", 'denominator = "y"', "answers, groups, guess, guess_is, minus, name"),
        (
            "groups",
            "sorted = true",
            "bins, budget_share, column, columns, cross, every",
        ),
        ("unit", "ids = true", "column, most_groups, neighbours, noun, totals"),
        ("population", "seed = 1", "correlation, n, numerator, per, weight"),
        ("privacy", "seed = 1", "clipping, delta, epsilon, mechanism, scope, stage"),
    ],
)
def test_an_unknown_field_is_named_with_its_path(
    part: str, line: str, known: str
) -> None:
    name = line.split(" ", maxsplit=1)[0]
    error = refused(study(**{part: f"{PARTS[part]}\n{line}"}))
    assert error.field == f"$.{part}.{name}"
    assert f"unknown field '{name}'. Known fields: {known}" in str(error)
    assert refused(study() + "[ledger]\n").field == "$.ledger"


@pytest.mark.parametrize(
    "text",
    ["[ratio", "a = ", "a = 1\na = 2", "\x00", "[ratio]\n[ratio]", "x = 1979-13-01"],
)
def test_what_is_not_toml_is_refused(text: str) -> None:
    assert str(refused(text)).startswith("$: not valid TOML: ")


@pytest.mark.parametrize(
    "written",
    [
        *("1" * 5000, "1" * 10**7),  # more digits than Python reads as one integer
        "0x" + "f" * 5000,  # read, but too long to print
        "1e99999999999999999999",  # an exponent no Decimal can hold
        "[" * 10**6,  # deeper than the interpreter's stack
    ],
    ids=["digits", "10 MB of digits", "hexadecimal", "exponent", "nesting"],
)
def test_text_made_to_break_the_reader_is_refused_in_our_own_words(
    written: str,
) -> None:
    assert str(refused(study(privacy=f"epsilon = {written}"))).startswith("$")


def test_an_absurd_exponent_is_refused_at_once() -> None:
    """Turning it into a fraction would write a hundred million digits."""
    code = (
        "import sys\nfrom dpratio import parse_study\n"
        "from dpratio.errors import DocumentRefused\n"
        "try:\n    parse_study(sys.stdin.read())\n"
        "except DocumentRefused as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=study(privacy="epsilon = 1e-99999999"),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.startswith("$.privacy")


@pytest.mark.parametrize(
    "text",
    ["a" + ".a" * 60 + " = 1", "[" + '"a b" . ' * 60 + "c]", "x = {'a'" + ".a" * 99],
)
def test_a_name_of_many_names_is_refused_before_it_is_read(text: str) -> None:
    """The time that TOML takes for it grows with the square of their number."""
    assert "more than 50 names" in str(refused(text))


@pytest.mark.parametrize("word", ["0.25", "'.a.'", '".a."'])
def test_many_words_with_dots_are_no_long_name(word: str) -> None:
    assert refused(f"edges = [{', '.join([word] * 900)}]").field == "$.edges"
