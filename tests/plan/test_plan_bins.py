"""A histogram on a fine grid: its cells, its price, and what is refused."""

from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.histogram.plan_bins import plan_bins
from dpratio.plan.price import price
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Keys, ScoreBins
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit
from plan.priced_plans import change_question, edit, refuse, regroup
from plan_documents import plan_from_document, plan_to_document

BOUNDS = {"score": Bounds(0, 1), "label": Bounds.binary()}
TENTH = Budget("0.1")
GRID = Groups.cross(ScoreBins("score", 16).within(BOUNDS["score"]))


def study_of(**terms: Any) -> Study:  # noqa: ANN401
    given = {"bounds": BOUNDS, "budget": Budget(1), **terms}
    return Study(Ratio("score", per="label"), **given)


@pytest.mark.parametrize(
    ("unit", "scale"),
    [
        (PrivacyUnit(), 10.0),
        (PrivacyUnit(neighbours="change-one"), 20.0),
        (PrivacyUnit("user", most_groups=3), 30.0),
    ],
)
def test_one_unit_pays_for_the_cells_that_it_moves(
    unit: PrivacyUnit, scale: float
) -> None:
    plan = plan_bins(study_of(unit=unit), "score", budget=TENTH)
    price(plan)
    assert plan.measurements[0].scales == [scale]
    refuse(edit(plan, scale=0.9 * scale), "too small for the budget")


def test_the_plan_survives_its_document_and_says_what_it_counts() -> None:
    plan = plan_bins(study_of(), "score", budget=TENTH, cells=16)
    assert plan.partitions == (GRID,)
    assert plan_from_document(Node(plan_to_document(plan))) == plan
    said = " ".join(str(plan).split())
    assert "rows by score, in 16 declared cells between its bounds" in said
    assert "Answers: bins of as many people each." in said


def test_a_plan_that_was_edited_is_refused() -> None:
    plan = plan_bins(study_of(), "score", budget=TENTH, cells=16)
    refuse(change_question(plan, name="age"), "must be called so")
    refuse(change_question(plan, within=0), "over the whole table")
    for cells, message in (
        (Groups.cross(*GRID.dimensions, Keys("region", ["n"])), "cells of its grid"),
        (GRID.only([(0,)]), "cells of its grid"),
        (Groups.cross(ScoreBins("score", 16)), "states the edges of its bins"),
    ):
        refuse(regroup(plan, cells), message)


def test_any_column_with_bounds_may_be_binned() -> None:
    bounds = {**BOUNDS, "age": Bounds(0, 120)}
    study = study_of(groups=ScoreBins("age", 4), bounds=bounds)
    plan = plan_bins(study, "age", budget=TENTH)
    assert set(plan.bounds) == {"score", "age"}
    price(plan)


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ({"study": None}, "study must be a Study"),
        ({"budget": 1}, "budget must be a Budget"),
        ({"budget": Budget("0.1", "1e-6")}, "histograms need no delta"),
        ({"cells": 15}, "16 to 1,000 cells"),
        ({"cells": 1001}, "16 to 1,000 cells"),
        ({"cells": 128.0}, "16 to 1,000 cells"),
        ({"column": "weight"}, "a binned column needs bounds"),
        ({"column": None}, "a binned column needs bounds"),
    ],
)
def test_bad_terms_are_refused(terms: dict[str, Any], message: str) -> None:
    given = {"study": study_of(), "column": "score", "budget": TENTH, **terms}
    with pytest.raises(InvalidInput, match=message):
        plan_bins(**given)
