"""What the histograms of a plan propose together, for each column or total."""

import pytest

from curator.histograms_for_tests import study_of
from dpratio.analyst.bounds.find_bounds import (
    FoundBounds,
    bounds_by_name,
    find_bounds,
)
from dpratio.plan.histograms import plan_bounds
from dpratio.plan.ladder import Ladder
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget


def counts_of(**cells: int) -> list[int]:
    """Counts on a ladder from 1 to 16, most of them nothing."""
    return [cells.get(each, 0) for each in Ladder(0, 4).labels]


def test_each_histogram_proposes_or_says_why_not() -> None:
    plan = plan_bounds(study_of(), budget=Budget(1), limits=(1, 16))
    some = counts_of(**{"3.5 to 4": 900})
    found = find_bounds(plan, [some, counts_of()], epsilon=1.0)
    assert found == [
        FoundBounds("spent", Bounds(0, 4), is_beyond=False),
        FoundBounds("orders", None, is_beyond=False),
    ]
    far = counts_of(**{"-16 or below": 900})
    assert find_bounds(plan, [some, far], epsilon=1.0)[1].is_beyond
    with pytest.raises(ValueError, match="argument 2"):
        find_bounds(plan, [some], epsilon=1.0)


def test_bounds_of_one_total_hold_those_of_all_its_histograms() -> None:
    low = FoundBounds("spent", Bounds(-2, 0), is_beyond=False)
    high = FoundBounds("spent", Bounds(0, 8), is_beyond=False)
    none = FoundBounds("spent", None, is_beyond=False)
    assert bounds_by_name([low, none, high]) == {"spent": Bounds(-2, 8)}
    assert bounds_by_name([low]) == {"spent": Bounds(-2, 0)}
    beyond = FoundBounds("spent", None, is_beyond=True)
    assert bounds_by_name([low, high, beyond]) == {}
