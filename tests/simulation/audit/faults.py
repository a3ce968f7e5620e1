"""Noise from fixed bits, and faults that are put into the curator's noise."""

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dpratio.curator import measure
from dpratio.curator.noise import rounded as noise
from dpratio.curator.noise.entropy import BitSource
from dpratio.curator.noise.rounded import draw_rounded
from dpratio.plan import histograms
from dpratio.plan.laws import NoiseLaw

Ints = NDArray[np.int64]
Draw = Callable[[int], Ints]
Spoil = Callable[[Draw, int, float], Ints]


def fix_bits(monkeypatch: pytest.MonkeyPatch, seed: int, *rooms: ModuleType) -> None:
    """Draw the same noise in every run of a test: the curator's, or that of rooms."""
    bits = np.random.default_rng(seed).bytes
    for room in rooms or (measure,):
        monkeypatch.setattr(room, "system_bits", bits)


def scale_noise(
    monkeypatch: pytest.MonkeyPatch,
    by: float,
    room: Any = noise,  # noqa: ANN401
) -> None:
    """Draw all noise at a wrong scale."""

    def wrong(law: NoiseLaw, scale: float, count: int, bits: BitSource) -> Ints:
        return draw_rounded(law, by * scale, count, bits)

    monkeypatch.setattr(room, "draw_rounded", wrong)


def spoil_noise(monkeypatch: pytest.MonkeyPatch, spoil: Spoil) -> None:
    """Put a fault into the noise of sums.

    It is given what draws sound noise, how much is wanted, and the scale.
    """

    def wrong(law: NoiseLaw, scale: float, count: int, bits: BitSource) -> Ints:
        return spoil(lambda few: draw_rounded(law, scale, few, bits), count, scale)

    monkeypatch.setattr(noise, "draw_rounded", wrong)


def one_in_a_hundred_without_noise(draw: Draw, count: int, _: float) -> Ints:
    """Release every hundredth sum as it is."""
    drawn = draw(count)
    drawn[::100] = 0
    return drawn


def cut_at_three_scales(draw: Draw, count: int, scale: float) -> Ints:
    """Draw again what is larger than three scales."""
    return _draw_again(draw, count, lambda drawn: np.abs(drawn) > 3 * scale)


def always_even(draw: Draw, count: int, _: float) -> Ints:
    """Set the lowest bit to zero."""
    return draw(count) & ~1


def hole_at_zero(draw: Draw, count: int, scale: float) -> Ints:
    """Draw again what is smaller than a hundredth of a scale."""
    return _draw_again(draw, count, lambda drawn: np.abs(drawn) < 0.01 * scale)


def _draw_again(
    draw: Draw, count: int, is_wrong: Callable[[Ints], NDArray[np.bool_]]
) -> Ints:
    drawn = draw(count)
    while (wrong := is_wrong(drawn)).any():
        drawn[wrong] = draw(int(wrong.sum()))
    return drawn


def scale_key_noise(monkeypatch: pytest.MonkeyPatch, by: float) -> None:
    """Draw the noise on counts of keys at a wrong scale."""
    scale_noise(monkeypatch, by, noise)


def leave_out_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Release exact sums: the only way to look at them."""

    def none(_: NoiseLaw, __: float, count: int, ___: BitSource) -> Ints:
        return np.zeros(count, dtype=np.int64)

    monkeypatch.setattr(noise, "draw_rounded", none)


def change_noise(
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Ints, Sequence[float]], Ints],
    *rooms: ModuleType,
) -> None:
    """Change the noise of a question, cells × sums: the curator's, or that of rooms."""

    def wrong(
        law: NoiseLaw, scales: Sequence[float], cells: int, bits: BitSource
    ) -> Ints:
        return change(noise.draw_noise(law, scales, cells, bits), scales)

    for room in rooms or (measure,):
        monkeypatch.setattr(room, "draw_noise", wrong)


def scale_one_sum(monkeypatch: pytest.MonkeyPatch, at: int, by: float) -> None:
    """Draw the noise of one sum at a wrong scale."""

    def scaled(drawn: Ints, _: Sequence[float]) -> Ints:
        drawn[:, at] = np.rint(by * drawn[:, at])
        return drawn

    change_noise(monkeypatch, scaled)


def repeat_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the noise of the first sum for all of them, each at its own scale."""

    def spread(drawn: Ints, scales: Sequence[float]) -> Ints:
        repeated = np.rint(drawn[:, :1] * (np.array(scales) / scales[0]))
        return np.asarray(repeated, dtype=np.int64)

    change_noise(monkeypatch, spread)


def halve_noise(monkeypatch: pytest.MonkeyPatch, sums: int, *rooms: ModuleType) -> None:
    """Halve the noise of questions with so many sums, and of no others."""

    def halved(drawn: Ints, scales: Sequence[float]) -> Ints:
        return drawn // 2 if len(scales) == sums else drawn

    change_noise(monkeypatch, halved, *rooms)


def forget_sensitivity(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plan histograms as if every unit counted once."""

    monkeypatch.setattr(histograms.Histogram, "cells_moved", lambda *_: 1)
