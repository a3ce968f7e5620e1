"""A plan as a document, and back; a document that is no plan is refused by its path."""

import json
from dataclasses import replace
from typing import Any

import pytest

from dpratio.errors import DocumentRefused, PlanRefused
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.release.files import plan_hash
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys, ScoreBins
from dpratio.terms.population import MeanSd, Population
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from edited_places import at, edit, split
from plan.score_plans import BINARY, GROUPED, RATIO, focused
from plan.staged_plans import GROUPS, staged_plan
from plan_documents import plan_from_document, plan_to_document

FOCUSED = make_plan(
    Ratio("s", per="y", guess=1.5, guess_is="unknown", residual_bound=0.25),
    bounds={"s": Bounds(0, 1), "y": Bounds(0, 2)},
    budget=Budget(1),
    answers=("ratio", "means"),
    clipping="unmeasured",
)
NAMED = focused(
    [
        Question(RATIO),
        Question(
            RATIO, groups=Groups("g", ["a"]), answers=["ratio", "means"], name="mine"
        ),
    ]
)
PEOPLE = Population(MeanSd(10, 5), MeanSd(3, 1), MeanSd(1, 0.3), 0.5)
FOLLOWED = replace(PEOPLE, weight_with_numerator=-0.1, weight_with_per=0.25)
SHOPS = PrivateKeys("shop", Budget("0.1", "1e-7"))


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


PLANS = {
    "focused": FOCUSED,
    "named": NAMED,
    "titled": GROUPED.titled("Loans of 2025"),
    "calibration": focused(
        answers=("ratio", "calibration"), groups=ScoreBins("score", 5)
    ),
    "keys": focused(groups=SHOPS),
    "bought": replace(focused(), bought=(SHOPS,)),
    "natural": focused(bounds={**BINARY, "score": Bounds(0, 1, natural=True)}),
    "totals": make_plan(
        Question(RATIO, groups=GROUPS, totals={"label": Bounds(0, 6)}),
        bounds=BINARY,
        budget=Budget(1),
        unit=PrivacyUnit("id", totals={"score": Bounds(0, 9)}),
    ),
    "staged": staged_plan(),
    "followed": staged_plan(population=FOLLOWED),
    "guessed": staged_plan(population=PEOPLE, n=700, groups=GROUPS),
    "binary": staged_plan(
        RATIO,
        bounds=BINARY,
        population=Population(MeanSd(0.5, 0.1), MeanSd(0.5)),
    ),
}


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_is_read_back_as_it_was_written(name: str) -> None:
    read = there_and_back(PLANS[name])
    assert read == PLANS[name]
    assert (str(read), plan_hash(read)) == (str(PLANS[name]), plan_hash(PLANS[name]))


@pytest.mark.parametrize(
    "terms", [{"stage": 0.21}, {"n": 5_001}, {"population": PEOPLE}, {"groups": GROUPS}]
)
def test_whatever_decides_the_second_stage_is_part_of_what_is_approved(
    terms: dict[str, Any],
) -> None:
    assert plan_hash(staged_plan(**terms)) != plan_hash(staged_plan())


def test_what_was_spent_on_keys_is_kept_and_counted() -> None:
    """Also where cells were rolled up since."""
    read = there_and_back(PLANS["bought"])
    assert read.private_keys == [SHOPS]
    assert read.delta == SHOPS.budget.delta


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("stage.epsilon", "0", "leave some of the budget"),
        ("stage.epsilon", "1", "leave some of the budget"),
        ("stage.epsilon", "-1/5", "leave some of the budget"),
        ("stage.epsilon", "1/10", "too small for its share"),
        ("stage.firsts", [], "totals of every question"),
        ("stage.firsts.0.0.scale", 1e6, "too small for its share"),
        ("stage.firsts.0.0.sensitivity", "7", "first stage|sensitivity"),
        ("study.privacy.mechanism", "classical_gaussian", "has no classical_gaussian"),
        ("study.privacy.mechanism", "analytic_gaussian", "too small for the budget"),
        ("study.privacy.strategy", "joint", "guess of strategy 'focused'"),
        ("study.ratio.residual_bound", 5.0, "guess that is known beforehand"),
    ],
)
def test_a_document_that_was_edited_is_refused_at_the_door(
    place: str, value: object, message: str
) -> None:
    plan = staged_plan(budget=Budget(1, "1e-6"))
    document = edit(plan_to_document(plan), place, value)
    with pytest.raises(PlanRefused, match=message):
        price(plan_from_document(Node(document)))


