"""A plan as a document, and back; every refusal names its path."""

import copy
import json
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpratio.errors import DocumentRefused, InvalidInput
from dpratio.plan.document import plan_from_document, plan_to_document
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.question import Ratio

PLAN = make_plan(
    Ratio("score", per="label", weight="weight"),
    bounds={"score": Bounds(0, 1), "label": Bounds.binary(), "weight": Bounds(0.5, 3)},
    budget=Budget("0.6"),
    groups=Groups("region", ["north", "south"]),
    strategy="even",
)
FOCUSED = make_plan(
    Ratio("s", per="y", guess=1.5, guess_is="unknown", residual_bound=0.25),
    bounds={"s": Bounds(0, 1), "y": Bounds(0, 2)},
    budget=Budget(1),
    answers=("ratio", "means"),
)


def there_and_back(plan: Plan) -> Plan:
    return plan_from_document(Node(json.loads(json.dumps(plan_to_document(plan)))))


def edited(path: str, value: object) -> dict[str, Any]:
    """Give the document of `PLAN` with the field at a dotted path changed."""
    document = copy.deepcopy(plan_to_document(PLAN))
    *parents, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    place: Any = document
    for step in parents:
        place = place[step]
    place[last] = value
    return document


def refusal(document: object) -> str:
    with pytest.raises(DocumentRefused) as caught:
        plan_from_document(Node(document))
    return str(caught.value)


def test_a_plan_is_written_in_plain_words() -> None:
    document = plan_to_document(PLAN)
    (part,) = document["parts"]
    assert part["ratio"] == {
        "numerator": "score",
        "per": "label",
        "weight": "weight",
        "minus": None,
        "guess": None,
        "guess_is": "close",
        "residual_bound": None,
    }
    assert document["bounds"] == {
        "score": [0.0, 1.0],
        "label": "binary",
        "weight": [0.5, 3.0],
    }
    assert document["partitions"] == [
        {
            "dimensions": [
                {"keys": {"column": "region", "values": ["north", "south"]}}
            ],
            "cells": None,
        }
    ]
    assert (part["partition"], part["weight"]) == (0, "1")
    assert document["unit"] == {
        "column": None,
        "totals": {},
        "most_groups": 1,
        "neighbours": "add-or-remove-one",
        "key": "dpratio",
    }
    assert document["privacy"] == {
        "epsilon": "3/5",
        "delta": "0",
        "strategy": "even",
        "mechanism": "laplace",
    }
    assert document["answers"] == ["ratio"]
    assert part["sums"][1] == {
        "name": "wy",
        "factors": ["w", "y"],
        "step": 2.0**-23,
        "sensitivity": 3 * 2**23,
        "scale": 30.0 * 2**23,
    }


def test_a_focused_plan_writes_its_guess_and_its_answers() -> None:
    document = plan_to_document(FOCUSED)
    (part,) = document["parts"]
    assert part["ratio"] == {
        "numerator": "s",
        "per": "y",
        "weight": None,
        "minus": None,
        "guess": 1.5,
        "guess_is": "unknown",
        "residual_bound": 0.25,
    }
    assert document["answers"] == ["ratio", "means"]
    assert document["privacy"]["strategy"] == "focused"
    assert [each["factors"] for each in part["sums"]] == [
        ["z"],
        ["h"],
        ["z", "z"],
        ["z", "h"],
        ["h", "h"],
        [],
    ]
    assert there_and_back(FOCUSED) == FOCUSED


def test_a_plan_without_groups_or_weights_writes_null() -> None:
    plan = make_plan(
        Ratio("s", per="y"),
        bounds={"s": Bounds(0, 1), "y": Bounds(0, 1)},
        budget=Budget(1),
    )
    document = plan_to_document(plan)
    assert document["partitions"] == [None]
    assert document["parts"][0]["ratio"]["weight"] is None
    assert there_and_back(plan) == plan


names = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1
)
keys: st.SearchStrategy[list[Any]] = (
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x00")))
    | st.lists(st.integers(-(2**63 - 1), 2**63 - 1))
    | st.lists(st.booleans())
)
sizes = st.floats(1e-6, 1e6)
bounds = st.just(Bounds.binary()) | st.builds(
    lambda low, width: Bounds(low, low + width), st.floats(-1e6, 1e6), sizes
)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    s, y, w, g = draw(st.lists(names, min_size=4, max_size=4, unique=True))
    weight = draw(st.none() | st.builds(lambda top: Bounds(0, top), sizes))
    asked = {s: draw(bounds), y: draw(bounds)} | ({w: weight} if weight else {})
    declared = list(dict.fromkeys(draw(keys)))
    strategy = draw(st.sampled_from(["focused", "joint", "even"]))
    noise = ["laplace", "analytic_gaussian"]
    noise += ["classical_gaussian"] if strategy == "even" else []
    ratio = Ratio(
        s,
        per=y,
        weight=w if weight else None,
        guess=draw(st.sampled_from([0.0, 1.0, -0.1, 3.25])),
        guess_is=draw(st.sampled_from(["close", "unknown"])),
    )
    return make_plan(
        ratio,
        bounds=asked,
        strategy=strategy,
        answers=draw(st.sampled_from([("ratio",), ("ratio", "means")])),
        budget=Budget(
            draw(st.fractions("0.01", 5, max_denominator=10**9)),
            draw(st.decimals("1e-9", "0.1", places=9).filter(lambda d: d > 0)),
        ),
        groups=Groups(g, declared) if declared else None,
        mechanism=draw(st.sampled_from(noise)),
    )


@settings(deadline=None, max_examples=60)
@given(plans())
def test_a_plan_survives_its_document(plan: Plan) -> None:
    back = there_and_back(plan)
    assert back == plan
    if isinstance(plan.groups, Groups):
        assert isinstance(back.groups, Groups)
        kinds = [type(key) for key in plan.groups.keys]
        assert [type(key) for key in back.groups.keys] == kinds
    assert plan_to_document(back) == plan_to_document(plan)


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [
        ("0." + "3" * 150, 0),
        (Fraction(1, 3**250) + 1, 0),
        (1, Decimal("1." + "7" * 120 + "e-100")),
    ],
    ids=["long decimal", "long fraction", "long delta"],
)
def test_no_budget_makes_a_plan_that_cannot_be_read_again(
    epsilon: str | Fraction, delta: int | Decimal
) -> None:
    """Either the budget is refused, or the plan survives its document."""
    try:
        budget = Budget(epsilon, delta)
    except InvalidInput:
        return
    plan = make_plan(
        Ratio("s", per="y"),
        bounds={"s": Bounds(0, 1), "y": Bounds.binary()},
        budget=budget,
        strategy="even",
        mechanism="laplace" if delta == 0 else "analytic_gaussian",
    )
    assert there_and_back(plan) == plan


KEYS = "partitions.0.dimensions.0.keys"
DIMENSION = "$.partitions[0].dimensions[0]"
AT_KEYS = f"{DIMENSION}.keys"
TABLES = {
    "$": "",
    "$.unit": "unit",
    "$.privacy": "privacy",
    "$.partitions[0]": "partitions.0",
    "$.partitions[0].dimensions[0].keys": "partitions.0.dimensions.0.keys",
    "$.parts[0]": "parts.0",
    "$.parts[0].ratio": "parts.0.ratio",
    "$.parts[0].sums[0]": "parts.0.sums.0",
}


@pytest.mark.parametrize("path", TABLES)
def test_unknown_and_missing_fields_are_refused_with_their_path(path: str) -> None:
    def at(document: dict[str, Any]) -> Any:  # noqa: ANN401
        place: Any = document
        for step in filter(None, TABLES[path].split(".")):
            place = place[int(step) if step.isdigit() else step]
        return place

    document = copy.deepcopy(plan_to_document(PLAN))
    at(document)["surprise"] = 1
    message = refusal(document)
    assert message.startswith(f"{path}: unknown field 'surprise'. Known fields: ")
    for name in list(at(plan_to_document(PLAN))):
        document = copy.deepcopy(plan_to_document(PLAN))
        del at(document)[name]
        assert refusal(document) == f"{path}: field '{name}' is missing."


