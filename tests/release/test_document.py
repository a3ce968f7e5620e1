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
from release.releases_for_tests import RELEASES

ALL_GOLDEN = [GOLDEN, GOLDEN_FOCUSED, GOLDEN_STAGES, GOLDEN_GUESSES]

# --- Golden files ---------------------------------------------------------------------


@pytest.mark.parametrize("golden", ALL_GOLDEN, ids=lambda path: path.stem)
def test_a_golden_file_written_again_has_the_same_bytes(golden: Path) -> None:
    assert release_to_bytes(read_release(golden)) == golden.read_bytes()
    assert golden.read_bytes() == canonical(golden_document(golden))
    assert golden_document(golden)["sha256"] == checksum(golden_document(golden))


def test_golden_files_hold_what_was_written_by_hand() -> None:
    for golden, release in (
        (GOLDEN, GOLDEN_RELEASE),
        (GOLDEN_FOCUSED, GOLDEN_FOCUSED_RELEASE),
    ):
        assert read_release(golden) == release
        assert read_release(golden).plan == release.plan
        assert release_to_bytes(release) == golden.read_bytes()


def test_the_golden_file_says_its_format_and_writes_sums_as_text() -> None:
    document = golden_document()
    assert (document["format"], document["version"]) == ("dpratio-release", 1)
    assert document["values"][0][2][:3] == [
        "9223372036854775807",
        "-9223372036854775807",
        "9007199254740993",
    ]
    assert document["parts"] == [{"found": None, "noise": None}]
    assert document["sources"] == []
    groups = {"column": "region", "keys": ["north", "süd", "<b>|east"]}
    assert document["plan"]["study"]["groups"] == groups


def test_the_golden_file_of_two_stages_is_read_value_by_value() -> None:
    """Whatever planners do by then: its guess and its price are what count."""
    release = read_release(GOLDEN_STAGES)
    (question,) = release.questions
    stage = release.measured.stage
    assert stage is not None
    assert (stage.epsilon, stage.n) == (Fraction(1, 5), 700)
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
    assert (layer.law.name, layer.counts.tolist()) == ("laplace", [3])
    assert layer.scales == (2.0**28, 2.0**29, 2.0**28, 2.0**30, 2.0**28)
    assert len(release.sources) == 4
    assert (release.cost, release.cost_if_disjoint) == (Budget(4), Budget(1))


def test_layout_and_order_of_fields_do_not_matter() -> None:
    text = json.dumps(golden_document(), sort_keys=True, indent=8)
    assert release_from_bytes(text.encode()) == GOLDEN_RELEASE


# --- There and back -------------------------------------------------------------------


@pytest.mark.parametrize("name", RELEASES)
def test_a_release_of_every_kind_survives_its_file(name: str) -> None:
    release = RELEASES[name]
    back = release_from_bytes(release_to_bytes(release))
    assert back == release
    assert back.plan == release.plan
    for question, own in zip(back.questions, release.questions, strict=True):
        assert [type(key) for key in question.keys] == [type(key) for key in own.keys]
    assert release_to_bytes(back) == release_to_bytes(release)


ODD_BOUNDS = {"é '": Bounds(-0.1, 7), '"': Bounds(-3, 0.5), "\\": Bounds(0, 1e-9)}
ODD: dict[str, Any] = {"bounds": ODD_BOUNDS, "budget": Budget(Fraction(1, 3), "1e-6")}
PLANS = [
    plan_scores(Budget("0.1"), strategy="even"),
    plan_scores(Budget("0.1")),
    make_plan(
        Ratio("é '", per='"', weight="\\"),
        strategy="even",
        mechanism="classical_gaussian",
        **ODD,
    ),
    make_plan(
        Ratio("é '", per='"', weight="\\", guess=0.1, guess_is="unknown"),
        strategy="joint",
        **ODD,
    ),
    make_plan(
        Ratio("é '", per='"', weight="\\", guess=-1 / 3, residual_bound=1.1e-9),
        answers=["ratio", "means"],
        mechanism="analytic_gaussian",
        **ODD,
    ),
    make_plan(
        Ratio("score", per="label", guess=0, guess_is="unknown"),
        bounds={"score": Bounds(-1, 1), "label": Bounds(0.5, 2.0**20)},
        budget=Budget(3),
        stage=0,
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
    made_by=st.text(clean),
    simulated=st.booleans(),
    numbers=st.lists(st.integers(-LARGEST, LARGEST), min_size=36, max_size=36),
)
@example(
    plan=PLANS[0],
    keys=["\u2028", "</script>"],
    made_by="",
    simulated=True,
    numbers=[LARGEST, -LARGEST] * 18,
)
def test_a_release_survives_its_file(
    plan: Plan,
    keys: list[Key] | None,
    made_by: str,
    simulated: bool,  # noqa: FBT001
    numbers: list[int],
) -> None:
    plan = plan.over(None if keys is None else Groups("g", keys))
    rows, sums = 1 if keys is None else len(keys), len(plan.measurements[0].sums)
    values = np.array(numbers[: rows * sums], dtype=np.int64).reshape(rows, sums)
    named = {"id": "0" * 32, "made_by": made_by, "is_simulated": simulated}
    release = only_question(plan, values, **named)
    content = release_to_bytes(release)
    back = release_from_bytes(content)
    assert back == release
    assert back.plan == release.plan
    own, read = release.questions[0].keys, back.questions[0].keys
    assert [type(key) for key in read] == [type(key) for key in own]
    assert release_to_bytes(back) == content


def test_a_large_release_is_read_as_it_was_written() -> None:
    plan = plan_scores(Budget(1), groups=Groups("g", range(20_000)))
    values = np.arange(100_000).reshape(20_000, 5) * 10**13 - 2**58
    release = only_question(plan, values, id="0" * 32, made_by="")
    assert release_from_bytes(release_to_bytes(release)) == release


# --- The JSON Schema ------------------------------------------------------------------

SCHEMA = jsonschema.Draft202012Validator(json.loads(json.dumps(RELEASE.schema)))


def fields_of(name: str) -> dict[str, Any]:
    document = document_of(RELEASES[name])
    return {
        field: part
        for field, part in document.items()
        if field not in {"format", "version", "sha256"}
    }


@pytest.mark.parametrize("name", RELEASES)
def test_the_schema_accepts_every_release_that_is_written(name: str) -> None:
    SCHEMA.validate(fields_of(name))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("surprise", 1),
        ("simulated", "no"),
        ("parts.0.noise", 1),
        ("values.0.0.0", 7),
        ("values.0.0.0", "07"),
        ("plan.study", None),
        ("plan.study.bounds.score", [0]),
        ("plan.study.privacy.epsilon", 1),
        ("plan.study.groups", {"column": "g"}),
        ("plan.measurements.0.sums.0.sensitivity", 7),
        ("plan.measurements.0.sums.0.factors", ["x"]),
    ],
)
def test_the_schema_refuses_another_shape(place: str, value: object) -> None:
    assert not SCHEMA.is_valid(edit(fields_of("groups: text"), place, value))
