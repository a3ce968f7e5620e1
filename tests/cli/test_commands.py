import json
import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dpratio.cli.main import app, run
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.scope import Scope
from dpratio.terms.budget import Budget
from dpratio.version import __version__

STUDY = """
[data]
path = "people.csv"

[ratio]
numerator = "score"
per = "label"

[bounds]
score = [0, 1]
label = "binary"

[privacy]
epsilon = 2
"""

ROWS = "score,label\n" + "0.5,1\n0.25,0\n" * 2000


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    (tmp_path / "people.csv").write_text(ROWS, encoding="utf-8")
    Ledger("dpratio.db").open_scope(Scope("people", Budget(100)))
    return tmp_path


def dpratio(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from dpratio.cli.main import run; run()", *words]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str
) -> tuple[int, str]:
    monkeypatch.setattr(sys, "argv", ["dpratio", *words])
    with pytest.raises(SystemExit) as stopped:
        run()
    assert isinstance(stopped.value.code, int)
    return stopped.value.code, capsys.readouterr().err


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


def test_a_release_is_written_and_estimated(folder: Path) -> None:
    done = CliRunner().invoke(app, ["release", "study.toml", "-o", "r.json"])
    assert done.exit_code == 0, done.output
    assert "Written to r.json" in done.stdout
    words = ["estimate", "r.json", "--format", "json", "--scale", "log"]
    (row,) = json.loads(CliRunner().invoke(app, words).stdout)
    assert row["ci_lower"] < row["ratio"] < row["ci_upper"]
    assert row["ratio"] == pytest.approx(0.75, abs=0.2)
    assert (folder / "r.json").is_file()


def test_data_can_be_named_on_the_command_line(folder: Path) -> None:
    (folder / "people.csv").rename(folder / "others.csv")
    words = ["release", "study.toml", "--data", "others.csv", "-o", "r.json"]
    assert CliRunner().invoke(app, words).exit_code == 0


def test_the_monte_carlo_estimate_repeats_with_its_seed(folder: Path) -> None:
    assert folder.is_dir()
    CliRunner().invoke(app, ["release", "study.toml", "-o", "r.json"])
    words = ["estimate", "r.json", "--method", "monte_carlo", "--rng", "7"]
    first, second = (CliRunner().invoke(app, words).stdout for _ in range(2))
    assert first == second
    assert "monte_carlo" in first


def test_intervals_without_correction_are_called_too_narrow(folder: Path) -> None:
    assert folder.is_dir()
    CliRunner().invoke(app, ["release", "study.toml", "-o", "r.json"])
    words = ["estimate", "r.json", "--method", "no_correction"]
    assert "too narrow" in CliRunner().invoke(app, words).stdout


def test_an_empty_table_gives_noisy_zeros_and_an_explained_status(folder: Path) -> None:
    (folder / "people.csv").write_text("score,label\n", encoding="utf-8")
    assert dpratio("release", "study.toml", "-o", "r.json").returncode == 0
    shown = dpratio("estimate", "r.json")
    assert shown.returncode == 0
    assert "unbounded: the noisy denominator" in shown.stdout


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["plan", "none.toml"], 5, "FileRefused: 'none.toml' cannot be read"),
        (["estimate", "none.json"], 5, "FileRefused: 'none.json' cannot be read"),
        (["estimate", "study.toml"], 6, "study.toml: $: not valid JSON"),
        (["plan", "study.toml", "--format", "xml"], 3, "unknown format, got 'xml'"),
        (["release", "study.toml", "-o", "no/r.json"], 5, "cannot be written"),
        (["release", "study.toml", "-o", "."], 5, "is a folder"),
        (
            ["release", "study.toml", "-o", "r.json", "--engine", "spork"],
            3,
            "unknown engine, got 'spork'",
        ),
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
    folder: Path,
    words: list[str],
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = sorted(folder.iterdir())
    given, error = refused(monkeypatch, capsys, *words)
    assert given == code
    assert said in error
    assert sorted(folder.iterdir()) == before


