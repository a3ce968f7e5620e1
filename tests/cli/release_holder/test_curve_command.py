"""The command of calibration curves."""

import json
from functools import partial
from pathlib import Path

import pytest

import dpratio as dpr
from cli import commands_for_tests
from cli.commands_for_tests import refusal
from dpratio.errors import InvalidInput
from planned import plan_scores

shown = partial(commands_for_tests.shown, "curve")


@pytest.fixture
def release(tmp_path: Path) -> Path:
    groups = dpr.Groups.cross(dpr.Keys("land", ["a", "b"]), dpr.ScoreBins("score", 2))
    plan = plan_scores(dpr.Budget(4), answers=("ratio", "means"), groups=groups)
    table = {
        "score": [0.25, 0.75] * 4000,
        "label": [0, 1, 0, 1, 0, 0, 1, 1] * 1000,
        "land": (["a"] * 4 + ["b"] * 4) * 1000,
    }
    path = tmp_path / "release.json"
    dpr.write_release(dpr.release_sums(table, plan, ledger=None), path)
    return path


def test_a_curve_is_shown_with_a_sentence_and_in_every_format(release: Path) -> None:
    text = shown(release)
    assert "Calibration over bins of score" in text
    assert "b: expected calibration error" in text
    assert "0.5 to 1" in text
    rows = json.loads(shown(release, "--format", "json"))
    assert [row["land"] for row in rows] == ["a", "a", "b", "b"]
    assert rows[0]["mean_score"] == pytest.approx(0.25, abs=0.01)
    assert shown(release, "--format", "csv").startswith("land,score,share")
    assert shown(release, "--format", "markdown").startswith("| land | score |")


def test_intervals_are_as_wide_as_their_level(release: Path) -> None:
    asked = ("--format", "json", "--level")
    (narrow, *_), (wide, *_) = (
        json.loads(shown(release, *asked, level)) for level in ("0.5", "0.99")
    )
    for end, side in (("ci_lower", -1), ("ci_upper", 1)):
        assert side * narrow[f"gap_{end}"] < side * wide[f"gap_{end}"]


def test_errors_are_shown_instead_of_bins(release: Path) -> None:
    words = (release, "--errors", "--format", "json", "--level", "0.9")
    rows = json.loads(shown(*words))
    assert [row["land"] for row in rows] == ["a", "b"]
    assert rows[0]["pvalue"] < 1e-6


def test_what_cannot_be_shown_is_refused(release: Path) -> None:
    for words in (("--question", "2"), ("--bins", "land"), ("--format", "pdf")):
        assert isinstance(refusal("curve", release, *words), InvalidInput)


def test_a_question_without_bins_is_told_which_one_has_them() -> None:
    with pytest.raises(InvalidInput) as refused:
        dpr.calibration_curve(dpr.example_release(), question=1)
    assert str(refused.value) == (
        "a calibration curve needs one binned column, and this question has none. Bins "
        "have: question='score per label by score'."
    )
