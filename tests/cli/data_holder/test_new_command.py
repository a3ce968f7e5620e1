"""A study that is written by questions plans, checks and releases."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cli.commands_for_tests import Call, is_refused
from dpratio.release.files import read_release
from dpratio.terms.study_file import read_study

BOUNDS = (
    *("--bounds", "score=natural 0,1: a probability"),
    *("--bounds", "label=binary: paid back or not"),
)
TOTALS = (
    *("--totals", "score=0,5: five loans at most"),
    *("--totals", "label=0,5: five loans at most"),
)
RATIO = ("--numerator", "score", "--per", "label")
COST = ("--n", "2000", "--epsilon", "0.5")
PARQUET = ("--data", "people.parquet")
ALL = ("new", "mine.toml", *PARQUET, *RATIO, *BOUNDS, *COST)


@pytest.fixture
def people(folder: Path) -> Path:
    """The folder, with people in a Parquet file too."""
    columns = {
        "score": [0.25, 0.5, 0.75, 1.0] * 500,
        "label": [0, 1, 1, 1] * 500,
        "zip code": ["1010", "1020"] * 1000,
        "person": list(range(1000)) * 2,
    }
    pq.write_table(pa.table(columns), folder / "people.parquet")
    return folder


@pytest.mark.parametrize(
    ("words", "groups"),
    [
        ((), 1),
        (("--groups", "none", "--protect", "rows"), 1),
        (("--groups", "zip code=1010,1020"), 2),
        (("--groups", "person=1,2"), 2),
        (("--protect", "person", *TOTALS, "--groups", "zip code = 1010"), 1),
    ],
)
def test_what_is_written_plans_checks_and_releases(
    words: tuple[str, ...], groups: int, people: Path, call: Call
) -> None:
    code, out, error = call(*ALL, *words)
    assert (code, error) == (0, "")
    assert "score (DOUBLE)" in out
    assert "width_low" in out
    study = read_study(people / "mine.toml")
    assert study.n == 2000
    text = (people / "mine.toml").read_text(encoding="utf-8")
    assert 'score = "a probability' in text
    assert text.count("\n# ") + 1 == text.count("\n[")
    for command in (
        ("plan", "mine.toml"),
        ("check", "mine.toml", "--no-ledger"),
        ("release", "mine.toml", "-o", "mine.json", "--no-ledger"),
    ):
        assert call(*command)[0] == 0
    (question,) = read_release("mine.json").questions
    assert len(question.keys) == groups
    assert is_refused(call(*ALL), 5, "mine.toml")


def test_a_csv_file_is_not_opened_for_its_first_line_may_be_a_person(
    folder: Path, call: Call
) -> None:
    (folder / "people.csv").write_text("0.5,1\n0.25,0\n", encoding="utf-8")
    words = ("new", "mine.toml", "--data", "people.csv", *RATIO, *BOUNDS, *COST)
    code, out, error = call(*words)
    assert (code, out) == (3, "")
    assert "may be a person" in error
    assert "0.5" not in error
    assert call(*words, "--header")[0] == 3
    assert call(*words, "--columns", "score, label")[0] == 0
    assert 'columns = ["score", "label"]' in Path("mine.toml").read_text("utf-8")
    assert call("release", "mine.toml", "-o", "r.json", "--no-ledger")[0] == 0
    (folder / "people.csv").unlink()
    again = ("--columns", "score,label", "--header", "--force")
    assert call(*words, *again)[0] == 0
    assert "columns = " not in Path("mine.toml").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--numerator", "scores"), "no such column; they have score, label"),
        (("--protect", "nobody"), "no such column"),
        (("--protect", "person"), "a study needs --totals"),
        (("--groups", "region=north"), "no such column"),
        (("--groups", "person"), "groups are a column and its keys"),
        (("--bounds", "score=0,1"), "bounds must say where they come from"),
        (("--bounds", "score=0:so"), "bounds are two numbers or binary"),
        (("--bounds", "score=a,b:so"), "bounds are two numbers or binary"),
        (("--bounds", "score=1,0:so"), "the smaller first"),
        (("--n", "0"), "a whole number above 0"),
        (("--epsilon", "-1"), "epsilon"),
        (("--columns", "score,label"), "are about CSV files"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    words: tuple[str, ...], said: str, people: Path, call: Call
) -> None:
    code, _, error = call(*ALL, *words)
    assert code in {3, 6, 7}
    assert said in error
    assert not (people / "mine.toml").exists()


@pytest.mark.usefixtures("people")
def test_without_a_terminal_what_is_missing_is_named(call: Call) -> None:
    for left_out in ("--numerator", "--n", "--epsilon"):
        at = ALL.index(left_out)
        done = call(*ALL[:at], *ALL[at + 2 :])
        assert is_refused(done, 3, f"a study needs {left_out}")


def test_on_a_terminal_it_asks_six_questions(people: Path) -> None:
    bounds = ("0,1", "0,1: a chance", "binary: by law")  # The first says no reason.
    answers = ("", "score", "label", *bounds, "", "900", "1")
    ours, theirs = pty.openpty()
    os.write(ours, "".join(f"{each}\n" for each in answers).encode())
    run = "from dpratio.cli.main import run; run()"
    command = [sys.executable, "-c", run, "new", "mine.toml", *PARQUET]
    done = subprocess.run(
        command, cwd=people, stdin=theirs, capture_output=True, check=True
    )
    os.close(theirs)
    for number in range(1, 7):
        assert f"{number}. " in done.stderr.decode()
    assert "bounds must say where they come from" in done.stderr.decode()
    assert read_study(people / "mine.toml").n == 900


def test_the_reason_of_a_total_that_is_counted_is_kept(
    people: Path, call: Call
) -> None:
    words = ("--numerator", "score", "--per", "rows", "--protect", "person")
    totals = ("--totals", "score=0,5: few", "--totals", "rows=0,5: five loans")
    code, *_ = call("new", "mine.toml", *PARQUET, *words, *BOUNDS[:2], *totals, *COST)
    assert code == 0
    told = read_study(people / "mine.toml").bounds_from
    assert told == {"score": "a probability; its total: few", "rows": "five loans"}
