"""`dpratio rehearse`, run as a user runs it."""

import json
from pathlib import Path

from typer.testing import CliRunner

from cli.anyone.test_forecast_command import STUDY, run
from cli.data_holder.test_plan_command import OWN
from dpratio.cli.main import app


def test_a_study_is_rehearsed_written_and_drawn(tmp_path: Path) -> None:
    study, page = tmp_path / "study.toml", tmp_path / "rehearsal.html"
    study.write_text(STUDY, encoding="utf-8")
    done = run("rehearse", study, "--html", page, "--format", "json")
    rows = json.loads(done.stdout)
    assert len(rows) == 20
    assert "the truth is 1.111" in page.read_text(encoding="utf-8")
    again = run("rehearse", study, "--seed", 2, "--answers", 3, "--epsilon", "0.1")
    assert "3 answers about 2,000 invented people" in " ".join(again.stdout.split())
    assert "at epsilon 0.1." in " ".join(again.stdout.split())


def test_people_beside_the_groups_are_those_of_their_question(folder: Path) -> None:
    people = "{ numerator = { mean = 40, sd = 30 }, per = { mean = 2, sd = 1 } }"
    described = OWN.replace(
        "most_groups = 3", f"most_groups = 3\npopulation = {people}"
    )
    (folder / "study.toml").write_text(described, encoding="utf-8")
    (folder / "plain.toml").write_text(OWN, encoding="utf-8")
    call = CliRunner().invoke
    told = call(app, ["forecast", "study.toml", "--question", "2"])
    assert "guessed ratio of 20" in " ".join(told.stdout.split())
    rehearsed = call(
        app, ["rehearse", "study.toml", "--question", "2", "--answers", "3"]
    )
    assert "Rehearsed: 3 answers" in rehearsed.stdout
    untold = call(app, ["forecast", "plain.toml", "--question", "2"])
    assert "Nobody described the people" in " ".join(untold.stdout.split())
    refused = call(app, ["rehearse", "plain.toml", "--question", "2"])
    assert "people whom someone described" in str(refused.exception)