def test_a_study_without_data_asks_for_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = STUDY.replace('[data]\npath = "people.csv"', "")
    (folder / "study.toml").write_text(text, encoding="utf-8")
    code, error = refused(monkeypatch, capsys, "release", "study.toml", "-o", "r.json")
    assert (code, "or with --data" in error) == (3, True)


def test_a_broken_study_is_refused_with_its_file_and_path(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = STUDY.replace("score = [0, 1]", "score = [1, 0]")
    (folder / "study.toml").write_text(text, encoding="utf-8")
    code, error = refused(monkeypatch, capsys, "plan", "study.toml")
    assert code == 6
    assert "study.toml: $.bounds.score: bounds must be finite and in order" in error


def test_a_study_that_is_not_text_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "study.toml").write_bytes(b"\xff\xfe")
    code, error = refused(monkeypatch, capsys, "plan", "study.toml")
    assert (code, "not UTF-8" in error) == (5, True)


def test_a_missing_column_is_told_and_nothing_is_written(folder: Path) -> None:
    (folder / "people.csv").write_text("score,lable\n0.5,1\n", encoding="utf-8")
    done = dpratio("release", "study.toml", "-o", "r.json")
    assert done.returncode == 4
    assert "column 'label' is not in the table. It has: score, lable" in done.stderr
    assert not (folder / "r.json").exists()


def test_bad_cells_change_neither_exit_code_nor_output_shape(folder: Path) -> None:
    clean = dpratio("release", "study.toml", "-o", "r.json")
    hostile = 'CANARY,1\n0.5\n"0.5,1\n1e999,1\nnan,1\n0.5,1,CANARY\n'
    with (folder / "people.csv").open("a", encoding="utf-8") as file:
        file.write(hostile)
    spoilt = dpratio("release", "study.toml", "-o", "r.json", "--force")
    assert (spoilt.returncode, spoilt.stderr) == (clean.returncode, clean.stderr)
    assert len(spoilt.stdout) == len(clean.stdout)
    assert "CANARY" not in spoilt.stdout + (folder / "r.json").read_text("utf-8")


def test_the_demo_shows_plan_and_truth_and_leaves_its_files(folder: Path) -> None:
    shown = CliRunner().invoke(app, ["demo", "--people", "2000"])
    assert shown.exit_code == 0, shown.output
    for words in ("Not covered", "truth", "intervals hold the invented truth"):
        assert words in shown.stdout
    assert {path.name for path in (folder / "demo").iterdir()} == {
        "people.parquet",
        "ledger.db",
        "report.html",
        "release.json",
        "study.toml",
    }
    estimated = CliRunner().invoke(app, ["estimate", "demo/release.json"]).stdout
    assert "SIMULATED" in estimated


def test_the_demo_speaks_other_formats(folder: Path) -> None:
    assert folder.is_dir()
    words = ["demo", "--people", "2000", "--format", "json"]
    rows = json.loads(CliRunner().invoke(app, words).stdout)
    assert [row["truth"] for row in rows] == [1.0, 1.05, 1.1, 1.2]


def test_a_demo_folder_that_cannot_be_made_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "demo").write_text("in the way", encoding="utf-8")
    code, error = refused(monkeypatch, capsys, "demo")
    assert (code, "'demo' cannot be written" in error) == (5, True)


def test_version_and_help_are_shown(folder: Path) -> None:
    assert folder.is_dir()
    assert CliRunner().invoke(app, ["--version"]).stdout == f"dpratio {__version__}\n"
    shown = CliRunner().invoke(app, ["--help"]).stdout
    for words in ("plan", "release", "estimate", "demo", "Exit codes", "completion"):
        assert words in shown


