"""Laws of noise: certified for their share, never too small, never much too large."""

import math
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.plan import laws as room
from dpratio.plan.certified import exp_bounds, log_bounds
from dpratio.plan.laws import (
    CLASSICAL_GAUSSIAN,
    GAUSSIAN,
    LAPLACE,
    LARGEST_SCALE,
    LAWS,
    SMALLEST_SCALE,
    NoiseLaw,
    Threshold,
    analytic_delta,
    certify_upwards,
    root_above,
    shorten,
    threshold_of,
)
from dpratio.terms.budget import Budget
from dpratio.terms.groups import PrivateKeys
from dpratio.terms.unit import PrivacyUnit
from plan.exact_delta import (
    DELTAS,
    EPSILONS,
    MILLIONTH,
    ONE,
    SENSITIVITIES,
    as_mpf,
    true_delta,
)

EVERY_LAW = pytest.mark.parametrize("law", LAWS.values())
positive = st.fractions(Fraction(1, 10**6), 10**6, max_denominator=10**9)


@settings(deadline=None)
@given(sensitivity=st.integers(1, 2**25), epsilon=positive)
@example(sensitivity=2**24, epsilon=Fraction(1, 7))
@example(sensitivity=3, epsilon=Fraction(1, 4))  # A scale that is a double.
@example(sensitivity=2**25, epsilon=Fraction(1, 2**25))  # The largest scale.
def test_laplace_noise_costs_its_share_and_the_next_double_costs_more(
    sensitivity: int, epsilon: Fraction
) -> None:
    share: dict[str, Any] = {"sensitivity": sensitivity, "epsilon": epsilon}
    share["delta"] = Fraction(0)
    scale = LAPLACE.calibrate(**share)
    assert Fraction(sensitivity) / Fraction(scale) <= epsilon
    if scale > SMALLEST_SCALE:
        below = math.nextafter(scale, 0)
        assert Fraction(below) < sensitivity / epsilon <= Fraction(scale)


@EVERY_LAW
def test_scales_go_from_2_to_the_minus_10_to_2_to_the_50(law: NoiseLaw) -> None:
    """Noise of more cells would not fit into 64 bits; less is never needed."""
    little = {"epsilon": Fraction(1, 10**9), "delta": Fraction(1, 10**12)}
    with pytest.raises(InvalidInput, match=r"below 2\^50 cells.*Raise epsilon"):
        law.calibrate(sensitivity=2**24, **little)
    if law != CLASSICAL_GAUSSIAN:
        much = {"epsilon": Fraction(10**6), "delta": MILLIONTH}
        assert law.calibrate(sensitivity=1, **much) == 2.0**-10
    most: dict[str, Any] = {"delta": Fraction(0), "epsilon": Fraction(1, 2**20)}
    assert LAPLACE.calibrate(sensitivity=2**30, **most) == 2.0**50
    with pytest.raises(InvalidInput, match=r"noise must stay below 2\^50 cells"):
        LAPLACE.calibrate(sensitivity=2**30 + 1, **most)


def test_sizes_keep_26_bits_and_are_rounded_up() -> None:
    assert shorten(1 / 3) == 44_739_243 * 2.0**-27  # ⌈2/3 · 2²⁶⌉
    assert shorten(3.0) == 3
    assert shorten(2.0**40 + 1) == 2.0**40 + 2.0**15
    assert shorten(1 - 2.0**-53) == 1


@pytest.mark.parametrize("beyond", [1e-15, 1e-13, 1e-9, 0.1, 7.0])
def test_a_scale_is_raised_at_first_by_the_least(beyond: float) -> None:
    """So that what was nearly enough is raised by nearly nothing."""
    found = certify_upwards(1.0, lambda scale: scale >= 1 + beyond)
    assert 1 + beyond <= found <= 1 + max(4 * beyond, 2.0**-46)


def test_the_search_for_a_scale_ends_even_if_none_is_certified() -> None:
    tried: list[float] = []

    def never(scale: float) -> bool:
        tried.append(scale)
        return False

    for start in (SMALLEST_SCALE, LARGEST_SCALE):
        assert certify_upwards(start, never) > LARGEST_SCALE
    assert tried == sorted(tried)
    assert len(tried) < 100


