"""What is asked names columns, and nothing twice."""

import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpratio.errors import InvalidInput
from dpratio.terms.ratio import GUESSES, Ratio

NO_NAMES = ["a\u202eb", "a\nb", "\x07", "", "a\x00b", "lone \ud800", None, 3, b"score"]
PLAIN = Ratio("new", per="label")
PAIRED = Ratio("new", per="label", weight="weight", minus="old")


@pytest.mark.parametrize(
    ("ratio", "formula", "letters"),
    [
        (PLAIN, "Σ new / Σ label", {"s": "new", "y": "label"}),
        (
            replace(PLAIN, weight="weight"),
            "Σ weight·new / Σ weight·label",
            {"s": "new", "y": "label", "w": "weight"},
        ),
        (
            PAIRED,
            "Σ weight·(new − old) / Σ weight·label",
            {"s": "new", "y": "label", "w": "weight", "m": "old"},
        ),
        (
            replace(PLAIN, minus="old"),
            "Σ (new − old) / Σ label",
            {"s": "new", "y": "label", "m": "old"},
        ),
    ],
)
def test_a_ratio_reads_as_a_formula(
    ratio: Ratio, formula: str, letters: dict[str, str]
) -> None:
    assert (str(ratio), ratio.letters) == (formula, letters)
    assert ratio.columns == tuple(letters.values())
    top = "new" if ratio.minus is None else "new - old"
    assert ratio.totals == (top, "label")


@pytest.mark.parametrize("name", [*NO_NAMES, ["score"]], ids=repr)
@pytest.mark.parametrize("part", ["numerator", "per", "weight", "minus"])
def test_a_column_name_is_text(part: str, name: Any) -> None:  # noqa: ANN401
    if part in {"weight", "minus"} and name is None:
        return
    with pytest.raises(InvalidInput, match="a column name must be text"):
        replace(PLAIN, **{part: name})


@pytest.mark.parametrize("columns", ["aa", "aab", "aba", "abb", "abca", "abcb", "abcc"])
def test_a_column_plays_one_part(columns: str) -> None:
    numerator, per, *others = list(columns)
    terms: dict[str, Any] = dict(zip(("weight", "minus"), others, strict=False))
    with pytest.raises(InvalidInput, match="columns of a ratio differ"):
        Ratio(numerator, per=per, **terms)


SIZES = [1, 0.25, 2.0**50, 2.0**-50, np.float64(0.5), 2**50]
NO_SIZES: list[Any] = [
    *(2.0**51, 2.0**-51, 5e-324, 1e308, 10**400, math.nan, math.inf, True, "1"),
    *(math.nextafter(2.0**50, math.inf), math.nextafter(2.0**-50, 0), False),
    *(Fraction(1, 3), Decimal(1), 1j, [1.0], np.True_),
]


@pytest.mark.parametrize("size", SIZES)
def test_guess_and_residual_bound_are_plain_numbers(size: float) -> None:
    for guess in (size, -size, 0, -0.0):
        ratio = replace(PLAIN, guess=guess, residual_bound=size)
        assert (ratio.guess, ratio.residual_bound) == (guess, size)
        assert type(ratio.guess) is type(ratio.residual_bound) is float


@pytest.mark.parametrize("number", NO_SIZES, ids=lambda number: repr(number)[:12])
def test_numbers_that_are_no_size_are_refused(number: Any) -> None:  # noqa: ANN401
    """Beyond these sizes products of values would leave the range of doubles."""
    for field in ("guess", "residual_bound"):
        with pytest.raises(InvalidInput) as refused:
            replace(PLAIN, **{field: number})
        assert refused.value.field == field
    for limit in (0, -1, -0.5):
        with pytest.raises(InvalidInput, match="residual bound"):
            replace(PLAIN, residual_bound=limit)


@pytest.mark.parametrize("word", ["near", "Close", "", None, 0.15])
def test_how_close_a_guess_is_has_two_words(word: Any) -> None:  # noqa: ANN401
    assert GUESSES == ("close", "unknown")
    with pytest.raises(InvalidInput, match="unknown guess_is"):
        replace(PLAIN, guess_is=word)


def test_ratios_are_values() -> None:
    assert (PLAIN.guess, PLAIN.guess_is, PLAIN.residual_bound) == (None, "close", None)
    changes: list[dict[str, Any]] = [
        {"guess": 1},
        {"guess_is": "unknown"},
        {"residual_bound": 1},
        {"minus": "c"},
        {"weight": None},
    ]
    assert len({PLAIN, *(replace(PLAIN, **change) for change in changes)}) == 5
    with pytest.raises(AttributeError):
        PLAIN.per = "c"  # type: ignore[misc]
    with pytest.raises(TypeError):
        Ratio("a", "b")  # type: ignore[call-arg]
