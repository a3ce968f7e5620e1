"""A key that one unit alone holds is named with a chance of at most its part of δ."""

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.plan.certified import exp_bounds
from dpratio.plan.laws import Threshold, threshold_of
from dpratio.terms.budget import Budget
from dpratio.terms.groups import PrivateKeys
from dpratio.terms.unit import PrivacyUnit


def threshold(epsilon: str, delta: str, groups: int = 1) -> Threshold:
    keys = PrivateKeys("shop", Budget(epsilon, delta))
    return threshold_of(keys, PrivacyUnit("user", most_groups=groups))


def named_chance(units: int, rule: Threshold) -> Fraction:
    """Bound from above the chance that a key of so many units is named.

    round(b·L) ≥ k just where b·L ≥ k − ½, for Laplace noise L and a whole number k.
    """
    beyond = (Fraction(rule.least - units) - Fraction(1, 2)) / Fraction(rule.scale)
    if beyond >= 0:
        return exp_bounds(-beyond)[1] / 2
    return 1 - exp_bounds(beyond)[0] / 2


@pytest.mark.parametrize(
    ("epsilon", "delta", "groups"),
    [("1", "1e-6", 1), ("0.2", "1e-7", 1), ("0.5", "1e-9", 4), ("3", "0.01", 10)],
)
def test_the_threshold_is_that_of_the_formula(
    epsilon: str, delta: str, groups: int
) -> None:
    rule = threshold(epsilon, delta, groups)
    scale = groups / float(epsilon)
    assert rule.scale == pytest.approx(scale, rel=1e-15)
    log = math.log(groups / (2 * float(delta)))
    assert rule.least == 1 + math.ceil(scale * log + 0.5)


@pytest.mark.parametrize(
    ("epsilon", "delta", "rule"),
    [
        # b = 1, ln(1/(2·10⁻⁶)) = 13.12: fifteen noisy units or more are named.
        ("1", "1e-6", Threshold(1.0, 15)),
        # However large delta is, one unit alone needs noise to be named.
        *(("1", delta, Threshold(1.0, 2)) for delta in ("0.4", "0.5", "0.6", "0.99")),
        ("0.125", "0.99", Threshold(8.0, 2)),
    ],
)
def test_a_worked_example(epsilon: str, delta: str, rule: Threshold) -> None:
    assert threshold(epsilon, delta) == rule


@given(
    epsilon=st.decimals("0.01", 10, places=2),
    delta=st.sampled_from(["1e-100", "1e-12", "1e-6", "0.01", "0.4", "0.51", "0.99"]),
    groups=st.integers(1, 1000),
)
def test_a_key_of_one_unit_is_named_with_its_part_of_delta_at_most(
    epsilon: object, delta: str, groups: int
) -> None:
    rule = threshold(str(epsilon), delta, groups)
    part = Fraction(delta) / groups
    assert named_chance(1, rule) <= part
    assert Fraction(groups) / Fraction(rule.scale) <= Fraction(str(epsilon))
    assert rule.least >= 2
    if rule.least > 2:
        # One less would be too little, or half a step from it.
        assert named_chance(1, Threshold(rule.scale, rule.least - 2)) > part


def test_a_threshold_next_to_a_whole_number_is_rounded_against_the_key() -> None:
    """The chance at one less is above δ by a part in 10⁴², which doubles do not see."""
    with mpmath.workdps(80):
        delta = mpmath.exp(-(mpmath.mpf("12.5") + mpmath.mpf("1e-42"))) / 2
        written = mpmath.nstr(delta, 60)
    assert threshold("1", written) == Threshold(1.0, 15)


@pytest.mark.parametrize("chance", [0.0, 0.25, 0.5, 0.8, 0.9, 1 - 1e-9, 1 - 2.0**-53])
@pytest.mark.parametrize("groups", [1, 5])
def test_a_key_of_the_size_found_is_found_with_that_chance(
    chance: float, groups: int
) -> None:
    rule = threshold("0.5", "1e-7", groups)
    size = rule.size_found(chance)
    assert float(named_chance(size, rule)) >= chance
    if chance >= 0.5:
        assert named_chance(size - 1, rule) < chance
    else:
        assert size == rule.least
    assert rule.size_found(1.0) >= size  # Certainty has a size too.


def test_a_budget_too_small_for_64_bit_noise_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"noise must stay below 2\^50 cells"):
        threshold("1e-12", "1e-7", 10**6)
