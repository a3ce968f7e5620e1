"""The title of a plan, which is no term."""

from dataclasses import replace

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study

BOUNDS = {"s": Bounds(0, 1), "y": Bounds.binary()}


def test_a_title_travels_with_a_plan_and_is_said_to_be_published() -> None:
    plain = make_plan(Ratio("s", per="y"), bounds=BOUNDS, budget=Budget("0.1"))
    plan = replace(plain, title="Loans of 2025")
    assert plan.summary()[0] == (
        "Title, which is published with every release: Loans of 2025"
    )
    assert plan.summary()[1:] == plain.summary()
    study = Study(
        Ratio("s", per="y"), bounds=BOUNDS, budget=Budget(1), title="Loans of 2025"
    )
    assert make_plan(study).title == "Loans of 2025"
    with pytest.raises(InvalidInput, match="a title is one line"):
        replace(plan, title="two\nlines")
