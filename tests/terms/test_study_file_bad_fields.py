"""A bad field of a study is refused with its path and what was given."""

import pytest

from terms.study_of_loans import refusal, study


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
        (
            "bounds",
            "s = 1",
            "$.bounds.s: must be [lower, upper], 'binary' or 'find', got 1.",
        ),
        (
            "bounds",
            's = "Binary"',
            "$.bounds.s: must be [lower, upper], 'binary' or 'find', got 'Binary'.",
        ),
        (
            "bounds",
            "s = [0, 1, 2]",
            "$.bounds.s: must be [lower, upper], 'binary' or 'find', got [0, 1, 2].",
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
        (
            "groups",
            'column = "g"',
            (
                "$.groups: field 'keys' is missing. List the public keys, or use bins, "
                "every or find."
            ),
        ),
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
