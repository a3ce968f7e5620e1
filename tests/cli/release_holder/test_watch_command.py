"""The command that watches a ratio over time."""

import json
from functools import cache, partial
from pathlib import Path

import pytest

import dpratio as dpr
from analyst.watch.weeks_for_tests import plan_of_weeks, release_of, weekly_plan
from cli import commands_for_tests
from cli.commands_for_tests import refusal
from dpratio.errors import InvalidInput

pytestmark = pytest.mark.usefixtures("fixed_noise")

BAND = ("--within", "0.95", "1.05")
NEW = "--people-are-new"
shown = partial(commands_for_tests.shown, "watch")


@cache
def year() -> dpr.Release:
    return release_of(plan_of_weeks(), ratios=(1.0, 1.0, 1.0, 1.35), people=1500)


@cache
def weeks() -> tuple[dpr.Release, ...]:
    plan = weekly_plan(groups=None)
    return tuple(release_of(plan, week, people=900) for week in range(3))


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    paths = [tmp_path / f"week-{at:02d}.json" for at in range(1, 4)]
    for path, release in zip(paths, weeks(), strict=True):
        dpr.write_release(release, path)
    return [str(path) for path in paths]


@pytest.fixture
def file(tmp_path: Path) -> str:
    dpr.write_release(year(), tmp_path / "year.json")
    return str(tmp_path / "year.json")


def table(text: str) -> list[str]:
    """The lines after the sentences."""
    return text.split("\n\n", 1)[1].splitlines()


def test_releases_are_named_by_their_files_and_fit_80_columns(files: list[str]) -> None:
    lines = table(shown(*files, *BAND, NEW))
    assert lines[0].split() == [
        *("period", "ratio", "ci_lower", "ci_upper"),
        *("running", "cs_lower", "cs_upper", "alarm"),
    ]
    assert [line.split()[0] for line in lines[2:]] == ["week-01", "week-02", "week-03"]
    assert max(len(line) for line in lines) <= 80


def test_groups_are_shown_as_they_stand_now(file: str) -> None:
    text = shown(file, *BAND, NEW)
    assert "CHANGE: south up since 2026-01-26" in text
    lines = table(text)
    assert lines[0].split()[-3:] == ["alarm", "alarm_at", "change_since"]
    south = lines[3].split()
    assert south[0] == "south"
    assert south[4:] == ["above", south[5], "2026-01-26"]
    assert max(len(line) for line in lines) <= 80
    series = table(shown(file, *BAND, NEW, "--series"))
    assert sum(line.startswith("south ") for line in series) == 8
    assert max(len(line) for line in series) <= 80


def test_programs_get_every_look(file: str, tmp_path: Path) -> None:
    rows = json.loads(shown(file, *BAND, NEW, "--format", "json"))
    assert len(rows) == 16
    assert rows[-1]["region"] == "south"
    assert rows[-1]["change_since"] == "2026-01-26"
    assert shown(file, "--format", "csv").startswith("region,period,ratio,ci_lower")
    out, picture = tmp_path / "watch.csv", tmp_path / "watch.svg"
    shown(file, *BAND, NEW, "--csv", str(out), "--chart", str(picture))
    assert len(out.read_text().splitlines()) == 17
    assert "ALARM at" in picture.read_text()


def test_two_groups_are_compared_at_every_look(file: str, tmp_path: Path) -> None:
    picture = tmp_path / "arms.svg"
    words = ("--last-look", "8", "--compare", "south", "north", "--chart", str(picture))
    text = shown(file, NEW, *words)
    assert "lift of score per label lies between" in " ".join(text.split())
    lines = table(text)
    assert lines[0].split() == ["period", "estimate", "cs_lower", "cs_upper", "apart"]
    assert len(lines) == 10
    assert "south against north" in picture.read_text()


def test_a_report_of_the_newest_has_a_time_view(
    files: list[str], tmp_path: Path
) -> None:
    out = tmp_path / "year.html"
    shown(*files, *BAND, NEW, "--report", str(out))
    page = out.read_text(encoding="utf-8")
    assert "Over time" in page
    assert weeks()[-1].id in page
    assert "a report is HTML" in str(refusal("watch", *files, "--report", "year.pdf"))


def test_refusals_say_what_to_do(files: list[str], file: str) -> None:
    twice = str(refusal("watch", *files, files[0]))
    assert "must be watched once" in twice
    assert "['1 week-01', '4 week-01']" in twice
    other = refusal("watch", files[0], file)
    assert isinstance(other, InvalidInput)
    assert "others in year" in str(other)
    assert "no look follows" in str(refusal("watch", *files, "--last-look", "2"))
