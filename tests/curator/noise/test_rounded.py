"""Noise is exactly round(N): by hand-made bits, word by word; chunks and forks."""

import math
import os
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from curator.bits_for_tests import LAWS, SHAPES, SIDES, WORD, Script, tail_of
from dpratio.curator.noise import rounded as room
from dpratio.curator.noise.entropy import BitSource, system_bits
from dpratio.curator.noise.rounded import draw_rounded
from dpratio.plan.certified import Interval
from dpratio.plan.laws import LAPLACE


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


def test_a_draw_far_out_stops_as_soon_as_its_bits_tell() -> None:
    """At 10^-464 a boundary beyond 2000 is asked about, and answered at once."""
    assert check_draw("laplace", 1.0, 0, *(0,) * 24, *(WORD // 3,) * 40) == 25


@SIDES
def test_a_guess_says_where_to_look_and_not_what_to_find(name: str) -> None:
    """The search ends at the same integer from any start."""
    shape, scale = SHAPES[name], 1000.3
    for tail in (2**62, 2**40, 2**25 + 7, 2**63 - 1):
        found = {
            room._round_certified(shape, scale, tail, guess, Script(WORD // 2))
            for guess in (0, 700, 30_000)
        }
        assert len(found) == 1
        low, high = Fraction(tail, 2**63), Fraction(tail + 1, 2**63)
        assert is_rounded(name, scale, found.pop(), low, high)


def test_draws_with_a_small_tail_are_certified_even_where_the_interval_is_narrow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[int] = []

    def spy(
        shape: room._Shape, scale: float, tail: int, guess: int, bits: BitSource
    ) -> int:
        seen.append(tail)
        return original(shape, scale, tail, guess, bits)

    original = room._round_certified
    monkeypatch.setattr(room, "_round_certified", spy)
    tails = [2**20 - 1, 2**20, 2**20 + 1]
    draw_rounded(LAPLACE, 2.0**-10, 3, Script(*(2 * tail for tail in tails)))
    assert seen == [2**20 - 1]


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


@SIDES
@pytest.mark.parametrize("offset", [-1000, -1, 0, 1, 1000])
def test_bounds_that_do_not_decide_yet_are_narrowed_first(
    name: str, offset: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With few digits the tail is known to a factor of four: that decides nothing."""
    law, shape = LAWS[name], SHAPES[name]

    def loose(x: Fraction, digits: int) -> Interval:
        low, high = shape.tail_bounds(x, digits)
        return (low, high) if digits > 60 else (low / 2, 2 * high)

    boundary = math.floor(shape.tail_bounds(Fraction(1, 2), 40)[0] * 2**63)
    tail = boundary + offset
    expected = draw_rounded(law, 1.0, 1, Script(2 * tail, 7))
    loosened = room._Shape(shape.quantile, loose)
    monkeypatch.setitem(room._SHAPES, law.power, loosened)
    drawn = draw_rounded(law, 1.0, 1, Script(2 * tail, 7, 7))
    assert drawn == expected == (0 if offset > 0 else 1)
