"""Pairs of groups are refused where no price is proven, or nobody could be shared."""

from dataclasses import replace
from typing import Any

import pytest

from curator.pairs_for_tests import MONTHS, TOTALS, pairs_plan
from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.pairs.require_pairs import require_pairs
from dpratio.plan.sensitivity.cross_products import PlannedPairs
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        ({"strategy": "even"}, "with strategy 'focused' or 'joint', got 'even'"),
        ({"stage": 0.2}, "are not measured in two stages"),
        ({"most_groups": 1}, "one may be in several groups, got 'most_groups=1'"),
        ({"groups": None}, "pairs are of groups that are declared"),
        (
            {"groups": PrivateKeys("month", Budget("0.1", "1e-7"))},
            "pairs are of groups that are declared",
        ),
        ({"pairs": [("jan", "may")]}, "no such group, got 'may'. Groups begin with: j"),
        ({"pairs": [("jan", "jan")]}, "a pair names two different groups"),
        ({"pairs": [("jan", "feb"), ("feb", "jan")]}, "is named once"),
        ({"pairs": ["jan"]}, "pairs are of two groups each"),
        ({"pairs": "janfeb"}, "pairs are of two groups each, got 'janfeb'"),
    ],
)
def test_pairs_that_cannot_be_measured_are_refused(
    terms: dict[str, Any], words: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        pairs_plan(**terms)
    assert words in str(refused.value)


def test_rows_without_ids_share_nobody() -> None:
    with pytest.raises(InvalidInput, match="only where units have ids"):
        make_plan(
            Ratio("spent", per="visits"),
            bounds=TOTALS,
            groups=Groups("month", MONTHS),
            budget=Budget(1),
            pairs=[("jan", "feb")],
        )


def test_bounds_must_be_known() -> None:
    with pytest.raises(InvalidInput, match="need bounds that are declared"):
        make_plan(
            Ratio("spent", per="visits"),
            bounds=TOTALS,
            groups=Groups("month", MONTHS),
            budget=Budget(1),
            unit=PrivacyUnit(
                "id", totals={**TOTALS, "spent": Bounds.find()}, most_groups=2
            ),
            pairs=[("jan", "feb")],
        )


@pytest.mark.parametrize(
    "places",
    [
        (),
        [(0, 1)],
        ((1, 0),),
        ((0, 4),),
        ((-1, 2),),
        ((0, 1, 2),),
        ((False, True),),
        ((0, 1.0),),
        ([0, 1],),
        tuple((0, at) for at in range(1, 1002)),
        7,
    ],
)
def test_other_places_than_two_of_the_groups_are_refused(places: Any) -> None:  # noqa: ANN401
    plan = pairs_plan()
    question = replace(plan.questions[0], pairs=PlannedPairs(places))
    with pytest.raises(InvalidInput, match="pair"):
        require_pairs(replace(plan, questions=(question,)))


def test_what_is_no_pairs_is_refused() -> None:
    plan = pairs_plan()
    question = replace(plan.questions[0], pairs=((0, 1),))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="1 to 1,000 pairs"):
        require_pairs(replace(plan, questions=(question,)))