def test_help_loads_no_heavy_library() -> None:
    code = (
        "import sys\n"
        "sys.argv = ['dpratio', '--help']\n"
        "from dpratio.cli.main import run\n"
        "try:\n    run()\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'scipy', 'duckdb', 'pandas', 'altair'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


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


def test_release_files_of_the_demo_are_not_left_half_written(folder: Path) -> None:
    CliRunner().invoke(app, ["release", "study.toml", "-o", "r.json"])
    left = [path for path in folder.iterdir() if path.name.startswith(".dpratio")]
    assert not left
    assert stat.S_ISREG((folder / "r.json").stat().st_mode)


def test_an_existing_file_is_never_replaced_by_accident(folder: Path) -> None:
    words = ("release", "study.toml", "-o")
    for mine in ("people.csv", "study.toml"):
        kept = (folder / mine).read_bytes()
        for more in ((), ("--force",)):
            done = dpratio(*words, mine, *more)
            assert done.returncode == 5
            assert "exists and is no release" in done.stderr
        assert (folder / mine).read_bytes() == kept
    assert dpratio(*words, "r.json").returncode == 0
    first = (folder / "r.json").read_bytes()
    again = dpratio(*words, "r.json")
    assert again.returncode == 5
    assert "holds a release already" in again.stderr
    assert (folder / "r.json").read_bytes() == first
    assert dpratio(*words, "r.json", "--force").returncode == 0
    assert (folder / "r.json").read_bytes() != first


def test_data_stand_beside_their_study(folder: Path) -> None:
    (folder / "inner").mkdir()
    for name in ("study.toml", "people.csv"):
        (folder / name).rename(folder / "inner" / name)
    assert dpratio("release", "inner/study.toml", "-o", "r.json").returncode == 0
    text = STUDY.replace('path = "people.csv"', 'path = "people.csv"\ndelimiter = ","')
    (folder / "inner" / "study.toml").write_text(text, encoding="utf-8")
    assert dpratio("release", "inner/study.toml", "-o", "s.json").returncode == 0


def test_data_may_lie_in_a_database_beside_the_study(folder: Path) -> None:
    place = folder / "place"
    place.mkdir()
    own = sqlite3.connect(place / "people.db")
    own.execute("CREATE TABLE people (score REAL, label INTEGER)")
    own.executemany("INSERT INTO people VALUES (?, ?)", [(0.5, 1), (0.25, 0)] * 2000)
    own.execute(
        "CREATE VIEW all_people AS SELECT 2 * score AS score, label FROM people"
    )
    own.commit()
    own.close()
    there = 'url = "sqlite:///people.db"\ntable = "people"'
    study = STUDY.replace('path = "people.csv"', there)
    (place / "study.toml").write_text(study, encoding="utf-8")
    done = dpratio("release", "place/study.toml", "-o", "release.json")
    assert done.returncode == 0, done.stderr
    estimated = CliRunner().invoke(
        app, ["estimate", "release.json", "--format", "json"]
    )
    assert json.loads(estimated.stdout)[0]["ratio"] == pytest.approx(0.75, abs=0.05)
    study = study.replace('table = "people"', 'view = "all_people"')
    (place / "view.toml").write_text(study, encoding="utf-8")
    done = dpratio("release", "place/view.toml", "-o", "view.json")
    assert (done.returncode, done.stdout) == (4, "")
    assert "'all_people' is no table" in done.stderr
    assert len(Ledger("dpratio.db").account().releases) == 1


def test_the_package_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "dpratio", "--version"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout == f"dpratio {__version__}\n"


def test_a_message_does_not_steer_the_terminal(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    study = f'"\\u001b[2J\\nOK" = 1\n{STUDY}'
    (folder / "study.toml").write_text(study, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["dpratio", "plan", "study.toml"])
    with pytest.raises(SystemExit) as stopped:
        run()
    said = capsys.readouterr().err
    assert stopped.value.code == 6
    assert r"unknown field '\x1b[2J\nOK'" in said
    assert said.count("\n") == 1
