"""A release file appears whole, is read strictly, and shows when it was edited."""

import errno
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpratio.errors import DocumentRefused, FileRefused, InvalidInput
from dpratio.plan.contrast import Contrast
from dpratio.plan.make_plan import make_plan
from dpratio.plan.measured import MeasuredSum
from dpratio.plan.part import Part
from dpratio.plan.plan import Plan
from dpratio.plan.sums import Summand
from dpratio.release.files import FORMAT, VERSION, read_release, write_release
from dpratio.release.release import Release, fresh_part
from dpratio.release.writing import check_writable
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Key
from dpratio.terms.groups import Groups
from dpratio.terms.question import Ratio
from dpratio.terms.unit import PrivacyUnit

GOLDEN = Path(__file__).parent / "golden" / "release_v1.json"
GOLDEN_FOCUSED = Path(__file__).parent / "golden" / "release_v1_focused.json"
LARGEST = 2**63 - 1


def golden_sum(
    factors: str, step: float, sensitivity: int, scale: float
) -> MeasuredSum:
    return MeasuredSum(Summand(factors, tuple(factors)), step, sensitivity, scale)


def only_part(plan: Plan, values: Any, **fields: Any) -> Release:  # noqa: ANN401
    """A release of a plan with one part over declared cells."""
    groups = plan.groups
    assert groups is None or isinstance(groups, Groups)
    part = fresh_part(plan, plan.parts[0], groups, values)
    return Release(**{"plan": plan, "parts": (part,), **fields})


# Written by hand, field by field: it must mean the same in every later version.
GOLDEN_RELEASE = only_part(
    id="00112233445566778899aabbccddeeff",
    plan=Plan(
        bounds={
            "score": Bounds(0, 1),
            "label": Bounds.binary(),
            "weight": Bounds(0.5, 3),
        },
        unit=PrivacyUnit(),
        partitions=(Groups("region", ["north", "süd", "<b>|east"]),),
        budget=Budget("0.6", "1e-6"),
        strategy="even",
        mechanism="laplace",
        answers=("ratio",),
        parts=(
            Part(
                ratio=Ratio("score", per="label", weight="weight"),
                partition=0,
                weight=Fraction(1),
                sums=(
                    golden_sum("w", 2.0**-23, 3 * 2**23, 30.0 * 2**23),
                    golden_sum("wy", 2.0**-23, 3 * 2**23, 30.0 * 2**23),
                    golden_sum("ws", 2.0**-23, 3 * 2**23, 30.0 * 2**23),
                    golden_sum("ww", 2.0**-21, 9 * 2**21, 90.0 * 2**21),
                    golden_sum("wss", 2.0**-23, 3 * 2**23, 30.0 * 2**23),
                    golden_sum("wys", 2.0**-23, 3 * 2**23, 30.0 * 2**23),
                ),
            ),
        ),
    ),
    values=np.array(
        [
            [41943040000, 19065018181, 20971520000, 17027825664, 12582912000, 1],
            [-1, 0, 10, -10, 1234567890123456789, -1234567890123456789],
            [LARGEST, -LARGEST, 2**53 + 1, -(2**53) - 1, 2**62, -(2**62)],
        ],
        dtype=np.int64,
    ),
    made_by="dpratio 0.1.0",
    is_simulated=True,
)


# z = s, clipped to 1, and h = y: the sums of z, h, z², z·h, h² and of people.
GOLDEN_FOCUSED_RELEASE = only_part(
    id="ffeeddccbbaa99887766554433221100",
    plan=Plan(
        bounds={"claims": Bounds(0, 2), "days": Bounds(0, 4)},
        unit=PrivacyUnit(),
        partitions=(None,),
        budget=Budget("0.6", "1e-6"),
        strategy="focused",
        mechanism="laplace",
        answers=("ratio", "means"),
        parts=(
            Part(
                ratio=Ratio(
                    "claims",
                    per="days",
                    guess=0.0,
                    guess_is="unknown",
                    residual_bound=1.0,
                ),
                partition=0,
                weight=Fraction(1),
                sums=(
                    golden_sum("z", 2.0**-24, 2**24, 11.0 * 2**24),
                    golden_sum("h", 2.0**-22, 2**24, 11.0 * 2**24),
                    golden_sum("zz", 2.0**-24, 2**24, 11.0 * 2**24),
                    golden_sum("zh", 2.0**-22, 2**24, 11.0 * 2**24),
                    golden_sum("hh", 2.0**-20, 2**24, 11.0 * 2**24),
                    MeasuredSum(Summand("w", ()), 2.0**-24, 2**24, 11.0 * 2**24),
                ),
            ),
        ),
    ),
    values=np.array([[1, -2, 3, -4, 2**53 + 1, LARGEST]], dtype=np.int64),
    made_by="dpratio 0.1.0",
)
GOLDEN_RELEASES = {GOLDEN: GOLDEN_RELEASE, GOLDEN_FOCUSED: GOLDEN_FOCUSED_RELEASE}