@pytest.mark.parametrize("sensitivity", SENSITIVITIES)
def test_the_analytic_check_value_is_met(sensitivity: int) -> None:
    share = {"epsilon": ONE, "delta": MILLIONTH}
    scale = GAUSSIAN.calibrate(sensitivity=sensitivity, **share)
    assert scale / sensitivity == pytest.approx(4.224679, abs=5e-7)


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [
        *((epsilon, delta) for epsilon in EPSILONS for delta in DELTAS),
        *(("1", "1e-25"), ("1", "1e-60"), ("1", "1e-100")),
        *(("1e-6", "0.5"), ("1e-9", "0.1")),
    ],
)
def test_analytic_noise_is_enough_and_no_more_than_enough(
    epsilon: str, delta: str
) -> None:
    """Delta, computed by other means, is at most the claim; 0.1 % less breaks it."""
    share = {"epsilon": Fraction(epsilon), "delta": Fraction(delta)}
    for sensitivity in SENSITIVITIES:
        scale = GAUSSIAN.calibrate(sensitivity=sensitivity, **share)
        for sigma, is_enough in ((scale, True), (0.999 * scale, False)):
            with mpmath.workdps(150):
                true = true_delta(sensitivity, sigma, share["epsilon"])
                assert bool(true <= as_mpf(share["delta"])) is is_enough
            ratio = Fraction(sensitivity) / Fraction(sigma)
            assert GAUSSIAN.affords(ratio, **share) is is_enough


@settings(deadline=None, max_examples=60)
@given(
    ratio=st.fractions(Fraction(1, 1000), 8, max_denominator=10**6),
    epsilon=st.fractions(Fraction(1, 1000), 20, max_denominator=10**6),
)
def test_the_bound_on_delta_is_above_delta_and_close_to_it(
    ratio: Fraction, epsilon: Fraction
) -> None:
    bound = analytic_delta(ratio, epsilon)
    with mpmath.workdps(200):
        exact, point = as_mpf(epsilon), as_mpf(ratio)
        near, far = exact / point - point / 2, exact / point + point / 2
        gain = mpmath.erfc(near / mpmath.sqrt(2)) / 2
        true = gain - mpmath.exp(exact) * mpmath.erfc(far / mpmath.sqrt(2)) / 2
        assert true <= as_mpf(bound) <= true + gain * mpmath.mpf(10) ** -35 + 1e-300


def test_the_safe_end_of_every_bound_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """With bounds blown up, the ends that were taken can be told apart."""
    tails = {Fraction(1, 2): Fraction(3, 10), Fraction(3, 2): Fraction(7, 100)}
    hundredth = Fraction(1, 100)
    monkeypatch.setattr(
        room,
        "normal_tail_bounds",
        lambda x: (tails[x] - hundredth, tails[x] + hundredth),
    )
    monkeypatch.setattr(room, "exp_bounds", lambda _x: (Fraction(2), Fraction(3)))
    bound = analytic_delta(Fraction(1), Fraction(1))
    assert bound == Fraction(31, 100) - 2 * Fraction(6, 100)
    share = {"epsilon": ONE, "delta": MILLIONTH}
    scale = CLASSICAL_GAUSSIAN.calibrate(sensitivity=1, **share)
    low, high = log_bounds(Fraction(5, 4) / MILLIONTH)
    monkeypatch.setattr(room, "log_bounds", lambda _x: (low - 1, high + 1))
    for factor, is_enough in ((1.0, False), (1.1, True)):
        ratio = 1 / Fraction(factor * scale)
        assert CLASSICAL_GAUSSIAN.affords(ratio, **share) is is_enough


@pytest.mark.parametrize("epsilon", ["0.001", "0.2", "0.7", "1"])
@pytest.mark.parametrize("delta", ["1e-12", "1e-6", "0.01", "0.4"])
def test_classical_noise_is_the_formula_of_the_paper_rounded_up(
    epsilon: str, delta: str
) -> None:
    share = {"epsilon": Fraction(epsilon), "delta": Fraction(delta)}
    for sensitivity in SENSITIVITIES:
        scale = CLASSICAL_GAUSSIAN.calibrate(sensitivity=sensitivity, **share)
        with mpmath.workdps(60):
            logarithm = mpmath.log(mpmath.mpf(5) / 4 / as_mpf(share["delta"]))
            formula = (
                sensitivity * mpmath.sqrt(2 * logarithm) / as_mpf(share["epsilon"])
            )
            assert formula <= scale <= formula * (1 + mpmath.mpf(10) ** -12)


@pytest.mark.parametrize("epsilon", ["0.001", "0.1", "0.5", "0.9", "1"])
def test_classical_noise_keeps_its_promise_for_every_delta(epsilon: str) -> None:
    """The textbook proof wants a small delta; docs/proofs/noise_scales.md does not."""
    deltas = [f"1e-{power}" for power in (1, 2, 3, 6, 9, 12, 50, 100)]
    deltas += ["0.2", "0.4", "0.41", "0.6", "0.75", "0.9", "0.999", "0.999999"]
    for delta in deltas:
        share = {"epsilon": Fraction(epsilon), "delta": Fraction(delta)}
        scale = CLASSICAL_GAUSSIAN.calibrate(sensitivity=2**24, **share)
        with mpmath.workdps(150):
            true = true_delta(2**24, scale, share["epsilon"])
            assert true <= as_mpf(share["delta"])


