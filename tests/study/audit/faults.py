"""Noise from fixed bits, and faults that are put into the curator's noise."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dpratio.curator import measure, noise, select_keys
from dpratio.curator.entropy import BitSource
from dpratio.curator.rounded import NoiseLaw, draw_rounded
from dpratio.plan.part import Part


def fix_bits(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Let the curator draw the same noise in every run of a test."""
    monkeypatch.setattr(measure, "system_bits", np.random.default_rng(seed).bytes)


def scale_noise(
    monkeypatch: pytest.MonkeyPatch,
    by: float,
    room: Any = noise,  # noqa: ANN401
) -> None:
    """Draw all noise at a wrong scale."""

    def wrong(
        law: NoiseLaw, scale: float, count: int, bits: BitSource
    ) -> NDArray[np.int64]:
        return draw_rounded(law, by * scale, count, bits)

    monkeypatch.setattr(room, "draw_rounded", wrong)


def scale_key_noise(monkeypatch: pytest.MonkeyPatch, by: float) -> None:
    """Draw the noise on counts of keys at a wrong scale."""
    scale_noise(monkeypatch, by, select_keys)


def leave_out_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Release exact sums: the only way to look at them."""

    def none(_: NoiseLaw, __: float, count: int, ___: BitSource) -> NDArray[np.int64]:
        return np.zeros(count, dtype=np.int64)

    monkeypatch.setattr(noise, "draw_rounded", none)


def scale_one_sum(monkeypatch: pytest.MonkeyPatch, at: int, by: float) -> None:
    """Draw the noise of one sum at a wrong scale."""

    def wrong(
        mechanism: str, part: Part, cells: int, bits: BitSource
    ) -> NDArray[np.int64]:
        drawn = noise.draw_noise(mechanism, part, cells, bits)
        drawn[:, at] = np.rint(by * drawn[:, at])
        return drawn

    monkeypatch.setattr(measure, "draw_noise", wrong)


def repeat_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the noise of the first sum for all of them, each at its own scale."""

    def wrong(
        mechanism: str, part: Part, cells: int, bits: BitSource
    ) -> NDArray[np.int64]:
        drawn = noise.draw_noise(mechanism, part, cells, bits)
        scales = np.array(part.scales)
        repeated = np.rint(drawn[:, :1] * (scales / scales[0]))
        return np.asarray(repeated, dtype=np.int64)

    monkeypatch.setattr(measure, "draw_noise", wrong)