def checksum(document: dict[str, Any]) -> str:
    """Compute the checksum as the format defines it, from the outside."""
    body = {name: part for name, part in document.items() if name != "sha256"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def golden_document(path: Path = GOLDEN) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def leaves(
    value: object, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[Any, ...]]:
    children: Any = ()
    if isinstance(value, dict):
        children = value.items()
    elif isinstance(value, list):
        children = enumerate(value)
    else:
        yield path
    for step, child in children:
        yield from leaves(child, (*path, step))


def at(document: Any, path: tuple[str | int, ...]) -> Any:  # noqa: ANN401
    for step in path:
        document = document[step]
    return document


def split(path: str) -> tuple[str | int, ...]:
    steps = filter(None, path.split("."))
    return tuple(int(step) if step.isdigit() else step for step in steps)


def refusal(path: Path, text: str | bytes) -> str:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(DocumentRefused) as caught:
        read_release(path)
    return str(caught.value)


def signed(document: dict[str, Any]) -> str:
    return json.dumps({**document, "sha256": checksum(document)})


# The golden file: what version 1 means.


def test_the_golden_file_is_read_value_by_value() -> None:
    release = read_release(GOLDEN)
    assert release.id == GOLDEN_RELEASE.id
    assert release.made_by == "dpratio 0.1.0"
    assert release.is_simulated is True
    assert release.values.tolist() == GOLDEN_RELEASE.values.tolist()
    assert release.plan.ratio == GOLDEN_RELEASE.plan.ratio
    assert release.plan.bounds == GOLDEN_RELEASE.plan.bounds
    assert release.plan.groups == GOLDEN_RELEASE.plan.groups
    assert release.plan.budget == GOLDEN_RELEASE.plan.budget
    assert (release.plan.strategy, release.plan.mechanism) == ("even", "laplace")
    assert release.plan.answers == ("ratio",)
    assert release.plan.sums == GOLDEN_RELEASE.plan.sums
    assert release == GOLDEN_RELEASE


def test_the_golden_file_of_a_focused_plan_is_read_value_by_value() -> None:
    plan = read_release(GOLDEN_FOCUSED).plan
    assert (plan.ratio.numerator, plan.ratio.per) == ("claims", "days")
    assert plan.ratio.weight is None
    assert plan.ratio.guess == 0.0
    assert type(plan.ratio.guess) is float
    assert plan.ratio.guess_is == "unknown"
    assert plan.ratio.residual_bound == 1.0
    assert plan.answers == ("ratio", "means")
    assert (plan.strategy, plan.mechanism) == ("focused", "laplace")
    assert plan.sums == GOLDEN_FOCUSED_RELEASE.plan.sums
    assert plan.contrast(plan.parts[0]) == Contrast(0.0, 1.0)
    assert read_release(GOLDEN_FOCUSED) == GOLDEN_FOCUSED_RELEASE


@pytest.mark.parametrize("golden", GOLDEN_RELEASES, ids=lambda path: path.stem)
def test_the_golden_file_written_again_has_the_same_bytes(
    golden: Path, tmp_path: Path
) -> None:
    for release in (read_release(golden), GOLDEN_RELEASES[golden]):
        write_release(release, tmp_path / "again.json")
        assert (tmp_path / "again.json").read_bytes() == golden.read_bytes()


def test_the_golden_file_says_its_format_and_writes_sums_as_text() -> None:
    document = golden_document()
    assert (document["format"], document["version"]) == (FORMAT, VERSION)
    assert (FORMAT, VERSION) == ("dpratio-release", 1)
    assert document["values"][0][2][:3] == [
        "9223372036854775807",
        "-9223372036854775807",
        "9007199254740993",
    ]
    assert document["sha256"] == checksum(document)
    assert list(document) == [
        "format",
        "version",
        "id",
        "made_by",
        "simulated",
        "origin",
        "sources",
        "ledger",
        "plan",
        "parts",
        "values",
        "sha256",
    ]
    assert document["parts"] == [{"found": None, "noise": None}]
    assert document["sources"] == []
    assert document["plan"]["partitions"] == [
        {
            "dimensions": [
                {"keys": {"column": "region", "values": ["north", "süd", "<b>|east"]}}
            ],
            "cells": None,
        }
    ]
    plan = golden_document(GOLDEN_FOCUSED)["plan"]
    assert list(plan) == [
        "bounds",
        "unit",
        "privacy",
        "answers",
        "partitions",
        "found",
        "parts",
    ]
    assert plan["unit"] == {
        "column": None,
        "totals": {},
        "most_groups": 1,
        "neighbours": "add-or-remove-one",
        "key": "dpratio",
    }
    assert plan["partitions"] == [None]
    (part,) = plan["parts"]
    assert list(part) == ["ratio", "partition", "weight", "sums"]
    assert (part["partition"], part["weight"]) == (0, "1")
    assert part["ratio"] == {
        "numerator": "claims",
        "per": "days",
        "weight": None,
        "minus": None,
        "guess": 0.0,
        "guess_is": "unknown",
        "residual_bound": 1.0,
    }
    assert plan["answers"] == ["ratio", "means"]
    assert part["sums"][3] == {
        "name": "zh",
        "factors": ["z", "h"],
        "step": 2.0**-22,
        "sensitivity": 2**24,
        "scale": 11.0 * 2**24,
    }


# There and back.

ODD_BOUNDS = {"é\n": Bounds(-0.1, 7), '"': Bounds(-3, 0.5), "\\": Bounds(0, 1e-9)}
PLANS = [
    make_plan(
        Ratio("score", per="label"),
        bounds={"score": Bounds(0, 1), "label": Bounds.binary()},
        budget=Budget("0.1"),
        strategy="even",
    ),
    make_plan(
        Ratio("é\n", per='"', weight="\\"),
        bounds=ODD_BOUNDS,
        budget=Budget(Fraction(1, 3), "1e-6"),
        strategy="even",
        mechanism="classical_gaussian",
    ),
    make_plan(
        Ratio("é\n", per='"', weight="\\", guess=0.1, guess_is="unknown"),
        bounds=ODD_BOUNDS,
        budget=Budget(Fraction(1, 3), "1e-6"),
        strategy="joint",
    ),
    make_plan(
        Ratio("score", per="label"),
        bounds={"score": Bounds(0, 1), "label": Bounds.binary()},
        budget=Budget("0.1"),
    ),
    make_plan(
        Ratio("é\n", per='"', weight="\\", guess=-1 / 3, residual_bound=1.1e-9),
        bounds=ODD_BOUNDS,
        budget=Budget(Fraction(1, 3), "1e-6"),
        answers=["ratio", "means"],
        mechanism="analytic_gaussian",
    ),
    make_plan(
        Ratio("score", per="label", guess=0, guess_is="unknown"),
        bounds={"score": Bounds(-1, 1), "label": Bounds(0.5, 2.0**20)},
        budget=Budget(3),
        answers=("ratio", "means"),
    ),
]
clean = st.characters(codec="utf-8", exclude_characters="\x00")
some_keys = st.one_of(
    st.lists(st.text(clean), min_size=1, max_size=4, unique=True),
    st.lists(st.integers(-LARGEST, LARGEST), min_size=1, max_size=4, unique=True),
    st.lists(st.booleans(), min_size=1, max_size=2, unique=True),
)


@settings(deadline=None, max_examples=80)
@given(
    plan=st.sampled_from(PLANS),
    keys=st.none() | some_keys,
    identity=st.text("0123456789abcdef", min_size=32, max_size=32),
    made_by=st.text(st.characters(codec="utf-8")),
    simulated=st.booleans(),
    numbers=st.lists(st.integers(-LARGEST, LARGEST), min_size=36, max_size=36),
)
@example(
    plan=PLANS[0],
    keys=["\u2028", "</script>"],
    identity="0" * 32,
    made_by="",
    simulated=True,
    numbers=[LARGEST, -LARGEST] * 18,
)
def test_a_release_survives_its_file(
    tmp_path_factory: pytest.TempPathFactory,
    plan: Plan,
    keys: list[Key] | None,
    identity: str,
    made_by: str,
    simulated: bool,  # noqa: FBT001
    numbers: list[int],
) -> None:
    path = tmp_path_factory.getbasetemp() / "there_and_back.json"
    plan = replace(plan, partitions=(None if keys is None else Groups("g", keys),))
    rows, sums = 1 if keys is None else len(keys), len(plan.sums)
    values = np.array(numbers[: rows * sums], dtype=np.int64).reshape(rows, sums)
    named = {"id": identity, "made_by": made_by, "is_simulated": simulated}
    release = only_part(plan, values, **named)
    write_release(release, path)
    first = path.read_bytes()
    back = read_release(path)
    assert back == release
    assert back.plan.ratio == plan.ratio
    assert back.plan.answers == plan.answers
    given, read = release.parts[0].keys, back.parts[0].keys
    assert back.plan.contrast(back.plan.parts[0]) == plan.contrast(plan.parts[0])
    assert [type(key) for key in read] == [type(key) for key in given]
    write_release(back, path)
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "not hexadecimal"},
        {"id": 5},
        {"values": [[-(2**63)] * 5]},
        {"made_by": 5},
        {"made_by": "\ud800"},
        {"is_simulated": "no"},
    ],
    ids=str,
)
def test_no_release_is_written_that_cannot_be_read_again(
    changes: dict[str, Any], tmp_path: Path
) -> None:
    """Either the value is refused when it is made, or its file is read again."""
    fields: dict[str, Any] = {
        "id": "0" * 32,
        "values": [[0] * 5],
        "made_by": "dpratio 0.1.0",
        **changes,
    }
    try:
        release = only_part(PLANS[0], **fields)
    except InvalidInput:
        return
    write_release(release, tmp_path / "release.json")
    assert read_release(tmp_path / "release.json") == release


