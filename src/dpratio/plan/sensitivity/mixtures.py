"""Sums of any contrast as exact mixtures of raw ones, which are counted once.

Raw sums are those of the contrast 0: z = a = w·s and h = b = w·y. Every other z and h
mixes a and b, so its sums mix raw sums, and a table need not be read again.
Proof: docs/proofs/staged.md.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from dpratio.plan.sensitivity.contrast import Contrast
from dpratio.plan.sensitivity.joint import Grid

RAW = Contrast(0.0)

# A total is rounded to a whole cell, and one unit may carry it over the edge.
_ROUNDING_OF_TOTAL = Fraction(1)


@dataclass(frozen=True, slots=True)
class Mixture:
    """One sum in its own cells: raw sums, in theirs, by place; divided and rounded.

    The sum is ⌊(Σ weight · raw) / divisor + ½⌋.
    """

    weights: Mapping[int, int]
    divisor: int


def mixture_of(grid: Grid, raw: Grid, contrast: Contrast) -> tuple[Mixture, ...]:
    """Return how each sum of a contrast is mixed of raw sums.

    Args:
        grid: The sums of the contrast.
        raw: The same sums of the contrast 0.
        contrast: What z and h of the first are.
    """
    return tuple(_whole(parts) for parts in _parts(grid, raw, contrast))


def mixed_grid(grid: Grid, raw: Grid, contrast: Contrast) -> Grid:
    """Lay out sums that are mixed of raw ones: they are rounded more often.

    Guarantee:
        No unit moves a mixed and rounded sum further from its exact place than
        ``rounding`` of the result says. Proof: docs/proofs/staged.md.
    """
    rounding = tuple(
        sum(
            (abs(part) * raw.rounding[at] for at, part in parts.items()),
            _ROUNDING_OF_TOTAL,
        )
        for parts in _parts(grid, raw, contrast)
    )
    return replace(grid, rounding=rounding)


def _parts(grid: Grid, raw: Grid, contrast: Contrast) -> list[dict[int, Fraction]]:
    """Return each sum as raw sums by place, both in their own cells."""
    places = {each.name: at for at, each in enumerate(raw.summands)}
    columns = {
        letter: dict(zip("zh", map(Fraction, row), strict=True))
        for letter, row in zip("zh", contrast.rows, strict=True)
    }
    parts = []
    for each, step in zip(grid.summands, grid.steps, strict=True):
        found: dict[int, Fraction] = {}
        for name, part in _expanded(each.name, columns).items():
            at = places[name]
            found[at] = part * Fraction(raw.steps[at]) / Fraction(step)
        parts.append(found)
    return parts


def _expanded(
    name: str, columns: Mapping[str, Mapping[str, Fraction]]
) -> dict[str, Fraction]:
    """Multiply out a product of z and h into products of raw ones."""
    products = {"": Fraction(1)}
    for letter in name:
        grown: dict[str, Fraction] = {}
        for before, part in products.items():
            for raw, weight in columns.get(letter, {letter: Fraction(1)}).items():
                # As sums are named: w first, then z, then h; c stands alone.
                longer = "".join(sorted(before + raw, key="wzhc".index))
                grown[longer] = grown.get(longer, Fraction(0)) + part * weight
        products = grown
    return {product: part for product, part in products.items() if part}


def _whole(parts: Mapping[int, Fraction]) -> Mixture:
    """Bring the parts of a sum to one divisor."""
    divisor = math.lcm(*(part.denominator for part in parts.values()))
    return Mixture({at: int(part * divisor) for at, part in parts.items()}, divisor)
