"""Products across two groups: their lattice, how many move, and what they cost."""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from dpratio.plan.sensitivity.contrast import Contrast
from dpratio.plan.sensitivity.cross_products import (
    PlannedPairs,
    crossed_grid,
    most_pairs,
    pairs_moved,
    pairs_ratio,
)
from dpratio.plan.sensitivity.joint import Grid
from dpratio.plan.sensitivity.lattice import to_cell
from dpratio.terms.bounds import Bounds
from dpratio.terms.unit import PrivacyUnit

BOXES = [
    {"s": Bounds(0, 1), "y": Bounds(0, 1)},
    {"s": Bounds(-4, 10), "y": Bounds(0, 5)},
    {"s": Bounds(3, 3.5), "y": Bounds(-2, 7)},
]
CONTRASTS = [
    None,
    Contrast(0.0),
    Contrast(1.0),
    Contrast(1.5, basis="denominator"),
    Contrast(-0.7, limit=2.0),
]
LAWS = ["laplace", "gaussian"]


def factors(contrast: Contrast | None, s: float, y: float) -> tuple[float, float]:
    """Make the two columns as engines do."""
    if contrast is None:
        return s, y
    scaled = contrast.centre * y
    limit = math.inf if contrast.limit is None else contrast.limit
    h = s + scaled if contrast.has_numerator else y
    return min(max(s - scaled, -limit), limit), h


def drawn(box: dict[str, Bounds], rng: np.random.Generator) -> Iterator[float]:
    """Draw a total of each column: half of them at an end."""
    for each in (box["s"], box["y"]):
        inside = rng.uniform(each.lower, each.upper)
        yield float(rng.choice([each.lower, each.upper, inside, inside]))


def cells(
    grid: Grid, first: tuple[float, float], second: tuple[float, float]
) -> list[int]:
    """Count the four products in their cells."""
    both = itertools.product(first, second)
    return [to_cell(a * b, step) for (a, b), step in zip(both, grid.steps, strict=True)]


def cost(law: str, moves: list[int], scales: list[float]) -> Fraction:
    """What moves cost; squared for Gaussian noise."""
    power = 1 if law == "laplace" else 2
    return sum(
        (
            (abs(each) / Fraction(scale)) ** power
            for each, scale in zip(moves, scales, strict=True)
        ),
        Fraction(0),
    )


def price_of(law: str, grid: Grid, scales: list[float], **unit: object) -> Fraction:
    """The price of one pair, for someone in two groups; squared for Gaussian noise."""
    person = PrivacyUnit("id", most_groups=2, **unit)  # type: ignore[arg-type]
    ratio = pairs_ratio(law, grid, scales, person, 2, ((0, 1),))
    return ratio if law == "laplace" else ratio**2


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("contrast", CONTRASTS)
@pytest.mark.parametrize("box", BOXES)
def test_no_person_costs_more_than_the_price_of_a_pair(
    box: dict[str, Bounds], contrast: Contrast | None, law: str
) -> None:
    rng = np.random.default_rng(1)
    grid = crossed_grid(box, contrast)
    for _ in range(4):
        scales = [float(2.0 ** rng.uniform(10, 30)) for _ in grid.steps]
        allowed = price_of(law, grid, scales)
        for _ in range(40):
            first, second = (factors(contrast, *drawn(box, rng)) for _ in range(2))
            moves = cells(grid, first, second)
            assert cost(law, moves, scales) <= allowed
            for each, most in zip(moves, grid.sensitivities, strict=True):
                assert abs(each) <= most


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("contrast", CONTRASTS)
@pytest.mark.parametrize("box", BOXES)
def test_someone_costs_as_much_as_the_price_says(
    box: dict[str, Bounds], contrast: Contrast | None, law: str
) -> None:
    """Ends of the box, or where z meets its limit, in both groups: all but rounding."""
    grid = crossed_grid(box, contrast)
    rng = np.random.default_rng(2)
    ends = [(each.lower, each.upper) for each in (box["s"], box["y"])]
    rows = list(itertools.product(*ends))
    if contrast is not None and contrast.limit is not None:
        for limit in (-contrast.limit, contrast.limit):
            rows += [(limit + contrast.centre * y, y) for y in ends[1]]
            rows += [(s, (s - limit) / contrast.centre) for s in ends[0]]
    rows = [
        (s, y)
        for s, y in rows
        if ends[0][0] <= s <= ends[0][1] and ends[1][0] <= y <= ends[1][1]
    ]
    for _ in range(3):
        scales = [float(2.0 ** rng.uniform(10, 30)) for _ in grid.steps]
        dearest = max(
            cost(
                law,
                cells(
                    grid,
                    factors(contrast, *first),
                    factors(contrast, *second),
                ),
                scales,
            )
            for first, second in itertools.product(rows, repeat=2)
        )
        allowed = price_of(law, grid, scales)
        assert dearest <= allowed
        assert dearest == pytest.approx(float(allowed), rel=1e-5)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("contrast", CONTRASTS[:4])