# Damage and edits.


def test_a_truncated_file_is_refused_wherever_it_ends(tmp_path: Path) -> None:
    whole = GOLDEN.read_bytes()
    path = tmp_path / "cut.json"
    for end in range(0, len(whole) - 1, 97):
        path.write_bytes(whole[:end])
        with pytest.raises((DocumentRefused, FileRefused), match=r"^\$: not valid|UTF"):
            read_release(path)


@pytest.mark.parametrize("golden", GOLDEN_RELEASES, ids=lambda path: path.stem)
def test_every_single_edit_is_refused_with_a_path(golden: Path, tmp_path: Path) -> None:
    places = list(leaves(golden_document(golden)))
    assert len(places) > 60
    for place in places:
        document = golden_document(golden)
        parent, last = at(document, place[:-1]), place[-1]
        old = parent[last]
        if isinstance(old, bool) or old is None:
            parent[last] = not old
        else:
            parent[last] = old + "0" if isinstance(old, str) else old + 1
        message = refusal(tmp_path / "edited.json", json.dumps(document))
        assert message.startswith("$."), (place, message)
        if place[0] not in {"format", "version"}:
            assert message.startswith("$.sha256: the document was edited"), place


@pytest.mark.parametrize("length", [1, 2])
def test_swapped_sums_are_refused(length: int, tmp_path: Path) -> None:
    document = golden_document()
    values = document["values"][0]
    document["values"] = [values[length:] + values[:length]]
    assert "checksum" in refusal(tmp_path / "edited.json", json.dumps(document))


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("id", "00112233", "$.id: must be 32 hexadecimal digits, got '00112233'."),
        (
            "id",
            "00112233445566778899AABBCCDDEEFF",
            (
                "$.id: must be 32 hexadecimal digits, "
                "got '00112233445566778899AABBCCDDEEFF'."
            ),
        ),
        ("id", 5, "$.id: must be text, got 5."),
        ("made_by", None, "$.made_by: must be text, got None."),
        ("simulated", "no", "$.simulated: must be true or false, got 'no'."),
        ("simulated", 1, "$.simulated: must be true or false, got 1."),
        ("version", "1", "$.version: must be a whole number, got '1'."),
        ("version", True, "$.version: must be a whole number, got True."),
        ("version", 0, "$.version: must be 1, got 0."),
        ("format", "dpratio", "$.format: this is not a dpratio-release document."),
        ("plan", None, "$.plan: must be a table of fields, got None."),
        (
            "plan.parts.0.sums.3.scale",
            "1",
            "$.plan.parts[0].sums[3].scale: must be a number, got '1'.",
        ),
        (
            "plan.privacy.mechanism",
            "none",
            (
                "$.plan.privacy.mechanism: must be one of laplace, analytic_gaussian, "
                "classical_gaussian, got 'none'."
            ),
        ),
        ("plan.privacy.epsilon", "1/2", "$.plan: the noise of Σ w is too small for"),
        (
            "plan.privacy.mechanism",
            "classical_gaussian",
            "$.plan: the noise of Σ w is too small for its share",
        ),
        (
            "plan.privacy.delta",
            "-1",
            "$.plan",
        ),
        (
            "plan.bounds.weight",
            [-1, 3],
            "$.plan: the plan's terms break a rule: the lower bound of a weight",
        ),
        ("plan.bounds.score", [0, 2], "$.plan: the lattice step of Σ w·s is not"),
        ("plan.bounds.score", [0, 1.25], "$.plan: the sensitivity of Σ w·s must be"),
        (
            "plan.bounds.score",
            "binary",
            None,  # Fewer values fit than were promised, and nothing else changes.
        ),
        ("plan.bounds.label", [0, 1], "$.plan: strategy 'even' does not measure these"),
        (
            "plan.bounds.extra",
            [0, 1],
            "$.plan: the plan's terms break a rule: bounds are given for columns not",
        ),
        (
            "plan.partitions.0.dimensions.0.keys.column",
            "score",
            "$.plan: the plan's terms break a rule: a column of the ratio cannot be",
        ),
        (
            "plan.parts.0.ratio.weight",
            None,
            "$.plan: the plan's terms break a rule: bounds are",
        ),
        ("plan.partitions.0", None, "$.values[0]: must have 1 rows, has 3."),
        (
            "plan.partitions.0.dimensions.0.keys.values",
            ["a", "b"],
            "$.values[0]: must have 2 rows, has 3.",
        ),
        ("plan.partitions", [], "$.plan: the plan's terms break a rule: groups must"),
        ("plan.partitions", {}, "$.plan.partitions: must be a list, got a dict."),
        ("plan.partitions.0.cells", [[0], [1]], "$.values[0]: must have 2 rows, has"),
        ("plan.partitions.0.cells", [[3]], "$.plan.partitions[0]: every cell names"),
        ("plan.partitions.0.cells", [[0.5]], "$.plan.partitions[0].cells[0][0]: must"),
        ("plan.parts", [], "$.plan: the plan's terms break a rule: at least one ratio"),
        ("plan.parts.0.partition", 1, "$.plan: each part belongs to a partition"),
        ("plan.parts.0.partition", "0", "$.plan.parts[0].partition: must be a whole"),
        ("plan.parts.0.weight", "2", "$.plan: the weights of parts must be positive"),
        ("plan.parts.0.weight", "1/2", "$.plan: the noise of Σ w is too small for"),
        ("plan.parts.0.weight", 1, "$.plan.parts[0].weight: must be text, got 1."),
        ("plan.unit.column", "region", "$.plan: the plan's terms break a rule: a unit"),
        ("plan.unit.column", 5, "$.plan.unit.column: must be text, got 5."),
        ("plan.unit.totals", {"score": [0, 1]}, "$.plan.unit: rows have no totals"),
        ("plan.unit.most_groups", 2, "$.plan.unit: rows have no totals and lie in one"),
        ("plan.unit.most_groups", "2", "$.plan.unit.most_groups: must be a whole"),
        ("plan.unit.neighbours", "change-one", "$.plan: the noise of Σ w is too small"),
        ("plan.unit.neighbours", "none", "$.plan.unit.neighbours: must be one of add"),
        ("plan.unit.key", "", "$.plan.unit: the key of the hash must be plain text"),
        ("plan.unit.key", "ü", "$.plan.unit: the key of the hash must be plain text"),
        ("plan.unit.key", "other", None),  # It chooses between groups of a person.
        (
            "plan.parts.0.ratio.minus",
            "other",
            "$.plan: the plan's terms break a rule: every column of the ratio needs",
        ),
        (
            "plan.parts.0.sums",
            [],
            "$.plan: strategy 'even' does not measure these sums, got []",
        ),
        (
            "plan.parts.0.sums.0.name",
            "v",
            "$.plan: strategy 'even' does not measure these sums",
        ),
        (
            "plan.parts.0.sums.0.factors",
            [],
            "$.plan: strategy 'even' does not measure these",
        ),
        (
            "plan.parts.0.sums.0.step",
            2.0**-22,
            "$.plan: the lattice step of Σ w is not",
        ),
        ("plan.parts.0.sums.0.step", 0, "$.plan: the lattice step of Σ w is not"),
        (
            "plan.parts.0.sums.0.sensitivity",
            1,
            "$.plan: the sensitivity of Σ w must be 25165824 cells, got 1.",
        ),
        (
            "plan.parts.0.sums.0.scale",
            251658239.0,
            "$.plan: the noise of Σ w is too small for its share, got 251658239.0.",
        ),
        (
            "plan.parts.0.sums.0.scale",
            -1,
            "$.plan: the noise of Σ w is too small or too",
        ),
        (
            "plan.parts.0.sums.0.scale",
            1e300,
            "$.plan: the noise of Σ w is too small or too",
        ),
        (
            "plan.parts.0.sums.0.epsilon",
            "1/5",
            "$.plan.parts[0].sums[0]: unknown field 'epsilon'.",
        ),
        (
            "plan.parts.0.sums.0.delta",
            "0",
            "$.plan.parts[0].sums[0]: unknown field 'delta'.",
        ),
        ("plan.answers", "ratio", "$.plan.answers: must be a list, got 'ratio'."),
        (
            "plan.answers",
            ["means"],
            "$.plan: the plan's terms break a rule: answers must be 'ratio',",
        ),
        ("plan.answers", [], "$.plan: the plan's terms break a rule: answers must be"),
        (
            "plan.answers",
            ["ratio", "ratio"],
            "$.plan: the plan's terms break a rule: answers must be 'ratio',",
        ),
        (
            "plan.answers",
            ["ratio", "median"],
            "$.plan.answers[1]: must be one of ratio, means, spread, got 'median'.",
        ),
        ("plan.answers.0", None, "$.plan.answers[0]: must be "),
        (
            "plan.parts.0.ratio.residual_bound",
            1,
            "$.plan: the plan's terms break a rule: strategy 'even' does not use a",
        ),
        ("plan.parts.0.ratio.guess", 2, None),  # Remembered, and without a use here.
        (
            "plan.privacy.strategy",
            "best",
            (
                "$.plan.privacy.strategy: must be one of focused, joint, even, "
                "external, got 'best'."
            ),
        ),
        (
            "plan.privacy.strategy",
            "focused",
            "$.plan: a focused plan states the guess of its ratio, got None.",
        ),
        ("values", {}, "$.values: must be a list, got a dict."),
        ("values", [], "$.values: must have as many parts as the plan"),
        ("values", [[], []], "$.values: must have as many parts as the plan"),
        ("values.0", {}, "$.values[0]: must be a list, got a dict."),
        ("values.0", [], "$.values[0]: must have 3 rows, has 0."),
        ("parts", None, "$.parts: must be a list, got None."),
        ("parts", [], "$.values: must have as many parts as the plan"),
        ("parts.0", [], "$.parts[0]: must be a table of fields"),
        ("parts.0.found", [], "$.parts[0].found: must be null where keys were"),
        ("parts.0.noise", [], "$.parts[0].noise: must be null where nothing was"),
        ("sources", None, "$.sources: must be a list, got None."),
        ("sources", ["0"], "$.sources[0]: must be 32 hexadecimal digits, got '0'."),
        ("sources", ["0" * 32], "$.parts[0].noise: must say how noise was added up"),
        ("values.0.1", "1", "$.values[0][1]: must be a list, got '1'."),
        ("values.0.1", ["1"], "$.values[0][1]: must hold 6 sums, got ['1']."),
        ("values.0.1", ["1"] * 7, "$.values[0][1]: must hold 6 sums"),
        ("values.0.1.2", 10, "$.values[0][1][2]: must be text, got 10."),
        ("values.0.1.2", 10.0, "$.values[0][1][2]: must be text, got 10.0."),
        ("values.0.1.2", None, "$.values[0][1][2]: must be text, got None."),
        *(
            (
                "values.0.1.2",
                text,
                (
                    "$.values[0][1][2]: must be a 64-bit integer written as text, "
                    f"got {text!r}"
                ),
            )
            for text in [
                "",
                "x",
                "1.0",
                "1e3",
                "+1",
                "01",
                "-0",
                " 1",
                "1\n",
                "1_0",
                "٣",
                "9223372036854775808",
                "-9223372036854775808",
                "12345678901234567890",
                "1" * 60,
            ]
        ),
    ],
)
def test_an_edit_with_a_new_checksum_is_refused_where_it_breaks_a_rule(
    place: str, value: object, message: str | None, tmp_path: Path
) -> None:
    document = golden_document()
    steps = split(place)
    at(document, steps[:-1])[steps[-1]] = value
    path = tmp_path / "edited.json"
    if message is None:
        path.write_text(signed(document), encoding="utf-8")
        read_release(path)
        return
    assert refusal(path, signed(document)).startswith(message)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (
            "plan.parts.0.ratio.guess",
            "1",
            "$.plan.parts[0].ratio.guess: must be a number, got '1'.",
        ),
        (
            "plan.parts.0.ratio.guess",
            True,
            "$.plan.parts[0].ratio.guess: must be a number, got True.",
        ),
        (
            "plan.parts.0.ratio.guess",
            None,
            "$.plan: the plan's terms break a rule: the ratio needs a public guess",
        ),
        (
            "plan.parts.0.ratio.guess",
            1e300,
            "$.plan.parts[0].ratio: the guess of a ratio must be 0, or",
        ),
        (
            "plan.parts.0.ratio.guess",
            1e-300,
            "$.plan.parts[0].ratio: the guess of a ratio must be 0",
        ),
        (
            "plan.parts.0.ratio.guess",
            2,
            "$.plan: the lattice step of Σ h is not the one",
        ),
        (
            "plan.parts.0.ratio.guess_is",
            "certain",
            (
                "$.plan.parts[0].ratio.guess_is: must be one of close, unknown, "
                "got 'certain'."
            ),
        ),
        (
            "plan.parts.0.ratio.guess_is",
            None,
            "$.plan.parts[0].ratio.guess_is: must be ",
        ),
        (
            "plan.parts.0.ratio.guess_is",
            "close",
            None,
        ),  # It chose the noise, which stays.
        (
            "plan.parts.0.ratio.residual_bound",
            "1",
            "$.plan.parts[0].ratio.residual_bound: must be a number, got '1'.",
        ),
        (
            "plan.parts.0.ratio.residual_bound",
            -1,
            (
                "$.plan.parts[0].ratio: the residual bound must be a positive number, "
                "got -1.0."
            ),
        ),
        (
            "plan.parts.0.ratio.residual_bound",
            0,
            "$.plan.parts[0].ratio: the residual bound must be",
        ),
        (
            "plan.parts.0.ratio.residual_bound",
            1e300,
            "$.plan.parts[0].ratio: the residual bound must",
        ),
        (
            "plan.parts.0.ratio.residual_bound",
            2,
            "$.plan: the plan's terms break a rule: the residual bound must be below 2",
        ),
        (
            "plan.parts.0.ratio.residual_bound",
            1.5,
            "$.plan: the sensitivity of Σ z must be 25165824 cells, got 16777216.",
        ),
        (
            "plan.parts.0.ratio.residual_bound",
            None,
            "$.plan: the lattice step of Σ z is not",
        ),
        ("plan.bounds.days", [0, 5], "$.plan: the sensitivity of Σ h must be"),
        (
            "plan.answers",
            ["ratio"],
            "$.plan: strategy 'focused' does not measure these",
        ),
        ("plan.answers", ["means", "ratio"], None),
        (
            "plan.parts.0.sums.3.factors",
            ["h", "z"],
            "$.plan: strategy 'focused' does not",
        ),
        (
            "plan.parts.0.sums.3.factors",
            ["z", "x"],
            "$.plan.parts[0].sums[3].factors[1]: must be one of",
        ),
        (
            "plan.parts.0.sums.3.scale",
            2.0**24,
            "$.plan: the noise of mixed products is too",
        ),
        (
            "plan.parts.0.sums.0.scale",
            2.0**24,
            "$.plan: the noise of the sums is too small",
        ),
        (
            "plan.parts.0.sums.0.scale",
            2.0**51,
            "$.plan: the noise of Σ z is too small or too",
        ),
        ("plan.parts.0.sums.0.scale", 12.0 * 2**24, None),  # More noise than is needed.
        ("plan.privacy.epsilon", "1/2", "$.plan: the noise of the sums is too small"),
        (
            "plan.privacy.mechanism",
            "analytic_gaussian",
            "$.plan: the noise of the sums",
        ),
        (
            "plan.privacy.mechanism",
            "classical_gaussian",
            "$.plan: the plan's terms break a rule: strategy 'focused' has no",
        ),
        (
            "plan.privacy.strategy",
            "joint",
            "$.plan: the plan's terms break a rule: strategy 'joint' does not use a",
        ),
    ],
)
def test_an_edit_of_a_focused_plan_is_refused_where_it_breaks_a_rule(
    place: str, value: object, message: str | None, tmp_path: Path
) -> None:
    document = golden_document(GOLDEN_FOCUSED)
    steps = split(place)
    at(document, steps[:-1])[steps[-1]] = value
    path = tmp_path / "edited.json"
    if message is None:
        path.write_text(signed(document), encoding="utf-8")
        read_release(path)
        return
    assert refusal(path, signed(document)).startswith(message)


