"""`dpratio rehearse`, run as a user runs it."""

import json
from pathlib import Path

from cli.anyone.test_forecast_command import STUDY
from cli.commands_for_tests import flowing, refusal, shown
from cli.data_holder.test_plan_command import OWN


def test_a_study_is_rehearsed_written_and_drawn(tmp_path: Path) -> None:
    study, page = tmp_path / "study.toml", tmp_path / "rehearsal.html"
    study.write_text(STUDY, encoding="utf-8")
    rows = json.loads(shown("rehearse", study, "--html", page, "--format", "json"))
    assert len(rows) == 20
    assert "the truth is 1.111" in page.read_text(encoding="utf-8")
    again = flowing("rehearse", study, "--seed", 2, "--answers", 3, "--epsilon", 0.1)
    assert "3 answers about 2,000 invented people" in again
    assert "at epsilon 0.1." in again


def test_the_people_of_a_study_are_not_those_of_other_totals(folder: Path) -> None:
    (folder / "study.toml").write_text(OWN, encoding="utf-8")
    forecast = flowing("forecast", "study.toml", "--question", 2)
    assert "Nobody described the people" in forecast
    refused = refusal("rehearse", "study.toml", "--question", 2)
    assert "people whom someone described" in str(refused)
