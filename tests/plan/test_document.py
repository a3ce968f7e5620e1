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
from dpratio.terms.question import Groups, Ratio

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
    assert document["ratio"] == {
        "numerator": "score",
        "per": "label",
        "weight": "weight",
        "guess": None,
        "guess_is": "close",
        "residual_bound": None,
    }
    assert document["bounds"] == {
        "score": [0.0, 1.0],
        "label": "binary",
        "weight": [0.5, 3.0],
    }
    assert document["groups"] == {"column": "region", "keys": ["north", "south"]}
    assert document["privacy"] == {
        "unit": "row",
        "neighbours": "add-or-remove-one",
        "epsilon": "3/5",
        "delta": "0",
        "strategy": "even",
        "mechanism": "laplace",
    }
    assert document["answers"] == ["ratio"]
    assert document["sums"][1] == {
        "name": "wy",
        "factors": ["w", "y"],
        "step": 2.0**-23,
        "sensitivity": 3 * 2**23,
        "scale": 30.0 * 2**23,
    }


def test_a_focused_plan_writes_its_guess_and_its_answers() -> None:
    document = plan_to_document(FOCUSED)
    assert document["ratio"] == {
        "numerator": "s",
        "per": "y",
        "weight": None,
        "guess": 1.5,
        "guess_is": "unknown",
        "residual_bound": 0.25,
    }
    assert document["answers"] == ["ratio", "means"]
    assert document["privacy"]["strategy"] == "focused"
    assert [each["factors"] for each in document["sums"]] == [
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
    assert document["groups"] is None
    assert document["ratio"]["weight"] is None
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
    assert [type(key) for key in back.keys] == [type(key) for key in plan.keys]
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


TABLES = {
    "$": "",
    "$.ratio": "ratio",
    "$.groups": "groups",
    "$.privacy": "privacy",
    "$.sums[0]": "sums.0",
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
        ("ratio.numerator", 1, "$.ratio.numerator: must be text, got 1."),
        ("ratio.per", None, "$.ratio.per: must be text, got None."),
        ("ratio.weight", 1, "$.ratio.weight: must be text, got 1."),
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
        ("groups", 3, "$.groups: must be a table of fields, got 3."),
        ("groups.column", 3, "$.groups.column: must be text, got 3."),
        ("groups.keys", "north", "$.groups.keys: must be a list, got 'north'."),
        ("groups.keys.1", 0.5, "$.groups.keys[1]: must be text, got 0.5."),
        ("groups.keys.0", None, "$.groups.keys[0]: must be text, got None."),
        ("privacy.unit", "person", "$.privacy.unit: must be one of row, got 'person'."),
        (
            "privacy.neighbours",
            "change-one",
            "$.privacy.neighbours: must be one of add-or-remove-one, got 'change-one'.",
        ),
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
            "$.privacy.strategy: must be one of focused, joint, even, got 'odd'.",
        ),
        (
            "privacy.mechanism",
            "none",
            (
                "$.privacy.mechanism: must be one of laplace, analytic_gaussian, "
                "classical_gaussian, got 'none'."
            ),
        ),
        ("sums", {}, "$.sums: must be a list, got a dict."),
        ("sums.2", "ws", "$.sums[2]: must be a table of fields, got 'ws'."),
        ("sums.2.name", 1, "$.sums[2].name: must be text, got 1."),
        ("sums.2.factors", "ws", "$.sums[2].factors: must be a list, got 'ws'."),
        (
            "sums.2.factors",
            ["w", "x"],
            "$.sums[2].factors[1]: must be one of s, y, w, z, h, got 'x'.",
        ),
        (
            "sums.2.factors",
            [["w"]],
            "$.sums[2].factors[0]: must be one of s, y, w, z, h, got ['w'].",
        ),
        ("sums.2.step", "1", "$.sums[2].step: must be a number, got '1'."),
        (
            "sums.2.sensitivity",
            1.5,
            "$.sums[2].sensitivity: must be a whole number, got 1.5.",
        ),
        ("sums.2.scale", None, "$.sums[2].scale: must be a number, got None."),
        ("ratio.guess", "1", "$.ratio.guess: must be a number, got '1'."),
        ("ratio.guess", True, "$.ratio.guess: must be a number, got True."),
        (
            "ratio.guess",
            float("nan"),
            "$.ratio.guess: must be a finite number, got nan.",
        ),
        (
            "ratio.residual_bound",
            [1],
            "$.ratio.residual_bound: must be a number, got [1].",
        ),
        (
            "ratio.guess_is",
            None,
            "$.ratio.guess_is: must be one of close, unknown, got None.",
        ),
        ("answers", "ratio", "$.answers: must be a list, got 'ratio'."),
        (
            "answers",
            ["ratio", "curve"],
            "$.answers[1]: must be one of ratio, means, got 'curve'.",
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
        ("ratio.per", "score", "$.ratio", "numerator, denominator and weight differ"),
        ("ratio.numerator", "", "$.ratio", "a column name must be text"),
        ("ratio.guess", 1e99, "$.ratio", "the guess of a ratio must be 0, or"),
        (
            "ratio.residual_bound",
            -1,
            "$.ratio",
            "the residual bound must be a positive",
        ),
        ("bounds.score", [1, 0], "$.bounds.score", "bounds must be finite"),
        ("bounds.weight", [0, 1e99], "$.bounds.weight", "the larger bound"),
        ("groups.keys", [], "$.groups", "groups need at least one key"),
        ("groups.keys", ["a", "a"], "$.groups", "a group key is declared once"),
        ("groups.keys", ["a", 1], "$.groups", "group keys must be all"),
        ("groups.keys", [2**63], "$.groups", "a whole-number key must fit"),
        ("groups.column", "", "$.groups", "a column name must be text"),
        ("privacy.epsilon", "0", "$.privacy", "epsilon must be positive"),
        ("privacy.delta", "1", "$.privacy", "delta must be at least 0, below 1"),
    ],
)
def test_a_term_that_breaks_a_rule_is_refused_where_it_stands(
    path: str, value: object, place: str, rule: str
) -> None:
    assert re.match(re.escape(f"{place}: {rule}"), refusal(edited(path, value)))


def test_paths_start_where_the_plan_stands() -> None:
    document = edited("sums.2.step", "1")
    with pytest.raises(DocumentRefused, match=r"^\$\.plan\.sums\[2\]\.step: "):
        plan_from_document(Node(document, "$.plan"))