@pytest.mark.parametrize(
    "place",
    [
        "",
        "plan",
        "plan.unit",
        "plan.privacy",
        "plan.partitions.0",
        "plan.partitions.0.dimensions.0",
        "plan.partitions.0.dimensions.0.keys",
        "plan.parts.0",
        "plan.parts.0.ratio",
        "plan.parts.0.sums.0",
        "parts.0",
    ],
)
def test_unknown_and_missing_fields_are_refused_with_their_path(
    place: str, tmp_path: Path
) -> None:
    path = tmp_path / "edited.json"
    shown = "$" + "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" for step in split(place)
    )
    document = golden_document()
    at(document, split(place))["surprise"] = 1
    message = refusal(path, signed(document))
    assert message.startswith(f"{shown}: unknown field 'surprise'.")
    for name in at(golden_document(), split(place)):
        document = golden_document()
        del at(document, split(place))[name]
        text = json.dumps(document) if name == "sha256" else signed(document)
        message = refusal(path, text)
        if name == "format":
            assert message == "$.format: this is not a dpratio-release document."
        elif name == "version":
            assert message == "$.version: must be a whole number, got None."
        else:
            assert message == f"{shown}: field '{name}' is missing."


def test_a_newer_format_is_refused_by_name_whatever_else_it_holds(
    tmp_path: Path,
) -> None:
    text = json.dumps({"format": FORMAT, "version": 2, "something": "new"})
    assert refusal(tmp_path / "new.json", text) == (
        "$.version: format dpratio-release 2 is newer than 1, the newest this version "
        "of dpratio reads. Install a newer dpratio."
    )


