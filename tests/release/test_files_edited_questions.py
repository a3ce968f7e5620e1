"""Edits of what a release says of a question, signed again: refused in their place."""

import math
from pathlib import Path

import pytest

from dpratio.errors import DocumentRefused
from dpratio.release.checked_json import checked_bytes
from release.edited_documents import document_of, refusal, signed
from release.releases_for_tests import RELEASES

DAYS = {"column": "g", "every": "day", "first": "2026-01-01", "last": "2026-01-02"}
PRIVATE = {"column": "g", "find": {"epsilon": "1", "delta": "1/2"}}
EDITS: list[tuple[str, str, object, str]] = [
    ("merged", "noise", None, "$.parts[0].noise: must say how noise was added up"),
    ("merged", "noise", {}, "$.parts[0].noise: must be a list"),
    ("groups: text", "noise", [], "$.parts[0].noise: must be null where nothing was"),
    ("groups: text", "found", {}, "$.parts[0].found: must be null where keys were"),
    ("found: text", "found", None, "$.parts[0].found: must be a table"),
    (
        "found: text",
        "found",
        {"column": "h", "keys": ["a", "b"]},
        "$.parts[0].found: must be keys of 'g', all text",
    ),
    (
        "found: text",
        "found",
        {"column": "g", "keys": [{"integer": "1"}, {"integer": "2"}]},
        "$.parts[0].found: must be keys of 'g', all text",
    ),
    (
        "found: text",
        "found",
        DAYS,
        "$.parts[0].found: must be keys of 'g', all text",
    ),
    (
        "found: text",
        "found",
        PRIVATE,
        "$.parts[0].found: must be keys of 'g'",
    ),
]


@pytest.mark.parametrize(("name", "field", "value", "message"), EDITS)
def test_an_edit_of_a_question_is_refused_where_it_breaks_a_rule(
    name: str, field: str, value: object, message: str, tmp_path: Path
) -> None:
    document = document_of(RELEASES[name])
    document["parts"][0][field] = value
    assert refusal(tmp_path / "edited.json", signed(document)).startswith(message)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("mechanism", "none", "mechanism: must be one of laplace"),
        ("scales", [], "scales: must be 5 noise scales"),
        ("scales", [1.0] * 4, "scales: must be 5 noise scales"),
        ("scales", [0.0] * 5, "scales: must be 5 noise scales"),
        ("scales", [2.0**60] * 5, "scales: must be 5 noise scales"),
        ("scales", ["1"] * 5, "scales[0]: must be a number"),
        ("counts", [], "counts: must be 1 or 4 numbers of draws"),
        ("counts", [1, 1], "counts: must be 1 or 4 numbers of draws"),
        ("counts", [-1], "counts: must be 1 or 4 numbers of draws"),
        ("counts", [2**40], "counts: must be 1 or 4 numbers of draws"),
        ("counts", [1.5], "counts[0]: must be a whole number"),
    ],
)
def test_an_edit_of_noise_is_refused_where_it_breaks_a_rule(
    field: str, value: object, message: str, tmp_path: Path
) -> None:
    document = document_of(RELEASES["merged"])
    document["parts"][0]["noise"][0][field] = value
    said = refusal(tmp_path / "edited.json", signed(document))
    assert said.startswith(f"$.parts[0].noise[0].{message}")


def test_a_plan_that_costs_more_than_it_says_is_refused(tmp_path: Path) -> None:
    document = document_of(RELEASES["groups: text"])
    document["plan"]["study"]["privacy"]["epsilon"] = "1/2"
    said = refusal(tmp_path / "edited.json", signed(document))
    assert said.startswith("$.plan: the noise of the sums is too small")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_no_document_holds_what_is_no_number(value: float) -> None:
    with pytest.raises(DocumentRefused, match="finite numbers"):
        checked_bytes({"ratio": value})
