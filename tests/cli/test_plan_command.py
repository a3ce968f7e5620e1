"""`dpratio plan`: what is shown of a study, and what is without data."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.commands_for_tests import STUDY, Call
from dpratio.cli.main import app


def test_a_plan_is_shown_without_opening_the_data(folder: Path) -> None:
    (folder / "people.csv").unlink()
    shown = CliRunner().invoke(app, ["plan", "study.toml"])
    assert shown.exit_code == 0
    for words in (
        "Strategy focused, mechanism laplace",
        "Measured around the guess 1: z = (s − 1·y), h = (s + 1·y).",
        "Σ z·h",
        "epsilon 2",
        "Not covered",
        "noise_sd",
    ):
        assert words in shown.stdout


def test_a_plan_of_the_papers_sums_is_shown_where_the_study_asks_for_it(
    folder: Path,
) -> None:
    asked = STUDY + 'strategy = "even"\nmechanism = "laplace"\n'
    (folder / "study.toml").write_text(asked, encoding="utf-8")
    shown = CliRunner().invoke(app, ["plan", "study.toml"])
    assert shown.exit_code == 0
    for words in ("Σ y·s", "Strategy even, mechanism laplace", "Σ 1"):
        assert words in shown.stdout


@pytest.mark.parametrize("layout", ["csv", "json", "markdown"])
def test_other_formats_hold_the_table_alone(folder: Path, layout: str) -> None:
    assert folder.is_dir()
    shown = CliRunner().invoke(app, ["plan", "study.toml", "--format", layout]).stdout
    assert "Not covered" not in shown
    if layout == "json":
        sums = [row["sum"] for row in json.loads(shown)]
        assert sums == ["Σ z", "Σ h", "Σ z·z", "Σ z·h", "Σ h·h"]
    else:
        assert shown.splitlines()[0].replace(" ", "").strip("|").startswith("sum")


def test_a_broken_study_is_refused_with_its_file_and_path(
    folder: Path, call: Call
) -> None:
    text = STUDY.replace("score = [0, 1]", "score = [1, 0]")
    (folder / "study.toml").write_text(text, encoding="utf-8")
    code, _, error = call("plan", "study.toml")
    assert code == 6
    assert "study.toml: $.bounds.score: bounds must be finite and in order" in error


def test_a_study_that_is_not_text_is_refused(folder: Path, call: Call) -> None:
    (folder / "study.toml").write_bytes(b"\xff\xfe")
    code, _, error = call("plan", "study.toml")
    assert (code, "not UTF-8" in error) == (5, True)


def test_a_terminal_gets_a_drawn_table(folder: Path) -> None:
    """Run under a pseudo-terminal, as a person would."""
    assert folder.is_dir()
    code = (
        "import pty, sys\n"
        "words = [sys.executable, '-c', "
        "'from dpratio.cli.main import run; run()', 'plan', 'study.toml']\n"
        "sys.exit(pty.spawn(words))\n"
    )
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        env=environment,
        stdin=subprocess.DEVNULL,
    )
    assert "─" in done.stdout.decode()


def test_a_message_does_not_steer_the_terminal(folder: Path, call: Call) -> None:
    study = f'"\\u001b[2J\\nOK" = 1\n{STUDY}'
    (folder / "study.toml").write_text(study, encoding="utf-8")
    code, _, said = call("plan", "study.toml")
    assert code == 6
    assert r"unknown field '\x1b[2J\nOK'" in said
    assert said.count("\n") == 1
