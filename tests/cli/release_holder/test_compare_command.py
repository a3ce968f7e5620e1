"""The command that compares: pairs, values, margins, homogeneity, formats."""

import json
from functools import partial
from pathlib import Path

import pytest

from analyst.given import given_release
from analyst.regions import cells_for, people, plan_of, regions_release
from cli import commands_for_tests
from cli.commands_for_tests import Call, is_refused
from dpratio.release.files import write_release
from dpratio.terms.groups import Groups, Keys

ROWS = [people(4000, ratio, seed) for seed, ratio in enumerate((1.3, 1.1, 1.1))]
shown = partial(commands_for_tests.shown, "compare")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("compare")
    write_release(regions_release(ROWS, 2), folder / "r.json")
    return str(folder / "r.json")


def test_two_groups_are_compared_in_words_and_a_table(path: str) -> None:
    text = shown(path, "north", "south")
    assert text.startswith("north is ")
    assert "% above south, 95 % interval" in text
    assert "Tests are two-sided" in text
    assert "statistic" in text


@pytest.mark.parametrize("layout", ["csv", "json", "markdown"])
def test_other_formats_hold_the_table_alone(path: str, layout: str) -> None:
    text = shown(path, "north", "south", "--format", layout)
    assert "interval" not in text
    if layout == "json":
        (row,) = json.loads(text)
        assert row["first"] == "north"
        assert row["ci_lower"] < row["estimate"] < row["ci_upper"]
        assert row["status"] == "ok"


def test_options_are_those_of_python(path: str) -> None:
    words = ["--link", "difference", "--link", "lift", "--adjust", "holm"]
    words += ["--alternative", "greater", "--level", "0.9", "--format", "json"]
    rows = json.loads(shown(path, *words))
    assert len(rows) == 6
    assert {row["alternative"] for row in rows} == {"greater"}
    assert rows[0]["adjust"] == "holm"
    assert rows[0]["ci_upper"] is None
    held = json.loads(shown(path, "south", "--design", "baseline", "--format", "json"))
    assert [row["second"] for row in held] == ["south", "south"]
    rest = json.loads(shown(path, "--design", "rest", "--format", "json"))
    assert {row["second"] for row in rest} == {"(rest)"}
    one = json.loads(shown(path, "--reference", "1", "--format", "json"))
    assert [row["reference"] for row in one] == [1.0, 1.0, 1.0]


def test_margins_and_homogeneity_are_asked_for_by_options(path: str) -> None:
    text = shown(path, "--lower", "0.95", "--upper", "1.2")
    assert text.startswith("overall ")
    assert "verdict" in text
    assert shown(path, "--homogeneity").startswith("one ratio, ")


def test_two_questions_at_once_are_refused(path: str, call: Call) -> None:
    words = (path, "--homogeneity", "--reference", "1")
    assert is_refused(call("compare", *words), 3, "Ask one thing at a time")


def test_an_unknown_group_is_one_line(path: str, call: Call) -> None:
    code, _, said = call("compare", path, "nort", "south")
    assert code == 3
    assert said.startswith("InvalidInput: no such group, got 'nort'. Did you mean")


def test_keys_that_are_not_text_are_written_as_they_are_shown(tmp_path: Path) -> None:
    groups = Groups.cross(Keys("state", ["CA"]), Keys("year", [1, 2, 3]))
    plan = plan_of(groups, epsilon=2)
    file = tmp_path / "r.json"
    write_release(given_release(plan, cells_for(plan, ROWS)), file)
    assert shown(file, "CA, 1", "CA, 3").startswith("CA, 1 is ")


def test_a_comparison_is_drawn(path: str, tmp_path: Path) -> None:
    chart = tmp_path / "chart.svg"
    shown(path, "north", "south", "--chart", chart)
    assert "north against south" in chart.read_text(encoding="utf-8")
