"""Totals over all groups: what one unit puts into several of them comes together."""

import itertools
from fractions import Fraction

import pytest

from dpratio.plan.sensitivity.joint import joint_ratio
from dpratio.plan.sensitivity.mixtures import RAW
from dpratio.plan.sensitivity.neighbours import pooled_ratio, unit_ratio
from dpratio.terms.bounds import Bounds
from dpratio.terms.unit import NEIGHBOURS, PrivacyUnit
from plan.boxes_for_tests import LAWS, UNIT, Box, cells_of, cost_of, within

BOXES: list[Box] = [
    UNIT,
    {"s": Bounds(-2, 1), "y": Bounds(3, 4)},
    {"s": Bounds(0, 5), "y": Bounds(-1, 1), "w": Bounds(0.5, 2)},
]


@pytest.mark.parametrize("law", LAWS)
def test_groups_add_up_in_a_total_whatever_the_noise(law: str) -> None:
    """In squares they would add up to less: that is for groups side by side."""
    grid = sums_of("focused", UNIT, RAW, ("ratio",))
    scales = [10.0 * each for each in grid.sensitivities]
    once = joint_ratio(law, grid, scales)
    for groups, cells, moved in [(1, None, 1), (4, None, 4), (4, 3, 3), (4, 9, 4)]:
        unit = PrivacyUnit("id", most_groups=groups)
        assert pooled_ratio(law, grid, scales, unit, cells) == moved * once
    unit = PrivacyUnit("id", most_groups=4)
    apart = unit_ratio(law, grid, scales, unit, None)
    assert pooled_ratio(law, grid, scales, unit, None) >= apart


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("box", BOXES, ids=str)
def test_no_unit_moves_a_total_further_than_priced(
    law: str, neighbours: str, groups: int, box: Box
) -> None:
    grid = sums_of("focused", box, RAW, ("ratio",))
    scales = [3.0 * each for each in grid.sensitivities]
    unit = PrivacyUnit("id", most_groups=groups, neighbours=neighbours)
    most = pooled_ratio(law, grid, scales, unit, 5)
    ends = itertools.product(*((each.lower, each.upper) for each in box.values()))
    rows = [dict(zip(box, row, strict=True)) for row in ends]
    none = [0] * len(scales)
    held = [none, *(cells_of(row, box, grid, RAW) for row in rows)]
    shapes = list(itertools.combinations_with_replacement(held, groups))
    totals = [[sum(each) for each in zip(*one, strict=True)] for one in shapes]
    before = totals if neighbours == "change-one" else [none]
    costs = [
        cost_of(law, [a - b for a, b in zip(one, other, strict=True)], scales)
        for one in totals
        for other in before
    ]
    assert all(within(law, cost, most) for cost in costs)


def test_who_is_changed_moves_a_total_once_and_not_twice() -> None:
    """Out of one group and into another is no further than within one."""
    grid = sums_of("focused", UNIT, RAW, ("ratio",))
    scales = [10.0 * each for each in grid.sensitivities]
    unit = PrivacyUnit(neighbours="change-one")
    pooled = pooled_ratio("laplace", grid, scales, unit, 9)
    assert pooled < Fraction(101, 100) * joint_ratio("laplace", grid, scales)
    assert pooled < unit_ratio("laplace", grid, scales, unit, 9)
