"""A document that is no plan is refused, and every refusal names its path."""

import copy
from typing import Any

import pytest

from dpratio.errors import DocumentRefused
from dpratio.strict import Node
from edited_places import at, edit, split
from plan.score_plans import GROUPED
from plan_documents import plan_from_document, plan_to_document


def edited(path: str, value: object) -> dict[str, Any]:
    """Give the document of `GROUPED` with the field at a dotted path changed."""
    return edit(copy.deepcopy(plan_to_document(GROUPED)), path, value)


def shown(path: str) -> str:
    """Write a dotted path as refusals do."""
    steps = (f"[{at}]" if isinstance(at, int) else f".{at}" for at in split(path))
    return f"${''.join(steps)}"


def refusal(document: object) -> str:
    with pytest.raises(DocumentRefused) as caught:
        plan_from_document(Node(document))
    return str(caught.value)


TABLES = ["", "study", "study.privacy", "study.groups", "study.ratio"]
TABLES += ["measurements.0", "measurements.0.sums.0"]
OPTIONAL = {"study.groups", "study.privacy.clipping", "study.privacy.strategy"}
OPTIONAL |= {"study.privacy.mechanism", "study.ratio.weight", "study.groups.keys"}


@pytest.mark.parametrize("table", TABLES)
def test_unknown_and_missing_fields_are_refused_with_their_path(table: str) -> None:
    path, place = shown(table), split(table)
    document = copy.deepcopy(plan_to_document(GROUPED))
    at(document, place)["surprise"] = 1
    message = refusal(document)
    assert message.startswith(f"{path}: unknown field 'surprise'. Known fields: ")
    for name in list(at(plan_to_document(GROUPED), place)):
        if f"{table}.{name}" in OPTIONAL:
            continue
        document = copy.deepcopy(plan_to_document(GROUPED))
        del at(document, place)[name]
        assert refusal(document) == f"{path}: field '{name}' is missing."


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("study", [], ": must be a table of fields, got []."),
        ("study.ratio.numerator", 1, ": must be text, got 1."),
        ("study.bounds.score", [0], ": must be [lower, upper] or 'binary', got [0]."),
        ("study.privacy.epsilon", "1e-1", ": must be an exact number such as '1/35'"),
        ("study.privacy.strategy", "odd", ": must be one of focused, joint, even,"),
        ("study.privacy.mechanism", "none", ": must be one of laplace, analytic_ga"),
        ("study.ratio.answers", ["ratio", "curve"], "[1]: must be one of ratio, means"),
        ("study.data", {"path": "a.csv"}, None),
        ("study.title", "two\nlines", ": a title is one line"),
        ("measurements", {}, ": must be a list, got a dict."),
        ("measurements", [], ": every question has one measurement, got 0."),
        ("measurements.0.basis", "other", ": must be one of sum, denominator, got"),
        ("measurements.0.within", 1, ": must be a table of fields, got 1."),
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
        ("found", [{"column": "a", "keys": ["x"]}], ": must be private keys that were"),
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
        ("found", []),
    ],
)
def test_a_plan_is_read_only_as_it_is_written(path: str, value: object) -> None:
    assert refusal(edited(path, value)).startswith("$")


def test_paths_start_where_the_plan_stands() -> None:
    document = edited("measurements.0.sums.2.step", "1")
    place = r"^\$\.plan\.measurements\[0\]\.sums\[2\]\.step: "
    with pytest.raises(DocumentRefused, match=place):
        plan_from_document(Node(document, "$.plan"))