def refusal(document: object) -> str:
    with pytest.raises(DocumentRefused) as caught:
        plan_from_document(Node(document))
    return str(caught.value)


def edited(path: str, value: object) -> dict[str, Any]:
    """A document with the field at a dotted path changed."""
    plan = PLANS["guessed"] if path.startswith("stage") else GROUPED
    return edit(plan_to_document(plan), path, value)


def shown(path: str) -> str:
    """Write a dotted path as refusals do."""
    steps = (f"[{at}]" if isinstance(at, int) else f".{at}" for at in split(path))
    return f"${''.join(steps)}"


TABLES = ["", "study", "study.privacy", "study.groups", "study.ratio"]
TABLES += ["measurements.0", "measurements.0.sums.0"]
OPTIONAL = {"study.groups", "study.privacy.clipping", "study.privacy.strategy"}
OPTIONAL |= {"study.privacy.mechanism", "study.ratio.weight", "study.groups.keys"}


@pytest.mark.parametrize("table", TABLES)
def test_unknown_and_missing_fields_are_refused_with_their_path(table: str) -> None:
    path, place = shown(table), split(table)
    document = plan_to_document(GROUPED)
    at(document, place)["surprise"] = 1
    message = refusal(document)
    assert message.startswith(f"{path}: unknown field 'surprise'. Known fields: ")
    for name in list(at(plan_to_document(GROUPED), place)):
        if f"{table}.{name}" in OPTIONAL:
            continue
        document = plan_to_document(GROUPED)
        del at(document, place)[name]
        assert refusal(document) == f"{path}: field '{name}' is missing."


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("study", [], ": must be a table of fields, got []."),
        ("study.ratio.numerator", 1, ": must be text, got 1."),
        ("study.bounds.score", [0], ": must be a list of 2, got [0]."),
        ("study.privacy.epsilon", "1e-1", ": must be an exact number such as '1/35'"),
        ("study.privacy.strategy", "odd", ": must be one of focused, joint, even,"),
        ("study.ratio.answers", ["ratio", "curve"], "[1]: must be one of ratio, means"),
        ("study.data", {"path": "a.csv"}, None),
        ("study.title", "two\nlines", ": title must be one line"),
        ("measurements", {}, ": must be a list, got a dict."),
        ("measurements", [], ": every question of the study"),
        ("measurements.0.basis", "other", ": must be one of sum, denominator, got"),
        ("measurements.0.sums", {}, ": must be a list, got a dict."),
        ("measurements.0.sums.2", "ws", ": must be a table of fields, got 'ws'."),
        ("measurements.0.sums.2.name", 1, ": must be text, got 1."),
        ("measurements.0.sums.2.factors", "ws", ": must be a list, got 'ws'."),
        ("measurements.0.sums.2.factors", ["x"], "[0]: must be one of s, y, w, z, h,"),
        ("measurements.0.sums.2.factors", [["w"]], "[0]: must be one of s, y, w, z,"),
        ("measurements.0.sums.2.step", "1", ": must be a number, got '1'."),
        ("measurements.0.sums.2.sensitivity", 1.5, ": must be text, got 1.5."),
        ("measurements.0.sums.2.sensitivity", "01", ": must be a whole number written"),
        ("measurements.0.sums.2.scale", None, ": must be a number, got None."),
        ("stage", None, ": must be a table"),
        ("stage.epsilon", "much", ": must be"),
        ("stage.n", "many", ": must be"),
        ("stage.n", 0, ": must lie between 1 and"),
        ("stage.population.per", [1.0], ": must be a table"),
        ("stage.population.correlation", 2.0, ""),
        ("stage.firsts.0.0.factors", ["q"], "[0]: must be one of"),
        ("bought", [{"column": "a", "keys": ["x"]}], ": must be private keys"),
    ],
)
def test_a_field_that_breaks_a_rule_is_refused_with_its_path(
    path: str, value: object, message: str | None
) -> None:
    """Those of the study are tried where studies are read."""
    wanted = "$: the plan must be written" if message is None else shown(path) + message
    assert refusal(edited(path, value)).startswith(wanted)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("study.privacy.clipping", "measured"),  # It is the default.
        ("study.privacy.epsilon", "6/10"),
        ("study.ratio", [{"numerator": "score", "per": "label", "weight": "weight"}]),
        ("bought", []),
    ],
)
def test_a_plan_is_read_only_as_it_is_written(path: str, value: object) -> None:
    assert refusal(edited(path, value)).startswith("$")