@pytest.mark.parametrize("text", ["[]", "1", '"x"', "null", "{}", '{"format": 1}'])
def test_another_document_is_refused_as_such(text: str, tmp_path: Path) -> None:
    message = "$.format: this is not a dpratio-release document."
    assert refusal(tmp_path / "other.json", text) == message


def inject(pattern: str, text: str) -> Callable[[str], str]:
    return lambda golden: golden.replace(pattern, text, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            inject('"version": 1', '"version": 1, "version": 1'),
            "$: a field is given twice in one table.",
        ),
        (
            inject('"column": null', '"column": "person", "column": null'),
            "$: a field is given twice in one table.",
        ),
        (inject('"version": 1', '"version": NaN'), "$: NaN is not a number"),
        (inject('"version": 1', '"version": Infinity'), "$: Infinity is not a number"),
        (inject('"version": 1', '"version": -Infinity'), "$: -Infinity is not a"),
        (inject('"41943040000"', "NaN"), "$: NaN is not a number a release may hold."),
        (inject('"41943040000"', "41943040000"), "$.sha256: the document was edited"),
        (inject('"version": 1', '"version": 1e999'), "$.version: must be a whole"),
        (inject('"version": 1', '"version": 1,'), "$: not valid JSON near line 3;"),
        (inject('"version": 1', "'version': 1"), "$: not valid JSON near line 3;"),
        (lambda golden: golden + "{}", "$: not valid JSON near line "),
        (lambda golden: "\ufeff" + golden, "$: not valid JSON near line 1;"),
        (lambda _: "", "$: not valid JSON near line 1; the file may be truncated."),
        (lambda _: "[" * 100_000, "$: not valid JSON near line 1;"),
        (lambda _: '{"a":' * 100_000, "$: not valid JSON near line 1;"),
        (lambda _: "[" * 100_000 + "]" * 100_000, "$: not valid JSON near line 1;"),
        (inject('"version": 1', '"version": ' + "1" * 5000), "$"),
        (inject('"version": 1', '"version": -' + "1" * 5000), "$"),
    ],
)
def test_a_document_made_to_break_the_reader_is_refused(
    change: Callable[[str], str], message: str, tmp_path: Path
) -> None:
    text = change(GOLDEN.read_text(encoding="utf-8"))
    assert text != GOLDEN.read_text(encoding="utf-8")
    assert refusal(tmp_path / "hostile.json", text).startswith(message)


