"""`dpratio demo`: invented people, their release, and the truth beside it."""

import json
from pathlib import Path

import pytest

from cli.commands_for_tests import Call, is_refused, shown


def test_the_demo_shows_plan_and_truth_and_leaves_its_files(folder: Path) -> None:
    said = shown("demo", "--people", 2000)
    for words in ("Not covered", "truth", "intervals hold the invented truth"):
        assert words in said
    assert {path.name for path in (folder / "demo").iterdir()} == {
        "people.parquet",
        "ledger.db",
        "ledger.db.lock",
        "report.html",
        "release.json",
        "study.toml",
    }
    assert "SIMULATED" in shown("estimate", "demo/release.json")


@pytest.mark.usefixtures("folder")
def test_the_demo_speaks_other_formats() -> None:
    rows = json.loads(shown("demo", "--people", 2000, "--format", "json"))
    assert [row["truth"] for row in rows] == [1.0, 1.05, 1.1, 1.2]


def test_a_demo_folder_that_cannot_be_made_is_refused(folder: Path, call: Call) -> None:
    (folder / "demo").write_text("in the way", encoding="utf-8")
    assert is_refused(call("demo"), 5, "'demo' cannot be written")
