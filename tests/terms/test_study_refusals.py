"""What is no study is refused with the path of what is wrong."""

import subprocess
import sys
from pathlib import Path

import pytest

from dpratio.errors import DocumentRefused, InvalidInput
from dpratio.terms.study_file import parse_study
from terms.study_of_loans import PARTS, refusal, study

RATIO = 'numerator = "s"\nper = "y"\n'
# By table of a study: what it says, and the refusal after the path of the table.
BAD: dict[str, dict[str, str]] = {
    "data": {
        "": ": field 'path' is missing.",
        "path = 1": ".path: must be text, got 1.",
        'path = "a"\ncolumns = "s"': ".columns: must be a list, got 's'.",
        'path = "a"\ncolumns = ["s", 1]': ".columns[1]: must be text, got 1.",
        'path = "{a}.csv"': (
            ".path: a path begins with one ${VARIABLE} at most, holds {period} once, "
            "and no other braces, got '{a}.csv'."
        ),
        'path = "a"\ndelimiter = 1': ".delimiter: must be text, got 1.",
        'path = "a"\nquote = 1': ".quote: must be text, got 1.",
        'path = "a"\ndelimiter = ";;"': (
            ".delimiter: delimiter must be one character, got ';;'. Use one ASCII "
            "character such as ',' or ';' or a tab."
        ),
        'path = "a"\ncolumns = []': (
            ".columns: CSV columns must be named, each once, got ()."
        ),
    },
    "ratio": {
        'per = "y"': ": field 'numerator' is missing.",
        'numerator = "s"': ": field 'per' is missing.",
        'numerator = 1\nper = "y"': ".numerator: must be text, got 1.",
        'numerator = "s"\nper = 1': ".per: must be text, got 1.",
        f"{RATIO}weight = 1": ".weight: must be text, got 1.",
        'numerator = "s"\nper = "s"': (
            ": the columns of a ratio differ, got ['s', 's']. Copy a column under "
            "another name if it must play two parts."
        ),
        f'{RATIO}guess = "1"': ".guess: must be a number, got '1'.",
        f"{RATIO}guess = 1e99": (
            ".guess: the guess of a ratio must be 0, or between 2^-50 and 2^50 in "
            "size, got 1e+99."
        ),
        f"{RATIO}guess_is = 1": ".guess_is: must be one of close, unknown, got 1.",
        f'{RATIO}guess_is = "far"': (
            ".guess_is: must be one of close, unknown, got 'far'."
        ),
        f"{RATIO}residual_bound = -1": (
            ".residual_bound: the residual bound must be a positive number, got -1.0."
        ),
        f'{RATIO}answers = "means"': ".answers: must be a list, got 'means'.",
        f'{RATIO}answers = ["ratio", 1]': ".answers[1]: must be text, got 1.",
    },
    "bounds": {
        "s = 1": ".s: must be [lower, upper] or 'binary', got 1.",
        's = "Binary"': ".s: must be [lower, upper] or 'binary', got 'Binary'.",
        "s = [0, 1, 2]": (".s: must be [lower, upper] or 'binary', got [0, 1, 2]."),
        's = ["0", 1]': ".s[0]: must be a number, got '0'.",
        "s = [0, true]": ".s[1]: must be a number, got True.",
        "s = [0, inf]": ".s[1]: must be a finite number, got Infinity.",
        "s = [nan, 1]": ".s[0]: must be a finite number, got NaN.",
        "s = [1, 0]": (
            ".s: bounds must be two finite numbers, the smaller first, got (1.0, 0.0)."
        ),
    },
    "groups": {
        'keys = ["a"]': ": field 'column' is missing.",
        'column = "g"': ": field 'keys' is missing.",
        'cross = [{ column = "g" }]': ".cross[0]: field 'keys' is missing.",
        "whole = 1": ".whole: must be true, or left out, got 1.",
        "whole = false": ".whole: must be true, or left out, got False.",
        'whole = true\ncolumn = "g"': (
            ": unknown field 'column'. Known fields: budget_share, totals, whole."
        ),
        "cross = 1": ".cross: must be a list, got 1.",
        "cross = [1]": ".cross[0]: must be a table of fields, got 1.",
        'cross = [{ column = "a", keys = ["x"], weight = 2 }]': (
            ".cross[0]: unknown field 'weight'. Known fields: column, keys."
        ),
        "cross = []": (
            ".cross: groups are crossed from Keys, ScoreBins and Periods, got []."
        ),
        'column = "g"\nfind = { epsilon = 1 }': ".find: field 'delta' is missing.",
        'column = "g"\nfind = { epsilon = 1, delta = 0 }': (
            ".find: finding keys needs a delta above 0. Give a delta such as 1e-7."
        ),
        'column = "g"\nkind = "blob"\nfind = { epsilon = 1, delta = 1e-7 }': (
            ".kind: must be one of text, integer, boolean, date, got 'blob'."
        ),
        'columns = "g"\nkeys = []': ".columns: must be a list, got 'g'.",
        'columns = ["g", 1]\nkeys = []': ".columns[1]: must be text, got 1.",
        'columns = ["g", "h"]\nkeys = ["a"]': ".keys[0]: must be a list, got 'a'.",
        'columns = ["g", "h"]\nkeys = [["a"]]': (
            ".keys: a cell of 2 columns needs as many keys, got ('a',)."
        ),
        'column = "g"\nbins = 0.5': ".bins: must be a whole number, got 0.5.",
        'column = "g"\nbins = [0, "1"]': ".bins[1]: must be a number, got '1'.",
        'column = "g"\nbins = [1, 0]': (
            ".bins: bins must be a number from 1 to 1,000, or a list of rising edges "
            "such as [0, 0.2, 0.5, 1], got (1.0, 0.0)."
        ),
        'column = "g"\nbins = 0': (".bins: must lie between 1 and 1000, got 0."),
        'column = "g"\nevery = "month"\nfirst = 2026-01-01': (
            ": field 'last' is missing."
        ),
        'column = "g"\nevery = "year"\nfirst = 2026-01-01\nlast = 2026-01-01': (
            ".every: must be one of day, week, month, quarter, got 'year'."
        ),
        'column = "g"\nevery = "day"\nfirst = 2026\nlast = 2026-01-01': (
            ".first: a day is a date such as 2026-01-31, got 2026."
        ),
        'column = "g"\nevery = "day"\nfirst = "soon"\nlast = 2026-01-01': (
            ".first: a day is a date such as 2026-01-31, got 'soon'."
        ),
        'column = "g"\nevery = "day"\nfirst = 2026-01-01T00:00:00\nlast = "x"': (
            ".first: must be text, got a datetime."
        ),
        **{
            f'column = "g"\nkeys = [{{ {key} }}]': (
                ".keys[0]: must be a key such as 'north' or { missing = true }, got a "
                "dict."
            )
            for key in (
                "missing = false",
                "missing = 1",
                "none = true",
                'integer = "01"',
            )
        },
        'column = "g"\nkeys = [0.5]': ".keys[0]: must be text, got 0.5.",
        'column = "g"\nkeys = [2026-01-01T00:00:00]': (
            ".keys[0]: must be text, got a datetime."
        ),
        'column = "g"\nkeys = ["a"]\nbudget_share = true': (
            ".budget_share: must be a number, got True."
        ),
        'column = "g"\nkeys = "a"': ".keys: must be a list, got 'a'.",
        'column = "g"\nkeys = ["a", "a"]': (
            ".keys: a group key is declared once, got ['a']."
        ),
        'column = "g"\nkeys = ["a"]\nmost_groups = 3': (
            ": unknown field 'most_groups'. "
            "Known fields: budget_share, column, keys, totals."
        ),
        'column = "g"\nkeys = ["a"]\ntotals = { z = [0, 1] }': (
            ": no ratio adds up 'z'."
        ),
        'column = "g"\nkeys = ["a"]\ntotals = { s = 6 }': (
            ".totals.s: must be [lower, upper] or 'binary', got 6."
        ),
    },
    "unit": {
        "column = 1": ".column: must be text, got 1.",
        "totals = []": ".totals: must be a table of fields, got [].",
        "totals = { s = 1 }": (".totals.s: must be [lower, upper] or 'binary', got 1."),
        "most_groups = 1.5": ".most_groups: must be a whole number, got 1.5.",
        "key = 1": ".key: must be text, got 1.",
        'neighbours = "swap"': (
            ".neighbours: must be one of add-or-remove-one, change-one, got 'swap'."
        ),
        "most_groups = 2": (
            ".most_groups: totals and most_groups need a unit with a column of ids."
        ),
        "noun = 1": ".noun: must be text, got 1.",
        'noun = ""': (
            ".noun: noun must be a plural of up to 40 letters, got ''. Write for "
            "instance 'aircraft'."
        ),
    },
    "population": {
        "n = 0.5": ".n: must be a whole number, got 0.5.",
        "per = { mean = 1 }": ": field 'numerator' is missing.",
        "numerator = 1\nper = { mean = 1 }": (
            ".numerator: must be a table of fields, got 1."
        ),
        "numerator = { sd = 1 }\nper = { mean = 1 }": (
            ".numerator: field 'mean' is missing."
        ),
        'numerator = { mean = 1 }\nper = { mean = 1, sd = "1" }': (
            ".per.sd: must be a number, got '1'."
        ),
        "numerator = { mean = 1 }\nper = { mean = 1, median = 1 }": (
            ".per: unknown field 'median'. Known fields: mean, sd."
        ),
        "numerator = { mean = 1 }\nper = { mean = 1 }\ncorrelation = 1": (
            ".correlation: correlation must lie between -1 and 1, got 1.0."
        ),
        "numerator = { mean = 1 }\nper = { mean = 0 }": (
            ".per: the denominator's mean cannot be 0."
        ),
    },
    "privacy": {
        "delta = 0": ": field 'epsilon' is missing.",
        "epsilon = true": ".epsilon: must be a number, got True.",
        "epsilon = []": ".epsilon: must be a number, got [].",
        "epsilon = nan": ".epsilon: must be a finite number, got NaN.",
        'epsilon = "1e-6"': (
            ".epsilon: must be an exact number such as '1/35' or '0.2', got '1e-6'."
        ),
        "epsilon = 1\ndelta = [0]": ".delta: must be a number, got [0].",
        "epsilon = 1\nstrategy = 1": ".strategy: must be text, got 1.",
        "epsilon = 1\nmechanism = 1": ".mechanism: must be text, got 1.",
    },
}


