"""A histogram on a fine grid: its cells, its price, and what is refused."""

import json
from dataclasses import replace
from typing import Any

import pytest

from dpratio.errors import InvalidInput, PlanRefused
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
from plan_documents import plan_from_document, plan_to_document

BOUNDS = {"score": Bounds(0, 1), "label": Bounds.binary()}
TENTH = Budget("0.1")
GRID = Groups.cross(ScoreBins("score", 16).within(BOUNDS["score"]))


def study_of(**terms: Any) -> Study:  # noqa: ANN401
    given = {"bounds": BOUNDS, "budget": Budget(1), **terms}
    return Study(Ratio("score", per="label"), **given)


def scale_of(**unit: Any) -> float:  # noqa: ANN401
    plan = plan_bins(study_of(unit=PrivacyUnit(**unit)), "score", budget=TENTH)
    price(plan)
    (question,) = plan.measurements
    return question.scales[0]


def test_one_unit_pays_for_the_cells_that_it_moves() -> None:
    assert scale_of() == 10
    assert scale_of(neighbours="change-one") == 20
    assert scale_of(column="user", most_groups=3) == 30


def test_less_noise_is_refused() -> None:
    plan = plan_bins(study_of(), "score", budget=TENTH)
    (question,) = plan.measurements
    cheap = replace(question, sums=(replace(question.sums[0], scale=9.0),))
    with pytest.raises(PlanRefused, match="too small for the budget"):
        price(replace(plan, questions=(cheap,)))


def test_the_plan_survives_its_document_and_says_what_it_counts() -> None:
    plan = plan_bins(study_of(), "score", budget=TENTH, cells=16)
    written = json.loads(json.dumps(plan_to_document(plan)))
    assert plan_from_document(Node(written)) == plan
    said = " ".join(str(plan).split())
    assert "rows by score, in 16 declared cells between its bounds" in said
    assert "Answers: bins of as many people each." in said


EDITS: dict[str, tuple[dict[str, Any], Groups, str]] = {
    "another name": ({"name": "age"}, GRID, "must be called so"),
    "within groups": ({"within": 0}, GRID, "over the whole table"),
    "two columns": (
        {},
        Groups.cross(*GRID.dimensions, Keys("region", ["north"])),
        "the cells of its grid",
    ),
    "listed cells": ({}, GRID.only([(0,)]), "the cells of its grid"),
    "a number of bins": (
        {},
        Groups.cross(ScoreBins("score", 16)),
        "states the edges of its bins",
    ),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_plan_that_was_edited_is_refused(edit: str) -> None:
    changed, cells, rule = EDITS[edit]
    plan = plan_bins(study_of(), "score", budget=TENTH, cells=16)
    assert plan.partitions == (GRID,)
    edited = replace(plan.measurements[0], **changed)
    with pytest.raises(PlanRefused, match=rule):
        price(replace(plan, partitions=(cells,), questions=(edited,)))


def test_any_column_with_bounds_may_be_binned() -> None:
    bins = ScoreBins("age", 4)
    study = study_of(groups=bins, bounds={**BOUNDS, "age": Bounds(0, 120)})
    plan = plan_bins(study, "age", budget=TENTH)
    assert set(plan.bounds) == {"score", "age"}
    price(plan)


@pytest.mark.parametrize(
    ("given", "message"),
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
def test_bad_terms_are_refused(given: dict[str, Any], message: str) -> None:
    terms = {"study": study_of(), "column": "score", "budget": TENTH, **given}
    with pytest.raises(InvalidInput, match=message):
        plan_bins(**terms)