@pytest.mark.parametrize("strategy", ["even", "joint", "focused"])
@pytest.mark.parametrize(
    ("epsilon", "scale"),
    [("9" * 100, None), ("100000000", None), ("1000000", 2.0**-10), ("1", 2.0**-10)],
)
def test_an_absurd_budget_or_noise_is_refused_at_once(
    epsilon: str, scale: float | None, strategy: str, tmp_path: Path
) -> None:
    """Certifying it would need e to the power of epsilon, digit by digit."""
    plan = make_plan(
        Ratio("score", per="label"),
        bounds={"score": Bounds(0, 1), "label": Bounds.binary()},
        budget=Budget(1, "1e-6"),
        strategy=strategy,
        mechanism="analytic_gaussian",
    )
    path = tmp_path / "absurd.json"
    write_release(
        only_part(plan, [[0] * 5], id="0" * 32, made_by="dpratio 0.1.0"), path
    )
    document = json.loads(path.read_text(encoding="utf-8"))
    document["plan"]["privacy"]["epsilon"] = epsilon
    for each in document["plan"]["parts"][0]["sums"]:
        each["scale"] = scale or each["scale"]
    path.write_text(signed(document), encoding="utf-8")
    code = (
        "import sys\nfrom dpratio import DocumentRefused, read_release\n"
        "try:\n    read_release(sys.argv[1])\n"
        "except DocumentRefused as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        timeout=8,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == 0, done.stderr[-300:]
    assert done.stdout.startswith("$.plan")


def test_layout_and_order_of_fields_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "sorted.json"
    path.write_text(json.dumps(golden_document(), sort_keys=True), encoding="utf-8")
    assert read_release(path) == GOLDEN_RELEASE


# Files and folders.


@pytest.mark.parametrize("kind", [str, Path])
def test_a_path_may_be_text_or_a_path(kind: type, tmp_path: Path) -> None:
    path = kind(tmp_path / "release.json")
    write_release(GOLDEN_RELEASE, path)
    assert read_release(path) == GOLDEN_RELEASE


def test_a_path_without_a_folder_is_in_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    check_writable("release.json")
    write_release(GOLDEN_RELEASE, "release.json")
    assert os.listdir(tmp_path) == ["release.json"]  # noqa: PTH208


def test_what_cannot_be_read_is_refused_with_the_reason(tmp_path: Path) -> None:
    missing = tmp_path / "missing.json"
    with pytest.raises(FileRefused) as caught:
        read_release(missing)
    assert (
        str(caught.value) == f"'{missing}' cannot be read: No such file or directory."
    )
    with pytest.raises(FileRefused, match=r"cannot be read: Is a directory\.$"):
        read_release(tmp_path)
    (tmp_path / "latin.json").write_bytes(b'{"a": "\xe9"}')
    with pytest.raises(FileRefused, match=r"cannot be read: it is not UTF-8\.$"):
        read_release(tmp_path / "latin.json")


def unwritable(name: str, folder: Path) -> Path:
    (folder / "file").write_text("kept", encoding="utf-8")
    (folder / "folder").mkdir()
    return {
        "a missing folder": folder / "missing" / "release.json",
        "a file as a folder": folder / "file" / "release.json",
        "a folder": folder / "folder",
        "a name too long": folder / ("x" * 300),
        "a name with NUL": folder / "a\x00b",
    }[name]


UNWRITABLE = [
    "a missing folder",
    "a file as a folder",
    "a folder",
    "a name too long",
    "a name with NUL",
]


@pytest.mark.parametrize("name", UNWRITABLE)
def test_what_cannot_be_written_is_refused_and_leaves_nothing(
    name: str, tmp_path: Path
) -> None:
    path = unwritable(name, tmp_path)
    with pytest.raises(FileRefused, match=r"cannot be written: .*\.$"):
        write_release(GOLDEN_RELEASE, path)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]  # noqa: PTH208
    assert os.listdir(tmp_path / "folder") == []  # noqa: PTH208