@pytest.mark.parametrize(
    ("part", "text", "message"),
    [(part, *each) for part, fields in BAD.items() for each in fields.items()],
)
def test_a_bad_field_is_refused_with_its_path(
    part: str, text: str, message: str
) -> None:
    assert refusal(study(**{part: text})) == f"$.{part}{message}"


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("epsilon = 0", "$.privacy.epsilon: epsilon must be positive"),
        ("epsilon = -1", "$.privacy.epsilon: epsilon must be positive"),
        (
            "epsilon = 1\ndelta = 1",
            "$.privacy.delta: delta must be 0, or",
        ),
        (
            "epsilon = 1\ndelta = 1e-200",
            "$.privacy.delta: delta must be 0, or",
        ),
    ],
)
def test_a_budget_out_of_range_is_refused_where_it_stands(
    text: str, start: str
) -> None:
    assert refusal(study(privacy=text)).startswith(start)


def test_a_bad_ratio_of_several_is_refused_with_its_place() -> None:
    ratio = f"[[ratio]]\n{RATIO}[[ratio]]\nper = 1\n"
    message = refusal(study(ratio=None) + ratio)
    assert message == "$.ratio[1]: field 'numerator' is missing."


@pytest.mark.parametrize(
    "text",
    ["[ratio", "a = ", "a = 1\na = 2", "\x00", "[ratio]\n[ratio]", "x = 1979-13-01"],
)
def test_what_is_not_toml_is_refused(text: str) -> None:
    message = refusal(text)
    assert message.startswith("$: the study is not valid TOML: ")
    assert message.endswith(".")


