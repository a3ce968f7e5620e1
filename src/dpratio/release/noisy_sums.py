"""Noisy integers around one guess, with their lattice and the noise that lies on them.

Releases around different guesses hold different sums of the same people: integers of
one guess add up, those of two stay side by side.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpratio.arrays import Integers
from dpratio.checks import require
from dpratio.plan.sensitivity.contrast import Contrast

__all__ = [
    "NoiseLayer",
    "NoisySums",
    "added_rows",
    "added_sums",
    "layers_add_up",
    "to_integers",
]


@dataclass(frozen=True, slots=True, eq=False)
class NoiseLayer:
    """Noise of one law that lies on the sums of a question.

    ``counts`` says how many independent draws were added into each cell: one, unless
    cells were rolled up or releases merged. It has one entry where all cells agree.
    """

    mechanism: str
    scales: tuple[float, ...]
    counts: Integers

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, NoiseLayer)
            and (self.mechanism, self.scales) == (other.mechanism, other.scales)
            and np.array_equal(self.counts, other.counts)
        )

    def __hash__(self) -> int:
        return hash((self.mechanism, self.scales))


@dataclass(frozen=True, slots=True, eq=False)
class NoisySums:
    """Noisy integers, groups × sums, in cells of ``steps``, and their noise.

    ``contrast`` says what z and h are; None where sums are of the columns themselves.
    """

    contrast: Contrast | None
    steps: tuple[float, ...]
    values: Integers
    noise: tuple[NoiseLayer, ...]

    @property
    def kind(self) -> tuple[Contrast | None, tuple[float, ...]]:
        """What sums must share to be added as whole numbers."""
        return self.contrast, self.steps

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, NoisySums)
            and (self.kind, self.noise) == (other.kind, other.noise)
            and np.array_equal(self.values, other.values)
        )

    def __hash__(self) -> int:
        return hash(self.kind)


def added_sums(given: Sequence[NoisySums]) -> list[NoisySums]:
    """Add up sums of one kind; those of different kinds stay side by side, in order."""
    kinds: dict[object, list[NoisySums]] = {}
    for each in given:
        kinds.setdefault(each.kind, []).append(each)
    return [_total(kinds[kind]) for kind in sorted(kinds, key=repr)]


def _total(same: list[NoisySums]) -> NoisySums:
    """Add up sums of one kind, and their noise."""
    if len(same) == 1:
        # A running sum over many guesses leaves those alone that did not grow.
        return same[0]
    rows = len(same[0].values)
    values = np.concatenate([each.values for each in same])
    codes = np.tile(np.arange(rows), len(same))
    noise = layers_add_up([layer for each in same for layer in each.noise])
    return NoisySums(*same[0].kind, added_rows(values, codes, rows), noise)


def added_rows(values: Integers, codes: Integers, cells: int) -> Integers:
    """Add rows of whole numbers by cell; refuse sums beyond 64 bits."""
    bound = np.abs(values.astype(np.float64)).sum(axis=0).max(initial=0.0)
    require(bound < 2.0**62, "sums that large cannot be added in 64 bits", bound)
    total = np.zeros((cells, values.shape[1]), dtype=np.int64)
    np.add.at(total, codes, values)
    return total


def layers_add_up(layers: Sequence[NoiseLayer]) -> tuple[NoiseLayer, ...]:
    """Put layers of the same law and scales together."""
    kept: dict[tuple[str, tuple[float, ...]], Integers] = {}
    for layer in layers:
        law = (layer.mechanism, layer.scales)
        kept[law] = kept.get(law, np.zeros(1, dtype=np.int64)) + layer.counts
    return tuple(NoiseLayer(*law, kept[law]) for law in sorted(kept))


def to_integers(values: object) -> Integers:
    """Copy whole numbers of 64 bits, to be read only; refuse everything else."""
    try:
        given = np.array(values)
    except (ValueError, OverflowError):
        given = np.array(None)
    rule = "values must be whole numbers of 64 bits"
    require(given.dtype.kind in "iu", rule, str(given.dtype))
    ends = [int(given.min()), int(given.max())] if given.size else [0]
    fits = all(abs(end) < 2**63 for end in ends)
    require(fits, rule, str(given.dtype))
    kept = given.astype(np.int64)
    kept.flags.writeable = False
    return kept
