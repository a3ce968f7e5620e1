"""Noisy integers around one guess, with their lattice and the noise that lies on them.

Releases around different guesses hold different sums of the same people: integers of
one guess add up, those of two stay side by side.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpratio.arrays import Integers
from dpratio.checks import require
from dpratio.errors import DocumentRefused
from dpratio.plan.calibration.calibrate import LARGEST_SCALE, MECHANISMS, SMALLEST_SCALE
from dpratio.plan.sensitivity.contrast import Contrast
from dpratio.plan.strategy.first_totals import TOTALS
from dpratio.strict import Node

__all__ = [
    "NoiseLayer",
    "NoisySums",
    "added_rows",
    "added_sums",
    "layers_add_up",
    "layers_to_document",
    "read_integer",
    "read_layers",
    "read_values",
    "require_totals",
    "to_integers",
]

_LARGEST_VALUE = 2**63 - 1
_WRITTEN = re.compile("0|-?[1-9][0-9]{0,18}")


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
    kept = given.astype(np.int64, copy=False)
    kept.flags.writeable = False
    return kept


def layers_to_document(layers: Sequence[NoiseLayer]) -> list[dict[str, Any]]:
    """Write the noise that lies on sums."""
    return [
        {
            "mechanism": layer.mechanism,
            "scales": list(layer.scales),
            "counts": layer.counts.tolist(),
        }
        for layer in layers
    ]


def read_layers(node: Node, sums: int, rows: int) -> tuple[NoiseLayer, ...]:
    """Read the noise that lies on so many sums of so many rows."""
    return tuple(_read_layer(each, sums, rows) for each in node.items())


def _read_layer(node: Node, sums: int, rows: int) -> NoiseLayer:
    fields = node.fields("mechanism", "scales", "counts")
    scales = tuple(each.number() for each in fields["scales"].items())
    usable = all(SMALLEST_SCALE <= scale <= LARGEST_SCALE for scale in scales)
    if len(scales) != sums or not usable:
        fields["scales"].refuse(f"must be {sums} noise scales")
    counts = [each.integer() for each in fields["counts"].items()]
    if len(counts) not in {1, rows} or any(not 0 <= n < 2**40 for n in counts):
        fields["counts"].refuse(f"must be 1 or {rows} numbers of draws")
    law = fields["mechanism"].choice(MECHANISMS)
    return NoiseLayer(law, scales, np.array(counts, dtype=np.int64))


def require_totals(first: object) -> None:
    """Refuse what cannot be the noisy totals of a first stage; None is none."""
    if first is None:
        return
    rule = "the totals of a first stage are two whole numbers"
    two = isinstance(first, tuple) and len(first) == TOTALS
    whole = two and all(
        type(each) is int and abs(each) < 2**63
        for each in first  # type: ignore[attr-defined]
    )
    require(whole, rule, first)


def read_values(node: Node, shape: tuple[int, int]) -> Integers:
    """Read the integers of a question: so many rows of so many sums."""
    rows = node.items()
    if len(rows) != shape[0]:
        raise DocumentRefused(
            f"{node.path}: must have {shape[0]} rows, has {len(rows)}."
        )
    values = np.empty(shape, dtype=np.int64)
    for index, row in enumerate(rows):
        cells = row.value if isinstance(row.value, list) else []
        integers = [_integer_of(cell) for cell in cells]
        known = [each for each in integers if each is not None]
        if len(integers) != shape[1] or len(known) != shape[1]:
            # Cells get their paths only where one of them is refused.
            nodes = row.items()
            if len(nodes) != shape[1]:
                row.refuse(f"must hold {shape[1]} sums")
            known = [read_integer(cell) for cell in nodes]
        values[index] = known
    return values


def read_integer(node: Node) -> int:
    """Read a noisy integer that is written as text."""
    integer = _integer_of(node.text())
    if integer is None:
        node.refuse("must be a 64-bit integer written as text")
    return integer


def _integer_of(text: object) -> int | None:
    """Return the noisy integer that a text stands for; None where it is none."""
    if not isinstance(text, str) or not _WRITTEN.fullmatch(text):
        return None
    integer = int(text)
    return None if abs(integer) > _LARGEST_VALUE else integer
