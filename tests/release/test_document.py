"""What the format of releases means, and that every release survives its file."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpratio.codec import canonical
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.sensitivity.sums import Contrast
from dpratio.release.document import RELEASE
from dpratio.release.files import read_release, release_from_bytes, release_to_bytes
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, Key
from dpratio.terms.ratio import Ratio
from edited_places import edit
from planned import plan_scores
from release.edited_documents import checksum, document_of
from release.golden_releases import (
    GOLDEN,
    GOLDEN_FOCUSED,
    GOLDEN_FOCUSED_RELEASE,
    GOLDEN_GUESSES,
    GOLDEN_RELEASE,
    GOLDEN_STAGES,
    LARGEST,
    golden_document,
    only_question,
)
from release.releases_for_tests import RELEASES, survives

# --- Golden files ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "golden", [GOLDEN, GOLDEN_FOCUSED, GOLDEN_STAGES, GOLDEN_GUESSES]
)
def test_a_golden_file_written_again_has_the_same_bytes(golden: Path) -> None:
    assert release_to_bytes(read_release(golden)) == golden.read_bytes()
    assert golden.read_bytes() == canonical(golden_document(golden))
    assert golden_document(golden)["sha256"] == checksum(golden_document(golden))


def test_golden_files_hold_what_was_written_by_hand() -> None:
    assert read_release(GOLDEN) == GOLDEN_RELEASE
    assert read_release(GOLDEN_FOCUSED) == GOLDEN_FOCUSED_RELEASE
    document = golden_document()
    names = {"format", "version", "id", "made_by", "is_simulated", "plan", "questions"}
    assert set(document) == {*names, "sha256"}
    assert (document["format"], document["version"]) == ("dpratio-release", 1)
    (question,) = document["questions"]
    assert set(question) == {"values"}
    assert question["values"][2][:3] == [
        "9223372036854775807",
        "-9223372036854775807",
        "9007199254740993",
    ]
    text = json.dumps(document, sort_keys=True, indent=8)
    assert release_from_bytes(text.encode()) == GOLDEN_RELEASE


def test_the_golden_file_of_two_stages_is_read_value_by_value() -> None:
    """Whatever planners do by then: its guess and its price are what count."""
    release = read_release(GOLDEN_STAGES)
    (question,) = release.questions
    assert isinstance(release.plan, Plan)
    assert release.plan.stage is not None
    assert (release.plan.stage.epsilon, release.plan.stage.n) == (Fraction(1, 5), 700)
    assert release.plan.measurements[0].ratio.guess == 3.0
    assert question.first == (13107200000, 20971520000)
    assert question.sums[0].contrast == Contrast(2.5, None, "denominator")


def test_the_golden_file_of_two_guesses_is_read_value_by_value() -> None:
    release = read_release(GOLDEN_GUESSES)
    (question,) = release.questions
    own, other = question.sums
    assert own.contrast == Contrast(1.0)
    assert other.contrast == Contrast(0.75, basis="denominator")
    assert own.values.tolist() == [[1, -2, 3, -4, 5]]
    assert other.values.tolist() == [[-6, 7, -8, 9, 2**53 + 1]]
    assert other.steps == (2.0**-24, 2.0**-24, 2.0**-24, 2.0**-25, 2.0**-24)
    (layer,) = other.noise
    assert (layer.law.name, layer.counts) == ("laplace", (3,))
    assert layer.scales == (2.0**28, 2.0**29, 2.0**28, 2.0**30, 2.0**28)
    assert len(release.sources) == 4
    assert (release.cost, release.cost_if_disjoint) == (Budget(4), Budget(1))


# --- There and back -------------------------------------------------------------------


@pytest.mark.parametrize("name", RELEASES)
def test_a_release_of_every_kind_survives_its_file(name: str) -> None:
    release = RELEASES[name]
    back = release_from_bytes(release_to_bytes(release))
    assert back == release
    for question, own in zip(back.questions, release.questions, strict=True):
        assert [type(key) for key in question.keys] == [type(key) for key in own.keys]
    assert release_to_bytes(back) == release_to_bytes(release)


def one_sum(number: int) -> Release:
    plan = plan_scores(Budget(1), strategy="even")
    values = np.full((1, len(plan.measurements[0].sums)), number)
    return only_question(plan, values, id="0" * 32, made_by="")


def one_key(*keys: Key) -> Release:
    plan = plan_scores(Budget(1), groups=Groups("g", keys))
    return only_question(plan, np.zeros((len(keys), 5), int), id="0" * 32, made_by="")


ODD_NUMBERS = (0, 1, 2**53 - 1, 2**53, 2**53 + 1, 2**63 - 2, 2**63 - 1)
ODD_KEYS: tuple[Key, ...] = (
    *("1", "1.0", "true", "", "null", "9007199254740993", "2026-01-01", "é", "e\u0301"),
    *(True, False, None, 1, -1, 0, 2**53 - 1, 2**53, 2**53 + 1, 2**63 - 1),
)


def test_no_two_values_have_the_same_bytes() -> None:
    """1 is not true and not "1"; beyond 2^53 a number is not its neighbour."""
    odd = [*map(one_sum, ODD_NUMBERS), *map(one_key, ODD_KEYS)]
    contents = [release_to_bytes(release) for release in odd]
    assert len(set(contents)) == len(odd)
    back = [release_from_bytes(content) for content in contents]
    assert back == odd
    keys = [release.questions[0].keys[0] for release in back[len(ODD_NUMBERS) :]]
    assert [type(key) for key in keys] == [type(key) for key in ODD_KEYS]


ODD_BOUNDS = {"é '": Bounds(-0.1, 7), '"': Bounds(-3, 0.5), "\\": Bounds(0, 1e-9)}
ODD: dict[str, Any] = {"bounds": ODD_BOUNDS, "budget": Budget(Fraction(1, 3), "1e-6")}
PLANS = [
    plan_scores(Budget("0.1")),
    make_plan(
        Ratio("é '", per='"', weight="\\"),
        strategy="even",
        mechanism="classical_gaussian",
        **ODD,
    ),
    make_plan(
        Ratio("é '", per='"', weight="\\", guess=-1 / 3, residual_bound=1.1e-9),
        answers=["ratio", "means"],
        mechanism="analytic_gaussian",
        **ODD,
    ),
]
clean = st.characters(codec="utf-8", exclude_characters="\x00")
some_keys = st.one_of(
    st.lists(st.text(clean), min_size=1, max_size=4, unique=True),
    st.lists(st.integers(-LARGEST, LARGEST), min_size=1, max_size=4, unique=True),
    st.lists(st.booleans(), min_size=1, max_size=2, unique=True),
)


@settings(deadline=None, max_examples=60)
@given(
    plan=st.sampled_from(PLANS),
    keys=st.none() | some_keys,
    made_by=st.text(clean),
    numbers=st.lists(st.integers(-LARGEST, LARGEST), min_size=40, max_size=40),
)
@example(
    plan=PLANS[0],
    keys=["\u2028", "</script>"],
    made_by="",
    numbers=[LARGEST, -LARGEST] * 20,
)
def test_a_release_survives_its_file(
    plan: Plan, keys: list[Key] | None, made_by: str, numbers: list[int]
) -> None:
    plan = plan.over(None if keys is None else Groups("g", keys))
    rows, sums = 1 if keys is None else len(keys), len(plan.measurements[0].sums)
    values = np.array(numbers[: rows * sums], dtype=np.int64).reshape(rows, sums)
    assert survives(only_question(plan, values, id="0" * 32, made_by=made_by))


# --- The JSON Schema ------------------------------------------------------------------

SCHEMA = jsonschema.Draft202012Validator(json.loads(json.dumps(RELEASE.schema)))


def fields_of(name: str) -> dict[str, Any]:
    document = document_of(RELEASES[name])
    for field in ("format", "version", "sha256"):
        del document[field]
    return document


@pytest.mark.parametrize("name", RELEASES)
def test_the_schema_accepts_every_release_that_is_written(name: str) -> None:
    SCHEMA.validate(fields_of(name))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("surprise", 1),
        ("is_simulated", False),
        ("sources", None),
        ("questions.0.noise", 1),
        ("questions.0.values.0.0", 7),
        ("questions.0.values.0.0", "07"),
        ("plan.study", None),
        ("plan.study.bounds.score", [0]),
        ("plan.study.privacy.epsilon", 1),
        ("plan.measurements.0.sums.0.sensitivity", 7),
        ("plan.measurements.0.sums.0.factors", ["x"]),
    ],
)
def test_the_schema_refuses_another_shape(place: str, value: object) -> None:
    assert not SCHEMA.is_valid(edit(fields_of("groups: text"), place, value))
