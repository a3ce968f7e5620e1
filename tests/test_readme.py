"""The README's code runs, as it stands there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"


def blocks(language: str) -> list[str]:
    text = README.read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


@pytest.fixture
def newcomer(tmp_path: Path) -> Path:
    run(tmp_path, ["demo"])
    return tmp_path


def run(folder: Path, words: list[str]) -> str:
    command = [sys.executable, "-c", "from dpratio.cli.main import run; run()", *words]
    done = subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout


def test_the_python_examples_run(newcomer: Path) -> None:
    code = "\n".join(blocks("python"))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=newcomer,
        check=True,
        capture_output=True,
        text=True,
    )
    assert "Σ z·h" in done.stdout
    assert "Strategy focused" in done.stdout
    assert "north" in done.stdout
    assert "Protected: all rows of one person" in done.stdout
    assert "calibration error" in done.stdout
    for name in ("release.json", "report.html", "ratios.html"):
        assert (newcomer / name).is_file()


def test_the_commands_run_on_the_study_shown(newcomer: Path) -> None:
    (study,) = blocks("toml")
    (newcomer / "study.toml").write_text(study, encoding="utf-8")
    shell = "\n".join(each for each in blocks("sh")[1:] if "coverage" not in each)
    commands = re.findall(r"^dpratio ([^#\n]+)", shell, flags=re.MULTILINE)
    shown = {command.split()[0]: "" for command in commands}
    for command in commands:
        shown[command.split()[0]] += run(newcomer, command.split())
    wanted = ["forecast", "plan", "ledger", "release", "estimate", "compare", "report"]
    assert list(shown) == wanted
    assert "Left: epsilon 2" in shown["ledger"]
    assert "The ledger is sound." in shown["ledger"]
    assert "0.5" in shown["forecast"]
    assert "Not covered" in shown["plan"]
    assert "Written to release.json" in shown["release"]
    assert "level 0.9" in shown["estimate"]
    assert '"status": "ok"' in shown["estimate"]


def test_every_make_target_named_exists() -> None:
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make (\w+)", blocks("sh")[0], flags=re.MULTILINE):
        assert f"\n{target}:" in makefile


def test_the_exit_codes_are_those_of_the_errors() -> None:
    from dpratio import errors

    text = " ".join(README.read_text(encoding="utf-8").split())
    for error, words in {
        errors.InvalidInput: "invalid input",
        errors.SchemaRefused: "schema refused",
        errors.FileRefused: "file refused",
        errors.DocumentRefused: "document refused",
        errors.PlanRefused: "plan refused",
        errors.EngineFailed: "engine failed",
        errors.MissingExtra: "optional package missing",
        errors.LedgerRefused: "ledger refused",
        errors.LedgerFailed: "ledger failed",
    }.items():
        assert f"{error.exit_code} {words}" in text
