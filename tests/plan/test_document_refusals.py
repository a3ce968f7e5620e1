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


def refusal(document: object) -> str:
    with pytest.raises(DocumentRefused) as caught:
        plan_from_document(Node(document))
    return str(caught.value)


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
    place = split(TABLES[path])
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
                "histogram, "
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
            "$.parts[0].sums[2].factors[1]: must be one of s, y, w, z, h, c, got 'x'.",
        ),
        (
            "parts.0.sums.2.factors",
            [["w"]],
            (
                "$.parts[0].sums[2].factors[0]: must be one of s, y, w, z, h, c, "
                "got ['w']."
            ),
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
            (
                "$.answers[1]: must be one of ratio, means, spread, calibration, got "
                "'curve'."
            ),
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
