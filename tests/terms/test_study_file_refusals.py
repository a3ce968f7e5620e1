"""What is no study is refused: other text, other tables, text that would break us."""

import subprocess
import sys
from pathlib import Path

import pytest

from dpratio.errors import DocumentRefused, InvalidInput
from dpratio.terms.study_file import parse_study
from terms.study_of_loans import PARTS, refusal, study


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
            "column, keys, population, totals, weight",
        ),
        ("unit", "ids = true", "column, key, most_groups, neighbours, totals"),
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
