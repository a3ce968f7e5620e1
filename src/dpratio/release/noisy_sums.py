"""Noisy integers around one guess, with their lattice and the noise that lies on them.

Releases around different guesses hold different sums of the same people: integers of
one guess add up, those of two stay side by side.
"""

from dataclasses import dataclass

import numpy as np

from dpratio.arrays import Integers
from dpratio.errors import InvalidInput
from dpratio.plan.laws import NoiseLaw
from dpratio.plan.sensitivity.contrast import Contrast


@dataclass(frozen=True, slots=True, eq=False)
class NoiseLayer:
    """Noise of one law that lies on the sums of a question.

    ``counts`` says how many independent draws were added into each cell: one, unless
    cells were rolled up or releases merged. It has one entry where all cells agree.
    """

    law: NoiseLaw
    scales: tuple[float, ...]
    counts: Integers

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, NoiseLayer)
            and (self.law, self.scales) == (other.law, other.scales)
            and np.array_equal(self.counts, other.counts)
        )

    def __hash__(self) -> int:
        return hash((self.law, self.scales))


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


def to_integers(values: object) -> Integers:
    """Return a read-only copy of whole numbers of 64 bits; refuse everything else."""
    try:
        array = np.array(values)
    except (ValueError, OverflowError):
        array = np.array(None)
    if array.dtype.kind not in "iu" or (
        array.size and not -(2**63) < int(array.min()) <= int(array.max()) < 2**63
    ):
        raise InvalidInput("values must be whole numbers of 64 bits.", field="values")
    integers = array.astype(np.int64, copy=False)
    integers.flags.writeable = False
    return integers
