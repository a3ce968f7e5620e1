"""The command of calibration curves."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dpratio as dpr
from dpratio.cli.main import app
from dpratio.errors import DocumentRefused, InvalidInput
from planned import plan_scores


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


def shown(*words: str) -> str:
    done = CliRunner().invoke(app, ["curve", *words], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def test_a_curve_is_shown_with_a_sentence_and_in_every_format(release: Path) -> None:
    text = shown(str(release))
    assert "Calibration over bins of score" in text
    assert "b: expected calibration error" in text
    assert "0.5 to 1" in text
    rows = json.loads(shown(str(release), "--format", "json"))
    assert [row["land"] for row in rows] == ["a", "a", "b", "b"]
    assert rows[0]["mean_score"] == pytest.approx(0.25, abs=0.01)
    assert shown(str(release), "--format", "csv").startswith("land,score,share")
    assert shown(str(release), "--format", "markdown").startswith("| land | score |")


def test_errors_are_shown_instead_of_bins(release: Path) -> None:
    words = (str(release), "--errors", "--format", "json", "--level", "0.9")
    rows = json.loads(shown(*words))
    assert [row["land"] for row in rows] == ["a", "b"]
    assert rows[0]["pvalue"] < 1e-6


def test_what_cannot_be_shown_is_refused(release: Path, tmp_path: Path) -> None:
    runner = CliRunner()
    for words, error in (
        ([str(release), "--question", "2"], InvalidInput),
        ([str(release), "--bins", "land"], InvalidInput),
        ([str(release), "--format", "pdf"], InvalidInput),
    ):
        assert isinstance(runner.invoke(app, ["curve", *words]).exception, error)
    (tmp_path / "bad.json").write_text("{}", encoding="utf-8")
    caught = runner.invoke(app, ["curve", str(tmp_path / "bad.json")]).exception
    assert isinstance(caught, DocumentRefused)
    assert "bad.json" in str(caught)


def test_a_question_without_bins_is_told_which_one_has_them() -> None:
    with pytest.raises(InvalidInput) as refused:
        dpr.calibration_curve(dpr.example_release(), question=1)
    assert str(refused.value) == (
        "a calibration curve needs one binned column, and this question has none. Bins "
        "have: question='score per label by score'."
    )
