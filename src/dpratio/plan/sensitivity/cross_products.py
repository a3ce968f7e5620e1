"""What one person puts into products across two groups, and how many pairs it moves.

For a declared pair of groups the sums of z·z, z·h, h·z and h·h over the people who are
in both are released: the first factor is a person's in the first group, the second in
the second one. They tell how the errors of the two ratios go together.
Proof: docs/proofs/cross_products.md.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from dpratio.plan.sensitivity.contrast import Contrast
from dpratio.plan.sensitivity.corners import Point, corners_of
from dpratio.plan.sensitivity.joint import Grid, laid_out, sizes_of
from dpratio.plan.sensitivity.measured import MeasuredSum
from dpratio.plan.sensitivity.neighbours import unit_ratio
from dpratio.plan.sensitivity.sums import Summand
from dpratio.terms.bounds import Bounds
from dpratio.terms.unit import PrivacyUnit

__all__ = [
    "Places",
    "PlannedPairs",
    "crossed_grid",
    "most_pairs",
    "pairs_moved",
    "pairs_ratio",
]

Places = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class PlannedPairs:
    """Pairs of groups by their places, the earlier first, and their products.

    Of each product the first factor is the first group's, the second the second's.
    """

    places: Places
    sums: tuple[MeasuredSum, ...] = ()

    @property
    def scales(self) -> list[float]:
        """The noise scales of the products, in lattice cells."""
        return [each.scale for each in self.sums]


def crossed_grid(bounds: Mapping[str, Bounds], contrast: Contrast | None) -> Grid:
    """Lay the products of one pair on their lattices.

    Its ``moves`` are those of every two extreme rows, one in each group.

    Args:
        bounds: Bounds of a person's totals ``s`` and ``y`` in one group.
        contrast: Where the factors are ``z`` and ``h``; None for ``s`` and ``y``.
    """
    letters = "sy" if contrast is None else "zh"
    corners = corners_of(bounds, contrast)
    sizes = sizes_of(bounds, contrast)
    summands = [Summand(a + b, (a, b)) for a, b in product(letters, repeat=2)]
    grid = laid_out(
        [Summand(each.name, _apart(each.factors)) for each in summands],
        [_both(first, second, letters) for first, second in product(corners, repeat=2)],
        _both(sizes, sizes, letters),
        curved=(),
    )
    return replace(grid, summands=tuple(summands))


def most_pairs(places: Places, groups: int) -> int:
    """Bound how many declared pairs lie within so many groups, whichever they are.

    Guarantee:
        No set of so many groups holds more of the pairs. It is the number of pairs, of
        pairs that so many groups have, half of their largest degrees together, or one
        less than the groups and the cycles there are, whichever is least.
        Proof: docs/proofs/cross_products.md.

    Example:
        >>> months = tuple((at, at + 1) for at in range(11))
        >>> most_pairs(months, 12), most_pairs(months, 3), most_pairs(months[:1], 3)
        (11, 2, 1)
    """
    degrees = Counter(at for pair in places for at in pair)
    largest = sum(count for _, count in degrees.most_common(groups))
    cycles = len(places) - len(degrees) + _parts(places)
    every = groups * (groups - 1) // 2
    return min(len(places), every, largest // 2, groups - 1 + cycles)


def pairs_ratio(
    mechanism: str,
    grid: Grid,
    scales: Sequence[float],
    unit: PrivacyUnit,
    cells: int,
    places: Places,
) -> Fraction:
    """Bound how far one person moves the products of all pairs, in units of noise.

    Args:
        mechanism: Laplace noise adds moves up; Gaussian noise adds their squares.
        grid: The products of one pair, from `crossed_grid`.
        scales: Their noise scales, in lattice cells.
        unit: Who is protected, and in how many groups.
        cells: How many groups there are.
        places: The declared pairs.

    Guarantee:
        No person moves the products further under the declared neighbour relation.
        Proof: docs/proofs/cross_products.md.
    """
    moved = most_pairs(places, min(unit.most_groups, cells))
    within = replace(unit, most_groups=moved)
    return unit_ratio(mechanism, grid, scales, within, len(places))


def pairs_moved(unit: PrivacyUnit, pairs: PlannedPairs) -> int:
    """Bound how many pairs one person enters or leaves: changed, it does both."""
    moved = most_pairs(pairs.places, unit.most_groups)
    return replace(unit, most_groups=moved).cells_moved


def _apart(factors: tuple[str, ...]) -> tuple[str, ...]:
    return factors[0], f"{factors[1]}′"


def _both(first: Point, second: Point, letters: str) -> Point:
    """Put the factors of two groups side by side."""
    own = {letter: first[letter] for letter in letters}
    return own | {f"{letter}′": second[letter] for letter in letters}


def _parts(places: Places) -> int:
    """Count the parts that pairs hold together."""
    parts: list[set[int]] = []
    for pair in places:
        joined = {*pair}.union(*(each for each in parts if not each.isdisjoint(pair)))
        parts = [each for each in parts if each.isdisjoint(pair)] + [joined]
    return len(parts)
