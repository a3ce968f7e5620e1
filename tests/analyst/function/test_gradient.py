"""Gradients: exact for what is analytic, refused for what is not."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dpratio.analyst.function.gradient import gradient_of
from dpratio.errors import InvalidInput

sizes = st.floats(1e-6, 1e6)


def arrays(*values: float) -> list[NDArray[np.float64]]:
    return [np.array([value]) for value in values]


@given(a=sizes, b=sizes, c=sizes)
@example(a=1e6, b=1e-6, c=1.0)
def test_a_gradient_is_exact_to_the_last_digits(a: float, b: float, c: float) -> None:
    found = gradient_of(
        lambda m: np.log(m[0] / m[1]) + np.sqrt(m[1] * m[2]) + m[2] ** 3,
        arrays(a, b, c),
    )
    wanted = (1 / a, -1 / b + np.sqrt(c / b) / 2, np.sqrt(b / c) / 2 + 3 * c**2)
    for each, exact in zip(found, wanted, strict=True):
        assert each[0] == pytest.approx(exact, rel=1e-9, abs=1e-13 * (1 / b))


def test_a_gradient_at_zero_and_below_is_known() -> None:
    first, second = gradient_of(lambda m: m[0] * m[1], arrays(0.0, -3.0))
    assert (first[0], second[0]) == (-3.0, 0.0)


def test_a_constant_does_not_move() -> None:
    (flat,) = gradient_of(lambda m: 0 * m[0] + 2.0, [np.arange(1.0, 4.0)])
    assert flat.tolist() == [0.0, 0.0, 0.0]


def test_where_a_function_is_undefined_so_is_its_gradient() -> None:
    (slope,) = gradient_of(lambda m: 1 / m[0], [np.array([0.0, 2.0])])
    assert abs(slope[0]) > 1e100
    assert slope[1] == -0.25


def test_a_cell_beside_a_singular_point_stops_no_other() -> None:
    at = np.array([1e-9, 1.0, 2.0])
    (slope,) = gradient_of(lambda m: 1 / (m[0] - 1.000000001e-9), [at])
    assert slope[1:] == pytest.approx(-1 / (at[1:] - 1.000000001e-9) ** 2)


@pytest.mark.parametrize(
    "formula",
    [lambda m: np.abs(m[0]) / m[1], lambda m: np.real(m[0]) / m[1]],
    ids=["abs", "real"],
)
def test_what_is_not_analytic_is_refused(formula: object) -> None:
    with pytest.raises(InvalidInput, match=r"cannot be derived.*give gradient="):
        gradient_of(formula, arrays(3.0, 2.0))  # type: ignore[arg-type]
