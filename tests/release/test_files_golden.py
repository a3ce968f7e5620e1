"""The golden files: what the format means."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from dpratio.codec import canonical
from dpratio.plan.sensitivity.contrast import Contrast
from dpratio.release.files import read_release, write_release
from release.edited_documents import checksum
from release.golden_releases import (
    GOLDEN,
    GOLDEN_FOCUSED,
    GOLDEN_FOCUSED_RELEASE,
    GOLDEN_RELEASE,
    GOLDEN_RELEASES,
    GOLDEN_STAGES,
    golden_document,
)


def test_the_golden_file_is_read_value_by_value() -> None:
    release = read_release(GOLDEN)
    assert release.id == GOLDEN_RELEASE.id
    assert release.made_by == "dpratio 0.1.0"
    assert release.is_simulated is True
    assert (
        release.questions[0].values.tolist()
        == GOLDEN_RELEASE.questions[0].values.tolist()
    )
    assert (
        release.plan.measurements[0].ratio == GOLDEN_RELEASE.plan.measurements[0].ratio
    )
    assert release.plan.bounds == GOLDEN_RELEASE.plan.bounds
    assert release.plan.partitions[0] == GOLDEN_RELEASE.plan.partitions[0]
    assert release.plan.budget == GOLDEN_RELEASE.plan.budget
    assert (release.plan.strategy, release.plan.law.name) == ("even", "laplace")
    assert release.plan.measurements[0].answers == ("ratio",)
    assert release.plan.measurements[0].sums == GOLDEN_RELEASE.plan.measurements[0].sums
    assert release == GOLDEN_RELEASE


def test_the_golden_file_of_a_focused_plan_is_read_value_by_value() -> None:
    plan = read_release(GOLDEN_FOCUSED).plan
    assert (plan.measurements[0].ratio.numerator, plan.measurements[0].ratio.per) == (
        "claims",
        "days",
    )
    assert plan.measurements[0].ratio.weight is None
    assert plan.measurements[0].ratio.guess == 0.0
    assert type(plan.measurements[0].ratio.guess) is float
    assert plan.measurements[0].ratio.guess_is == "unknown"
    assert plan.measurements[0].ratio.residual_bound == 1.0
    assert plan.measurements[0].answers == ("ratio", "means")
    assert (plan.strategy, plan.law.name) == ("focused", "laplace")
    assert plan.measurements[0].sums == GOLDEN_FOCUSED_RELEASE.plan.measurements[0].sums
    assert plan.contrast(plan.measurements[0]) == Contrast(0.0, 1.0)
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
    assert (document["format"], document["version"]) == ("dpratio-release", 1)
    assert document["values"][0][2][:3] == [
        "9223372036854775807",
        "-9223372036854775807",
        "9007199254740993",
    ]
    assert document["sha256"] == checksum(document)
    assert GOLDEN.read_bytes() == canonical(document)
    assert document["parts"] == [{"found": None, "noise": None}]
    assert document["sources"] == []
    groups = {"column": "region", "keys": ["north", "süd", "<b>|east"]}
    assert document["plan"]["study"]["groups"] == groups
    plan = golden_document(GOLDEN_FOCUSED)["plan"]
    assert plan["study"]["ratio"] == {
        "numerator": "claims",
        "per": "days",
        "guess": 0.0,
        "guess_is": "unknown",
        "residual_bound": 1.0,
        "answers": ["ratio", "means"],
    }
    (measured,) = plan["measurements"]
    assert measured["sums"][3] == {
        "name": "zh",
        "factors": ["z", "h"],
        "step": 2.0**-22,
        "sensitivity": str(2**24),
        "scale": 11.0 * 2**24,
    }


def test_layout_and_order_of_fields_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "sorted.json"
    path.write_text(json.dumps(golden_document(), sort_keys=True), encoding="utf-8")
    assert read_release(path) == GOLDEN_RELEASE


def test_the_golden_file_of_two_stages_is_read_value_by_value(tmp_path: Path) -> None:
    """Whatever planners do by then: its guess and its price are what count."""
    release = read_release(GOLDEN_STAGES)
    (question,) = release.questions
    assert release.plan.stage is not None
    assert release.plan.stage.epsilon == Fraction(1, 5)
    assert release.plan.stage.people == 700
    assert release.plan.measurements[0].ratio.guess == 3.0
    assert question.first == (13107200000, 20971520000)
    assert question.ratio.guess == 2.5
    assert question.asked.basis == "denominator"
    assert release.measured.contrast(question.asked) == Contrast(
        2.5, None, "denominator"
    )
    again = tmp_path / "again.json"
    write_release(release, again)
    assert again.read_bytes() == GOLDEN_STAGES.read_bytes()
