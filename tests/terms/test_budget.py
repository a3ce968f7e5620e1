"""A budget is the decimal that was written."""

import math
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.terms.budget import Budget, decimal_text


def test_one_tenth_ten_times_is_one() -> None:
    assert sum([Budget(0.1).epsilon] * 10) == 1
    assert sum([Budget(1, 0.1).delta] * 10) == 1


@pytest.mark.parametrize("tenth", [0.1, "0.1", Decimal("0.1"), Fraction(1, 10)])
def test_every_way_to_write_one_tenth_means_one_tenth(
    tenth: float | str | Decimal | Fraction,
) -> None:
    budget = Budget(epsilon=tenth, delta=tenth)
    assert budget.epsilon == budget.delta == Fraction(1, 10)
    assert type(budget.epsilon) is type(budget.delta) is Fraction
    assert Budget(tenth).delta == 0


LONG = [Fraction(10**digits + 1, 10**digits) for digits in (200, 5000)]
NO_NUMBERS: list[Any] = [
    *(math.nan, math.inf, -math.inf, "nan", "half", ""),
    *(True, False, None, [1], b"1", 1j),
]
NO_EPSILON = [0, -1, -0.5, "0", "-1e-6", Fraction(-1, 2), "9.99e-13", "1000000.1"]
NO_DELTA = [1, 1.0, 2, -1e-9, "-1", "1.5", Fraction(1), "9.9e-101", 1e-300]


@pytest.mark.parametrize("number", [*NO_NUMBERS, *NO_EPSILON, *LONG], ids=type)
def test_an_epsilon_that_is_no_sensible_size_is_refused(number: Any) -> None:  # noqa: ANN401
    """Python refuses to write integers of more than 4300 digits as text."""
    with pytest.raises(InvalidInput, match=r"^epsilon ") as refused:
        Budget(number)
    assert refused.value.field in {"epsilon", None}


@pytest.mark.parametrize(
    "number", [*NO_NUMBERS, *NO_DELTA, *(long - 1 for long in LONG)], ids=type
)
def test_a_delta_that_is_no_small_chance_is_refused(number: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=r"^delta ") as refused:
        Budget(1, number)
    assert refused.value.field in {"delta", None}


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


@given(st.floats(1e-12, 1e6), st.floats(1e-80, 1, exclude_max=True))
@example(0.1, 1e-6)
@example(1e-12, 0)
@example(10**6, 1e-100)
@example(0.30000000000000004, 1.2345678901234567e-80)
def test_every_sensible_float_is_a_budget(epsilon: float, delta: float) -> None:
    budget = Budget(epsilon, delta)
    assert (float(budget.epsilon), float(budget.delta)) == (epsilon, delta)


def test_budgets_are_values_and_print_as_they_were_written() -> None:
    assert repr(Budget(0.1, 1e-6)) == "Budget(epsilon=0.1, delta=0.000001)"
    assert repr(Budget(Fraction(1, 3))) == "Budget(epsilon=1/3, delta=0)"
    assert Budget(0.5, "1e-6") == Budget("0.50", 1e-6)
    assert Budget(0.5) != Budget(0.5, 1e-6)
    assert len({Budget(0.5), Budget("0.5")}) == 1
    with pytest.raises(AttributeError):
        Budget(1).epsilon = Fraction(2)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("exact", "text"),
    [
        (Fraction(1, 5), "0.2"),
        (Fraction(1, 35), "1/35"),
        (Fraction(0), "0"),
        (Fraction(100), "100"),
        (Fraction(10**6), "1000000"),
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
