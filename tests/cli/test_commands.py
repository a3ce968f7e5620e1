"""What all commands share: exit codes, help, version, how they are started."""

import subprocess
import sys
from pathlib import Path

import pytest

from cli.commands_for_tests import Call, is_refused, shown
from dpratio.version import __version__


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["plan", "none.toml"], 5, "FileRefused: 'none.toml' cannot be read"),
        (["estimate", "none.json"], 5, "FileRefused: 'none.json' cannot be read"),
        (
            ["estimate", "study.toml"],
            6,
            "'study.toml' is no release: by its name it is a study",
        ),
        (["plan", "study.toml", "--format", "xml"], 3, "unknown format, got 'xml'"),
        (["release", "study.toml", "-o", "no/r.json"], 5, "cannot be written"),
        (["release", "study.toml", "-o", "."], 5, "is a folder"),
        (
            ["release", "study.toml", "-o", "r.json", "--data", "none.parquet"],
            5,
            "no file at 'none.parquet'",
        ),
        (["release", "study.toml"], 2, "Missing option"),
        (["demo", "--people", "0"], 3, "people must be at least 1, got 0"),
    ],
)
def test_bad_input_is_one_line_with_its_exit_code(
    folder: Path, words: list[str], code: int, said: str, call: Call
) -> None:
    before = sorted(folder.iterdir())
    assert is_refused(call(*words), code, said)
    assert sorted(folder.iterdir()) == before


def test_version_and_help_are_shown() -> None:
    assert shown("--version") == f"dpratio {__version__}\n"
    said = shown("--help")
    for words in ("plan", "release", "estimate", "demo", "Exit codes", "completion"):
        assert words in said


def test_help_loads_no_heavy_library() -> None:
    code = (
        "import sys\n"
        "sys.argv = ['dpratio', '--help']\n"
        "from dpratio.cli.main import run\n"
        "try:\n    run()\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'scipy', 'duckdb', 'pandas', 'rich'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_the_package_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "dpratio", "--version"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout == f"dpratio {__version__}\n"