@pytest.mark.parametrize(
    "epsilon", [Fraction(2), 1 + Fraction(1, 10**9), 1 + Fraction(1, 10**30)]
)
def test_classical_noise_above_epsilon_one_is_refused(epsilon: Fraction) -> None:
    """However much noise there is: the proof ends at 1, and fails near 9."""
    share = {"epsilon": epsilon, "delta": MILLIONTH}
    with pytest.raises(InvalidInput, match="analytic_gaussian"):
        CLASSICAL_GAUSSIAN.calibrate(sensitivity=1, **share)
    ratio = 1 / Fraction(LARGEST_SCALE)
    assert not CLASSICAL_GAUSSIAN.affords(ratio, **share)
    with mpmath.workdps(60):
        formula = float(mpmath.sqrt(2 * mpmath.log(1.25 * 10**6)) / 9)
        assert true_delta(1, formula, Fraction(9)) > mpmath.mpf(10) ** -6


@pytest.mark.parametrize(
    "start", [-1.0, 0.0, 1e-300, 1e-3, 4.2, 4.3, 1e300, math.inf, math.nan]
)
def test_the_same_noise_is_found_from_every_guess(
    start: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    share = {"epsilon": ONE, "delta": MILLIONTH}
    found = room._least_deviation(GAUSSIAN, **share)
    monkeypatch.setattr(room, "_analytic_guess", lambda _epsilon, _delta: start)
    again = room._least_deviation.__wrapped__(GAUSSIAN, **share)
    assert again == found
    less = math.nextafter(found, 0)
    with mpmath.workdps(60):
        assert true_delta(1, found, ONE) <= mpmath.mpf(10) ** -6
        assert true_delta(1, less, ONE) > mpmath.mpf(10) ** -6


@pytest.mark.parametrize("power", [4, 19, 400])
def test_an_absurd_epsilon_is_priced_without_absurd_numbers(power: int) -> None:
    """e^ε is not formed where the tail it multiplies is bounded by zero anyway."""
    assert GAUSSIAN.affords(ONE, epsilon=Fraction(10**power), delta=MILLIONTH)


@pytest.mark.parametrize("law", [GAUSSIAN, CLASSICAL_GAUSSIAN])
@pytest.mark.parametrize(
    "share",
    [(ONE, Fraction(0)), (ONE, Fraction(-1, 10)), (Fraction(0), Fraction(9, 10))],
)
def test_gaussian_noise_is_not_free_without_a_budget(
    law: NoiseLaw, share: tuple[Fraction, Fraction]
) -> None:
    """However little a row moves the sums."""
    epsilon, delta = share
    assert not law.affords(Fraction(1, 10**9), epsilon=epsilon, delta=delta)


@pytest.mark.parametrize("chance", [0.4, 0.05, 1e-6])
def test_tails_are_those_of_the_laws(chance: float) -> None:
    from scipy.stats import laplace, norm

    assert LAPLACE.tail(chance) == pytest.approx(laplace.isf(chance))
    assert GAUSSIAN.tail(chance) == pytest.approx(norm.isf(chance))


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


@pytest.mark.parametrize("chance", [0.5, 0.8, 0.9, 1 - 1e-9, 1 - 2.0**-53])
@pytest.mark.parametrize("groups", [1, 5])
def test_a_key_of_the_size_found_is_found_with_that_chance(
    chance: float, groups: int
) -> None:
    rule = threshold("0.5", "1e-7", groups)
    size = rule.size_found(chance)
    assert float(named_chance(size, rule)) >= chance
    assert named_chance(size - 1, rule) < chance


@given(
    square=st.fractions(0, 10**60, max_denominator=10**60)
    | st.floats(0, 1e300).map(Fraction)
    | st.integers(0, 10**40).map(lambda root: Fraction(root * root))
)
@example(square=Fraction(0))
@example(square=Fraction(1, 3**200))
@example(square=Fraction(5e-324))
@example(square=Fraction(2, 10**300))
@example(square=Fraction(2 * 10**300))
def test_a_root_is_bounded_from_above_and_closely(square: Fraction) -> None:
    """At most one unit of the last of some 40 digits too large; exact of squares."""
    root = root_above(square)
    assert square <= root * root <= square * (1 + Fraction(1, 10**40))
    if square.denominator == 1 and math.isqrt(square.numerator) ** 2 == square:
        assert root * root == square