def test_changing_someone_moves_a_pair_from_one_end_to_the_other(
    contrast: Contrast | None, law: str
) -> None:
    box = BOXES[1]
    grid = crossed_grid(box, contrast)
    rng = np.random.default_rng(3)
    scales = [float(2.0 ** rng.uniform(10, 30)) for _ in grid.steps]
    allowed = price_of(law, grid, scales, neighbours="change-one")
    assert price_of(law, grid, scales) < allowed
    for _ in range(300):
        one, other = (
            cells(grid, *(factors(contrast, *drawn(box, rng)) for _ in range(2)))
            for _ in range(2)
        )
        moves = [a - b for a, b in zip(one, other, strict=True)]
        assert cost(law, moves, scales) <= allowed


def test_the_factors_are_those_of_the_sums() -> None:
    box = BOXES[0]
    named = [each.name for each in crossed_grid(box, Contrast(1.0)).summands]
    assert named == ["zz", "zh", "hz", "hh"]
    plain = crossed_grid(box, None)
    assert [each.factors for each in plain.summands] == [
        ("s", "s"),
        ("s", "y"),
        ("y", "s"),
        ("y", "y"),
    ]


@pytest.mark.parametrize("seed", range(40))
def test_no_groups_hold_more_pairs_than_said(seed: int) -> None:
    """Against all sets of groups, one by one."""
    rng = np.random.default_rng(seed)
    every = list(itertools.combinations(range(6), 2))
    count = int(rng.integers(1, len(every) + 1))
    chosen = rng.permutation(len(every))[:count]
    places = tuple(sorted(every[at] for at in chosen))
    for groups in range(2, 7):
        held = max(
            sum({*pair} <= {*some} for pair in places)
            for some in itertools.combinations(range(6), groups)
        )
        assert held <= most_pairs(places, groups)


@pytest.mark.parametrize(
    ("places", "groups", "held"),
    [
        (((0, 1),), 5, 1),
        (tuple((at, at + 1) for at in range(11)), 4, 3),
        (tuple((0, at) for at in range(1, 8)), 3, 2),
        (tuple(itertools.combinations(range(5), 2)), 3, 3),
        (tuple(itertools.combinations(range(5), 2)), 9, 10),
        (((0, 1), (2, 3), (4, 5)), 2, 1),
        (((0, 1), (2, 3), (4, 5)), 5, 2),
        (((0, 1), (1, 2), (0, 2), (3, 4)), 3, 3),
    ],
)
def test_the_bound_is_met_by_usual_designs(
    places: tuple[tuple[int, int], ...], groups: int, held: int
) -> None:
    assert most_pairs(places, groups) == held


def test_a_person_moves_every_pair_of_its_groups() -> None:
    """k groups hold k(k − 1)/2 pairs; one who is changed leaves and enters them."""
    every = tuple(itertools.combinations(range(4), 2))
    grid = crossed_grid(BOXES[0], None)
    scales = [2.0**20] * 4
    for groups, pairs in ((2, 1), (3, 3), (4, 6), (9, 6)):
        unit = PrivacyUnit("id", most_groups=groups)
        changed = PrivacyUnit("id", most_groups=groups, neighbours="change-one")
        alone = PrivacyUnit("id", most_groups=2)
        one = pairs_ratio("laplace", grid, scales, alone, 4, every[:1])
        assert pairs_ratio("laplace", grid, scales, unit, 4, every) == pairs * one
        assert pairs_ratio("laplace", grid, scales, changed, 4, every) == (
            2 * pairs * one
        )
        assert pairs_moved(unit, PlannedPairs(every)) == pairs
        assert pairs_moved(changed, PlannedPairs(every)) == 2 * pairs
