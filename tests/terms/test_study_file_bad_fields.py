"""A bad field of a study is refused with its path and what was given."""

import pytest

from terms.study_of_loans import refusal, study

RATIO = 'numerator = "s"\nper = "y"\n'
# By table of a study: what it says, and the refusal after the path of the table.
BAD: dict[str, dict[str, str]] = {
    "data": {
        "": ": field 'path' is missing.",
        "path = 1": ".path: must be text, got 1.",
        'path = "a"\ncolumns = "s"': ".columns: must be a list, got 's'.",
        'path = "a"\ncolumns = ["s", 1]': ".columns[1]: must be text, got 1.",
        'path = "{a}.csv"': (
            ": a path holds {period} once, and no other braces, got '{a}.csv'. Write "
            "for instance path = 'weeks/{period}.csv'; a variable as '${LAKE}/…'."
        ),
        'path = "a"\ndelimiter = 1': ".delimiter: must be text, got 1.",
        'path = "a"\nquote = 1': ".quote: must be text, got 1.",
        'path = "a"\ndelimiter = ";;"': (
            ": delimiter must be one character, got ';;'. Use one ASCII character "
            "such as ',' or ';' or a tab."
        ),
        'path = "a"\ncolumns = []': ": CSV columns must be named, each once, got ().",
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
        'column = 1\nkeys = ["a"]': ".column: must be text, got 1.",
        'column = "g"\nkeys = "a"': ".keys: must be a list, got 'a'.",
        'column = "g"\nkeys = ["a", 0.5]': ".keys[1]: must be text, got 0.5.",
        'column = "g"\nkeys = ["a", "a"]': (
            ".keys: a group key is declared once, got ['a']."
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
