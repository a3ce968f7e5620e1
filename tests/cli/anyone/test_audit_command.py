"""The audit as the curator runs it: what is printed, written, and given back."""

import csv
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.commands_for_tests import Call, is_refused, shown
from dpratio.cli.main import app
from simulation.audit.faults import always_even, fix_bits, scale_noise, spoil_noise

FEW = ["audit", "--samples", "6000", "--epsilon", "4", "--unit", "row"]
ONE = [*FEW, "--mechanism", "analytic_gaussian", "--strategy", "joint"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    fix_bits(monkeypatch, seed=5)
    return tmp_path


def left_behind(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_a_sound_installation_is_told_so(folder: Path) -> None:
    lines = shown(*ONE).splitlines()
    assert lines[0] == (
        "6,000 samples of each of two neighbouring tables, released end to end."
    )
    assert lines[-1] == "1 of 1 sound."
    assert any("analytic_gaussian" in line for line in lines)
    assert left_behind(folder) == ["temporary"]


def test_programs_get_rows_alone(folder: Path) -> None:
    words = [*FEW, "--strategy", "even", "--json", "a.json", "--csv", "a.csv"]
    rows = json.loads(shown(*words, "--format", "json"))
    assert rows == json.loads((folder / "a.json").read_text("utf-8"))
    laws = ["laplace", "analytic_gaussian", "classical_gaussian"]
    assert [row["mechanism"] for row in rows] == laws
    assert all(0.8 < row["share"] <= 1 for row in rows)
    assert {row["measure"] for row in rows} == {"epsilon", "mu"}
    assert {row["law"] for row in rows} == {"as planned"}
    with (folder / "a.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 3


def test_too_little_noise_is_an_exit_code_after_the_table(
    monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    scale_noise(monkeypatch, 0.8)
    code, out, error = call(*ONE)
    assert code == 12
    assert "too little noise" in out
    assert "0 of 1 sound." in out
    assert error.startswith("AuditFailed: 1 of 1 claims are broken")


def test_noise_of_another_law_is_said_in_sentences_and_by_the_exit_code(
    monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    spoil_noise(monkeypatch, always_even)
    code, out, error = call(*ONE)
    assert code == 12
    assert "another law" in out
    lines = out.splitlines()
    told = lines.index("Noise that is not as planned:")
    assert lines[told + 1 :] == [
        "analytic_gaussian, joint, row, epsilon 4: low bits: 0 of 72,000 noises of all",
        "sums are numbers with bit 0 set; 36,000 were expected.",
        "",
        "0 of 1 sound.",
    ]
    assert "1 of 1 claims are broken" in error


def test_too_few_samples_are_said_and_are_no_failure() -> None:
    said = shown(*ONE, "--samples", 200)
    assert "not enough samples" in said
    assert said.endswith("0 of 1 sound. 1 need more samples: --samples 2000.\n")


def test_an_interrupted_audit_leaves_nothing_behind(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dpratio.simulation.audit import draw

    def stop(*_: Any, **__: Any) -> None:  # noqa: ANN401
        assert left_behind(folder)[-1].endswith("invented.parquet")
        raise KeyboardInterrupt

    monkeypatch.setattr(draw, "release_sums", stop)
    done = CliRunner().invoke(app, ONE)
    assert done.exit_code != 0
    assert done.stdout == ""
    assert left_behind(folder) == ["temporary"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("audit --samples 5", 3, "at least 100, got 5"),
        ("audit --epsilon x", 3, "epsilon must be a finite number"),
        ("audit --mechanism gaussian", 3, "unknown mechanism"),
        ("audit --strategy keys --unit person", 3, "nothing is left to audit"),
        ("audit --format xml", 3, "unknown format"),
        ("audit --json no/a.json", 5, "'no/a.json' cannot be written"),
    ],
)
def test_bad_input_is_one_line_before_anything_is_drawn(
    words: str, code: int, said: str, folder: Path, call: Call
) -> None:
    assert is_refused(call(*words.split()), code, said)
    assert left_behind(folder) == ["temporary"]


def test_the_help_says_what_the_exit_code_means() -> None:
    done = CliRunner().invoke(app, ["audit", "--help"], env={"COLUMNS": "200"})
    assert "exit code 12" in done.stdout
    assert "12 audit failed" in shown("--help")
