"""Tests of noise keep their risk, find what is wrong with it, and say so.

Noise comes from fixed bits, so that a red run can be repeated.
"""

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from dpratio.curator.noise.rounded import draw_rounded
from dpratio.plan.laws import GAUSSIAN, LAPLACE, NoiseLaw
from dpratio.simulation.audit.refute import (
    BITS,
    CENTRE,
    EXACT,
    ONE_NUMBER,
    REPEATS,
    SHAPE,
    SIGNS,
    TAILS,
    Fault,
    faults_of,
    log_chance,
)
from dpratio.simulation.audit.rounded_law import RoundedLaw
from dpratio.simulation.audit.tally import marks_of, no_tally
from soak import IS_SOAK

Ints = NDArray[np.int64]

SCALES = (8.56e6, 2.49e7, 3.78e8)
NAMES = ("z", "h", "hh")
LAWS = (LAPLACE, GAUSSIAN)
RISK = 1e-6 / 38
DRAWS = 100_000
RUNS = 2_000 if IS_SOAK else 60


def drawn(law: NoiseLaw, draws: int, seed: int, scales: tuple[float, ...]) -> Ints:
    bits = np.random.default_rng(seed).bytes
    return np.stack([draw_rounded(law, each, draws, bits) for each in scales], axis=1)


def faults_in(
    law: NoiseLaw,
    *releases: Ints,
    risk: float = RISK,
    scales: tuple[float, ...] = SCALES,
) -> dict[str, Fault]:
    laws = [RoundedLaw(law, each) for each in scales]
    tally = no_tally(marks_of(laws))
    for noise in releases:
        tally = tally.plus(noise)
    return {each.kind: each for each in faults_of(tally, laws, NAMES, risk=risk)}


@pytest.fixture(scope="module", params=LAWS, ids=lambda law: law.name)
def sound(request: pytest.FixtureRequest) -> tuple[NoiseLaw, Ints]:
    return request.param, drawn(request.param, DRAWS, 44, SCALES)


# --- The bound ------------------------------------------------------------------------


@pytest.mark.parametrize("chance", [1e-9, 0.003, 0.5, 0.97])
@pytest.mark.parametrize("trials", [1, 30, 100_000])
def test_the_bound_is_above_the_binomial_chance_and_not_far(
    trials: int, chance: float
) -> None:
    seen = np.unique(np.linspace(0, trials, 200).astype(np.int64))
    upper = stats.binom.logsf(seen - 1, trials, chance)
    lower = stats.binom.logcdf(seen, trials, chance)
    exact = np.minimum(0, np.minimum(upper, lower) + math.log(2))
    bound = log_chance(seen, trials, np.full(len(seen), chance))
    told = exact > -700  # Beyond, the binomial law of scipy underflows.
    assert (bound >= exact - 1e-9)[told].all()
    # Ash (1990), lemma 4.7.2: it is too large by a root of eight times the count.
    slack = 0.5 * np.log(8 * np.maximum(1, seen * (1 - seen / trials)))
    assert (bound <= exact + np.maximum(slack, math.log(2)) + 1e-9)[told].all()


