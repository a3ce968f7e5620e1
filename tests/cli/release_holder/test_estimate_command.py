"""`dpratio estimate`: intervals from a release file."""

import json
from pathlib import Path

import pytest

from cli.commands_for_tests import Call, shown

pytestmark = pytest.mark.usefixtures("folder")


def test_a_release_is_written_and_estimated(folder: Path) -> None:
    said = shown("release", "study.toml", "-o", "r.json")
    assert "Written to r.json" in said
    (row,) = json.loads(
        shown("estimate", "r.json", "--format", "json", "--link", "log")
    )
    assert row["ci_lower"] < row["ratio"] < row["ci_upper"]
    assert row["ratio"] == pytest.approx(0.75, abs=0.2)
    assert (folder / "r.json").is_file()


def test_the_monte_carlo_estimate_repeats_with_its_seed() -> None:
    shown("release", "study.toml", "-o", "r.json")
    words = ("estimate", "r.json", "--method", "monte_carlo", "--seed", "7")
    first, second = (shown(*words) for _ in range(2))
    assert first == second
    assert "monte_carlo" in first


def test_intervals_without_correction_are_called_too_narrow() -> None:
    shown("release", "study.toml", "-o", "r.json")
    assert "too narrow" in shown("estimate", "r.json", "--method", "no_correction")


def test_an_empty_table_gives_noisy_zeros_and_an_explained_status(
    folder: Path, call: Call
) -> None:
    (folder / "people.csv").write_text("score,label\n", encoding="utf-8")
    # Noise alone looks like a denominator in one draw of forty; hardly ever in three.
    said = []
    for at in range(3):
        words = ("release", "study.toml", "-o", f"{at}.json", "--new-draw")
        assert call(*words)[0] == 0
        code, shown, _ = call("estimate", f"{at}.json")
        assert code == 0
        said.append("unbounded: the noisy denominator" in shown)
    assert any(said)