KNOWN = (
    "answers, groups, guess, guess_is, minus, name, numerator, per, residual_bound, "
    "weight"
)


@pytest.mark.parametrize("part", ["ratio", "bounds", "privacy"])
def test_a_missing_table_is_named(part: str) -> None:
    assert refusal(study(**{part: None})) == f"$: field '{part}' is missing."


def test_an_unknown_table_is_named_with_the_known_ones() -> None:
    message = refusal(study() + "[ledger]\n")
    assert message.startswith(
        "$: unknown field 'ledger'. Known fields: bounds, bounds_from, "
    )


@pytest.mark.parametrize(
    ("part", "line", "known"),
    [
        (
            "data",
            "seed = 1",
            "columns, dates, decimal, delimiter, partitions, path, quote, where",
        ),
        (
            "ratio",
            'denominator = "y"',
            KNOWN,
        ),
        (
            "groups",
            "sorted = true",
            "budget_share, column, keys, totals",
        ),
        ("unit", "ids = true", "column, key, most_groups, neighbours, noun, totals"),
        (
            "population",
            "seed = 1",
            (
                "correlation, n, numerator, per, weight, weight_with_numerator, "
                "weight_with_per"
            ),
        ),
        (
            "privacy",
            "seed = 1",
            "clipping, delta, epsilon, mechanism, scope, stage, strategy",
        ),
    ],
)
def test_an_unknown_field_is_named_with_its_path(
    part: str, line: str, known: str
) -> None:
    name = line.split(" ", maxsplit=1)[0]
    assert refusal(study(**{part: f"{PARTS[part]}\n{line}"})) == (
        f"$.{part}: unknown field '{name}'. Known fields: {known}."
    )


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
        "import sys\nfrom dpratio import parse_study\n"
        "from dpratio.errors import DocumentRefused\n"
        "try:\n    parse_study(sys.stdin.read())\n"
        "except DocumentRefused as error:\n    print(error)\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command,
        input=study(privacy="epsilon = 1e-99999999"),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.startswith("$.privacy")


def test_a_path_is_no_study() -> None:
    for given in (Path("study.toml"), "study.toml", "a folder/study.toml"):
        with pytest.raises(InvalidInput, match=r"Read a file with read_study\('study"):
            parse_study(given)  # type: ignore[arg-type]


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