def test_bounds_are_a_free_table() -> None:
    assert refusal(edited("bounds", [])).startswith("$.bounds: must be a table")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (
            "parts.0.ratio.numerator",
            1,
            "$.parts[0].ratio.numerator: must be text, got 1.",
        ),
        ("parts.0.ratio.per", None, "$.parts[0].ratio.per: must be text, got None."),
        ("parts.0.ratio.weight", 1, "$.parts[0].ratio.weight: must be text, got 1."),
        (
            "bounds.score",
            [0],
            "$.bounds.score: must be [lower, upper] or 'binary', got [0].",
        ),
        ("bounds.score", "unary", "$.bounds.score: must be a list, got 'unary'."),
        ("bounds.score", None, "$.bounds.score: must be a list, got None."),
        ("bounds.score", ["0", 1], "$.bounds.score[0]: must be a number, got '0'."),
        ("bounds.score", [0, True], "$.bounds.score[1]: must be a number, got True."),
        (
            "bounds.score",
            [0, float("inf")],
            "$.bounds.score[1]: must be a finite number, got inf.",
        ),
        ("partitions.0", 3, "$.partitions[0]: must be a table of fields, got 3."),
        (f"{KEYS}.column", 3, f"{AT_KEYS}.column: must be text, got 3."),
        (f"{KEYS}.values", "north", f"{AT_KEYS}.values: must be a list, got 'north'."),
        (f"{KEYS}.values.1", 0.5, f"{AT_KEYS}.values[1]: must be text, got 0.5."),
        (f"{KEYS}.values.0", [], f"{AT_KEYS}.values[0]: must be text, got []."),
        ("unit", "row", "$.unit: must be a table of fields, got 'row'."),
        ("unit.column", 1, "$.unit.column: must be text, got 1."),
        ("unit.totals", [], "$.unit.totals: must be a table of fields, got []."),
        ("unit.totals", {"s": 1}, "$.unit.totals.s: must be a list, got 1."),
        (
            "unit.most_groups",
            True,
            "$.unit.most_groups: must be a whole number, got True.",
        ),
        (
            "unit.neighbours",
            "swap",
            (
                "$.unit.neighbours: must be one of add-or-remove-one, change-one, "
                "got 'swap'."
            ),
        ),
        ("unit.key", None, "$.unit.key: must be text, got None."),
        ("partitions", None, "$.partitions: must be a list, got None."),
        ("parts", {}, "$.parts: must be a list, got a dict."),
        (
            "parts.0.partition",
            "0",
            "$.parts[0].partition: must be a whole number, got '0'.",
        ),
        (
            "parts.0.weight",
            1,
            "$.parts[0].weight: must be text, got 1.",
        ),
        ("parts.0.ratio.minus", 1, "$.parts[0].ratio.minus: must be text, got 1."),
        ("privacy.epsilon", 0.6, "$.privacy.epsilon: must be text, got 0.6."),
        (
            "privacy.epsilon",
            "1e-1",
            (
                "$.privacy.epsilon: must be an exact number such as '1/35' or '0.2', "
                "got '1e-1'."
            ),
        ),
        (
            "privacy.delta",
            "none",
            (
                "$.privacy.delta: must be an exact number such as '1/35' or '0.2', "
                "got 'none'."
            ),
        ),
        (
            "privacy.strategy",
            "odd",
            (
                "$.privacy.strategy: must be one of focused, joint, even, external, "
                "got 'odd'."
            ),
        ),
        (
            "privacy.mechanism",
            "none",
            (
                "$.privacy.mechanism: must be one of laplace, analytic_gaussian, "
                "classical_gaussian, got 'none'."
            ),
        ),
        ("parts.0.sums", {}, "$.parts[0].sums: must be a list, got a dict."),
        (
            "parts.0.sums.2",
            "ws",
            "$.parts[0].sums[2]: must be a table of fields, got 'ws'.",
        ),
        ("parts.0.sums.2.name", 1, "$.parts[0].sums[2].name: must be text, got 1."),
        (
            "parts.0.sums.2.factors",
            "ws",
            "$.parts[0].sums[2].factors: must be a list, got 'ws'.",
        ),
        (
            "parts.0.sums.2.factors",
            ["w", "x"],
            "$.parts[0].sums[2].factors[1]: must be one of s, y, w, z, h, got 'x'.",
        ),
        (
            "parts.0.sums.2.factors",
            [["w"]],
            "$.parts[0].sums[2].factors[0]: must be one of s, y, w, z, h, got ['w'].",
        ),
        (
            "parts.0.sums.2.step",
            "1",
            "$.parts[0].sums[2].step: must be a number, got '1'.",
        ),
        (
            "parts.0.sums.2.sensitivity",
            1.5,
            "$.parts[0].sums[2].sensitivity: must be a whole number, got 1.5.",
        ),
        (
            "parts.0.sums.2.scale",
            None,
            "$.parts[0].sums[2].scale: must be a number, got None.",
        ),
        (
            "parts.0.ratio.guess",
            "1",
            "$.parts[0].ratio.guess: must be a number, got '1'.",
        ),
        (
            "parts.0.ratio.guess",
            True,
            "$.parts[0].ratio.guess: must be a number, got True.",
        ),
        (
            "parts.0.ratio.guess",
            float("nan"),
            "$.parts[0].ratio.guess: must be a finite number, got nan.",
        ),
        (
            "parts.0.ratio.residual_bound",
            [1],
            "$.parts[0].ratio.residual_bound: must be a number, got [1].",
        ),
        (
            "parts.0.ratio.guess_is",
            None,
            "$.parts[0].ratio.guess_is: must be one of close, unknown, got None.",
        ),
        ("answers", "ratio", "$.answers: must be a list, got 'ratio'."),
        (
            "answers",
            ["ratio", "curve"],
            "$.answers[1]: must be one of ratio, means, spread, got 'curve'.",
        ),
    ],
)
def test_a_field_of_the_wrong_type_is_refused_with_its_path(
    path: str, value: object, message: str
) -> None:
    assert refusal(edited(path, value)) == message


