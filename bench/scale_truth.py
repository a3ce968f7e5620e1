"""The exact sums of `scale_people`, from row numbers alone.

NumPy makes the rows again and adds their cells up in integers, by the rules at the top
of `curator/reading/statement.py`. No file, no SQL and none of the curator's code is
used; steps and totals are the plan's public terms.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scale_people import BLOCK, MIX, PEOPLE, REGIONS, SEEDS, WORD

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_CHUNK = 100_000  # Cells below 2^25 of so many rows add up exactly in doubles.


class Lattice(NamedTuple):
    """The steps of z, h, zz, zh and hh; where people have ids, that of their totals."""

    steps: tuple[float, ...]
    total_step: float | None = None
    highest_total: int = 0


def rows(start: int, stop: int) -> tuple[Floats, Floats, Floats, Integers]:
    """Make score, label, weight and person of some row numbers."""
    number = np.arange(start, stop, dtype=np.int64)
    words = []
    for seed in SEEDS.values():
        word = number + seed
        for _ in range(2):
            word = ((word ^ (word >> 16)) * MIX) & WORD
        words.append(word)
    a, b, c = words
    score = np.where(a % 1009 != 0, a / 2.0**32, np.nan)
    label = ((c & 65535) < (a >> 16)).astype(np.float64)
    part = b / 2.0**32
    person = number // BLOCK * PEOPLE + (((c >> 16) * PEOPLE) >> 16)
    return score, label, 0.1 + 3.5 * part * part, person


def sums(start: int, stop: int, lattice: Lattice) -> Integers:
    """Add up the rows, or the people, of some row numbers: regions × sums."""
    found = np.zeros((REGIONS, len(lattice.steps)), dtype=np.int64)
    if lattice.total_step is None:
        for first in range(start, stop, _CHUNK):
            found += _row_sums(first, min(first + _CHUNK, stop), lattice)
    else:
        for first in range(start, stop, BLOCK):
            found += _people_sums(first, lattice)
    return found


def _row_sums(start: int, stop: int, lattice: Lattice) -> Integers:
    score, label, weight, person = rows(start, stop)
    there = ~np.isnan(score)
    score, label, person = score[there], label[there], person[there]
    weight = np.clip(weight[there], 0.25, 3.0)
    z, h = weight * (score - label), weight * (score + label)
    return _added(z, h, person * 7919 % REGIONS, lattice.steps)


def _people_sums(start: int, lattice: Lattice) -> Integers:
    """Add up a block of rows by person; no person is in two blocks or two regions."""
    score, label, weight, person = rows(start, start + BLOCK)
    there = ~np.isnan(score)
    weight = np.clip(weight[there], 0.25, 3.0)
    own = person[there] - start // BLOCK * PEOPLE
    step = lattice.total_step or 0.0

    def total(column: Floats) -> Any:  # noqa: ANN401
        cells = np.floor(weight * column[there] / step + 0.5)
        added = np.bincount(own, weights=cells, minlength=PEOPLE)
        return np.clip(added, 0, lattice.highest_total) * step

    s, y = total(score), total(label)
    region = (np.arange(PEOPLE) + start // BLOCK * PEOPLE) * 7919 % REGIONS
    return _added(s - y, s + y, region, lattice.steps)


def _added(z: Floats, h: Floats, region: Integers, steps: Sequence[float]) -> Integers:
    columns = []
    for product, step in zip((z, h, z * z, z * h, h * h), steps, strict=True):
        cells = np.floor(product / step + 0.5)
        added = np.bincount(region, weights=cells, minlength=REGIONS)
        columns.append(added.astype(np.int64))
    return np.stack(columns, axis=1)
