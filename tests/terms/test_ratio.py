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

BAD_NAMES = [
    "a\u202eb",
    "a\nb",
    "\x07",
    "",
    "a\x00b",
    "lone \ud800",
    None,
    3,
    b"score",
    ["score"],
]


def test_a_ratio_names_its_columns_in_order() -> None:
    assert Ratio("score", per="label").columns == ("score", "label")
    weighted = Ratio("score", per="label", weight="weight")
    assert weighted.columns == ("score", "label", "weight")


def test_a_ratio_reads_as_a_formula() -> None:
    assert str(Ratio("score", per="label")) == "Σ score / Σ label"
    weighted = Ratio("score", per="label", weight="weight")
    assert str(weighted) == "Σ weight·score / Σ weight·label"


@pytest.mark.parametrize("name", BAD_NAMES)
@pytest.mark.parametrize("part", ["numerator", "per", "weight", "minus"])
def test_a_column_name_is_text(part: str, name: object) -> None:
    if part in {"weight", "minus"} and name is None:
        return
    given: dict[str, Any] = {"numerator": "score", "per": "label", part: name}
    with pytest.raises(
        InvalidInput, match=r"^a column name must be text without control"
    ):
        Ratio(given.pop("numerator"), **given)


@pytest.mark.parametrize(
    ("numerator", "per", "weight"),
    [("a", "a", None), ("a", "a", "b"), ("a", "b", "a"), ("a", "b", "b")],
)
def test_a_column_plays_one_part(numerator: str, per: str, weight: str | None) -> None:
    with pytest.raises(
        InvalidInput, match=r"^the columns of a ratio differ, .* two parts"
    ):
        Ratio(numerator, per=per, weight=weight)


@pytest.mark.parametrize("minus", ["a", "b", "c"])
def test_what_is_taken_off_is_a_column_of_its_own(minus: str) -> None:
    with pytest.raises(InvalidInput, match=r"^the columns of a ratio differ"):
        Ratio("a", per="b", weight="c", minus=minus)


def test_a_difference_reads_as_a_formula() -> None:
    paired = Ratio("new", per="label", weight="weight", minus="old")
    assert str(paired) == "Σ weight·(new − old) / Σ weight·label"
    assert str(Ratio("new", per="label", minus="old")) == "Σ (new − old) / Σ label"
    assert paired.columns == ("new", "label", "weight", "old")
    assert paired.letters == {"s": "new", "y": "label", "w": "weight", "m": "old"}
    assert Ratio("new", per="label").letters == {"s": "new", "y": "label"}


def test_questions_are_values() -> None:
    assert Ratio("a", per="b") == Ratio("a", per="b", weight=None)
    assert len({Ratio("a", per="b"), Ratio("a", per="b"), Ratio("b", per="a")}) == 2
    with pytest.raises(AttributeError):
        Ratio("a", per="b").per = "c"  # type: ignore[misc]


def test_a_ratio_has_no_guess_of_its_own() -> None:
    """A plan settles it: 1 where both columns share their bounds."""
    ratio = Ratio("score", per="label")
    assert (ratio.guess, ratio.guess_is, ratio.residual_bound) == (None, "close", None)


@pytest.mark.parametrize(
    "guess", [0, 0.0, -0.0, 1, -1, 0.1, 2.0**50, -(2.0**-50), np.float64(3), 2**50]
)
def test_a_guess_is_a_plain_number(guess: float) -> None:
    kept = Ratio("a", per="b", guess=guess).guess
    assert kept == guess
    assert type(kept) is float


@pytest.mark.parametrize(
    "guess",
    [
        *(2.0**51, -(2.0**-51), 5e-324, 1e308, 10**400, -(10**400)),
        *(math.nan, math.inf, -math.inf),
        *("1", True, False, Fraction(1, 3), Decimal(1), 1j, [1.0], np.True_),
    ],
    ids=lambda given: repr(given)[:12],
)
def test_a_guess_that_is_no_size_is_refused(guess: Any) -> None:  # noqa: ANN401
    """Beyond these sizes products of values would leave the range of doubles."""
    rule = r"^the guess of a ratio must be 0, or between 2\^-50 and 2\^50 in size, got "
    with pytest.raises(InvalidInput, match=rule):
        Ratio("a", per="b", guess=guess)


def test_the_smallest_and_largest_guesses_are_where_the_rule_says() -> None:
    for size in (2.0**50, 2.0**-50):
        for sign in (1, -1):
            Ratio("a", per="b", guess=sign * size)
    for size in (math.nextafter(2.0**50, math.inf), math.nextafter(2.0**-50, 0)):
        with pytest.raises(InvalidInput):
            Ratio("a", per="b", guess=size)


@pytest.mark.parametrize("bound", [1, 0.25, 2.0**50, 2.0**-50, np.float64(0.5)])
def test_a_residual_bound_is_a_plain_number(bound: float) -> None:
    kept = Ratio("a", per="b", residual_bound=bound).residual_bound
    assert kept == bound
    assert type(kept) is float


@pytest.mark.parametrize(
    "bound",
    [0, 0.0, -1, -0.5, 2.0**51, 2.0**-51, 10**400, math.nan, math.inf, True, "1"],
    ids=lambda given: repr(given)[:12],
)
def test_a_residual_bound_that_is_no_size_is_refused(bound: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=r"^the residual bound must be a positive"):
        Ratio("a", per="b", residual_bound=bound)


@pytest.mark.parametrize("word", ["near", "Close", "", None, 0.15])
def test_how_close_a_guess_is_has_two_words(word: Any) -> None:  # noqa: ANN401
    assert GUESSES == ("close", "unknown")
    for known in GUESSES:
        assert Ratio("a", per="b", guess_is=known).guess_is == known
    with pytest.raises(InvalidInput, match=r"^unknown guess_is, got .*close, unknown"):
        Ratio("a", per="b", guess_is=word)


def test_only_the_numerator_is_given_by_place() -> None:
    with pytest.raises(TypeError):
        Ratio("a", "b")  # type: ignore[call-arg]


def test_another_guess_is_another_question() -> None:
    ratio = Ratio("a", per="b")
    others = [
        replace(ratio, guess=1),
        replace(ratio, guess_is="unknown"),
        replace(ratio, residual_bound=1),
        replace(ratio, minus="c"),
    ]
    assert len({ratio, *others}) == 5