def test_the_bound_holds_where_chances_differ_between_trials() -> None:
    """Eight trials, each of its own chance: all counts by convolution."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        chances = rng.beta(0.4, 0.4, size=8)
        law = np.ones(1)
        for each in chances:
            law = np.convolve(law, [1 - each, each])
        seen = np.arange(9)
        upper, lower = law[::-1].cumsum()[::-1], law.cumsum()
        mean = chances.mean()
        bound = np.exp(log_chance(seen, 8, np.full(9, mean)))
        wanted = np.where(seen > 8 * mean, upper, lower)
        assert (bound >= np.minimum(1, 2 * wanted) - 1e-12).all()


def test_what_cannot_be_has_no_chance() -> None:
    bounds = log_chance(np.array([0, 1]), 10, np.array([0.0, 0.0]))
    assert bounds.tolist() == [0.0, -math.inf]


# --- Sound noise ----------------------------------------------------------------------


def test_sound_noise_has_no_fault(sound: tuple[NoiseLaw, Ints]) -> None:
    law, noise = sound
    assert faults_in(law, noise, risk=1e-3) == {}


@pytest.mark.parametrize("scale", [3e5, 2.1e4, 37.0, 1.5])
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_sound_noise_is_accused_no_more_often_than_its_risk(
    law: NoiseLaw, scale: float
) -> None:
    """Many small runs at a risk of a fifth, at scales where every law is discrete."""
    scales = (scale, 1.7 * scale, 5 * scale)
    accused = sum(
        bool(faults_in(law, drawn(law, 300, seed, scales), risk=0.2, scales=scales))
        for seed in range(RUNS)
    )
    assert stats.binom.sf(accused - 1, RUNS, 0.2) > 1e-6


def test_nothing_drawn_is_no_fault() -> None:
    assert faults_in(LAPLACE, np.zeros((0, 3), dtype=np.int64)) == {}


# --- Faults ---------------------------------------------------------------------------


def replaced(noise: Ints, share: float, by: Ints | float) -> Ints:
    """Put other noise in place of a share of it."""
    chosen = np.random.default_rng(5).random(noise.shape) < share
    return np.where(chosen, by, noise).astype(np.int64)


def redrawn(noise: Ints, wrong: NDArray[np.bool_]) -> Ints:
    """Draw again where noise is wrong: from what is right, in another order."""
    rng = np.random.default_rng(6)
    columns = [
        np.where(bad, rng.choice(each[~bad], len(each)), each)
        for each, bad in zip(noise.T, wrong.T, strict=True)
    ]
    return np.stack(columns, axis=1)


SIZES = np.array(SCALES)
FAULTS: dict[str, tuple[str, Callable[[Ints], Ints]]] = {
    "1 % without noise": (EXACT, lambda x: replaced(x, 0.01, 0)),
    "a thousandth without noise": (EXACT, lambda x: replaced(x, 0.001, 0)),
    "1 % with noise of one cell": (CENTRE, lambda x: replaced(x, 0.01, np.sign(x))),
    "a hole of 0.01 scales": (
        CENTRE,
        lambda x: redrawn(x, np.abs(x) < 0.01 * SIZES),
    ),
    "a hole of 0.001 scales": (
        CENTRE,
        lambda x: redrawn(x, np.abs(x) < 0.001 * SIZES),
    ),
    "redrawn beyond 3 scales": (TAILS, lambda x: redrawn(x, np.abs(x) > 3 * SIZES)),
    "clipped at 3 scales": (
        TAILS,
        lambda x: np.clip(x, -3 * SIZES, 3 * SIZES).astype(int),
    ),
    "clipped at one number": (
        ONE_NUMBER,
        lambda x: np.clip(x, -3 * SIZES, 3 * SIZES).astype(int),
    ),
    "cut above 3 scales alone": (TAILS, lambda x: redrawn(x, x > 3 * SIZES)),
    "a thousandth ten times as large": (TAILS, lambda x: replaced(x, 0.001, 10 * x)),
    "even numbers": (BITS, lambda x: 2 * (x // 2)),
    "every fourth number": (BITS, lambda x: 4 * (x // 4)),
    "two low bits that agree": (BITS, lambda x: x - x % 4 + 3 * (x % 2)),
    "2 % more even numbers": (BITS, lambda x: replaced(x, 0.04, 2 * (x // 2))),
    "single precision": (BITS, lambda x: x.astype(np.float32).astype(np.int64)),
    "a bit in the middle is never set": (BITS, lambda x: x & ~(1 << 13)),
    "52 % above zero": (SIGNS, lambda x: replaced(x, 0.04, np.abs(x))),
    "one cell further up": (SHAPE, lambda x: x + (0.02 * SIZES).astype(int)),
    "a tenth at half the scale": (SHAPE, lambda x: replaced(x, 0.1, x // 2)),
    "3 % too large": (SHAPE, lambda x: np.rint(1.03 * x).astype(np.int64)),
    "a gap from 1 to 1.05 scales": (
        SHAPE,
        lambda x: redrawn(x, (x > SIZES) & (x < 1.05 * SIZES)),
    ),
    "a thousand numbers, again and again": (
        REPEATS,
        lambda x: np.resize(x[:1000], x.shape),
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_by_the_test_that_is_meant_for_it(
    name: str, sound: tuple[NoiseLaw, Ints]
) -> None:
    law, noise = sound
    kind, put_in = FAULTS[name]
    assert kind in faults_in(law, put_in(noise))


def test_the_other_law_of_the_same_spread_is_found() -> None:
    scales = tuple(each * math.sqrt(2) for each in SCALES)
    noise = drawn(GAUSSIAN, DRAWS, 3, scales)
    assert {SHAPE, TAILS} <= faults_in(LAPLACE, noise).keys()


@pytest.mark.parametrize("at", range(3))
def test_a_fault_of_one_sum_is_found_and_the_sum_is_named(
    at: int, sound: tuple[NoiseLaw, Ints]
) -> None:
    law, noise = sound
    broken = noise.copy()
    broken[:, at] *= 2
    (fault,) = (
        each for each in faults_in(law, broken // 2 * 2).values() if each.kind == TAILS
    )
    assert fault.name == NAMES[at]


def test_a_release_that_repeats_another_is_found(sound: tuple[NoiseLaw, Ints]) -> None:
    law, noise = sound
    first, second = noise[:50_000], noise[50_000:].copy()
    second[100:2_000] = first[7_000:8_900]
    assert faults_in(law, first, second).keys() == {REPEATS}


# --- Words ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("1 % without noise", EXACT, "noises of all sums are exactly 0; 0.0"),
        ("1 % without noise", CENTRE, "within 1 cells of 0"),
        ("redrawn beyond 3 scales", TAILS, "are more than "),
        (
            "even numbers",
            BITS,
            ": 0 of 300,000 noises of all sums are numbers with bit 0",
        ),
        ("52 % above zero", SIGNS, " cells above 0; 1"),
        ("a gap from 1 to 1.05 scales", SHAPE, " scales and at most "),
        ("clipped at one number", ONE_NUMBER, "are one and the same number; 0.0"),
        ("a thousand numbers, again and again", REPEATS, "first of 4 that came before"),
    ],
)
def test_a_fault_is_said_in_a_sentence(
    name: str, kind: str, said: str, sound: tuple[NoiseLaw, Ints]
) -> None:
    law, noise = sound
    fault = faults_in(law, FAULTS[name][1](noise))[kind]
    assert said in fault.said
    assert fault.said.startswith(f"{kind}: {fault.seen:,} of {fault.drawn:,} noises")
    assert fault.said.endswith(" were expected.")
