"""Advice of the library, in the words of the command line."""

from pathlib import Path

import pytest

from analyst.given import given_release
from analyst.regions import BOUNDS, cells_for, people, plan_of, regions_release
from cli.commands_for_tests import Call, is_refused
from dpratio.cli.words import in_options
from dpratio.release.files import write_release
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Groups, Keys, Periods
from dpratio.terms.ratio import Ratio

ROWS = [people(400, ratio, seed) for seed, ratio in enumerate((1.3, 1.1))]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("say question=1 or question=12.", "say --question 1 or --question 12."),
        ("With one group say design='rest'.", "With one group say --design rest."),
        ("Say which: bins='my score'.", "Say which: --bins 'my score'."),
        ("say reference=1 for instance.", "say --reference 1 for instance."),
        ("Give lower=0.95 and upper=1.05.", "Give --lower 0.95 and --upper 1.05."),
        ("Say units_are_disjoint=True if so.", "Say --units-are-disjoint if so."),
        ("or say replace=True to replace it.", "or say --force to replace it."),
        ("no such group, got 'part=0'.", "no such group, got 'part=0'."),
        ("Plan Ratio('a', minus='b', per=…).", "Plan Ratio('a', minus='b', per=…)."),
    ],
)
def test_arguments_become_options_and_what_was_given_stays(
    said: str, shown: str
) -> None:
    assert in_options(said) == shown


def test_questions_are_counted_from_1_in_messages_of_commands(
    tmp_path: Path, call: Call
) -> None:
    asked = [Ratio("score", per="label"), Ratio("old", per="label")]
    groups = Groups.cross(Keys("region", ["north", "south"]))
    plan = plan_of(groups, bounds={**BOUNDS, "old": Bounds(0, 1)}, ratio=asked)
    release = given_release(plan, cells_for(plan, ROWS), cells_for(plan, ROWS, 1))
    write_release(release, tmp_path / "r.json")
    code, _, said = call("compare", str(tmp_path / "r.json"), "north", "south")
    assert code == 3
    assert "say which: --question 1 (score per label by region)" in said
    assert "part=" not in said


def test_designs_and_bins_are_asked_for_as_a_command_takes_them(
    tmp_path: Path, call: Call
) -> None:
    file = str(tmp_path / "r.json")
    write_release(regions_release(ROWS, 2), tmp_path / "r.json")
    _, _, said = call("compare", file, "north")
    assert "say --design baseline or --design rest." in said
    code, _, said = call("curve", file)
    assert code == 3
    assert 'in a study [groups] column = "score" and bins = 10' in said
    assert "got []" not in said


def test_a_month_needs_no_day_where_groups_are_months(
    tmp_path: Path, call: Call
) -> None:
    for every, last in (("month", "2026-02-01"), ("day", "2026-01-02")):
        plan = plan_of(Groups.cross(Periods("seen", every, "2026-01-01", last)))
        file = tmp_path / f"{every}.json"
        write_release(given_release(plan, cells_for(plan, ROWS)), file)
    code, text, _ = call("compare", str(tmp_path / "month.json"), "2026-01", "2026-02")
    assert code == 0
    assert text.startswith("2026-01-01 is ")
    done = call("compare", str(tmp_path / "day.json"), "2026-01", "2026-02")
    assert is_refused(done, 3, "Did you mean '2026-01-01'?")


@pytest.mark.parametrize(
    ("command", "name", "said"),
    [
        ("estimate", "study.toml", "is no release: by its name it is a study (TOML)."),
        ("estimate", "people.csv", "is no release: by its name it is a table (CSV)."),
        ("plan", "people.csv", "is no study: by its name it is a table (CSV)."),
    ],
)
def test_a_file_of_another_kind_is_told_by_its_name(
    folder: Path, command: str, name: str, said: str, call: Call
) -> None:
    assert folder.is_dir()
    code, _, error = call(command, name)
    assert code == 6
    assert f"'{name}' {said}" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        *(("estimate",), ("compare",), ("curve",), ("report",), ("watch",)),
        *(("merge", "-o", "all.json"), ("roll-up", "-o", "all.json")),
    ],
)
def test_a_file_that_is_no_release_is_named(
    words: tuple[str, ...], folder: Path, call: Call
) -> None:
    (folder / "bad.json").write_text("{}", encoding="utf-8")
    assert is_refused(call(*words, "bad.json"), 6, "DocumentRefused: bad.json: ")


def test_who_approves_is_asked_for_by_that_word(call: Call) -> None:
    assert "Who approves" in call("ledger", "approve", "--help")[1]
    for command in ("plan", "forecast", "coverage"):
        assert "{STUDY}" in call(command, "--help")[1]
    assert "{RELEASE} [GROUP]..." in call("compare", "--help")[1]
