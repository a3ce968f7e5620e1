"""Every edit of a Parquet file is refused, with the path of the place."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from dpratio.errors import DocumentRefused
from dpratio.release.checked_json import checksum
from dpratio.release.files import read_release, write_release
from edited_places import alter, leaves
from release.parquet_for_tests import (
    TEXT,
    document_of,
    refusal,
    signed,
    table_of,
    with_footer,
    written,
)
from release.releases_for_tests import RELEASES


@pytest.mark.parametrize(
    "name", ["groups: text", "several parts", "two ratios of unequal width"]
)
def test_every_edited_integer_is_refused(name: str) -> None:
    table = table_of(RELEASES[name])
    for column in table.column_names:
        if not column.startswith("sum"):
            continue
        for row in range(table.num_rows):
            values = table[column].to_numpy().copy()
            values[row] += 1
            at = table.column_names.index(column)
            edited = table.set_column(at, column, pa.array(values))
            assert refusal(written(edited)).startswith("$."), (column, row)


@pytest.mark.parametrize("name", ["groups: listed", "merged", "found: date", "people"])
def test_every_edit_of_the_footer_is_refused_with_its_path(name: str) -> None:
    release = RELEASES[name]
    table = table_of(release)
    for place in leaves(document_of(release)):
        document = document_of(release)
        alter(document, place)
        message = refusal(with_footer(table, json.dumps(document).encode()))
        assert message.startswith("$"), (place, message)


def test_columns_that_were_changed_are_refused() -> None:
    table = table_of(TEXT)
    known = "part, key:g, sum0, sum1, sum2, sum3, sum4"
    cases = {
        "$.part: the column is missing, or there twice.": table.drop(["part"]),
        "$.sum3: the column is missing, or there twice.": table.drop(["sum3"]),
        "$.sum1: must be a column of int64, none missing.": table.set_column(
            3, "sum1", table["sum1"].cast(pa.string())
        ),
        "$.sum0: must be a column of int64, none missing.": table.set_column(
            2, "sum0", pa.array([1, None, 2, 3], pa.int64())
        ),
        "$.part: must be a column of int32, none missing.": table.set_column(
            0, "part", table["part"].cast(pa.int64())
        ),
        "$.part: must have 4 rows, has 3.": table.slice(0, 3),
        f"$: columns must be {known}.": table.append_column("more", table["sum0"]),
        "$.key:g: keys differ from those of the plan.": table.set_column(
            1, "key:g", pa.array(["b", "é\u2028", "", "z"])
        ),
    }
    for message, changed in cases.items():
        assert refusal(written(changed)) == message
    twice = refusal(written(table.append_column("sum0", table["sum0"])))
    assert twice.startswith("$")
    strange = table.slice(0, 1).set_column(0, "part", pa.array([7], pa.int32()))
    said = refusal(written(pa.concat_tables([table, strange])))
    assert said == "$.part: rows belong to no part of the plan."


EDITS: list[tuple[str, str, Any, str]] = [
    ("merged", "noise", None, "$.parts[0].noise: must say how noise was added up"),
    ("merged", "noise", {}, "$.parts[0].noise: must be a list"),
    ("groups: text", "noise", [], "$.parts[0].noise: must be null where nothing was"),
    ("groups: text", "found", {}, "$.parts[0].found: must be null where keys were"),
    ("found: text", "found", None, "$.parts[0].found: must be keys of 'g'"),
    (
        "found: text",
        "found",
        {
            "dimensions": [{"keys": {"column": "h", "values": ["a", "b"]}}],
            "cells": None,
        },
        "$.parts[0].found: must be keys of 'g'",
    ),
    (
        "found: text",
        "found",
        {"dimensions": [{"keys": {"column": "g", "values": [1, 2]}}], "cells": None},
        "$.parts[0].found: must be",
    ),
    (
        "found: text",
        "found",
        {
            "dimensions": [
                {
                    "periods": {
                        "column": "g",
                        "every": "day",
                        "first": "2026-01-01",
                        "last": "2026-01-02",
                    }
                }
            ],
            "cells": None,
        },
        "$.parts[0].found: must be",
    ),
    (
        "found: text",
        "found",
        {
            "private_keys": {
                "column": "g",
                "kind": "text",
                "epsilon": "1",
                "delta": "1/2",
            }
        },
        "$.parts[0].found: must be keys of 'g'",
    ),
]


@pytest.mark.parametrize(("name", "field", "value", "message"), EDITS)
def test_a_signed_edit_of_a_question_is_refused_where_it_breaks_a_rule(
    name: str, field: str, value: object, message: str
) -> None:
    release, document = RELEASES[name], document_of(RELEASES[name])
    document["parts"][0][field] = value
    footer = signed(release, document)
    assert refusal(with_footer(table_of(release), footer)).startswith(message)


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
def test_a_signed_edit_of_noise_is_refused_where_it_breaks_a_rule(
    field: str, value: object, message: str
) -> None:
    release = RELEASES["merged"]
    document = document_of(release)
    document["parts"][0]["noise"][0][field] = value
    said = refusal(with_footer(table_of(release), signed(release, document)))
    assert said.startswith(f"$.parts[0].noise[0].{message}")


def test_questions_that_are_missing_are_refused_in_both_formats(tmp_path: Path) -> None:
    document = document_of(TEXT)
    document["parts"] = []
    said = refusal(with_footer(table_of(TEXT), signed(TEXT, document)))
    assert said.startswith("$.parts: must have 1 parts")
    path = tmp_path / "release.json"
    write_release(TEXT, path)
    whole = json.loads(path.read_text(encoding="utf-8"))
    for questions in ([], [*whole["parts"]] * 2):
        body = {**whole, "parts": questions}
        del body["sha256"]
        text = json.dumps({**body, "sha256": checksum(body)})
        path.write_text(text, encoding="utf-8")
        with pytest.raises(DocumentRefused, match=r"^\$\.(parts|values): must have"):
            read_release(path)


def test_a_plan_that_costs_more_than_it_says_is_refused() -> None:
    document = document_of(TEXT)
    document["plan"]["privacy"]["epsilon"] = "1/2"
    said = refusal(with_footer(table_of(TEXT), signed(TEXT, document)))
    assert said.startswith("$.plan: the noise of the sums is too small")
