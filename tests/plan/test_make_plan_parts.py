"""Several ratios, several partitions, and how the budget is shared between them."""

from fractions import Fraction

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.price import price
from dpratio.terms.bounds import Bounds
from dpratio.terms.dimensions import ScoreBins
from dpratio.terms.groups import Groups
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from plan.score_plans import BINARY, RATIO, plan_of

PAIRED = Ratio("score", per="label", minus="old")
THREE = {**BINARY, "old": Bounds(0, 1)}


def test_every_ratio_is_asked_of_every_partition() -> None:
    groups = [None, Groups("region", ["north"])]
    plan = plan_of([RATIO, PAIRED], bounds=THREE, groups=groups)  # type: ignore[arg-type]
    asked = [(question.ratio, question.partition) for question in plan.questions]
    assert asked == [(RATIO, 0), (PAIRED, 0), (RATIO, 1), (PAIRED, 1)]
    assert [question.weight for question in plan.questions] == [Fraction(1, 4)] * 4
    assert plan.partitions == tuple(groups)
    price(plan)


def test_a_weight_is_the_decimal_that_was_written() -> None:
    north = Groups("region", ["north"])
    asked = [Question(RATIO, share=0.1), Question(RATIO, groups=north, share=0.9)]
    plan = plan_of(asked)  # type: ignore[arg-type]
    assert [question.weight for question in plan.questions] == [
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
