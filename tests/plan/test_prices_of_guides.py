"""Plans of every guide cost to the last digit what they always did."""

import json
from pathlib import Path
from typing import Any

import pytest

from dpratio.plan.make_plan import make_plan
from dpratio.plan.price import price
from dpratio.terms.study_file import parse_study

ROWS = json.loads(Path(__file__).with_name("prices_of_guides.json").read_text("utf-8"))


@pytest.mark.parametrize("row", ROWS)
def test_a_plan_of_a_guide_keeps_its_noise_and_its_price(row: dict[str, Any]) -> None:
    plan = make_plan(parse_study(row["study"]))
    cost = price(plan)
    stage = plan.stage
    assert row == {
        "study": row["study"],
        "mechanism": plan.law.name,
        "cost": [str(cost.epsilon), str(cost.delta), str(cost.rho)],
        "bases": [question.basis for question in plan.measurements],
        "scales": [question.scales for question in plan.measurements],
        "stage": stage
        and [
            str(stage.epsilon),
            [[total.scale for total in totals] for totals in stage.firsts],
        ],
    }
