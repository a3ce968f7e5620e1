"""A first stage in a plan's document: written, read back, and refused where edited."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dpratio.errors import DocumentRefused, PlanRefused
from dpratio.plan.price import price
from dpratio.release.files import plan_hash, read_plan, write_plan
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.population import MeanSd, Population
from dpratio.terms.ratio import Ratio
from edited_places import edit
from plan.staged_plans import GROUPS, staged_plan
from plan_documents import plan_from_document, plan_to_document

PEOPLE = Population(MeanSd(10, 5), MeanSd(3, 1), MeanSd(1, 0.3), 0.5)
FOLLOWED = replace(PEOPLE, weight_with_numerator=-0.1, weight_with_per=0.25)
PLANS = {
    "plain": staged_plan(),
    "followed": staged_plan(population=FOLLOWED),
    "guessed": staged_plan(population=PEOPLE, n=700, groups=GROUPS),
    "binary": staged_plan(
        Ratio("score", per="label"),
        bounds={"score": Bounds(0, 1), "label": Bounds.binary()},
        population=Population(MeanSd(0.5, 0.1), MeanSd(0.5)),
    ),
}


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_that_was_read_is_the_one_that_was_approved(
    name: str, tmp_path: Path
) -> None:
    plan = PLANS[name]
    write_plan(plan, tmp_path / "plan.json")
    read = read_plan(tmp_path / "plan.json")
    assert read == plan
    assert plan_hash(read) == plan_hash(plan)


@pytest.mark.parametrize(
    "terms", [{"stage": 0.21}, {"n": 5_001}, {"population": PEOPLE}, {"groups": GROUPS}]
)
def test_whatever_decides_the_second_stage_is_part_of_what_is_approved(
    terms: dict[str, Any],
) -> None:
    assert plan_hash(staged_plan(**terms)) != plan_hash(staged_plan())


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("stage.epsilon", "0", "exact epsilon above 0"),
        ("stage.epsilon", "1", "leave some of the budget"),
        ("stage.epsilon", "-1/5", "exact epsilon above 0"),
        ("stage.epsilon", "1/10", "too small for its share"),
        ("stage.n", 0, "whole number of at least 1"),
        ("stage.firsts", [], "totals of every question"),
        ("stage.firsts.0.0.scale", 1e6, "too small for its share"),
        ("stage.firsts.0.0.sensitivity", "7", "sensitivity of"),
        ("study.privacy.mechanism", "classical_gaussian", "has no classical_gaussian"),
        ("study.privacy.mechanism", "analytic_gaussian", "too small for the budget"),
        ("study.privacy.strategy", "joint", "guess of strategy 'focused'"),
        ("study.ratio.residual_bound", 5.0, "guess that is known beforehand"),
    ],
)
def test_a_plan_that_was_edited_is_refused(
    place: str, value: object, message: str
) -> None:
    plan = staged_plan(budget=Budget(1, "1e-6"))
    document = edit(plan_to_document(plan), place, value)
    with pytest.raises(PlanRefused, match=message):
        price(plan_from_document(Node(document)))


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("stage", None, r"\$\.stage: must be a table"),
        ("stage.epsilon", "much", r"\$\.stage\.epsilon"),
        ("stage.n", "many", r"\$\.stage\.n: must be"),
        ("stage.population.per", [1.0], r"\$\.stage\.population\.per: must be a table"),
        ("stage.population.correlation", 2.0, r"correlation must lie between"),
        ("stage.firsts.0.0.factors", ["q"], r"must be one of"),
    ],
)
def test_a_document_that_breaks_the_format_is_refused(
    place: str, value: object, message: str
) -> None:
    document = edit(plan_to_document(PLANS["guessed"]), place, value)
    with pytest.raises(DocumentRefused, match=message):
        plan_from_document(Node(document))
