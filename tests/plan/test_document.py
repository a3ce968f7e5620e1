"""A plan as a document, and back."""

import json
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from plan.score_plans import GROUPED
from plan_documents import plan_from_document, plan_to_document

FOCUSED = make_plan(
    Ratio("s", per="y", guess=1.5, guess_is="unknown", residual_bound=0.25),
    bounds={"s": Bounds(0, 1), "y": Bounds(0, 2)},
    budget=Budget(1),
    answers=("ratio", "means"),
    clipping="unmeasured",
)


def there_and_back(plan: Plan) -> Plan:
    return plan_from_document(Node(json.loads(json.dumps(plan_to_document(plan)))))


def test_a_plan_is_written_in_plain_words() -> None:
    document = plan_to_document(GROUPED)
    assert document["study"] == {
        "ratio": {"numerator": "score", "per": "label", "weight": "weight"},
        "bounds": {"score": [0, 1], "label": "binary", "weight": [0.5, 3]},
        "groups": {"column": "region", "keys": ["north", "south"]},
        "privacy": {
            "epsilon": "3/5",
            "strategy": "even",
            "mechanism": "laplace",
            "clipping": "unmeasured",
        },
    }
    (measured,) = document["measurements"]
    assert measured["sums"][1] == {
        "name": "wy",
        "factors": ["w", "y"],
        "step": 2.0**-23,
        "sensitivity": str(3 * 2**23),
        "scale": 30.0 * 2**23,
    }
    assert set(document) == {"study", "measurements"}


def test_a_focused_plan_writes_its_guess_and_its_answers() -> None:
    document = plan_to_document(FOCUSED)
    assert document["study"]["ratio"] == {
        "numerator": "s",
        "per": "y",
        "guess": 1.5,
        "guess_is": "unknown",
        "residual_bound": 0.25,
        "answers": ["ratio", "means"],
    }
    (measured,) = document["measurements"]
    factors = [each["factors"] for each in measured["sums"]]
    assert factors == [["z"], ["h"], ["z", "z"], ["z", "h"], ["h", "h"], []]
    assert there_and_back(FOCUSED) == FOCUSED


names = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), min_size=1)
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
    terms: dict[str, Any] = {
        "bounds": asked,
        "strategy": strategy,
        "answers": draw(st.sampled_from([("ratio",), ("ratio", "means")])),
        "budget": Budget(
            draw(st.fractions("0.01", 5, max_denominator=10**9)),
            draw(st.decimals("1e-9", "0.1", places=9).filter(lambda d: d > 0)),
        ),
        "groups": Groups(g, declared) if declared else None,
        "mechanism": draw(st.sampled_from(noise)),
    }
    try:
        return make_plan(ratio, **terms)
    except InvalidInput as error:
        assume("2^50 cells" not in str(error))
        raise


@settings(deadline=None, max_examples=60)
@given(plans())
def test_a_plan_survives_its_document(plan: Plan) -> None:
    back = there_and_back(plan)
    assert back == plan
    if isinstance(plan.partitions[0], Groups):
        assert isinstance(back.partitions[0], Groups)
        kinds = [type(key) for key in plan.partitions[0].keys]
        assert [type(key) for key in back.partitions[0].keys] == kinds
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


def test_names_and_answers_of_a_question_are_written_where_they_are_its_own() -> None:
    plan = make_plan(
        [
            Question(Ratio("s", per="y")),
            Question(
                Ratio("s", per="y"),
                groups=Groups("g", ["a"]),
                answers=["ratio", "means"],
                name="mine",
            ),
        ],
        bounds={"s": Bounds(0, 1), "y": Bounds.binary()},
        budget=Budget(1),
    )
    assert there_and_back(plan) == plan
    first, second = plan_to_document(plan)["study"]["ratio"]
    assert not {"name", "answers"} & set(first)
    assert (second["name"], second["answers"]) == ("mine", ["ratio", "means"])


def test_a_title_is_written_where_there_is_one() -> None:
    assert "title" not in plan_to_document(GROUPED)["study"]
    titled = replace(GROUPED, title="Loans of 2025")
    assert plan_to_document(titled)["study"]["title"] == "Loans of 2025"
    assert there_and_back(titled) == titled
