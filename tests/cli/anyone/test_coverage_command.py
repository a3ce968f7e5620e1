import csv
import json
from pathlib import Path
from typing import Any

import pytest

from cli.commands_for_tests import Call, is_refused, refusal, shown

STUDY = """
[ratio]
numerator = "score"
per = "label"
weight = "weight"

[bounds]
score = [0, 1]
label = "binary"
weight = [0.25, 3]

[privacy]
epsilon = 1
delta = 1e-6

[population]
numerator = { mean = 0.5, sd = 0.22 }
per = { mean = 0.45 }
weight = { mean = 1.0, sd = 0.6 }
correlation = 0.4
"""

KEYS = {
    *("table", "mechanism", "link", "weighted", "n", "epsilon", "method", "agrees"),
    *("width", "width_paper", "coverage", "coverage_paper", "score", "score_paper"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    return tmp_path


def rows_of(*words: object) -> list[dict[str, Any]]:
    return list(json.loads(shown("coverage", *words, "--format", "json")))


@pytest.mark.slow
def test_the_papers_tables_are_printed_written_and_counted(folder: Path) -> None:
    files = ("--json", "t.json", "--csv", "t.csv", "--chart", "t.svg")
    said = shown("coverage", "paper", "--seed", 4, *files)
    assert said.splitlines()[-1] == "208 of 208 cells agree"
    rows = json.loads((folder / "t.json").read_text("utf-8"))
    assert len(rows) == 208
    assert set(rows[0]) >= KEYS
    with (folder / "t.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 208
    assert (folder / "t.svg").read_text("utf-8").startswith("<svg")


def test_a_study_is_simulated_in_its_own_setting() -> None:
    sizes = ("--n", 500, "--n", 1000, "--epsilon", 0.5, "--epsilon", 2)
    noise = ("--mechanism", "laplace", "--mechanism", "analytic_gaussian")
    words = ("--method", "analytical", "--link", "log", "--against", "same")
    rows = rows_of("study.toml", *sizes, *noise, *words, "--reps", 60)
    assert len(rows) == 8
    assert {row["epsilon"] for row in rows} == {0.5, 2.0}
    assert all(0 <= row["rejected"] <= 1 for row in rows)


def test_power_against_a_ratio_is_given() -> None:
    rows = rows_of("study.toml", "--n", 4000, "--reps", 60, "--against", 1)
    assert [row["method"] for row in rows] == ["public", "analytical", "pivot"]
    assert rows[0]["rejected"] > 0.9


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("coverage paper --reps 1", 3, "repetitions must be at least 2, got 1"),
        ("coverage paper --json no/t.json", 5, "'no/t.json' cannot be written"),
        ("coverage paper --chart t.gif", 3, "unknown kind of chart, got 't.gif'"),
        ("coverage none.toml --n 5", 5, "'none.toml' cannot be read"),
        ("coverage study.toml", 3, "Try --n 5000"),
        ("coverage paper --n 5", 3, "--n does not apply to 'paper'"),
        ("coverage study.toml --n 5 --against x", 3, "a ratio or 'same', got 'x'"),
        ("coverage study.toml --n 5 --epsilon 0", 3, "epsilon must be positive"),
        ("coverage study.toml --n 5 --method magic", 3, "unknown method"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing_behind(
    folder: Path, words: str, code: int, said: str, call: Call
) -> None:
    assert is_refused(call(*words.split()), code, said)
    assert [path.name for path in folder.iterdir()] == ["study.toml"]


def test_impossible_moments_are_refused(folder: Path) -> None:
    text = STUDY.replace("sd = 0.22", "sd = 0.9")
    (folder / "study.toml").write_text(text, encoding="utf-8")
    error = refusal("coverage", "study.toml", "--n", 50)
    assert "must lie between 0 and 0.5" in str(error)


def test_a_study_without_a_population_is_asked_for_one(folder: Path) -> None:
    text = STUDY.split("[population]", maxsplit=1)[0]
    (folder / "study.toml").write_text(text, encoding="utf-8")
    error = refusal("coverage", "study.toml", "--n", 50)
    assert "Add a table [population]" in str(error)


OWN = """
[ratio]
numerator = "score"
per = "label"

[bounds]
score = [0, 1]
label = "binary"

[unit]
column = "id"
totals = { score = [0, 3], label = [0, 3] }

[[groups]]
column = "region"
keys = ["north", "south"]
totals = { score = [0, 1] }

[[groups]]
column = "month"
keys = [1, 2]

[privacy]
epsilon = 1

[population]
numerator = { mean = 1, sd = 0.4 }
per = { mean = 1, sd = 0.4 }
"""


def test_questions_about_other_totals_are_simulated_by_themselves(
    folder: Path, call: Call
) -> None:
    (folder / "study.toml").write_text(OWN, encoding="utf-8")
    done = call("coverage", "study.toml", "--n", "50")
    assert is_refused(done, 3, "is about one kind of totals")
