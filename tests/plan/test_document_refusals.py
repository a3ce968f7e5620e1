"""A document that is no plan is refused, and every refusal names its path."""

import copy
import re
from typing import Any

import pytest

from dpratio.errors import DocumentRefused
from dpratio.plan.document import plan_from_document, plan_to_document
from dpratio.strict import Node
from edited_places import at, edit, split
from plan.score_plans import GROUPED


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


KEYS = "partitions.0.dimensions.0.keys"
DIMENSION = "$.partitions[0].dimensions[0]"
AT_RATIO = "$.parts[0].ratio"
TABLES = [
    *("", "unit", "privacy", "partitions.0", KEYS),
    *("parts.0", "parts.0.ratio", "parts.0.sums.0"),
]


@pytest.mark.parametrize("table", TABLES)
def test_unknown_and_missing_fields_are_refused_with_their_path(table: str) -> None:
    path, place = shown(table), split(table)
    document = copy.deepcopy(plan_to_document(GROUPED))
    at(document, place)["surprise"] = 1
    message = refusal(document)
    assert message.startswith(f"{path}: unknown field 'surprise'. Known fields: ")
    for name in list(at(plan_to_document(GROUPED), place)):
        document = copy.deepcopy(plan_to_document(GROUPED))
        del at(document, place)[name]
        assert refusal(document) == f"{path}: field '{name}' is missing."


def test_bounds_are_a_free_table() -> None:
    assert refusal(edited("bounds", [])).startswith("$.bounds: must be a table")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("parts.0.ratio.numerator", 1, ": must be text, got 1."),
        ("parts.0.ratio.per", None, ": must be text, got None."),
        ("parts.0.ratio.weight", 1, ": must be text, got 1."),
        ("bounds.score", [0], ": must be [lower, upper] or 'binary', got [0]."),
        ("bounds.score", "unary", ": must be a list, got 'unary'."),
        ("bounds.score", None, ": must be a list, got None."),
        ("bounds.score", ["0", 1], "[0]: must be a number, got '0'."),
        ("bounds.score", [0, True], "[1]: must be a number, got True."),
        ("bounds.score", [0, float("inf")], "[1]: must be a finite number, got inf."),
        ("partitions.0", 3, ": must be a table of fields, got 3."),
        (f"{KEYS}.column", 3, ": must be text, got 3."),
        (f"{KEYS}.values", "north", ": must be a list, got 'north'."),
        (f"{KEYS}.values.1", 0.5, ": must be text, got 0.5."),
        (f"{KEYS}.values.0", [], ": must be text, got []."),
        ("unit", "row", ": must be a table of fields, got 'row'."),
        ("unit.column", 1, ": must be text, got 1."),
        ("unit.totals", [], ": must be a table of fields, got []."),
        ("unit.totals", {"s": 1}, ".s: must be a list, got 1."),
        ("unit.most_groups", True, ": must be a whole number, got True."),
        (
            "unit.neighbours",
            "swap",
            ": must be one of add-or-remove-one, change-one, got 'swap'.",
        ),
        ("unit.key", None, ": must be text, got None."),
        ("partitions", None, ": must be a list, got None."),
        ("parts", {}, ": must be a list, got a dict."),
        ("parts.0.partition", "0", ": must be a whole number, got '0'."),
        ("parts.0.weight", 1, ": must be text, got 1."),
        ("parts.0.ratio.minus", 1, ": must be text, got 1."),
        ("privacy.epsilon", 0.6, ": must be text, got 0.6."),
        (
            "privacy.epsilon",
            "1e-1",
            ": must be an exact number such as '1/35' or '0.2', got '1e-1'.",
        ),
        (
            "privacy.delta",
            "none",
            ": must be an exact number such as '1/35' or '0.2', got 'none'.",
        ),
        (
            "privacy.strategy",
            "odd",
            ": must be one of focused, joint, even, external, histogram, got 'odd'.",
        ),
        (
            "privacy.mechanism",
            "none",
            (
                ": must be one of laplace, analytic_gaussian, classical_gaussian, "
                "got 'none'."
            ),
        ),
        ("parts.0.sums", {}, ": must be a list, got a dict."),
        ("parts.0.sums.2", "ws", ": must be a table of fields, got 'ws'."),
        ("parts.0.sums.2.name", 1, ": must be text, got 1."),
        ("parts.0.sums.2.factors", "ws", ": must be a list, got 'ws'."),
        (
            "parts.0.sums.2.factors",
            ["w", "x"],
            "[1]: must be one of s, y, w, z, h, c, got 'x'.",
        ),
        (
            "parts.0.sums.2.factors",
            [["w"]],
            "[0]: must be one of s, y, w, z, h, c, got ['w'].",
        ),
        ("parts.0.sums.2.step", "1", ": must be a number, got '1'."),
        ("parts.0.sums.2.sensitivity", 1.5, ": must be text, got 1.5."),
        ("parts.0.sums.2.scale", None, ": must be a number, got None."),
        ("parts.0.ratio.guess", "1", ": must be a number, got '1'."),
        ("parts.0.ratio.guess", True, ": must be a number, got True."),
        ("parts.0.ratio.guess", float("nan"), ": must be a finite number, got nan."),
        ("parts.0.ratio.residual_bound", [1], ": must be a number, got [1]."),
        ("parts.0.ratio.guess_is", None, ": must be one of close, unknown, got None."),
        ("answers", "ratio", ": must be a list, got 'ratio'."),
        (
            "answers",
            ["ratio", "curve"],
            "[1]: must be one of ratio, means, spread, calibration, got 'curve'.",
        ),
    ],
)
def test_a_field_of_the_wrong_type_is_refused_with_its_path(
    path: str, value: object, message: str
) -> None:
    assert refusal(edited(path, value)) == f"{shown(path)}{message}"


@pytest.mark.parametrize(
    ("path", "value", "place", "rule"),
    [
        ("parts.0.ratio.per", "score", AT_RATIO, "the columns of a ratio differ"),
        ("parts.0.ratio.numerator", "", AT_RATIO, "a column name must be text"),
        ("parts.0.ratio.guess", 1e99, AT_RATIO, "the guess of a ratio must be 0, or"),
        (
            "parts.0.ratio.residual_bound",
            -1,
            AT_RATIO,
            "the residual bound must be a positive",
        ),
        ("bounds.score", [1, 0], "$.bounds.score", "bounds must be finite"),
        ("bounds.weight", [0, 1e99], "$.bounds.weight", "the larger bound"),
        (f"{KEYS}.values", [], DIMENSION, "groups need at least one key"),
        (f"{KEYS}.values", ["a", "a"], DIMENSION, "a group key is declared once"),
        (f"{KEYS}.values", ["a", True], DIMENSION, "group keys must be all"),
        (
            f"{KEYS}.values",
            [{"integer": str(2**63)}],
            DIMENSION,
            "a whole-number key",
        ),
        (f"{KEYS}.column", "", DIMENSION, "a column name must be text"),
        ("unit.most_groups", 0, "$.unit", "most_groups must be a whole number"),
        ("unit.most_groups", 2, "$.unit", "totals and most_groups need a unit"),
        ("unit.column", "", "$.unit", "a column name must be text"),
        ("unit.key", "", "$.unit", "the key of the hash must be plain text"),
        ("parts.0.ratio.minus", "score", AT_RATIO, "the columns of a"),
        ("privacy.epsilon", "0", "$.privacy", "epsilon must be positive"),
        ("privacy.delta", "1", "$.privacy", "delta must be 0, or at least"),
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