@pytest.mark.parametrize(
    ("path", "value", "place", "rule"),
    [
        (
            "parts.0.ratio.per",
            "score",
            "$.parts[0].ratio",
            "the columns of a ratio differ",
        ),
        (
            "parts.0.ratio.numerator",
            "",
            "$.parts[0].ratio",
            "a column name must be text",
        ),
        (
            "parts.0.ratio.guess",
            1e99,
            "$.parts[0].ratio",
            "the guess of a ratio must be 0, or",
        ),
        (
            "parts.0.ratio.residual_bound",
            -1,
            "$.parts[0].ratio",
            "the residual bound must be a positive",
        ),
        ("bounds.score", [1, 0], "$.bounds.score", "bounds must be finite"),
        ("bounds.weight", [0, 1e99], "$.bounds.weight", "the larger bound"),
        (f"{KEYS}.values", [], DIMENSION, "groups need at least one key"),
        (f"{KEYS}.values", ["a", "a"], DIMENSION, "a group key is declared once"),
        (f"{KEYS}.values", ["a", 1], DIMENSION, "group keys must be all"),
        (f"{KEYS}.values", [2**63], DIMENSION, "a whole-number key must fit"),
        (f"{KEYS}.column", "", DIMENSION, "a column name must be text"),
        ("unit.most_groups", 0, "$.unit", "most_groups must be a whole number"),
        ("unit.most_groups", 2, "$.unit", "rows have no totals and lie in one"),
        ("unit.column", "", "$.unit", "a column name must be text"),
        ("unit.key", "", "$.unit", "the key of the hash must be plain text"),
        ("parts.0.ratio.minus", "score", "$.parts[0].ratio", "the columns of a"),
        ("privacy.epsilon", "0", "$.privacy", "epsilon must be positive"),
        ("privacy.delta", "1", "$.privacy", "delta must be at least 0, below 1"),
    ],
)
def test_a_term_that_breaks_a_rule_is_refused_where_it_stands(
    path: str, value: object, place: str, rule: str
) -> None:
    assert re.match(re.escape(f"{place}: {rule}"), refusal(edited(path, value)))


def test_paths_start_where_the_plan_stands() -> None:
    document = edited("parts.0.sums.2.step", "1")
    with pytest.raises(
        DocumentRefused, match=r"^\$\.plan\.parts\[0\]\.sums\[2\]\.step: "
    ):
        plan_from_document(Node(document, "$.plan"))
