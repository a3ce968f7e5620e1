"""Several ratios, several partitions, and how the budget is shared between them."""

import math
from fractions import Fraction
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.price import price
from dpratio.terms.bounds import Bounds
from dpratio.terms.dimensions import ScoreBins
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from plan.score_plans import BINARY, RATIO, plan_of

PAIRED = Ratio("score", per="label", minus="old")
THREE = {**BINARY, "old": Bounds(0, 1)}


def test_every_ratio_is_asked_of_every_partition() -> None:
    groups = [None, Groups("region", ["north"])]
    plan = plan_of(
        [RATIO, PAIRED],  # type: ignore[arg-type]
        bounds=THREE,
        groups=groups,
        weights=[1, Fraction(3)],
    )
    asked = [
        (question.ratio, question.partition, question.weight)
        for question in plan.measurements
    ]
    assert asked == [
        (RATIO, 0, Fraction(1, 8)),
        (PAIRED, 0, Fraction(1, 8)),
        (RATIO, 1, Fraction(3, 8)),
        (PAIRED, 1, Fraction(3, 8)),
    ]
    assert plan.partitions == tuple(groups)
    price(plan)


@pytest.mark.parametrize(
    "weights",
    [
        [],
        [1],
        [1, 1, 1],
        [1, 0],
        [1, -1],
        [1, math.nan],
        [1, math.inf],
        [1, "1"],
        [1, True],
    ],
    ids=repr,
)
def test_each_partition_has_one_positive_weight(weights: list[Any]) -> None:
    with pytest.raises(InvalidInput, match=r"^each partition has one positive weight"):
        plan_of(groups=[None, Groups("region", ["north"])], weights=weights)


def test_a_weight_is_the_decimal_that_was_written() -> None:
    plan = plan_of(groups=[None, Groups("region", ["north"])], weights=[0.1, 0.9])
    assert [question.weight for question in plan.measurements] == [
        Fraction(1, 10),
        Fraction(9, 10),
    ]


def test_a_list_without_ratios_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^at least one ratio must be asked for"):
        plan_of([])  # type: ignore[arg-type]


def test_equal_bins_are_settled_into_edges() -> None:
    plan = plan_of(groups=Groups.cross(ScoreBins("score", 2)))
    assert plan.partitions[0] == Groups.cross(ScoreBins("score", [0, 0.5, 1]))


def test_a_dimension_stands_for_groups_of_it_alone() -> None:
    bins = ScoreBins("score", 4)
    alone, within = plan_of(groups=bins), plan_of(groups=Groups.cross(bins))
    assert alone == within
    assert plan_of(groups=[None, bins]).partitions == (None, alone.partitions[0])
