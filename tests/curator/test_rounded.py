"""Noise is exactly round(N): by probabilities, by hand-made bits, by error bounds."""

import hashlib
import math
import os
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import count

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import erfc, gammaincc, ndtri

from dpratio.curator import rounded as room
from dpratio.curator.entropy import BitSource, system_bits
from dpratio.curator.rounded import GAUSSIAN, LAPLACE, NoiseLaw, draw_rounded
from dpratio.plan.certified import Interval

Floats = NDArray[np.float64]
LAWS = {"laplace": LAPLACE, "gaussian": GAUSSIAN}
SIDES = pytest.mark.parametrize("name", LAWS)
DRAWS = 10**6
# Below this probability a correct sampler does not fall, in the life of the project.
FALSE_ALARM = 1e-9
WORD = 2**64


def stream(seed: str) -> BitSource:
    """A long, fixed stream of bits: SHAKE-256 in counter mode."""
    blocks = count()

    def bits(size: int) -> bytes:
        return hashlib.shake_256(f"{seed}:{next(blocks)}".encode()).digest(size)

    return bits


class Script:
    """A bit source that hands out the words it was given, and counts the calls."""

    def __init__(self, *words: int) -> None:
        self.words: Iterator[int] = iter(words)
        self.asked: list[int] = []

    def __call__(self, size: int) -> bytes:
        self.asked.append(size)
        return b"".join(
            next(self.words).to_bytes(8, "little") for _ in range(size // 8)
        )


# --- Against the exact probabilities -------------------------------------------------


def upper_tail(name: str, x: Floats) -> Floats:
    """P(N > x) at scale 1, for x of either sign, in doubles."""
    if name == "laplace":
        half = 0.5 * np.exp(-np.abs(x))
        return np.where(x >= 0, half, 1 - half)
    return np.asarray(0.5 * erfc(x / math.sqrt(2)))


def bin_edges(name: str, scale: float) -> Floats:
    """Half-integers between bins: every integer at small scales, about 60 at large."""
    parts = np.linspace(-1, 1, 61) * {"laplace": 9.0, "gaussian": 3.8}[name]
    return np.unique(np.floor(parts * scale)) + 0.5


def p_value(name: str, claimed: float, drawn: NDArray[np.int64]) -> float:
    """Pearson's chi-square of draws against round(claimed · N), bin by bin."""
    edges = bin_edges(name, claimed)
    tails = upper_tail(name, edges / claimed)
    expected = len(drawn) * -np.diff(np.concatenate(([1.0], tails, [0.0])))
    assert expected.min() > 10
    observed = np.bincount(np.searchsorted(edges, drawn), minlength=len(expected))
    statistic = float(np.sum((observed - expected) ** 2 / expected))
    return float(gammaincc((len(expected) - 1) / 2, statistic / 2))


@SIDES
@pytest.mark.parametrize("scale", [0.4, 1.7, 6.03, 2.0**30])
def test_a_million_draws_have_the_exact_probabilities(name: str, scale: float) -> None:
    drawn = draw_rounded(LAWS[name], scale, DRAWS, stream(f"{name} {scale}"))
    assert p_value(name, scale, drawn) > FALSE_ALARM


@SIDES
@pytest.mark.parametrize("wrong", [0.98, 1.02])
@pytest.mark.parametrize("scale", [1.7, 2.0**30])
def test_a_scale_two_per_cent_off_is_noticed(
    name: str, wrong: float, scale: float
) -> None:
    drawn = draw_rounded(LAWS[name], wrong * scale, DRAWS, stream(f"{name} {scale}"))
    assert p_value(name, scale, drawn) < FALSE_ALARM


def test_the_other_law_of_the_same_spread_is_noticed() -> None:
    drawn = draw_rounded(GAUSSIAN, 1.7 * math.sqrt(2), DRAWS, stream("other"))
    assert p_value("laplace", 1.7, drawn) < FALSE_ALARM


@SIDES
def test_the_lowest_bits_of_large_noise_are_uniform(name: str) -> None:
    """At scale 2^30 the last bits of the integer carry no trace of the float."""
    drawn = draw_rounded(LAWS[name], 2.0**30, DRAWS, stream(f"low {name}"))
    observed = np.bincount(drawn % 64, minlength=64)
    statistic = float(np.sum((observed - DRAWS / 64) ** 2 / (DRAWS / 64)))
    assert gammaincc(63 / 2, statistic / 2) > FALSE_ALARM


@SIDES
def test_neighbouring_draws_do_not_depend_on_each_other(name: str) -> None:
    drawn = draw_rounded(LAWS[name], 2.0**30, DRAWS, stream(f"pairs {name}"))
    sign, size = drawn > 0, np.abs(drawn) > 2**30
    for a, b in ((sign[1:], sign[:-1]), (size[1:], size[:-1]), (sign, size)):
        agreement = float(np.corrcoef(a, b)[0, 1])
        assert abs(agreement) < 7 / math.sqrt(DRAWS)


# --- Against arbitrary precision, word by word ---------------------------------------


def exact_tail(name: str, x: mpmath.mpf) -> mpmath.mpf:
    """P(|N| > x) at scale 1."""
    return mpmath.exp(-x) if name == "laplace" else mpmath.erfc(x / mpmath.sqrt(2))


def tail_of(name: str, k: int, scale: float) -> Fraction:
    """P(|N| > k + ½) at a scale, to more digits than any test here needs."""
    with mpmath.workdps(150):
        tail = exact_tail(name, (mpmath.mpf(k) + 0.5) / mpmath.mpf(scale))
        numerator, denominator = mpmath.libmp.to_rational(tail._mpf_)
    return Fraction(int(numerator), int(denominator))


def is_rounded(
    name: str, scale: float, drawn: int, low: Fraction, high: Fraction
) -> bool:
    """Whether every tail between low and high belongs to one integer: this one."""
    size = abs(drawn)
    inner = Fraction(1) if size == 0 else tail_of(name, size - 1, scale)
    return tail_of(name, size, scale) <= low and high <= inner


SCALES = [2.0**-10, 0.3, 1.0, 1000.3, 1.7 * 2**24, 2.0**30, 3.3e11, 2.0**43, 2.0**50]


def check_draw(name: str, scale: float, tail: int, *appended: int) -> int:
    """Draw from given bits, and compare with all numbers that begin with them.

    Returns:
        How many words were appended.
    """
    script = Script(2 * tail, *appended)
    drawn = int(draw_rounded(LAWS[name], scale, 1, script)[0])
    assert set(script.asked) == {8}
    value, bits = tail, 63
    for word in appended[: len(script.asked) - 1]:
        value, bits = value << 64 | word, bits + 64
    low, high = Fraction(value, 2**bits), Fraction(value + 1, 2**bits)
    assert is_rounded(name, scale, drawn, low, high)
    return len(script.asked) - 1


@SIDES
@pytest.mark.parametrize("scale", SCALES)
def test_draws_are_the_rounded_quantile_of_their_bits(name: str, scale: float) -> None:
    """No draw is taken unless all numbers that begin with its bits agree on it."""
    rng = np.random.default_rng(11)
    tails = [int(rng.random() * 2.0**e) for e in rng.uniform(0, 63, 30)]
    tails += [1, 2, 2**20 - 1, 2**20, 2**63 - 1, 2**63 - 2**10, 2**62]
    for tail in tails:
        check_draw(name, scale, tail, *rng.integers(0, WORD, 9, np.uint64).tolist())


@SIDES
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("sign", [0, 1])
def test_bits_appended_at_a_rounding_boundary_decide_either_way(
    name: str, scale: float, sign: int
) -> None:
    """The 63 bits end just at a boundary: the next 64 say which side it was."""
    law, factor = LAWS[name], 1 - 2 * sign
    for k in sorted({0, 1, int(scale / 3), int(scale), int(5 * scale)}):
        boundary = tail_of(name, k, scale) * 2**63
        tail, rest = int(boundary), boundary % 1
        if tail == 0:
            continue
        word, middle = 2 * tail + sign, int(rest * WORD)
        for appended, expected in ((middle - 1, k + 1), (middle + 1, k)):
            script = Script(word, appended)
            assert draw_rounded(law, scale, 1, script) == factor * expected
            assert script.asked == [8, 8]
        # Undecided once more: another 64 bits, and no others.
        deeper = int(rest * WORD % 1 * WORD)
        for appended, expected in ((deeper - 1, k + 1), (deeper + 1, k)):
            script = Script(word, middle, appended)
            assert draw_rounded(law, scale, 1, script) == factor * expected
            assert script.asked == [8, 8, 8]


@SIDES
@pytest.mark.parametrize("scale", [1.0, 2.0**24, 2.0**40])
def test_neighbours_of_a_boundary_need_no_more_bits(name: str, scale: float) -> None:
    """One count further out or in, the 63 bits are enough for certified arithmetic."""
    for k in (0, int(scale), int(3 * scale)):
        tail = int(tail_of(name, k, scale) * 2**63)
        for step, expected in ((-1, k + 1), (1, k)):
            script = Script(2 * (tail + step))
            assert draw_rounded(LAWS[name], scale, 1, script) == expected
            assert script.asked == [8]


@SIDES
@pytest.mark.parametrize("scale", [1.0, 2.0**30, 2.0**50])
def test_a_tail_count_of_zero_appends_bits_and_never_redraws(
    name: str, scale: float
) -> None:
    for words in ((WORD - 1,), (12345,), (1,), (0, WORD - 1), (0, 0, 7), (0,) * 9):
        filled = (*words, *(WORD // 3,) * 40)
        assert check_draw(name, scale, 0, *filled) >= 1
        script = Script(1, *filled)
        positive = draw_rounded(LAWS[name], scale, 1, Script(0, *filled))
        assert draw_rounded(LAWS[name], scale, 1, script) == -positive


@SIDES
def test_a_guess_says_where_to_look_and_not_what_to_find(name: str) -> None:
    """The search ends at the same integer from any start."""
    law, scale = LAWS[name], 1000.3
    for tail in (2**62, 2**40, 2**25 + 7, 2**63 - 1):
        found = {
            room._round_certified(law, scale, tail, guess, Script(WORD // 2))
            for guess in (0, 700, 30_000)
        }
        assert len(found) == 1
        low, high = Fraction(tail, 2**63), Fraction(tail + 1, 2**63)
        assert is_rounded(name, scale, found.pop(), low, high)


def test_draws_with_a_small_tail_are_certified_even_where_the_interval_is_narrow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[int] = []

    def spy(law: NoiseLaw, scale: float, tail: int, guess: int, bits: BitSource) -> int:
        seen.append(tail)
        return original(law, scale, tail, guess, bits)

    original = room._round_certified
    monkeypatch.setattr(room, "_round_certified", spy)
    tails = [2**20 - 1, 2**20, 2**20 + 1]
    draw_rounded(LAPLACE, 2.0**-10, 3, Script(*(2 * tail for tail in tails)))
    assert seen == [2**20 - 1]


# --- Error bounds of the fast quantiles ----------------------------------------------


def tail_counts() -> list[int]:
    """Counts all over 2^20..2^63, around u = e^-2, and at both ends."""
    rng = np.random.default_rng(3)
    spread = (2.0 ** rng.uniform(20, 63, 2500)).astype(np.uint64)
    uniform = rng.integers(2**20, 2**63, 1500, np.uint64)
    offsets = rng.integers(-(2**45), 2**45, 1000)
    near = [int(math.exp(-2) * 2**63) + int(offset) for offset in offsets]
    nearer = [int(2 * math.exp(-2) * 2**63) + int(offset) for offset in offsets]
    ends = [2**20 + k for k in range(50)] + [2**63 - 1 - k * 997 for k in range(50)]
    powers = [2**e + d for e in range(21, 63) for d in (-1, 0, 1)]
    return [*spread.tolist(), *uniform.tolist(), *near, *nearer, *ends, *powers]


@SIDES
@pytest.mark.parametrize("offset", [-1000, -1, 0, 1, 1000])
def test_bounds_that_do_not_decide_yet_are_narrowed_first(
    name: str, offset: int
) -> None:
    """With few digits the tail is known to a factor of four: that decides nothing."""
    law = LAWS[name]

    def loose(x: Fraction, digits: int) -> Interval:
        low, high = law.tail_bounds(x, digits)
        return (low, high) if digits > 60 else (low / 2, 2 * high)

    boundary = math.floor(law.tail_bounds(Fraction(1, 2), 40)[0] * 2**63)
    tail = boundary + offset
    drawn = draw_rounded(NoiseLaw(law.quantile, loose), 1.0, 1, Script(2 * tail, 7, 7))
    expected = draw_rounded(law, 1.0, 1, Script(2 * tail, 7))
    assert drawn == expected == (0 if offset > 0 else 1)


@SIDES
def test_the_error_bounds_of_the_fast_quantiles_are_those_of_the_proof(
    name: str,
) -> None:
    """docs/proofs/rounded_noise.md, the table: no less, and no more, which is slow."""
    tails = np.array([2.0**20, 2.0**21 + 1, 2.0**40, 2.0**60, 2.0**62, 2.0**63 - 1024])
    size, error = LAWS[name].quantile(tails)
    unit = 2.0**-53
    bits = 4 * unit + 1 / (tails + 0.5)
    units, ratio = {"laplace": (8, 1.0), "gaussian": (64, 1.2534)}[name]
    stated = units * unit * np.maximum(size, 1) + ratio * bits
    assert error.tolist() == pytest.approx(stated.tolist(), rel=1e-12, abs=0)


@SIDES
def test_the_error_bounds_of_the_fast_quantiles_hold(name: str) -> None:
    """For all numbers that begin with the bits, with four units left for rounding."""
    counts = tail_counts()
    size, error = LAWS[name].quantile(np.array(counts, np.uint64).astype(np.float64))
    units = 2.0**-53 * np.maximum(size, 1.0)
    assert np.all(error >= {"laplace": 8, "gaussian": 64}[name] * units)
    kept = error - 4 * units
    with mpmath.workprec(200):
        unit = mpmath.mpf(2) ** -63
        for tail, middle, reach in zip(counts, size, kept, strict=True):
            centre, width = mpmath.mpf(float(middle)), mpmath.mpf(float(reach))
            assert exact_tail(name, centre + width) <= tail * unit
            inner = centre - width
            assert inner <= 0 or exact_tail(name, inner) >= (tail + 1) * unit


def units_off(values: Floats, exact: Callable[[int], mpmath.mpf]) -> float:
    """The largest error, in units of 2^-53 of the value or of 1 if that is more."""
    with mpmath.workprec(200):
        return max(
            float(abs(mpmath.mpf(value) - exact(at)) / max(1, abs(value)) * 2**53)
            for at, value in enumerate(values.tolist())
        )


def test_the_logarithm_of_numpy_is_as_good_as_assumed() -> None:
    """docs/proofs/rounded_noise.md rests on 4 units; about 1 is seen."""
    points = (np.array(tail_counts(), np.uint64).astype(np.float64) + 0.5) * 2.0**-63
    for batch in (points, points[:3]):  # Vector and scalar loops.
        off = units_off(np.log(batch), lambda at: mpmath.log(points[at]))
        assert off <= 4


def test_the_normal_quantile_of_scipy_is_as_good_as_assumed() -> None:
    """docs/proofs/rounded_noise.md rests on 56 units; about 7 are seen."""
    points = (np.array(tail_counts(), np.uint64).astype(np.float64) + 0.5) * 2.0**-64
    values = np.asarray(ndtri(points))

    def exact(at: int) -> mpmath.mpf:
        """One step of Newton from a double is exact to 100 bits."""
        start = mpmath.mpf(float(values[at]))
        error = mpmath.erfc(-start / mpmath.sqrt(2)) / 2 - mpmath.mpf(float(points[at]))
        slope = mpmath.npdf(start)
        return start - error / slope

    assert units_off(values, exact) <= 56


def test_the_mills_ratio_is_below_the_constant_of_the_error_bound() -> None:
    with mpmath.workprec(100):
        ratios = [
            mpmath.erfc(x / mpmath.sqrt(2)) / 2 / mpmath.npdf(x)
            for x in mpmath.linspace(0, 10, 1001)
        ]
    assert max(ratios) == ratios[0] < 1.2534
    assert ratios == sorted(ratios, reverse=True)


@settings(deadline=None, max_examples=100)
@given(
    tail=st.integers(0, 2**63 - 1),
    scale=st.floats(2.0**-10, 2.0**50),
    name=st.sampled_from(sorted(LAWS)),
)
def test_any_draw_is_the_rounded_quantile_of_its_bits(
    tail: int, scale: float, name: str
) -> None:
    check_draw(name, scale, tail, *[WORD // 2] * 20)


# --- Certified tails, chunks, forks ---------------------------------------------------


@SIDES
@pytest.mark.parametrize(
    "x", ["0", "0.001", "1", "9", "59", "61", "1999", "2001", "1e9"]
)
def test_tails_are_enclosed_however_far_out(name: str, x: str) -> None:
    low, high = LAWS[name].tail_bounds(Fraction(x), 30)
    with mpmath.workdps(60):
        true = exact_tail(name, mpmath.mpf(x))
        assert mpmath.mpf(low.numerator) / low.denominator <= true
        assert true <= mpmath.mpf(high.numerator) / high.denominator


CHUNK = 2**17


@pytest.mark.parametrize(
    ("size", "asked"),
    [
        (0, []),
        (1, [8]),
        (CHUNK, [8 * CHUNK]),
        (CHUNK + 1, [8 * CHUNK, 8]),
    ],
)
def test_long_draws_come_in_chunks(size: int, asked: list[int]) -> None:
    calls: list[int] = []
    words = np.random.default_rng(1).integers(0, WORD, size, np.uint64)
    rest = iter([words[:CHUNK], words[CHUNK:]])

    def bits(wanted: int) -> bytes:
        calls.append(wanted)
        return next(rest).tobytes()

    drawn = draw_rounded(LAPLACE, 3.0, size, bits)
    assert calls == asked
    assert drawn.dtype == np.int64
    assert drawn.shape == (size,)
    sizes = -3 * np.log(((words >> np.uint64(1)) + 0.5) / 2.0**63)
    signs = 1 - 2 * (words & np.uint64(1)).astype(np.int64)
    assert np.array_equal(drawn, signs * np.round(sizes).astype(np.int64))


def test_forked_processes_do_not_share_a_stream() -> None:
    """No four consecutive draws of one process are found again in another."""
    children, draws = 8, 5000

    def draw() -> NDArray[np.int64]:
        return draw_rounded(LAPLACE, 2.0**30, draws, system_bits)

    seen = [draw()]
    for _ in range(children):
        read, write = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Threads of NumPy.
            identity = os.fork()
        if identity == 0:
            os.write(write, draw().tobytes())
            os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            seen.append(np.frombuffer(pipe.read(), np.int64))
        os.waitpid(identity, 0)
    windows = np.concatenate(
        [np.lib.stride_tricks.sliding_window_view(each, 4) for each in seen]
    )
    assert windows.shape == ((children + 1) * (draws - 3), 4)
    assert len(np.unique(windows, axis=0)) == len(windows)