@pytest.mark.parametrize("name", UNWRITABLE)
def test_what_cannot_be_written_is_known_before_any_work(
    name: str, tmp_path: Path
) -> None:
    with pytest.raises(FileRefused, match=r"cannot be written: |is a folder\. Name a"):
        check_writable(unwritable(name, tmp_path))
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]  # noqa: PTH208


def test_a_path_that_can_be_written_is_left_as_it_was(tmp_path: Path) -> None:
    old = tmp_path / "old.json"
    old.write_text("kept", encoding="utf-8")
    check_writable(old)
    check_writable(tmp_path / "new.json")
    assert os.listdir(tmp_path) == ["old.json"]  # noqa: PTH208
    assert old.read_text(encoding="utf-8") == "kept"


def test_an_existing_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "release.json"
    path.write_text("x" * 100_000, encoding="utf-8")
    write_release(GOLDEN_RELEASE, path)
    assert path.read_bytes() == GOLDEN.read_bytes()
    assert os.listdir(tmp_path) == ["release.json"]  # noqa: PTH208


def fail(*_: object) -> NoReturn:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace"])
def test_a_write_that_fails_half_way_leaves_the_old_file_and_no_other(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "release.json"
    path.write_text("old", encoding="utf-8")
    monkeypatch.setattr(step, fail)
    message = r"release\.json' cannot be written: No space left on device\.$"
    with pytest.raises(FileRefused, match=message):
        write_release(GOLDEN_RELEASE, path)
    monkeypatch.undo()
    assert os.listdir(tmp_path) == ["release.json"]  # noqa: PTH208
    assert path.read_text(encoding="utf-8") == "old"


def test_arguments_in_the_wrong_place_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "release.json"
    with pytest.raises(InvalidInput, match=r"write_release\(release, path\)"):
        write_release(str(path), GOLDEN_RELEASE)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="written to a path"):
        write_release(GOLDEN_RELEASE, None)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="read from a path"):
        read_release(GOLDEN_RELEASE)  # type: ignore[arg-type]
