"""`dpratio forecast` and `dpratio coverage limit`, run as a user runs them."""

import json
import re
from pathlib import Path

import pytest

from cli.commands_for_tests import QUESTION, flowing, shown
from dpratio.errors import InvalidInput

STUDY = f"""
{QUESTION}
[privacy]
epsilon = 1.0
delta = 1e-6

[population]
n = 2000
numerator = {{ mean = 0.5, sd = 0.22 }}
per = {{ mean = 0.45 }}
correlation = 0.4
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(STUDY, encoding="utf-8")
    return path


def test_a_forecast_says_what_is_needed_and_that_nothing_was_spent(
    study: Path,
) -> None:
    said = flowing("forecast", study, "--width", 0.1)
    assert "No data were read and nothing was spent" in said
    assert "people at epsilon 1" in said
    assert "With 2,000 people it needs epsilon" in said


def test_what_cannot_be_had_is_said(study: Path) -> None:
    said = shown("forecast", study, "--n", 500, "--width", 0.01)
    assert "With 500 people no epsilon gives it" in said
    none = shown("forecast", study, "--width", 1e-9)
    assert "No number of people gives a width" in none


def test_a_forecast_is_written_and_drawn(study: Path, tmp_path: Path) -> None:
    files = [tmp_path / f"forecast.{kind}" for kind in ("json", "csv", "svg")]
    words = ["--json", files[0], "--csv", files[1], "--chart", files[2]]
    sizes = ["--n", 500, "--n", 5000, "--epsilon", "0.5", "--epsilon", "2"]
    rows = json.loads(shown("forecast", study, *sizes, *words, "--format", "json"))
    assert [(row["n"], row["epsilon"]) for row in rows] == [
        (500, 0.5),
        (500, 2.0),
        (5000, 0.5),
        (5000, 2.0),
    ]
    assert json.loads(files[0].read_text(encoding="utf-8")) == rows
    assert files[1].read_text(encoding="utf-8").count("\n") >= 4
    assert files[2].read_text(encoding="utf-8").startswith("<svg")


def test_without_a_population_the_plan_and_the_forecast_say_what_they_assume(
    tmp_path: Path,
) -> None:
    path = tmp_path / "bare.toml"
    path.write_text(STUDY.split("[population]", maxsplit=1)[0], encoding="utf-8")
    assert "by what they are like: nobody described them" in flowing("plan", path)
    said = flowing("forecast", path, "--n", 2000, "--width", 0.8)
    assert "Nobody described the people: ranges go over a family" in said
    assert "width_low" in said
    assert re.search(r"needs [\d,]+ to [\d,]+ people at epsilon 1, by what the", said)
    assert re.search(r"it needs epsilon [\d.]+ to [\d.]+, by what the people", said)
    few = flowing("forecast", path, "--n", 500, "--width", 0.1)
    assert re.search(r"epsilon [\d.]+ or more, by what .* for some no epsilon", few)


def test_sums_that_hang_on_the_people_have_no_forecast_without_them(
    tmp_path: Path,
) -> None:
    path = tmp_path / "bare.toml"
    bare = STUDY.split("[population]", maxsplit=1)[0] + 'strategy = "joint"\n'
    path.write_text(bare, encoding="utf-8")
    said = flowing("plan", path)
    assert "of unknown width. What joint sums give" in said
    with pytest.raises(InvalidInput, match=r"\[population\] in the study"):
        shown("forecast", path)


def test_the_plan_of_several_ratios_gives_a_range_for_each(tmp_path: Path) -> None:
    path = tmp_path / "two.toml"
    other = '[[ratio]]\nnumerator = "score"\nper = "visits"\n'
    bounds = 'visits = "binary"\n'
    text = STUDY.replace("[ratio]", f"{other}[[ratio]]")
    path.write_text(text.replace("[bounds]\n", f"[bounds]\n{bounds}"), encoding="utf-8")
    said = shown("plan", path)
    assert said.count("Expected, ") == 2
    assert said.count("the study's guess is about one ratio of several") == 2


def test_where_most_intervals_have_no_end_the_plan_says_so(study: Path) -> None:
    text = study.read_text(encoding="utf-8")
    few = text.replace("n = 2000", "n = 3").replace("epsilon = 1.0", "epsilon = 0.01")
    study.write_text(few, encoding="utf-8")
    assert "intervals mostly without an end for 3 rows" in shown("plan", study)
    bare = few.split("numerator = { mean", maxsplit=1)[0]
    study.write_text(bare, encoding="utf-8")
    assert "intervals mostly without an end for 3 rows" in shown("plan", study)
    study.write_text(bare.replace("n = 3", "n = 4000"), encoding="utf-8")
    assert "wide to without an end for 4,000 rows" in shown("plan", study)


def test_the_plan_says_how_wide_intervals_will_be(study: Path) -> None:
    said = shown("plan", study)
    assert "wide for 2,000 rows per answer" in said
    assert "with the study's guess" in said


def test_the_limit_prints_every_setting_and_writes_the_named_columns(
    tmp_path: Path,
) -> None:
    file = tmp_path / "limit.json"
    shown("coverage", "limit", "--reps", 20, "--seed", 1, "--json", file)
    rows = json.loads(file.read_text(encoding="utf-8"))
    assert len(rows) == 64
    assert set(rows[0]) >= {
        *("mechanism", "link", "weighted", "n", "epsilon", "coverage"),
        *("width", "one_query_width", "width_over_one_query", "score", "score_paper"),
    }


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["limit", "--n", "5"], "--n does not apply to 'limit', only to a study"),
    ],
)
def test_options_that_would_be_ignored_are_refused(
    words: list[str], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        shown("coverage", *words)


@pytest.mark.slow
def test_a_year_of_looks_is_priced_under_each_accounting(study: Path) -> None:
    lines = shown("forecast", study, "--looks", 52).splitlines()
    rows = json.loads(shown("forecast", study, "--looks", 52, "--format", "json"))
    assert [row["accounting"] for row in rows] == [
        *("basic", "zcdp", "gdp"),
        "people are new",
    ]
    assert rows[0]["epsilon_of_all"] == pytest.approx(52)
    assert max(len(line) for line in lines[-5:]) <= 80
    with pytest.raises(InvalidInput, match="a question of its own"):
        shown("forecast", study, "--looks", 52, "--width", 0.1)


def test_the_power_of_a_test_of_calibration_is_told_by_kind_of_plan(
    study: Path,
) -> None:
    text = study.read_text(encoding="utf-8")
    bins = '[[groups]]\ncolumn = "score"\nbins = 5\n'
    study.write_text(text + bins, encoding="utf-8")
    words = ["--calibration", 1.5, "--n", 300]
    said = flowing("forecast", study, *words)
    assert "labels are 1.5 times as frequent as scores say" in said
    assert "300 people in all bins together" in said
    assert "No data were read and nothing was spent" in said
    rows = json.loads(shown("forecast", study, *words, "--format", "json"))
    kinds = ["ratio", "ratio, means", "ratio, calibration"]
    assert [each["answers"] for each in rows] == kinds
    assert rows[2]["power"] > 0.5
    with pytest.raises(InvalidInput, match="--calibration is a question of its own"):
        shown("forecast", study, *words, "--looks", 3)
    with pytest.raises(InvalidInput, match="with one --n"):
        shown("forecast", study, *words, "--n", 400)
