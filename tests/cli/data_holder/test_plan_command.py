"""`dpratio plan`: what is shown of a study, and what is without data."""

import json
from pathlib import Path

import pytest

from cli.commands_for_tests import STUDY, Call, flowing, is_refused, shown
from cli.on_a_terminal import on_a_terminal

pytestmark = pytest.mark.usefixtures("folder")


def test_a_plan_is_shown_without_opening_the_data(folder: Path) -> None:
    (folder / "people.csv").unlink()
    said = shown("plan", "study.toml")
    for words in (
        "Strategy focused, mechanism laplace",
        "Measured around the guess 1: z = (s − 1·y), h = (s + 1·y).",
        "Σ z·h",
        "epsilon 2",
        "Not covered",
        "noise_sd",
    ):
        assert words in said


def test_a_plan_of_the_papers_sums_is_shown_where_the_study_asks_for_it(
    folder: Path,
) -> None:
    asked = STUDY + 'strategy = "even"\nmechanism = "laplace"\n'
    (folder / "study.toml").write_text(asked, encoding="utf-8")
    said = shown("plan", "study.toml")
    for words in ("Σ y·s", "Strategy even, mechanism laplace", "Σ 1"):
        assert words in said


OWN = """
[ratio]
numerator = "delay"
per = "trips"

[bounds]
delay = [0, 60]
trips = [0, 1]

[unit]
column = "traveller"
totals = { delay = [0, 1200], trips = [0, 40] }
most_groups = 3

[[groups]]
column = "carrier"
keys = ["red", "blue"]

[[groups]]
column = "month"
keys = [1, 2, 3]
totals = { delay = [0, 150], trips = [0, 6] }

[privacy]
epsilon = 1

[population]
n = 5000
numerator = { mean = 400, sd = 200 }
per = { mean = 20, sd = 9 }
"""


def test_a_plan_says_how_groups_count_people_and_whom_a_guess_is_about(
    folder: Path,
) -> None:
    (folder / "study.toml").write_text(OWN, encoding="utf-8")
    said = flowing("plan", "study.toml")
    for words in (
        "counted in at most 3 groups",
        "Totals of one traveller in each group of question 1, within: delay 0 to 1200",
        "Totals of one traveller in each group of question 2, within: delay 0 to 150",
        "with the study's guess.",
        "by what they are like: the study's guess is about the totals of [unit].",
    ):
        assert words in said
    both = flowing("forecast", "study.toml")
    assert "not about those of 'delay per trips by month': there, ranges go" in both
    first = flowing("forecast", "study.toml", "--question", 1)
    assert "guessed ratio of 20" in first


def test_a_ratio_that_follows_from_the_people_is_the_guess(folder: Path) -> None:
    (folder / "study.toml").write_text(OWN, encoding="utf-8")
    assert "Measured around the guess 20: " in flowing("plan", "study.toml")


def planned(layout: str) -> str:
    return shown("plan", "study.toml", "--format", layout)


def test_csv_holds_the_table_alone() -> None:
    said = planned("csv")
    assert "Not covered" not in said
    assert said.startswith("sum,sensitivity,noise_sd,share\nΣ z,")


def test_json_holds_the_terms_and_a_list_of_sums() -> None:
    said = json.loads(planned("json"))
    sums = [row["sum"] for row in said["sums"]]
    assert sums == ["Σ z", "Σ h", "Σ z·z", "Σ z·h", "Σ h·h", "Σ c"]
    (asked,) = said["asked"]
    assert asked.startswith("Asked: Σ score / Σ label")
    assert said["bounds"] == {"score": "0 to 1", "label": "0 or 1"}
    assert said["protected"][0].startswith("Protected: one row, added or removed")
    assert said["cost"] == {"epsilon": "2", "delta": "0"}
    assert len(said["not_covered"]) == 2
    assert len(said["plan_hash"]) == 64
    (expected,) = said["notes"]
    assert expected.startswith("Expected: intervals ")


def test_markdown_says_around_the_table_what_an_officer_reads() -> None:
    lines = planned("markdown").splitlines()
    table = next(at for at, line in enumerate(lines) if line.startswith("| sum"))
    above, below = "\n".join(lines[:table]), "\n".join(lines[table:])
    assert "- Protected: one row" in above
    assert "Cost: epsilon 2, delta 0." in above
    assert "- Expected: intervals " in below
    assert below.count("- Not covered: ") == 2


