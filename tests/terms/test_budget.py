"""A budget is the decimal that was written."""

import math
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.terms.budget import Budget, decimal_text


def test_one_tenth_ten_times_is_one() -> None:
    assert sum([Budget(0.1).epsilon] * 10) == 1
    assert sum([Budget(1, 0.1).delta] * 10) == 1


@pytest.mark.parametrize("given_value", [0.1, "0.1", Decimal("0.1"), Fraction(1, 10)])
def test_every_way_to_write_one_tenth_means_one_tenth(
    given_value: float | str | Decimal | Fraction,
) -> None:
    budget = Budget(epsilon=given_value, delta=given_value)
    assert budget.epsilon == budget.delta == Fraction(1, 10)
    assert isinstance(budget.epsilon, Fraction)
    assert isinstance(budget.delta, Fraction)


def test_a_fraction_keeps_what_no_decimal_can_hold() -> None:
    assert Budget(Fraction(1, 3)).epsilon == Fraction(1, 3)


def test_without_a_delta_none_may_be_spent() -> None:
    assert Budget(1).delta == 0


@pytest.mark.parametrize(
    "epsilon", [0, -1, -0.5, "0", "-1e-6", Fraction(-1, 2), "9.99e-13", "1000000.1"]
)
def test_epsilon_must_be_positive_and_of_a_sensible_size(
    epsilon: float | str | Fraction,
) -> None:
    with pytest.raises(InvalidInput) as caught:
        Budget(epsilon)
    assert str(caught.value) == (
        f"epsilon must be positive, from 1e-12 to 1e6, got {show_given(epsilon)}. "
        "Values between 0.1 and 10 are usual."
    )


@pytest.mark.parametrize("delta", [1, 1.0, 2, -1e-9, "-1", "1.5", Fraction(1)])
def test_delta_must_be_at_least_0_and_below_1(delta: float | str | Fraction) -> None:
    with pytest.raises(InvalidInput) as caught:
        Budget(1, delta)
    assert str(caught.value) == (
        f"delta must be 0, or at least 1e-100 and below 1, got {show_given(delta)}. "
        "Values such as 1e-6 are usual; 0 means none."
    )


@pytest.mark.parametrize("delta", ["9.9e-101", 1e-300, Fraction(1, 10**101)])
def test_a_delta_too_small_to_mean_anything_is_refused(
    delta: float | str | Fraction,
) -> None:
    with pytest.raises(InvalidInput, match=r"^delta must be 0, or at least 1e-100"):
        Budget(1, delta)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "nan", "half", ""])
def test_what_is_not_finite_is_refused_by_name(value: float | str) -> None:
    with pytest.raises(InvalidInput, match=r"^epsilon must be a finite number, got "):
        Budget(value)
    with pytest.raises(InvalidInput, match=r"^delta must be a finite number, got "):
        Budget(1, value)


@pytest.mark.parametrize("value", [True, False, None, [1], b"1", 1j])
def test_what_is_not_a_number_is_refused_by_name(value: object) -> None:
    with pytest.raises(InvalidInput, match=r"^epsilon must be a number, got "):
        Budget(value)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"^delta must be a number, got "):
        Budget(1, value)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["1e-99999999", "1e99999999"])
def test_an_absurd_exponent_is_refused_at_once(text: str) -> None:
    """Turning it into a fraction would write a hundred million digits."""
    code = (
        "from dpratio import Budget\n"
        "from dpratio.errors import InvalidInput\n"
        f"try:\n    Budget('{text}')\n"
        "except InvalidInput as error:\n    print(error)\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.startswith("epsilon must be")


@pytest.mark.parametrize("digits", [200, 5000])
def test_a_fraction_of_endless_digits_is_refused_in_our_own_words(digits: int) -> None:
    """Python refuses to write integers of more than 4300 digits as text."""
    long = Fraction(10**digits + 1, 10**digits)
    with pytest.raises(InvalidInput, match="epsilon"):
        Budget(long)
    with pytest.raises(InvalidInput, match="delta"):
        Budget(1, long - 1 + Fraction(1, 10))


@given(st.floats(1e-12, 1e6), st.floats(1e-80, 1, exclude_max=True))
@example(0.1, 1e-6)
@example(0.30000000000000004, 1.2345678901234567e-80)
def test_every_sensible_float_is_a_budget(epsilon: float, delta: float) -> None:
    budget = Budget(epsilon, delta)
    assert float(budget.epsilon) == epsilon
    assert float(budget.delta) == delta


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [(1e-12, 0), (10**6, 0), (1, 1e-100), (1, "0.999999"), (1, "1e-100")],
)
def test_the_ends_of_the_ranges_are_accepted(
    epsilon: float, delta: float | str
) -> None:
    Budget(epsilon, delta)


def test_a_budget_prints_as_it_was_written() -> None:
    assert repr(Budget(0.1, 1e-6)) == "Budget(epsilon=0.1, delta=0.000001)"
    assert repr(Budget(Fraction(1, 3))) == "Budget(epsilon=1/3, delta=0)"


def test_budgets_are_equal_when_they_allow_the_same() -> None:
    assert Budget(0.5, "1e-6") == Budget("0.50", 1e-6)
    assert Budget(0.5) != Budget(0.5, 1e-6)
    assert len({Budget(0.5), Budget("0.5")}) == 1


def test_a_budget_does_not_change() -> None:
    with pytest.raises(AttributeError):
        Budget(1).epsilon = Fraction(2)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("exact", "text"),
    [
        (Fraction(1, 5), "0.2"),
        (Fraction(1, 35), "1/35"),
        (Fraction(0), "0"),
        (Fraction(1), "1"),
        (Fraction(100), "100"),
        (Fraction(10**6), "1000000"),
        (Fraction(1, 10**6), "0.000001"),
        (Fraction(1, 10**10), "0.0000000001"),
        (Fraction(1, 10**11), "1e-11"),
        (Fraction(5, 10**12), "5e-12"),
        (Fraction(1, 10**100), "1e-100"),
        (Fraction(-1, 4), "-0.25"),
    ],
)
def test_exact_numbers_are_written_short(exact: Fraction, text: str) -> None:
    assert decimal_text(exact) == text


@given(st.fractions(min_value=0, max_value=10**6, max_denominator=10**30))
@example(Fraction(1, 3))
@example(Fraction(10**28 + 1, 10**28))
@example(Fraction(10**29 + 1, 10**29))
def test_the_short_text_means_the_same_number(exact: Fraction) -> None:
    assert Fraction(decimal_text(exact)) == exact
