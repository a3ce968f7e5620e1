"""What a budget claims, against the tables of the literature."""

import math
from fractions import Fraction

import pytest

from dpratio.plan.laws import CLASSICAL_GAUSSIAN, GAUSSIAN, LAPLACE
from dpratio.simulation.audit.audit_noise import claimed_distance

BUDGET = {"epsilon": Fraction(1), "delta": Fraction(1, 10**6)}


@pytest.mark.parametrize("strategy", ["focused", "joint", "even"])
def test_laplace_noise_claims_epsilon_however_it_is_shared(strategy: str) -> None:
    assert claimed_distance(LAPLACE, strategy, **BUDGET, sums=6) == 1.0


def test_gaussian_noise_claims_the_inverse_of_the_published_scale() -> None:
    assert 1 / claimed_distance(GAUSSIAN, "joint", **BUDGET, sums=6) == pytest.approx(
        4.224679, abs=1e-6
    )
    assert 1 / claimed_distance(
        CLASSICAL_GAUSSIAN, "even", **BUDGET, sums=1
    ) == pytest.approx(5.298803, abs=1e-6)


def test_even_shares_add_up_as_squares() -> None:
    alone = claimed_distance(
        GAUSSIAN,
        "joint",
        epsilon=Fraction(1, 6),
        delta=Fraction(1, 6 * 10**6),
        sums=6,
    )
    together = claimed_distance(GAUSSIAN, "even", **BUDGET, sums=6)
    assert together == pytest.approx(math.sqrt(6) * alone)