def test_a_plan_says_what_a_delta_would_be_worth(folder: Path) -> None:
    """Twelve months of one person: Gaussian noise adds up by squares."""
    assert "A delta of 1e-6" not in planned("table")
    asked = STUDY.replace("epsilon = 2", "epsilon = 0.2")
    asked += f'[groups]\ncolumn = "month"\nkeys = {list(range(12))}\n'
    asked += '[unit]\ncolumn = "id"\nmost_groups = 12\n'
    asked += "totals = { score = [0, 1], label = [0, 1] }\n"
    (folder / "study.toml").write_text(asked, encoding="utf-8")
    assert "A delta of 1e-6 beside epsilon would make them some " in planned("table")


def test_an_epsilon_of_ten_draws_a_note(folder: Path) -> None:
    for epsilon, said in (("9.9", 0), ("10", 1)):
        asked = STUDY.replace("epsilon = 2", f"epsilon = {epsilon}")
        (folder / "study.toml").write_text(asked, encoding="utf-8")
        assert planned("table").count("Note: epsilon 10 is large.") == said


@pytest.mark.parametrize(
    ("delta", "people", "said"),
    [
        ("1e-6", 10_000, ""),
        ("2e-4", 1_000, ""),
        ("2e-4", 10_000, "Note: delta 0.0002 is large for 10,000 rows."),
        ("0.001", 10, "Note: delta 0.001 is large. It is the probability"),
        ("0.01", 10_000, "Note: delta 0.01 is large. It is the probability"),
    ],
)
def test_a_large_delta_draws_one_note(
    folder: Path, delta: str, people: int, said: str
) -> None:
    asked = f'{STUDY}delta = {delta}\nmechanism = "analytic_gaussian"\n'
    asked += f"[population]\nn = {people}\nnumerator = {{ mean = 0.5, sd = 0.2 }}\n"
    asked += "per = { mean = 0.5 }\ncorrelation = 0.2\n"
    (folder / "study.toml").write_text(asked, encoding="utf-8")
    printed = planned("table")
    assert said in printed
    assert printed.count("Note: ") == (1 if said else 0)


def test_a_broken_study_is_refused_with_its_file_and_path(
    folder: Path, call: Call
) -> None:
    text = STUDY.replace("score = [0, 1]", "score = [1, 0]")
    (folder / "study.toml").write_text(text, encoding="utf-8")
    code, _, error = call("plan", "study.toml")
    assert code == 6
    assert "study.toml: $.bounds.score: bounds must be two finite numbers" in error


def test_a_study_that_is_not_text_is_refused(folder: Path, call: Call) -> None:
    (folder / "study.toml").write_bytes(b"\xff\xfe")
    assert is_refused(call("plan", "study.toml"), 5, "not UTF-8")


def test_a_terminal_gets_a_drawn_table(folder: Path) -> None:
    code, said = on_a_terminal(folder, "", "plan", "study.toml")
    assert (code, "─" in said) == (0, True)


def test_a_message_does_not_steer_the_terminal(folder: Path, call: Call) -> None:
    study = f'"\\u001b[2J\\nOK" = 1\n{STUDY}'
    (folder / "study.toml").write_text(study, encoding="utf-8")
    code, _, said = call("plan", "study.toml")
    assert code == 6
    assert r"unknown field '\x1b[2J\nOK'" in said
    assert said.count("\n") == 1


def test_a_plan_ends_with_its_hash_and_says_where_bounds_come_from(
    folder: Path,
) -> None:
    text = STUDY + '[bounds_from]\nscore = "a score lies between 0 and 1"\n'
    (folder / "study.toml").write_text(text, encoding="utf-8")
    hashed = json.loads(planned("json"))["plan_hash"]
    for layout in ("table", "markdown"):
        said = " ".join(planned(layout).split())
        assert "Bounds of score come from: a score lies between 0 and 1" in said
        assert said.endswith(f"Plan {hashed}.")
    assert hashed not in planned("csv")


def test_those_who_are_protected_are_called_by_their_noun(folder: Path) -> None:
    unit = '[unit]\ncolumn = "user"\nnoun = "aircraft"\n'
    totals = "totals = { delay = [0, 1200], trips = [0, 40] }\n"
    study = OWN.partition("[unit]")[0] + unit + totals
    study += '[groups]\ncolumn = "airport"\nfind = { epsilon = 2, delta = 0.01 }\n'
    study += "[privacy]\nepsilon = 20\ndelta = 0.1\n[population]\nn = 500\n"
    (folder / "study.toml").write_text(study, encoding="utf-8")
    plan = flowing("plan", "study.toml")
    assert "key of airport that enough aircraft share" in plan
    assert "for 500 aircraft per answer" in plan
    assert "one of the aircraft may change" in plan
    assert "the number of aircraft, such as 1e-6" in plan
    assert "Cuts of" in plan
    assert "people" not in plan
